//! Where the axes of a volume point, and how a volume is turned so that the case's axes are the patient's.
//!
//! Headers of medical volumes tell which way stored rows, columns and slices run through the patient. The case's x, y,
//! z are the patient's: to the left, to the back, to the head. Axes that are swapped or run backwards are put right. A
//! rotation by less than that stays: the lattice lies along the voxels.

use hematite_config::{Fault, Result};

use crate::volume::Volume;

/// How far from a right angle two axes may be, as a cosine: 0.1 degrees, well beyond single precision.
const SQUARE: f64 = 2e-3;
/// Rotations below this many degrees are not worth a word.
const SEEN: f64 = 0.1;

/// The directions of the axes of a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes {
    /// A unit vector along each axis.
    pub vectors: [[f64; 3]; 3],
    /// Whether these are the patient's: to the left, to the back, to the head. Else they are those of a space without
    /// names.
    pub is_patient: bool,
}

impl Axes {
    /// Axes along vectors of any length, whose components are times `signs` those of the space that is meant.
    ///
    /// # Errors
    /// When a vector has no direction, or when two are not at right angles.
    pub fn new(vectors: [[f64; 3]; 3], signs: [f64; 3], is_patient: bool) -> Result<Self> {
        let mut units = [[0.0; 3]; 3];
        for (k, vector) in vectors.iter().enumerate() {
            let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(length > 0.0 && length.is_finite()) {
                return Err(Fault::usage(format!("the direction of its axis {k} is {vector:?}, which is none")));
            }
            units[k] = [0, 1, 2].map(|i| signs[i] * vector[i] / length);
        }
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let cosine = (0..3).map(|i| units[a][i] * units[b][i]).sum::<f64>();
            if cosine.abs() > SQUARE {
                return Err(Fault::usage(format!(
                    "its axes {a} and {b} are at {:.2} degrees, not at right angles: resample it to such a grid",
                    cosine.clamp(-1.0, 1.0).acos().to_degrees()
                )));
            }
        }
        Ok(Self { vectors: units, is_patient })
    }
}

/// Which stored axis each axis of the case is, and whether backwards.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    order: [usize; 3],
    reversed: [bool; 3],
}

impl Turn {
    /// The turn after which the axes are nearest to x, y, z.
    fn nearest(vectors: [[f64; 3]; 3]) -> Self {
        const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let nearness = |order: &[usize; 3]| (0..3).map(|k| vectors[order[k]][k].abs()).sum::<f64>();
        let order = ORDERS.into_iter().rev().max_by(|a, b| nearness(a).total_cmp(&nearness(b))).unwrap_or(ORDERS[0]);
        Self { order, reversed: [0, 1, 2].map(|k| vectors[order[k]][k] < 0.0) }
    }

    fn is_none(self) -> bool {
        self == Self { order: [0, 1, 2], reversed: [false; 3] }
    }

    /// The rotation that is left, an angle in degrees and its axis.
    fn left(self, vectors: [[f64; 3]; 3]) -> (f64, [f64; 3]) {
        let column = |k: usize| vectors[self.order[k]].map(|x| if self.reversed[k] { -x } else { x });
        let [x, y, z] = [column(0), column(1), column(2)];
        let about = [y[2] - z[1], z[0] - x[2], x[1] - y[0]];
        let twice = about.iter().map(|x| x * x).sum::<f64>().sqrt();
        let angle = twice.atan2(x[0] + y[1] + z[2] - 1.0).to_degrees();
        (angle, about.map(|x| x / twice.max(f64::MIN_POSITIVE)))
    }
}

/// Turns a volume so that its axes are those of the space which its header names, as far as swaps and reversals do it.
/// A single slice stays the plane of x and y.
pub fn upright(mut volume: Volume) -> Volume {
    let Some(axes) = volume.axes else { return volume };
    let turn = Turn::nearest(axes.vectors);
    let (name, meaning) = if axes.is_patient {
        ("the patient's", " (x to the left, y to the back, z to the head)")
    } else {
        ("those of its header's space", "")
    };
    if volume.shape[2] == 1 && turn.order[2] != 2 {
        volume.notes.push(format!("its slice lies across another axis than z of {name}: x and y are as stored"));
        return volume;
    }
    if !turn.is_none() {
        let from = |k: usize| {
            let backwards = if turn.reversed[k] { " backwards" } else { "" };
            format!("{} is stored axis {}{backwards}", ["x", "y", "z"][k], turn.order[k])
        };
        volume.notes.push(format!("axes are {name}{meaning}: {}, {}, {}", from(0), from(1), from(2)));
        volume.values = volume.values.turned(volume.shape, turn.order, turn.reversed);
        volume.shape = turn.order.map(|axis| volume.shape[axis]);
        volume.spacing = volume.spacing.map(|spacing| turn.order.map(|axis| spacing[axis]));
    }
    let (angle, about) = turn.left(axes.vectors);
    if angle > SEEN {
        let about = about.map(|x| format!("{:.3}", x + 0.0)).join(", ");
        volume
            .notes
            .push(format!("axes are along the voxels, {angle:.1} degrees about ({about}) from {name}{meaning}"));
    }
    volume.axes = None;
    volume
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Values;

    /// A rotation by `angle` about a unit vector.
    fn rotated(vector: [f64; 3], about: [f64; 3], angle: f64) -> [f64; 3] {
        let (sin, cos) = angle.sin_cos();
        let along = (0..3).map(|i| about[i] * vector[i]).sum::<f64>();
        [0, 1, 2].map(|i| {
            let [j, k] = [(i + 1) % 3, (i + 2) % 3];
            cos * vector[i] + sin * (about[j] * vector[k] - about[k] * vector[j]) + (1.0 - cos) * along * about[i]
        })
    }

    #[test]
    fn all_turns_are_undone_and_the_rotation_left_is_told() {
        let about = [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];
        let upright_values: Vec<u8> = (0..60).collect();
        let at = |[x, y, z]: [usize; 3]| upright_values[(z * 4 + y) * 5 + x];
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            for flips in 0..8 {
                // Stored axis k runs along axis order[k] of the patient.
                let reversed = [0, 1, 2].map(|k| flips >> k & 1 == 1);
                let extents = [5, 4, 3];
                let shape = order.map(|axis| extents[axis]);
                let mut values = Vec::new();
                for (k, j, i) in
                    (0..shape[2]).flat_map(|k| (0..shape[1]).flat_map(move |j| (0..shape[0]).map(move |i| (k, j, i))))
                {
                    let stored = [i, j, k];
                    let mut place = [0; 3];
                    for axis in 0..3 {
                        let n = shape[axis];
                        place[order[axis]] = if reversed[axis] { n - 1 - stored[axis] } else { stored[axis] };
                    }
                    values.push(at(place));
                }
                for angle in [0.0, 0.3_f64] {
                    let vectors = [0, 1, 2].map(|k| {
                        let mut vector = [0.0; 3];
                        vector[order[k]] = if reversed[k] { -2.0 } else { 2.0 };
                        rotated(vector, about, angle)
                    });
                    let mut volume = Volume::new(shape, Values::U8(values.clone()));
                    volume.spacing = Some(order.map(|axis| [0.5, 0.6, 0.7][axis]));
                    volume.axes = Some(Axes::new(vectors, [1.0; 3], true).expect("axes"));
                    let turned = upright(volume);
                    assert_eq!(turned.shape, extents);
                    assert_eq!(turned.values, Values::U8(upright_values.clone()), "{order:?} {reversed:?}");
                    assert_eq!(turned.spacing, Some([0.5, 0.6, 0.7]));
                    let told =
                        turned.notes.iter().any(|note| note.contains("17.2 degrees about (0.667, -0.333, 0.667)"));
                    assert_eq!(told, angle > 0.0, "{:?}", turned.notes);
                }
            }
        }
    }

    #[test]
    fn axes_that_are_none_or_sheared_are_refused() {
        let sheared = Axes::new([[1.0, 0.0, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 1.0]], [1.0; 3], true);
        let message = sheared.expect_err("sheared").message;
        assert!(message.contains("axes 0 and 1") && message.contains("84.29"), "{message}");
        for bad in [[0.0; 3], [f64::NAN, 1.0, 0.0]] {
            Axes::new([[1.0, 0.0, 0.0], bad, [0.0, 0.0, 1.0]], [1.0; 3], false).expect_err("no direction");
        }
    }
}
