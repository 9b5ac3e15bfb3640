//! Watches the ranks of the same host. All others would wait for a rank that is gone, or stopped by a signal or a
//! debugger.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use hematite_config::{Fault, Result};

/// Environment variable with two times in seconds: until a stopped rank is reported, and from then until the run ends.
const VARIABLE: &str = "HEMATITE_PATIENCE";

/// Longest time between two looks, s.
const TICK: f64 = 1.0;

/// How long a rank may be stopped, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Patience {
    /// Time until it is reported, s.
    told: f64,
    /// Time from then until the run ends, s; may be infinite.
    ends: f64,
}

impl Patience {
    /// The times in the environment variable, by default 10 s and 60 s.
    ///
    /// # Errors
    /// A usage fault where the variable is invalid.
    pub fn of_environment() -> Result<Self> {
        std::env::var(VARIABLE).map_or(Ok(Self { told: 10.0, ends: 60.0 }), |text| Self::read(&text))
    }

    fn read(text: &str) -> Result<Self> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[told, ends]) if told > 0.0 && told.is_finite() && ends >= 0.0 => Ok(Self { told, ends }),
            _ => Err(Fault::usage(format!(
                "{VARIABLE}={text} in the environment: write after how many seconds a stopped rank is told of and after how many \
                 more the run ends, such as 10,60; 10,inf never ends it"
            ))),
        }
    }
}

/// A notice about another rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The rank is stopped or gone, or goes on again.
    Warning(String),
    /// The rank was stopped or gone for too long: this process must end with the fault.
    Lost(Fault),
}

/// The process of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    /// Number of the rank.
    pub rank: usize,
    /// Number of the process on the host.
    pub number: u64,
    /// When the process started, in the kernel's clock, since process numbers are reused.
    pub started: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    Runs,
    Stopped,
    Gone,
}

impl Process {
    /// This process; `None` where the system gives no information on processes.
    pub fn own(rank: usize) -> Option<Self> {
        let number = std::process::id().into();
        Some(Self { rank, number, started: state_of(number)?.1 })
    }

    fn condition(self) -> Condition {
        match state_of(self.number) {
            Some((_, started)) if started != self.started => Condition::Gone,
            None | Some(('Z' | 'X', _)) => Condition::Gone,
            Some(('T' | 't', _)) => Condition::Stopped,
            Some(_) => Condition::Runs,
        }
    }
}

/// The state of a process, as a letter, and when it started.
fn state_of(process: u64) -> Option<(char, u64)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the process, before ") ", may contain any character.
    let mut fields = text.rsplit_once(") ")?.1.split(' ');
    Some((fields.next()?.chars().next()?, fields.nth(18)?.parse().ok()?))
}

/// Watches other ranks until dropped.
pub(crate) struct Watch {
    ended: Arc<AtomicBool>,
}

impl Watch {
    /// Begins to watch `others`, ranks of this host in ascending order, for rank `own`. Only the lowest rank of the
    /// host that is not stopped reports.
    pub fn begin(own: usize, others: Vec<Process>, patience: Patience, tell: impl Fn(Notice) + Send + 'static) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&ended);
        let tick = (patience.told / 4.0).min(TICK);
        let mut seconds = vec![0.0; others.len()];
        let watch = move || {
            while !until.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_secs_f64(tick));
                look(own, &others, patience, tick, &mut seconds, &tell);
            }
        };
        // If the thread cannot start, the run goes on without it.
        let _unwatched = thread::Builder::new().name("watch".to_owned()).spawn(watch);
        Self { ended }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// Looks once at all processes. `seconds` holds for how long each was seen not to run. It adds `tick` at each look
/// instead of measuring time, since this process may have been stopped too.
fn look(own: usize, others: &[Process], patience: Patience, tick: f64, seconds: &mut [f64], tell: &impl Fn(Notice)) {
    let conditions: Vec<Condition> = others.iter().map(|process| process.condition()).collect();
    for (k, process) in others.iter().enumerate().filter(|(k, _)| conditions[*k] == Condition::Runs) {
        if std::mem::take(&mut seconds[k]) >= patience.told {
            tell(Notice::Warning(format!("rank {} goes on", process.rank)));
        }
    }
    let speaks = |(process, condition): (&Process, &Condition)| process.rank < own && *condition == Condition::Runs;
    if others.iter().zip(&conditions).any(speaks) {
        seconds.fill(0.0);
        return;
    }
    for (k, (process, condition)) in others.iter().zip(conditions).enumerate() {
        if condition == Condition::Runs {
            continue;
        }
        let before = seconds[k];
        let now = before + tick;
        seconds[k] = now;
        if before < patience.told && now >= patience.told {
            tell(Notice::Warning(stopped(*process, condition, patience)));
        }
        if now >= patience.told + patience.ends {
            let what = if condition == Condition::Gone { "gone" } else { "stopped" };
            tell(Notice::Lost(Fault::lost_rank(format!(
                "{} has been {what} for {now:.0} s: the run ends; go on by --restart",
                name(*process)
            ))));
        }
    }
}

fn name(process: Process) -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("rank {} (process {} on {})", process.rank, process.number, host.trim())
}

fn stopped(process: Process, condition: Condition, Patience { told, ends }: Patience) -> String {
    let end = if ends.is_finite() {
        format!("the run ends with exit code 7 in {ends} s")
    } else {
        "the run waits for ever".to_owned()
    };
    let (name, number) = (name(process), process.number);
    match condition {
        Condition::Gone => format!("{name} has been gone for {told} s, and the others wait for it: {end}"),
        _ => format!(
            "{name} has been stopped for {told} s, by a signal or a debugger, and the others wait for it: kill -CONT {number} lets it \
             go on, else {end} ({VARIABLE} sets these times)"
        ),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Child, Command};
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    const PATIENCE: Patience = Patience { told: 0.2, ends: 0.4 };

    fn sleeper() -> (Child, Process) {
        let child = Command::new("sleep").arg("600").spawn().expect("starts");
        let number = child.id().into();
        let started = state_of(number).expect("a process").1;
        (child, Process { rank: 3, number, started })
    }

    fn signal(child: &Child, signal: &str) {
        let status = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().expect("kill");
        assert!(status.success());
    }

    fn watch(own: usize, others: Vec<Process>) -> (Watch, Receiver<Notice>) {
        let (tell, told) = channel();
        let watch = Watch::begin(own, others, PATIENCE, move |notice| {
            let _unheard = tell.send(notice);
        });
        (watch, told)
    }

    fn next(told: &Receiver<Notice>) -> String {
        match told.recv_timeout(Duration::from_secs(60)).expect("is told") {
            Notice::Warning(text) => text,
            Notice::Lost(fault) => format!("lost: {}", fault.message),
        }
    }

    #[test]
    fn a_stopped_process_is_told_of_and_given_up() {
        let (mut child, process) = sleeper();
        let (_watch, told) = watch(0, vec![process]);
        signal(&child, "STOP");
        let text = next(&told);
        assert!(text.contains(&format!("rank 3 (process {} on ", child.id())) && text.contains("kill -CONT"), "{text}");
        signal(&child, "CONT");
        let mut text = next(&told);
        while text.starts_with("lost") {
            // On a busy machine it may take long until a process goes on.
            text = next(&told);
        }
        assert!(text.contains("rank 3 goes on"), "{text}");
        child.kill().and_then(|()| child.wait()).expect("ends");
        let text = next(&told);
        assert!(text.contains("has been gone for 0.2 s"), "{text}");
        let text = next(&told);
        assert!(text.starts_with("lost: rank 3 (process "), "{text}");
    }

    #[test]
    fn the_first_that_runs_speaks() {
        let [mut first, mut second] = [sleeper(), sleeper()];
        let others = vec![Process { rank: 0, ..first.1 }, Process { rank: 2, ..second.1 }];
        signal(&second.0, "STOP");
        let (_watch, told) = watch(1, others);
        assert!(told.recv_timeout(Duration::from_secs(1)).is_err(), "rank 0 runs and speaks");
        signal(&first.0, "STOP");
        let both = [next(&told), next(&told)].join("\n");
        assert!(both.contains("rank 0 (process") && both.contains("rank 2 (process"), "{both}");
        for child in [&mut first.0, &mut second.0] {
            child.kill().and_then(|()| child.wait()).expect("ends");
        }
    }

    #[test]
    fn patience_is_read() {
        assert_eq!(Patience::read("0.5, 2"), Ok(Patience { told: 0.5, ends: 2.0 }));
        assert_eq!(Patience::read("10,inf").map(|patience| patience.ends), Ok(f64::INFINITY));
        for bad in ["", "10", "0,1", "inf,1", "NaN,1", "1,-1", "1,2,3", "soon,later"] {
            let fault = Patience::read(bad).expect_err(bad);
            assert!(fault.message.contains(VARIABLE) && fault.message.contains("10,60"), "{fault}");
        }
    }
}
