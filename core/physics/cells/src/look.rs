//! When the host looks at cells.

/// Time steps from one look at health, holders and exits to the next. The state after a multiple of it is whole: positions, drifts,
/// sizes and the marks of nodes tell the rest.
pub const LOOK: u64 = 16;
