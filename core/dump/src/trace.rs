//! `trace.json`: when hosts and devices of a run did what, in the trace event format of Chrome and Perfetto.
//!
//! Each rank is a process: thread 0 is its host, thread 1 its device. Complete events ("ph": "X") have `ts` and `dur`
//! in microseconds of rank 0's clock, and the time step in `args`. `otherData` holds the uncertainties of clocks.
//! Format: "Trace Event Format", D. Duca and N. Sung, 2016.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use hematite_config::{Fault, Result, publish};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::h5::writing;

/// A trace of some time steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The first time step.
    pub first: u64,
    /// The step after the last.
    pub end: u64,
    /// Events of each rank.
    pub ranks: Vec<RankTrace>,
}

/// The events of one rank.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankTrace {
    /// The device's name.
    pub device_name: String,
    /// The largest error of the host's clock against rank 0's, in nanoseconds.
    pub clock_uncertainty: i64,
    /// The largest error of the device's times against those of its host, in nanoseconds; `None` without timestamps.
    pub device_uncertainty: Option<i64>,
    /// Work of the host, ascending by beginning; events nest.
    pub host: Vec<TraceEvent>,
    /// Work of the device; events do not overlap.
    pub device: Vec<TraceEvent>,
}

/// One phase of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceEvent {
    /// Name of the phase.
    pub name: String,
    /// The time step at work.
    pub step: u64,
    /// When it began, in nanoseconds.
    pub begin: i64,
    /// When it ended, in nanoseconds.
    pub end: i64,
}

/// Data in the file beside events.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Notes {
    hematite: String,
    first_step: u64,
    end_step: u64,
    /// Microseconds, one entry a rank.
    clock_uncertainty_us: Vec<f64>,
    device_uncertainty_us: Vec<Option<f64>>,
    devices: Vec<String>,
}

/// The file as it is read; keys that other programs added are ignored.
#[derive(Deserialize)]
struct Document {
    #[serde(rename = "otherData")]
    notes: Notes,
    #[serde(rename = "traceEvents")]
    events: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    name: String,
    ph: String,
    pid: usize,
    #[serde(default)]
    tid: usize,
    #[serde(default)]
    ts: f64,
    #[serde(default)]
    dur: f64,
    #[serde(default)]
    args: Value,
}

fn micros(nanos: i64) -> f64 {
    nanos as f64 / 1e3
}

fn nanos(micros: f64) -> i64 {
    (micros * 1e3).round() as i64
}

impl Trace {
    /// Name of the file in a run folder.
    pub const FILE: &str = "trace.json";

    /// Writes the trace into a run folder.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write(&self, run: &Path) -> Result<()> {
        let path = run.join(Self::FILE);
        publish(&path, |path| {
            let file = File::create(path).map_err(writing(path))?;
            let mut file = BufWriter::new(file);
            self.print(&mut file).and_then(|()| file.flush()).map_err(writing(path))
        })
    }

    fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        let notes = Notes {
            hematite: env!("CARGO_PKG_VERSION").to_owned(),
            first_step: self.first,
            end_step: self.end,
            clock_uncertainty_us: self.ranks.iter().map(|rank| micros(rank.clock_uncertainty)).collect(),
            device_uncertainty_us: self.ranks.iter().map(|rank| rank.device_uncertainty.map(micros)).collect(),
            devices: self.ranks.iter().map(|rank| rank.device_name.clone()).collect(),
        };
        write!(
            out,
            "{{\"displayTimeUnit\": \"ms\",\n\"otherData\": {},\n\"traceEvents\": [",
            serde_json::to_string(&notes)?
        )?;
        let mut before = "\n";
        for (pid, rank) in self.ranks.iter().enumerate() {
            let process = format!("rank {pid}: {}", rank.device_name);
            let names = [
                json!({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": process}}),
                json!({"name": "process_sort_index", "ph": "M", "pid": pid, "args": {"sort_index": pid}}),
                json!({"name": "thread_name", "ph": "M", "pid": pid, "tid": 0, "args": {"name": "host"}}),
                json!({"name": "thread_name", "ph": "M", "pid": pid, "tid": 1, "args": {"name": "device"}}),
            ];
            for name in names {
                write!(out, "{before}{name}")?;
                before = ",\n";
            }
            for (tid, events) in [&rank.host, &rank.device].into_iter().enumerate() {
                for TraceEvent { name, step, begin, end } in events {
                    let (ts, dur) = (micros(*begin), micros(end - begin));
                    let name = serde_json::to_string(name)?;
                    let place = format!("\"pid\":{pid},\"tid\":{tid},\"args\":{{\"step\":{step}}}");
                    write!(out, "{before}{{\"name\":{name},\"ph\":\"X\",\"ts\":{ts:.3},\"dur\":{dur:.3},{place}}}")?;
                }
            }
        }
        writeln!(out, "\n]}}")
    }

    /// Reads the trace of a run folder.
    ///
    /// # Errors
    /// A usage fault when the file is missing, which says how to make it, or damaged.
    pub fn read(run: &Path) -> Result<Self> {
        let path = run.join(Self::FILE);
        if !path.exists() {
            return Err(Fault::usage(format!(
                "{}: there is no trace: a run leaves one where it is called with --trace, as in: run RUN.json --trace",
                path.display()
            )));
        }
        let Document { notes, events } = hematite_config::read(&path)?;
        let fault = |what: String| Fault::usage(format!("{}: {what}: make it again by run --trace", path.display()));
        let ranks = notes.devices.len();
        if notes.clock_uncertainty_us.len() != ranks || notes.device_uncertainty_us.len() != ranks {
            return Err(fault("\"otherData\" does not have one entry a rank".to_owned()));
        }
        let rank = |((device, clock), uncertainty): ((String, &f64), &Option<f64>)| RankTrace {
            device_name: device,
            clock_uncertainty: nanos(*clock),
            device_uncertainty: uncertainty.map(nanos),
            ..RankTrace::default()
        };
        let given = notes.devices.into_iter().zip(&notes.clock_uncertainty_us).zip(&notes.device_uncertainty_us);
        let mut trace = Self { first: notes.first_step, end: notes.end_step, ranks: given.map(rank).collect() };
        for (number, Line { name, ph, pid, tid, ts, dur, args }) in events.into_iter().enumerate() {
            if ph != "X" {
                continue;
            }
            let rank = trace.ranks.get_mut(pid).filter(|_| tid < 2 && ts.is_finite() && dur >= 0.0);
            let (Some(rank), Some(step)) = (rank, args["step"].as_u64()) else {
                return Err(fault(format!(
                    "event {number} (\"{name}\") has no rank, thread, duration or step of this run"
                )));
            };
            let begin = nanos(ts);
            let thread = if tid == 0 { &mut rank.host } else { &mut rank.device };
            thread.push(TraceEvent { name, step, begin, end: begin + nanos(dur) });
        }
        Ok(trace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str, step: u64, begin: i64, end: i64) -> TraceEvent {
        TraceEvent { name: name.to_owned(), step, begin, end }
    }

    #[test]
    fn a_trace_survives() {
        let run = tempfile::tempdir().expect("a folder");
        let rank = |shift| RankTrace {
            device_name: "a \"GPU\"".to_owned(),
            clock_uncertainty: 7 * shift,
            device_uncertainty: (shift > 0).then_some(1234),
            host: vec![event("record", 5, shift, shift + 2_000_001), event("wait", 5, shift + 1, shift + 20)],
            device: vec![
                event("interior", 5, 1_000_000_007, 1_000_000_007),
                event("pack", 6, 3_000_000_000_001, 4_000_000_000_002),
            ],
        };
        let trace = Trace { first: 5, end: 7, ranks: vec![rank(0), rank(123_456)] };
        trace.write(run.path()).expect("writes");
        assert_eq!(Trace::read(run.path()), Ok(trace));
        let text = std::fs::read_to_string(run.path().join(Trace::FILE)).expect("reads");
        let value: Value = serde_json::from_str(&text).expect("is JSON");
        let found = value["traceEvents"].as_array().expect("events").iter().find(|event| event["name"] == "pack");
        let wanted = json!({"name": "pack", "ph": "X", "ts": 3_000_000_000.001, "dur": 1_000_000_000.001, "pid": 0, "tid": 1,
            "args": {"step": 6}});
        assert_eq!(found, Some(&wanted));
        assert_eq!(text.lines().count(), 3 + 2 * 8 + 1, "one event a line");
    }

    #[test]
    fn faults_say_what_to_do() {
        let run = tempfile::tempdir().expect("a folder");
        let message = Trace::read(run.path()).expect_err("there is none").message;
        assert!(message.contains("trace.json") && message.contains("--trace"), "{message}");
        let line = |event: &str| {
            let notes = r#"{"hematite":"0","first_step":0,"end_step":1,"clock_uncertainty_us":[0],"device_uncertainty_us":[null],"devices":["d"]}"#;
            std::fs::write(
                run.path().join(Trace::FILE),
                format!("{{\"otherData\":{notes},\"traceEvents\":[{event}]}}"),
            )
            .expect("writes");
            Trace::read(run.path())
        };
        assert!(line(r#"{"name":"a","ph":"X","pid":0,"tid":0,"ts":1,"dur":1,"args":{"step":0}}"#).is_ok());
        for broken in [
            r#"{"name":"a","ph":"X","pid":1,"tid":0,"ts":1,"dur":1,"args":{"step":0}}"#,
            r#"{"name":"a","ph":"X","pid":0,"tid":0,"ts":1,"dur":-1,"args":{"step":0}}"#,
            r#"{"name":"a","ph":"X","pid":0,"tid":0,"ts":1,"dur":1}"#,
            r#"{"name":"a"}"#,
        ] {
            let message = line(broken).expect_err("broken").message;
            assert!(message.contains("trace.json"), "{message}");
        }
    }
}
