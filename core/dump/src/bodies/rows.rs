//! Rigid bodies as rows of a file.
//!
//! ```text
//! /VTKHDF/Points                                                     a row a body: its centre
//!         PointData/{id,kind,orientation,axes,velocity,..}           a row a body
//!         Vertices/{Offsets,Connectivity}                            a vertex cell a body, shared while bodies stay
//! /hematite/bodies/image                                             a row a body
//!                  kind_name, kind_axes                              a row a population
//! ```

use std::path::Path;

use hdf5::{File, Group, H5Type};
use hematite_config::{Fault, Result};

use crate::h5::{self, reading};
use crate::polydata::{Array, CHUNK, Data, Form, Kind, Layout};
use crate::{BodyFrame, BodyKind, DumpStep};

const ID: &str = "VTKHDF/PointData/id";
const KIND: &str = "VTKHDF/PointData/kind";
const ORIENTATION: &str = "VTKHDF/PointData/orientation";
const AXES: &str = "VTKHDF/PointData/axes";
const VELOCITY: &str = "VTKHDF/PointData/velocity";
const ANGULAR_VELOCITY: &str = "VTKHDF/PointData/angular_velocity";
const FORCE: &str = "VTKHDF/PointData/force";
const TORQUE: &str = "VTKHDF/PointData/torque";
const IMAGE: &str = "hematite/bodies/image";

const ARRAYS: [Array; 12] = [
    Array::vertex("VTKHDF/Points", f64::type_descriptor, "m"),
    Array::scalar(ID, u64::type_descriptor, |at| (at.vertex, at.vertices)),
    Array::scalar(KIND, u32::type_descriptor, |at| (at.vertex, at.vertices)),
    Array { columns: Some(4), ..Array::scalar(ORIENTATION, f32::type_descriptor, |at| (at.vertex, at.vertices)) },
    Array::vertex(AXES, f32::type_descriptor, "m"),
    Array::vertex(VELOCITY, f32::type_descriptor, "m/s"),
    Array::vertex(ANGULAR_VELOCITY, f32::type_descriptor, "rad/s"),
    Array::vertex(FORCE, f32::type_descriptor, "N"),
    Array::vertex(TORQUE, f32::type_descriptor, "N m"),
    Array::topology("VTKHDF/Vertices/Offsets", i64::type_descriptor, |at| (at.topology, at.polygons + 1)),
    Array::topology("VTKHDF/Vertices/Connectivity", i64::type_descriptor, |at| (at.corner, at.corners)),
    Array { columns: Some(3), ..Array::scalar(IMAGE, i32::type_descriptor, |at| (at.cell, at.cells)) },
];

const DATA: [Data; 8] = [
    ("PointDataOffsets/id", |at| at.vertex),
    ("PointDataOffsets/kind", |at| at.vertex),
    ("PointDataOffsets/orientation", |at| at.vertex),
    ("PointDataOffsets/axes", |at| at.vertex),
    ("PointDataOffsets/velocity", |at| at.vertex),
    ("PointDataOffsets/angular_velocity", |at| at.vertex),
    ("PointDataOffsets/force", |at| at.vertex),
    ("PointDataOffsets/torque", |at| at.vertex),
];

impl Kind for BodyKind {
    type Frame = BodyFrame;

    const FORM: Form = Form {
        what: "bodies",
        member: "body",
        own: "hematite/bodies",
        primitive: "Vertices",
        arrays: &ARRAYS,
        kind_of_members: KIND,
        data: &DATA,
    };

    fn name(&self) -> &str {
        &self.name
    }

    fn strange(kinds: &[Self], dimension: usize) -> Option<String> {
        if dimension != 3 {
            return Some(format!("dimension {dimension}; rigid bodies are for 3-D"));
        }
        let odd = |kind: &&BodyKind| {
            !(kind.semi_axes == [0.0; 3] || kind.semi_axes.iter().all(|&axis| axis > 0.0 && axis.is_finite()))
        };
        if let Some(BodyKind { name, semi_axes }) = kinds.iter().find(odd) {
            return Some(format!("population {name}: {semi_axes:?} are no semi-axes"));
        }
        let rigid = kinds.iter().any(|kind| kind.semi_axes != [0.0; 3]);
        (!rigid).then(|| "no rigid population".to_owned())
    }

    fn vertices(&self) -> usize {
        1
    }

    fn polygons(&self) -> usize {
        1
    }

    fn corners(&self) -> usize {
        1
    }

    fn write_kinds(kinds: &[Self], own: &Group) -> hdf5::Result<()> {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
        h5::write_names(own, "kind_name", &names)?;
        let axes: Vec<[f64; 3]> = kinds.iter().map(|kind| kind.semi_axes).collect();
        h5::write_rows(&h5::fixed::<f64>(own, "kind_axes", axes.len(), Some(3))?, 0, axes.as_flattened())
    }

    fn read_kinds(own: &Group, path: &Path) -> Result<Vec<Self>> {
        let names = h5::read_names(own, "kind_name").map_err(reading(path))?;
        let axes = own.dataset("kind_axes").map_err(reading(path))?;
        if axes.shape() != [names.len(), 3] {
            return Err(Fault::usage(format!("{}: its list of populations is damaged", path.display())));
        }
        let flat = h5::read_rows::<f64>(&axes, 0, names.len()).map_err(reading(path))?;
        let axes = flat.as_chunks::<3>().0;
        Ok(names.into_iter().zip(axes).map(|(name, &semi_axes)| Self { name, semi_axes }).collect())
    }

    fn members(frame: &BodyFrame) -> (DumpStep, &[u64], &[u32]) {
        (DumpStep { step: frame.step, time: frame.time }, &frame.id, &frame.kind)
    }

    fn empty(step: DumpStep) -> BodyFrame {
        BodyFrame { step: step.step, time: step.time, ..BodyFrame::default() }
    }

    fn take(frame: &BodyFrame, _: &[Self], indices: &[usize]) -> BodyFrame {
        frame.take(indices)
    }

    fn check(frame: &BodyFrame, kinds: &[Self]) -> std::result::Result<(), String> {
        let bodies = frame.id.len();
        let lengths = [
            ("kinds", frame.kind.len()),
            ("images", frame.image.len()),
            ("positions", frame.position.len()),
            ("orientations", frame.orientation.len()),
            ("velocities", frame.velocity.len()),
            ("angular velocities", frame.angular_velocity.len()),
            ("forces", frame.force.len()),
            ("torques", frame.torque.len()),
        ];
        if let Some((name, length)) = lengths.into_iter().find(|(_, length)| *length != bodies) {
            return Err(format!("{bodies} bodies with {length} {name}"));
        }
        let rigid = |kind: u32| kinds.get(kind as usize).is_some_and(|kind| kind.semi_axes != [0.0; 3]);
        match frame.kind.iter().find(|&&kind| !rigid(kind)) {
            Some(kind) => {
                Err(format!("a body is of kind {kind}, which is no rigid one of the {} there are", kinds.len()))
            }
            None => Ok(()),
        }
    }

    fn put(frame: &BodyFrame, kinds: &[Self], order: &[usize], file: &File, at: &Layout) -> hdf5::Result<()> {
        let place = (at.vertex, at.vertices);
        let array = |name: &str| file.dataset(name);
        let vectors =
            |name: &str, of: &[[f32; 3]]| h5::put(&array(name)?, place, CHUNK, order.iter().flat_map(|&body| of[body]));
        h5::put(&array("VTKHDF/Points")?, place, CHUNK, order.iter().flat_map(|&body| frame.position[body]))?;
        h5::put(&array(ID)?, place, CHUNK, order.iter().map(|&body| frame.id[body]))?;
        h5::put(&array(KIND)?, place, CHUNK, order.iter().map(|&body| frame.kind[body]))?;
        h5::put(&array(ORIENTATION)?, place, CHUNK, order.iter().flat_map(|&body| frame.orientation[body]))?;
        let axes = |body: usize| kinds[frame.kind[body] as usize].semi_axes.map(|axis| axis as f32);
        h5::put(&array(AXES)?, place, CHUNK, order.iter().flat_map(|&body| axes(body)))?;
        vectors(VELOCITY, &frame.velocity)?;
        vectors(ANGULAR_VELOCITY, &frame.angular_velocity)?;
        vectors(FORCE, &frame.force)?;
        vectors(TORQUE, &frame.torque)?;
        h5::put(&array(IMAGE)?, (at.cell, at.cells), CHUNK, order.iter().flat_map(|&body| frame.image[body]))
    }

    fn put_topology(_: &[Self], _: &[u32], file: &File, at: &Layout) -> hdf5::Result<()> {
        let array = |name: &str| file.dataset(&format!("VTKHDF/Vertices/{name}"));
        h5::put(&array("Offsets")?, (at.topology, at.polygons + 1), CHUNK, 0..=at.polygons as i64)?;
        h5::put(&array("Connectivity")?, (at.corner, at.corners), CHUNK, 0..at.corners as i64)
    }

    fn get(
        file: &File,
        at: &Layout,
        kinds: &[Self],
        keep: &dyn Fn(u64) -> bool,
        frame: &mut BodyFrame,
    ) -> hdf5::Result<()> {
        let id = h5::read_rows::<u64>(&file.dataset(ID)?, at.vertex, at.vertices)?;
        let wanted: Vec<usize> = (0..id.len()).filter(|&row| keep(id[row])).collect();
        let vectors = |name: &str| -> hdf5::Result<Vec<[f32; 3]>> {
            let flat = h5::read_rows::<f32>(&file.dataset(name)?, at.vertex, at.vertices)?;
            Ok(wanted.iter().map(|&row| flat.as_chunks::<3>().0[row]).collect())
        };
        let kind = h5::read_rows::<u32>(&file.dataset(KIND)?, at.vertex, at.vertices)?;
        if at.cells != at.vertices || kind.iter().any(|&kind| kind as usize >= kinds.len()) {
            return Err("its bodies do not fit its populations".into());
        }
        let position = h5::read_rows::<f64>(&file.dataset("VTKHDF/Points")?, at.vertex, at.vertices)?;
        let orientation = h5::read_rows::<f32>(&file.dataset(ORIENTATION)?, at.vertex, at.vertices)?;
        let image = h5::read_rows::<i32>(&file.dataset(IMAGE)?, at.cell, at.cells)?;
        frame.id.extend(wanted.iter().map(|&row| id[row]));
        frame.kind.extend(wanted.iter().map(|&row| kind[row]));
        frame.image.extend(wanted.iter().map(|&row| image.as_chunks::<3>().0[row]));
        frame.position.extend(wanted.iter().map(|&row| position.as_chunks::<3>().0[row]));
        frame.orientation.extend(wanted.iter().map(|&row| orientation.as_chunks::<4>().0[row]));
        frame.velocity.extend(vectors(VELOCITY)?);
        frame.angular_velocity.extend(vectors(ANGULAR_VELOCITY)?);
        frame.force.extend(vectors(FORCE)?);
        frame.torque.extend(vectors(TORQUE)?);
        Ok(())
    }
}
