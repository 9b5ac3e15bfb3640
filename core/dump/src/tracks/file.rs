//! Writes and reads `tracks.h5`.

use std::path::{Path, PathBuf};

use bytemuck::NoUninit;
use hdf5::types::FixedAscii;
use hdf5::{Dataset, Extent, File, Group, H5Type};
use hematite_chunks::{Rows, write_frame};
use hematite_config::{Fault, Result, publish};
use ndarray::ArrayD;

use super::TrackFrame;
use crate::DumpStep;
use crate::h5::{self, attribute, reading, set_attribute, writing};

const PARTICLES: &str = "particles/trajectory";
const OWN: &str = "hematite/tracks";

/// Rows a chunk.
const CHUNK: usize = 1 << 12;

/// What empty rows hold.
const NO_NUMBER: f64 = f64::NAN;
const NO_IMAGE: i32 = 0;
const NO_KIND: i32 = -1;
const NO_CELL: i64 = -1;

/// A bound of the bytes of a cell in all elements.
const ROW: usize = 16 * size_of::<f64>();

/// The box of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrackBox {
    /// 2 or 3.
    pub dimension: usize,
    /// Its edges in metres.
    pub extent: [f64; 3],
    /// Which axes are periodic.
    pub periodic: [bool; 3],
}

/// Adds frames to the tracks of a run, on one rank. Between calls the file is closed and complete, so that others can
/// read it.
pub struct TrackWriter {
    path: PathBuf,
    kinds: usize,
    extent: [f64; 3],
    steps: Vec<DumpStep>,
}

impl TrackWriter {
    /// Begins the tracks of a run folder; earlier ones are replaced. `kinds`: names of the populations.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(run: &Path, kinds: &[String], domain: &TrackBox) -> Result<Self> {
        let path = run.join(TrackReader::FILE);
        publish(&path, |temporary| empty(temporary, kinds, domain).map_err(writing(&path)))?;
        Ok(Self { path, kinds: kinds.len(), extent: domain.extent, steps: Vec::new() })
    }

    /// Continues the tracks of a run folder, or begins them. Drops frames after time step `keep_through_step`, and a
    /// frame that a killed run left incomplete.
    ///
    /// # Errors
    /// When the tracks are damaged, have other populations, or cannot be written.
    pub fn go_on(run: &Path, kinds: &[String], domain: &TrackBox, keep_through_step: u64) -> Result<Self> {
        let path = run.join(TrackReader::FILE);
        if !path.exists() {
            return Self::create(run, kinds, domain);
        }
        let reader = TrackReader::open(run)?;
        if reader.kinds != kinds || reader.dimension != domain.dimension {
            return Err(Fault::usage(format!("{} holds other populations: use another folder", path.display())));
        }
        let mut steps = reader.steps;
        steps.truncate(steps.partition_point(|step| step.step <= keep_through_step));
        let file = h5::open_rw(&path)?;
        let shorten = || {
            count(&file, steps.len())?;
            for (name, _) in ELEMENTS {
                h5::resize(&file.dataset(&format!("{PARTICLES}/{name}/value"))?, steps.len())?;
            }
            for name in ["box/edges/value", "position/step", "position/time"] {
                h5::resize(&file.dataset(&format!("{PARTICLES}/{name}"))?, steps.len())?;
            }
            file.flush()
        };
        shorten().map_err(writing(&path))?;
        Ok(Self { path, kinds: kinds.len(), extent: domain.extent, steps })
    }

    /// The frames in the file.
    pub fn steps(&self) -> &[DumpStep] {
        &self.steps
    }

    /// Adds a frame with the cells of all ranks.
    ///
    /// # Errors
    /// When the frame is inconsistent or does not come after the last one, or the file cannot be written.
    pub fn append(&mut self, frame: &TrackFrame) -> Result<()> {
        let fault = |what: String| Fault::io(format!("{}: {what}", self.path.display()));
        if let Some(last) = self.steps.last().filter(|last| last.step >= frame.step) {
            return Err(fault(format!("a frame at step {} cannot follow one at step {}", frame.step, last.step)));
        }
        let lengths = [frame.kind.len(), frame.centroid.len(), frame.image.len(), frame.axis.len()];
        if lengths.into_iter().chain([frame.area.len(), frame.volume.len()]).any(|length| length != frame.id.len()) {
            return Err(fault(format!("a frame of {} cells has arrays of other lengths", frame.id.len())));
        }
        if !frame.id.is_sorted_by(|a, b| a < b) || frame.kind.iter().any(|&kind| kind as usize >= self.kinds) {
            return Err(fault("a frame's cells do not ascend by number, or are of no known population".to_owned()));
        }
        h5::check_limit(&self.path, (frame.id.len().next_multiple_of(CHUNK) * ROW) as u64)?;
        let file = h5::open_rw(&self.path)?;
        let write = || {
            let group = file.group(PARTICLES)?;
            let at = self.steps.len();
            let id: Vec<i64> = frame.id.iter().map(|&id| id as i64).collect();
            let species: Vec<i32> = frame.kind.iter().map(|&kind| kind as i32).collect();
            let arrays = [
                rows(&group, "position", at, frame.centroid.as_flattened(), NO_NUMBER)?,
                rows(&group, "image", at, frame.image.as_flattened(), NO_IMAGE)?,
                rows(&group, "species", at, &species, NO_KIND)?,
                rows(&group, "id", at, &id, NO_CELL)?,
                rows(&group, "axis", at, frame.axis.as_flattened(), NO_NUMBER)?,
                rows(&group, "area", at, &frame.area, NO_NUMBER)?,
                rows(&group, "volume", at, &frame.volume, NO_NUMBER)?,
            ];
            write_frame(at, &arrays)?;
            h5::set_last(&group.dataset("box/edges/value")?, at, &self.extent)?;
            h5::set_last(&group.dataset("position/time")?, at, &[frame.time])?;
            h5::set_last(&group.dataset("position/step")?, at, &[frame.step as i64])?;
            count(&file, at + 1)
        };
        write().and_then(|()| file.close()).map_err(writing(&self.path))?;
        self.steps.push(DumpStep { step: frame.step, time: frame.time });
        Ok(())
    }
}

/// The elements with a row for each cell, and their columns.
const ELEMENTS: [(&str, Option<usize>); 7] = [
    ("position", Some(3)),
    ("image", Some(3)),
    ("species", None),
    ("id", None),
    ("axis", Some(3)),
    ("area", None),
    ("volume", None),
];

/// Flushes the file, then sets the number of valid frames.
fn count(file: &File, frames: usize) -> hdf5::Result<()> {
    file.flush()?;
    file.group(OWN)?.attr("frames")?.write_scalar(&(frames as u64))?;
    file.flush()
}

/// The rows of an element at frame `at`, for which it makes room; all frames of an element have as many rows as the
/// largest one needs.
fn rows<'a, T: H5Type + NoUninit>(
    group: &Group,
    name: &str,
    at: usize,
    values: &'a [T],
    fill: T,
) -> hdf5::Result<Rows<'a>> {
    let array = group.dataset(&format!("{name}/value"))?;
    let mut shape = array.shape();
    let width: usize = shape[2..].iter().product();
    (shape[0], shape[1]) = (at + 1, shape[1].max(values.len() / width));
    array.resize(shape)?;
    Rows::new(array, 0, values, fill)
}

/// Makes a file without a frame.
fn empty(path: &Path, kinds: &[String], domain: &TrackBox) -> hdf5::Result<()> {
    let file = File::create(path)?;
    let h5md = file.create_group("h5md")?;
    h5md.new_attr::<i32>().shape(2).create("version")?.write(&[1_i32, 1])?;
    text(&h5md.create_group("author")?, "name", "unknown")?;
    let creator = h5md.create_group("creator")?;
    text(&creator, "name", "hematite")?;
    text(&creator, "version", env!("CARGO_PKG_VERSION"))?;
    let group = file.create_group(PARTICLES)?;
    let domain_box = group.create_group("box")?;
    // Readers expect three dimensions.
    set_attribute(&domain_box, "dimension", &3_i32)?;
    let boundary = domain.periodic.map(|periodic| if periodic { "periodic" } else { "none" });
    let boundary = boundary.map(|name| FixedAscii::<8>::from_ascii(name.as_bytes()).unwrap_or_default());
    domain_box.new_attr::<FixedAscii<8>>().shape(3).create("boundary")?.write(&boundary)?;
    let position = group.create_group("position")?;
    h5::series::<i64>(&position, "step", None)?;
    h5::write_unit(&h5::series::<f64>(&position, "time", None)?, "s")?;
    element(&group, "position", None, NO_NUMBER)?;
    // MDAnalysis refuses metres in H5MD's attribute for the unit.
    let metres = FixedAscii::<8>::from_ascii(b"m").map_err(|error| error.to_string())?;
    group.dataset("position/value")?.new_attr::<FixedAscii<8>>().create("si_unit")?.write_scalar(&metres)?;
    element(&group, "image", None, NO_IMAGE)?;
    element(&group, "species", None, NO_KIND)?;
    element(&group, "id", None, NO_CELL)?;
    element(&group, "axis", None, NO_NUMBER)?;
    let (area, volume) = if domain.dimension == 3 { ("m2", "m3") } else { ("m", "m2") };
    element(&group, "area", Some(area), NO_NUMBER)?;
    element(&group, "volume", Some(volume), NO_NUMBER)?;
    let edges = domain_box.create_group("edges")?;
    h5::write_unit(&h5::series::<f64>(&edges, "value", Some(3))?, "m")?;
    share_times(&file, "box/edges")?;
    let own = file.create_group(OWN)?;
    set_attribute(&own, "frames", &0_u64)?;
    set_attribute(&own, "dimension", &(domain.dimension as u64))?;
    h5::write_names(&own, "kind_name", &kinds.iter().map(String::as_str).collect::<Vec<_>>())?;
    file.flush()
}

fn text(of: &Group, name: &str, value: &str) -> hdf5::Result<()> {
    let value = FixedAscii::<32>::from_ascii(value.as_bytes()).map_err(|error| error.to_string())?;
    set_attribute(of, name, &value)
}

/// A new element; empty rows hold `fill`.
fn element<T: H5Type + Into<hdf5::types::OwnedDynValue>>(
    particles: &Group,
    name: &str,
    unit: Option<&str>,
    fill: T,
) -> hdf5::Result<()> {
    let columns = ELEMENTS.iter().find(|(known, _)| *known == name).and_then(|(_, columns)| *columns);
    let group = if name == "position" { particles.group(name) } else { particles.create_group(name) }?;
    let chunk: Vec<usize> = [1, CHUNK].into_iter().chain(columns).collect();
    let shape = [Extent::resizable(0), Extent::resizable(0)].into_iter().chain(columns.map(Extent::fixed));
    let builder = group.new_dataset::<T>().chunk(chunk).shuffle().deflate(1).fletcher32().fill_value(fill);
    let array: Dataset = builder.shape(shape.collect::<Vec<_>>()).create("value")?;
    unit.map_or(Ok(()), |unit| h5::write_unit(&array, unit))?;
    if name == "position" { Ok(()) } else { share_times(&particles.file()?, name) }
}

/// Links the times of an element to those of the position: H5MD requires it for box and image.
fn share_times(file: &File, name: &str) -> hdf5::Result<()> {
    for times in ["step", "time"] {
        file.link_hard(&format!("/{PARTICLES}/position/{times}"), &format!("/{PARTICLES}/{name}/{times}"))?;
    }
    Ok(())
}

/// The tracks of a run. Holds no file open.
pub struct TrackReader {
    path: PathBuf,
    kinds: Vec<String>,
    dimension: usize,
    extent: Option<[f64; 3]>,
    steps: Vec<DumpStep>,
}

impl TrackReader {
    /// Name of the file in a run folder.
    pub const FILE: &str = "tracks.h5";

    /// Opens the tracks of a run folder.
    ///
    /// # Errors
    /// A usage fault when they are missing or damaged.
    pub fn open(run: &Path) -> Result<Self> {
        let path = run.join(TrackReader::FILE);
        let file = h5::open(&path)?;
        let read = || -> hdf5::Result<Self> {
            let (group, own) = (file.group(PARTICLES)?, file.group(OWN)?);
            let frames = attribute::<u64>(&own, "frames")? as usize;
            let (steps, times) = (group.dataset("position/step")?, group.dataset("position/time")?);
            let edges = group.dataset("box/edges/value")?;
            if steps.size() < frames || times.size() < frames || edges.size() < 3 * frames {
                return Err("fewer time steps than frames".into());
            }
            let rows = group.dataset("id/value")?.shape();
            for (name, columns) in ELEMENTS {
                let shape = group.dataset(&format!("{name}/value"))?.shape();
                let fits = shape.len() == 2 + usize::from(columns.is_some()) && shape.get(2).copied() == columns;
                if !fits || shape[0] < frames || shape[1] != rows[1] {
                    return Err(format!("the element {name} has shape {shape:?}").into());
                }
            }
            let steps = h5::read_rows::<i64>(&steps, 0, frames)?.into_iter();
            let times = h5::read_rows::<f64>(&times, 0, frames)?;
            Ok(Self {
                path: path.clone(),
                kinds: h5::read_names(&own, "kind_name")?,
                dimension: attribute::<u64>(&own, "dimension")? as usize,
                extent: h5::read_rows::<f64>(&edges, 0, frames.min(1))?.first_chunk::<3>().copied(),
                steps: steps.zip(times).map(|(step, time)| DumpStep { step: step as u64, time }).collect(),
            })
        };
        read().map_err(reading(&path))
    }

    /// Whether a run folder holds tracks.
    pub fn is_in(run: &Path) -> bool {
        run.join(TrackReader::FILE).exists()
    }

    /// Names of the populations.
    pub fn kinds(&self) -> &[String] {
        &self.kinds
    }

    /// 2 or 3.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Edges of the box in metres; `None` before the first frame.
    pub fn extent(&self) -> Option<[f64; 3]> {
        self.extent
    }

    /// The frames.
    pub fn steps(&self) -> &[DumpStep] {
        &self.steps
    }

    /// Reads frame number `number`.
    ///
    /// # Errors
    /// A usage fault when there is no such frame, or the file is damaged.
    pub fn frame(&self, number: usize) -> Result<TrackFrame> {
        let path = self.path.display();
        let Some(step) = self.steps.get(number) else {
            let frames = self.steps.len();
            return Err(Fault::usage(format!("{path} holds {frames} frames, there is no number {number}")));
        };
        let file = h5::open(&self.path)?;
        let read = || -> hdf5::Result<TrackFrame> {
            let group = file.group(PARTICLES)?;
            let rows = group.dataset("id/value")?.shape()[1];
            h5::check_claim(&self.path, "cells", rows as u64).map_err(|fault| fault.message)?;
            let mut id = take::<i64>(&group, "id", number)?;
            let cells = id.iter().position(|&id| id == NO_CELL).unwrap_or(id.len());
            id.truncate(cells);
            let vectors = |name: &str| Ok::<_, hdf5::Error>(take::<f64>(&group, name, number)?.as_chunks().0.to_vec());
            let mut frame = TrackFrame {
                step: step.step,
                time: step.time,
                id: id.into_iter().map(|id| id as u64).collect(),
                kind: take::<i32>(&group, "species", number)?.into_iter().map(|kind| kind as u32).collect(),
                centroid: vectors("position")?,
                image: take::<i32>(&group, "image", number)?.as_chunks().0.to_vec(),
                axis: vectors("axis")?,
                area: take(&group, "area", number)?,
                volume: take(&group, "volume", number)?,
            };
            frame.kind.truncate(cells);
            frame.centroid.truncate(cells);
            frame.image.truncate(cells);
            frame.axis.truncate(cells);
            frame.area.truncate(cells);
            frame.volume.truncate(cells);
            if frame.kind.iter().any(|&kind| kind as usize >= self.kinds.len()) {
                return Err("a cell is of no known population".into());
            }
            Ok(frame)
        };
        read().map_err(reading(&self.path))
    }
}

/// The rows of an element at a frame.
fn take<T: H5Type>(group: &Group, name: &str, frame: usize) -> hdf5::Result<Vec<T>> {
    let array = group.dataset(&format!("{name}/value"))?;
    if array.shape()[1] == 0 {
        return Ok(Vec::new());
    }
    let rows: ArrayD<T> = match array.ndim() {
        2 => array.read_slice((frame..frame + 1, ..))?,
        _ => array.read_slice((frame..frame + 1, .., ..))?,
    };
    Ok(rows.into_raw_vec_and_offset().0)
}
