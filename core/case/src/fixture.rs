//! Domains for tests, built by hand.

use hematite_geometry::{Domain, Opening, OpeningKind, Report, Site};

/// A domain of walls.
pub fn solid(dimension: usize, extent: [usize; 3], periodic: [bool; 3]) -> Domain {
    Domain {
        dimension,
        extent,
        spacing: 1e-6,
        origin: [0.0; 3],
        periodic,
        sites: vec![Site::WALL; extent.iter().product()],
        openings: Vec::new(),
        wall_parts: Vec::new(),
        surface: None,
        report: Report::default(),
    }
}

/// A velocity opening.
pub fn opening(name: &str, normal: Option<[f64; 3]>) -> Opening {
    Opening { name: name.into(), kind: OpeningKind::Velocity, normal }
}

/// Sets the site at (x, y, z).
pub fn set(domain: &mut Domain, at: [usize; 3], site: Site) {
    let index = domain.index(at);
    domain.sites[index] = site;
}

/// A 2-D channel along x of `length` times `height` nodes, with openings over the whole of its left and right column.
pub fn channel(length: usize, height: usize) -> Domain {
    let mut domain = solid(2, [length + 2, height + 2, 1], [false; 3]);
    for y in 0..height + 2 {
        set(&mut domain, [0, y, 0], Site::opening(0));
        set(&mut domain, [length + 1, y, 0], Site::opening(1));
    }
    for y in 1..=height {
        for x in 1..=length {
            set(&mut domain, [x, y, 0], Site::FLUID);
        }
    }
    domain.openings = vec![opening("in", None), opening("out", None)];
    domain
}

/// A 3-D pipe along z with the cross-section `inside`, `length` nodes long, its z = 0 face an opening all over.
pub fn pipe(width: usize, length: usize, inside: impl Fn(usize, usize) -> bool) -> Domain {
    let mut domain = solid(3, [width + 2, width + 2, length + 2], [false; 3]);
    for y in 0..width + 2 {
        for x in 0..width + 2 {
            set(&mut domain, [x, y, 0], Site::opening(0));
            if (1..=width).contains(&x) && (1..=width).contains(&y) && inside(x, y) {
                (1..=length).for_each(|z| set(&mut domain, [x, y, z], Site::FLUID));
            }
        }
    }
    domain.openings = vec![opening("in", Some([0.0, 0.0, 1.0]))];
    domain
}

/// A random sparse domain, in 2-D or 3-D, with any periodicity, some with an opening at x = 0.
pub fn random(seed: u64) -> Domain {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
    let mut below = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % n
    };
    let dimension = 2 + (seed % 2) as usize;
    let periodic = [0, 1, 2].map(|axis| axis < dimension && below(2) == 1);
    let long = if dimension == 2 { 24 } else { 8 };
    let mut extent = [0; 3].map(|_: usize| 3 + below(long) as usize);
    if dimension == 2 {
        extent[2] = 1;
    }
    let mut domain = solid(dimension, extent, periodic);
    let fill = 3 + below(6);
    let inner =
        |i: usize, axis: usize| periodic[axis] || (dimension == 2 && axis == 2) || (i > 0 && i + 1 < extent[axis]);
    for z in 0..extent[2] {
        for y in 0..extent[1] {
            for x in 0..extent[0] {
                if inner(x, 0) && inner(y, 1) && inner(z, 2) && below(10) < fill {
                    set(&mut domain, [x, y, z], Site::FLUID);
                }
            }
        }
    }
    let middle = extent.map(|n| n / 2);
    set(&mut domain, middle, Site::FLUID);
    if !periodic[0] && extent[0] > 3 {
        for z in 0..extent[2] {
            for y in 0..extent[1] {
                set(&mut domain, [0, y, z], Site::opening(0));
            }
        }
        set(&mut domain, [1, middle[1], middle[2]], Site::FLUID);
        domain.openings = vec![opening("in", Some([1.0, 0.0, 0.0]))];
        // An opening that fluid passes stays on one part: a small domain has too few nodes away from it for the others.
        if domain.sites.iter().filter(|&&site| site == Site::FLUID).count() < 80 {
            domain.openings[0].kind = OpeningKind::Wall;
        }
    }
    domain
}
