//! Refuses two mistakes that JSON and serde let pass. A key that an object has twice: its last value would win. A list
//! in place of an object: its values would be taken for those of the keys, in order. And one that serde refuses without
//! telling what to write: the name of a choice alone, where keys belong to it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A JSON value in which no object has a key twice.
pub struct Unique(pub Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Self)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Unique(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            if values.contains_key(&key) {
                return Err(A::Error::custom(format!("the key \"{key}\" stands twice")));
            }
            let Unique(value) = object.next_value()?;
            values.insert(key, value);
        }
        Ok(values.into())
    }
}

/// Finds the first value that the JSON Schema `schema` does not allow: a list where there can be none, or the name of a
/// choice without its keys. Returns the path of its key, and what it is and what may stand there.
pub fn misplaced(value: &Value, schema: &Value) -> Option<(String, String)> {
    search(value, &branches(schema, schema), schema, String::new())
}

/// Searches the value at `path`, for which one of `schemas` holds. Skips keys that no schema knows: they are refused
/// elsewhere.
fn search(value: &Value, schemas: &[&Value], root: &Value, path: String) -> Option<(String, String)> {
    let below = |value, path, find: &dyn Fn(&'_ Value) -> Option<&'_ Value>| {
        let found = schemas.iter().filter_map(|schema| find(schema)).flat_map(|schema| branches(schema, root));
        search(value, &found.collect::<Vec<_>>(), root, path)
    };
    match value {
        Value::Array(_) if !schemas.is_empty() && !schemas.iter().any(|schema| may_be_list(schema)) => {
            Some((path, format!("is a list in brackets; it must be {}", expected(schemas))))
        }
        Value::Array(values) => {
            let mut values = values.iter().enumerate();
            values.find_map(|(i, value)| below(value, format!("{path}[{i}]"), &|schema| schema.get("items")))
        }
        Value::Object(values) => values.iter().find_map(|(key, value)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            below(value, path, &|schema| member(schema, key))
        }),
        Value::String(name) => Some((path, bare_choice(name, schemas, root)?)),
        _ => None,
    }
}

/// What to write in place of the `name` of a choice that stands without its keys; `None` where a text may stand there,
/// or there is no such choice.
fn bare_choice(name: &str, schemas: &[&Value], root: &Value) -> Option<String> {
    if schemas.iter().any(|schema| may_be_text(schema, name)) {
        return None;
    }
    let choice = schemas.iter().find_map(|schema| choice_in(schema, name, root))?;
    let (mut needed, mut others) = (Vec::new(), Vec::new());
    for schema in &choice {
        for key in schema["properties"].as_object().into_iter().flat_map(Map::keys) {
            let list = if is_required(schema, key) { &mut needed } else { &mut others };
            list.push(format!("\"{key}\""));
        }
    }
    let inside = match choice.iter().any(|schema| schema["properties"].is_object()) {
        true => format!("{{{}}}", needed.iter().map(|key| format!("{key}: ...")).collect::<Vec<_>>().join(", ")),
        false => "...".to_owned(),
    };
    let more = if others.is_empty() { String::new() } else { format!(", in which {} may stand", others.join(", ")) };
    Some(format!("is \"{name}\" without its keys; write {{\"{name}\": {inside}}}{more}"))
}

/// The schemas of what belongs to a choice: the choice is an object with its name as the only key.
fn choice_in<'s>(schema: &'s Value, name: &str, root: &'s Value) -> Option<Vec<&'s Value>> {
    let keys = schema["properties"].as_object().filter(|keys| keys.len() == 1 && is_required(schema, name))?;
    Some(branches(keys.get(name)?, root))
}

fn is_required(schema: &Value, key: &str) -> bool {
    schema["required"].as_array().is_some_and(|keys| keys.iter().any(|required| required == key))
}

/// Whether `schema` allows the text `name`: it lists it, or asks for any text, or for no type.
fn may_be_text(schema: &Value, name: &str) -> bool {
    let asks = JOINED.iter().chain(&["$ref", "type", "enum", "const"]).any(|word| schema.get(word).is_some());
    match (schema.get("const"), schema["enum"].as_array()) {
        (Some(only), _) => only == name,
        (None, Some(listed)) => listed.iter().any(|one| one == name),
        (None, None) => !asks || types(schema).any(|kind| kind == "string"),
    }
}

/// The schema of a key.
fn member<'s>(schema: &'s Value, key: &str) -> Option<&'s Value> {
    let listed = schema.get("properties").and_then(|properties| properties.get(key));
    listed.or_else(|| schema.get("additionalProperties"))
}

/// Keywords by which a schema includes others.
const JOINED: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// A schema with all schemas that it includes.
fn branches<'s>(schema: &'s Value, root: &'s Value) -> Vec<&'s Value> {
    let target = schema["$ref"].as_str().and_then(|place| root.pointer(place.strip_prefix('#')?));
    let joined = JOINED.iter().filter_map(|word| schema[word].as_array()).flatten();
    let others = target.into_iter().chain(joined).flat_map(|schema| branches(schema, root));
    std::iter::once(schema).chain(others).collect()
}

/// The types that a schema names.
fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let one = schema["type"].as_str();
    let several = schema["type"].as_array();
    one.into_iter().chain(several.into_iter().flatten().filter_map(Value::as_str))
}

/// Whether `schema` allows a list: it asks for one, or for no type.
fn may_be_list(schema: &Value) -> bool {
    let asks = JOINED.iter().chain(&["$ref", "type", "enum", "const"]).any(|word| schema.get(word).is_some());
    types(schema).any(|name| name == "array") || !asks
}

/// What may stand in place of a list, in words.
fn expected(schemas: &[&Value]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for name in schemas.iter().flat_map(|schema| types(schema)) {
        let word = match name {
            "object" => "an object in braces",
            "string" => "a text in quotes",
            "number" | "integer" => "a number",
            "boolean" => "true or false",
            _ => continue,
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(" or ")
}
