//! The report on a case for users.

use std::fmt;
use std::path::{Path, PathBuf};

use hematite_case::{ImmersedWalls, Lattice, NodeField, Opening, Partition, PartitionReport};
use hematite_drawing::page::files;
use hematite_geometry::{Narrowest, OpeningKind, Resampled};

/// The report of one case; its text ends without a newline.
pub struct Report<'a> {
    /// The case file.
    pub output: &'a Path,
    /// Whether it was written, or only checked.
    pub written: bool,
    /// The picture of the case without the ends of its two files, if one was drawn.
    pub picture: Option<&'a Path>,
    /// The files of the geometry.
    pub inputs: &'a [PathBuf],
    /// The lattice of the case.
    pub lattice: &'a Lattice,
    /// Lines about its cells.
    pub cells: &'a [String],
    /// Lines about its polymers.
    pub polymers: &'a [String],
    /// Points of immersed walls, and the nodes beyond them.
    pub immersed: &'a ImmersedWalls,
    /// Its partitions.
    pub partitions: &'a [Partition],
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lattice = self.lattice;
        let geometry = &lattice.geometry;
        let dimension = lattice.set.dimension();
        let inputs: Vec<String> = self.inputs.iter().map(|path| path.display().to_string()).collect();
        let outcome = if self.written { "" } else { " (checked, not written)" };
        writeln!(f, "case       {}{outcome}", self.output.display())?;
        if let Some([png, svg]) = self.picture.map(files) {
            writeln!(f, "picture    {}, {}", png.display(), svg.display())?;
        }
        writeln!(
            f,
            "read       {}: {} {}",
            inputs.join(", "),
            sizes(&geometry.read[..dimension]),
            match (dimension, geometry.surface.is_empty(), geometry.terrain.is_empty()) {
                (_, false, _) => "sites around the surface",
                (_, _, false) => "cells",
                (2, ..) => "pixels",
                _ => "voxels",
            }
        )?;
        geometry.header.iter().try_for_each(|line| writeln!(f, "header     {line}"))?;
        geometry.surface.iter().try_for_each(|line| writeln!(f, "surface    {line}"))?;
        geometry.terrain.iter().try_for_each(|line| writeln!(f, "terrain    {line}"))?;
        writeln!(
            f,
            "lattice    {:?}, {} sites, spacing {}",
            lattice.set,
            sizes(&lattice.extent[..dimension]),
            length(lattice.spacing)
        )?;
        let wraps: String = (0..3).filter(|&axis| lattice.periodic[axis]).map(|axis| ['x', 'y', 'z'][axis]).collect();
        if !wraps.is_empty() {
            writeln!(f, "periodic   {wraps}")?;
        }
        geometry.resampled.iter().try_for_each(|sizes| writeln!(f, "resampled  {}", grown(sizes, dimension)))?;
        geometry.specks.iter().try_for_each(|line| writeln!(f, "cleaned    {line}"))?;
        geometry.ends.iter().try_for_each(|line| writeln!(f, "ends       {line}"))?;
        let pieces = |n: usize| if n == 1 { "1 piece".to_owned() } else { format!("{n} pieces") };
        writeln!(
            f,
            "fluid      {} nodes in {}, {:.1} % of the box that holds them",
            grouped(lattice.nodes()),
            pieces(geometry.components),
            100.0 * geometry.fill
        )?;
        if geometry.removed_components > 0 {
            writeln!(
                f,
                "removed    {}, {} sites",
                pieces(geometry.removed_components),
                grouped(geometry.removed_sites)
            )?;
        }
        f.write_str(if lattice.openings.is_empty() { "openings   none\n" } else { "openings\n" })?;
        f.write_str(&table(&lattice.openings, lattice.spacing, dimension))?;
        geometry.narrowest.iter().try_for_each(|place| writeln!(f, "narrowest  {}", narrow(place, lattice)))?;
        geometry.warnings.iter().try_for_each(|warning| writeln!(f, "warning    {warning}"))?;
        for part in &lattice.wall_parts {
            writeln!(f, "wall part  {}: {} nodes beside it", part.name, grouped(part.sites.len()))?;
        }
        for region in &lattice.regions {
            let nodes = region.nodes();
            let (size, unit) = (nodes as f64 * lattice.spacing.powi(dimension as i32), ["m2", "m3"][dimension - 2]);
            writeln!(f, "region     {}: {} nodes, {} {unit}", region.name, grouped(nodes as usize), plain(size))?;
        }
        lattice.fields.iter().try_for_each(|field| writeln!(f, "field      {}", spread(field)))?;
        f.write_str(if self.cells.is_empty() { "cells      none\n" } else { "cells\n" })?;
        self.cells.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        if !self.polymers.is_empty() {
            writeln!(f, "polymers")?;
            self.polymers.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        if let Some(layer) = &self.immersed.layer {
            let points = grouped(self.immersed.points.len());
            writeln!(f, "walls      {points} points, {} nodes beyond them", grouped(layer.nodes()))?;
        }
        if self.partitions.is_empty() {
            return f.write_str("partitions none stored; a run on several ranks makes its own");
        }
        writeln!(f, "partitions")?;
        let reports: Vec<PartitionReport> = self.partitions.iter().map(|partition| partition.report.clone()).collect();
        let lines: Vec<String> = PartitionReport::table(&reports).lines().map(|line| format!("  {line}")).collect();
        f.write_str(&lines.join("\n"))
    }
}

/// The openings, one a line.
fn table(openings: &[Opening], spacing: f64, dimension: usize) -> String {
    let name_width = openings.iter().map(|opening| opening.name.chars().count()).max().unwrap_or(0);
    let line = |opening: &Opening| {
        let kind = match opening.kind {
            OpeningKind::Velocity => "velocity",
            OpeningKind::Pressure => "pressure",
            OpeningKind::Wall => "wall",
        };
        let (size, unit) = if dimension == 2 {
            ("width", length(opening.area * spacing))
        } else {
            ("area", format!("{:.4e} m2", opening.area * spacing * spacing))
        };
        let normal: Vec<String> = opening.normal[..dimension].iter().map(|n| format!("{:.3}", n + 0.0)).collect();
        format!(
            "  {:name_width$}  {kind:8}  {:>9} nodes  {size} {unit}  normal ({})\n",
            opening.name,
            grouped(opening.nodes.len()),
            normal.join(", ")
        )
    };
    openings.iter().map(line).collect()
}

/// How large the fluid is beside its pixels or voxels.
fn grown(sizes: &Resampled, dimension: usize) -> String {
    let (voxels, unit) = if dimension == 2 { ("pixels", "m2") } else { ("voxels", "m3") };
    let percent: f64 = 100.0 * sizes.growth();
    let than = if percent < 0.0 { "less" } else { "more" };
    format!("{} {unit} of fluid, {:.1} % {than} than its {voxels} have", plain(sizes.after), percent.abs())
}

/// Spacings across the narrowest place at which the flow there is resolved.
const ACROSS: f64 = 10.0;

/// The narrowest place, and the coarsest spacing that resolves it.
fn narrow(narrowest: &Narrowest, lattice: &Lattice) -> String {
    let Narrowest { spacings, place, is_wider, between } = narrowest;
    let place: Vec<String> = place[..lattice.set.dimension()].iter().map(|x| format!("{x:.4e}")).collect();
    // It is known within a spacing.
    let rounded = |metres: f64| length(format!("{metres:.2e}").parse().unwrap_or(metres));
    let coarsest = rounded(spacings * lattice.spacing / ACROSS);
    let advice = match (*is_wider, *spacings < ACROSS) {
        (true, _) => format!("{coarsest} as spacing or more leaves {ACROSS} across, which resolve the flow there"),
        (false, true) => {
            format!("for {ACROSS} across, which resolve the flow there, take a spacing of {coarsest} or less")
        }
        (false, false) => {
            format!("{coarsest} is the coarsest spacing for {ACROSS} across, which resolve the flow there")
        }
    };
    format!(
        "{}{spacings:.1} spacings ({}) at ({}) m, on the widest way {between}; {advice}",
        if *is_wider { "at least " } else { "" },
        rounded(spacings * lattice.spacing),
        place.join(", ")
    )
}

/// A field in a line: its range and its mean.
fn spread(field: &NodeField) -> String {
    let values = || field.values.iter().copied();
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let mean = values().sum::<f64>() / field.values.len() as f64;
    let unit = if field.unit == "1" { String::new() } else { format!(" {}", field.unit) };
    let [low, high, mean] = [low, high, mean].map(plain);
    format!("{}: {low} to {high}{unit}, mean {mean}{unit}", field.name)
}

/// A number with six significant digits, as text.
fn plain(value: f64) -> String {
    let value = significant(value);
    let usual = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    if usual { value.to_string() } else { format!("{value:e}") }
}

/// Rounds to six significant digits.
fn significant(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn sizes(extent: &[usize]) -> String {
    extent.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}

/// A length with a suitable metric prefix.
fn length(metres: f64) -> String {
    let prefixes = [(1e3, "km"), (1.0, "m"), (1e-3, "mm"), (1e-6, "um"), (1e-9, "nm")];
    let (size, unit) = prefixes.into_iter().find(|&(size, _)| metres >= size).unwrap_or((1e-9, "nm"));
    // Removes the rounding error of the division.
    format!("{} {unit}", significant(metres / size))
}

/// A count with its thousands apart.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use hematite_geometry::{Domain, Site};

    use super::*;

    #[test]
    fn the_narrowest_place_is_told_with_the_spacing_that_resolves_it() {
        let domain = Domain {
            dimension: 2,
            extent: [3, 3, 1],
            spacing: 2e-6,
            origin: [0.0; 3],
            periodic: [false; 3],
            sites: (0..9).map(|i| if i == 4 { Site::FLUID } else { Site::WALL }).collect(),
            openings: Vec::new(),
            wall_parts: Vec::new(),
            surface: None,
            report: hematite_geometry::Report::default(),
        };
        let lattice = Lattice::build(&domain).expect("builds");
        let between = "from opening \"a\" to \"b\"".to_owned();
        let place = |spacings, is_wider| Narrowest { spacings, place: [1e-3; 3], is_wider, between: between.clone() };
        for (place, pieces) in [
            (
                place(4.656, false),
                ["4.7 spacings (9.31 um) at (1.0000e-3, 1.0000e-3) m", "a spacing of 931 nm or less"],
            ),
            (place(21.0, false), ["21.0 spacings (42 um)", "4.2 um is the coarsest spacing"]),
            (place(29.0, true), ["at least 29.0 spacings (58 um)", "5.8 um as spacing or more leaves 10 across"]),
        ] {
            let said = narrow(&place, &lattice);
            assert!(pieces.iter().all(|piece| said.contains(piece)) && said.contains("\"a\" to \"b\""), "{said}");
        }
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(length(4e-6), "4 um");
        assert_eq!(length(64.0 * 4e-6), "256 um");
        assert_eq!(length(1e-6), "1 um");
        assert_eq!(length(2.5e-10), "0.25 nm");
        assert_eq!(length(30.0), "30 m");
        assert_eq!([0.0, -0.25, 3329.5127, 4e-12].map(plain), ["0", "-0.25", "3329.51", "4e-12"]);
    }
}
