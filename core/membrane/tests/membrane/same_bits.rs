//! The forces of a cell have the same bits wherever it is in memory and in the domain.

use hematite_engine::Precision;
use hematite_membrane::Which;

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

#[test]
fn cells_that_others_hold_too_may_come_later() {
    for surface in [ring(19, 3.5), icosphere(1).scaled(2.2), icosphere(3).scaled(8.0)] {
        let (_, mechanics) = membranes(surface.dimension).pop().expect("some");
        let cells: Vec<Cell> = (0..29).map(|seed| Cell::still(perturbed(&surface, 0.9, 0.1, seed), 0.9)).collect();
        let mut lab = Lab::new(shared_device(), Precision::F32, &surface, &viscous(&mechanics), 29, 3);
        lab.put(&cells);
        // The last workgroups have no cell that others hold.
        let elsewhere = |cell: usize| cell < 20 && cell % 7 < 3;
        let held = (0..29).map(|slot| (slot, elsewhere(slot as usize)));
        lab.membrane.tell_apart(&lab.gpu, &lab.range, held).expect("a device");
        let here = lab.answer_of(&[Which::HeldHere], 3);
        let both = lab.answer_of(&[Which::HeldElsewhere], 3);
        let all = lab.answer(3);
        assert_eq!(both, all);
        for (cell, (here, all)) in here.iter().zip(&all).enumerate() {
            let untouched = here.force.iter().flatten().all(|force| *force == 0.0);
            assert!(if elsewhere(cell) { untouched } else { here == all }, "cell {cell}");
        }
    }
}
