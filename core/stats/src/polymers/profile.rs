//! Where beads are across the domain.

/// Counts in layers of one lattice spacing along an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layers {
    /// Beads in each layer, in the mean over frames.
    pub beads: Vec<f64>,
    /// Centres of chains likewise.
    pub centres: Vec<f64>,
}

/// Adds a share of beads or centres at `places`, m from the lowest corner, to `counts`, for layers of `spacing`; places beyond
/// periodic faces are wrapped.
pub fn layers(counts: &mut [f64], places: impl Iterator<Item = f64>, spacing: f64, periodic: bool, share: f64) {
    let number = counts.len() as i64;
    for place in places {
        let layer = (place / spacing).floor() as i64;
        let layer = if periodic { layer.rem_euclid(number) } else { layer.clamp(0, number - 1) };
        counts[layer as usize] += share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beads_are_counted_where_they_are() {
        let mut counts = vec![0.0; 4];
        layers(&mut counts, [0.1, 1.9, 3.99, 4.5, -0.5].into_iter(), 1.0, true, 0.5);
        assert_eq!(counts, [1.0, 0.5, 0.0, 1.0]);
        layers(&mut counts, [4.5, -0.5].into_iter(), 1.0, false, 1.0);
        assert_eq!(counts, [2.0, 0.5, 0.0, 2.0]);
    }
}
