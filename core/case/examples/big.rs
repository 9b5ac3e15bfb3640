//! Times the making of a large 2-D case: `big [NX NY PARTS]`. Winding channels fill about 8 % of the box.

use std::error::Error;
use std::time::Instant;

use hematite_case::{Case, ImmersedWalls, Lattice, Partition, PartitionReport, Suspended, write};
use hematite_config::Provenance;
use hematite_geometry::{Domain, Opening, OpeningKind, Report, Site};

/// Channels 24 nodes wide that wind about each other and cross.
fn channels(nx: usize, ny: usize) -> Domain {
    let mut sites = vec![Site::WALL; nx * ny];
    let mut draw = |x: usize, centre: f64, along_x: bool| {
        for offset in -12..12 {
            let y = centre + f64::from(offset);
            let (x, y) = if along_x { (x as f64, y) } else { (y, x as f64) };
            if x >= 1.0 && y >= 1.0 && x < (nx - 1) as f64 && y < (ny - 1) as f64 {
                sites[y as usize * nx + x as usize] = Site::FLUID;
            }
        }
    };
    let wave = |t: usize, k: usize| 150.0 * ((t as f64 + 377.0 * k as f64) / 260.0).sin();
    for (k, y) in (600..ny).step_by(600).enumerate() {
        (0..nx).for_each(|x| draw(x, y as f64 + wave(x, k), true));
    }
    for (k, x) in (600..nx).step_by(600).enumerate() {
        (0..ny).for_each(|y| draw(y, x as f64 + wave(y, k), false));
    }
    for y in 0..ny {
        sites[y * nx] = Site::opening(0);
    }
    let inlet = Opening { name: "in".into(), kind: OpeningKind::Pressure, normal: Some([1.0, 0.0, 0.0]) };
    Domain {
        dimension: 2,
        extent: [nx, ny, 1],
        spacing: 1e-6,
        origin: [0.0; 3],
        periodic: [false; 3],
        sites,
        openings: vec![inlet],
        wall_parts: Vec::new(),
        surface: None,
        report: Report::default(),
    }
}

/// The most memory this process has held, in GiB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").trim().parse::<f64>().unwrap_or(0.0) / f64::from(1 << 20)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<Vec<usize>, _>>()?;
    let [nx, ny, parts] = arguments.try_into().unwrap_or([12_728, 12_728, 64]);
    let mut last = Instant::now();
    let mut tell = |what: &str| {
        println!("{what:<12} {:7.2} s, peak {:.2} GiB", last.elapsed().as_secs_f64(), peak());
        last = Instant::now();
    };
    let domain = channels(nx, ny);
    tell("domain");
    let lattice = Lattice::build(&domain)?;
    drop(domain);
    println!("{} nodes, {:.1} % of {nx} x {ny}", lattice.nodes(), 100.0 * lattice.nodes() as f64 / (nx * ny) as f64);
    tell("lattice");
    let partition = Partition::make(&lattice, parts)?;
    tell("partition");
    println!("{}", PartitionReport::table(std::slice::from_ref(&partition.report)));
    let path = std::env::temp_dir().join(format!("hematite-big-{}.h5", std::process::id()));
    write(
        &path,
        &lattice,
        Suspended::default(),
        &ImmersedWalls::default(),
        &[partition],
        &Provenance::default(),
        &serde_json::Value::Null,
    )?;
    tell("write");
    println!("{} MB", std::fs::metadata(&path)?.len() / 1_000_000);
    drop(lattice);
    let part = Case::open(&path)?.part(parts, parts / 2)?;
    println!("part {}: {} own nodes, {} held", part.rank, part.own, part.id.len());
    tell("read a part");
    std::fs::remove_file(path)?;
    Ok(())
}
