//! Ends of vessels: open rims that were closed by caps, and flat caps of the mesh.

use std::collections::HashSet;

use super::crossings::pierced;
use super::edges::{Edges, NONE, pieces};
use super::flat::{Flat, characteristic, flat, spread};
use super::mend::{Mended, count};
use super::mesh::{Mesh, Vector, cross, dot, length, minus, plus, times, unit};
use super::rays::Lines;
use crate::end::{End, number};

/// The vessel behind a cap is at least this many times as deep as the cap is long.
const DEEP: f64 = 0.75;
/// Pieces for which that ratio is in this range may be walls or ends.
const UNSURE: std::ops::Range<f64> = 0.6..0.95;
/// Components of a normal below this are rounding: files hold single precision.
const AXIS: f64 = 1e-6;

/// The ends of a surface, and what there is to say of them.
#[derive(Default)]
pub struct Found {
    /// The ends, numbered, metres.
    pub ends: Vec<End>,
    /// A sentence each.
    pub notes: Vec<String>,
    /// What the user should look at, a sentence each.
    pub warnings: Vec<String>,
}

/// Why flat pieces are no ends: how many there are of each kind.
#[derive(Default)]
struct LeftOut {
    beside_rims: usize,
    rings: usize,
    shallow: usize,
    covered: usize,
}

impl LeftOut {
    fn note(&self) -> Option<String> {
        let Self { beside_rims, rings, shallow, covered } = *self;
        let whys = [
            (beside_rims, "where the surface has open rims, which are its ends"),
            (rings, "with a hole"),
            (shallow, "with less than 0.75 of their length of vessel behind them"),
            (covered, "within another shell"),
        ];
        let said: Vec<String> = whys.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}")).collect();
        let total = whys.iter().map(|(n, _)| n).sum();
        (total > 0).then(|| format!("{} across which no vessel ends: {}", count(total, "flat piece"), said.join(", ")))
    }
}

/// A piece that closes a vessel, or may.
struct Cap<'m> {
    mesh: &'m Mesh,
    /// Its triangles in order, those of its bevel among them.
    triangles: Vec<usize>,
    /// Those in its plane.
    flat: Vec<usize>,
    /// Out of the vessel.
    normal: Vector,
    centre: Vector,
    area: f64,
}

impl<'m> Cap<'m> {
    fn of(mesh: &'m Mesh, mut triangles: Vec<usize>, flat: usize) -> Option<Self> {
        let mut flat = triangles[..flat].to_vec();
        flat.sort_unstable();
        triangles.sort_unstable();
        let sum = |of: &[usize]| of.iter().fold([0.0; 3], |sum, &t| plus(sum, mesh.area_vector(t)));
        // Along an axis but for rounding is along the axis.
        let normal = unit(unit(sum(&flat))?.map(|x| if x.abs() < AXIS { 0.0 } else { x }))?;
        let origin = mesh.corners(*flat.first()?)[0];
        // Folds count back.
        let (mut middle, mut total) = ([0.0; 3], 0.0);
        for &t in &flat {
            let weight = dot(mesh.area_vector(t), normal);
            let thrice = mesh.corners(t).iter().fold([0.0; 3], |sum, &corner| plus(sum, minus(corner, origin)));
            middle = plus(middle, times(weight / 3.0, thrice));
            total += weight;
        }
        let area = dot(sum(&triangles), normal);
        (total > 0.0).then(|| Self {
            mesh,
            triangles,
            flat,
            normal,
            centre: plus(origin, times(1.0 / total, middle)),
            area,
        })
    }

    /// A place of the piece: its middle, or where that is beside it the middle of its largest triangle that is within.
    fn place(&self) -> Vector {
        let aside = if self.normal[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let a = unit(cross(aside, self.normal)).unwrap_or_default();
        let b = cross(self.normal, a);
        let seen = |at: Vector| [dot(minus(at, self.centre), a), dot(minus(at, self.centre), b)];
        let is_within = |at: &Vector| {
            let turns = self.flat.iter().filter(|&&t| pierced(self.mesh.corners(t).map(seen), seen(*at)).is_some());
            turns.map(|&t| dot(self.mesh.area_vector(t), self.normal).signum()).sum::<f64>() > 0.5
        };
        if is_within(&self.centre) {
            return self.centre;
        }
        let area = |t: usize| length(self.mesh.area_vector(t));
        let mut largest = self.flat.clone();
        largest.sort_by(|&a, &b| area(b).total_cmp(&area(a)).then(a.cmp(&b)));
        let middle = |&t: &usize| times(1.0 / 3.0, self.mesh.corners(t).into_iter().fold([0.0; 3], plus));
        largest.iter().map(middle).find(is_within).unwrap_or(self.centre)
    }

    /// Length of the sides that lead out of it.
    fn perimeter(&self, beyond: &[[u32; 3]]) -> f64 {
        let members: HashSet<usize> = self.triangles.iter().copied().collect();
        let of = |&t: &usize| {
            let corners = self.mesh.corners(t);
            let leads_out = |k: &usize| beyond[t][*k] == NONE || !members.contains(&(beyond[t][*k] as usize));
            (0..3).filter(leads_out).map(|k| length(minus(corners[(k + 1) % 3], corners[k]))).sum::<f64>()
        };
        self.triangles.iter().map(of).sum()
    }

    fn end(&self, beyond: &[[u32; 3]]) -> End {
        End {
            centre: self.centre,
            normal: self.normal.map(|x| if x == 0.0 { 0.0 } else { -x }),
            area: self.area,
            perimeter: Some(self.perimeter(beyond)),
            through: None,
            is_sure: true,
            is_tip: false,
            odd: None,
        }
    }

    fn inwards(&self) -> Vector {
        times(-1.0, self.normal)
    }
}

/// The ends of a vessel. Where a shell has open rims, they are its ends; else flat discs are with a vessel behind them
/// that is deep for their length. Those within another shell are none.
pub fn ends(vessel: &Mended) -> Found {
    let mesh = &vessel.mesh;
    let edges = Edges::of(&mesh.triangles);
    let beyond = edges.beyond(mesh.triangles.len());
    let (of, shells) = pieces(&beyond);
    let lines = Lines::through(mesh, &edges, &of, shells, vessel.parity);
    let (mut found, mut left_out, mut unsure) = (Found::default(), LeftOut::default(), 0);
    let mut capped = vec![false; mesh.triangles.len()];
    let mut has_rim = vec![false; shells];
    for cap in &vessel.caps {
        cap.clone().for_each(|t| capped[t] = true);
        has_rim[of[cap.start] as usize] = true;
    }
    let is_covered = |cap: &Cap, long: f64| lines.is_covered(cap.place(), cap.normal, &cap.triangles, long);
    let (mut rims, mut caps) = (0, 0);
    for triangles in vessel.caps.iter().map(|cap| cap.clone().collect::<Vec<_>>()) {
        let number = triangles.len();
        let Some(cap) = Cap::of(mesh, triangles, number) else { continue };
        if is_covered(&cap, spread(mesh, &cap.flat)) {
            left_out.covered += 1;
        } else {
            rims += 1;
            found.ends.push(cap.end(&beyond));
        }
    }
    let mut closed_beside_rims = 0;
    for Flat { triangles, flat } in flat(mesh, &beyond, capped) {
        let shell = of[triangles[0]] as usize;
        if characteristic(mesh, &triangles) != 1 {
            left_out.rings += 1;
            continue;
        }
        let Some(cap) = Cap::of(mesh, triangles, flat) else { continue };
        let long = spread(mesh, &cap.flat);
        let ratio = lines.depth(cap.place(), cap.inwards(), &cap.triangles, long) / long;
        if has_rim[shell] {
            left_out.beside_rims += 1;
            closed_beside_rims += usize::from(ratio >= UNSURE.end && !is_covered(&cap, long));
            continue;
        }
        unsure += usize::from(UNSURE.contains(&ratio));
        if ratio < DEEP {
            left_out.shallow += 1;
        } else if is_covered(&cap, long) {
            left_out.covered += 1;
        } else {
            caps += 1;
            found.ends.push(cap.end(&beyond));
        }
    }
    let kinds = [(rims, "open rim"), (caps, "flat cap")].into_iter().filter(|(n, _)| *n > 0);
    let kinds: Vec<String> = kinds.map(|(n, what)| count(n, what)).collect();
    if !kinds.is_empty() {
        found.notes.push(format!("ends at {}", kinds.join(" and ")));
    }
    found.notes.extend(left_out.note());
    if unsure > 0 {
        found.warnings.push(format!(
            "{} about as long as the vessel behind is deep: {DEEP} times as deep and more makes an end, less a wall; look at the list of \
             ends, and open those that are missing by a \"section\"",
            if unsure == 1 { "1 flat piece is".to_owned() } else { format!("{unsure} flat pieces are") }
        ));
    }
    if closed_beside_rims > 0 {
        found.warnings.push(format!(
            "{} like the end of a vessel, but the surface has open rims there, and these alone are ends: cut it open there too, or \
             open it by a \"section\"",
            if closed_beside_rims == 1 {
                "1 flat cap looks".to_owned()
            } else {
                format!("{closed_beside_rims} flat caps look")
            }
        ));
    }
    let size = mesh.extents().map_or(0.0, |[low, high]| length(minus(high, low)));
    number(&mut found.ends, size);
    found
}
