//! Random numbers that are functions of a counter and a key, so that they depend on neither ranks nor order.
//!
//! Philox4x32-10 of Salmon, Moraes, Dror and Shaw, SC 2011, on the host and on the device.

use std::f64::consts::TAU;

use hematite_gpu::{Template, literal};
use minijinja::{Value, context};

/// Random numbers for kernels: `philox`, `uniform_of`, `normals_of`. Their context is [`random_context`].
pub const RANDOM: Template = Template { name: "philox.wgsl", text: include_str!("philox.wgsl") };

const ROUNDS: u32 = 10;
const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// The part of a context that [`RANDOM`] needs, under the name `philox`.
pub fn random_context() -> Value {
    context! {
        rounds => ROUNDS,
        multipliers => MULTIPLIERS,
        steps => STEPS,
        per_word => literal(1.0 / f64::from(1 << 24)),
        turn => literal(TAU),
    }
}

/// Four random words of a counter and a key.
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut c, mut k], wide) = ([counter, [key[0], key[1], 0, 0]], |a: u32, b: u32| u64::from(a) * u64::from(b));
    for _ in 0..ROUNDS {
        let (a, b) = (wide(MULTIPLIERS[0], c[0]), wide(MULTIPLIERS[1], c[2]));
        c = [(b >> 32) as u32 ^ c[1] ^ k[0], b as u32, (a >> 32) as u32 ^ c[3] ^ k[1], a as u32];
        k[0] = k[0].wrapping_add(STEPS[0]);
        k[1] = k[1].wrapping_add(STEPS[1]);
    }
    c
}

/// From a random word, a number above 0 and below 1.
pub fn uniform(word: u32) -> f64 {
    (f64::from(word) + 0.5) / 4_294_967_296.0
}

/// From two random words, two independent normal numbers with variance 1 (Box and Muller, Ann. Math. Stat. 29, 610,
/// 1958).
pub fn normals([a, b]: [u32; 2]) -> [f64; 2] {
    let (radius, angle) = ((-2.0 * uniform(a).ln()).sqrt(), TAU * uniform(b));
    [radius * angle.cos(), radius * angle.sin()]
}

#[cfg(test)]
mod tests {
    use hematite_gpu::{Gpu, Kernel, MAIN, Needs, Recorder, WORKGROUP, render};

    use super::*;

    /// Counters, keys and results that the authors publish with their library.
    const KNOWN: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
        ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
        ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
        (
            [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
            [0xa409_3822, 0x299f_31d0],
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        ),
    ];

    #[test]
    fn numbers_are_the_published_ones_on_host_and_device() {
        let gpu = Gpu::open(0, Needs { checks: true, ..Needs::default() }).expect("a device");
        let text = "struct Span { count: u32 }\nvar<immediate> span: Span;\n\
             var<storage, read> asked: array<u32>;\nvar<storage, read_write> found: array<u32>;\n\
             #include \"main.wgsl\"\n#include \"philox.wgsl\"\n\
             fn work_on(k: u32) {\n\
             let c = vec4<u32>(asked[6u * k], asked[6u * k + 1u], asked[6u * k + 2u], asked[6u * k + 3u]);\n\
             let r = philox(c, vec2<u32>(asked[6u * k + 4u], asked[6u * k + 5u]));\n\
             for (var a = 0u; a < 4u; a++) { found[4u * k + a] = r[a]; }\n}\n";
        let context = context! { workgroup => WORKGROUP, philox => random_context() };
        let wgsl = render(Template { name: "ask.wgsl", text }, &[MAIN, RANDOM], &context);
        wgsl_checks::validate("random numbers", &wgsl);
        let kernel = Kernel::new(&gpu, "random numbers", &wgsl, 4).expect("a kernel");
        let mut asked: Vec<([u32; 4], [u32; 2])> = KNOWN.iter().map(|&(counter, key, _)| (counter, key)).collect();
        asked.extend((0..500).map(|k| (philox([k, 1, 2, 3], [4, 5]), [k, 7])));
        let words: Vec<u32> = asked.iter().flat_map(|(c, k)| [c.as_slice(), k.as_slice()].concat()).collect();
        let buffers = [("asked", 4 * words.len()), ("found", 16 * asked.len())]
            .map(|(name, bytes)| (name, gpu.buffer(name, bytes as u64).expect("room")));
        gpu.upload(&buffers[0].1, 0, &words).expect("uploads");
        let bound = kernel.bind(&gpu, &[(buffers[0].0, &buffers[0].1), (buffers[1].0, &buffers[1].1)]);
        let mut recorder = Recorder::new(&gpu);
        recorder.dispatch(&kernel, &bound, asked.len() as u32, &[asked.len() as u32]);
        recorder.submit();
        let found: Vec<u32> = gpu.download(&buffers[1].1, 0, 4 * asked.len()).expect("downloads");
        for (k, &(counter, key)) in asked.iter().enumerate() {
            let wanted = philox(counter, key);
            assert_eq!(found[4 * k..][..4], wanted, "{counter:?} {key:?}");
            if let Some((.., known)) = KNOWN.get(k) {
                assert_eq!(wanted, *known, "{counter:?} {key:?}");
            }
        }
    }

    #[test]
    fn normal_numbers_have_the_moments_of_a_normal_distribution() {
        let count = 200_000;
        let numbers: Vec<f64> = (0..count / 2)
            .flat_map(|k| {
                let [a, b, ..] = philox([k, 0, 0, 0], [1, 2]);
                normals([a, b])
            })
            .collect();
        let moment = |power: i32| numbers.iter().map(|x| x.powi(power)).sum::<f64>() / f64::from(count);
        // Five standard deviations of each mean.
        for (power, wanted, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
            let off = (moment(power) - wanted).abs();
            assert!(off < 5.0 * f64::sqrt(variance / f64::from(count)), "moment {power}: off by {off}");
        }
    }
}
