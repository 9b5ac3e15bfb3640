//! Buffers and kernels of a prototype, and its speed.

use std::time::Instant;

use hematite_case::VelocitySet;
use hematite_config::Result;
use hematite_gpu::{Bound, Buffer, Gpu, Kernel, Recorder, WORKGROUP};
use physics_lattice_boltzmann::links::{GROUP, Runs};

use super::directions::BLOCK;
use super::variants::{Links, Variant};
use super::{Ways, source, stride};

/// Buffers by name.
type Named = Vec<(String, Buffer)>;

/// Checks what a prototype computes by ten steps, then prints its speed.
pub fn time(gpu: &Gpu, set: VelocitySet, variant: Variant, own: usize, ways: &Ways) -> Result<()> {
    let (stride, width) = (stride(own), if variant.half { 2 } else { 4 });
    let buffers = buffers(gpu, set, variant, [own, stride], ways)?;
    let kernels = [kernel(gpu, set, variant, false, &buffers)?, kernel(gpu, set, variant, true, &buffers)?];
    // Of 1e-6 along x.
    let force: Vec<u32> = set.velocities()[1..].iter().step_by(2).map(|c| (c[0] as f32 * 1e-6).to_bits()).collect();
    let run = |which: [usize; 2], steps: u32| -> Result<f64> {
        let start = Instant::now();
        let mut recorder = Recorder::new(gpu);
        for step in 0..steps {
            let odd = which[step as usize % 2];
            let (kernel, bound) = &kernels[odd];
            let (wide, many) = source::nodes(variant, odd == 1);
            let wide = if variant.links == Links::Tiles { 512 / variant.workgroup } else { wide };
            let count = stride as u32 / wide;
            let items = count.div_ceil(many).div_ceil(variant.workgroup) * WORKGROUP;
            recorder.dispatch(kernel, bound, items, &[&[count, stride as u32], force.as_slice()].concat());
        }
        recorder.submit();
        gpu.wait()?;
        Ok(start.elapsed().as_secs_f64())
    };
    run([0, 1], 10)?;
    let rest: Vec<u8> = gpu.download(&buffers[0].1, 0, own * width)?;
    let hash = rest.iter().fold(0_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let each = run([0, 1], 10)? / 10.0;
    let steps = ((0.15 / each) as u32).clamp(4, 4000) / 2 * 2;
    let mut line = format!("{:<40} |", variant.name);
    for which in [[0, 1], [0, 0], [1, 1]] {
        let mut rates = Vec::new();
        for _ in 0..3 {
            rates.push(own as f64 * f64::from(steps) / run(which, steps)? / 1e6);
        }
        rates.sort_by(f64::total_cmp);
        line += &format!(" {:>8.0} ({:>6.0} .. {:>6.0}) |", rates[1], rates[0], rates[2]);
    }
    println!("{line} {hash:016x}");
    Ok(())
}

/// The populations of `own` nodes, filled up to `stride`, and their links; `f_0` comes first.
fn buffers(gpu: &Gpu, set: VelocitySet, variant: Variant, [own, stride]: [usize; 2], ways: &Ways) -> Result<Named> {
    let width = if variant.half { 2 } else { 4 };
    let mut buffers: Named = Vec::new();
    let mut add = |name: &str, bytes: usize, content: &[u32]| -> Result<()> {
        let buffer = gpu.buffer(name, bytes as u64)?;
        gpu.upload(&buffer, 0, content)?;
        buffers.push((name.to_owned(), buffer));
        Ok(())
    };
    if variant.links == Links::Tiles {
        for m in 0..source::MOMENTS {
            add(&format!("m_{m}"), width * stride, &[])?;
        }
        // Two sets of what leaves through six faces, 64 sites each, 5 populations a site.
        add("ghosts", 2 * width * stride / 512 * 6 * 64 * 5, &[])?;
        return Ok(buffers);
    }
    add("f_0", width * stride, &[])?;
    for k in 1..=set.q() / 2 {
        if variant.links.splits() {
            // With esoteric pull, slots for special nodes behind those of all nodes.
            let more = if variant.links == Links::Esoteric { ways.esoteric.specials.len() + stride - own } else { 0 };
            let slots = (stride + more).next_multiple_of(4);
            add(&format!("a_{k}"), width * slots, &[])?;
            add(&format!("b_{k}"), width * slots, &[])?;
        } else {
            let more = if matches!(variant.links, Links::Fixed(_)) { 1 << 20 } else { 0 };
            add(&format!("f_{k}"), 2 * width * stride + more, &[])?;
        }
        if variant.links == Links::Table {
            add(&format!("links_{k}"), 8 * stride, &ways.tables[k - 1])?;
        }
    }
    let all_walls = (1 << (set.q() - 1)) - 1;
    // The nodes that fill up stand between walls.
    let filled = |words: &[u32]| {
        let mut words = words.to_vec();
        words.resize(stride, all_walls);
        words
    };
    let settled = |distances: &[u32]| if variant.flat { vec![0; distances.len()] } else { distances.to_vec() };
    match variant.links {
        Links::Directions | Links::Split => {
            add("words", 4 * stride, &filled(&ways.directions.words))?;
            add("first_run", 4 * stride / BLOCK, &ways.directions.first)?;
            add("distances", 4 * ways.directions.distances.len(), &ways.directions.distances)?;
        }
        Links::Groups | Links::Esoteric => {
            let groups = if variant.links == Links::Esoteric { &ways.esoteric } else { &ways.groups };
            let (words, specials) = closed(groups, [own, stride], all_walls);
            add("groups", 4 * words.len(), &words)?;
            add("specials", 4 * specials.len(), &specials)?;
            add("distances", 4 * groups.distances.len(), &settled(&groups.distances))?;
            add("lists", 4 * groups.lists.len(), &groups.lists)?;
        }
        Links::Table | Links::Tiles | Links::Fixed(_) => {}
    }
    Ok(buffers)
}

/// Groups and the words of special nodes with those that fill up, which stand between walls.
fn closed(groups: &Runs, [own, stride]: [usize; 2], all_walls: u32) -> (Vec<u32>, Vec<u32>) {
    let (mut words, mut specials) = (groups.marks.clone(), groups.specials.clone());
    let unused = specials.pop();
    for n in own..stride {
        if n % GROUP == 0 {
            words.extend([0, 0, 0, specials.len() as u32]);
        }
        words[n / GROUP * 4 + 2] |= 1 << (n % GROUP);
        specials.push(all_walls);
    }
    specials.extend(unused);
    (words, specials)
}

fn kernel(gpu: &Gpu, set: VelocitySet, variant: Variant, odd: bool, buffers: &Named) -> Result<(Kernel, Bound)> {
    let mut bound: Vec<(&str, &Buffer)> = buffers.iter().map(|(name, buffer)| (name.as_str(), buffer)).collect();
    for (again, name) in source::AGAIN {
        bound.extend(buffers.iter().find(|(known, _)| known == name).map(|(_, buffer)| (again, buffer)));
    }
    let wgsl = source::wgsl(set, variant, odd);
    let kernel = Kernel::new(gpu, variant.name, &wgsl, 8 + 4 * (set.q() as u32 / 2))?;
    let bound = kernel.bind(gpu, &bound);
    Ok((kernel, bound))
}
