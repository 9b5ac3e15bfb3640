//! `run --trace` and `run --bench`: a trace holds together, phases add up, and the results stay the same.

use hematite_dump::{RankTrace, Trace, TraceEvent};
use pipeline_tests::{Folder, configs, is_full, suspension};
use serde_json::{Value, json};

/// Events of a thread begin one after the other, steps ascend, and each lies within those that are open or after them.
fn holds_together(events: &[TraceEvent], nested: bool) {
    let mut open: Vec<i64> = Vec::new();
    for pair in events.windows(2) {
        assert!(pair[0].begin <= pair[1].begin && pair[0].step <= pair[1].step, "{pair:?}");
    }
    for event in events {
        assert!(event.begin <= event.end, "{event:?}");
        open.retain(|end| *end > event.begin);
        assert!(open.iter().all(|end| event.end <= *end), "{event:?} reaches over what it lies in");
        assert!(nested || open.is_empty(), "{event:?} lies in another");
        open.push(event.end);
    }
}

/// The device works between the host's first and last word on it, as far as clocks are known.
fn within_the_run(rank: &RankTrace) {
    let slack = rank.device_uncertainty.expect("a device with timestamps") + 1000;
    let first = rank.host.iter().map(|event| event.begin).min().expect("events");
    let last = rank.host.iter().map(|event| event.end).max().expect("events");
    let inside = |event: &TraceEvent| first - slack <= event.begin && event.end <= last + slack;
    assert!(rank.device.iter().all(inside), "{first} to {last}, {slack} ns");
}

fn names(events: &[TraceEvent]) -> Vec<&str> {
    let mut names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn two_ranks_with_cells() {
    let mut suspension = suspension::bent_channel();
    suspension.run["time"]["steps"] = json!(300);
    suspension.run["dumps"] = json!([{"every": 150}]);
    suspension.run["cell_dumps"] = json!({"every": 75});
    let folder = suspension.folder();
    let _plain = folder.run(&["run.json", "-o", "plain", "--threads", "2", "--quiet"]).done();
    // Where a device waits for messages by itself, packing is no phase of its own.
    let arguments = ["run.json", "-o", "traced", "--threads", "2", "--trace", "20"];
    let said = folder.call("run", &arguments).with("HEMATITE_DEVICE_WAITS", "0").end().done();
    assert!(said.stderr.contains("trace.json"), "{}", said.stderr);
    assert!(!folder.has("plain/trace.json"));
    let same = folder.post(&["compare", "plain", "traced"]).done();
    assert!(same.stdout.starts_with("the same"), "{}", same.stdout);

    let trace = Trace::read(&folder.path("traced")).expect("reads");
    assert_eq!((trace.end - trace.first, trace.ranks.len()), (20, 2));
    for rank in &trace.ranks {
        holds_together(&rank.host, true);
        holds_together(&rank.device, false);
        within_the_run(rank);
        let (host, device) = (names(&rank.host), names(&rank.device));
        for name in ["record", "submit", "wait", "copy", "exchange halo", "exchange shares", "agree"] {
            assert!(host.contains(&name), "{name} is missing in {host:?}");
        }
        for name in ["interface", "pack halo", "interior", "unpack halo", "interpolate", "membranes", "spread"] {
            assert!(device.contains(&name), "{name} is missing in {device:?}");
        }
        let steps = rank.device.iter().filter(|event| event.name == "interior").map(|event| event.step);
        assert_eq!(steps.collect::<Vec<_>>(), (trace.first..trace.end).collect::<Vec<_>>());
    }
    // A rank cannot hear of a halo before the other one has packed it.
    for step in trace.first..trace.end {
        let of = |events: &[TraceEvent], name: &str| {
            events.iter().find(|event| event.name == name && event.step == step).expect("there").clone()
        };
        for (from, to) in [(0, 1), (1, 0)] {
            let packed = of(&trace.ranks[from].device, "pack halo").end;
            let arrived = of(&trace.ranks[to].host, "exchange halo").end;
            let slack =
                trace.ranks.iter().map(|r| r.clock_uncertainty + r.device_uncertainty.unwrap_or(0)).sum::<i64>();
            assert!(packed <= arrived + slack, "step {step}: packed at {packed}, arrived at {arrived}");
        }
    }

    let shown = folder.post(&["timeline", "traced"]).done();
    assert!(shown.stdout.contains("interior") && folder.has("traced/statistics/timeline.svg"), "{}", shown.stdout);
    let json = folder.read_json("traced/statistics/timeline.json");
    let share = |value: &Value| value.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share));
    assert!(share(&json["ranks"][1]["device_busy"]) && share(&json["ranks"][1]["exchange"]["halo"]["under_interior"]));
}

#[test]
fn two_ranks_of_fluid_alone_trade_every_second_step() {
    let folder = Folder::with_vessel();
    let _traced = folder.run(&["run.json", "-o", "out", "--quiet", "--threads", "2", "--trace", "50"]).done();
    let trace = Trace::read(&folder.path("out")).expect("reads");
    // After a quarter of the run, or later where that took no time.
    let first = trace.first;
    assert!([25, 50].contains(&first) && trace.end == first + 50, "{first} to {}", trace.end);
    for rank in &trace.ranks {
        holds_together(&rank.host, true);
        holds_together(&rank.device, false);
        let packed = rank.device.iter().filter(|event| event.name == "pack halo").map(|event| event.step);
        let odd: Vec<u64> = (first..trace.end).filter(|step| step % 2 == 1).collect();
        assert_eq!(packed.collect::<Vec<_>>(), odd, "after odd steps alone");
        let exchanged = rank.host.iter().filter(|event| event.name == "exchange halo").count();
        assert_eq!(exchanged, 25);
    }
    let _timeline = folder.post(&["timeline", "out"]).done();
    let json = folder.read_json("out/statistics/timeline.json");
    assert_eq!(json["ranks"][0]["exchange"]["halo"]["messages"], 25);
}

#[test]
fn one_rank_alone_and_the_trace_of_an_earlier_run() {
    let folder = Folder::with_vessel();
    let _traced = folder.run(&["run.json", "-o", "out", "--quiet", "--trace"]).done();
    let trace = Trace::read(&folder.path("out")).expect("reads");
    assert_eq!((trace.first, trace.end, trace.ranks.len()), (25, 100, 1));
    holds_together(&trace.ranks[0].host, true);
    holds_together(&trace.ranks[0].device, false);
    let steps: Vec<u64> =
        trace.ranks[0].device.iter().filter(|event| event.name == "fluid").map(|event| event.step).collect();
    assert_eq!(steps, (25..100).collect::<Vec<_>>(), "an event a step, also where steps share a submission");
    let log = folder.read("out/log.jsonl");
    assert!(log.lines().any(|line| line.contains("\"trace\"") && line.contains("25")), "{log}");
    let mut short = configs::vessel_run();
    (short["time"]["steps"], short["dumps"]) = (json!(8), json!([{"every": 4}]));
    folder.json("short.json", &short);
    let _traced = folder.run(&["-o", "out", "--quiet", "--force", "--trace", "short.json"]).done();
    assert_eq!(Trace::read(&folder.path("out")).map(|trace| (trace.first, trace.end)), Ok((2, 8)));
    let _plain = folder.run(&["run.json", "-o", "out", "--force", "--quiet"]).done();
    assert!(!folder.has("out/trace.json"), "it told of another run");
    folder.post(&["timeline", "out"]).fails(2, &["trace.json", "--trace"]);
    for wrong in ["0", "soon"] {
        let refused = folder.run(&["run.json", "-o", "other", "--trace", wrong]).exits(2);
        assert!(refused.stderr.contains("time steps to trace") && !folder.has("other"), "{}", refused.stderr);
    }
}

#[test]
fn phases_of_a_bench_add_up() {
    let folder = suspension::bent_channel().folder();
    for threads in if is_full() { &["1", "2"][..] } else { &["2"] } {
        let called = folder.run(&["run.json", "--bench=json", "--steps", "20", "--threads", threads, "--quiet"]).done();
        let bench: Value = serde_json::from_str(&called.stdout).expect("JSON");
        let number = |key: &str| bench[key].as_f64().unwrap_or_else(|| panic!("no {key}: {bench}"));
        let phases = bench["phases"].as_array().expect("phases");
        let busy: f64 = phases.iter().map(|phase| phase["ms"].as_f64().expect("a time")).sum();
        assert!(phases.len() > 5 && busy > 0.0, "{bench}");
        assert!((busy + number("idle") - number("whole")).abs() < 1e-9 * number("whole"), "{bench}");
        assert!(number("idle") > -0.05 * number("whole"), "{bench}");
        let balance = number("balance");
        assert!(if *threads == "1" { balance == 1.0 } else { (0.5..=1.0).contains(&balance) }, "{bench}");
        assert!(bench["host"].as_array().expect("phases").iter().any(|phase| phase["name"] == "migration"), "{bench}");
        assert!(!folder.has("run"));
    }
    let text = folder.run(&["run.json", "--bench", "--steps", "10", "--threads", "2", "--quiet"]).done().stdout;
    for piece in ["MLUPS", "whose device works longest", "idle", "whole step", "on the host meanwhile"] {
        assert!(text.contains(piece), "{text}");
    }
}
