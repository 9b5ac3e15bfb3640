//! Names that users give to openings, parts of the wall, populations, dumps, planes and lines.

use crate::{Fault, Result};

/// The most characters of a name: tables, headers of columns and messages hold it.
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
    if fits(name, plain) && !name.starts_with(apart) && !name.ends_with(apart) {
        return Ok(());
    }
    Err(refused(name, "letters, digits, -, _, and in between spaces and dots"))
}

/// Checks a name that becomes part of file names: 1 to 64 unaccented letters, digits, `-` and `_`.
///
/// # Errors
/// A usage fault that says what is wrong with it.
pub fn check_file_name(name: &str) -> Result<()> {
    if fits(name, |c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
        return Ok(());
    }
    Err(refused(name, "unaccented letters, digits, - and _ (it becomes part of a file name)"))
}

fn fits(name: &str, plain: impl Fn(char) -> bool) -> bool {
    (1..=LONGEST).contains(&name.chars().count()) && name.chars().all(plain)
}

fn refused(name: &str, characters: &str) -> Fault {
    let begin: String = name.chars().take(LONGEST).collect();
    let dots = if name.chars().nth(LONGEST).is_some() { "..." } else { "" };
    Fault::usage(format!(
        "the name \"{}{dots}\" has {} characters; it must be 1 to {LONGEST} {characters}",
        begin.escape_debug(),
        name.chars().count()
    ))
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
        for name in ["", "../up", "a b", "é"] {
            assert!(check_file_name(name).is_err(), "{name:?}");
        }
        assert_eq!(check_file_name("wall_2-b"), Ok(()));
    }
}
