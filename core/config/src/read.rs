//! JSON configs: unknown keys refused with the nearest known one, every fault with its file and key.

use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{Fault, Result};

/// Reads a config. `T` denies unknown fields by `#[serde(deny_unknown_fields)]`.
///
/// # Errors
/// A usage fault that names the file, the key's path, and for an unknown key the nearest known one.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text =
        fs::read_to_string(path).map_err(|error| Fault::usage(format!("cannot read {}: {error}", path.display())))?;
    let mut json = serde_json::Deserializer::from_str(&text);
    let value =
        serde_path_to_error::deserialize(&mut json).map_err(|error| explain(&path.display().to_string(), &error))?;
    json.end().map_err(|error| Fault::usage(format!("{}: {error}", path.display())))?;
    Ok(value)
}

/// Reads a config that is already JSON, `source` naming where it came from.
///
/// # Errors
/// As [`read`].
pub fn from_value<T: DeserializeOwned>(source: &str, value: serde_json::Value) -> Result<T> {
    serde_path_to_error::deserialize(value).map_err(|error| explain(source, &error))
}

fn explain(source: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> Fault {
    let message = error.inner().to_string();
    let hint = unknown(&message)
        .and_then(|(word, known)| nearest(word, known))
        .map(|near| format!("; did you mean \"{near}\"?"));
    let key = error.path().to_string();
    let place = if key == "." { String::new() } else { format!("key \"{key}\": ") };
    Fault::usage(format!("{source}: {place}{message}{}", hint.unwrap_or_default()))
}

/// The unknown word and the known ones out of serde's "unknown field `x`, expected one of `a`, `b`".
fn unknown(message: &str) -> Option<(&str, impl Iterator<Item = &str>)> {
    if !message.starts_with("unknown ") {
        return None;
    }
    let mut quoted = message.split('`').skip(1).step_by(2);
    Some((quoted.next()?, quoted))
}

/// The nearest of `known` to `word`, when one is near enough to be a slip of the keyboard.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|&(likeness, _)| likeness > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// A path written in `config`, which is relative to the folder of that config.
pub fn sibling(config: &Path, path: &Path) -> PathBuf {
    config.parent().unwrap_or(Path::new("")).join(path)
}

/// The JSON Schema of a config type, as pretty text.
pub fn schema<T: JsonSchema>() -> String {
    let schema = schemars::schema_for!(T);
    serde_json::to_string_pretty(&schema).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Fluid {
        #[expect(dead_code, reason = "only parsed")]
        viscosity: f64,
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let fault = from_value::<Fluid>("run.json", serde_json::json!({"viscocity": 1.0})).expect_err("a slip");
        assert!(fault.message.contains("run.json") && fault.message.contains("did you mean \"viscosity\"?"), "{fault}");
    }

    #[test]
    fn nothing_near_gives_no_hint() {
        assert_eq!(nearest("zebra", ["viscosity", "density"]), None);
    }
}
