//! Shells: the closed pieces of a surface, which lies within which, and which way they look.

use hematite_config::{Fault, Result};
use rayon::prelude::*;

use super::edges::{Edges, pieces};
use super::mend::{Mended, Short, count, metres, place, refuse_sheets};
use super::mesh::{Mesh, Vector, length, minus, plus, times};
use super::weld;

/// Points of a shell that are tried against the others.
const SAMPLES: usize = 64;
/// Shells whose lengths differ by less than this share are the same one twice.
const TWICE: f64 = 1e-3;

struct Shell {
    triangles: Vec<u32>,
    low: Vector,
    high: Vector,
    area: f64,
    volume: f64,
}

impl Shell {
    fn of(mesh: &Mesh, triangles: Vec<u32>) -> Self {
        let points = || triangles.iter().flat_map(|&t| mesh.corners(t as usize));
        let low = points().fold([f64::INFINITY; 3], |low, p| [0, 1, 2].map(|a| low[a].min(p[a])));
        let high = points().fold([f64::NEG_INFINITY; 3], |high, p| [0, 1, 2].map(|a| high[a].max(p[a])));
        let all = || triangles.iter().map(|&t| t as usize);
        let (area, volume) = (mesh.area(all()), mesh.volume(all(), low));
        Self { area, volume, low, high, triangles }
    }

    /// Whether it encloses hardly anything for its area.
    fn is_thin(&self, share: f64) -> bool {
        let ball = self.area.powf(1.5) / (36.0 * std::f64::consts::PI).sqrt();
        self.volume.abs() <= share * ball
    }

    fn is_twin(&self, other: &Self) -> bool {
        let diagonal = length(minus(self.high, self.low));
        let near = |a: Vector, b: Vector| length(minus(a, b)) <= TWICE * diagonal;
        let alike = |a: f64, b: f64, power: f64| (a - b).abs() <= power * TWICE * a.abs();
        near(self.low, other.low)
            && near(self.high, other.high)
            && alike(self.area, other.area, 2.0)
            && alike(self.volume.abs(), other.volume.abs(), 3.0)
    }

    /// Whether a place is inside: whether an odd number of its triangles lies above it.
    fn holds(&self, mesh: &Mesh, at: Vector) -> bool {
        if (0..3).any(|axis| at[axis] < self.low[axis] || at[axis] > self.high[axis]) {
            return false;
        }
        let above = |&&t: &&u32| {
            let corners = mesh.corners(t as usize);
            let flat = corners.map(|corner| [corner[0], corner[1]]);
            super::crossings::pierced(flat, [at[0], at[1]])
                .is_some_and(|shares| (0..3).map(|k| shares[k] * corners[k][2]).sum::<f64>() > at[2])
        };
        self.triangles.iter().filter(above).count() % 2 == 1
    }
}

/// Drops specks, shells without thickness and shells that are there twice, and turns what is left so that the fluid is
/// behind its triangles: outer shells outwards, those within one inwards, and so on.
///
/// # Errors
/// A usage fault where no shell is left, and where those without thickness have more than their share of the area.
pub fn sort_out(mended: &mut Mended, unit: f64, speck: f64, thin: f64) -> Result<()> {
    let edges = Edges::of(&mended.mesh.triangles);
    let (of, number) = pieces(&edges.beyond(mended.mesh.triangles.len()));
    let mut triangles: Vec<Vec<u32>> = vec![Vec::new(); number];
    of.iter().zip(0..).for_each(|(&piece, t)| triangles[piece as usize].push(t));
    // Pieces that touch others at edges enclose nothing by themselves.
    if mended.parity {
        return Ok(());
    }
    let mut shells: Vec<Shell> = triangles.into_par_iter().map(|own| Shell::of(&mended.mesh, own)).collect();
    let largest = shells.iter().map(|shell| shell.area).fold(0.0, f64::max);
    let mut goes = vec![false; shells.len()];
    let (mut specks, mut sheets, mut twins) = (0, 0, 0);
    for k in 0..shells.len() {
        let earlier = (0..k).any(|other| !goes[other] && shells[k].is_twin(&shells[other]));
        let reason = match &shells[k] {
            shell if shell.area < speck * largest => &mut specks,
            shell if shell.is_thin(thin) => &mut sheets,
            _ if earlier => &mut twins,
            _ => continue,
        };
        *reason += 1;
        goes[k] = true;
    }
    for (dropped, why) in [
        (specks, format!("of less than {speck} of the largest one's area dropped")),
        (sheets, "without thickness dropped".to_owned()),
        (twins, "dropped that lay on others".to_owned()),
    ] {
        if dropped > 0 {
            mended.notes.push(format!("{} {why}", count(dropped, "loose shell")));
        }
    }
    if goes.iter().all(|&goes| goes) {
        return Err(Fault::usage(
            "no shell of it encloses any space: it is a sheet, or a surface that is there twice, a little moved, whose open \
             rims were joined; take one of the two out, or export the mesh anew",
        ));
    }
    let total = mended.mesh.area(0..mended.mesh.triangles.len());
    let sheet = |k: &usize| goes[*k] && shells[*k].area >= speck * largest && shells[*k].is_thin(thin);
    let lost: f64 = (0..shells.len()).filter(sheet).map(|k| shells[k].area).sum();
    let first = (0..shells.len()).find(sheet).map(|k| times(0.5, plus(shells[k].low, shells[k].high)));
    refuse_sheets("stand apart from the rest", lost / total, first, unit)?;
    if let Some(first) = first {
        mended.notes.push(format!(
            "shells without thickness had {:.3} % of the area, the first near {}",
            100.0 * lost / total,
            metres(first, unit)
        ));
    }
    let mut kept = goes.iter().map(|&goes| !goes);
    shells.retain(|_| kept.next().unwrap_or(true));
    turn(mended, &shells);
    if goes.contains(&true) {
        drop_triangles(mended, |t| goes[of[t] as usize]);
    }
    let mesh = &mended.mesh;
    let from = mesh.points.first().copied().unwrap_or_default();
    mended.notes.push(format!(
        "{}, area {}, volume {}",
        count(shells.len(), "shell"),
        Short(mesh.area(0..mesh.triangles.len())),
        Short(mesh.volume(0..mesh.triangles.len(), from))
    ));
    Ok(())
}

/// Drops open pieces that are there twice: joined at their rims they would be a skin without anything inside.
pub fn drop_twins(mesh: &mut Mesh, notes: &mut Vec<String>) {
    let edges = Edges::of(&mesh.triangles);
    let (of, number) = pieces(&edges.beyond(mesh.triangles.len()));
    let mut is_open = vec![false; number];
    edges.open().for_each(|side| is_open[of[side.triangle as usize] as usize] = true);
    let mut triangles: Vec<Vec<u32>> = vec![Vec::new(); number];
    of.iter().zip(0..).for_each(|(&piece, t)| triangles[piece as usize].push(t));
    let open: Vec<usize> = (0..number).filter(|&piece| is_open[piece]).collect();
    let shells: Vec<Shell> = open.par_iter().map(|&piece| Shell::of(mesh, triangles[piece].clone())).collect();
    let mut goes = vec![false; number];
    for k in 1..open.len() {
        goes[open[k]] = (0..k).any(|other| !goes[open[other]] && shells[k].is_twin(&shells[other]));
    }
    let dropped = goes.iter().filter(|&&goes| goes).count();
    if dropped > 0 {
        notes.push(format!("{} dropped that lay on others", count(dropped, "open piece")));
        let mut t = 0;
        mesh.triangles.retain(|_| {
            t += 1;
            !goes[of[t - 1] as usize]
        });
        weld::drop_thin(mesh);
    }
}

fn turn(mended: &mut Mended, shells: &[Shell]) {
    let mesh = &mended.mesh;
    let within = |inner: &Shell, outer: &Shell| {
        let step = inner.triangles.len().div_ceil(SAMPLES);
        let mut samples = inner.triangles.iter().step_by(step).map(|&t| mesh.corners(t as usize)[0]);
        (0..3).all(|a| inner.low[a] >= outer.low[a] && inner.high[a] <= outer.high[a])
            && samples.all(|at| outer.holds(mesh, at))
    };
    let depth = |k: usize| (0..shells.len()).filter(|&other| other != k && within(&shells[k], &shells[other])).count();
    let depths: Vec<usize> = (0..shells.len()).into_par_iter().map(depth).collect();
    let (mut inward, mut nested) = (0, Vec::new());
    for (shell, depth) in shells.iter().zip(depths) {
        let outwards = depth % 2 == 0;
        if depth > 0 {
            nested.push((shell, depth));
        } else if shell.volume < 0.0 {
            inward += 1;
        }
        if (shell.volume > 0.0) != outwards {
            shell.triangles.iter().for_each(|&t| mended.mesh.flip(t as usize));
        }
    }
    if inward > 0 {
        mended.notes.push(format!("{} looked inwards: turned", count(inward, "shell")));
    }
    for (shell, depth) in nested.iter().take(10) {
        mended.notes.push(format!(
            "a shell from {} to {} lies within {}: its inside is {}",
            place(shell.low),
            place(shell.high),
            if *depth == 1 { "another".to_owned() } else { format!("{depth} others") },
            if depth % 2 == 1 { "wall" } else { "fluid" }
        ));
    }
}

/// Drops triangles; caps that lose any are none any more.
fn drop_triangles(mended: &mut Mended, goes: impl Fn(usize) -> bool) {
    let mut number = Vec::with_capacity(mended.mesh.triangles.len() + 1);
    let mut next = 0;
    for t in 0..mended.mesh.triangles.len() {
        number.push(next);
        next += usize::from(!goes(t));
    }
    number.push(next);
    mended.caps.retain(|cap| !cap.clone().any(&goes));
    mended.caps.iter_mut().for_each(|cap| *cap = number[cap.start]..number[cap.end]);
    let mut t = 0;
    mended.mesh.triangles.retain(|_| {
        t += 1;
        !goes(t - 1)
    });
    weld::drop_thin(&mut mended.mesh);
}
