//! What the method does not bear.

/// Above this Mach number the method is wrong, not just inaccurate.
pub const MACH_LIMIT: f64 = 0.3;
/// Above this density deviation likewise.
pub const DENSITY_LIMIT: f64 = 0.5;
