//! Pairs within a set.

use hematite_comm::Comm;
use hematite_config::Result;
use hematite_engine::particles::{OVERFLOW, Pairs, Particles};
use hematite_engine::sites::Coordinate;
use hematite_gpu::{Gpu, Recorder};

use crate::lab::{Charge, Lab, OTHERS, Sums, labs, on_ranks, rebuild, sums};

/// The largest number of a pair that is not clamped.
const LARGEST: f64 = 16.0;

fn pairs(gpu: &Gpu, lab: &Lab, particles: &Particles, largest: f64) -> Result<Pairs> {
    let mut pairs = Pairs::new(gpu, particles, &lab.law(false, largest))?;
    bind(&mut pairs, particles);
    Ok(pairs)
}

fn bind(pairs: &mut Pairs, particles: &Particles) {
    let properties = particles.properties();
    pairs.bind(particles, &["charge", "actions"].map(|name| (name, properties.get(name))));
}

fn found(gpu: &Gpu, pairs: &Pairs, particles: &Particles) -> Result<Vec<(u32, Sums)>> {
    let mut recorder = Recorder::new(gpu);
    pairs.record(&mut recorder, particles);
    recorder.submit();
    sums(particles)
}

/// Checks all sums, and that forces cancel. Returns the largest number of charges in range of one.
fn check(lab: &Lab, charges: &[Charge], found: &[(u32, Sums)]) -> usize {
    assert_eq!(found.len(), charges.len());
    let mut most = 0;
    for (id, sums) in found {
        let charge = charges.iter().find(|charge| charge.id == *id).expect("a charge");
        let others: Vec<Charge> = charges.iter().filter(|other| other.id != *id).copied().collect();
        most = most.max(lab.check(charge, &others, |other| *id < other.id, sums, LARGEST));
    }
    for k in (0..lab.dimension).chain([lab.dimension + 1]) {
        let sum: i64 = found.iter().map(|(_, sums)| i64::from(sums[k])).sum();
        assert_eq!(sum, 0, "number {k}");
    }
    most
}

#[test]
fn sums_over_pairs_are_those_of_all_pairs_on_any_number_of_ranks() {
    for lab in labs() {
        let charges = lab.charges(3, 500, 0);
        let on = |ranks: usize| {
            on_ranks(ranks, lab.precision, |gpu, comm| {
                let particles = lab.particles(gpu, comm, &charges)?;
                found(gpu, &pairs(gpu, &lab, &particles, LARGEST)?, &particles)
            })
        };
        let solo = on(1);
        assert!((4..32).contains(&check(&lab, &charges, &solo)));
        for ranks in [2, 3, 4] {
            assert!(on(ranks) == solo, "{ranks} ranks");
        }
    }
}

/// Lists are too short at first, at the start and later. Sums are the same before and after there is room.
#[test]
fn clumps_of_any_number_find_room() {
    for lab in labs() {
        let all = lab.charges(5, 300, 170);
        let (few, clump) = all.split_at(300);
        let on = |ranks: usize, at_start: bool| {
            on_ranks(ranks, lab.precision, |gpu, comm| {
                let mut particles = lab.particles(gpu, comm, if at_start { &all } else { few })?;
                let mut pairs = pairs(gpu, &lab, &particles, LARGEST)?;
                if at_start {
                    assert!(!particles.make_room(comm)?, "there is room already");
                    return found(gpu, &pairs, &particles);
                }
                particles.insert(clump.iter().map(|charge| lab.words(charge)))?;
                rebuild(gpu, comm, &mut particles)?;
                bind(&mut pairs, &particles);
                let crowded = found(gpu, &pairs, &particles)?;
                let enlarged = particles.enlarged();
                assert!(particles.make_room(comm)?, "a clump needs room");
                rebuild(gpu, comm, &mut particles)?;
                assert!(comm.any(particles.enlarged() > enlarged)?);
                bind(&mut pairs, &particles);
                let roomy = found(gpu, &pairs, &particles)?;
                assert!(sorted(crowded) == sorted(roomy.clone()), "the same before and after");
                assert!(!particles.make_room(comm)?, "there is room");
                Ok(roomy)
            })
        };
        let solo = on(1, true);
        assert!(check(&lab, &all, &solo) > 96);
        assert!(on(1, false) == solo, "later");
        let is_full = std::env::var_os("HEMATITE_FULL").is_some();
        assert!(on(4, true) == solo && on(2, false) == solo, "2 and 4 ranks");
        assert!(!is_full || (on(2, true) == solo && on(4, false) == solo), "4 and 2 ranks");
    }
}

fn sorted(mut found: Vec<(u32, Sums)>) -> Vec<(u32, Sums)> {
    found.sort();
    found
}

#[test]
fn more_neighbours_than_can_be_are_refused() {
    let lab = labs()[2];
    let charges = lab.charges(11, 50, 4200);
    let refused = on_ranks(1, lab.precision, |gpu, comm| match lab.particles(gpu, comm, &charges) {
        Ok(_) => panic!("there is no room for so many"),
        Err(fault) => Ok(vec![fault.to_string()]),
    });
    for piece in ["particle ", " others are within reach, at most 4096 are possible", "stronger repulsion"] {
        assert!(refused[0].contains(piece), "{piece} is missing: {}", refused[0]);
    }
}

#[test]
fn what_left_acts_no_more() {
    let lab = labs()[3];
    let charges = lab.charges(9, 400, 60);
    let gone = 17;
    let found = on_ranks(1, lab.precision, |gpu, comm| {
        let particles = lab.particles(gpu, comm, &charges)?;
        let at = particles.words(["id"])?[0].iter().position(|&id| id == gone).expect("there");
        gpu.upload(particles.properties().get("gone"), at, &[1_u32])?;
        found(gpu, &pairs(gpu, &lab, &particles, LARGEST)?, &particles)
    });
    let (of_gone, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|(id, _)| *id == gone);
    assert_eq!(of_gone, [(gone, vec![0; lab.dimension + OTHERS])]);
    let left: Vec<Charge> = charges.into_iter().filter(|charge| charge.id != gone).collect();
    check(&lab, &left, &others);
}

/// Many strong pairs on one side of a charge: the sum along x overflows and says so, the sums across x fit.
#[test]
fn sums_that_do_not_fit_say_so() {
    let lab = labs()[2];
    let charge = |id: u32, x: f64| {
        let position = [x, 8.0, 8.0].map(Coordinate::of);
        Charge { id, position, charge: 1.0 }
    };
    let largest = 2.0_f64.powi(-7);
    for (others, fit) in [(20, true), (60, false)] {
        let charges: Vec<Charge> = std::iter::once(charge(0, 10.0))
            .chain((0..others).map(|k| charge(k + 1, 11.0 + 0.01 * f64::from(k))))
            .collect();
        let found = on_ranks(1, lab.precision, |gpu, comm| {
            let particles = lab.particles(gpu, comm, &charges)?;
            found(gpu, &pairs(gpu, &lab, &particles, largest)?, &particles)
        });
        let scale = lab.law(false, largest).force.scale;
        let sums = &found[0].1;
        let whole = -(f64::from(others) * (largest * scale).round()) as i64;
        assert_eq!(i64::from(sums[0]), if fit { whole } else { i64::from(OVERFLOW) });
        assert_eq!(sums[1..3], [0, 0]);
    }
}
