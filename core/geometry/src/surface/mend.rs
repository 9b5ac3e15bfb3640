//! From what a file holds to closed surfaces that look outwards: what is wrong is mended by a stated rule and told, or
//! refused with what to do.

use hematite_config::{Fault, Result};

use super::edges::{Edges, NONE, Side, pieces};
use super::mesh::{Mesh, Vector, length, minus, plus, times};
use super::rims::{Rim, rims};
use super::{shells, weld};

/// Holes up to this share of the surface's area are closed; larger ones are refused, for the wall there is unknown.
const HOLE: f64 = 0.01;
/// Rims closer than this share of the mesh's diagonal, and than a quarter of their edges, are joined.
const GAP: f64 = 1e-3;
/// Shells of less than this share of the largest one's area go: specks of a segmentation.
const SPECK: f64 = 1e-4;
/// Shells that enclose less than this share of what a ball of their area does go: they have no thickness.
const THIN: f64 = 1e-6;
/// Sheets without thickness go up to this share of the surface's area; more of them are refused, for what they are
/// meant to be is unknown.
pub(super) const SHEET: f64 = 0.01;
/// Rounds in which sheets that hang from a surface are sought.
const ROUNDS: usize = 16;

/// A closed surface.
pub struct Mended {
    /// Its triangles, fronts outwards where `parity` is not set: the fluid's side is behind them.
    pub mesh: Mesh,
    /// Caps that close the ends of vessels: their triangles.
    pub caps: Vec<std::ops::Range<usize>>,
    /// Whether it has no fronts and backs, so that an odd number of walls in front of a place means inside.
    pub parity: bool,
    /// What it is and what was done, a sentence each.
    pub notes: Vec<String>,
    /// What the user should look at, a sentence each.
    pub warnings: Vec<String>,
}

/// Says where something is, in the file's lengths.
pub fn place(at: Vector) -> String {
    format!("({}, {}, {})", Short(at[0]), Short(at[1]), Short(at[2]))
}

/// A number of the file, with some five digits.
pub struct Short(pub f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let size = self.0.abs();
        if size == 0.0 {
            return f.write_str("0");
        }
        if !(1e-3..1e6).contains(&size) {
            return write!(f, "{:.4e}", self.0);
        }
        let digits = (4 - size.log10().floor() as i32).max(0) as usize;
        write!(f, "{:.digits$}", self.0)
    }
}

/// "1 hole", "3 holes".
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Says where something is, in metres, where 1 in the file is `unit`.
pub fn metres(at: Vector, unit: f64) -> String {
    format!("({}) m", at.map(|x| format!("{:.4e}", x * unit)).join(", "))
}

/// Mends a mesh as read, in which 1 is `unit` metres.
///
/// # Errors
/// A usage fault for what no rule mends, with its place in the file's lengths and what to do.
pub fn mend(mut mesh: Mesh, unit: f64) -> Result<Mended> {
    let mut notes = Vec::new();
    let read = mesh.triangles.len();
    let far = |point: &Vector| point.iter().fold(0.0, |far: f64, x| far.max(x.abs()));
    let farthest = mesh.points.iter().copied().max_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or_default();
    let thin = weld::weld(&mut mesh);
    let [low, high] = mesh.extents().ok_or_else(|| {
        Fault::usage(format!(
            "all of its {read} triangles are points or lines beside its size: look at the corner that is farthest from \
             zero, {}, and export the mesh anew",
            place(farthest)
        ))
    })?;
    let diagonal = length(minus(high, low));
    notes.push(format!("{read} triangles, {} points, from {} to {}", mesh.points.len(), place(low), place(high)));
    if thin > 0 {
        notes.push(format!("{} without area dropped", count(thin, "triangle")));
    }
    let doubled = drop_doubled(&mut mesh);
    if doubled > 0 {
        notes.push(format!("{} dropped that lay on others", count(doubled, "triangle")));
    }
    drop_sheets(&mut mesh, unit, &mut notes)?;
    let mut orientable = orient(&mut mesh, &mut notes);
    shells::drop_twins(&mut mesh, &mut notes);
    if orientable && close_gaps(&mut mesh, diagonal, &mut notes) {
        orientable = orient(&mut mesh, &mut Vec::new());
    }
    let mut caps = Vec::new();
    if orientable {
        caps = close(&mut mesh, &mut notes)?;
    }
    refuse_open(&mesh)?;
    let mut warnings = Vec::new();
    let odd = Edges::of(&mesh.triangles).each().filter(|sides| sides.len() > 2).count();
    let parity = !orientable || odd > 0;
    if parity {
        warnings.push(match odd {
            0 => "the surface has one side only, as a Möbius strip has: inside is what an odd number of walls is in \
                  front of; look at the result"
                .to_owned(),
            _ => format!(
                "at {} more than two triangles meet: inside is what an odd number of walls is in front of; look at the \
                 result, and part shells that touch",
                count(odd, "edge")
            ),
        });
    }
    let mut mended = Mended { mesh, caps, parity, notes, warnings };
    shells::sort_out(&mut mended, unit, SPECK, THIN)?;
    Ok(mended)
}

/// Refuses to drop pieces without thickness that have this share of the surface's area, the first one near `at`.
pub(super) fn refuse_sheets(what: &str, share: f64, at: Option<Vector>, unit: f64) -> Result<()> {
    if share <= SHEET {
        return Ok(());
    }
    Err(Fault::usage(format!(
        "pieces with {:.1} % of the surface's area have no thickness and {what}, the first near {}: only up to {:.0} % is \
         dropped; take out the walls that stand across the vessel or go beyond it there, or give them thickness",
        100.0 * share,
        metres(at.unwrap_or_default(), unit),
        100.0 * SHEET
    )))
}

/// Drops triangles with the three points of an earlier one; gives their number.
fn drop_doubled(mesh: &mut Mesh) -> usize {
    let mut order: Vec<([u32; 3], u32)> = mesh
        .triangles
        .iter()
        .zip(0..)
        .map(|(&triangle, t)| {
            let mut points = triangle;
            points.sort_unstable();
            (points, t)
        })
        .collect();
    order.sort_unstable();
    let mut doubled = vec![false; mesh.triangles.len()];
    for pair in order.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        doubled[pair[1].1 as usize] = true;
    }
    retain(mesh, |t| !doubled[t]);
    doubled.iter().filter(|&&doubled| doubled).count()
}

fn retain(mesh: &mut Mesh, keep: impl Fn(usize) -> bool) {
    let mut t = 0;
    mesh.triangles.retain(|_| {
        t += 1;
        keep(t - 1)
    });
    weld::drop_thin(mesh);
}

/// Drops sheets without thickness that hang from a surface: pieces with an open edge that meet others at an edge of
/// three or more triangles. The smallest goes first, so that a vessel with open ends stays.
///
/// # Errors
/// A usage fault where such pieces have more than their share of the area, and where three triangles meet at an edge
/// and none of them hangs there.
fn drop_sheets(mesh: &mut Mesh, unit: f64, notes: &mut Vec<String>) -> Result<()> {
    let (mut sheets, mut dropped, mut lost, mut first) = (0, 0, 0.0, None);
    let total = mesh.area(0..mesh.triangles.len());
    let middle = |mesh: &Mesh, sides: &[Side]| {
        let [a, b] = sides[0].ends.map(|k| mesh.points[k as usize]);
        times(0.5, plus(a, b))
    };
    for _ in 0..ROUNDS {
        let edges = Edges::of(&mesh.triangles);
        if edges.each().all(|sides| sides.len() < 3 || sides.len().is_multiple_of(2)) {
            break;
        }
        let (of, number) = pieces(&edges.beyond(mesh.triangles.len()));
        let mut area = vec![0.0; number];
        for (t, &piece) in of.iter().enumerate() {
            area[piece as usize] += mesh.area([t]);
        }
        let mut open = vec![false; number];
        edges.open().for_each(|side| open[of[side.triangle as usize] as usize] = true);
        let mut goes = vec![false; number];
        for sides in edges.each().filter(|sides| sides.len() > 2 && !sides.len().is_multiple_of(2)) {
            let here = sides.iter().map(|side| of[side.triangle as usize]);
            let hanging = here.filter(|&piece| open[piece as usize]);
            let smallest = hanging.min_by(|&a, &b| area[a as usize].total_cmp(&area[b as usize]).then(a.cmp(&b)));
            if let Some(piece) = smallest {
                goes[piece as usize] = true;
                first.get_or_insert(middle(mesh, sides));
            }
        }
        lost += goes.iter().zip(&area).filter(|&(&goes, _)| goes).map(|(_, area)| area).sum::<f64>();
        refuse_sheets("hang by an edge from the rest", lost / total, first, unit)?;
        let number = goes.iter().filter(|&&goes| goes).count();
        if number == 0 {
            break;
        }
        let before = mesh.triangles.len();
        retain(mesh, |t| !goes[of[t] as usize]);
        sheets += number;
        dropped += before - mesh.triangles.len();
    }
    if sheets > 0 {
        notes.push(format!(
            "{} without thickness dropped, {}, {:.3} % of the area, the first near {}",
            count(sheets, "sheet"),
            count(dropped, "triangle"),
            100.0 * lost / total,
            metres(first.unwrap_or_default(), unit)
        ));
    }
    let edges = Edges::of(&mesh.triangles);
    let odd: Vec<_> = edges.each().filter(|sides| sides.len() > 2 && !sides.len().is_multiple_of(2)).collect();
    if let Some(sides) = odd.first() {
        return Err(Fault::usage(format!(
            "{} triangles meet at {}, the first near {}: which side of them is inside cannot be told; take out the walls \
             within the vessel, or give them thickness",
            sides.len(),
            count(odd.len(), "edge"),
            place(middle(mesh, sides))
        )));
    }
    Ok(())
}

/// Turns triangles so that neighbours look the same way; false where that cannot be.
fn orient(mesh: &mut Mesh, notes: &mut Vec<String>) -> bool {
    let edges = Edges::of(&mesh.triangles);
    let beyond = edges.beyond(mesh.triangles.len());
    let mut forward = vec![[false; 3]; mesh.triangles.len()];
    edges.each().flatten().for_each(|side| forward[side.triangle as usize][usize::from(side.k)] = side.forward);
    let mut turned: Vec<Option<bool>> = vec![None; mesh.triangles.len()];
    let (mut flipped, mut orientable) = (0, true);
    for seed in 0..mesh.triangles.len() {
        if turned[seed].is_some() {
            continue;
        }
        turned[seed] = Some(false);
        let (mut piece, mut next) = (vec![seed], vec![seed]);
        while let Some(t) = next.pop() {
            for k in 0..3 {
                let there = beyond[t][k] as usize;
                if beyond[t][k] == NONE {
                    continue;
                }
                let back = (0..3).find(|&k| beyond[there][k] as usize == t && same(mesh, t, there, k)).unwrap_or(0);
                let wanted = (forward[t][k] == forward[there][back]) != turned[t].unwrap_or(false);
                match turned[there] {
                    None => {
                        turned[there] = Some(wanted);
                        piece.push(there);
                        next.push(there);
                    }
                    Some(found) => orientable &= found == wanted,
                }
            }
        }
        let around = piece.iter().filter(|&&t| turned[t] == Some(true)).count();
        // The fewer are those at fault.
        let most = 2 * around > piece.len();
        flipped += around.min(piece.len() - around);
        for t in piece {
            if (turned[t] == Some(true)) != most {
                mesh.flip(t);
            }
        }
    }
    if flipped > 0 && orientable {
        notes.push(format!("{} looked the other way than their neighbours: turned", count(flipped, "triangle")));
    }
    orientable
}

/// Whether side `k` of triangle `there` is one of triangle `t` too.
fn same(mesh: &Mesh, t: usize, there: usize, k: usize) -> bool {
    let side = mesh.triangles[there];
    [side[k], side[(k + 1) % 3]].iter().all(|point| mesh.triangles[t].contains(point))
}

/// Joins the points of open edges that nearly meet; whether there were any.
fn close_gaps(mesh: &mut Mesh, diagonal: f64, notes: &mut Vec<String>) -> bool {
    let edges = Edges::of(&mesh.triangles);
    let mut shortest: std::collections::BTreeMap<u32, f64> = std::collections::BTreeMap::new();
    for side in edges.open() {
        let [a, b] = side.ends.map(|k| mesh.points[k as usize]);
        for k in side.ends {
            let of = shortest.entry(k).or_insert(f64::INFINITY);
            *of = of.min(length(minus(b, a)));
        }
    }
    let which: Vec<u32> = shortest.keys().copied().collect();
    let reach = |k: u32| shortest.get(&k).copied().unwrap_or(0.0);
    let merged = weld::merge(&mesh.points, &which, |a, b| (0.25 * reach(a).min(reach(b))).min(GAP * diagonal));
    let joined = which.iter().filter(|&&k| merged[k as usize] != k).count();
    if joined == 0 {
        return false;
    }
    let before = edges.open().count();
    mesh.triangles.iter_mut().flatten().for_each(|k| *k = merged[*k as usize]);
    weld::drop_thin(mesh);
    let after = Edges::of(&mesh.triangles).open().count();
    notes.push(format!(
        "{} of open edges joined with others that nearly met them: {before} open edges before, {after} after",
        count(joined, "point")
    ));
    true
}

/// Caps the rims: ends of vessels and small holes.
///
/// # Errors
/// A usage fault for a rim that is neither.
fn close(mesh: &mut Mesh, notes: &mut Vec<String>) -> Result<Vec<std::ops::Range<usize>>> {
    let edges = Edges::of(&mesh.triangles);
    let rims = rims(mesh, &edges);
    let total = mesh.area(0..mesh.triangles.len());
    let (mut ends, mut holes, mut closed) = (0, Vec::new(), Vec::new());
    for rim in &rims {
        let cap = rim.cap_area(mesh);
        let is_end = rim.is_end();
        if !is_end && cap > HOLE * total {
            return Err(Fault::usage(large_hole(rim, cap / total)));
        }
        let first = rim.cap(mesh);
        if is_end {
            ends += 1;
            closed.push(first..mesh.triangles.len());
        } else {
            holes.push((rim, cap));
        }
    }
    if ends > 0 {
        notes.push(format!("{} across a vessel capped", count(ends, "open rim")));
    }
    if let Some((rim, cap)) = holes.iter().max_by(|a, b| a.1.total_cmp(&b.1)) {
        notes.push(format!(
            "{} in the wall closed, the largest near {}: {} edges, perimeter {}, area {}",
            count(holes.len(), "hole"),
            place(rim.centre),
            rim.points.len(),
            Short(rim.perimeter),
            Short(*cap)
        ));
    }
    Ok(closed)
}

fn large_hole(rim: &Rim, share: f64) -> String {
    let why = if !rim.is_flat() {
        format!("leaves its plane by {}, no end of a vessel", Short(rim.deviation))
    } else {
        "lies in the wall, not across a vessel".to_owned()
    };
    format!(
        "an open rim of {} edges near {}, perimeter {}, {why}, and a hole of {:.2} % of the surface is too large to guess \
         the wall there (limit {:.0} %): close the hole, or cut the vessel flat there",
        rim.points.len(),
        place(rim.centre),
        Short(rim.perimeter),
        100.0 * share,
        100.0 * HOLE
    )
}

/// Refuses a surface that is still open.
fn refuse_open(mesh: &Mesh) -> Result<()> {
    let edges = Edges::of(&mesh.triangles);
    let Some(side) = edges.open().next() else { return Ok(()) };
    Err(Fault::usage(format!(
        "is open at {}, the first near {}, and has no rims that could be closed there: mend the mesh",
        count(edges.open().count(), "edge"),
        place(mesh.points[side.ends[0] as usize])
    )))
}
