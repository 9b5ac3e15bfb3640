//! The kernels between vertices and nodes as their papers write them.

use hematite_engine::Support;

use crate::sample::{Domain, value};

fn weight(support: Support, r: f64) -> f64 {
    let r = r.abs();
    match support {
        Support::Two => (1.0 - r).max(0.0),
        Support::Three if r <= 0.5 => (1.0 + (1.0 - 3.0 * r * r).sqrt()) / 3.0,
        Support::Three if r <= 1.5 => (5.0 - 3.0 * r - (1.0 - 3.0 * (1.0 - r) * (1.0 - r)).max(0.0).sqrt()) / 6.0,
        Support::Four if r <= 1.0 => (3.0 - 2.0 * r + (1.0 + 4.0 * r - 4.0 * r * r).sqrt()) / 8.0,
        Support::Four if r <= 2.0 => (5.0 - 2.0 * r - (-7.0 + 12.0 * r - 4.0 * r * r).max(0.0).sqrt()) / 8.0,
        _ => 0.0,
    }
}

/// The fluid nodes around a position with their weights, before they are scaled.
pub fn nodes(domain: &Domain, support: Support, at: [i64; 3]) -> Vec<(usize, f64)> {
    let around = |a: usize| {
        let first = (at[a] >> 32) as i32;
        if a < domain.dimension { first - 2..=first + 3 } else { 0..=0 }
    };
    let along =
        |a: usize, s: i32| if a < domain.dimension { weight(support, value(at[a]) - f64::from(s)) } else { 1.0 };
    let mut found = Vec::new();
    for z in around(2) {
        for y in around(1) {
            for x in around(0) {
                let weight = along(0, x) * along(1, y) * along(2, z);
                if let Some(node) = domain.node([x, y, z]).filter(|_| weight > 0.0) {
                    found.push((node, weight));
                }
            }
        }
    }
    found
}
