//! Random sparse domains with vertices in them.

use std::cell::RefCell;
use std::collections::HashMap;

use hematite_engine::sites::SiteMap;
use hematite_engine::{NodeForces, Precision, SharedNodes};
use hematite_gpu::{Gpu, Needs, Recorder};
use hematite_membrane::{NONE, Vertices};
use physics_cells::{THICKENING, WallDistance};

/// Small numbers without a pattern.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// From 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

/// Up to where distances from the wall are known.
pub const REACH: f64 = 4.5;

/// A lattice and who owns its nodes.
#[derive(Clone)]
pub struct Domain {
    pub dimension: usize,
    pub extent: [usize; 3],
    pub periodic: [bool; 3],
    /// Fluid sites in scan order.
    pub sites: Vec<[i32; 3]>,
    pub number: HashMap<[i32; 3], usize>,
    /// Distances from the wall that were asked for.
    wall: RefCell<HashMap<[i32; 3], f64>>,
}

impl Domain {
    pub fn new(dimension: usize, extent: [usize; 3], periodic: [bool; 3], fluid: impl Fn([i32; 3]) -> bool) -> Self {
        let [nx, ny, nz] = extent.map(|n| n as i32);
        let all = (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
        let sites: Vec<[i32; 3]> = all.filter(|&site| fluid(site)).collect();
        let number = sites.iter().copied().zip(0..).collect();
        Self { dimension, extent, periodic, sites, number, wall: RefCell::default() }
    }

    /// Fluid in blobs; walls all along the edges that do not wrap.
    pub fn random(dimension: usize, periodic: [bool; 3], seed: u64) -> Self {
        let extent = if dimension == 2 { [37, 29, 1] } else { [21, 18, 19] };
        let edge = |s: i32, a: usize| a < dimension && !periodic[a] && (s == 0 || s as usize == extent[a] - 1);
        let phase = seed as f64;
        let wave = |[x, y, z]: [i32; 3]| {
            let [x, y, z] = [x, y, z].map(f64::from);
            (0.51 * x + phase).sin() + (0.43 * y - phase).cos() + (0.6 * z + 0.3 * x).sin() > -0.9
        };
        Self::new(dimension, extent, periodic, |site| !(0..3).any(|a| edge(site[a], a)) && wave(site))
    }

    pub fn wrapped(&self, site: [i32; 3]) -> [i32; 3] {
        [0, 1, 2].map(|a| if self.periodic[a] { site[a].rem_euclid(self.extent[a] as i32) } else { site[a] })
    }

    /// Distance of a site from the wall, and what it is between sites: distance and gradient.
    fn wall_of(&self, site: [i32; 3]) -> f64 {
        if let Some(&known) = self.wall.borrow().get(&site) {
            return known;
        }
        let own = self.node(site).is_some();
        let depth = if self.dimension == 3 { 6 } else { 0 };
        let around = (-depth..=depth).flat_map(|z| (-6..=6).flat_map(move |y| (-6..=6).map(move |x| [x, y, z])));
        let others = around
            .map(|d| (d, [0, 1, 2].map(|a| site[a] + d[a])))
            .filter(|&(_, other)| self.node(other).is_some() != own)
            .map(|(d, other)| f64::from(d.iter().map(|x| x * x).sum::<i32>()).sqrt() - 0.5 - self.thickening(other));
        let nearest = others.fold(f64::INFINITY, f64::min);
        let away = if own { nearest } else { nearest + self.thickening(site) }.min(REACH);
        let distance = f64::from((if own { away } else { -away }) as f32);
        self.wall.borrow_mut().insert(site, distance);
        distance
    }

    /// What a wall one site thin counts as thicker by on each side.
    fn thickening(&self, site: [i32; 3]) -> f64 {
        let beside = |axis: usize, step: i32| {
            let mut other = site;
            other[axis] += step;
            self.node(other).is_some()
        };
        let thin = self.node(site).is_none() && (0..self.dimension).any(|axis| beside(axis, -1) && beside(axis, 1));
        if thin { THICKENING } else { 0.0 }
    }

    /// Distance from the wall at a place, linear between sites, and its gradient.
    pub fn wall_at(&self, at: [i64; 3]) -> (f64, [f64; 3]) {
        let (mut distance, mut gradient) = (0.0, [0.0; 3]);
        for corner in 0..1 << self.dimension {
            let bit = [0, 1, 2].map(|a| corner >> a & 1);
            let of_site = self.wall_of([0, 1, 2].map(|a| (at[a] >> 32) as i32 + bit[a]));
            let share = |a: usize| value(at[a] & 0xffff_ffff);
            let weight = |a: usize| if bit[a] == 1 { share(a) } else { 1.0 - share(a) };
            distance += of_site * (0..3).map(weight).product::<f64>();
            for a in 0..self.dimension {
                let others: f64 = (0..3).filter(|&b| b != a).map(weight).product();
                gradient[a] += of_site * others * if bit[a] == 1 { 1.0 } else { -1.0 };
            }
        }
        (distance, gradient)
    }

    pub fn node(&self, site: [i32; 3]) -> Option<usize> {
        self.number.get(&self.wrapped(site)).copied()
    }

    /// The map of a rank that owns the nodes for which `owns` holds, how far its sites are from the wall, and the nodes' numbers.
    pub fn map(&self, gpu: &Gpu, margin: i32, owns: impl Fn(usize) -> bool) -> (SiteMap, WallDistance, Vec<usize>) {
        let own: Vec<usize> = (0..self.sites.len()).filter(|&n| owns(n)).collect();
        let positions: Vec<[i32; 3]> = own.iter().map(|&n| self.sites[n]).collect();
        let mut builder = SiteMap::builder(self.dimension, &positions, margin, self.extent, self.periodic);
        self.sites.chunks(100).for_each(|slab| builder.add_fluid(slab));
        let wall = WallDistance::new(gpu, &builder.distances(REACH, THICKENING, |_| true, |_| false)).expect("fits");
        (builder.build(gpu).expect("fits"), wall, own)
    }
}

pub fn gpu(precision: Precision) -> Gpu {
    Gpu::open(0, Needs { f16: false, f64: precision == Precision::F64, checks: true }).expect("a device")
}

pub fn run(gpu: &Gpu, record: impl FnOnce(&mut Recorder)) {
    let mut recorder = Recorder::new(gpu);
    record(&mut recorder);
    recorder.submit();
    gpu.wait().expect("runs");
}

/// Arrays over nodes.
pub fn shared(gpu: &Gpu, dimension: usize, precision: Precision, nodes: usize) -> SharedNodes {
    let stride = nodes.next_multiple_of(64).max(64);
    let buffer = |bytes: usize| gpu.buffer("nodes", bytes as u64).expect("fits");
    SharedNodes {
        node_forces: NodeForces { words: buffer(4 * dimension * stride), wide: gpu.has_wide_additions() },
        node_velocity: buffer(precision.vector_bytes(dimension) * stride),
        inside: Some(buffer(4 * stride)),
        stride: stride as u32,
        came_in: None,
        surface: None,
    }
}

/// A coordinate in 2^-32 lattice units.
pub fn fixed(x: f64) -> i64 {
    (x * 4_294_967_296.0).round() as i64
}

pub fn value(x: i64) -> f64 {
    x as f64 / 4_294_967_296.0
}

/// Vertices on the device as the host knows them.
pub struct Cloud {
    pub dimension: usize,
    pub at: Vec<[i64; 3]>,
    pub slot: Vec<u32>,
    pub vertices: Vertices,
}

impl Cloud {
    /// `at` in 2^-32 lattice units; some empty vertices follow.
    pub fn new(gpu: &Gpu, dimension: usize, precision: Precision, at: Vec<[i64; 3]>, slot: Vec<u32>) -> Self {
        let slots = slot.iter().max().map_or(1, |&slot| slot + 1);
        Self::with_slots(gpu, dimension, precision, at, slot, slots)
    }

    /// The same where there is room for `slots` cells.
    pub fn with_slots(
        gpu: &Gpu,
        dimension: usize,
        precision: Precision,
        at: Vec<[i64; 3]>,
        slot: Vec<u32>,
        slots: u32,
    ) -> Self {
        let stride = (at.len() + 7).next_multiple_of(64);
        let vertices = Vertices::new(gpu, dimension, precision, stride as u32, slots).expect("fits");
        let cloud = Self { dimension, at, slot, vertices };
        for a in 0..dimension {
            let column: Vec<[i32; 2]> = cloud.at.iter().map(|x| [(x[a] >> 32) as i32, x[a] as i32]).collect();
            gpu.upload(&cloud.vertices.position, a * stride, &column).expect("uploads");
        }
        let mut slots = cloud.slot.clone();
        slots.resize(stride, NONE);
        gpu.upload(&cloud.vertices.slot_of, 0, &slots).expect("uploads");
        cloud
    }

    pub fn stride(&self) -> usize {
        self.vertices.stride as usize
    }

    pub fn positions(&self, gpu: &Gpu) -> Vec<[i64; 3]> {
        let words: Vec<[i32; 2]> =
            gpu.download(&self.vertices.position, 0, self.dimension * self.stride()).expect("reads");
        self.rows(|at| i64::from(words[at][0]) << 32 | i64::from(words[at][1] as u32))
    }

    pub fn drift(&self, gpu: &Gpu) -> Vec<[i64; 3]> {
        let words: Vec<i32> = gpu.download(&self.vertices.drift, 0, self.dimension * self.stride()).expect("reads");
        self.rows(|at| i64::from(words[at]))
    }

    pub fn force(&self, gpu: &Gpu, precision: Precision) -> Vec<[f64; 3]> {
        let bytes = precision.real_bytes() * self.dimension * self.stride();
        let bytes: Vec<u8> = gpu.download(&self.vertices.force, 0, bytes).expect("reads");
        let values = precision.unpack_real(&bytes);
        self.rows(|at| values[at])
    }

    pub fn write_force(&self, gpu: &Gpu, precision: Precision, force: &[[f64; 3]]) {
        for a in 0..self.dimension {
            let column: Vec<f64> = force.iter().map(|f| f[a]).collect();
            let at = a * self.stride() * precision.real_bytes();
            gpu.upload(&self.vertices.force, at, &precision.pack_real(&column)).expect("uploads");
        }
    }

    pub fn broken(&self, gpu: &Gpu) -> Vec<u32> {
        gpu.download(&self.vertices.broken, 0, self.vertices.slots as usize).expect("reads")
    }

    fn rows<T: Default + Copy>(&self, value: impl Fn(usize) -> T) -> Vec<[T; 3]> {
        let row =
            |v: usize| [0, 1, 2].map(|a| if a < self.dimension { value(a * self.stride() + v) } else { T::default() });
        (0..self.at.len()).map(row).collect()
    }
}

/// Points in the domain, some of them periods away.
pub fn scattered(domain: &Domain, count: usize, random: &mut Random) -> Vec<[i64; 3]> {
    let point = |random: &mut Random| {
        [0, 1, 2].map(|a| {
            if a >= domain.dimension {
                return 0;
            }
            let n = domain.extent[a] as f64;
            let period = if domain.periodic[a] { (random.between(-3.0, 4.0)).floor() * n } else { 0.0 };
            fixed(period + random.between(0.0, n - 1.0))
        })
    };
    (0..count).map(|_| point(random)).collect()
}
