//! The header of a rank file or an index.

use std::path::Path;

use hdf5::{File, Group};
use hematite_config::{Fault, Result};

use super::Kind;
use super::layout::Layout;
use crate::h5::{self, attribute, reading, set_attribute};
use crate::{DumpStep, vtk};

/// A dataset of Steps, and its value for a dump.
type Column = (&'static str, fn(&Entry) -> usize);

/// The entry of a dump in Steps.
pub struct Entry {
    pub step: DumpStep,
    pub at: Layout,
    /// Number of parts, from `at.part` on.
    pub parts: usize,
}

/// The kinds of primitive that every PolyData has, in its order.
const PRIMITIVES: [&str; 4] = ["Vertices", "Lines", "Polygons", "Strips"];

/// The header of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Header<K> {
    /// 2 or 3.
    pub dimension: usize,
    /// Lattice spacing in metres.
    pub spacing: f64,
    /// The populations.
    pub kinds: Vec<K>,
    /// The dumps.
    pub steps: Vec<DumpStep>,
    /// The layout of each dump.
    pub layout: Vec<Layout>,
}

impl<K: Kind> Header<K> {
    /// The header of a file without dumps.
    pub fn new(path: &Path, kinds: &[K], dimension: usize, spacing: f64) -> Result<Self> {
        let header = Self { dimension, spacing, kinds: kinds.to_vec(), steps: Vec::new(), layout: Vec::new() };
        match header.strange() {
            Some(what) => Err(Fault::usage(format!("{}: a dump of {} with {what}", path.display(), K::FORM.what))),
            None => Ok(header),
        }
    }

    /// A text that says what is wrong with dimension or kinds, if anything.
    fn strange(&self) -> Option<String> {
        if !(2..=3).contains(&self.dimension) {
            return Some(format!("dimension {}", self.dimension));
        }
        if self.kinds.is_empty() {
            return Some("no population".to_owned());
        }
        K::strange(&self.kinds, self.dimension)
    }

    /// Whether both have the same populations on the same lattice.
    pub fn alike(&self, other: &Self) -> bool {
        (self.dimension, self.spacing, &self.kinds) == (other.dimension, other.spacing, &other.kinds)
    }

    /// Reads and checks the header. The rows of an index are those of its virtual datasets.
    pub fn read(file: &File, path: &Path) -> Result<Self> {
        let what = K::FORM.what;
        let other = |_| Fault::usage(format!("{} is not a dump of {what} that `run` wrote", path.display()));
        let damaged = |what: &str| Fault::usage(format!("{}: {what}: it is damaged", path.display()));
        let own = file.group(K::FORM.own).map_err(other)?;
        let scalars = || -> hdf5::Result<(u64, f64, i64)> {
            let count = attribute(&*file.group("VTKHDF/Steps")?, "NSteps")?;
            Ok((attribute(&own, "dimension")?, attribute(&own, "spacing")?, count))
        };
        let (dimension, spacing, count) = scalars().map_err(reading(path))?;
        let count = usize::try_from(count).map_err(|_| damaged("it holds a negative number of dumps"))?;
        h5::check_claim(path, "dumps", count as u64)?;
        let kinds = K::read_kinds(&own, path)?;
        let (steps, layout) = read_steps(file, &own, count).map_err(reading(path))?;
        let header = Self { dimension: dimension as usize, spacing, kinds, steps, layout };
        if let Some(what) = header.strange() {
            return Err(damaged(&what));
        }
        for array in K::FORM.arrays {
            let (name, dataset) = (array.name, file.dataset(array.name).map_err(reading(path))?);
            let rows = dataset.shape().first().copied().unwrap_or(0);
            if !own.link_exists("rank_files") {
                h5::check_claim(path, "rows", rows as u64)?;
            }
            if h5::columns(&dataset) != array.columns.unwrap_or(1)
                || header.layout.iter().any(|at| array.end(at) > rows)
            {
                return Err(damaged(&format!("the array {name} has the wrong size")));
            }
        }
        Ok(header)
    }

    /// Writes the header and all groups, but not the arrays of [`Kind::FORM`], into a new file.
    pub fn write(&self, file: &File) -> hdf5::Result<()> {
        let vtk = vtk::root(file, "PolyData")?;
        h5::series::<i64>(&vtk, "NumberOfPoints", None)?;
        for name in PRIMITIVES {
            let group = vtk.create_group(name)?;
            h5::series::<i64>(&group, "NumberOfCells", None)?;
            h5::series::<i64>(&group, "NumberOfConnectivityIds", None)?;
            if name != K::FORM.primitive {
                h5::series::<i64>(&group, "Offsets", None)?;
                h5::series::<i64>(&group, "Connectivity", None)?;
            }
        }
        vtk.create_group("PointData")?;
        vtk.create_group("CellData")?;
        let steps = vtk::steps(&vtk, PRIMITIVES.len())?;
        for group in ["PointDataOffsets", "CellDataOffsets"] {
            steps.create_group(group)?;
        }
        for (name, _) in K::FORM.data {
            h5::series::<i64>(&steps, name, None)?;
        }
        self.write_own(&file.create_group(K::FORM.own)?)
    }

    fn write_own(&self, own: &Group) -> hdf5::Result<()> {
        set_attribute(own, "dimension", &(self.dimension as u64))?;
        set_attribute(own, "spacing", &self.spacing)?;
        K::write_kinds(&self.kinds, own)?;
        h5::series::<u64>(own, "steps", None)?;
        h5::series::<u64>(own, "layout", Some(Layout::COLUMNS)).map(|_| ())
    }

    /// Writes the entries of dumps from number `first` on, except the number of dumps.
    pub fn write_steps(file: &File, first: usize, dumps: &[Entry]) -> hdf5::Result<()> {
        let steps = file.group("VTKHDF/Steps")?;
        let times: Vec<f64> = dumps.iter().map(|dump| dump.step.time).collect();
        h5::set_last(&steps.dataset("Values")?, first, &times)?;
        let columns: [Column; 3] = [
            ("NumberOfParts", |dump| dump.parts),
            ("PartOffsets", |dump| dump.at.part),
            ("PointOffsets", |dump| dump.at.vertex),
        ];
        for (name, of) in columns {
            let column: Vec<i64> = dumps.iter().map(|dump| of(dump) as i64).collect();
            h5::set_last(&steps.dataset(name)?, first, &column)?;
        }
        for (name, of) in K::FORM.data {
            let column: Vec<i64> = dumps.iter().map(|dump| of(&dump.at) as i64).collect();
            h5::set_last(&steps.dataset(name)?, first, &column)?;
        }
        let columns: [Column; 2] =
            [("CellOffsets", |dump| dump.at.topology - dump.at.part), ("ConnectivityIdOffsets", |dump| dump.at.corner)];
        for (name, of) in columns {
            let of_ours = PRIMITIVES.map(|primitive| i64::from(primitive == K::FORM.primitive));
            let rows: Vec<i64> = dumps.iter().flat_map(|dump| of_ours.map(|one| one * of(dump) as i64)).collect();
            h5::set_last(&steps.dataset(name)?, first, &rows)?;
        }
        let own = file.group(K::FORM.own)?;
        let layout: Vec<u64> = dumps.iter().flat_map(|dump| dump.at.row()).collect();
        h5::set_last(&own.dataset("layout")?, first, &layout)?;
        let numbers: Vec<u64> = dumps.iter().map(|dump| dump.step.step).collect();
        h5::set_last(&own.dataset("steps")?, first, &numbers)
    }

    /// Writes the counts of parts from number `first` on.
    pub fn write_parts(file: &File, first: usize, counts: &[Layout]) -> hdf5::Result<()> {
        let vtk = file.group("VTKHDF")?;
        let column = |of: fn(&Layout) -> usize| counts.iter().map(|part| of(part) as i64).collect::<Vec<_>>();
        let zeros = vec![0_i64; counts.len()];
        h5::set_last(&vtk.dataset("NumberOfPoints")?, first, &column(|part| part.vertices))?;
        for name in PRIMITIVES {
            let group = vtk.group(name)?;
            let (polygons, corners) = if name == K::FORM.primitive {
                (column(|part| part.polygons), column(|part| part.corners))
            } else {
                h5::set_last(&group.dataset("Offsets")?, first, &zeros)?;
                (zeros.clone(), zeros.clone())
            };
            h5::set_last(&group.dataset("NumberOfCells")?, first, &polygons)?;
            h5::set_last(&group.dataset("NumberOfConnectivityIds")?, first, &corners)?;
        }
        Ok(())
    }

    /// Flushes the file, then sets the number of valid dumps.
    pub fn write_count(file: &File, dumps: usize) -> hdf5::Result<()> {
        file.flush()?;
        file.group("VTKHDF/Steps")?.attr("NSteps")?.write_scalar(&(dumps as i64))?;
        file.flush()
    }

    /// Drops all rows that `self` does not count. Lowers the count first, so that it never exceeds the rows.
    pub fn shorten(&self, file: &File) -> hdf5::Result<()> {
        let dumps = self.steps.len();
        Self::write_count(file, dumps)?;
        let steps = file.group("VTKHDF/Steps")?;
        let mut of_dumps = steps.datasets()?;
        of_dumps.extend(steps.group("PointDataOffsets")?.datasets()?);
        of_dumps.extend(steps.group("CellDataOffsets")?.datasets()?);
        let own = file.group(K::FORM.own)?;
        of_dumps.extend([own.dataset("steps")?, own.dataset("layout")?]);
        of_dumps.iter().try_for_each(|dataset| h5::resize(dataset, dumps))?;
        let last = self.layout.last();
        let parts = last.map_or(0, |at| at.part + 1);
        let vtk = file.group("VTKHDF")?;
        h5::resize(&vtk.dataset("NumberOfPoints")?, parts)?;
        for name in PRIMITIVES {
            let group = vtk.group(name)?;
            h5::resize(&group.dataset("NumberOfCells")?, parts)?;
            h5::resize(&group.dataset("NumberOfConnectivityIds")?, parts)?;
            if name != K::FORM.primitive {
                h5::resize(&group.dataset("Offsets")?, parts)?;
            }
        }
        for array in K::FORM.arrays {
            h5::resize(&file.dataset(array.name)?, last.map_or(0, |at| array.end(at)))?;
        }
        file.flush()
    }
}

fn read_steps(file: &File, own: &Group, count: usize) -> hdf5::Result<(Vec<DumpStep>, Vec<Layout>)> {
    let (steps, times, layout) = (own.dataset("steps")?, file.dataset("VTKHDF/Steps/Values")?, own.dataset("layout")?);
    if steps.size() < count || times.size() < count || layout.size() < count * Layout::COLUMNS {
        return Err("fewer time steps than dumps".into());
    }
    let steps = h5::read_rows::<u64>(&steps, 0, count)?;
    let times = h5::read_rows::<f64>(&times, 0, count)?;
    let rows = h5::read_rows::<u64>(&layout, 0, count)?;
    let (rows, rest) = rows.as_chunks::<{ Layout::COLUMNS }>();
    // No number of rows comes near 2^48, and sums of such numbers do not overflow.
    if !rest.is_empty() || rows.as_flattened().iter().any(|&number| number > 1 << 48) {
        return Err("its layout is damaged".into());
    }
    let steps = steps.into_iter().zip(times).map(|(step, time)| DumpStep { step, time }).collect();
    Ok((steps, rows.iter().map(|&row| Layout::of_row(row)).collect()))
}
