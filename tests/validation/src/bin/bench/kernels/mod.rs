//! Prototypes of the fluid's time step, timed beside each other: how links are kept, how many nodes an invocation has,
//! in which order nodes stand. docs/performance.md says which were kept.

mod rows;

use std::time::Instant;

use hematite_case::{Lattice, Link, Part, Partition, Target, VelocitySet};
use hematite_config::Result;
use hematite_geometry::Site;
use hematite_gpu::{Binding, Bound, Buffer, Gpu, Kernel, Needs, Recorder, Template, WORKGROUP, render};
use hematite_solver::lattice_boltzmann::links::{self, Runs};
use minijinja::{Value, context};

use crate::geometry::{bands, helix, listed};
use rows::Rows;

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
}

/// How an odd step knows where populations are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Links {
    /// An index a link.
    Table,
    /// As the solver does: a word a node, distances by runs of nodes.
    Runs,
    /// Runs, and an array for each direction in place of one for each pair.
    Split,
    /// A word a node, one distance for each neighbouring row of nodes.
    Rows,
    /// Rows all of whose distances are zero: no flow, but shows what reading links costs.
    Flat,
    /// The same distances for all nodes, multiples of 64 but for this: no flow, but shows what populations cost.
    Fixed(u32),
}

impl Links {
    /// Its name in the template.
    fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Runs => "runs",
            Self::Split => "split",
            Self::Rows | Self::Flat => "rows",
            Self::Fixed(_) => "fixed",
        }
    }
}

const BASE: Variant = Variant {
    name: "",
    links: Links::Runs,
    half: false,
    workgroup: 256,
    wide: 1,
    many: 1,
    in_turn: false,
    copy: false,
};
const HALF: Variant = Variant { half: true, ..BASE };

const VARIANTS: &[Variant] = &[
    Variant { name: "copy, fixed distances", links: Links::Fixed(0), copy: true, ..BASE },
    Variant { name: "copy, runs", copy: true, ..BASE },
    Variant { name: "fixed distances", links: Links::Fixed(0), ..BASE },
    Variant { name: "fixed distances, off by 8", links: Links::Fixed(8), ..BASE },
    Variant { name: "fixed distances, off by 1", links: Links::Fixed(1), ..BASE },
    Variant { name: "link tables", links: Links::Table, ..BASE },
    Variant { name: "runs", ..BASE },
    Variant { name: "runs, workgroups of 64", workgroup: 64, ..BASE },
    Variant { name: "runs, workgroups of 128", workgroup: 128, ..BASE },
    Variant { name: "runs, workgroups of 512", workgroup: 512, ..BASE },
    Variant { name: "runs, an array a direction", links: Links::Split, ..BASE },
    Variant { name: "runs, even 2 nodes", wide: 2, ..BASE },
    Variant { name: "runs, even 4 nodes", wide: 4, ..BASE },
    Variant { name: "runs, odd 2 nodes at once", many: 2, ..BASE },
    Variant { name: "rows", links: Links::Rows, ..BASE },
    Variant { name: "rows, flat", links: Links::Flat, ..BASE },
    Variant { name: "rows, odd 2 nodes in turn", links: Links::Rows, many: 2, in_turn: true, ..BASE },
    Variant { name: "f16 copy, fixed distances", links: Links::Fixed(0), copy: true, ..HALF },
    Variant { name: "f16 fixed distances, off by 1", links: Links::Fixed(1), ..HALF },
    Variant { name: "f16 link tables", links: Links::Table, ..HALF },
    Variant { name: "f16 runs", ..HALF },
    Variant { name: "f16 runs, an array a direction", links: Links::Split, ..HALF },
    Variant { name: "f16 runs, even 2 nodes", wide: 2, ..HALF },
    Variant { name: "f16 runs, even 4 nodes", wide: 4, ..HALF },
    Variant { name: "f16 runs, even 4, odd 2 at once", wide: 4, many: 2, ..HALF },
    Variant { name: "f16 rows", links: Links::Rows, ..HALF },
    Variant { name: "f16 rows, flat", links: Links::Flat, ..HALF },
];

/// Nodes are filled up to a multiple of this, so that every variant has whole workgroups.
const WHOLE: usize = 2048;

/// Times all prototypes on about `millions` million nodes.
pub fn measure(millions: f64) -> Result<()> {
    for set in [VelocitySet::D3Q19, VelocitySet::D2Q9] {
        let start = Instant::now();
        let mut part = made(set, millions)?;
        let tables = tables(&part);
        let runs = Runs::of(set, &part.links);
        let rows = Rows::of(set, &part);
        part.links = Vec::new();
        println!(
            "{set:?}: {} nodes, {} runs ({:.2} bytes a node), made in {:.1} s",
            part.own,
            runs.distances.len() / links::row(set),
            runs.bytes() as f64 / part.own as f64,
            start.elapsed().as_secs_f64()
        );
        println!(
            "rows: {:.2} bytes a node\n{:<40} | {:^31} | {:^31} | {:^31} | f_0 after 10 steps",
            rows.bytes() as f64 / part.own as f64,
            "MLUPS: median (least .. most)",
            "whole steps",
            "even",
            "odd"
        );
        let gpu = Gpu::open(0, Needs { f16: true, ..Needs::default() })?;
        for &variant in VARIANTS {
            time(&gpu, set, variant, part.own, &tables, &runs, &rows)?;
        }
    }
    Ok(())
}

fn made(set: VelocitySet, millions: f64) -> Result<Part> {
    let domain =
        if set == VelocitySet::D3Q19 {
            let (inside, fluid) = helix(millions.cbrt());
            listed(inside, &fluid).1
        } else {
            let (inside, fluid) = bands((1500.0 * millions.sqrt()) as usize);
            validation::domain(inside, &[], |at| {
                if fluid(at[0] as usize, at[1] as usize) { Site::FLUID } else { Site::WALL }
            })
        };
    let lattice = Lattice::build(&domain)?;
    drop(domain);
    Part::of(&lattice, &Partition::make(&lattice, 1)?, 0)
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

fn time(
    gpu: &Gpu,
    set: VelocitySet,
    variant: Variant,
    own: usize,
    tables: &[Vec<u32>],
    runs: &Runs,
    rows: &Rows,
) -> Result<()> {
    let stride = stride(own);
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
            add(format!("links_{k}"), 8 * stride, &tables[k - 1])?;
        }
    }
    if matches!(variant.links, Links::Runs | Links::Split) {
        let mut words = runs.words.clone();
        // The nodes that fill up stand between walls.
        words.resize(stride, (1 << (set.q() - 1)) - 1);
        add("words".to_owned(), 4 * stride, &words)?;
        add("first_run".to_owned(), 4 * stride / links::BLOCK, &runs.first)?;
        add("distances".to_owned(), 4 * runs.distances.len(), &runs.distances)?;
    }
    if matches!(variant.links, Links::Rows | Links::Flat) {
        let flat = vec![0; rows.distances.len()];
        let distances = if variant.links == Links::Flat { &flat } else { &rows.distances };
        add("words".to_owned(), 4 * stride, &rows.words)?;
        add("first_run".to_owned(), 4 * stride / links::BLOCK, &rows.first)?;
        add("distances".to_owned(), 4 * distances.len(), distances)?;
        add("lists".to_owned(), 4 * rows.lists.len(), &rows.lists)?;
    }
    let bound: Vec<(&str, &Buffer)> = buffers.iter().map(|(name, buffer)| (name.as_str(), buffer)).collect();
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
        if odd && matches!(variant.links, Links::Runs | Links::Split) {
            table.push(Binding::read("words", "array<u32>"));
            table.push(Binding::read("first_run", "array<u32>"));
            table.push(Binding::read("distances", "array<vec4<u32>>"));
        }
        if odd && matches!(variant.links, Links::Rows | Links::Flat) {
            let row = if rows::rows(set).len() == 2 { "array<vec2<u32>>" } else { "array<vec4<u32>>" };
            table.push(Binding::read("words", "array<u32>"));
            table.push(Binding::read("first_run", "array<u32>"));
            table.push(Binding::read("distances", row));
            table.push(Binding::read("lists", "array<u32>"));
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
            let items = count / many / variant.workgroup * WORKGROUP;
            recorder.dispatch(kernel, bound, items, &[count, stride as u32]);
        }
        recorder.submit();
        gpu.wait()?;
        Ok(start.elapsed().as_secs_f64())
    };
    run([0, 1], 10)?;
    let rest: Vec<u32> = gpu.download(&buffers[0].1, 0, own * width / 4)?;
    let hash = rest.iter().fold(0_u64, |hash, &word| (hash ^ u64::from(word)).wrapping_mul(0x100_0000_01b3));
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
    let beside = |c: [i32; 3]| {
        let row = rows::rows(set).iter().position(|&row| row == [-c[1], -c[2]]);
        row.map(|row| format!("{}_0.{}", row / 4, component[row % 4]))
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
        workgroup => variant.workgroup,
        directions => set.q() - 1,
        rows => links::row(set) / 4,
        rows_loads => rows::rows(set).len().div_ceil(4),
        listed_bit => 1_u32 << (set.q() - 1),
        w0 => format!("{:?}", set.weight(0)),
        weights => [format!("{:?}", set.weight(1)), format!("{:?}", set.weight(set.q() - 1))],
        pairs, axes,
        sum_of_pairs => (1..=set.q() / 2).map(|k| format!(" + sum{k}")).collect::<String>(),
        declarations => Binding::declare(table),
    };
    render(Template { name: "step.wgsl", text: include_str!("step.wgsl") }, &[], &context)
}
