//! A law alone on the device, and bodies at random.

use std::sync::OnceLock;

use hematite_engine::Precision;
use hematite_gpu::{Gpu, Kernel, MAIN, Needs, Recorder, Template, WORKGROUP, render};
use minijinja::{Value, context};
use physics_bodies::{LAWS, wca};

pub type Vector = [f64; 3];

/// The device that all tests share: drivers give out a limited number.
fn shared_device() -> &'static Gpu {
    static DEVICE: OnceLock<Gpu> = OnceLock::new();
    let needs = Needs { f64: true, checks: true, ..Needs::default() };
    DEVICE.get_or_init(|| Gpu::open(0, needs).expect("a device"))
}

/// What `template` writes for `count` items: `answers`, so many numbers an item. `inputs` are named arrays with their WGSL types.
pub fn answers<const N: usize>(
    precision: Precision,
    template: Template,
    laws: &Value,
    inputs: &[(&str, &str, Vec<f64>)],
    count: usize,
) -> Vec<[f64; N]> {
    let gpu = shared_device();
    let declared = inputs.iter().map(|(name, wgsl, _)| format!("var<storage, read> {name}: {wgsl};\n"));
    let context = context! {
        real => precision.real(),
        workgroup => WORKGROUP,
        declarations => declared.collect::<String>(),
        wca => wca::context(),
        ..laws.clone()
    };
    let pieces = [LAWS.as_slice(), &[MAIN]].concat();
    let wgsl = render(template, &pieces, &context);
    let kernel = Kernel::new(gpu, template.name, &wgsl, 4).expect("compiles");
    let room = |name: &str, numbers: usize| {
        gpu.buffer(name, (numbers * precision.real_bytes()) as u64).expect("room on the device")
    };
    let mut buffers = Vec::new();
    for (name, _, values) in inputs {
        let buffer = room(name, values.len());
        gpu.upload(&buffer, 0, &precision.pack_real(values)).expect("a device");
        buffers.push((*name, buffer));
    }
    buffers.push(("answers", room("answers", N * count)));
    let named: Vec<_> = buffers.iter().map(|(name, buffer)| (*name, buffer)).collect();
    let mut recorder = Recorder::new(gpu);
    recorder.dispatch(&kernel, &kernel.bind(gpu, &named), count as u32, &[count as u32]);
    recorder.submit();
    let answers = &buffers[inputs.len()].1;
    let bytes = gpu.download::<u8>(answers, 0, N * count * precision.real_bytes()).expect("a device");
    precision.unpack_real(&bytes).chunks_exact(N).map(|item| item.try_into().expect("N numbers")).collect()
}

/// Numbers without a pattern.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// From `low` to below `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A point on the sphere of `N` dimensions.
    pub fn direction<const N: usize>(&mut self) -> [f64; N] {
        loop {
            let v: [f64; N] = std::array::from_fn(|_| self.between(-1.0, 1.0));
            let square: f64 = v.iter().map(|x| x * x).sum();
            if (0.01..1.0).contains(&square) {
                return v.map(|x| x / square.sqrt());
            }
        }
    }
}

pub fn times(s: f64, a: Vector) -> Vector {
    a.map(|x| s * x)
}

pub fn plus(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|k| a[k] + b[k])
}

pub fn minus(a: Vector, b: Vector) -> Vector {
    plus(a, times(-1.0, b))
}

pub fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// Axes turned by `angle` about an axis of space.
pub fn turned(e: &[Vector; 3], axis: usize, angle: f64) -> [Vector; 3] {
    let (sine, cosine) = angle.sin_cos();
    let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
    e.map(|mut v| {
        (v[a], v[b]) = (cosine * v[a] - sine * v[b], sine * v[a] + cosine * v[b]);
        v
    })
}

/// The slope of `f` at 0 by central differences of fourth order.
pub fn slope(f: impl Fn(f64) -> f64, h: f64) -> f64 {
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}
