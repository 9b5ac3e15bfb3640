//! Prototypes of the fluid's time step, timed beside each other: how links are kept, how many nodes an invocation has,
//! where nodes stand, when populations at walls are seen to. docs/performance.md says which were kept.

mod chunks;
mod directions;

use std::time::Instant;

use hematite_case::{Lattice, Link, Part, Partition, Target, VelocitySet};
use hematite_config::Result;
use hematite_geometry::Site;
use hematite_gpu::{Binding, Bound, Buffer, Gpu, Kernel, Needs, Recorder, Template, WORKGROUP, render};
use hematite_solver::lattice_boltzmann::links::{self, Runs};
use minijinja::{Value, context};

use crate::geometry::{bands, helix, listed, tree};
use chunks::Chunks;
use directions::Directions;
use validation::Inside;

/// A prototype. All keep populations in place (AA pattern) and compute the same.
#[derive(Clone, Copy, Debug)]
struct Variant {
    name: &'static str,
    links: Links,
    /// Whether populations are stored as f16.
    half: bool,
    workgroup: u32,
    /// Nodes side by side that an invocation has in even steps.
    wide: u32,
    /// Nodes a workgroup apart that an invocation has in odd steps.
    many: u32,
    /// Whether it does them one after the other, once it knows the links of all.
    in_turn: bool,
    /// Whether populations are only read and written.
    copy: bool,
    /// Whether odd steps see to populations at walls after all others.
    apart: bool,
    /// Whether odd steps read links once more for their stores, and see to stores at walls after all others.
    reread: bool,
    /// Rounds that a workgroup makes in odd steps, on nodes that follow each other.
    rounds: u32,
    /// How many nodes ahead an odd step reads words and distances that it needs not, so that they are near later.
    ahead: u32,
}

/// How an odd step knows where populations are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Links {
    /// An index a link.
    Table,
    /// A word a node, a distance a direction for runs of nodes.
    Directions,
    /// The same, and an array for each direction in place of one for each pair.
    Split,
    /// As the solver does: a word a node, a distance for each neighbouring row.
    Rows,
    /// Rows all of whose distances are zero: no flow, but shows what reading links costs.
    Flat,
    /// A word a slot, distances by chunks of so many slots, aligned along x; whether even steps leave out empty slots.
    Chunks(usize, bool),
    /// The same distances for all nodes, multiples of 64 but for this: no flow, but shows what populations cost.
    Fixed(u32),
}

impl Links {
    /// Its name in the template.
    fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Directions => "directions",
            Self::Split => "split",
            Self::Rows | Self::Flat => "rows",
            Self::Chunks(..) => "chunks",
            Self::Fixed(_) => "fixed",
        }
    }
}

const BASE: Variant = Variant {
    name: "",
    links: Links::Rows,
    half: false,
    workgroup: 256,
    wide: 1,
    many: 1,
    in_turn: false,
    copy: false,
    apart: false,
    reread: false,
    rounds: 1,
    ahead: 0,
};
/// What the solver does on a GPU, in f32 and in f16.
const BEST: Variant = Variant { wide: 2, apart: true, reread: true, ..BASE };
const HALF: Variant = Variant { wide: 4, half: true, apart: true, ..BASE };
/// What it does on a software device, and what was there before, with one distance a direction.
const PLAIN: Variant = Variant { wide: 2, ..BASE };
const BEFORE: Variant = Variant { wide: 2, links: Links::Directions, ..BASE };
const HALF_BEFORE: Variant = Variant { wide: 4, half: true, ..BEFORE };

const VARIANTS: &[Variant] = &[
    Variant { name: "copy, fixed distances", links: Links::Fixed(0), copy: true, ..BASE },
    Variant { name: "copy, rows", copy: true, ..BASE },
    Variant { name: "fixed distances", links: Links::Fixed(0), ..BASE },
    Variant { name: "fixed distances, off by 8", links: Links::Fixed(8), ..BASE },
    Variant { name: "fixed distances, off by 1", links: Links::Fixed(1), ..BASE },
    Variant { name: "link tables", links: Links::Table, ..BASE },
    Variant { name: "directions, even 1 node", wide: 1, ..BEFORE },
    Variant { name: "directions", ..BEFORE },
    Variant { name: "directions, even 4 nodes", wide: 4, ..BEFORE },
    Variant { name: "directions, workgroups of 64", workgroup: 64, ..BEFORE },
    Variant { name: "directions, workgroups of 128", workgroup: 128, ..BEFORE },
    Variant { name: "directions, workgroups of 512", workgroup: 512, ..BEFORE },
    Variant { name: "directions, an array each", links: Links::Split, ..BEFORE },
    Variant { name: "directions, odd 2 nodes at once", many: 2, ..BEFORE },
    Variant { name: "rows", ..PLAIN },
    Variant { name: "rows, flat", links: Links::Flat, ..PLAIN },
    Variant { name: "rows, odd 2 nodes in turn", many: 2, in_turn: true, ..PLAIN },
    Variant { name: "chunks of 8", links: Links::Chunks(8, true), ..PLAIN },
    Variant { name: "chunks of 16", links: Links::Chunks(16, true), ..PLAIN },
    Variant { name: "chunks of 32", links: Links::Chunks(32, true), ..PLAIN },
    Variant { name: "chunks of 32, even steps whole", links: Links::Chunks(32, false), ..PLAIN },
    Variant { name: "rows, walls apart", reread: false, ..BEST },
    Variant { name: "rows, walls apart, reread", ..BEST },
    Variant { name: "the same, workgroups of 64", workgroup: 64, ..BEST },
    Variant { name: "the same, workgroups of 128", workgroup: 128, ..BEST },
    Variant { name: "the same, workgroups of 512", workgroup: 512, ..BEST },
    Variant { name: "the same, 2 rounds", rounds: 2, ..BEST },
    Variant { name: "the same, 8 rounds", rounds: 8, ..BEST },
    Variant { name: "the same, reading ahead", ahead: 1 << 18, ..BEST },
    Variant { name: "f16 copy, fixed distances", links: Links::Fixed(0), half: true, copy: true, ..BASE },
    Variant { name: "f16 fixed distances, off by 1", links: Links::Fixed(1), half: true, ..BASE },
    Variant { name: "f16 link tables", links: Links::Table, half: true, ..BASE },
    Variant { name: "f16 directions, even 1 node", wide: 1, ..HALF_BEFORE },
    Variant { name: "f16 directions, even 2 nodes", wide: 2, ..HALF_BEFORE },
    Variant { name: "f16 directions", ..HALF_BEFORE },
    Variant { name: "f16 directions, an array each", links: Links::Split, ..HALF_BEFORE },
    Variant { name: "f16 directions, odd 2 at once", many: 2, ..HALF_BEFORE },
    Variant { name: "f16 rows", apart: false, ..HALF },
    Variant { name: "f16 rows, flat", apart: false, links: Links::Flat, ..HALF },
    Variant { name: "f16 chunks of 32", links: Links::Chunks(32, true), apart: false, ..HALF },
    Variant { name: "f16 rows, walls apart", ..HALF },
    Variant { name: "f16 rows, walls apart, reread", reread: true, ..HALF },
];

/// Nodes are filled up to a multiple of this, so that every variant has whole workgroups.
const WHOLE: usize = 2048;

/// A domain to time on.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Helix,
    Tree,
    Bands,
}

/// What the links of a part look like in each way.
struct Ways {
    tables: Vec<Vec<u32>>,
    directions: Directions,
    rows: Runs,
    chunks: Vec<Chunks>,
}

/// Times all prototypes on about `millions` million nodes, of a helical pipe, of a tree of pipes and of bands in 2-D.
pub fn measure(millions: f64) -> Result<()> {
    for shape in [Shape::Helix, Shape::Tree, Shape::Bands] {
        let start = Instant::now();
        let (set, mut part) = made(shape, millions)?;
        let ways = Ways {
            tables: tables(&part),
            directions: Directions::of(set, &part.links),
            rows: Runs::of(set, &part.links),
            chunks: [8, 16, 32].map(|size| Chunks::of(set, &part, size)).into(),
        };
        part.links = Vec::new();
        let per_node = |bytes: usize| bytes as f64 / part.own as f64;
        println!(
            "{shape:?}, {set:?}: {} nodes, made in {:.1} s; bytes a node: directions {:.2}, rows {:.2}",
            part.own,
            start.elapsed().as_secs_f64(),
            per_node(ways.directions.bytes()),
            per_node(ways.rows.bytes())
        );
        for chunks in &ways.chunks {
            let (bytes, slots) = (per_node(chunks.bytes()), chunks.stride as f64 / part.own as f64);
            println!("chunks of {}: {bytes:.2} bytes and {slots:.3} slots a node", chunks.size);
        }
        println!(
            "{:<40} | {:^31} | {:^31} | {:^31} | f_0 after 10 steps",
            "MLUPS: median (least .. most)", "whole steps", "even", "odd"
        );
        let gpu = Gpu::open(0, Needs { f16: true, ..Needs::default() })?;
        for &variant in VARIANTS {
            time(&gpu, set, variant, part.own, &ways)?;
        }
    }
    Ok(())
}

fn made(shape: Shape, millions: f64) -> Result<(VelocitySet, Part)> {
    let solid = |(inside, fluid): (Inside, Vec<bool>)| listed(inside, &fluid).1;
    let domain = match shape {
        Shape::Helix => solid(helix(millions.cbrt())),
        Shape::Tree => solid(tree(millions.cbrt())),
        Shape::Bands => {
            let (inside, fluid) = bands((1500.0 * millions.sqrt()) as usize);
            validation::domain(inside, &[], |at| {
                if fluid(at[0] as usize, at[1] as usize) { Site::FLUID } else { Site::WALL }
            })
        }
    };
    let lattice = Lattice::build(&domain)?;
    drop(domain);
    Ok((lattice.set, Part::of(&lattice, &Partition::make(&lattice, 1)?, 0)?))
}

/// Distances of rows that are loaded at once.
fn row_width(set: VelocitySet) -> usize {
    links::rows(set).len().min(4)
}

fn stride(own: usize) -> usize {
    own.next_multiple_of(WHOLE)
}

fn tables(part: &Part) -> Vec<Vec<u32>> {
    let stride = stride(part.own) as u32;
    let pair = |along: &[Vec<Link>]| {
        let mut table: Vec<u32> = (0..2 * stride).collect();
        for n in 0..part.own {
            let at = n as u32;
            table[n] = match along[1][n].target() {
                Target::Node(upstream) => stride + upstream,
                _ => at,
            };
            table[stride as usize + n] = match along[0][n].target() {
                Target::Node(upstream) => upstream,
                _ => stride + at,
            };
        }
        table
    };
    part.links.chunks(2).map(pair).collect()
}

fn time(gpu: &Gpu, set: VelocitySet, variant: Variant, own: usize, ways: &Ways) -> Result<()> {
    let chunks = match variant.links {
        Links::Chunks(size, _) => ways.chunks.iter().find(|chunks| chunks.size == size),
        _ => None,
    };
    let live = matches!(variant.links, Links::Chunks(_, true));
    let stride = chunks.map_or(stride(own), |chunks| chunks.stride);
    let width = if variant.half { 2 } else { 4 };
    let stored = if variant.half { "f16" } else { "f32" };
    let mut buffers: Vec<(String, Buffer)> = Vec::new();
    let mut add = |name: String, bytes: usize, content: &[u32]| -> Result<()> {
        let buffer = gpu.buffer(&name, bytes as u64)?;
        gpu.upload(&buffer, 0, content)?;
        buffers.push((name, buffer));
        Ok(())
    };
    add("f_0".to_owned(), width * stride, &[])?;
    let pairs = set.q() / 2;
    for k in 1..=pairs {
        if variant.links == Links::Split {
            add(format!("a_{k}"), width * stride, &[])?;
            add(format!("b_{k}"), width * stride, &[])?;
        } else {
            add(
                format!("f_{k}"),
                2 * width * stride + if matches!(variant.links, Links::Fixed(_)) { 1 << 20 } else { 0 },
                &[],
            )?;
        }
        if variant.links == Links::Table {
            add(format!("links_{k}"), 8 * stride, &ways.tables[k - 1])?;
        }
    }
    // The nodes that fill up stand between walls.
    let filled = |words: &[u32]| {
        let mut words = words.to_vec();
        words.resize(stride, (1 << (set.q() - 1)) - 1);
        words
    };
    match variant.links {
        Links::Directions | Links::Split => {
            add("words".to_owned(), 4 * stride, &filled(&ways.directions.words))?;
            add("first_run".to_owned(), 4 * stride / links::BLOCK, &ways.directions.first)?;
            add("distances".to_owned(), 4 * ways.directions.distances.len(), &ways.directions.distances)?;
        }
        Links::Rows | Links::Flat => {
            let flat = vec![0; ways.rows.distances.len()];
            let distances = if variant.links == Links::Flat { &flat } else { &ways.rows.distances };
            add("words".to_owned(), 4 * stride, &filled(&ways.rows.words))?;
            add("first_run".to_owned(), 4 * stride / links::BLOCK, &ways.rows.first)?;
            add("distances".to_owned(), 4 * distances.len(), distances)?;
            add("lists".to_owned(), 4 * ways.rows.lists.len(), &ways.rows.lists)?;
        }
        Links::Table | Links::Chunks(..) | Links::Fixed(_) => {}
    }
    if let Some(chunks) = chunks {
        add("words".to_owned(), 4 * stride, &chunks.words)?;
        add("first_run".to_owned(), 4 * chunks.first.len(), &chunks.first)?;
        add("distances".to_owned(), 4 * chunks.distances.len(), &chunks.distances)?;
        add("lists".to_owned(), 4 * chunks.lists.len(), &chunks.lists)?;
        add("live".to_owned(), 4 * chunks.live.len(), &chunks.live)?;
    }
    let mut bound: Vec<(&str, &Buffer)> = buffers.iter().map(|(name, buffer)| (name.as_str(), buffer)).collect();
    for (again, name) in [("words_again", "words"), ("distances_again", "distances")] {
        bound.extend(buffers.iter().find(|(known, _)| known == name).map(|(_, buffer)| (again, buffer)));
    }
    let kernel = |odd: bool| -> Result<(Kernel, Bound, [u32; 2])> {
        let (wide, many) = if odd { (1, variant.many) } else { (variant.wide, 1) };
        let array = if wide > 1 { format!("array<vec{wide}<{stored}>>") } else { format!("array<{stored}>") };
        let mut table = vec![Binding::write("f_0", &array)];
        for k in 1..=pairs {
            if variant.links == Links::Split {
                table.extend(["a", "b"].map(|stem| Binding::write(format!("{stem}_{k}"), &array)));
            } else {
                table.push(Binding::write(format!("f_{k}"), &array));
            }
            if odd && variant.links == Links::Table {
                table.push(Binding::read(format!("links_{k}"), "array<u32>"));
            }
        }
        if odd && matches!(variant.links, Links::Directions | Links::Split) {
            table.extend(["words", "first_run"].map(|name| Binding::read(name, "array<u32>")));
            table.push(Binding::read("distances", "array<vec4<u32>>"));
        }
        if odd && matches!(variant.links, Links::Rows | Links::Flat | Links::Chunks(..)) {
            let row = format!("array<vec{}<u32>>", row_width(set));
            table.extend(["words", "first_run", "lists"].map(|name| Binding::read(name, "array<u32>")));
            table.push(Binding::read("distances", &row));
            if variant.reread {
                table.push(Binding::read("words_again", "array<u32>"));
                table.push(Binding::read("distances_again", &row));
            }
        }
        if !odd && live {
            table.push(Binding::read("live", "array<u32>"));
        }
        let source = wgsl(set, variant, odd, [wide, many], stored, &table);
        let kernel = Kernel::new(gpu, variant.name, &source, table, 8)?;
        let bound = kernel.bind(gpu, &bound);
        Ok((kernel, bound, [wide, many]))
    };
    let kernels = [kernel(false)?, kernel(true)?];
    let run = |which: [usize; 2], steps: u32| -> Result<f64> {
        let start = Instant::now();
        let mut recorder = Recorder::new(gpu);
        for step in 0..steps {
            let (kernel, bound, [wide, many]) = &kernels[which[step as usize % 2]];
            let count = stride as u32 / wide;
            let rounds = if which[step as usize % 2] == 1 { variant.rounds } else { 1 };
            let items = (count / many).div_ceil(variant.workgroup * rounds) * WORKGROUP;
            recorder.dispatch(kernel, bound, items, &[count, stride as u32]);
        }
        recorder.submit();
        gpu.wait()?;
        Ok(start.elapsed().as_secs_f64())
    };
    run([0, 1], 10)?;
    let rest: Vec<u8> = gpu.download(&buffers[0].1, 0, stride * width)?;
    let slot = |n: usize| chunks.map_or(n, |chunks| chunks.slots[n] as usize);
    let values = (0..own).flat_map(|n| &rest[slot(n) * width..(slot(n) + 1) * width]);
    let hash = values.fold(0_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
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

fn wgsl(
    set: VelocitySet,
    variant: Variant,
    odd: bool,
    [wide, many]: [u32; 2],
    stored: &str,
    table: &[Binding],
) -> String {
    let c = set.velocities();
    let component = ["x", "y", "z", "w"];
    let signed = |factor: &dyn Fn([i32; 3]) -> i32, stem: &str| -> String {
        let terms = (1..=set.q() / 2).filter_map(|k| match factor(c[2 * k - 1]) {
            0 => None,
            sign => Some(format!(" {} {stem}{k}", if sign > 0 { '+' } else { '-' })),
        });
        format!("(0.0{})", terms.collect::<String>())
    };
    let step_back = |c: [i32; 3]| ["- 1u", "", "+ 1u"][(1 - c[0]) as usize];
    let rows = links::rows(set);
    let width = row_width(set);
    let beside = |c: [i32; 3]| {
        let row = rows.iter().position(|&row| row == [-c[1], -c[2]]);
        row.map(|row| [(row / width).to_string(), component[row % width].to_owned()])
    };
    let pairs: Vec<Value> = (1..=set.q() / 2)
        .map(|k| {
            let (i, j) = (2 * k - 1, 2 * k);
            let dot = ["x", "y", "z"].iter().zip(c[i]).filter(|&(_, sign)| sign != 0);
            let dot = dot.map(|(axis, sign)| format!("{} u{axis}", if sign > 0 { '+' } else { '-' }));
            context! {
                k, i, j,
                shell => if set.weight(i) == set.weight(1) { 1 } else { 2 },
                c_dot_u => format!("(0.0{})", dot.collect::<String>()),
                cx => c[i][0],
                upstream_i => step_back(c[i]), upstream_j => step_back(c[j]),
                beside_i => beside(c[i]), beside_j => beside(c[j]),
                bit_i => 1_u32 << (i - 1),
                bit_j => 1_u32 << (j - 1),
                row_i => (i - 1) / 4, at_i => (i - 1) % 4,
                row_j => (j - 1) / 4, at_j => (j - 1) % 4,
            }
        })
        .collect();
    let axes = (0..set.dimension())
        .map(|a| context! { name => component[a], index => a, momentum => signed(&|c| c[a], "difference") })
        .collect::<Vec<_>>();
    let context = context! {
        stored, odd, wide, many,
        shift => if let Links::Fixed(shift) = variant.links { shift } else { 0 },
        turns => if variant.in_turn { (0..many).map(|s| vec![s]).collect() } else { vec![(0..many).collect::<Vec<_>>()] },
        squares => ["ux * ux", "uy * uy", "uz * uz"][..set.dimension()].join(" + "),
        copy => variant.copy,
        links => variant.links.name(),
        split => variant.links == Links::Split,
        apart => variant.apart,
        reread => variant.reread,
        rounds => variant.rounds,
        ahead => variant.ahead,
        live => matches!(variant.links, Links::Chunks(_, true)),
        chunk_bits => if let Links::Chunks(size, _) = variant.links { size.trailing_zeros() } else { 0 },
        workgroup => variant.workgroup,
        directions => set.q() - 1,
        direction_loads => directions::row(set) / 4,
        row_loads => rows.len() / width,
        listed_bit => 1_u32 << (set.q() - 1),
        walls => (1_u32 << (set.q() - 1)) - 1,
        w0 => format!("{:?}", set.weight(0)),
        weights => [format!("{:?}", set.weight(1)), format!("{:?}", set.weight(set.q() - 1))],
        pairs, axes,
        sum_of_pairs => (1..=set.q() / 2).map(|k| format!(" + sum{k}")).collect::<String>(),
        declarations => Binding::declare(table),
    };
    let upstream = Template { name: "upstream.wgsl", text: include_str!("upstream.wgsl") };
    render(Template { name: "step.wgsl", text: include_str!("step.wgsl") }, &[upstream], &context)
}
