//! Colours with a meaning of their own.

/// The colour of walls and of all outside the fluid.
pub const SOLID: [u8; 3] = [0xb4, 0xb4, 0xb8];
/// The colour of fluid whose value is not shown.
pub const FLUID: [u8; 3] = [0xf4, 0xf4, 0xf6];
/// The colour of values that are not finite: meant to be seen.
pub const NOT_FINITE: [u8; 3] = [0xff, 0x00, 0xff];

/// Colours of populations, in their order: apart from each other and from the map below.
const POPULATIONS: [[u8; 3]; 6] = [
    [0xd6, 0x2a, 0x2a],
    [0xf7, 0xf3, 0xea],
    [0xff, 0xb0, 0x3b],
    [0xf0, 0x7a, 0xc8],
    [0x8c, 0x4a, 0x2f],
    [0x20, 0x20, 0x24],
];

/// The colour of a population.
pub fn of_population(population: usize) -> [u8; 3] {
    POPULATIONS[population % POPULATIONS.len()]
}

/// The colour of the outline of what has a colour.
pub fn outline_of(colour: [u8; 3]) -> [u8; 3] {
    colour.map(|c| (f32::from(c) * 0.45) as u8)
}
