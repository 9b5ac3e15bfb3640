//! `post timeline`.

use hematite_config::{Exit, Fault, Result, print_line};
use hematite_dump::{RunState, Trace};
use hematite_stats::table::write_json;
use hematite_stats::timeline::drawing::Drawing;
use hematite_stats::timeline::window::Window;
use hematite_stats::timeline::{Summary, summary, tables};
use serde::Serialize;

use crate::arguments::{Steps, TimelineArguments};
use crate::say;

/// Most ranks in the common drawing.
const TOGETHER: usize = 8;

/// `timeline.json`.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    /// `None` if the folder holds only a trace.
    run_state: Option<RunState>,
}

/// Prints the summary of the trace of a run, and draws it.
pub fn run(arguments: &TimelineArguments) -> Result<Exit> {
    let trace = Trace::read(&arguments.place.run)?;
    let window = window(arguments, &trace)?;
    let summary = summary(&trace);
    let mut output = arguments.place.output();
    let run_state = say::known_state(&arguments.place.run);
    write_json(&output.file("timeline.json"), &Told { summary: &summary, run_state })?;
    tables::phases(&summary).write_csv(&output.file("timeline_phases.csv"))?;
    let ranks: Vec<_> = trace.ranks.iter().enumerate().collect();
    let mut draw = |name: String, what: &str, ranks: &[(usize, _)]| -> Result<()> {
        let steps = match window.first == window.last {
            true => format!("step {}", window.first),
            false => format!("steps {} to {}", window.first, window.last),
        };
        let run = output.run.clone();
        Drawing { what: format!("{what}, {steps}"), ranks: ranks.to_vec(), window }.write(&output.figure(name), &run)
    };
    for (number, rank) in &ranks {
        draw(format!("timeline_rank{number}"), &rank.device_name, &[(*number, *rank)])?;
    }
    if ranks.len() > 1 {
        let some = &ranks[..ranks.len().min(TOGETHER)];
        draw("timeline".to_owned(), &format!("ranks 0 to {} of {}", some.len() - 1, ranks.len()), some)?;
    }
    output.say()?;
    report(&summary)?;
    Ok(Exit::Done)
}

fn window(arguments: &TimelineArguments, trace: &Trace) -> Result<Window> {
    let whole = Window::whole(trace);
    match arguments.steps {
        None => Ok(Window::typical(trace)),
        Some(Steps::All) => Ok(whole),
        Some(Steps::Some([first, last])) if whole.first <= first && last <= whole.last => Ok(Window { first, last }),
        Some(Steps::Some([first, last])) => Err(Fault::usage(format!(
            "--steps {first}{}: {} holds steps {} to {}: choose among them, or trace others by run --trace",
            if first == last { String::new() } else { format!("-{last}") },
            arguments.place.run.join(Trace::FILE).display(),
            whole.first,
            whole.last
        ))),
    }
}

fn report(summary: &Summary) -> Result<()> {
    let steps = summary.end_step.saturating_sub(summary.first_step);
    print_line(&format!("{steps} steps from step {} on, ranks: {}", summary.first_step, summary.ranks.len()))?;
    let largest = |of: &dyn Fn(usize) -> Option<f64>| (0..summary.ranks.len()).filter_map(of).fold(0.0, f64::max);
    let clock = largest(&|rank| Some(summary.ranks[rank].clock_uncertainty_us));
    let device = largest(&|rank| summary.ranks[rank].device_uncertainty_us);
    print_line(&format!("clocks: of ranks within {clock:.1} us, of devices within {device:.1} us of their hosts"))?;
    if summary.ranks.iter().any(|rank| rank.device_busy.is_none()) {
        say::note("left out what devices did: some have no timestamps");
    }
    print_line(&format!("\n{}", tables::ranks(summary).aligned()))?;
    print_line(tables::brief_phases(summary).aligned().trim_end())
}
