//! Names that users give to openings, parts of the wall, populations, dumps, planes and lines; names of columns.

use std::collections::HashSet;

use crate::{Fault, Result};

/// Most characters of a name. Tables, column headers and messages must hold it.
const LONGEST: usize = 64;

/// Checks a name: 1 to 64 letters of any script, digits, spaces and `-`, `_`, `.`, with no space or dot at its ends.
///
/// # Errors
/// A usage fault that says what is wrong with it.
pub fn check_name(name: &str) -> Result<()> {
    if name.trim().is_empty() {
        return Err(Fault::usage("\"name\" is empty: give one, e.g. \"red\""));
    }
    let plain = |c: char| c.is_alphanumeric() || " -_.".contains(c);
    let apart = |c: char| c == ' ' || c == '.';
    if name.starts_with(apart) || name.ends_with(apart) {
        return Err(refused(name, "begins or ends with a space or a dot", "these only in between"));
    }
    checked(name, plain, "letters, digits, -, _, and in between spaces and dots")
}

/// Checks a name that becomes part of file names: 1 to 64 unaccented letters, digits, `-` and `_`.
///
/// # Errors
/// A usage fault that says what is wrong with it.
pub fn check_file_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    checked(name, plain, "unaccented letters, digits, - and _, since it becomes part of a file name")
}

/// Refuses a name that is empty, too long, or holds a character that is not `plain`. `take` names the plain ones in
/// words.
fn checked(name: &str, plain: impl Fn(char) -> bool, take: &str) -> Result<()> {
    let count = name.chars().count();
    if count == 0 {
        return Err(refused(name, "is empty", &format!("1 to {LONGEST} {take}")));
    }
    if count > LONGEST {
        return Err(refused(name, &format!("has {count} characters"), &format!("at most {LONGEST}")));
    }
    match name.chars().find(|&c| !plain(c)) {
        Some(' ') => Err(refused(name, "holds a space", take)),
        Some(c) => Err(refused(name, &format!("holds '{}'", c.escape_debug()), take)),
        None => Ok(()),
    }
}

/// Refuses a table in `file` with two columns of one name.
///
/// # Errors
/// A usage fault that names the file, the column and the remedy.
pub fn refuse_doubles<'n>(file: &str, mut names: impl Iterator<Item = &'n str>) -> Result<()> {
    let mut known = HashSet::new();
    match names.find(|name| !known.insert(*name)) {
        None => Ok(()),
        Some(double) => Err(Fault::usage(format!(
            "{file}: column \"{double}\" is there twice: take one of them out, or give each a name of its own"
        ))),
    }
}

fn refused(name: &str, what: &str, take: &str) -> Fault {
    let begin: String = name.chars().take(LONGEST).collect();
    let dots = if name.chars().nth(LONGEST).is_some() { "..." } else { "" };
    Fault::usage(format!("the name \"{}{dots}\" {what}: take {take}", begin.escape_debug()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        for name in ["inlet", "red 2", "v. cava", "entrée", "x-", "_"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        assert!(check_name(" ").is_err_and(|fault| fault.message.contains("is empty")));
        for name in ["", "in/let", "in\nlet", ".hidden", "end ", "a\u{7}", &"a".repeat(65)] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        assert!(check_name(&"é".repeat(64)).is_ok());
        let message = check_name(&"a".repeat(100_000)).expect_err("long").message;
        assert!(message.len() < 200 && message.contains("100000"), "{message}");
        for (name, what) in [("", "is empty"), ("../up", "holds '.'"), ("a b", "holds a space"), ("é", "holds 'é'")] {
            let message = check_file_name(name).expect_err(name).message;
            assert!(message.contains(&format!("the name \"{name}\" {what}: take")), "{message}");
            assert!(message.contains("unaccented letters, digits, - and _"), "{message}");
        }
        assert_eq!(check_file_name("wall_2-b"), Ok(()));
    }
}
