//! Forces on nodes: bodies and cells add to them, the fluid reads them.

use hematite_config::Result;
use hematite_gpu::{Buffer, Gpu, Template};

/// Fixed-point scale of forces on nodes: 2^30 for one lattice unit, so that a node can hold twice the largest allowed
/// force.
pub const FORCE_SCALE: f64 = 1_073_741_824.0;

/// The WGSL function `add_force`. Its context: `dimension`, and `wide` of [`NodeForces`].
pub const ADD_FORCE: Template = Template { name: "add_force.wgsl", text: include_str!("add_force.wgsl") };

/// Forces on the nodes of a part, in 1 / [`FORCE_SCALE`].
#[derive(Clone, Debug)]
pub struct NodeForces {
    /// `array<vec2<i32>>[stride]` of x and y, and in 3-D after it `array<i32>[stride]` of z.
    pub words: Buffer,
    /// Whether x and y of a node are one integer of 64 bits, y 2^32 + x, so that one addition adds to both. A negative
    /// x then borrows one from y.
    pub wide: bool,
}

impl NodeForces {
    /// Bytes of the array for `stride` nodes.
    pub fn bytes(dimension: usize, stride: u64) -> u64 {
        4 * dimension as u64 * stride
    }

    /// What kernels bind.
    pub fn table(&self) -> [(&'static str, &Buffer); 2] {
        ["node_force", "node_force_z"].map(|name| (name, &self.words))
    }

    /// The forces on all nodes, of arrays that are `stride` nodes long; z is 0 in 2-D.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn read(&self, gpu: &Gpu, stride: usize) -> Result<Vec<[i32; 3]>> {
        let words: Vec<i32> = gpu.download(&self.words, 0, self.words.bytes() as usize / 4)?;
        let (pairs, z) = words.split_at(2 * stride);
        let force = |(n, pair): (usize, &[i32])| {
            let borrowed = if self.wide { pair[0] >> 31 } else { 0 };
            [pair[0], pair[1].wrapping_sub(borrowed), z.get(n).copied().unwrap_or(0)]
        };
        Ok(pairs.chunks_exact(2).enumerate().map(force).collect())
    }

    /// Sets the forces on the first nodes, of arrays that are `stride` nodes long.
    pub fn write(&self, gpu: &Gpu, stride: usize, forces: &[[i32; 3]]) {
        let pair = |&[x, y, _]: &[i32; 3]| [x, if self.wide { y.wrapping_add(x >> 31) } else { y }];
        gpu.write(&self.words, 0, &forces.iter().flat_map(pair).collect::<Vec<i32>>());
        if self.words.bytes() as usize > 8 * stride {
            gpu.write(&self.words, 2 * stride, &forces.iter().map(|force| force[2]).collect::<Vec<i32>>());
        }
    }
}

#[cfg(test)]
mod tests {
    use hematite_gpu::{Kernel, MAIN, Needs, Recorder, WORKGROUP, render};
    use minijinja::context;

    use super::*;
    use crate::random::philox;

    /// Adds force k to node k / 8.
    const KERNEL: Template = Template {
        name: "add",
        text: r#"
struct Span { count: u32, node_stride: u32 }
var<immediate> span: Span;
var<storage, read> force: array<i32>;
#include "add_force.wgsl"
#include "main.wgsl"

fn work_on(k: u32) {
    var f = vec${dimension}<i32>();
#for a in range(dimension)
    f[${a}] = force[${dimension}u * k + ${a}u];
#endfor
    add_force(k / 8u, f);
}
"#,
    };

    const NODES: usize = 1000;

    fn wgsl(dimension: usize, wide: bool) -> String {
        render(KERNEL, &[MAIN, ADD_FORCE], &context! { dimension, wide, workgroup => WORKGROUP })
    }

    #[test]
    fn sums_are_those_of_each_component() {
        let gpu = Gpu::open(0, Needs { checks: true, ..Needs::default() }).expect("a device");
        for (dimension, wide) in [(2, false), (3, false), (2, true), (3, true)] {
            wgsl_checks::validate((dimension, wide), &wgsl(dimension, wide));
            if wide && !gpu.has_wide_additions() {
                continue;
            }
            let count = 8 * NODES;
            let stride = NODES + 24;
            let force: Vec<i32> = (0..(dimension * count) as u32)
                .map(|k| (philox([k, 0, 0, 0], [dimension as u32, 7])[0] as i32) >> (3 + k % 28))
                .collect();
            let buffer = |words: usize| gpu.buffer("test", 4 * words as u64).expect("fits");
            let forces = buffer(force.len());
            gpu.write(&forces, 0, &force);
            let nodes = NodeForces { words: buffer(dimension * stride), wide };
            let kernel = Kernel::new(&gpu, "test", &wgsl(dimension, wide), 8).expect("valid");
            let bound = kernel.bind(&gpu, &[[("force", &forces)].as_slice(), &nodes.table()].concat());
            let mut recorder = Recorder::new(&gpu);
            recorder.dispatch(&kernel, &bound, count as u32, &[count as u32, stride as u32]);
            recorder.submit();
            let sums = nodes.read(&gpu, stride).expect("reads");
            for (node, of_node) in force.chunks(8 * dimension).enumerate() {
                let mut added = [0; 3];
                of_node.chunks(dimension).for_each(|f| added.iter_mut().zip(f).for_each(|(sum, f)| *sum += f));
                assert_eq!(sums[node], added, "{dimension} {wide} {node}");
            }
            let words = |nodes: &NodeForces| gpu.download::<i32>(&nodes.words, 0, dimension * stride).expect("reads");
            let again = NodeForces { words: buffer(dimension * stride), wide };
            again.write(&gpu, stride, &sums);
            assert_eq!(words(&again), words(&nodes), "{dimension} {wide}");
        }
    }
}
