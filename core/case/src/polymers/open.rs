//! Open chains: walks with bonds of one length and directions at random, as far as walls and other beads let them.

use super::plan::ChainPlan;
use super::room::{Name, Place, Room};
use crate::cells::Draws;

/// Directions tried for a bond before the walk steps back, and how often that is for each bead.
const TRIES: u64 = 100;
const STEPS_BACK: usize = 8;

/// A direction with all directions alike.
pub(super) fn direction(draws: Draws, draw: u64, dimension: usize) -> Place {
    let (height, turn) = (draws.sign(draw), std::f64::consts::TAU * draws.unit(draw + 1));
    if dimension == 2 {
        return [turn.cos(), turn.sin(), 0.0];
    }
    let radius = (1.0 - height * height).sqrt();
    [radius * turn.cos(), radius * turn.sin(), height]
}

/// A chain from `start`, put into `room`; `None` where there is no way.
pub(super) fn grow(
    room: &mut Room,
    (plan, kind, chain): (&ChainPlan, usize, usize),
    (start, draws, dimension): (Place, Draws, usize),
) -> Option<Vec<Place>> {
    let length = plan.config.beads as usize;
    let name = |bead: usize| Name { kind, chain, bead };
    let mut beads: Vec<Place> = Vec::with_capacity(length);
    let (mut draw, mut backs) = (16, 0);
    while beads.len() < length {
        let bead = beads.len();
        let bonded = |other: Name| other == name(bead.wrapping_sub(1));
        let place = match beads.last() {
            None => Some(start).filter(|&at| room.is_off_walls(kind, at) && room.is_free(kind, at, bonded)),
            Some(&last) => (0..TRIES).find_map(|_| {
                let way = direction(draws, draw, dimension);
                draw += 2;
                let at = [0, 1, 2].map(|a| last[a] + plan.bond * way[a]);
                let fits = room.is_off_walls(kind, at) && room.is_way(last, at) && room.is_free(kind, at, bonded);
                fits.then_some(at)
            }),
        };
        if let Some(at) = place {
            room.put(name(bead), at);
            beads.push(at);
            continue;
        }
        // Farther back the longer it takes.
        backs += 1;
        let back = (1 + backs / 4).min(beads.len());
        let gives_up = beads.is_empty() || backs > STEPS_BACK * length;
        for bead in if gives_up { 0..beads.len() } else { beads.len() - back..beads.len() } {
            room.remove(name(bead), beads[bead]);
        }
        if gives_up {
            return None;
        }
        beads.truncate(beads.len() - back);
    }
    Some(beads)
}
