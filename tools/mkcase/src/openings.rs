//! Openings that do not fit the vessels that they open: wider or narrower, or not across them.

use hematite_case::{Lattice, Opening, OpeningSite};
use hematite_geometry::{Behind, Domain, OpenedEnd, OpeningKind, width_of};

/// An opening whose area differs by more than this share from that of its end is told of,
const UNLIKE: f64 = 0.1;
/// where its width differs by more than this many spacings: steps of sites do not count.
const STEPS: f64 = 0.3;
/// An opening is across its vessel within this many degrees.
const ACROSS: f64 = 15.0;
/// Sections behind an opening may be this many times larger or smaller,
const EVEN: f64 = 1.25;
/// or wider or narrower by so many spacings.
const ROUGH: f64 = 1.0;

/// Warnings of openings that are larger or smaller than the ends that they open, and of others that do not fit what lies
/// behind them.
pub fn unlike_vessels(lattice: &Lattice, domain: &Domain) -> Vec<String> {
    let of = |(k, opening): (usize, &Opening)| {
        if opening.kind == OpeningKind::Wall {
            return Vec::new();
        }
        match lattice.geometry.opened.iter().find(|end| end.opening == opening.name) {
            Some(end) => unlike_end(lattice, opening, end).into_iter().collect(),
            None => {
                let place = |site: &OpeningSite| lattice.position[site.node.0 as usize];
                let sites: Vec<[i32; 3]> = opening.nodes.iter().map(place).collect();
                let width = width(lattice, opening.area * side(lattice));
                let behind = domain.behind(k, &sites, opening.normal, width);
                behind.map(|behind| unlike(lattice, opening, &behind)).unwrap_or_default()
            }
        }
    };
    lattice.openings.iter().enumerate().flat_map(of).collect()
}

/// A warning of an opening that is larger or smaller than the end that it opens.
fn unlike_end(lattice: &Lattice, opening: &Opening, end: &OpenedEnd) -> Option<String> {
    let (found, [what, unit]) = (opening.area * side(lattice), names(lattice));
    is_unlike(lattice, found, end.area).then(|| {
        format!(
            "opening \"{}\" has {what} {found:.4e} {unit}, its end {} is listed with {:.4e} {unit}: a velocity there gives {:.0} % {} flow. \
             The vessel is wider or narrower at the cut than at its end, or has too few spacings across; look at the picture, take \
             a smaller spacing, prescribe a \"flow_rate\", or give a \"section\"",
            opening.name,
            end.number,
            end.area,
            100.0 * (found / end.area - 1.0).abs(),
            if found < end.area { "less" } else { "more" }
        )
    })
}

/// Warnings of an opening that does not fit what lies `behind` it.
fn unlike(lattice: &Lattice, opening: &Opening, behind: &Behind) -> Vec<String> {
    if behind.vessels > 1 && opening.kind == OpeningKind::Velocity {
        return vec![format!(
            "opening \"{}\" opens {} vessels, and a velocity there is the mean of all of them: give each an opening of its own, by \
             \"within\" or by its \"end\", unless that is meant",
            opening.name, behind.vessels
        )];
    }
    let oblique = oblique(lattice, opening, behind);
    let uneven = uneven(lattice, opening, behind).or_else(|| split(opening, behind));
    oblique.into_iter().chain(uneven).collect()
}

/// A warning of an opening close behind which the vessel splits.
fn split(opening: &Opening, behind: &Behind) -> Option<String> {
    let spacings = behind.splits?;
    Some(format!(
        "opening \"{}\": a fork, a bend or a sac begins within {spacings} spacings behind it: the \
         flow that a velocity gives is not developed, and the opening may be wider than its vessel. Look at the picture; move it away \
         from there, unless that is meant",
        opening.name
    ))
}

/// A warning of an opening that is not across its vessel.
fn oblique(lattice: &Lattice, opening: &Opening, behind: &Behind) -> Option<String> {
    let direction = behind.direction?;
    let cosine: f64 = (0..3).map(|k| direction[k] * opening.normal[k]).sum();
    let degrees = cosine.clamp(-1.0, 1.0).acos().to_degrees();
    let along: Vec<String> = direction[..lattice.set.dimension()].iter().map(|n| format!("{:.3}", n + 0.0)).collect();
    (degrees >= ACROSS).then(|| {
        format!(
            "opening \"{}\" lies obliquely across its vessel, by {degrees:.0} degrees: its {} is larger than across the vessel, and a \
             velocity does not go along it. Open the vessel by its \"end\", or by a \"section\" with \"normal\": [{}], unless that is \
             meant",
            opening.name,
            names(lattice)[0],
            along.join(", ")
        )
    })
}

/// A warning of an opening whose vessel is much wider or narrower close behind it.
fn uneven(lattice: &Lattice, opening: &Opening, behind: &Behind) -> Option<String> {
    let [what, unit] = names(lattice);
    let found = opening.area * side(lattice);
    let areas = &behind.areas;
    let rough = ROUGH * lattice.spacing;
    let is_unlike = |&k: &usize| {
        let apart = width(lattice, areas[k]) - width(lattice, found);
        !(found / EVEN..=found * EVEN).contains(&areas[k]) && apart.abs() > rough
    };
    let unlike = (0..areas.len()).find(is_unlike)?;
    // What the vessel comes to, as far as it was followed.
    let far = (unlike..areas.len()).max_by(|&a, &b| (areas[a] - found).abs().total_cmp(&(areas[b] - found).abs()))?;
    let (behind, area) = (unlike + 1, areas[far]);
    let how = if areas[far] == 0.0 {
        "ends"
    } else if area > found {
        "is wider"
    } else {
        "is narrower"
    };
    let size = if areas[far] == 0.0 { String::new() } else { format!(", {area:.4e} {unit}") };
    Some(format!(
        "opening \"{}\" has {what} {found:.4e} {unit}, but the fluid {how} {behind} spacing{} behind it{size}: the flow that a velocity \
         gives follows the opening's {what}. Look at the picture; move the opening into the vessel, widen it, or open the vessel by \
         its \"end\", unless that is meant",
        opening.name,
        if behind == 1 { "" } else { "s" }
    ))
}

/// Whether an opening of area `found` does not have the area `expected`, both in m2, or m in 2-D.
fn is_unlike(lattice: &Lattice, found: f64, expected: f64) -> bool {
    let apart = (width(lattice, found) - width(lattice, expected)).abs();
    (found - expected).abs() > UNLIKE * expected && apart > STEPS * lattice.spacing
}

/// The width of a section of this area, m.
fn width(lattice: &Lattice, area: f64) -> f64 {
    width_of(area, lattice.set.dimension())
}

/// What an opening's size is called, and its unit.
fn names(lattice: &Lattice) -> [&'static str; 2] {
    if lattice.set.dimension() == 2 { ["width", "m"] } else { ["area", "m2"] }
}

/// The area of a side of a site, m2; in 2-D its length, m.
fn side(lattice: &Lattice) -> f64 {
    lattice.spacing.powi(lattice.set.dimension() as i32 - 1)
}
