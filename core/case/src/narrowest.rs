//! The narrowest place that the fluid has to pass on its widest way between openings.
//!
//! The width at a node is twice its distance from the wall, half-way between node and wall site. Of all ways from one opening
//! to another the widest is the one whose narrowest node is widest; that width is what a coarser lattice loses first. Ragged
//! walls and blind pockets do not count, nor do narrow vessels beside a wider way. In a periodic domain without openings the
//! widest way through a period is taken, in a pore space its critical diameter.
//!
//! Distances are exact up to [`REACH`] spacings: along x, y and z one after the other, by straight links, so that neither
//! memory nor time follow the bounding box.

use hematite_geometry::{Narrowest, OpeningKind};
use rayon::prelude::*;

use crate::{GlobalLink, Lattice};

/// Distances are known up to here, lattice spacings.
const REACH: u8 = 15;
/// The square of the reach: what is as far or farther.
const FAR: u8 = REACH * REACH;

/// Finds the narrowest place; none where nothing can pass: without openings and periodic directions, or with only one
/// opening in each piece of the fluid.
pub fn narrowest(lattice: &Lattice) -> Option<Narrowest> {
    let is_open: Vec<bool> = lattice.openings.iter().map(|opening| opening.kind != OpeningKind::Wall).collect();
    let squares = squares(lattice, &is_open);
    let mut flood = Flood::new(lattice, &squares);
    let found = if is_open.contains(&true) {
        between_openings(lattice, &is_open, &mut flood)
    } else if lattice.periodic.contains(&true) {
        let widest = (0..lattice.nodes()).max_by_key(|&n| (squares[n], std::cmp::Reverse(n)))?;
        flood.start([widest as u32].into_iter());
        flood.run(|_| false).then_some(flood.narrowest).map(|place| (place, "through a period".to_owned()))
    } else {
        None
    };
    let (node, between) = found?;
    let at = lattice.position[node as usize];
    Some(Narrowest {
        spacings: 2.0 * f64::from(squares[node as usize]).sqrt() - 1.0,
        place: [0, 1, 2].map(|k| lattice.origin[k] + (f64::from(at[k]) + 0.5) * lattice.spacing),
        is_wider: squares[node as usize] == FAR,
        between,
    })
}

/// The narrowest of the places between openings, each with the nearest others by width.
fn between_openings(lattice: &Lattice, is_open: &[bool], flood: &mut Flood) -> Option<(u32, String)> {
    let mut at_node: Vec<(u32, usize)> = (0..is_open.len())
        .filter(|&k| is_open[k])
        .flat_map(|k| lattice.openings[k].nodes.iter().map(move |site| (site.node.0 as u32, k)))
        .collect();
    at_node.sort_unstable();
    let mut order: Vec<usize> = (0..is_open.len()).filter(|&k| is_open[k]).collect();
    order.sort_by(|&a, &b| lattice.openings[b].area.total_cmp(&lattice.openings[a].area).then(a.cmp(&b)));
    let mut is_reached = vec![false; is_open.len()];
    let mut found: Option<(u32, String)> = None;
    for first in order {
        if is_reached[first] {
            continue;
        }
        is_reached[first] = true;
        flood.start(lattice.openings[first].nodes.iter().map(|site| site.node.0 as u32));
        let mut narrower: Option<(u32, usize)> = None;
        let mut left = (0..is_open.len()).filter(|&k| is_open[k] && !is_reached[k]).count();
        while left > 0 {
            let mut met = None;
            let meets = |node: u32| {
                let from = at_node.partition_point(|&(n, _)| n < node);
                let here = at_node[from..].iter().take_while(|&&(n, _)| n == node);
                met = here.map(|&(_, k)| k).find(|&k| !is_reached[k]);
                met.is_some()
            };
            if !flood.run(meets) {
                break;
            }
            let Some(k) = met else { break };
            (is_reached[k], left) = (true, left - 1);
            if narrower.is_none_or(|(place, _)| flood.squares[flood.narrowest as usize] < flood.squares[place as usize])
            {
                narrower = Some((flood.narrowest, k));
            }
        }
        if let Some((place, k)) = narrower
            && found.as_ref().is_none_or(|(best, _)| flood.squares[place as usize] < flood.squares[*best as usize])
        {
            let name = |k: usize| &lattice.openings[k].name;
            found = Some((place, format!("from opening \"{}\" to \"{}\"", name(first), name(k))));
        }
    }
    found
}

/// The squared distance of each node to the nearest wall site, at most [`FAR`]; openings that fluid passes are no wall.
fn squares(lattice: &Lattice, is_open: &[bool]) -> Vec<u8> {
    let mut near = vec![FAR; lattice.nodes()];
    for axis in 0..lattice.set.dimension() {
        let sides = [1.0, -1.0].map(|sign| {
            let normal = std::array::from_fn(|k| if k == axis { sign } else { 0.0 });
            &lattice.links[lattice.set.straight(normal) - 1]
        });
        near = (0..lattice.nodes()).into_par_iter().map(|n| along(&near, sides, is_open, n)).collect();
    }
    near
}

/// The least of `near` at the nodes on the line through node `n` and the squares of how far they are along it; walls are 0.
fn along(near: &[u8], sides: [&Vec<GlobalLink>; 2], is_open: &[bool], n: usize) -> u8 {
    let mut best = near[n];
    for links in sides {
        let mut at = n;
        for step in 1..=REACH {
            let square = step * step;
            if square >= best {
                break;
            }
            let link = links[at];
            let Some(next) = link.node() else {
                // Beyond a wall nothing is nearer; what is beyond an opening is not known.
                if link.opening().is_none_or(|k| !is_open[k]) {
                    best = square;
                }
                break;
            };
            at = next as usize;
            best = best.min(near[at].saturating_add(square));
        }
    }
    best
}

/// A flood that always goes on where it is widest.
struct Flood<'a> {
    lattice: &'a Lattice,
    squares: &'a [u8],
    directions: Vec<usize>,
    /// Nodes to go on from, by their squared distance.
    waiting: Vec<Vec<u32>>,
    /// No node waits above this.
    top: usize,
    seen: Vec<bool>,
    /// How often each node's way has gone round each period, in periodic domains.
    rounds: Vec<[i8; 3]>,
    /// The narrowest node so far.
    narrowest: u32,
}

impl<'a> Flood<'a> {
    fn new(lattice: &'a Lattice, squares: &'a [u8]) -> Self {
        let nodes = lattice.nodes();
        let rounds = if lattice.periodic.contains(&true) { vec![[0; 3]; nodes] } else { Vec::new() };
        let directions = (1..=2 * lattice.set.dimension()).collect();
        let waiting = vec![Vec::new(); usize::from(FAR) + 1];
        Self { lattice, squares, directions, waiting, top: 0, seen: vec![false; nodes], rounds, narrowest: u32::MAX }
    }

    /// Begins anew with some nodes.
    fn start(&mut self, nodes: impl Iterator<Item = u32>) {
        self.waiting.iter_mut().for_each(Vec::clear);
        (self.top, self.narrowest) = (0, u32::MAX);
        nodes.for_each(|node| self.wait(node));
    }

    fn wait(&mut self, node: u32) {
        if !std::mem::replace(&mut self.seen[node as usize], true) {
            let width = usize::from(self.squares[node as usize]);
            self.waiting[width].push(node);
            self.top = self.top.max(width);
        }
    }

    /// Goes on until a node `meets` what is sought, or, in a periodic domain without openings, the way has gone round; tells whether
    /// that happened.
    fn run(&mut self, mut meets: impl FnMut(u32) -> bool) -> bool {
        let goes_round = self.lattice.openings.is_empty() && !self.rounds.is_empty();
        let velocities = self.lattice.set.velocities();
        loop {
            let Some(node) = self.waiting[self.top].pop() else {
                if self.top == 0 {
                    return false;
                }
                self.top -= 1;
                continue;
            };
            let (here, width) = (node as usize, self.squares[node as usize]);
            if self.narrowest == u32::MAX || width < self.squares[self.narrowest as usize] {
                self.narrowest = node;
            }
            let mut is_round = false;
            for i in 0..self.directions.len() {
                let direction = self.directions[i];
                let Some(next) = self.lattice.links[direction - 1][here].node() else { continue };
                if !self.rounds.is_empty() {
                    let rounds = self.rounds_at(here, next as usize, velocities[direction]);
                    match self.seen[next as usize] {
                        // A node that only waits is no narrower than this one, or comes later.
                        true => {
                            let is_wide = self.squares[next as usize] >= self.squares[self.narrowest as usize];
                            is_round |= is_wide && rounds != self.rounds[next as usize];
                        }
                        false => self.rounds[next as usize] = rounds,
                    }
                }
                self.wait(next);
            }
            if meets(node) || (goes_round && is_round) {
                return true;
            }
        }
    }

    /// How often the way has gone round with a step from one node to another along `c`.
    fn rounds_at(&self, from: usize, to: usize, c: [i32; 3]) -> [i8; 3] {
        let [a, b] = [from, to].map(|n| self.lattice.position[n]);
        std::array::from_fn(|k| {
            let crossed = (a[k] + c[k] - b[k]).signum() as i8;
            self.rounds[from][k].saturating_add(crossed)
        })
    }
}

#[cfg(test)]
mod tests {
    use hematite_geometry::{Domain, Site};

    use super::*;
    use crate::fixture;

    fn of(domain: &Domain) -> Option<Narrowest> {
        narrowest(&Lattice::build(domain).expect("builds"))
    }

    #[test]
    fn a_throat_in_a_channel_is_found() {
        for (height, low, high) in [(20, 8, 13), (21, 3, 21), (9, 1, 10)] {
            let mut domain = fixture::channel(60, height);
            for x in 30..34 {
                for y in (1..height + 1).filter(|y| !(low..high).contains(y)) {
                    fixture::set(&mut domain, [x, y, 0], Site::WALL);
                }
            }
            let found = of(&domain).expect("two openings");
            let width = (high - low) as f64;
            assert!((width - 1.0..=width).contains(&found.spacings), "{height}: {found:?}");
            if high - low < height {
                assert!((29.5..34.6).contains(&(found.place[0] / domain.spacing)), "{found:?}");
            }
            assert!(found.between.contains("opening") && !found.is_wider);
        }
        assert!(of(&fixture::channel(10, 200)).expect("wide").is_wider);
    }

    #[test]
    fn pipes_have_their_diameter_and_pockets_do_not_count() {
        let inside = |x: usize, y: usize| (x as f64 - 12.0).hypot(y as f64 - 12.0) < 8.0;
        let mut domain = fixture::pipe(24, 30, inside);
        // Its other end opens, too.
        let [nx, ny, nz] = domain.extent;
        for (x, y) in (0..nx).flat_map(|x| (0..ny).map(move |y| (x, y))) {
            if domain.sites[domain.index([x, y, nz - 2])] == Site::FLUID {
                fixture::set(&mut domain, [x, y, nz - 1], Site::opening(1));
            }
        }
        domain.openings = vec![fixture::opening("in", None), fixture::opening("out", None)];
        let found = of(&domain).expect("two openings");
        assert!((15.0..=16.5).contains(&found.spacings), "{found:?}");
        // A blind pocket of one site.
        fixture::set(&mut domain, [12, 21, 15], Site::FLUID);
        assert_eq!(of(&domain).map(|found| found.spacings), Some(found.spacings));
    }

    #[test]
    fn distances_are_those_of_a_search_over_all_wall_sites() {
        for seed in 0..12 {
            let domain = fixture::random(seed);
            let lattice = Lattice::build(&domain).expect("builds");
            let closed = vec![false; lattice.openings.len()];
            let found = squares(&lattice, &closed);
            let n = domain.extent.map(|n| n as i64);
            let wall: Vec<[i64; 3]> = (0..domain.sites.len() as i64)
                .filter(|&i| domain.sites[i as usize] != Site::FLUID)
                .map(|i| [i % n[0], i / n[0] % n[1], i / (n[0] * n[1])])
                .collect();
            for (at, &found) in lattice.position.iter().zip(&found) {
                let square = |to: &[i64; 3]| -> i64 {
                    (0..3)
                        .map(|k| {
                            let d = (i64::from(at[k]) - to[k]).abs();
                            if domain.periodic[k] { d.min(n[k] - d) } else { d }.pow(2)
                        })
                        .sum()
                };
                let nearest = wall.iter().map(square).min().unwrap_or(i64::from(FAR)).min(i64::from(FAR));
                assert_eq!(i64::from(found), nearest, "seed {seed}, {at:?}");
            }
        }
    }

    #[test]
    fn a_period_is_passed_where_it_is_widest() {
        // Two layers along x, 5 and 9 wide, with a throat of 3 in the wider one; both go round.
        let mut domain = fixture::solid(2, [40, 24, 1], [true, false, false]);
        for x in 0..40 {
            for y in (2..7).chain(10..19) {
                let is_throat = (20..22).contains(&x) && (10..19).contains(&y) && !(13..16).contains(&y);
                fixture::set(&mut domain, [x, y, 0], if is_throat { Site::WALL } else { Site::FLUID });
            }
        }
        let through = |domain: &Domain| of(domain).map(|found| found.spacings);
        assert_eq!(through(&domain), Some(3.0), "the way begins where it is widest");
        // Open to each other, the way takes the layer of 5.
        (6..11).for_each(|y| fixture::set(&mut domain, [4, y, 0], Site::FLUID));
        (5..9).for_each(|x| (6..11).for_each(|y| fixture::set(&mut domain, [x, y, 0], Site::FLUID)));
        assert_eq!(through(&domain), Some(5.0));
        // Closed, nothing passes.
        domain.periodic = [false; 3];
        (0..24).for_each(|y| [0, 39].into_iter().for_each(|x| fixture::set(&mut domain, [x, y, 0], Site::WALL)));
        assert_eq!(through(&domain), None);
    }
}
