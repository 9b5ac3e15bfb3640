//! Prototypes of the fluid's time step, timed beside each other: where populations are and how links are kept, how many nodes
//! an invocation has, when populations at walls are seen to. docs/experiments.md says which were kept.

mod directions;
mod source;
mod timing;
mod variants;

use std::collections::HashSet;
use std::time::Instant;

use clap::ValueEnum;
use directions::Directions;
use hematite_case::{Lattice, Link, Part, Partition, Target, VelocitySet};
use hematite_config::Result;
use hematite_geometry::Site;
use hematite_gpu::{Gpu, Needs};
use physics_lattice_boltzmann::links::Runs;
use validation::Inside;
use variants::{Links, VARIANTS, Variant};

use crate::geometry::{bands, curved_pipe, helix, listed, tree};

/// Nodes are filled up to a multiple of this, so that every variant has whole workgroups.
const WHOLE: usize = 2048;

/// A domain to time on.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Shape {
    Curved,
    Helix,
    Tree,
    Bands,
}

/// What the links of a part look like in each way, as far as prototypes ask for it.
struct Ways {
    tables: Vec<Vec<u32>>,
    directions: Directions,
    groups: Runs,
    esoteric: Runs,
    /// Sites of the tiles in which there are nodes.
    tile_sites: usize,
}

/// Times prototypes on about `millions` million nodes of each of `shapes`: those whose names hold one of `only`, or all.
pub fn measure(millions: f64, shapes: &[Shape], only: &[String]) -> Result<()> {
    let chosen = |variant: &&Variant| only.is_empty() || only.iter().any(|part| variant.name.contains(part.as_str()));
    let variants: Vec<Variant> = VARIANTS.iter().filter(chosen).copied().collect();
    let parts: Vec<Result<_>> = std::thread::scope(|scope| {
        let making: Vec<_> = shapes.iter().map(|&shape| scope.spawn(move || made(shape, millions))).collect();
        making.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let gpu = Gpu::open(0, Needs { f16: true, ..Needs::default() })?;
    for (shape, made) in shapes.iter().zip(parts) {
        let start = Instant::now();
        let (set, mut part) = made?;
        let ways = Ways::of(set, &part, &variants);
        part.links = Vec::new();
        let per_node = |bytes: usize| bytes as f64 / part.own as f64;
        println!(
            "{shape:?}, {set:?}: {} nodes, links in {:.1} s; bytes a node: directions {:.2}, groups {:.2}, \
             for esoteric pull {:.2}, special nodes {:.3}; sites of tiles {:.3}",
            part.own,
            start.elapsed().as_secs_f64(),
            per_node(ways.directions.bytes()),
            per_node(ways.groups.bytes()),
            per_node(ways.esoteric.bytes()),
            per_node(ways.esoteric.specials.len()),
            per_node(ways.tile_sites),
        );
        println!(
            "{:<40} | {:^31} | {:^31} | {:^31} | f_0 after 10 steps",
            "MLUPS: median (least .. most)", "whole steps", "even", "odd"
        );
        for &variant in &variants {
            timing::time(&gpu, set, variant, part.own, &ways)?;
        }
    }
    Ok(())
}

fn made(shape: Shape, millions: f64) -> Result<(VelocitySet, Part)> {
    let solid = |(inside, fluid): (Inside, Vec<bool>)| listed(inside, &fluid).1;
    let domain = match shape {
        Shape::Curved => solid(curved_pipe(millions.cbrt())),
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

impl Ways {
    fn of(set: VelocitySet, part: &Part, variants: &[Variant]) -> Self {
        let wanted = |wanted: &[Links]| variants.iter().any(|variant| wanted.contains(&variant.links));
        let all: Vec<usize> = (1..set.q()).collect();
        let ahead = source::from_ahead(set);
        let by_groups = |links, directions: &[usize]| match wanted(&[links]) {
            true => Runs::along(set, &part.links, directions),
            false => Runs::default(),
        };
        std::thread::scope(|scope| {
            let tables = scope.spawn(|| if wanted(&[Links::Table]) { tables(part) } else { Vec::new() });
            let directions = scope.spawn(|| match wanted(&[Links::Directions, Links::Split]) {
                true => Directions::of(set, &part.links),
                false => Directions::default(),
            });
            let groups = scope.spawn(|| by_groups(Links::Groups, &all));
            let esoteric = scope.spawn(|| by_groups(Links::Esoteric, &ahead));
            Self {
                tile_sites: if wanted(&[Links::Tiles]) { tile_sites(part) } else { 0 },
                tables: tables.join().expect("no panic"),
                directions: directions.join().expect("no panic"),
                groups: groups.join().expect("no panic"),
                esoteric: esoteric.join().expect("no panic"),
            }
        })
    }
}

fn stride(own: usize) -> usize {
    own.next_multiple_of(WHOLE)
}

/// Sites of the tiles of 8 x 8 x 8 that hold any of a part's own nodes.
fn tile_sites(part: &Part) -> usize {
    let tiles: HashSet<[i32; 3]> = part.position[..part.own].iter().map(|at| at.map(|x| x.div_euclid(8))).collect();
    512 * tiles.len()
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
