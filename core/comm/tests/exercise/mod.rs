//! Tests every method of [`Comm`] against results that a rank computes alone.

use hematite_comm::{Comm, Route, Waiting, agree};
use hematite_config::{Exit, Fault};

/// Tests all methods; panics where a rank gets a wrong result.
pub fn everything(comm: &dyn Comm) {
    let (rank, size) = (comm.rank(), comm.size());
    assert!(rank < size && comm.local_rank() <= rank);
    for round in 0..40 {
        exchange(comm, round);
        exchange_all(comm, round);
        if round % 8 == 0 {
            reductions(comm, round);
            bytes(comm, round);
            routes(comm, round);
        }
    }
    many_small_exchanges(comm);
    one_way(comm);
    one_by_one(comm);
    agreement(comm);
    waiting(comm);
}

/// A hash that is the same on every rank.
fn mix(parts: &[u64]) -> u64 {
    parts.iter().fold(0x9e37_79b9_7f4a_7c15, |h, &part| {
        let x = (h ^ part).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^ (x >> 29)
    })
}

/// The message of `from` to `to`: none, or one of 0, 1, some or many bytes.
fn message(round: u64, from: usize, to: usize) -> Option<Vec<u8>> {
    let h = mix(&[round, from as u64, to as u64]);
    let length = match h % 5 {
        0 => return None,
        1 => 0,
        2 => 1,
        3 => 1 + (h >> 8) as usize % 300,
        _ => 100_000 + (h >> 8) as usize % 100_000,
    };
    Some((0..length as u64).map(|i| mix(&[h, i]) as u8).collect())
}

fn exchange(comm: &dyn Comm, round: u64) {
    let (rank, size) = (comm.rank(), comm.size());
    let out: Vec<(usize, Vec<u8>)> = (0..size).filter_map(|to| Some((to, message(round, rank, to)?))).collect();
    let wanted: Vec<(usize, Vec<u8>)> =
        (0..size).rev().filter_map(|from| Some((from, message(round, from, rank)?))).collect();
    let mut got: Vec<(usize, Vec<u8>)> = wanted.iter().map(|(from, bytes)| (*from, vec![0xaa; bytes.len()])).collect();
    let send: Vec<(usize, &[u8])> = out.iter().map(|(to, bytes)| (*to, &bytes[..])).collect();
    let mut receive: Vec<(usize, &mut [u8])> = got.iter_mut().map(|(from, bytes)| (*from, &mut bytes[..])).collect();
    comm.exchange(&send, &mut receive).expect("all ranks are there");
    assert!(got == wanted, "rank {rank} of {size}, round {round}: a message came wrong");
}

/// The length of the message of `from` to `to` in an exchange, if there is one.
fn exchanged(round: u64, from: usize, to: usize) -> Option<usize> {
    let idle = |rank: usize| mix(&[round, rank as u64, 77]).is_multiple_of(4);
    if idle(from) || idle(to) {
        return None;
    }
    let h = mix(&[round, from as u64, to as u64, 78]);
    Some(match h % 12 {
        0 => return None,
        1 => 0,
        2 => 1,
        3 => 4,
        4 => 4095,
        5 => 70_000,
        6 => 3_000_000,
        7 => 20_000 * round as usize,
        8 => 20_000 * (40 - round as usize),
        _ => (h >> 8) as usize % 300_000,
    })
}

/// Fills `room` with words that differ from place to place and from message to message.
fn fill(seed: u64, room: &mut [u8]) {
    for (word, at) in room.chunks_mut(8).zip(0..) {
        word.copy_from_slice(&mix(&[seed, at]).to_le_bytes()[..word.len()]);
    }
}

/// One exchange of messages with the lengths `length(sender, receiver)`.
fn exchange_by(comm: &dyn Comm, round: u64, length: impl Fn(usize, usize) -> Option<usize>) {
    let (rank, size) = (comm.rank(), comm.size());
    let seed = |from: usize, to: usize| mix(&[round, from as u64, to as u64, 79]);
    let going: Vec<(usize, usize)> = (0..size).filter_map(|to| Some((to, length(rank, to)?))).collect();
    let coming: Vec<(usize, usize)> = (0..size).rev().filter_map(|from| Some((from, length(from, rank)?))).collect();
    let (mut written, mut read) = (0, vec![false; coming.len()]);
    let mut write = |k: usize, room: &mut [u8]| {
        assert_eq!((k, room.len()), (written, going[k].1), "rank {rank} of {size}, round {round}");
        fill(seed(rank, going[k].0), room);
        written += 1;
    };
    let mut take = |k: usize, message: &[u8]| {
        let (from, bytes) = coming[k];
        let mut wanted = vec![0xaa; bytes];
        fill(seed(from, rank), &mut wanted);
        assert!(message == wanted, "rank {rank} of {size}, round {round}: {bytes} bytes from {from} came wrong");
        assert!(!std::mem::replace(&mut read[k], true), "read twice");
    };
    comm.exchange_in_place(&going, &mut write, &coming, &mut take).expect("all ranks are there");
    assert!(written == going.len() && !read.contains(&false), "rank {rank} of {size}, round {round}: not all came");
}

fn exchange_all(comm: &dyn Comm, round: u64) {
    exchange_by(comm, round, |from, to| exchanged(round, from, to));
}

/// Many collective calls and exchanges in succession, so that ranks run ahead of others.
fn many_small_exchanges(comm: &dyn Comm) {
    let size = comm.size();
    for round in 1000..5000 {
        let next = |from: usize, to: usize| to == (from + 1) % size || from == (to + 1) % size;
        exchange_by(comm, round, |from, to| {
            next(from, to).then(|| mix(&[round, from as u64, to as u64]) as usize % 300)
        });
        if round.is_multiple_of(50) {
            exchange(comm, round);
        }
    }
}

/// Messages from the first rank to the others, which do not answer and are slow.
fn one_way(comm: &dyn Comm) {
    for round in 5000..5030 {
        if comm.rank() > 0 {
            std::thread::sleep(std::time::Duration::from_micros(mix(&[round]) % 1000));
        }
        exchange_by(comm, round, |from, to| (from == 0 && to > 0).then_some(100_000));
    }
}

/// Rank 0 exchanges with all ranks at once; the others exchange in pairs, before or after that with rank 0.
fn one_by_one(comm: &dyn Comm) {
    let (rank, size) = (comm.rank(), comm.size());
    let exchange_if = |round: u64, together: &dyn Fn(usize, usize) -> bool| {
        exchange_by(comm, round, |from, to| {
            together(from.min(to), from.max(to)).then(|| mix(&[round]) as usize % 100_000)
        });
    };
    for round in 6000..6200 {
        if rank == 0 {
            exchange_if(round, &|low, high| low == 0 && high > 0);
            continue;
        }
        let with_first = || exchange_if(round, &|low, high| (low, high) == (0, rank));
        if round % 2 == 0 {
            with_first();
        }
        for one in 1..size {
            (one + 1..size).for_each(|other| exchange_if(round, &|low, high| (low, high) == (one, other)));
        }
        if round % 2 == 1 {
            with_first();
        }
    }
}

fn reductions(comm: &dyn Comm, round: u64) {
    let value = |rank: usize, i: usize| mix(&[round, rank as u64, i as u64]).cast_signed() >> 8;
    for length in [0, 1, 1000] {
        let mut sums: Vec<i64> = (0..length).map(|i| value(comm.rank(), i)).collect();
        comm.sum(&mut sums).expect("sums");
        let wanted: Vec<i64> = (0..length).map(|i| (0..comm.size()).map(|rank| value(rank, i)).sum()).collect();
        assert_eq!(sums, wanted);
        let mut maxima: Vec<f64> = (0..length).map(|i| value(comm.rank(), i) as f64).collect();
        comm.max(&mut maxima).expect("maxima");
        for (i, max) in maxima.into_iter().enumerate() {
            assert_eq!(max, (0..comm.size()).map(|rank| value(rank, i) as f64).fold(f64::NEG_INFINITY, f64::max));
        }
    }
    let last = comm.rank() + 1 == comm.size();
    let mut special =
        [if last { -f64::NAN } else { f64::INFINITY }, if last { 0.0 } else { -0.0 }, -1.0 - comm.rank() as f64];
    comm.max(&mut special).expect("maxima");
    assert!(special[0].is_nan());
    assert!(special[1].is_sign_positive());
    assert_eq!(special[2], -1.0);
    for odd in 0..comm.size() {
        assert!(comm.any(comm.rank() == odd).expect("any"));
    }
    assert!(!comm.any(false).expect("any"));
}

fn bytes(comm: &dyn Comm, round: u64) {
    for length in [0_usize, 1, 70_000] {
        let content = |rank: usize| -> Vec<u8> {
            (0..(length * (rank + 1)) as u64).map(|i| mix(&[round, rank as u64, i]) as u8).collect()
        };
        let mut shared = content(comm.rank());
        comm.broadcast(&mut shared).expect("broadcasts");
        assert!(shared == content(0), "rank {}: broadcast", comm.rank());
        let all = comm.gather(&content(comm.rank())).expect("gathers");
        let wanted = (comm.rank() == 0).then(|| (0..comm.size()).map(content).collect::<Vec<_>>());
        assert!(all == wanted, "rank {}: gather", comm.rank());
    }
}

fn agreement(comm: &dyn Comm) {
    let rank = comm.rank();
    assert_eq!(agree(comm, Ok(rank)), Ok(rank));
    for lowest in 0..comm.size() {
        let outcome = if rank >= lowest { Err(Fault::numerical(format!("rank {rank} diverged"))) } else { Ok(()) };
        let fault = agree(comm, outcome).expect_err("a rank failed");
        assert_eq!((fault.exit, fault.message), (Exit::Numerical, format!("rank {lowest} diverged")));
    }
}

/// Numbers with gaps, held by ranks chosen by a hash and wanted by one or several ranks, in any order.
fn routes(comm: &dyn Comm, round: u64) {
    let (rank, size) = (comm.rank() as u64, comm.size() as u64);
    let numbers = || (0..[0, 1, 7, 3000][round as usize / 8 % 4]).map(|k: u64| 5 * k + mix(&[round, k]) % 5);
    let shuffled = |mut numbers: Vec<u64>| {
        numbers.sort_by_key(|&number| mix(&[round, rank, number]));
        numbers
    };
    let held = shuffled(numbers().filter(|&number| mix(&[number, round]) % size == rank).collect());
    let wanted = shuffled(numbers().filter(|&number| mix(&[number, round, rank]).is_multiple_of(3)).collect());
    let route = Route::find(comm, &held, &wanted).expect("a way");
    for width in [1, 4, 13] {
        let value = |&number: &u64| (0..width).map(move |byte| mix(&[number, byte]) as u8);
        let values: Vec<u8> = held.iter().flat_map(value).collect();
        let come = route.bring(comm, &values, width as usize).expect("brought");
        assert!(come == wanted.iter().flat_map(value).collect::<Vec<u8>>(), "rank {rank} of {size}, round {round}");
    }
    let last = rank + 1 == size;
    let fault = Route::find(comm, &held, if last { &[1 << 40] } else { &[] }).expect_err("nobody has it");
    assert!(fault.message.contains("1099511627776"), "{fault}");
}

fn waiting(comm: &dyn Comm) {
    let nap = std::time::Duration::from_millis(200);
    let waiting = Waiting::new(comm);
    if comm.rank() == 0 {
        std::thread::sleep(nap);
    }
    waiting.sum(&mut [1]).expect("sums");
    let long = waiting.seconds() > 0.5 * nap.as_secs_f64();
    assert_eq!(long, comm.rank() > 0, "rank {}: {} s", comm.rank(), waiting.seconds());

    // Time in `write` is the rank's own work.
    let (size, waiting) = (comm.size(), Waiting::new(comm));
    let others: Vec<(usize, usize)> = (1..size).map(|rank| (rank, 1)).collect();
    let (going, coming) = if comm.rank() == 0 { (&others[..], &[][..]) } else { (&[][..], &[(0, 1)][..]) };
    let mut naps = 0;
    let mut write = |_: usize, room: &mut [u8]| {
        std::thread::sleep(nap);
        naps += 1;
        room[0] = 3;
    };
    waiting
        .exchange_in_place(going, &mut write, coming, &mut |_, message| assert_eq!(message, [3]))
        .expect("exchanges");
    let long = waiting.seconds() > 0.5 * nap.as_secs_f64();
    assert_eq!(long, comm.rank() > 0, "rank {}: {} s in an exchange", comm.rank(), waiting.seconds());
    assert_eq!(naps, going.len());
}
