//! JSON configs: unknown keys refused with the nearest known one, every fault with its file and key.

use std::fs;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::checked::{Unique, misplaced};
use crate::{Fault, Result};

/// Reads a config. `T` denies unknown fields by `#[serde(deny_unknown_fields)]`.
///
/// # Errors
/// A usage fault that names the file, the key's path, and for an unknown key the nearest known one; also for a key that
/// stands twice, for a list in place of an object, and for the name of a choice without its keys.
pub fn read_config<T: DeserializeOwned + JsonSchema>(path: &Path) -> Result<T> {
    let source = path.display().to_string();
    let text = read_text(path)?;
    let Unique(whole) = parse(&source, &text)?;
    if let Some((key, wrong)) = misplaced(&whole, schema_for!(T).as_value()) {
        let what = if key.is_empty() { "the config".to_owned() } else { format!("key \"{key}\"") };
        return Err(Fault::usage(format!("{source}: {what} {wrong}")));
    }
    // Parses the text again, since faults of a parsed value name no line.
    parse(&source, &text)
}

/// A config whose keys several readers share: each takes the sections that it knows.
pub struct Document {
    source: String,
    text: String,
    whole: Value,
}

impl Document {
    /// Reads the config at `path`.
    ///
    /// # Errors
    /// A usage fault that names the file, also for a key that stands twice.
    pub fn read(path: &Path) -> Result<Self> {
        let source = path.display().to_string();
        let text = read_text(path)?;
        let Unique(whole) = parse(&source, &text)?;
        if whole.is_array() {
            return Err(Fault::usage(format!("{source}: the config is a list in brackets; it must be an object")));
        }
        Ok(Self { source, text, whole })
    }

    /// Reads the sections that `T` has as fields. Leaves other keys to other readers, but denies unknown ones within
    /// them.
    ///
    /// # Errors
    /// A usage fault that names the file and the key's path, also for a list in place of an object and for the name of
    /// a choice without its keys.
    pub fn sections<T: DeserializeOwned + JsonSchema>(&self) -> Result<T> {
        if let Some((key, wrong)) = misplaced(&self.whole, schema_for!(T).as_value()) {
            return Err(Fault::usage(format!("{}: key \"{key}\" {wrong}", self.source)));
        }
        parse(&self.source, &self.text)
    }

    /// Refuses keys that `joint` lacks, at the top and in sections that several readers share. `joint` is the schema of
    /// all readers by [`join`].
    ///
    /// # Errors
    /// A usage fault that names the first unknown key and the nearest known one.
    pub fn refuse_unknown(&self, joint: &Schema) -> Result<()> {
        self.refuse_unknown_in("", &self.whole, joint.as_value())
    }

    fn refuse_unknown_in(&self, section: &str, given: &Value, schema: &Value) -> Result<()> {
        let (Value::Object(given), Some(Value::Object(known))) = (given, schema.get("properties")) else {
            return Ok(());
        };
        for (key, value) in given {
            let Some(schema) = known.get(key) else {
                let place = if section.is_empty() { String::new() } else { format!("key \"{section}\": ") };
                let hint = nearest(key, known.keys().map(String::as_str));
                let hint = hint.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
                let known = known.keys().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
                return Err(Fault::usage(format!(
                    "{}: {place}unknown field `{key}`, expected one of {known}{hint}",
                    self.source
                )));
            };
            let key = if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
            self.refuse_unknown_in(&key, value, schema)?;
        }
        Ok(())
    }

    /// The keys that are given in the section `name` at the top, and are not null.
    pub fn given_in(&self, name: &str) -> impl Iterator<Item = &str> {
        let section = self.whole.get(name).and_then(Value::as_object);
        section.into_iter().flatten().filter(|(_, value)| !value.is_null()).map(|(key, _)| key.as_str())
    }

    /// The first key at the top that is not among `read`.
    pub fn first_but(&self, read: &Map<String, Value>) -> Option<&str> {
        self.whole.as_object()?.keys().find(|key| !read.contains_key(*key)).map(String::as_str)
    }
}

/// Reads a JSON file that a tool wrote.
///
/// # Errors
/// A usage fault that names the file, the key's path and the line.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    parse(&path.display().to_string(), &read_text(path)?)
}

/// Reads the text of a file.
///
/// # Errors
/// A usage fault where it cannot be read or is no UTF-8, with the line.
fn read_text(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|error| Fault::usage(format!("cannot read {}: {error}", path.display())))?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count();
        Fault::usage(format!(
            "{}: line {line} holds a byte that is no UTF-8 text (0x{:02x}): save the file as UTF-8",
            path.display(),
            error.as_bytes()[valid]
        ))
    })
}

fn parse<T: DeserializeOwned>(source: &str, text: &str) -> Result<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| explain(source, &error))?;
    json.end().map_err(|error| Fault::usage(format!("{source}: {error}")))?;
    Ok(value)
}

/// Reads a JSON value; `source` names where it came from.
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

/// The unknown word and the known ones in serde's "unknown field `x`, expected one of `a`, `b`".
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

/// The schema of a config of which several types read a part, without the definitions to which it refers. A section
/// that several types read has the keys of all of them. The type of such a section is inline
/// (`#[schemars(inline)]`) and leaves unknown keys alone.
pub fn join(title: &str, parts: impl IntoIterator<Item = Schema>) -> Schema {
    let mut joint = json!({"title": title, "type": "object"});
    parts.into_iter().for_each(|part| join_into(&mut joint, part.as_value()));
    joint.try_into().unwrap_or_default()
}

/// Adds the keys of an object to those of another.
fn join_into(joint: &mut Value, part: &Value) {
    let (Value::Object(joint), Value::Object(part)) = (joint, part) else { return };
    if let Some(description) = part.get("description") {
        joint.entry("description").or_insert_with(|| description.clone());
    }
    joint.insert("additionalProperties".to_owned(), false.into());
    if let (Value::Object(properties), Some(Value::Object(own))) =
        (joint.entry("properties").or_insert_with(|| Map::new().into()), part.get("properties"))
    {
        for (key, value) in own {
            match properties.get_mut(key) {
                Some(known) if known.get("properties").is_some() => join_into(known, value),
                Some(_) => {}
                None if value.get("properties").is_some() => {
                    let mut section = json!({"type": "object"});
                    join_into(&mut section, value);
                    properties.insert(key.clone(), section);
                }
                None => {
                    properties.insert(key.clone(), value.clone());
                }
            }
        }
    }
    let required = part.get("required").and_then(Value::as_array).into_iter().flatten();
    if let Value::Array(all) = joint.entry("required").or_insert_with(|| Vec::<Value>::new().into()) {
        required.for_each(|key| {
            if !all.contains(key) {
                all.push(key.clone());
            }
        });
    }
}

/// The text of a schema by [`join`], pretty, with the definitions to which it refers.
pub fn joint_text(joint: Schema, generator: &mut SchemaGenerator) -> String {
    let mut joint = joint;
    joint.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
    joint.insert("$defs".to_owned(), generator.take_definitions(true).into());
    serde_json::to_string_pretty(joint.as_value()).unwrap_or_default()
}

/// The JSON Schema of a config type, as pretty text.
pub fn schema<T: JsonSchema>() -> String {
    serde_json::to_string_pretty(&schema_for!(T)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Fluid {
        #[expect(dead_code, reason = "only parsed")]
        viscosity: f64,
    }

    /// Objects and lists in all the ways in which configs hold them.
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only parsed")]
    struct Config {
        plain: Part,
        maybe: Option<Part>,
        #[serde(default)]
        several: Vec<Part>,
        #[serde(default)]
        named: BTreeMap<String, Part>,
        law: Option<Law>,
        either: Option<Either>,
        pairs: Option<Pairs>,
        #[serde(default)]
        corner: [f64; 2],
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only parsed")]
    struct Part {
        size: f64,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(tag = "law", rename_all = "snake_case", deny_unknown_fields)]
    #[expect(dead_code, reason = "only parsed")]
    enum Law {
        Soft { part: Part },
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    #[expect(dead_code, reason = "only parsed")]
    enum Pairs {
        /// None.
        None,
        Few,
        Wca {
            #[serde(default)]
            energy: f64,
            diameter: Option<f64>,
        },
        Spring {
            stiffness: f64,
            #[serde(default)]
            length: f64,
        },
        Constant(f64),
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only parsed")]
    enum Either {
        Part(Part),
        Name(String),
    }

    /// The fault of a config of this text.
    fn message(text: &[u8]) -> std::result::Result<(), String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("case.json");
        std::fs::write(&path, text).expect("writes");
        read_config::<Config>(&path).map(drop).map_err(|fault| fault.message)
    }

    #[test]
    fn keys_stand_once_at_every_depth() {
        let whole = r#"{"plain": {"size": 1}, "several": [{"size": 2}], "named": {"a": {"size": 1}, "b": {"size": 2}},
            "law": {"law": "soft", "part": {"size": 3}}, "either": {"size": 4}, "corner": [0, 1]}"#;
        assert_eq!(message(whole.as_bytes()), Ok(()));
        for (from, to, place) in [
            (r#""plain": "#, r#""plain": {"size": 2}, "plain": "#, "the key \"plain\""),
            (r#"{"size": 2}]"#, r#"{"size": 2, "size": 2}]"#, "key \"several[0]\""),
            (r#""b": "#, r#""a": "#, "key \"named\": the key \"a\""),
            (r#"{"size": 3}"#, "{\"size\": 3,\n\n\"size\": 3}", "key \"law.part\": the key \"size\""),
            (r#"{"size": 4}"#, r#"{"size": 4, "size": 5}"#, "key \"either\""),
        ] {
            let text = whole.replacen(from, to, 1);
            let said = message(text.as_bytes()).expect_err(&text);
            assert!(said.contains(place) && said.contains("twice") && said.contains("line "), "{said}");
        }
    }

    #[test]
    fn a_list_stands_for_no_object() {
        for (text, pieces) in [
            (r"[{}]", &["the config is a list", "an object"][..]),
            (r#"{"plain": [1]}"#, &["key \"plain\" is a list", "an object"]),
            (r#"{"plain": {"size": 1}, "maybe": [1]}"#, &["key \"maybe\""]),
            (r#"{"plain": {"size": 1}, "several": [{"size": 1}, [1]]}"#, &["key \"several[1]\""]),
            (r#"{"plain": {"size": 1}, "named": {"a": [1]}}"#, &["key \"named.a\""]),
            (r#"{"plain": {"size": 1}, "law": ["soft", [1]]}"#, &["key \"law\""]),
            (r#"{"plain": {"size": 1}, "law": {"law": "soft", "part": [1]}}"#, &["key \"law.part\""]),
            (
                r#"{"plain": {"size": 1}, "either": [1]}"#,
                &["key \"either\"", "an object in braces or a text in quotes"],
            ),
            (r#"{"plain": {"size": [1]}}"#, &["key \"plain.size\"", "a number"]),
        ] {
            let said = message(text.as_bytes()).expect_err(text);
            assert!(pieces.iter().all(|piece| said.contains(piece)), "{text}: {said}");
        }
        let known = message(br#"{"plain": {"size": 1}, "named": [1]}"#).expect_err("a list");
        assert!(known.contains("case.json: key \"named\" is a list in brackets; it must be an object"), "{known}");
        assert!(message(br#"{"plan": [1]}"#).expect_err("a slip").contains("did you mean \"plain\"?"));
    }

    #[test]
    fn choices_have_their_keys() {
        let with = |pairs: &str| message(format!(r#"{{"plain": {{"size": 1}}, "pairs": {pairs}}}"#).as_bytes());
        for right in
            [r#""none""#, r#""few""#, r#"{"wca": {}}"#, r#"{"spring": {"stiffness": 1}}"#, r#"{"constant": 1}"#]
        {
            assert_eq!(with(right), Ok(()), "{right}");
        }
        for (bare, told) in [
            (
                r#""wca""#,
                r#"key "pairs" is "wca" without its keys; write {"wca": {}}, in which "energy", "diameter" may stand"#,
            ),
            (r#""spring""#, r#"write {"spring": {"stiffness": ...}}, in which "length" may stand"#),
            (r#""constant""#, r#"is "constant" without its keys; write {"constant": ...}"#),
            (r#""wcb""#, "unknown variant `wcb`"),
        ] {
            let said = with(bare).expect_err(bare);
            assert!(said.contains(told), "{bare}: {said}");
        }
        assert!(message(br#"{"plain": "thin"}"#).expect_err("a text").contains("key \"plain\": invalid type"));
    }

    #[test]
    fn other_encodings_are_told() {
        let said = message(b"{\n\"plain\": \"\xe4\"}").expect_err("Latin-1");
        assert!(said.contains("case.json: line 2") && said.contains("0xe4"), "{said}");
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
