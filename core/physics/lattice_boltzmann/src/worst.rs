//! Where the fluid is nearest to the limits of the method, or beyond, and what would help.

use hematite_comm::{Comm, agree, gather_all};
use hematite_config::Result;
use hematite_engine::passage::Openings;
use hematite_engine::{Ground, Precision};
use hematite_units::groups;

use crate::config::Collision;
use crate::scene::{Scene, Worst};
use crate::{Fluid, LARGEST_DEVIATION, LARGEST_SPEED, Moment};

/// Nodes between a place and what is said to be near it, at most.
const NEAR: f64 = 10.0;
/// Below this a relaxation time is close to 1/2.
const CLOSE: f64 = 0.55;

/// The worst node of all ranks, the first of equals. Collective.
///
/// # Errors
/// When the device or a rank is lost.
pub(crate) fn locate(comm: &dyn Comm, scene: &Scene, ground: &Ground, fluid: &mut Fluid) -> Result<Worst> {
    let own = agree(comm, worst(scene, ground, fluid))?;
    let bits = [own.badness, own.speed, own.deviation].map(f64::to_bits);
    let site = own.site.map(|c| u64::from(c as u32));
    let all = gather_all(comm, bytemuck::cast_slice(&[&[own.id], &bits[..], &site[..]].concat()))?;
    let of = |bytes: &Vec<u8>| {
        let words: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
        let [badness, speed, deviation] = [1, 2, 3].map(|k| f64::from_bits(words[k]));
        let site = [4, 5, 6].map(|k| words[k] as u32 as i32);
        Worst { step: own.step, badness, id: words[0], site, speed, deviation }
    };
    let first = all.iter().map(of).min_by(|a, b| b.badness.total_cmp(&a.badness).then(a.id.cmp(&b.id)));
    Ok(first.unwrap_or_default())
}

/// Where the fluid is farthest beyond the method, or, where it holds no numbers there any more, where it was last nearest to its
/// limits if that is known; what is near, and what would help. Collective.
///
/// # Errors
/// When the device or a rank is lost.
pub(crate) fn explain(
    comm: &dyn Comm,
    scene: &Scene,
    ground: &Ground,
    fluid: &mut Fluid,
    suspect: Option<Worst>,
    near: &mut dyn FnMut([i32; 3]) -> Result<Option<String>>,
) -> Result<String> {
    let now = locate(comm, scene, ground, fluid)?;
    let (worst, is, by) = match suspect {
        Some(before) if now.badness.is_infinite() => (before, "was", ", before it held no numbers any more,"),
        _ => (now, "is", ""),
    };
    let openings = agree(comm, ground.file().and_then(|case| Openings::read(&case)))?;
    let opening = nearest_opening(&openings, worst.site);
    let member = near(worst.site)?;
    let wall = agree(comm, at_wall(ground, worst.site))?;
    let at = ground.space().place(worst.site.map(f64::from), [0; 3]);
    let place: Vec<String> = at[..ground.dimension()].iter().map(|x| format!("{x:.4e}")).collect();
    let mut text = format!(
        "At step {}{by} it {is} worst at node {} at ({}) m: speed {:.2e}, density deviation {:.2e} in lattice units",
        worst.step,
        worst.id,
        place.join(", "),
        worst.speed,
        worst.deviation
    );
    let kind = |k: usize| format!("{:?}", openings.list[k].kind).to_lowercase();
    if let Some((k, far)) = opening {
        text += &format!(", {far:.0} spacings from {} opening \"{}\"", kind(k), openings.list[k].name);
    } else if let Some(member) = &member {
        text += &format!(", {member}");
    } else if wall {
        text += ", at a wall";
    }
    let at_opening = opening.map(|(k, _)| kind(k));
    Ok(text + ". " + &advice(scene, worst.speed, at_opening.as_deref(), opening.is_none() && member.is_some()))
}

/// What would help, by what is near the place and by how the run is set up.
fn advice(scene: &Scene, speed: f64, opening: Option<&str>, cell: bool) -> String {
    let plan = &scene.plan;
    let mut remedies = Vec::new();
    match opening {
        Some("pressure") => remedies.push(
            "fluid should leave a pressure opening straight and from within (see backflow_share in ledger.csv): lengthen the vessel \
             in front of it, or let flow and pressure rise by \"ramp\""
                .to_owned(),
        ),
        Some(_) => remedies.push("let what is prescribed at the opening rise by \"ramp\"".to_owned()),
        None if cell => remedies.push("take softer mechanics or contact, or a slower flow".to_owned()),
        None => {}
    }
    let expected = scene.expected.as_ref().map(|expected| expected.speed);
    if let Some(mach) = expected.map(groups::mach).filter(|&mach| mach > 0.1) {
        let remedy = match plan.tau < CLOSE {
            true => "take a slower flow, or a finer lattice and a shorter time step".to_owned(),
            false => format!("take a shorter time step than {:.3e} s", plan.units.dt),
        };
        remedies.push(format!("what is prescribed is Mach {mach:.2} already: {remedy}"));
    }
    if plan.tau < CLOSE {
        remedies.push(format!(
            "tau {:.4} is close to 0.5, and a shorter time step brings it closer: take a finer lattice or a slower flow",
            plan.tau
        ));
    } else if plan.tau > 2.0 {
        remedies.push(format!("tau {:.2} is large: take a shorter time step", plan.tau));
    }
    if scene.collision == Collision::Bgk {
        remedies.push("take \"collision\": \"trt\"".to_owned());
    }
    if plan.precision() == Precision::F16 {
        remedies.push("take \"precision\": \"f32\"".to_owned());
    }
    if remedies.is_empty() {
        let times = expected.filter(|&expected| expected > 0.0 && speed.is_finite()).map(|expected| speed / expected);
        remedies.push(match times {
            Some(times) if times > 10.0 => format!(
                "the speed is {times:.0} times what is prescribed, so that a shorter time step alone will not do: look at geometry \
                 and openings there, or take a finer lattice"
            ),
            _ => format!("take a shorter time step than {:.3e} s, a slower flow or a finer lattice", plan.units.dt),
        });
    }
    let mut text = remedies.join("; ");
    if let Some(first) = text.get(..1) {
        text = first.to_uppercase() + &text[1..];
    }
    text
}

/// That of this rank's nodes.
fn worst(scene: &Scene, ground: &Ground, fluid: &mut Fluid) -> Result<Worst> {
    let row = scene.plan.row(fluid.step());
    let density = fluid.whole_moment(Moment::Density, &row)?;
    let step = fluid.step();
    let mut worst = Worst { step, id: u64::MAX, badness: -1.0, ..Worst::default() };
    fluid.moment(Moment::Velocity, &row, |first, numbers| {
        for (k, u) in numbers.chunks(3).enumerate() {
            let (n, speed) = (first + k, u.iter().map(|c| c * c).sum::<f64>().sqrt());
            let over = (speed / LARGEST_SPEED).max(density[n].abs() / LARGEST_DEVIATION);
            let sane = speed.is_finite() && density[n].is_finite();
            let (badness, id) = (if sane { over } else { f64::INFINITY }, ground.part.id[n].0);
            if badness > worst.badness || badness == worst.badness && id < worst.id {
                worst = Worst { step, badness, id, site: ground.part.position[n], speed, deviation: density[n] };
            }
        }
        Ok(())
    })?;
    Ok(worst)
}

fn distance(a: [i32; 3], b: [i32; 3]) -> f64 {
    (0..3).map(|k| f64::from(a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// The opening with a node near a site, and how far that is.
fn nearest_opening(openings: &Openings, site: [i32; 3]) -> Option<(usize, f64)> {
    let far = |sites: &Vec<[i32; 3]>| sites.iter().map(|&other| distance(site, other)).fold(f64::MAX, f64::min);
    let all = openings.sites.iter().map(far).enumerate();
    all.min_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|&(_, far)| far <= NEAR)
}

/// Whether a site next to this one is no fluid.
fn at_wall(ground: &Ground, site: [i32; 3]) -> Result<bool> {
    let mut around = 0;
    ground.file()?.each_position(|positions| {
        around += positions.iter().filter(|&&other| (distance(site, other) - 1.0).abs() < 0.1).count();
    })?;
    Ok(around < 2 * ground.dimension())
}
