//! Colours of phases: fluid red, packing yellow, cells blue and green, messages violet, waiting grey.

const KNOWN: [(&str, &str); 31] = [
    ("fluid", "#c02828"),
    ("interior", "#c02828"),
    ("interface", "#e8736f"),
    ("boundaries", "#f2b0a8"),
    ("pack halo", "#d98a00"),
    ("unpack halo", "#f2c14e"),
    ("send", "#f7dfa0"),
    ("pack shares", "#a86a10"),
    ("add shares", "#e6d27a"),
    ("interpolate", "#1f5fa8"),
    ("move", "#5b9bd5"),
    ("spread", "#9cc4ea"),
    ("membranes", "#2b8a4b"),
    ("neighbours", "#a5d29a"),
    ("contact", "#63b07c"),
    ("marks", "#8fbcae"),
    ("walls", "#8c6d46"),
    ("other", "#8a8a94"),
    ("record", "#b8c9d9"),
    ("submit", "#5a6b7c"),
    ("wait", "#e2e2e8"),
    ("copy", "#f0a35e"),
    ("exchange halo", "#8e4ba8"),
    ("exchange shares", "#c58bd6"),
    ("agree", "#d9b8e6"),
    ("look", "#7a5c3e"),
    ("dump", "#3d8f8f"),
    ("ledger", "#7cc0c0"),
    ("checkpoint", "#205f5f"),
    ("message", "#d9c2e2"),
    ("message under interior", "#8e4ba8"),
];

/// Colours of phases that have none of their own.
const OTHERS: [&str; 6] = ["#b5651d", "#6a8caf", "#708238", "#a3506c", "#4f7c78", "#c0a080"];

/// The colour of a phase, always the same.
pub fn colour(name: &str) -> &'static str {
    let known = KNOWN.iter().find(|(known, _)| *known == name).map(|(_, colour)| *colour);
    known.unwrap_or_else(|| OTHERS[name.bytes().map(usize::from).sum::<usize>() % OTHERS.len()])
}

/// Black or white, whichever can be read upon `colour`.
pub fn ink_upon(colour: &str) -> &'static str {
    let part = |at: usize| colour.get(at..at + 2).and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or(255);
    if 299 * part(1) + 587 * part(3) + 114 * part(5) > 140_000 { "#202024" } else { "#ffffff" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_has_one_that_can_be_written_upon() {
        assert_eq!(
            (ink_upon("#ffffff"), ink_upon("#000000"), ink_upon(colour("wait"))),
            ("#202024", "#ffffff", "#202024")
        );
        assert_eq!(colour("never heard of"), colour("never heard of"));
        assert!(KNOWN.iter().all(|(_, colour)| colour.len() == 7));
    }
}
