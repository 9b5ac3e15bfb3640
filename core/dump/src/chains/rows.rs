//! Chains as rows of a file.
//!
//! ```text
//! /VTKHDF/Points, PointData/velocity      a row a bead
//!         Lines/Offsets, CellData/kind    a row a chain (Offsets one more), shared while chains stay
//!         Lines/Connectivity              a row a bead of each line, shared while chains stay
//!         CellData/id                     a row a chain
//! /hematite/polymers/{id,kind,image}      a row a chain
//!                    kind_name, kind_beads, kind_ring
//! ```

use std::path::Path;

use hdf5::{File, Group, H5Type};
use hematite_config::{Fault, Result};

use crate::h5::{self, reading};
use crate::polydata::{Array, CHUNK, Form, Kind, Layout, consecutive, each_run};
use crate::{ChainFrame, ChainKind, DumpStep};

const ARRAYS: [Array; 9] = [
    Array::vertex("VTKHDF/Points", f64::type_descriptor, "m"),
    Array::vertex("VTKHDF/PointData/velocity", f32::type_descriptor, "m/s"),
    Array::topology("VTKHDF/Lines/Offsets", i64::type_descriptor, |at| (at.topology, at.polygons + 1)),
    Array::topology("VTKHDF/Lines/Connectivity", i64::type_descriptor, |at| (at.corner, at.corners)),
    Array::topology("VTKHDF/CellData/kind", i32::type_descriptor, |at| (at.topology, at.polygons)),
    Array::scalar("VTKHDF/CellData/id", i64::type_descriptor, |at| (at.polygon, at.polygons)),
    Array::scalar("hematite/polymers/id", u64::type_descriptor, |at| (at.cell, at.cells)),
    Array::scalar("hematite/polymers/kind", u32::type_descriptor, |at| (at.cell, at.cells)),
    Array {
        columns: Some(3),
        ..Array::scalar("hematite/polymers/image", i32::type_descriptor, |at| (at.cell, at.cells))
    },
];

impl ChainKind {
    fn closes(&self) -> bool {
        self.ring && self.beads > 2
    }
}

impl Kind for ChainKind {
    type Frame = ChainFrame;

    const FORM: Form = Form {
        what: "polymers",
        member: "chain",
        own: "hematite/polymers",
        primitive: "Lines",
        arrays: &ARRAYS,
        kind_of_members: "hematite/polymers/kind",
        data: &[
            ("PointDataOffsets/velocity", |at| at.vertex),
            ("CellDataOffsets/id", |at| at.polygon),
            ("CellDataOffsets/kind", |at| at.topology),
        ],
    };

    fn name(&self) -> &str {
        &self.name
    }

    fn strange(kinds: &[Self], _: usize) -> Option<String> {
        let kind = kinds.iter().find(|kind| kind.beads == 0 || kind.beads > u32::MAX as usize)?;
        Some(format!("population {}: chains of {} beads", kind.name, kind.beads))
    }

    fn vertices(&self) -> usize {
        self.beads
    }

    fn polygons(&self) -> usize {
        1
    }

    fn corners(&self) -> usize {
        self.beads + usize::from(self.closes())
    }

    fn write_kinds(kinds: &[Self], own: &Group) -> hdf5::Result<()> {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
        h5::write_names(own, "kind_name", &names)?;
        let column = |name: &str, of: fn(&ChainKind) -> u64| {
            let numbers: Vec<u64> = kinds.iter().map(of).collect();
            own.new_dataset::<u64>().shape(numbers.len()).create(name)?.write(&numbers)
        };
        column("kind_beads", |kind| kind.beads as u64)?;
        column("kind_ring", |kind| u64::from(kind.ring))
    }

    fn read_kinds(own: &Group, path: &Path) -> Result<Vec<Self>> {
        let column = |name: &str| own.dataset(name)?.read_raw::<u64>();
        let names = h5::read_names(own, "kind_name").map_err(reading(path))?;
        let (beads, rings) = (column("kind_beads"), column("kind_ring"));
        let (beads, rings) = (beads.map_err(reading(path))?, rings.map_err(reading(path))?);
        if names.len() != beads.len() || names.len() != rings.len() {
            return Err(Fault::usage(format!("{}: its list of populations is damaged", path.display())));
        }
        let kind = |((name, beads), ring): ((String, u64), u64)| Self { name, beads: beads as usize, ring: ring > 0 };
        Ok(names.into_iter().zip(beads).zip(rings).map(kind).collect())
    }

    fn members(frame: &ChainFrame) -> (DumpStep, &[u64], &[u32]) {
        (DumpStep { step: frame.step, time: frame.time }, &frame.id, &frame.kind)
    }

    fn empty(step: DumpStep) -> ChainFrame {
        ChainFrame { step: step.step, time: step.time, ..ChainFrame::default() }
    }

    fn take(frame: &ChainFrame, kinds: &[Self], indices: &[usize]) -> ChainFrame {
        frame.take(kinds, indices)
    }

    fn check(frame: &ChainFrame, kinds: &[Self]) -> std::result::Result<(), String> {
        let chains = frame.id.len();
        if frame.kind.len() != chains || frame.image.len() != chains {
            return Err(format!("{chains} chains with {} kinds and {} images", frame.kind.len(), frame.image.len()));
        }
        if let Some(kind) = frame.kind.iter().find(|&&kind| kind as usize >= kinds.len()) {
            return Err(format!("a chain is of kind {kind}, there are {}", kinds.len()));
        }
        let beads: usize = frame.kind.iter().map(|&kind| kinds[kind as usize].beads).sum();
        let lengths = [frame.position.len(), frame.velocity.len()];
        if lengths != [beads; 2] {
            return Err(format!("{lengths:?} positions and velocities for {beads} beads"));
        }
        Ok(())
    }

    fn put(frame: &ChainFrame, kinds: &[Self], order: &[usize], file: &File, at: &Layout) -> hdf5::Result<()> {
        let beads = frame.beads(kinds);
        let rows = || order.iter().flat_map(|&chain| beads[chain].clone());
        let array = |name: &str| file.dataset(name);
        let place = (at.vertex, at.vertices);
        h5::put(&array("VTKHDF/Points")?, place, CHUNK, rows().flat_map(|row| frame.position[row]))?;
        h5::put(&array("VTKHDF/PointData/velocity")?, place, CHUNK, rows().flat_map(|row| frame.velocity[row]))?;
        let ids = order.iter().map(|&chain| frame.id[chain] as i64);
        h5::put(&array("VTKHDF/CellData/id")?, (at.polygon, at.polygons), CHUNK, ids)?;
        let place = (at.cell, at.cells);
        h5::put(&array("hematite/polymers/id")?, place, CHUNK, order.iter().map(|&chain| frame.id[chain]))?;
        h5::put(&array("hematite/polymers/kind")?, place, CHUNK, order.iter().map(|&chain| frame.kind[chain]))?;
        h5::put(&array("hematite/polymers/image")?, place, CHUNK, order.iter().flat_map(|&chain| frame.image[chain]))
    }

    fn put_topology(kinds: &[Self], chains: &[u32], file: &File, at: &Layout) -> hdf5::Result<()> {
        let kind = |chain: u32| &kinds[chain as usize];
        let repeated = chains.iter().map(|&chain| chain as i32);
        h5::put(&file.dataset("VTKHDF/CellData/kind")?, (at.topology, at.polygons), CHUNK, repeated)?;
        let ends = chains.iter().scan(0_i64, |end, &chain| {
            *end += kind(chain).corners() as i64;
            Some(*end)
        });
        let offsets = std::iter::once(0).chain(ends);
        h5::put(&file.dataset("VTKHDF/Lines/Offsets")?, (at.topology, at.polygons + 1), CHUNK, offsets)?;
        let firsts = chains.iter().scan(0_i64, |next, &chain| {
            let first = *next;
            *next += kind(chain).beads as i64;
            Some((kind(chain), first))
        });
        let corners = firsts.flat_map(|(kind, first)| {
            let back = if kind.closes() { Some(first) } else { None };
            (first..first + kind.beads as i64).chain(back)
        });
        h5::put(&file.dataset("VTKHDF/Lines/Connectivity")?, (at.corner, at.corners), CHUNK, corners)
    }

    fn get(
        file: &File,
        at: &Layout,
        kinds: &[Self],
        keep: &dyn Fn(u64) -> bool,
        frame: &mut ChainFrame,
    ) -> hdf5::Result<()> {
        let own = file.group(Self::FORM.own)?;
        let id = h5::read_rows::<u64>(&own.dataset("id")?, at.cell, at.cells)?;
        let kind = h5::read_rows::<u32>(&own.dataset("kind")?, at.cell, at.cells)?;
        let image = h5::read_rows::<i32>(&own.dataset("image")?, at.cell, at.cells)?;
        if kind.iter().any(|&kind| kind as usize >= kinds.len())
            || Layout::of_members(kinds, &kind).vertices != at.vertices
        {
            return Err("the kinds of its chains do not fit their beads".into());
        }
        let (points, velocity) = (file.dataset("VTKHDF/Points")?, file.dataset("VTKHDF/PointData/velocity")?);
        let beads = consecutive(kind.iter().map(|&kind| kinds[kind as usize].beads));
        each_run(beads.into_iter().zip(id.iter().map(|&id| keep(id))), |run| {
            let (start, rows) = (at.vertex + run.start, run.len());
            frame.position.extend(h5::read_rows::<f64>(&points, start, rows)?.as_chunks::<3>().0);
            frame.velocity.extend(h5::read_rows::<f32>(&velocity, start, rows)?.as_chunks::<3>().0);
            Ok(())
        })?;
        for (chain, image) in image.as_chunks::<3>().0.iter().enumerate().filter(|&(chain, _)| keep(id[chain])) {
            frame.id.push(id[chain]);
            frame.kind.push(kind[chain]);
            frame.image.push(*image);
        }
        Ok(())
    }
}
