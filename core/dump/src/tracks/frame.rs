//! The cells and bodies of one frame of tracks.

use hematite_cells::{RigidShape, Surface};
use hematite_config::{Fault, Result};
use rayon::prelude::*;

use crate::{BodyFrame, BodyKind, CellFrame, CellKind};

/// Positions and orientations of cells or bodies at one time, ascending by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackFrame {
    /// Time steps done.
    pub step: u64,
    /// Seconds since step 0.
    pub time: f64,
    /// Global number of each cell.
    pub id: Vec<u64>,
    /// Population of each cell: its index in the file's list of names.
    pub kind: Vec<u32>,
    /// Mean of each cell's vertices, m.
    pub centroid: Vec<[f64; 3]>,
    /// How often each cell has crossed the periodic faces.
    pub image: Vec<[i32; 3]>,
    /// Unit vector along which the vertices spread least; its largest component is positive. In 2-D in the plane.
    pub axis: Vec<[f64; 3]>,
    /// Surface, m2; in 2-D perimeter, m.
    pub area: Vec<f64>,
    /// Enclosed volume, m3; in 2-D enclosed area, m2.
    pub volume: Vec<f64>,
}

/// 8-byte words a cell in [`TrackFrame::to_bytes`].
const WORDS: usize = 13;

impl TrackFrame {
    /// The tracks of whole cells.
    ///
    /// # Panics
    /// When a cell is of a kind that is not in the list.
    pub fn of(frame: &CellFrame, kinds: &[CellKind], dimension: usize) -> Self {
        let empty = |kind: &CellKind| Surface { dimension, vertices: Vec::new(), triangles: kind.triangles.clone() };
        let surfaces: Vec<Surface> = kinds.iter().map(empty).collect();
        let mut tracks = Self { step: frame.step, time: frame.time, ..Self::default() };
        let vertices = frame.vertices(kinds);
        let mut order: Vec<usize> = (0..frame.id.len()).collect();
        order.sort_unstable_by_key(|&cell| frame.id[cell]);
        let shape = |surfaces: &mut Vec<Surface>, &cell: &usize| {
            let positions = &frame.position[vertices[cell].clone()];
            let surface = &mut surfaces[frame.kind[cell] as usize];
            let centroid = mean(positions);
            surface.vertices.clear();
            surface.vertices.extend(positions.iter().map(|at| [0, 1, 2].map(|k| at[k] - centroid[k])));
            (centroid, least_spread(&surface.vertices, dimension), surface.area(), surface.volume())
        };
        let shapes: Vec<_> = order.par_iter().map_init(|| surfaces.clone(), shape).collect();
        for (cell, (centroid, axis, area, volume)) in order.into_iter().zip(shapes) {
            tracks.id.push(frame.id[cell]);
            tracks.kind.push(frame.kind[cell]);
            tracks.centroid.push(centroid);
            tracks.image.push(frame.image[cell]);
            tracks.axis.push(axis);
            tracks.area.push(area);
            tracks.volume.push(volume);
        }
        tracks
    }

    /// The tracks of rigid bodies: their centres, shortest axes, and the ellipsoids' area and volume.
    ///
    /// # Panics
    /// When a body is of a kind that is not in the list.
    pub fn of_bodies(frame: &BodyFrame, kinds: &[BodyKind]) -> Self {
        let shapes: Vec<RigidShape> = kinds.iter().map(|kind| RigidShape { semi_axes: kind.semi_axes }).collect();
        let sizes: Vec<[f64; 2]> = shapes.iter().map(|shape| [shape.area(), shape.volume()]).collect();
        let mut tracks = Self { step: frame.step, time: frame.time, ..Self::default() };
        let mut order: Vec<usize> = (0..frame.id.len()).collect();
        order.sort_unstable_by_key(|&body| frame.id[body]);
        for body in order {
            let kind = frame.kind[body] as usize;
            let axes = shapes[kind].semi_axes;
            let least = (0..3).fold(0, |least, k| if axes[k] < axes[least] { k } else { least });
            let orientation = frame.orientation[body].map(f64::from);
            tracks.id.push(frame.id[body]);
            tracks.kind.push(frame.kind[body]);
            tracks.centroid.push(frame.position[body]);
            tracks.image.push(frame.image[body]);
            tracks.axis.push(forwards(turned_axis(orientation, least)));
            tracks.area.push(sizes[kind][0]);
            tracks.volume.push(sizes[kind][1]);
        }
        tracks
    }

    /// The frame as bytes, for messages between ranks.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut words = vec![self.step, self.time.to_bits()];
        for n in 0..self.id.len() {
            words.extend([self.id[n], u64::from(self.kind[n])]);
            words.extend(self.image[n].map(|crossed| crossed as u64));
            let numbers = self.centroid[n].into_iter().chain(self.axis[n]).chain([self.area[n], self.volume[n]]);
            words.extend(numbers.map(f64::to_bits));
        }
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    /// The frame of all ranks, from the bytes of each.
    ///
    /// # Errors
    /// An I/O fault when bytes are missing, steps differ or two ranks have the same cell.
    pub fn merge<B: AsRef<[u8]>>(ranks: &[B]) -> Result<Self> {
        let fault = |what: &str| Fault::io(format!("tracks of the ranks: {what}"));
        let mut cells = Vec::new();
        let mut when = None;
        for bytes in ranks {
            let (words, rest) = bytes.as_ref().as_chunks::<8>();
            let words: Vec<u64> = words.iter().map(|&word| u64::from_le_bytes(word)).collect();
            let Some(([step, time], numbers)) = words.split_first_chunk::<2>().filter(|_| rest.is_empty()) else {
                return Err(fault("a message is too short"));
            };
            let (own, rest) = numbers.as_chunks::<WORDS>();
            if !rest.is_empty() || *when.get_or_insert((*step, *time)) != (*step, *time) {
                return Err(fault("their messages do not fit together"));
            }
            cells.extend_from_slice(own);
        }
        cells.sort_unstable();
        if let Some(pair) = cells.windows(2).find(|pair| pair[0][0] == pair[1][0]) {
            return Err(fault(&format!("cell {} is there twice", pair[0][0])));
        }
        let (step, time) = when.unwrap_or_default();
        let number = |word: u64| f64::from_bits(word);
        Ok(Self {
            step,
            time: number(time),
            id: cells.iter().map(|cell| cell[0]).collect(),
            kind: cells.iter().map(|cell| cell[1] as u32).collect(),
            image: cells.iter().map(|cell| [2, 3, 4].map(|word| cell[word] as i32)).collect(),
            centroid: cells.iter().map(|cell| [5, 6, 7].map(|word| number(cell[word]))).collect(),
            axis: cells.iter().map(|cell| [8, 9, 10].map(|word| number(cell[word]))).collect(),
            area: cells.iter().map(|cell| number(cell[11])).collect(),
            volume: cells.iter().map(|cell| number(cell[12])).collect(),
        })
    }
}

fn mean(points: &[[f64; 3]]) -> [f64; 3] {
    [0, 1, 2].map(|k| points.iter().map(|point| point[k]).sum::<f64>() / points.len().max(1) as f64)
}

/// The principal axis of the smallest moment of the gyration tensor of points about their mean.
fn least_spread(points: &[[f64; 3]], dimension: usize) -> [f64; 3] {
    let moment = |i: usize, j: usize| points.iter().map(|point| point[i] * point[j]).sum::<f64>();
    let mut tensor = [0, 1, 2].map(|i| [0, 1, 2].map(|j| if i.max(j) < dimension { moment(i, j) } else { 0.0 }));
    let trace = tensor[0][0] + tensor[1][1] + tensor[2][2];
    if dimension == 2 {
        // The axis of a ring lies in its plane.
        tensor[2][2] = 2.0 * trace;
    }
    let (moments, axes) = jacobi(tensor);
    let least = (0..3).fold(0, |least, k| if moments[k] < moments[least] { k } else { least });
    forwards(axes.map(|row| row[least]))
}

/// Axis `k` rotated by a unit quaternion (w, x, y, z).
fn turned_axis([w, x, y, z]: [f64; 4], k: usize) -> [f64; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ][k]
}

/// The axis or its opposite, whichever has a positive component of largest magnitude.
fn forwards(axis: [f64; 3]) -> [f64; 3] {
    let largest = axis.into_iter().fold(0.0_f64, |largest, x| if x.abs() > largest.abs() { x } else { largest });
    axis.map(|x| if largest < 0.0 { 0.0 - x } else { x })
}

/// Eigenvalues and, in columns, eigenvectors of a symmetric matrix by cyclic Jacobi rotations.
fn jacobi(mut a: [[f64; 3]; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    // Convergence is quadratic: a few sweeps reach the last bit.
    for _ in 0..16 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for row in &mut a {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            let (above, below) = (a[p], a[q]);
            a[p] = [0, 1, 2].map(|k| c * above[k] - s * below[k]);
            a[q] = [0, 1, 2].map(|k| s * above[k] + c * below[k]);
            (a[p][q], a[q][p]) = (0.0, 0.0);
            for row in &mut v {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
        }
    }
    ([a[0][0], a[1][1], a[2][2]], v)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::polydata::tests::Sample;

    proptest! {
        #[test]
        fn eigenvectors_solve_their_equation(m in any::<[i8; 6]>()) {
            let [xx, yy, zz, xy, yz, xz] = m.map(f64::from);
            let a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
            let (values, v) = jacobi(a);
            for k in 0..3 {
                for i in 0..3 {
                    let image: f64 = (0..3).map(|j| a[i][j] * v[j][k]).sum();
                    prop_assert!((image - values[k] * v[i][k]).abs() < 1e-11);
                    let product: f64 = (0..3).map(|j| v[j][i] * v[j][k]).sum();
                    prop_assert!((product - f64::from(u8::from(i == k))).abs() < 1e-13);
                }
            }
        }
    }

    /// A box of 2 x 4 x 6 whose edges lie along the given orthonormal axes.
    fn brick(axes: [[f64; 3]; 3], at: [f64; 3]) -> (CellKind, Vec<[f64; 3]>) {
        let corner = |n: usize| {
            let sides = [0, 1, 2].map(|k| (if n >> k & 1 == 1 { 1.0 } else { -1.0 }) * (k + 1) as f64);
            [0, 1, 2].map(|k| at[k] + (0..3).map(|side| sides[side] * axes[side][k]).sum::<f64>())
        };
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
        (CellKind { name: "brick".into(), vertices: 8, triangles }, (0..8).map(corner).collect())
    }

    #[test]
    fn a_turned_brick_far_from_the_origin() {
        let (c, s) = (0.6, 0.8);
        let axes = [[-c, -s, 0.0], [s * 0.8, -c * 0.8, 0.6], [-s * 0.6, c * 0.6, 0.8]];
        let (kind, position) = brick(axes, [1e5, -2e5, 3e5]);
        let (id, image) = (vec![7], vec![[1, 0, -2]]);
        let frame = CellFrame { step: 3, time: 0.5, id, kind: vec![0], position, image, ..CellFrame::default() };
        let tracks = TrackFrame::of(&frame, &[kind], 3);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        (0..3).for_each(|k| near(tracks.centroid[0][k], [1e5, -2e5, 3e5][k]));
        (0..3).for_each(|k| near(tracks.axis[0][k], [c, s, 0.0][k]));
        near(tracks.area[0], 2.0 * (2.0 * 4.0 + 4.0 * 6.0 + 2.0 * 6.0));
        near(tracks.volume[0], 48.0);
    }

    #[test]
    fn a_ring_lies_in_its_plane() {
        let kind = CellKind { name: "ring".into(), vertices: 4, triangles: vec![] };
        let position = vec![[3.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-3.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
        let frame = CellFrame { id: vec![1], kind: vec![0], position, image: vec![[0; 3]], ..CellFrame::default() };
        let tracks = TrackFrame::of(&frame, &[kind], 2);
        assert_eq!(tracks.axis, [[0.0, 1.0, 0.0]]);
        assert!((tracks.area[0] - 4.0 * 10_f64.sqrt()).abs() < 1e-14 && tracks.volume[0] == 6.0, "{tracks:?}");
    }

    #[test]
    fn bodies_stand_beside_cells() {
        let kinds = [
            BodyKind { name: "soft".into(), semi_axes: [0.0; 3] },
            BodyKind { name: "hard".into(), semi_axes: [2.0, 1.0, 3.0] },
        ];
        // A quarter turn about z takes y to -x.
        let half = 0.5_f32.sqrt();
        let frame = BodyFrame {
            step: 5,
            time: 0.5,
            id: vec![9, 4],
            kind: vec![1, 1],
            image: vec![[0; 3], [1, 0, 0]],
            position: vec![[1.0; 3], [2.0; 3]],
            orientation: vec![[half, 0.0, 0.0, half], [1.0, 0.0, 0.0, 0.0]],
            ..BodyFrame::default()
        };
        let tracks = TrackFrame::of_bodies(&frame, &kinds);
        assert_eq!((&tracks.id[..], &tracks.kind[..], tracks.image[0]), (&[4, 9][..], &[1, 1][..], [1, 0, 0]));
        assert_eq!((tracks.centroid[1], tracks.axis[0]), ([1.0; 3], [0.0, 1.0, 0.0]));
        assert!((tracks.axis[1][0] - 1.0).abs() < 1e-6, "{:?}", tracks.axis);
        assert!((tracks.volume[0] - 8.0 * std::f64::consts::PI).abs() < 1e-12);
        let cells = crate::cells::tests::solids();
        let cells = TrackFrame::of(&CellKind::frame(&cells, 5, [2, 6]), &cells, 3);
        let both = TrackFrame::merge(&[tracks.to_bytes(), cells.to_bytes()]).expect("merges");
        assert_eq!(both.id, [2, 4, 6, 9]);
    }

    #[test]
    fn ranks_merge_by_number() {
        let kinds = crate::cells::tests::solids();
        let frame = |ids: &[u64]| CellKind::frame(&kinds, 5, ids.iter().copied());
        let bytes = |ids: &[u64]| TrackFrame::of(&frame(ids), &kinds, 3).to_bytes();
        let whole = TrackFrame::of(&frame(&[1, 2, 3, 8, 9]), &kinds, 3);
        assert_eq!(TrackFrame::merge(&[bytes(&[8, 1]), bytes(&[]), bytes(&[9, 2, 3])]), Ok(whole));
        assert!(TrackFrame::merge(&[bytes(&[8, 1]), bytes(&[1])]).expect_err("twice").message.contains("cell 1"));
        assert!(TrackFrame::merge(&[&bytes(&[8, 1])[..100]]).is_err());
    }
}
