//! Changes of the config at a restart: which are allowed.

use std::collections::BTreeSet;
use std::path::Path;

use hematite_config::{Fault, Result};
use hematite_dump::ChangeRecord;
use serde_json::Value;

/// The key beside the name of a table in a checkpoint's config: the SHA-256 of the table's numbers.
pub const CONTENT: &str = "content_sha256";

/// Most changes of physics that a message lists.
const TOLD: usize = 3;

/// The keys in which a config differs from that of the checkpoint at `path`.
///
/// # Errors
/// A usage fault where they change the physics and this is not `allowed`. It offers to allow it if the state `bears`
/// the changes.
pub fn between(before: &Value, now: &Value, path: &Path, allowed: bool, bears: bool) -> Result<Vec<ChangeRecord>> {
    let changes = all(before, now);
    let physics: Vec<&ChangeRecord> = changes.iter().filter(|change| change.is_of_physics()).collect();
    if physics.is_empty() || allowed {
        return Ok(changes);
    }
    let told = |change: &&ChangeRecord| format!("\"{}\" was {}, now {}", change.key, change.before, change.now);
    let mut text: Vec<String> = physics.iter().take(TOLD).map(told).collect();
    if physics.len() > TOLD {
        text.push(format!("and {} more", physics.len() - TOLD));
    }
    let remedy = match bears {
        true => {
            "Put the old values back, begin anew into another folder by -o, or go on with the new values by --allow-changes"
        }
        false => "Its state cannot go on with them: put the old values back, or begin anew into another folder by -o",
    };
    Err(Fault::usage(format!("{} is of a run with other physics: {}. {remedy}", path.display(), text.join("; "))))
}

/// The tables whose numbers changed.
pub fn tables(before: &Value, now: &Value) -> Vec<ChangeRecord> {
    let mut changes = all(before, now);
    changes.retain(|change| is_content(&change.key));
    changes
}

fn all(before: &Value, now: &Value) -> Vec<ChangeRecord> {
    let mut changes = Vec::new();
    collect("", before, now, &mut changes);
    // Checkpoints of earlier versions lack this key; for a new table, the key of its file has changed too.
    changes.retain(|change| !(is_content(&change.key) && change.before.is_null()));
    changes
}

fn is_content(key: &str) -> bool {
    key.rsplit('.').next() == Some(CONTENT)
}

/// Adds the keys below `key` in which two values differ; an absent value is null.
fn collect(key: &str, before: &Value, now: &Value, changes: &mut Vec<ChangeRecord>) {
    if let (Value::Object(one), Value::Object(other)) = (before, now) {
        let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
        for name in names {
            let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            collect(&key, &before[name], &now[name], changes);
        }
    } else if !is_same(before, now) {
        changes.push(ChangeRecord { key: key.to_owned(), before: before.clone(), now: now.clone() });
    }
}

/// Whether two values are the same apart from the rounding of units: "9 mm/s" is 0.009000000000000001 m/s.
fn is_same(before: &Value, now: &Value) -> bool {
    let quantity = |value: &Value| -> Option<(f64, String)> {
        let (number, unit) = value.as_str()?.split_once(' ')?;
        Some((number.parse().ok()?, unit.to_owned()))
    };
    before == now
        || quantity(before)
            .zip(quantity(now))
            .is_some_and(|((a, of_a), (b, of_b))| of_a == of_b && (a - b).abs() <= 1e-12 * b.abs())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config() -> Value {
        json!({
            "fluid": {"lattice_boltzmann": {"viscosity": "0.001 Pa s", "tau": 0.8}}, "time": {"step": null, "steps": 10}, "dumps": [{"every": 5}],
            "openings": {"in": {"velocity": "0.01 m/s"}}, "cells": {"kernel": 2, "mechanics": {}}
        })
    }

    #[test]
    fn what_is_written_may_change() {
        let mut now = config();
        now["time"]["steps"] = json!(20);
        now["dumps"] = json!([]);
        now["checkpoint"] = json!({"every": 3});
        now["openings"]["in"]["velocity"] = json!("0.010000000000000002 m/s");
        let changes = between(&config(), &now, Path::new("step-1"), false, true).expect("may change");
        let keys: Vec<&str> = changes.iter().map(|change| change.key.as_str()).collect();
        assert_eq!(keys, ["checkpoint", "dumps", "time.steps"]);
        assert_eq!((&changes[2].before, &changes[2].now), (&json!(10), &json!(20)));
    }

    #[test]
    fn physics_may_not_unless_that_is_said() {
        for (pointer, value, key) in [
            (
                "/fluid/lattice_boltzmann/viscosity",
                json!("0.002 Pa s"),
                "\"fluid.lattice_boltzmann.viscosity\" was \"0.001 Pa s\", now \"0.002 Pa s\"",
            ),
            ("/openings/in/velocity", json!(null), "\"openings.in.velocity\" was \"0.01 m/s\", now null"),
            ("/time/step", json!("1e-7 s"), "\"time.step\" was null, now \"1e-7 s\""),
            ("/cells/kernel", json!(4), "\"cells.kernel\" was 2, now 4"),
            (
                "/cells/mechanics",
                json!({"red": {"contrast": 5}}),
                "\"cells.mechanics.red\" was null, now {\"contrast\":5}",
            ),
        ] {
            let mut now = config();
            *now.pointer_mut(pointer).expect("there") = value;
            let fault = between(&config(), &now, Path::new("step-1"), false, true).expect_err(key);
            assert!(fault.message.contains(key) && fault.message.contains("--allow-changes"), "{fault}");
            let fault = between(&config(), &now, Path::new("step-1"), false, false).expect_err(key);
            assert!(fault.message.contains(key) && !fault.message.contains("--allow-changes"), "{fault}");
            assert_eq!(between(&config(), &now, Path::new("step-1"), true, true).map(|changes| changes.len()), Ok(1));
        }
    }

    #[test]
    fn tables_are_known_by_what_they_hold() {
        let with = |content: Value| {
            let mut config = config();
            config["openings"]["in"]["waveform"] = json!({"table": {"file": "beat.csv", CONTENT: content}});
            config
        };
        let path = Path::new("step-1");
        assert_eq!(
            between(&with(json!("aa")), &with(json!("aa")), path, false, true).map(|changes| changes.len()),
            Ok(0)
        );
        assert_eq!(
            between(&with(json!(null)), &with(json!("aa")), path, false, true).map(|changes| changes.len()),
            Ok(0)
        );
        let fault = between(&with(json!("aa")), &with(json!("bb")), path, false, true).expect_err("other numbers");
        let said = "\"openings.in.waveform.table.content_sha256\" was \"aa\", now \"bb\"";
        assert!(fault.message.contains(said), "{fault}");
        assert_eq!(tables(&with(json!("aa")), &with(json!("bb"))).len(), 1);
    }
}
