//! The forces of a cell have the same bits wherever it is in memory and in the domain.

use hematite_engine::Precision;

use crate::lab::{Cell, Lab, shared_device};
use crate::shapes::{icosphere, membranes, perturbed, ring, viscous};

#[test]
fn neither_slot_nor_place_matters() {
    for surface in [ring(19, 3.5), ring(300, 55.0), icosphere(1).scaled(2.2), icosphere(3).scaled(8.0)] {
        let (_, mechanics) = membranes(surface.dimension).pop().expect("some");
        for precision in [Precision::F32, Precision::F64] {
            let cells: Vec<Cell> = (0..29).map(|seed| Cell::still(perturbed(&surface, 0.9, 0.1, seed), 0.9)).collect();
            let mut here = Lab::new(shared_device(), precision, &surface, &viscous(&mechanics), 29, 0);
            here.put(&cells);
            let mut there = Lab::new(shared_device(), precision, &surface, &viscous(&mechanics), 40, 17);
            let moved: Vec<Cell> =
                cells.iter().rev().map(|cell| Cell { offset: [100_003, -77, 1_234_567], ..cell.clone() }).collect();
            there.put(&moved);
            let (ours, mut theirs) = (here.answer(3), there.answer(3));
            theirs.reverse();
            assert_eq!(ours, theirs);
        }
    }
}
