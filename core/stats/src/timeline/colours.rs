//! Colours of phases: fluid red, packing yellow, cells blue and green, messages violet, waiting grey.

const KNOWN: [(&str, [u8; 3]); 31] = [
    ("fluid", [0xc0, 0x28, 0x28]),
    ("interior", [0xc0, 0x28, 0x28]),
    ("interface", [0xe8, 0x73, 0x6f]),
    ("boundaries", [0xf2, 0xb0, 0xa8]),
    ("pack halo", [0xd9, 0x8a, 0x00]),
    ("unpack halo", [0xf2, 0xc1, 0x4e]),
    ("send", [0xf7, 0xdf, 0xa0]),
    ("pack shares", [0xa8, 0x6a, 0x10]),
    ("add shares", [0xe6, 0xd2, 0x7a]),
    ("interpolate", [0x1f, 0x5f, 0xa8]),
    ("move", [0x5b, 0x9b, 0xd5]),
    ("spread", [0x9c, 0xc4, 0xea]),
    ("membranes", [0x2b, 0x8a, 0x4b]),
    ("neighbours", [0xa5, 0xd2, 0x9a]),
    ("contact", [0x63, 0xb0, 0x7c]),
    ("marks", [0x8f, 0xbc, 0xae]),
    ("walls", [0x8c, 0x6d, 0x46]),
    ("other", [0x8a, 0x8a, 0x94]),
    ("record", [0xb8, 0xc9, 0xd9]),
    ("submit", [0x5a, 0x6b, 0x7c]),
    ("wait", [0xe2, 0xe2, 0xe8]),
    ("copy", [0xf0, 0xa3, 0x5e]),
    ("exchange halo", [0x8e, 0x4b, 0xa8]),
    ("exchange shares", [0xc5, 0x8b, 0xd6]),
    ("agree", [0xd9, 0xb8, 0xe6]),
    ("look", [0x7a, 0x5c, 0x3e]),
    ("dump", [0x3d, 0x8f, 0x8f]),
    ("ledger", [0x7c, 0xc0, 0xc0]),
    ("checkpoint", [0x20, 0x5f, 0x5f]),
    ("message", [0xd9, 0xc2, 0xe2]),
    ("message under interior", [0x8e, 0x4b, 0xa8]),
];

/// Colours of phases that have none of their own.
const OTHERS: [[u8; 3]; 6] = [
    [0xb5, 0x65, 0x1d],
    [0x6a, 0x8c, 0xaf],
    [0x70, 0x82, 0x38],
    [0xa3, 0x50, 0x6c],
    [0x4f, 0x7c, 0x78],
    [0xc0, 0xa0, 0x80],
];

/// The colour of a phase, always the same.
pub fn colour(name: &str) -> [u8; 3] {
    let known = KNOWN.iter().find(|(known, _)| *known == name).map(|&(_, colour)| colour);
    known.unwrap_or_else(|| OTHERS[name.bytes().map(usize::from).sum::<usize>() % OTHERS.len()])
}

/// Whether dark letters are read better upon a colour than bright ones.
pub fn ink_upon(colour: [u8; 3]) -> bool {
    let [r, g, b] = colour.map(u32::from);
    299 * r + 587 * g + 114 * b > 140_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_has_one_that_can_be_written_upon() {
        assert!(ink_upon([255; 3]) && !ink_upon([0; 3]) && ink_upon(colour("wait")));
        assert_eq!(colour("never heard of"), colour("never heard of"));
    }
}
