//! Open rims: where a surface ends. A flat rim across a vessel is the vessel's end, any other a hole.

use std::collections::{BTreeMap, HashMap};
use std::f64::consts::PI;

use super::edges::Edges;
use super::mesh::{Mesh, Vector, cross, dot, length, minus, plus, times, unit};

/// A flat rim may leave its plane by this share of its diameter.
const FLAT: f64 = 0.1;
/// The wall leaves the rim of an end steeply: the mean cosine between the wall's normal and the rim's is below this.
const STEEP: f64 = 0.7;
/// An end is no slit: it has at least this share of the area of a circle with its perimeter.
const ROUND: f64 = 0.05;

/// A loop of open edges.
#[derive(Clone, Debug)]
pub struct Rim {
    /// Its points, in the order of a cap that looks the same way as the surface: a last edge leads back to the first.
    pub points: Vec<u32>,
    /// The middle of its line.
    pub centre: Vector,
    /// Its length.
    pub perimeter: f64,
    /// The area that it spans as seen along `normal`.
    pub area: f64,
    /// Unit normal of its plane, out of the capped surface; zero where it has none.
    pub normal: Vector,
    /// How far its points leave the plane through its centre.
    pub deviation: f64,
    /// Mean cosine between `normal` and the normals of the triangles along it.
    pub slope: f64,
}

impl Rim {
    /// Diameter of the circle of its area.
    pub fn diameter(&self) -> f64 {
        2.0 * (self.area / PI).sqrt()
    }

    /// Whether it lies in a plane.
    pub fn is_flat(&self) -> bool {
        self.deviation <= FLAT * self.diameter()
    }

    /// Whether it is the end of a vessel: a flat, wide rim that the wall leaves steeply.
    pub fn is_end(&self) -> bool {
        self.is_flat() && self.slope < STEEP && 4.0 * PI * self.area >= ROUND * self.perimeter * self.perimeter
    }

    /// Area of the triangles between the centre and the edges.
    pub fn cap_area(&self, mesh: &Mesh) -> f64 {
        let of = |[a, b]: [Vector; 2]| 0.5 * length(cross(minus(a, self.centre), minus(b, self.centre)));
        self.edges(mesh).map(of).sum()
    }

    fn edges<'a>(&'a self, mesh: &'a Mesh) -> impl Iterator<Item = [Vector; 2]> + 'a {
        let place = |k: usize| mesh.points[self.points[k % self.points.len()] as usize];
        (0..self.points.len()).map(move |k| [place(k), place(k + 1)])
    }

    /// Closes the rim by triangles around its centre; gives the first of them.
    pub fn cap(&self, mesh: &mut Mesh) -> usize {
        let first = mesh.triangles.len();
        let n = self.points.len();
        if n == 3 {
            mesh.triangles.push([self.points[0], self.points[1], self.points[2]]);
            return first;
        }
        let centre = mesh.points.len() as u32;
        mesh.points.push(self.centre);
        mesh.triangles.extend((0..n).map(|k| [self.points[k], self.points[(k + 1) % n], centre]));
        first
    }
}

/// The rims of a surface whose triangles look the same way.
pub fn rims(mesh: &Mesh, edges: &Edges) -> Vec<Rim> {
    // A cap goes along each open edge the other way than the triangle there.
    let mut from: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for side in edges.open() {
        let [low, high] = side.ends;
        let (start, end) = if side.forward { (high, low) } else { (low, high) };
        from.entry(start).or_default().push((end, side.triangle));
    }
    let mut found = Vec::new();
    while let Some((&start, _)) = from.iter().next() {
        let (mut points, mut beside) = (Vec::new(), Vec::new());
        let mut passed: HashMap<u32, usize> = HashMap::new();
        let mut at = start;
        while let Some(choices) = from.get_mut(&at) {
            let (to, triangle) = choices.swap_remove(sharpest(mesh, points.last().copied(), at, choices));
            if choices.is_empty() {
                from.remove(&at);
            }
            passed.insert(at, points.len());
            points.push(at);
            beside.push(triangle);
            at = to;
            // A loop that touches itself is two.
            if let Some(&back) = passed.get(&at) {
                let (loop_points, loop_beside) = (points.split_off(back), beside.split_off(back));
                loop_points.iter().for_each(|point| _ = passed.remove(point));
                found.push(measure(mesh, loop_points, &loop_beside));
            }
        }
    }
    found
}

/// Which of several open edges from a point to follow: that which leads back most sharply. So rims that touch, such as
/// those of a crack between edges that do not match, are many short loops and not a few long ones.
fn sharpest(mesh: &Mesh, before: Option<u32>, at: u32, choices: &[(u32, u32)]) -> usize {
    let Some(before) = before.filter(|_| choices.len() > 1) else { return choices.len() - 1 };
    let place = |k: u32| mesh.points[k as usize];
    let back = unit(minus(place(before), place(at))).unwrap_or_default();
    let cosine = |to: u32| dot(unit(minus(place(to), place(at))).unwrap_or_default(), back);
    let order = |&a: &usize, &b: &usize| cosine(choices[a].0).total_cmp(&cosine(choices[b].0));
    (0..choices.len()).max_by(order).unwrap_or(0)
}

fn measure(mesh: &Mesh, points: Vec<u32>, beside: &[u32]) -> Rim {
    let mut rim =
        Rim { points, centre: [0.0; 3], perimeter: 0.0, area: 0.0, normal: [0.0; 3], deviation: 0.0, slope: 0.0 };
    let edges: Vec<[Vector; 2]> = rim.edges(mesh).collect();
    let lengths: Vec<f64> = edges.iter().map(|&[a, b]| length(minus(b, a))).collect();
    rim.perimeter = lengths.iter().sum();
    let middle = |&[a, b]: &[Vector; 2]| times(0.5, plus(a, b));
    let origin = edges[0][0];
    let mean = edges.iter().zip(&lengths).fold([0.0; 3], |sum, (edge, &length)| {
        plus(sum, times(length / rim.perimeter.max(f64::MIN_POSITIVE), minus(middle(edge), origin)))
    });
    rim.centre = plus(origin, mean);
    let sum = edges
        .iter()
        .fold([0.0; 3], |sum, &[a, b]| plus(sum, times(0.5, cross(minus(a, rim.centre), minus(b, rim.centre)))));
    rim.area = length(sum);
    rim.normal = unit(sum).unwrap_or([0.0; 3]);
    rim.deviation = edges.iter().map(|&[a, _]| dot(minus(a, rim.centre), rim.normal).abs()).fold(0.0, f64::max);
    let cosine = |t: u32| dot(mesh.normal(t as usize), rim.normal).abs();
    let weighted: f64 = beside.iter().zip(&lengths).map(|(&t, length)| length * cosine(t)).sum();
    rim.slope = weighted / rim.perimeter.max(f64::MIN_POSITIVE);
    rim
}
