//! The narrowest place that the fluid has to pass on its widest way between openings.
//!
//! Of all ways from one opening to another the widest is the one whose narrowest node is farthest from the wall; its width is
//! what a coarser lattice loses first. Ragged walls and blind pockets do not count, nor do narrow vessels beside a wider way.
//! In a periodic domain without openings the widest way through a period is taken, in a pore space its critical diameter.
//! The width there is that of the chord through the node from its nearest wall site to the wall opposite, both walls half-way
//! between node and wall site.
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
        flood.run(|_| false).map(|ends| (flood.narrowest_between(ends), "through a period".to_owned()))
    } else {
        None
    };
    let ((square, nodes), between) = found?;
    let walls = Walls::new(lattice, &is_open, square);
    let widths = nodes.iter().map(|&node| (walls.chord(node as usize), node));
    let (width, node) = widths.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let at = lattice.position[node as usize];
    let axes = 0..lattice.set.dimension();
    // Where all directions wrap and no wall is near, the shortest period limits.
    let widest = match square == FAR && axes.clone().all(|a| lattice.periodic[a]) {
        true => axes.map(|a| lattice.extent[a]).min().map_or(f64::INFINITY, |sites| sites as f64),
        false => f64::INFINITY,
    };
    Some(Narrowest {
        spacings: width.min(widest),
        place: [0, 1, 2].map(|k| lattice.origin[k] + (f64::from(at[k]) + 0.5) * lattice.spacing),
        is_wider: square == FAR,
        between,
    })
}

/// The narrowest of the places between openings, each with the nearest others by width.
fn between_openings(lattice: &Lattice, is_open: &[bool], flood: &mut Flood) -> Option<((u8, Vec<u32>), String)> {
    let mut at_node: Vec<(u32, usize)> = (0..is_open.len())
        .filter(|&k| is_open[k])
        .flat_map(|k| lattice.openings[k].nodes.iter().map(move |site| (site.node.0 as u32, k)))
        .collect();
    at_node.sort_unstable();
    let mut order: Vec<usize> = (0..is_open.len()).filter(|&k| is_open[k]).collect();
    order.sort_by(|&a, &b| lattice.openings[b].area.total_cmp(&lattice.openings[a].area).then(a.cmp(&b)));
    let mut is_reached = vec![false; is_open.len()];
    let mut found: Option<((u8, Vec<u32>), String)> = None;
    for first in order {
        if is_reached[first] {
            continue;
        }
        is_reached[first] = true;
        flood.start(lattice.openings[first].nodes.iter().map(|site| site.node.0 as u32));
        let mut narrower: Option<((u8, Vec<u32>), usize)> = None;
        let mut left = (0..is_open.len()).filter(|&k| is_open[k] && !is_reached[k]).count();
        while left > 0 {
            let mut met = None;
            let meets = |node: u32| {
                let from = at_node.partition_point(|&(n, _)| n < node);
                let here = at_node[from..].iter().take_while(|&&(n, _)| n == node);
                met = here.map(|&(_, k)| k).find(|&k| !is_reached[k]);
                met.is_some()
            };
            let Some(ends) = flood.run(meets) else { break };
            let Some(k) = met else { break };
            (is_reached[k], left) = (true, left - 1);
            let here = flood.narrowest_between(ends);
            if narrower.as_ref().is_none_or(|((least, _), _)| here.0 < *least) {
                narrower = Some((here, k));
            }
        }
        if let Some((place, k)) = narrower
            && found.as_ref().is_none_or(|((least, _), _)| place.0 < *least)
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

/// Measures widths at nodes whose nearest wall sites are equally far.
struct Walls<'a> {
    lattice: &'a Lattice,
    is_open: &'a [bool],
    square: u8,
    /// Where the nearest wall sites may be.
    offsets: Vec<[i32; 3]>,
}

impl<'a> Walls<'a> {
    /// For nodes whose squared distance from the wall is `square`.
    fn new(lattice: &'a Lattice, is_open: &'a [bool], square: u8) -> Self {
        let reach = i32::from(REACH);
        let along = |axis: usize| if axis < lattice.set.dimension() { -reach..=reach } else { 0..=0 };
        let all = along(0).flat_map(|x| along(1).flat_map(move |y| along(2).map(move |z| [x, y, z])));
        let offsets = all.filter(|v| v.iter().map(|c| c * c).sum::<i32>() == i32::from(square)).collect();
        Self { lattice, is_open, square, offsets }
    }

    /// The width of the fluid at node `n`, lattice spacings: along the line to the nearest wall site and on beyond the node
    /// to the wall opposite. Of several nearest wall sites that one counts whose line is shortest.
    fn chord(&self, n: usize) -> f64 {
        let nearest = f64::from(self.square).sqrt();
        if self.square == FAR {
            return 2.0 * nearest - 1.0;
        }
        let walls = self.offsets.iter().filter(|v| self.is_wall(site_at(self.lattice, n, **v)));
        let chords = walls.filter_map(|&v| self.opposite(n, v)).map(|far| nearest + far.max(nearest) - 1.0);
        chords.fold(2.0 * nearest, f64::min)
    }

    fn is_wall(&self, site: Beyond) -> bool {
        matches!(site, Beyond::Link(link) if link.opening().is_none_or(|k| !self.is_open[k]))
    }

    /// Distance of the wall opposite to offset `v` from node `n`, where there is one near; in steps along the line's longest axis.
    fn opposite(&self, n: usize, v: [i32; 3]) -> Option<f64> {
        let longest = v.iter().map(|c| c.abs()).max().unwrap_or(1);
        let beyond = |k: i32| v.map(|c| (-f64::from(c * k) / f64::from(longest)).round() as i32);
        let mut steps = 1..=2 * i32::from(REACH);
        let step = steps.find(|&k| matches!(site_at(self.lattice, n, beyond(k)), Beyond::Link(_)))?;
        Some(f64::from(step) * f64::from(self.square).sqrt() / f64::from(longest))
    }
}

/// What is at an offset from a node.
enum Beyond {
    Node,
    /// The way there leaves the fluid by this link.
    Link(GlobalLink),
}

/// What is at `offset` from node `n`, going along the axes in turn, a step along that which lags most.
fn site_at(lattice: &Lattice, n: usize, offset: [i32; 3]) -> Beyond {
    let longest = offset.iter().map(|c| c.abs()).max().unwrap_or(0);
    let (mut at, mut gone) = (n, [0; 3]);
    for step in 1..=longest {
        for axis in 0..3 {
            let due = (f64::from(offset[axis] * step) / f64::from(longest)).round() as i32;
            while gone[axis] != due {
                let way = (due - gone[axis]).signum();
                let normal = std::array::from_fn(|k| if k == axis { f64::from(way) } else { 0.0 });
                let link = lattice.links[lattice.set.straight(normal) - 1][at];
                let Some(next) = link.node() else { return Beyond::Link(link) };
                (at, gone[axis]) = (next as usize, gone[axis] + way);
            }
        }
    }
    Beyond::Node
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
    /// The node before each on its way; itself where the way begins.
    before: Vec<u32>,
    /// How often each node's way has gone round each period, in periodic domains.
    rounds: Vec<[i8; 3]>,
    /// The squared distance of the narrowest node so far.
    narrowest: u8,
}

impl<'a> Flood<'a> {
    fn new(lattice: &'a Lattice, squares: &'a [u8]) -> Self {
        let nodes = lattice.nodes();
        let rounds = if lattice.periodic.contains(&true) { vec![[0; 3]; nodes] } else { Vec::new() };
        let directions = (1..=2 * lattice.set.dimension()).collect();
        let waiting = vec![Vec::new(); usize::from(FAR) + 1];
        let (seen, before) = (vec![false; nodes], vec![0; nodes]);
        Self { lattice, squares, directions, waiting, top: 0, seen, before, rounds, narrowest: FAR }
    }

    /// Begins anew with some nodes.
    fn start(&mut self, nodes: impl Iterator<Item = u32>) {
        self.waiting.iter_mut().for_each(Vec::clear);
        (self.top, self.narrowest) = (0, FAR);
        nodes.for_each(|node| self.wait(node, node));
    }

    fn wait(&mut self, node: u32, before: u32) {
        if !std::mem::replace(&mut self.seen[node as usize], true) {
            self.before[node as usize] = before;
            let width = usize::from(self.squares[node as usize]);
            self.waiting[width].push(node);
            self.top = self.top.max(width);
        }
    }

    /// Goes on until a node `meets` what is sought, or, in a periodic domain without openings, the way has gone round; the
    /// nodes where the way ends, where that happened: one, or two side by side whose ways make the round.
    fn run(&mut self, mut meets: impl FnMut(u32) -> bool) -> Option<[u32; 2]> {
        let goes_round = self.lattice.openings.is_empty() && !self.rounds.is_empty();
        let velocities = self.lattice.set.velocities();
        loop {
            let Some(node) = self.waiting[self.top].pop() else {
                if self.top == 0 {
                    return None;
                }
                self.top -= 1;
                continue;
            };
            let here = node as usize;
            self.narrowest = self.narrowest.min(self.squares[here]);
            let mut round = None;
            for i in 0..self.directions.len() {
                let direction = self.directions[i];
                let Some(next) = self.lattice.links[direction - 1][here].node() else { continue };
                if !self.rounds.is_empty() {
                    let rounds = self.rounds_at(here, next as usize, velocities[direction]);
                    match self.seen[next as usize] {
                        // A node that only waits is no narrower than this one, or comes later.
                        true => {
                            let is_wide = self.squares[next as usize] >= self.narrowest;
                            if is_wide && rounds != self.rounds[next as usize] {
                                round = Some(next);
                            }
                        }
                        false => self.rounds[next as usize] = rounds,
                    }
                }
                self.wait(next, node);
            }
            if meets(node) {
                return Some([node; 2]);
            }
            if let Some(next) = round.filter(|_| goes_round) {
                return Some([node, next]);
            }
        }
    }

    /// The nodes nearest to a wall on the ways to `ends`: their squared distance, and all of them.
    fn narrowest_between(&self, ends: [u32; 2]) -> (u8, Vec<u32>) {
        let (mut least, mut nodes) = (u8::MAX, Vec::new());
        for mut at in ends {
            loop {
                let square = self.squares[at as usize];
                if square < least {
                    nodes.clear();
                    least = square;
                }
                if square == least {
                    nodes.push(at);
                }
                match self.before[at as usize] {
                    before if before == at => break,
                    before => at = before,
                }
            }
        }
        (least, nodes)
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
            assert_eq!(found.spacings, width, "{height}: {found:?}");
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
    fn the_place_is_on_the_way_and_oblique_widths_are_theirs() {
        for (width, slope) in [(6.0, 0.0), (7.0, 0.0), (10.0, 0.0), (9.0, 0.5), (10.0, 0.3), (14.0, -0.4)] {
            let across = f64::hypot(1.0, slope);
            let mut domain = fixture::channel(60, 70);
            for (x, y) in (0..60).flat_map(|x| (1..71).map(move |y| (x, y))) {
                let from_axis = (y as f64 - 35.0 - slope * (x as f64 - 30.0)) / across;
                // A blind end as narrow as the throat, beside the inlet.
                let is_blind = x < 20 && (1..=3).contains(&y) && x > 1;
                let half = if (28..32).contains(&x) { 0.5 * width } else { 0.5 * width + 4.0 };
                if from_axis.abs() >= half && !is_blind {
                    fixture::set(&mut domain, [x, y, 0], Site::WALL);
                }
            }
            let found = of(&domain).expect("two openings");
            assert!((found.spacings - width).abs() <= 1.01, "{width} at {slope}: {found:?}");
            let x = found.place[0] / domain.spacing;
            assert!((26.0..34.0).contains(&x), "{width} at {slope}: {found:?}");
        }
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
