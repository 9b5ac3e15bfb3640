//! Refuses two mistakes that JSON and serde let pass. A key that an object has twice: its last value would win. A list
//! in place of an object: its values would be taken for those of the keys, in order.

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

/// Finds the first list in `value` where the JSON Schema `schema` allows none. Returns the path of its key and what may
/// stand there.
pub fn misplaced_list(value: &Value, schema: &Value) -> Option<(String, String)> {
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
            Some((path, expected(schemas)))
        }
        Value::Array(values) => {
            let mut values = values.iter().enumerate();
            values.find_map(|(i, value)| below(value, format!("{path}[{i}]"), &|schema| schema.get("items")))
        }
        Value::Object(values) => values.iter().find_map(|(key, value)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            below(value, path, &|schema| member(schema, key))
        }),
        _ => None,
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
