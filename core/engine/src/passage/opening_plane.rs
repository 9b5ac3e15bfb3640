//! The plane of an opening, and the straight column of cells that comes in through it.
//!
//! A column lies along x with its cross-section in y and z (in 2-D y). In the domain its x is along the opening's normal, its y and z
//! are in the opening's plane; the three are right-handed, so that a cell is turned, not mirrored.

/// A site of the cross-section is fluid where a node of the opening is so near in the plane, lattice units: of openings across an
/// axis those of the nodes alone, of others no gaps between the rows.
const NEAR: f64 = 0.7;

/// The plane through an opening's nodes.
#[derive(Clone, Copy, Debug)]
pub struct OpeningPlane {
    normal: [f64; 3],
    /// Unit vectors in the plane.
    along: [[f64; 3]; 2],
    /// Position of the plane along the normal.
    at: f64,
    /// What sites (1, 1) of the cross-section have along `along`.
    first: [f64; 2],
}

impl OpeningPlane {
    /// The plane through `sites` with the unit `normal` into the fluid, of a domain of 2 or 3 dimensions.
    pub fn new(dimension: usize, normal: [f64; 3], sites: &[[i32; 3]]) -> Self {
        let along = match dimension {
            2 => [[-normal[1], normal[0], 0.0], [0.0, 0.0, 1.0]],
            _ => {
                let flattest = (0..3).fold(0, |best, a| if normal[a].abs() < normal[best].abs() { a } else { best });
                let across = [0, 1, 2].map(|a| f64::from(a == flattest) - normal[flattest] * normal[a]);
                let size = dot(across, across).sqrt();
                let first = across.map(|x| x / size);
                [first, cross(normal, first)]
            }
        };
        let at = sites.iter().map(|site| dot(site.map(f64::from), normal)).sum::<f64>() / sites.len().max(1) as f64;
        let lowest = |unit: [f64; 3]| sites.iter().map(|site| dot(site.map(f64::from), unit)).fold(f64::MAX, f64::min);
        Self { normal, along, at, first: along.map(lowest) }
    }

    /// The direction of the column.
    pub fn normal(&self) -> [f64; 3] {
        self.normal
    }

    /// The cross-section of a column as wide as the opening: its fluid sites, from 1 on (in 2-D the second of each is 0).
    pub fn section(&self, dimension: usize, sites: &[[i32; 3]]) -> Vec<[usize; 2]> {
        let mut section: Vec<[usize; 2]> = Vec::new();
        for site in sites {
            let [u, v] = [0, 1].map(|k| dot(site.map(f64::from), self.along[k]) - self.first[k] + 1.0);
            let around = |x: f64| [x.floor(), x.floor() + 1.0];
            for y in around(u) {
                for z in if dimension == 2 { vec![0.0] } else { around(v).to_vec() } {
                    let beside = if dimension == 2 { 0.0 } else { z - v };
                    if y >= 1.0 && (dimension == 2 || z >= 1.0) && (y - u).hypot(beside) < NEAR {
                        section.push([y as usize, z as usize]);
                    }
                }
            }
        }
        section.sort_unstable();
        section.dedup();
        section
    }

    /// Where the point y, z of the cross-section is in the domain, `depth` behind the plane, lattice units.
    pub fn point(&self, depth: f64, [y, z]: [f64; 2]) -> [f64; 3] {
        let [u, v] = [self.first[0] + y - 1.0, self.first[1] + z - 1.0];
        [0, 1, 2].map(|a| (self.at + depth) * self.normal[a] + u * self.along[0][a] + v * self.along[1][a])
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_has_its_own_nodes_as_section() {
        // The face y+ of a square duct: normal (0, -1, 0).
        let sites: Vec<[i32; 3]> = (3..9).flat_map(|x| (4..8).map(move |z| [x, 50, z])).collect();
        let plane = OpeningPlane::new(3, [0.0, -1.0, 0.0], &sites);
        let section = plane.section(3, &sites);
        assert_eq!(section.len(), sites.len());
        let mut back: Vec<[i32; 3]> =
            section.iter().map(|site| plane.point(0.0, site.map(|x| x as f64)).map(|x| x.round() as i32)).collect();
        back.sort_unstable();
        assert_eq!(back, sites);
        assert_eq!(plane.point(7.0, [1.0, 1.0])[1], 43.0);
        let [n, a, b] = [plane.normal, plane.along[0], plane.along[1]];
        assert_eq!(dot(cross(n, a), b), 1.0, "right-handed");
    }

    #[test]
    fn an_oblique_section_has_no_gaps_and_the_area_of_its_plane() {
        for degrees in [20.0_f64, 45.0, 70.0] {
            let (s, c) = degrees.to_radians().sin_cos();
            let normal = [c, s, 0.0];
            // The sites of one layer across a channel 40 wide.
            let across = |site: &[i32; 3]| f64::from(site[1]) * c - f64::from(site[0]) * s;
            let depth = |site: &[i32; 3]| f64::from(site[0]) * c + f64::from(site[1]) * s;
            let all = (-60..60).flat_map(|x| (-60..60).map(move |y| [x, y, 0]));
            let sites: Vec<[i32; 3]> =
                all.filter(|site| (0.0..1.0).contains(&depth(site)) && across(site).abs() < 20.0).collect();
            let section = OpeningPlane::new(2, normal, &sites).section(2, &sites);
            let last = section.last().map_or(0, |site| site[0]);
            assert_eq!(section.len(), last, "{degrees}: no gaps");
            assert!((39..=41).contains(&last), "{degrees}: {last} wide");
        }
    }
}
