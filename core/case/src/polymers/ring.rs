//! Rings: loops on a turned square or cubic lattice that grow where there is room.
//!
//! A loop begins as a square. One of its bonds after the other, chosen at random, is pushed aside: two beads come in, and
//! all bonds keep their length. A ring with an odd number of beads gets the last one as the tip of a triangle.

use super::open::direction;
use super::plan::ChainPlan;
use super::room::{Name, Place, Room};
use crate::cells::Draws;

/// Bonds that are tried for each bead that is to come in.
const TRIES: usize = 60;

fn plus(a: Place, b: Place, factor: f64) -> Place {
    [0, 1, 2].map(|k| a[k] + factor * b[k])
}

fn cross(a: Place, b: Place) -> Place {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Place) -> Place {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / length)
}

/// Two directions at a right angle.
fn axes(draws: Draws, draw: u64, dimension: usize) -> [Place; 2] {
    let first = direction(draws, draw, dimension);
    if dimension == 2 {
        return [first, [-first[1], first[0], 0.0]];
    }
    let other = direction(draws, draw + 2, dimension);
    [first, unit(cross(first, other))]
}

/// A ring around `start`, put into `room`; `None` where there is no room.
pub(super) fn grow(
    room: &mut Room,
    (plan, kind, chain): (&ChainPlan, usize, usize),
    (start, draws, dimension): (Place, Draws, usize),
) -> Option<Vec<Place>> {
    let length = plan.config.beads as usize;
    let [u, w] = axes(draws, 16, dimension);
    let b = plan.bond;
    let mut beads = match length {
        3 => vec![start, plus(start, u, b), plus(plus(start, u, 0.5 * b), w, 0.75_f64.sqrt() * b)],
        _ => vec![start, plus(start, u, b), plus(plus(start, u, b), w, b), plus(start, w, b)],
    };
    let is_clear = |room: &Room, at: Place| room.is_off_walls(kind, at) && room.is_free(kind, at, |_| false);
    let ways = (0..beads.len()).all(|k| room.is_way(beads[k], beads[(k + 1) % beads.len()]));
    if !ways || !beads.iter().all(|&at| is_clear(room, at)) {
        return None;
    }
    // Beads of the loop get numbers as they come: their order along the loop changes.
    let mut next = 0;
    let mut named: Vec<(Name, Place)> = Vec::with_capacity(length);
    let mut put = |room: &mut Room, at: Place, named: &mut Vec<(Name, Place)>| {
        let name = Name { kind, chain, bead: next };
        next += 1;
        room.put(name, at);
        named.push((name, at));
    };
    beads.iter().for_each(|&at| put(room, at, &mut named));
    let mut draw = 32;
    for _ in 0..TRIES * length {
        if beads.len() + 1 >= length {
            break;
        }
        let (k, aside) = (draws.bits(draw) as usize % beads.len(), draws.unit(draw + 1));
        draw += 2;
        let (from, to) = (beads[k], beads[(k + 1) % beads.len()]);
        let along = unit([0, 1, 2].map(|a| to[a] - from[a]));
        let way = beside(along, [u, w], aside, dimension);
        let pushed = [plus(from, way, b), plus(to, way, b)];
        // The two beads are bonded to those that they come from, and to each other.
        let ends = [from, to];
        let clear = |at: Place, end: Place| {
            let bonded = |name: Name| named.iter().any(|&(other, there)| other == name && there == end);
            room.is_off_walls(kind, at) && room.is_way(end, at) && room.is_free(kind, at, bonded)
        };
        let apart =
            pushed.iter().all(|&at| beads.iter().all(|&other| ends.contains(&other) || is_apart(room, at, other, b)));
        if apart && room.is_way(pushed[0], pushed[1]) && clear(pushed[0], ends[0]) && clear(pushed[1], ends[1]) {
            for (n, &at) in pushed.iter().enumerate() {
                beads.insert(k + 1 + n, at);
                put(room, at, &mut named);
            }
        }
    }
    if beads.len() + 1 == length {
        let found = tip(room, (kind, chain), (b, plan.diameter), &beads, [u, w], (draws, draw, dimension));
        found.iter().for_each(|&(k, tip)| {
            beads.insert(k + 1, tip);
            put(room, tip, &mut named);
        });
    }
    if beads.len() == length {
        return Some(beads);
    }
    named.into_iter().for_each(|(name, at)| room.remove(name, at));
    None
}

/// Whether two places are not the same.
fn is_apart(room: &Room, at: Place, other: Place, b: f64) -> bool {
    room.apart(at, other).iter().map(|d| d * d).sum::<f64>() > 0.25 * b * b
}

/// A direction of the lattice at a right angle to the bond `along`, by a number from 0 to 1.
fn beside(along: Place, [u, w]: [Place; 2], which: f64, dimension: usize) -> Place {
    let mut found = vec![[-along[1], along[0], 0.0]];
    if dimension == 3 {
        let all = [u, w, cross(u, w)];
        let dot = |a: Place| a.iter().zip(along).map(|(x, y)| x * y).sum::<f64>().abs();
        found = all.into_iter().filter(|&axis| dot(axis) < 0.5).collect();
    }
    let k = (which * 2.0 * found.len() as f64) as usize;
    let way = found[(k / 2).min(found.len() - 1)];
    if k.is_multiple_of(2) { way } else { way.map(|x| -x) }
}

/// A bond and the tip of a triangle over it that is clear of all beads.
fn tip(
    room: &Room,
    (kind, chain): (usize, usize),
    (b, diameter): (f64, f64),
    beads: &[Place],
    axes: [Place; 2],
    (draws, first, dimension): (Draws, u64, usize),
) -> Option<(usize, Place)> {
    (0..TRIES as u64 * beads.len() as u64).find_map(|n| {
        let draw = first + 2 * n;
        let k = draws.bits(draw) as usize % beads.len();
        let (from, to) = (beads[k], beads[(k + 1) % beads.len()]);
        let along = unit([0, 1, 2].map(|a| to[a] - from[a]));
        let middle = [0, 1, 2].map(|a| 0.5 * (from[a] + to[a]));
        let at = plus(middle, beside(along, axes, draws.unit(draw + 1), dimension), 0.75_f64.sqrt() * b);
        let far = |other: &Place| {
            let squared: f64 = room.apart(at, *other).iter().map(|d| d * d).sum();
            squared > (0.999 * diameter.max(0.4 * b)).powi(2)
        };
        let own = |name: Name| name.kind == kind && name.chain == chain;
        let others = || beads.iter().filter(|&&other| other != from && other != to);
        let reaches = room.is_off_walls(kind, at) && room.is_way(from, at) && room.is_way(at, to);
        (reaches && others().all(far) && room.is_free(kind, at, own)).then_some((k, at))
    })
}
