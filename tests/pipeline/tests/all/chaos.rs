//! Ranks killed at any time: what goes on from the last checkpoint, on other numbers of ranks, is what runs without.

use std::time::Duration;

use pipeline_tests::suspension::{Suspension, identical};
use pipeline_tests::{Call, Folder, Random, is_full, kinds, send, tool};
use serde_json::json;

/// How many rounds there are: each is a run of the next kind.
const VARIABLE: &str = "HEMATITE_CHAOS";

/// Rounds where the environment does not say.
const ROUNDS: u64 = 1;

/// Kills in a round, in the short suite and in the full one.
const KILLS: [u64; 2] = [1, 3];

#[test]
fn killed_ranks_leave_no_trace() {
    let rounds = std::env::var(VARIABLE).map_or(ROUNDS, |text| text.parse().expect("a number of rounds"));
    let all = [
        ("bodies", kinds::bodies()),
        ("membranes", kinds::membranes()),
        ("cells", kinds::cells()),
        ("outlets", kinds::outlets()),
    ];
    let mut killed = 0;
    for round in 0..rounds {
        let (kind, suspension) = &all[(round % 4) as usize];
        let victims = one_round(suspension, &mut Random::of(round));
        println!("round {round}, {kind}: killed {}", victims.join(", "));
        killed += victims.len();
    }
    println!("{killed} kills in {rounds} rounds");
    assert!(killed > 0, "no rank was killed before its run was done");
}

/// Gives which ranks were killed, and at which checkpoint.
fn one_round(suspension: &Suspension, random: &mut Random) -> Vec<String> {
    let mut suspension = suspension.clone();
    suspension.run["checkpoint"] = json!({"every": 20 + random.below(20)});
    suspension.run["balance"] = json!({"every": 50, "tolerance": 0.0});
    let folder = suspension.folder();
    let _straight = folder.run(&["run.json", "-o", "straight", "--quiet"]).done();
    let mut killed = Vec::new();
    let kills = KILLS[usize::from(is_full())];
    for kill in 0..kills {
        let ranks = 2 + random.below(3);
        let call = ["run.json", "-o", "killed", "--restart", "--quiet"];
        let mut running = Call::mpi(ranks as usize, &tool("run"), &call, &folder.path("")).start();
        // The first of several may be killed before it has begun; others get a little further.
        let before = newest(&folder);
        if kill > 0 || kills == 1 {
            running.wait_for(|| newest(&folder) > before);
        }
        std::thread::sleep(Duration::from_millis(random.below(700)));
        let processes = running.ranks();
        let rank = random.below(ranks) as usize;
        if processes.get(rank).is_some_and(|&process| send("KILL", process)) {
            let reached = newest(&folder).unwrap_or_else(|| "no checkpoint".to_owned());
            killed.push(format!("rank {rank} of {ranks} after {reached}"));
        }
        if running.end_after_kill().code == Some(0) {
            break;
        }
    }
    let threads = (1 + random.below(if is_full() { 4 } else { 2 })).to_string();
    let _rest = folder.run(&["run.json", "-o", "killed", "--restart", "--quiet", "--threads", &threads]).done();
    identical(&folder, "straight", "killed");
    killed
}

/// The name of the newest checkpoint.
fn newest(folder: &Folder) -> Option<String> {
    let entries = std::fs::read_dir(folder.path("killed/checkpoint")).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| !name.ends_with(".partial")).max()
}
