//! Domains made by hand, in lattice units.

use hematite_geometry::{Domain, Opening, OpeningKind, Report, Site};

/// The inner box of a domain: what may be fluid.
#[derive(Clone, Copy, Debug)]
pub struct Inside {
    /// Nodes along x, y, z; z is 1 in 2-D.
    pub extent: [usize; 3],
    /// Directions in which it wraps; the others get a layer of other sites at both ends.
    pub periodic: [bool; 3],
}

impl Inside {
    /// 2 where z is one layer thick and does not wrap, else 3.
    pub fn dimension(&self) -> usize {
        if self.extent[2] == 1 && !self.periodic[2] { 2 } else { 3 }
    }

    /// Layers before the first inner site.
    pub fn padding(&self) -> [usize; 3] {
        let padded = |axis: usize| axis < self.dimension() && !self.periodic[axis];
        [0, 1, 2].map(|axis| usize::from(padded(axis)))
    }

    /// Whether a point lies in the box.
    pub fn holds(&self, at: [f64; 3]) -> bool {
        (0..3).all(|axis| at[axis] > 0.0 && at[axis] < self.extent[axis] as f64)
    }
}

/// A domain whose sites are `paint(centre)`; the lower corner of the inner box is at 0, and site centres at halves.
pub fn domain(inside: Inside, openings: &[(&str, OpeningKind)], paint: impl Fn([f64; 3]) -> Site) -> Domain {
    let padding = inside.padding();
    let extent = [0, 1, 2].map(|axis| inside.extent[axis] + 2 * padding[axis]);
    let mut sites = Vec::with_capacity(extent.iter().product());
    for z in 0..extent[2] {
        for y in 0..extent[1] {
            for x in 0..extent[0] {
                let index = [x, y, z];
                sites.push(paint([0, 1, 2].map(|axis| index[axis] as f64 + 0.5 - padding[axis] as f64)));
            }
        }
    }
    let fluid = sites.iter().filter(|&&site| site == Site::FLUID).count();
    Domain {
        dimension: inside.dimension(),
        extent,
        spacing: 1e-5,
        origin: [0.0; 3],
        periodic: inside.periodic,
        sites,
        openings: openings.iter().map(|&(name, kind)| Opening { name: name.to_owned(), kind, normal: None }).collect(),
        wall_parts: Vec::new(),
        surface: None,
        report: Report { fluid, ..Report::default() },
    }
}

/// A channel along x with walls at y = 0 and y = height, periodic along x (and z).
pub fn periodic_channel(dimension: usize, height: usize) -> (Inside, Domain) {
    let inside = if dimension == 2 {
        Inside { extent: [3, height, 1], periodic: [true, false, false] }
    } else {
        Inside { extent: [3, height, 3], periodic: [true, false, true] }
    };
    (inside, domain(inside, &[], |at| fluid_where(inside.holds(at))))
}

/// A channel along x with walls at y = 0 and y = height and openings of `kinds` at its ends.
pub fn open_channel(length: usize, height: usize, kinds: [OpeningKind; 2]) -> (Inside, Domain) {
    let inside = Inside { extent: [length, height, 1], periodic: [false; 3] };
    let paint = |at: [f64; 3]| {
        if at[1] < 0.0 || at[1] > height as f64 {
            Site::WALL
        } else if at[0] < 0.0 {
            Site::opening(0)
        } else if at[0] > length as f64 {
            Site::opening(1)
        } else {
            Site::FLUID
        }
    };
    (inside, domain(inside, &[("in", kinds[0]), ("out", kinds[1])], paint))
}

/// A channel along x that a wall, `wall` nodes thick, parts half-way into two, the lower one `lower` nodes high: a
/// velocity opening "in" at its beginning, openings "low" and "high" of `kinds` at its ends.
pub fn forked_channel(
    [length, height]: [usize; 2],
    [lower, wall]: [usize; 2],
    kinds: [OpeningKind; 2],
) -> (Inside, Domain) {
    let inside = Inside { extent: [length, height, 1], periodic: [false; 3] };
    let (l, h, split) = (length as f64, height as f64, [lower as f64, (lower + wall) as f64]);
    let paint = |at: [f64; 3]| {
        let between = at[0] > l / 2.0 && at[1] > split[0] && at[1] < split[1];
        if at[1] < 0.0 || at[1] > h || between {
            Site::WALL
        } else if at[0] < 0.0 {
            Site::opening(0)
        } else if at[0] > l {
            Site::opening(if at[1] < split[0] { 1 } else { 2 })
        } else {
            Site::FLUID
        }
    };
    (inside, domain(inside, &[("in", OpeningKind::Velocity), ("low", kinds[0]), ("high", kinds[1])], paint))
}

/// A straight duct along x, periodic, one node long, whose cross-section in y and z is a box.
pub fn duct(height: usize, width: usize) -> (Inside, Domain) {
    let inside = Inside { extent: [1, height, width], periodic: [true, false, false] };
    (inside, domain(inside, &[], |at| fluid_where(inside.holds(at))))
}

/// A straight pipe along x, periodic, one node long, its axis at y = z = diameter / 2.
pub fn pipe(diameter: usize) -> (Inside, Domain) {
    tube(1, diameter)
}

/// The same of any length.
pub fn tube(length: usize, diameter: usize) -> (Inside, Domain) {
    let inside = Inside { extent: [length, diameter, diameter], periodic: [true, false, false] };
    let radius = diameter as f64 / 2.0;
    (inside, domain(inside, &[], |at| fluid_where((at[1] - radius).hypot(at[2] - radius) < radius)))
}

/// Fluid or wall.
pub fn fluid_where(fluid: bool) -> Site {
    if fluid { Site::FLUID } else { Site::WALL }
}
