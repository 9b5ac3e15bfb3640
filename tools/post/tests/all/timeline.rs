//! `post timeline` as users call it, on a trace whose overlap is known.

use hematite_dump::{RankTrace, Trace, TraceEvent};

use crate::common::{done, json_of, post, text};

fn event(name: &str, step: u64, begin: i64, end: i64) -> TraceEvent {
    TraceEvent { name: name.to_owned(), step, begin: 1000 * begin, end: 1000 * end }
}

/// Two ranks, 40 steps of 100 us from step 64 on. A message is on its way for 60 us, of which 45 on rank 0 and 30 on
/// rank 1 lie under interior work.
fn trace() -> Trace {
    let rank = |interior: i64| {
        let mut rank = RankTrace {
            device_name: "a device".to_owned(),
            clock_uncertainty: 1500,
            device_uncertainty: Some(4000),
            ..RankTrace::default()
        };
        for step in 64..104 {
            let t = 100 * (step as i64 - 64);
            rank.host.extend([event("record", step, t, t + 100), event("exchange halo", step, t + 20, t + 70)]);
            rank.device
                .extend([event("pack halo", step, t, t + 10), event("interior", step, t + 12, t + 12 + interior)]);
        }
        rank
    };
    Trace { first: 64, end: 104, ranks: vec![rank(45), rank(30)] }
}

#[test]
fn the_overlap_of_a_known_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    trace().write(&run).expect("writes");
    let output = post(&["timeline", text(&run)]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    done(&output);
    assert!(output.stderr.is_empty());
    for piece in ["75.0 %", "50.0 %", "1.5 us", "4.0 us", "40 steps from step 64 on, ranks: 2"] {
        assert!(said.contains(piece), "{piece} is missing in\n{said}");
    }
    let statistics = run.join("statistics");
    let json = json_of(&statistics.join("timeline.json"));
    for (rank, share) in [(0, 45.0 / 60.0), (1, 30.0 / 60.0)] {
        let halo = &json["ranks"][rank]["exchange"]["halo"];
        assert!((halo["under_interior"].as_f64().expect("a number") - share).abs() < 1e-12, "{halo}");
        assert_eq!(halo["messages"], 40);
    }
    let phases = std::fs::read_to_string(statistics.join("timeline_phases.csv")).expect("is there");
    assert!(phases.lines().any(|line| line.starts_with("0,host,record,40,2,0.05,")), "without the exchange:\n{phases}");
    for name in ["timeline_rank0.svg", "timeline_rank1.svg", "timeline.svg"] {
        let svg = std::fs::read_to_string(statistics.join(name)).expect("is there");
        assert!(
            svg.starts_with("<svg") && svg.contains("interior, step ") && svg.matches(">step ").count() == 3,
            "{name}"
        );
    }
}

#[test]
fn steps_are_chosen() {
    let folder = tempfile::tempdir().expect("a folder");
    let (run, out) = (folder.path().join("run"), folder.path().join("out"));
    trace().write(&run).expect("writes");
    for (steps, interiors) in [("70", 1), ("70-74", 5), ("all", 40)] {
        assert_eq!(post(&["timeline", text(&run), "--steps", steps, "-o", text(&out)]).status.code(), Some(0));
        let svg = std::fs::read_to_string(out.join("timeline_rank0.svg")).expect("is there");
        assert_eq!(svg.matches("<title>interior").count(), interiors, "{steps}");
    }
    assert!(!run.join("statistics").exists());
    for (arguments, pieces) in [
        (&["--steps", "60-70"][..], ["--steps 60-70: ", "64 to 103", "--trace"]),
        (&["--steps", "104"], ["--steps 104: ", "64 to 103", "trace.json"]),
        (&["--steps", "9-3"], ["--steps", "128-135", "all"]),
    ] {
        let output = post(&[&["timeline", text(&run)], arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(pieces.iter().all(|piece| message.contains(piece)), "{message}");
    }
}

#[test]
fn a_run_without_a_trace_says_how_to_get_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = post(&["timeline", text(folder.path())]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("trace.json") && message.contains("--trace"), "{message}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("lists").count(), 0, "nothing is written");
}
