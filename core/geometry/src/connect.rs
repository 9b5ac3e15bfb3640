//! Which pieces of the fluid stay: checks, removal, and what there is to say of it.

use std::collections::{BTreeMap, HashSet};

use hematite_config::{Fault, Result};
use rayon::prelude::*;

use crate::components::Components;
use crate::config::Keep;
use crate::domain::{Domain, Opening, OpeningKind, RemovedRun, Site};
use crate::end::End;
use crate::opening;

/// Openings that cut off more than this share of the fluid are told of,
const CUT_OFF: f64 = 0.05;
/// where that is longer than these widths of the vessel and a spacing behind each end.
const BEHIND: f64 = 0.5;
/// A part of the fluid that an opening touches beside a larger one is stray, and goes, up to this share of that one's size.
const STRAY: f64 = 0.01;

/// Sites that openings at `ends` are expected to cut off: the border cuts a vessel obliquely, and its opening is across.
/// What tips lose is always told.
pub(crate) fn behind<'e>(domain: &Domain, ends: impl Iterator<Item = &'e End>) -> f64 {
    let (dimension, spacing) = (domain.dimension, domain.spacing);
    let of =
        |end: &End| end.area / spacing.powi(dimension as i32 - 1) * (BEHIND * end.width(dimension) / spacing + 1.0);
    ends.filter(|end| !end.is_tip).map(of).sum()
}

/// The connected pieces of the fluid of a domain.
pub(crate) fn pieces(domain: &Domain) -> Components {
    Components::find(&domain.sites, domain.extent, domain.periodic, domain.dimension)
}

/// Finds the components, checks that each opening touches one, removes the others and fills in the report. `uncut` are
/// those without the openings, which are expected to cut off `expected` sites.
///
/// # Errors
/// A usage fault where an opening touches no piece, or several, or one that does not stay.
pub(crate) fn connect(
    domain: &mut Domain,
    keep: Option<Keep>,
    uncut: Option<&Components>,
    expected: f64,
) -> Result<()> {
    let components = pieces(domain);
    let sizes = &components.sizes;
    let largest = components.largest();
    let touched = touched(domain, &components, largest.filter(|_| keep == Some(Keep::Largest)))?;
    let keep = keep.unwrap_or(if domain.openings.is_empty() { Keep::All } else { Keep::TouchingOpenings });
    let kept: Vec<bool> = match keep {
        Keep::All => vec![true; sizes.len()],
        Keep::TouchingOpenings if domain.openings.is_empty() => {
            return Err(Fault::usage(
                "geometry.keep: \"touching_openings\" would remove all fluid, there is no opening; write \"all\" or \"largest\"",
            ));
        }
        Keep::TouchingOpenings => (0..sizes.len()).map(|c| touched.contains(&c)).collect(),
        Keep::Largest => {
            let astray = touched.iter().position(|&c| Some(c) != largest);
            if let Some(k) = astray {
                return Err(Fault::usage(format!(
                    "geometry.keep: \"largest\" removes the fluid that opening \"{}\" touches; move the opening or keep \"touching_openings\"",
                    domain.openings[k].name
                )));
            }
            (0..sizes.len()).map(|c| Some(c) == largest).collect()
        }
    };
    let (origin, edges) = (domain.origin, [domain.spacing; 3]);
    let removed = components.removed_runs(&kept).map(|run| RemovedRun::new(run, origin, edges, true));
    domain.report.removed.extend(removed);
    close(domain, &components, &kept);
    components.remove(&mut domain.sites, &kept);
    let sum = |wanted: bool| {
        sizes.iter().zip(&kept).filter(|&(_, &kept)| kept == wanted).map(|(size, _)| size).sum::<usize>()
    };
    let number = |wanted: bool| kept.iter().filter(|&&kept| kept == wanted).count();
    let report = &mut domain.report;
    report.fluid = sum(true);
    report.fill = report.fluid as f64 / components.bounding_box(&kept).max(1) as f64;
    report.components = number(true);
    report.removed_components = number(false);
    report.removed_sites = sum(false);
    report.warnings.extend(alone(&domain.openings, &touched, sizes));
    report.warnings.extend(uncut.and_then(|uncut| cut_off(uncut, &components, &kept, expected)));
    Ok(())
}

/// Makes wall of the opening sites that touch components which go, and none that is kept.
fn close(domain: &mut Domain, components: &Components, kept: &[bool]) {
    let [nx, ny, _] = domain.extent;
    let links = links(domain.dimension);
    let is_closed = |i: usize| {
        let at = [i % nx, i / nx % ny, i / (nx * ny)];
        let touched = links.iter().filter_map(|&c| components.at(domain.neighbour(at, c)?));
        touched.fold(None, |any, c| Some(any.unwrap_or(false) || kept[c])) == Some(false)
    };
    let closed: Vec<usize> = (0..domain.sites.len())
        .into_par_iter()
        .filter(|&i| domain.sites[i].as_opening().is_some() && is_closed(i))
        .collect();
    for i in closed {
        domain.sites[i] = Site::WALL;
    }
}

/// The links of D2Q9 or D3Q19 without the one at rest.
fn links(dimension: usize) -> Vec<[i32; 3]> {
    (0..27)
        .map(|i| [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1])
        .filter(|c| (1..=2).contains(&c.iter().map(|x| x * x).sum::<i32>()) && (dimension == 3 || c[2] == 0))
        .collect()
}

/// Warnings of openings that are the only ones of their component, which `touched` tells for each, while there are
/// others elsewhere, or the only ones through which a velocity is prescribed: what comes in there cannot go out. And of
/// components with pressure openings alone, while a velocity drives others.
fn alone(openings: &[Opening], touched: &[usize], sizes: &[usize]) -> Vec<String> {
    let flows = |k: usize| openings[k].kind != OpeningKind::Wall;
    let of_component = |c: usize| (0..openings.len()).filter(move |&k| flows(k) && touched[k] == c);
    let several = (0..openings.len()).filter(|&k| flows(k)).count() > 1;
    let is_driven = |c: usize| of_component(c).any(|k| openings[k].kind == OpeningKind::Velocity);
    let still = (0..sizes.len()).filter(|&c| of_component(c).count() > 1 && !is_driven(c));
    let still: Vec<usize> = still.filter(|_| (0..sizes.len()).any(is_driven)).collect();
    let lonely = (0..openings.len()).filter(|&k| {
        flows(k) && of_component(touched[k]).count() == 1 && (several || openings[k].kind == OpeningKind::Velocity)
    });
    let warning = |k: usize| {
        format!(
            "opening \"{}\" is the only one of its piece of the fluid, {} sites: nothing can flow through it for long; look at its place \
             and normal, and at what cuts the piece off",
            openings[k].name, sizes[touched[k]]
        )
    };
    let at_rest = |c: usize| {
        let names: Vec<String> = of_component(c).map(|k| format!("\"{}\"", openings[k].name)).collect();
        format!(
            "a piece of the fluid, {} sites, has openings of the kind \"pressure\" alone, {}: without a difference in pressure between \
             them it stands still; make it one piece with the others, close them, or take \"keep\": \"largest\"",
            sizes[c],
            names.join(", ")
        )
    };
    lonely.map(warning).chain(still.iter().map(|&c| at_rest(c))).collect()
}

/// The one component that each opening touches: `only` that one, where it touches it, since the others are removed.
fn touched(domain: &Domain, components: &Components, only: Option<usize>) -> Result<Vec<usize>> {
    let [nx, ny, _] = domain.extent;
    let links = links(domain.dimension);
    // (opening, component) -> the first fluid site where they meet.
    let meetings = domain
        .sites
        .par_chunks(nx)
        .enumerate()
        .fold(BTreeMap::new, |mut meetings: BTreeMap<(usize, usize), [usize; 3]>, (row, sites)| {
            for (x, k) in sites.iter().enumerate().filter_map(|(x, site)| Some((x, site.as_opening()?))) {
                for &c in &links {
                    let there = domain.neighbour([x, row % ny, row / ny], c);
                    if let Some((at, component)) = there.and_then(|at| Some((at, components.at(at)?))) {
                        let first = meetings.entry((k, component)).or_insert(at);
                        *first = (*first).min(at);
                    }
                }
            }
            meetings
        })
        .reduce(BTreeMap::new, |mut a, b| {
            for (key, at) in b {
                let first = a.entry(key).or_insert(at);
                *first = (*first).min(at);
            }
            a
        });
    let mut touched = Vec::new();
    for (k, opening) in domain.openings.iter().enumerate() {
        let mut of_opening: Vec<_> = meetings.range((k, 0)..(k + 1, 0)).collect();
        if let Some(wanted) = of_opening.iter().position(|((_, component), _)| Some(*component) == only) {
            of_opening = vec![of_opening[wanted]];
        }
        if let Some(whole) = without_strays(&of_opening, &meetings, &components.sizes) {
            of_opening = vec![of_opening[whole]];
        }
        let describe = |&(&(_, component), at): &(&(usize, usize), &[usize; 3])| {
            let place =
                (0..domain.dimension).map(|axis| domain.origin[axis] + (at[axis] as f64 + 0.5) * domain.spacing);
            let place: Vec<String> = place.map(|x| format!("{x:.4e}")).collect();
            format!("{} sites at ({}) m", components.sizes[component], place.join(", "))
        };
        match &of_opening[..] {
            [] => return Err(opening::touches_nothing(&opening.name)),
            [((_, component), _)] => touched.push(*component),
            [first, second, rest @ ..] => {
                return Err(Fault::usage(format!(
                    "opening \"{}\" touches {} unconnected parts of the fluid: one of {}, one of {}; limit it with \"within\", make one \
                     opening for each, or keep the largest part alone with \"keep\": \"largest\" in \"geometry\"",
                    opening.name,
                    2 + rest.len(),
                    describe(first),
                    describe(second)
                )));
            }
        }
    }
    Ok(touched)
}

/// Which of the parts that an opening touches is the only one of note: all others are stray and touch no other opening.
fn without_strays(
    of_opening: &[(&(usize, usize), &[usize; 3])],
    meetings: &BTreeMap<(usize, usize), [usize; 3]>,
    sizes: &[usize],
) -> Option<usize> {
    let size = |n: usize| sizes[of_opening[n].0.1];
    let whole = (0..of_opening.len()).max_by_key(|&n| (size(n), std::cmp::Reverse(n)))?;
    let is_stray = |n: usize| {
        let (opening, component) = *of_opening[n].0;
        let touches_others = meetings.keys().any(|&(k, c)| c == component && k != opening);
        size(n) as f64 <= STRAY * size(whole) as f64 && !touches_others
    };
    (0..of_opening.len()).all(|n| n == whole || is_stray(n)).then_some(whole)
}

/// A warning of fluid that is removed since openings cut it off from what stays: more than `expected` sites.
fn cut_off(uncut: &Components, components: &Components, kept: &[bool], expected: f64) -> Option<String> {
    let stays = |component: usize| kept[component];
    let opened: HashSet<usize> =
        components.each_run().filter(|run| stays(run.0)).filter_map(|(_, at, _)| uncut.at(at)).collect();
    let is_cut = |at: [usize; 3]| uncut.at(at).is_some_and(|piece| opened.contains(&piece));
    let cut: usize =
        components.each_run().filter(|run| !stays(run.0) && is_cut(run.1)).map(|(_, _, sites)| sites).sum();
    let all: usize = opened.iter().map(|&piece| uncut.sizes[piece]).sum();
    let share = cut as f64 / all.max(1) as f64;
    (share > CUT_OFF && cut as f64 > expected).then(|| {
        format!(
            "the openings cut off {:.1} % of the fluid, {cut} of {all} sites, which becomes wall: look whether they are where the \
             vessels are to end",
            100.0 * share
        )
    })
}
