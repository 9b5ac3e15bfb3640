//! Pairs between two sets.

use hematite_config::Result;
use hematite_engine::particles::{Between, Particles, Set};
use hematite_gpu::{Gpu, Recorder};

use crate::lab::{Charge, Lab, OTHERS, Sums, labs, on_ranks, sums};

const LARGEST: f64 = 16.0;

/// The sums at each charge, by set and number.
type Found = Vec<((usize, u32), Sums)>;

fn found(gpu: &Gpu, between: &mut Between, sets: [&Particles; 2]) -> Result<Found> {
    let [first, second] = sets.map(Particles::properties);
    let mut recorder = Recorder::new(gpu);
    let buffers = [("first_charge", first.get("charge")), ("second_charge", second.get("charge"))];
    let (of, actions) = (sets.map(Particles::set), [first.get("actions"), second.get("actions")]);
    between.record(&mut recorder, of.each_ref(), actions, &buffers);
    recorder.submit();
    let mut found = Found::new();
    for (k, set) in sets.into_iter().enumerate() {
        found.extend(sums(set)?.into_iter().map(|(id, sums)| ((k, id), sums)));
    }
    found.sort();
    Ok(found)
}

fn lists(gpu: &Gpu, between: &mut Between, sets: [&Set; 2]) -> Result<()> {
    let mut recorder = Recorder::new(gpu);
    between.record_lists(&mut recorder, sets)?;
    recorder.submit();
    Ok(())
}

/// Checks all sums, and that forces on one set cancel those on the other. Returns the largest number of charges in
/// range of one.
fn check(lab: &Lab, sets: &[Vec<Charge>; 2], found: &Found) -> usize {
    assert_eq!(found.len(), sets[0].len() + sets[1].len());
    let mut most = 0;
    for ((k, id), sums) in found {
        let charge = sets[*k].iter().find(|charge| charge.id == *id).expect("a charge");
        most = most.max(lab.check(charge, &sets[1 - k], |_| *k == 0, sums, LARGEST));
    }
    for a in (0..lab.dimension).chain([lab.dimension + 1]) {
        let sum: i64 = found.iter().map(|(_, sums)| i64::from(sums[a])).sum();
        let of_first = found.iter().filter(|((k, _), _)| *k == 0).map(|(_, sums)| i64::from(sums[a])).sum::<i64>();
        assert!(sum == 0 && of_first != 0, "number {a}: {sum} left of {of_first}");
    }
    most
}

#[test]
fn two_sets_do_to_each_other_what_all_pairs_do_on_any_number_of_ranks() {
    for (lab, clump) in labs().into_iter().flat_map(|lab| [(lab, 0), (lab, 120)]) {
        let sets = [lab.charges(21, 350, clump), lab.charges(22, 240, clump)];
        let on = |ranks: usize| {
            on_ranks(ranks, lab.precision, |gpu, comm| {
                let (first, second) = (lab.particles(gpu, comm, &sets[0])?, lab.particles(gpu, comm, &sets[1])?);
                let of = [first.set(), second.set()];
                // As if both sets had grown since.
                let strides = [of[0].stride / 2, 0];
                let law = lab.law(true, LARGEST);
                let mut between = Between::new(gpu, &lab.setting(), &lab.map(gpu, comm)?, &law, strides)?;
                lists(gpu, &mut between, of.each_ref())?;
                let before = found(gpu, &mut between, [&first, &second])?;
                let grown = between.make_room(comm)?;
                assert_eq!(grown, clump > 0, "room is made where it is short");
                if grown {
                    lists(gpu, &mut between, of.each_ref())?;
                    assert!(before == found(gpu, &mut between, [&first, &second])?, "the same before and after");
                    assert!(!between.make_room(comm)?, "there is room");
                }
                Ok(before)
            })
        };
        let solo = on(1);
        let most = check(&lab, &sets, &solo);
        assert!(if clump > 0 { most > 96 } else { (3..28).contains(&most) }, "{most}");
        for ranks in if std::env::var_os("HEMATITE_FULL").is_some() { 2..=3 } else { 3..=3 } {
            assert!(on(ranks) == solo, "{ranks} ranks");
        }
    }
}

/// A set need not be particles of the engine: here it is points in separate arrays, with some missing.
#[test]
fn points_that_are_not_there_do_nothing() {
    let lab = labs()[3];
    let sets = [lab.charges(31, 200, 40), lab.charges(32, 300, 40)];
    let gone = |charge: &Charge| charge.id.is_multiple_of(5);
    let mut found = on_ranks(1, lab.precision, |gpu, comm| {
        let particles = lab.particles(gpu, comm, &sets[0])?;
        let points = &sets[1];
        let stride = points.len() + 7;
        let array = |name: &str, components: usize| gpu.buffer(name, 4 * (components * stride) as u64);
        let (position, there) = (array("position", 6)?, array("gone", 1)?);
        let (charge, actions) = (array("charge", 1)?, array("actions", lab.dimension + OTHERS)?);
        for a in 0..lab.dimension {
            let along: Vec<_> = points.iter().map(|point| point.position[a]).collect();
            gpu.upload(&position, a * stride, &along)?;
        }
        gpu.upload(&there, 0, &points.iter().map(|point| u32::from(gone(point))).collect::<Vec<_>>())?;
        gpu.upload(&charge, 0, &points.iter().map(|point| point.charge).collect::<Vec<_>>())?;
        let (stride, count) = (stride as u32, points.len() as u32);
        let set = Set { position, gone: there, stride, own: count, held: count };
        let of = [&particles.set(), &set];
        let law = lab.law(true, LARGEST);
        let mut between = Between::new(gpu, &lab.setting(), &lab.map(gpu, comm)?, &law, [of[0].stride, stride])?;
        lists(gpu, &mut between, of)?;
        let properties = particles.properties();
        let buffers = [("first_charge", properties.get("charge")), ("second_charge", &charge)];
        let mut recorder = Recorder::new(gpu);
        between.record(&mut recorder, of, [properties.get("actions"), &actions], &buffers);
        recorder.submit();
        let mut found: Found = sums(&particles)?.into_iter().map(|(id, sums)| ((0, id), sums)).collect();
        let words = gpu.download::<i32>(&actions, 0, (lab.dimension + OTHERS) * stride as usize)?;
        for (k, point) in points.iter().enumerate() {
            let sums: Sums = words[k..].iter().step_by(stride as usize).copied().collect();
            found.push(((1, point.id), sums));
        }
        Ok(found)
    });
    let is_gone = |k: usize, id: u32| k == 1 && id.is_multiple_of(5);
    let of_gone: Vec<_> = found.iter().filter(|((k, id), _)| is_gone(*k, *id)).collect();
    assert!(of_gone.len() == 68 && of_gone.iter().all(|(_, sums)| sums.iter().all(|&sum| sum == 0)));
    found.retain(|((k, id), _)| !is_gone(*k, *id));
    let there = sets[1].iter().filter(|charge| !gone(charge)).copied().collect();
    check(&lab, &[sets[0].clone(), there], &found);
}
