use std::fs;

use hematite_config::{Exit, Provenance};

use super::*;
use crate::{
    ImmersedWalls, Lattice, Layer, NodeField, NodeId, Part, Partition, Population, PopulationConfig, Region,
    SeedingConfig, fixture, seed, wall_points, walls,
};

fn stored(lattice: &Lattice, parts: &[usize]) -> (tempfile::TempDir, std::path::PathBuf, Vec<Partition>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("case.h5");
    let partitions: Vec<_> = parts.iter().map(|&p| Partition::make(lattice, p).expect("divides")).collect();
    let provenance = Provenance { program: "mkcase 0".into(), ..Provenance::default() };
    // Longer than the 64 KiB that old HDF5 attributes hold.
    let config = serde_json::json!({"name": "x".repeat(100_000)});
    let layer = Layer::around(lattice).expect("fits");
    let immersed = ImmersedWalls {
        points: wall_points(lattice, 0.75).expect("makes"),
        partitions: parts
            .iter()
            .filter_map(|&p| Partition::make(&layer.as_ref()?.join(lattice.clone()), p).ok())
            .collect(),
        layer,
    };
    write(&path, lattice, Suspended::default(), &immersed, &partitions, &provenance, &config).expect("writes");
    (folder, path, partitions)
}

fn same(a: &Part, b: &Part) {
    assert_eq!((a.rank, a.parts, a.interior, a.own), (b.rank, b.parts, b.interior, b.own));
    assert_eq!((&a.id, &a.position, &a.links), (&b.id, &b.position, &b.links));
    assert_eq!((&a.neighbours, &a.openings), (&b.neighbours, &b.openings));
}

#[test]
fn everything_comes_back() {
    let lattice = Lattice::build(&fixture::channel(30, 7)).expect("builds");
    let (_folder, path, partitions) = stored(&lattice, &[1, 2, 5]);
    let case = Case::open(&path).expect("opens");
    let header = case.header();
    assert_eq!((header.nodes, header.set, header.extent), (210, lattice.set, lattice.extent));
    assert_eq!((header.spacing, header.origin, header.periodic), (lattice.spacing, lattice.origin, lattice.periodic));
    assert_eq!(header.partitions, [1, 2, 5]);
    assert_eq!(header.provenance.program, "mkcase 0");
    assert_eq!(header.config["name"].as_str().map(str::len), Some(100_000));
    assert_eq!((header.openings[1].name.as_str(), header.openings[1].nodes), ("out", 7));
    let read = case.lattice().expect("reads");
    assert_eq!((&read.position, &read.links, &read.openings), (&lattice.position, &lattice.links, &lattice.openings));
    assert_eq!(case.walls().expect("reads"), walls(&lattice));
    assert_eq!(case.wall_points().expect("reads"), wall_points(&lattice, 0.75).expect("makes"));
    for partition in partitions {
        assert_eq!(case.partition(partition.parts).expect("reads"), partition);
        assert_eq!(case.partition_report(partition.parts).expect("reads"), partition.report);
    }
}

#[test]
fn the_layer_comes_back_with_its_parts() {
    for seed in 0..12 {
        let lattice = Lattice::build(&fixture::random(seed)).expect("builds");
        let Some(layer) = Layer::around(&lattice).expect("fits") else { continue };
        let (_folder, path, _) = stored(&lattice, &[2, 3].map(|parts: usize| parts.min(lattice.nodes())));
        let case = Case::open(&path).expect("opens");
        assert_eq!(case.layer().expect("reads"), Some(layer.clone()));
        let joined = layer.join(lattice.clone());
        let read = case.lattice_with(&layer).expect("reads");
        assert_eq!((&read.position, &read.links), (&joined.position, &joined.links));
        for parts in (1..=3).filter(|&parts| case.partition_with_layer_stored(parts)) {
            let partition = Partition::make(&joined, parts).expect("divides");
            for rank in 0..parts {
                let part = case.part_with(&layer, parts, rank).expect("reads");
                same(&part, &Part::of(&joined, &partition, rank).expect("extracts"));
            }
        }
    }
    let (_folder, path, _) = with_cells();
    assert_eq!(Case::open(&path).and_then(|case| case.layer()).expect("reads"), None);
}

#[test]
fn parts_of_the_file_and_of_memory_agree() {
    for seed in 0..12 {
        let lattice = Lattice::build(&fixture::random(seed)).expect("builds");
        let counts: Vec<usize> = [2, 3, 7].into_iter().filter(|&p| p <= lattice.nodes()).collect();
        let (_folder, path, partitions) = stored(&lattice, &counts);
        let case = Case::open(&path).expect("opens");
        let whole = Partition::make(&lattice, 1).expect("divides");
        same(&case.part(1, 0).expect("reads"), &Part::of(&lattice, &whole, 0).expect("extracts"));
        for partition in partitions {
            for rank in 0..partition.parts {
                let part = case.part(partition.parts, rank).expect("reads");
                same(&part, &Part::of(&lattice, &partition, rank).expect("extracts"));
            }
        }
    }
}

/// Regions and fields of a lattice at random; the last region is empty in places.
fn mark(lattice: &mut Lattice, seed: u64) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % n
    };
    for (name, share) in [("most", 8), ("some", 3), ("few", 1)] {
        let mut nodes: Vec<NodeId> = (0..lattice.nodes() as u64).filter(|_| below(10) < share).map(NodeId).collect();
        if nodes.is_empty() {
            nodes.push(NodeId(0));
        }
        lattice.regions.push(Region::new(name, nodes));
    }
    for (name, unit) in [("elevation", "m"), ("heat", "K")] {
        let values = (0..lattice.nodes()).map(|_| below(1 << 40) as f64 / 7.0).collect();
        lattice.fields.push(NodeField { name: name.into(), unit: unit.into(), values });
    }
}

#[test]
fn regions_and_fields_come_back_and_go_to_parts() {
    for seed in 0..12 {
        let mut lattice = Lattice::build(&fixture::random(seed)).expect("builds");
        mark(&mut lattice, seed);
        let counts: Vec<usize> = [2, 3, 7].into_iter().filter(|&p| p <= lattice.nodes()).collect();
        let (_folder, path, _) = stored(&lattice, &counts);
        let case = Case::open(&path).expect("opens");
        assert_eq!(case.regions().expect("reads"), lattice.regions);
        assert_eq!(case.fields().expect("reads"), lattice.fields);
        let read = case.lattice().expect("reads");
        assert_eq!((&read.regions, &read.fields), (&lattice.regions, &lattice.fields));
        let headers = lattice.regions.iter().map(|r| RegionHeader { name: r.name.clone(), nodes: r.nodes() });
        assert_eq!(case.header().regions, headers.collect::<Vec<_>>());
        let layer = case.layer().expect("reads");
        for parts in std::iter::once(1).chain(counts) {
            let share = |rank| {
                let part = case.part(parts, rank).expect("reads");
                let with = layer.as_ref().map(|layer| case.part_with(layer, parts, rank).expect("reads"));
                std::iter::once(part).chain(with)
            };
            for part in (0..parts).flat_map(share) {
                for region in &lattice.regions {
                    // By a search through its runs.
                    let held = |n: &u32| region.runs().iter().any(|run| run.contains(&part.id[*n as usize].0));
                    let wanted: Vec<u32> = (0..part.id.len() as u32).filter(held).collect();
                    assert_eq!(case.region(&region.name).expect("reads").within(&part), wanted);
                }
                for field in &lattice.fields {
                    let values = case.field_at(&field.name, &part.id).expect("reads");
                    assert_eq!(values.len(), part.id.len());
                    for (value, id) in values.iter().zip(&part.id) {
                        match field.values.get(id.0 as usize) {
                            Some(wanted) => assert_eq!(value, wanted),
                            None => assert!(value.is_nan(), "beyond the walls"),
                        }
                    }
                    let memory = field.at(&part.id);
                    assert!(memory.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()));
                }
            }
        }
    }
}

#[test]
fn a_case_that_another_program_writes_is_not_called_damaged() {
    let lattice = Lattice::build(&fixture::channel(30, 7)).expect("builds");
    let (_folder, path, _) = stored(&lattice, &[]);
    // A program that writes a file by HDF5 holds an exclusive lock.
    let writer = std::fs::File::open(&path).expect("opens");
    writer.lock().expect("locks");
    let fault = Case::open(&path).map(|_| ()).expect_err("locked");
    assert_eq!(fault.exit, hematite_config::Exit::Io);
    assert!(fault.message.contains("case.h5") && fault.message.contains("try again"), "{}", fault.message);
    drop(writer);
    Case::open(&path).expect("opens");
}

#[test]
fn regions_and_fields_that_are_not_there_or_damaged_are_told() {
    let mut lattice = Lattice::build(&fixture::channel(30, 7)).expect("builds");
    let (_folder, path, _) = stored(&lattice, &[]);
    let bare = Case::open(&path).expect("opens");
    for message in
        [bare.region("vent").expect_err("none").message, bare.field_at("heat", &[]).expect_err("none").message]
    {
        assert!(message.contains("it has none") && message.contains("CASE.json"), "{message}");
    }
    mark(&mut lattice, 1);
    let edit = |change: &dyn Fn(&hdf5::File) -> hdf5::Result<()>| {
        let (_folder, path, _) = stored(&lattice, &[2]);
        let file = hdf5::File::open_rw(&path).expect("opens");
        change(&file).expect("changes");
        file.close().expect("closes");
        let case = Case::open(&path)?;
        case.regions()?;
        case.fields()
    };
    let whole = edit(&|_| Ok(())).expect("reads");
    assert_eq!(whole, lattice.fields);
    let (_folder, path, _) = stored(&lattice, &[]);
    let case = Case::open(&path).expect("opens");
    let message = case.region("same").expect_err("none").message;
    assert!(message.contains("most, some, few") && message.contains("did you mean \"some\"?"), "{message}");
    let message = case.field_at("hat", &[]).expect_err("none").message;
    assert!(message.contains("elevation, heat") && message.contains("did you mean \"heat\"?"), "{message}");
    type Change = fn(&hdf5::File) -> hdf5::Result<()>;
    let changes: [(Change, &str); 6] = [
        (|file| file.unlink("regions/1/runs"), "runs"),
        (|file| file.unlink("fields/1/values"), "values"),
        (|file| file.group("regions/0")?.attr("nodes")?.write_scalar(&3_u64), "region \"most\""),
        (|file| file.dataset("regions/0/runs")?.write_slice(&[999_u64], ndarray::s![0, 1..2]), "region \"most\""),
        (|file| file.dataset("regions/2/runs")?.write_slice(&[209_u64], ndarray::s![0, 0..1]), "region \"few\""),
        (|file| file.dataset("fields/0/values")?.write_slice(&[f64::NAN], ndarray::s![7..8]), "field \"elevation\""),
    ];
    for (change, said) in changes {
        let message = edit(&change).expect_err(said).message;
        assert!(message.contains(said) && message.contains("damaged"), "{said}: {message}");
    }
}

#[test]
fn a_partition_is_added_and_replaced() {
    let lattice = Lattice::build(&fixture::channel(30, 7)).expect("builds");
    let (_folder, path, _) = stored(&lattice, &[]);
    assert!(Case::open(&path).expect("opens").part(3, 0).expect_err("none").message.contains("--parts 3"));
    let partition = Partition::make(&lattice, 3).expect("divides");
    for _ in 0..2 {
        add_partition(&path, &partition).expect("adds");
        let case = Case::open(&path).expect("opens");
        assert!(case.partition_stored(3) && case.partition_stored(1) && !case.partition_stored(2));
        assert_eq!(case.partition(3).expect("reads"), partition);
    }
    let other = Lattice::build(&fixture::channel(9, 7)).expect("builds");
    let fault = add_partition(&path, &Partition::make(&other, 2).expect("divides")).expect_err("another case");
    assert_eq!(fault.exit, Exit::Usage);
}

/// A case with cells of two populations.
fn with_cells() -> (tempfile::TempDir, std::path::PathBuf, Vec<Population>) {
    let lattice = Lattice::build(&fixture::channel(60, 40)).expect("builds");
    let cells = serde_json::json!([
        {"name": "red", "shape": {"kind": "red_cell"}, "hematocrit": 0.2},
        {"name": "white", "shape": {"kind": "disc", "radius": "4 um", "vertices": 30}, "count": 2}
    ]);
    let cells: Vec<PopulationConfig> = serde_json::from_value(cells).expect("populations");
    let seeding = SeedingConfig::default();
    let populations = seed(&lattice, std::path::Path::new("c"), &cells, &seeding, &|_| {}).expect("seeds");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("case.h5");
    let provenance = Provenance::default();
    write(
        &path,
        &lattice,
        Suspended::cells(&populations),
        &ImmersedWalls::default(),
        &[],
        &provenance,
        &serde_json::Value::Null,
    )
    .expect("writes");
    (folder, path, populations)
}

#[test]
fn cells_come_back() {
    let (_folder, path, populations) = with_cells();
    let case = Case::open(&path).expect("opens");
    assert_eq!(case.populations().expect("reads"), populations);
    let header = &case.header().populations;
    let expected = |p: &Population| PopulationHeader {
        name: p.name.clone(),
        cells: p.cells.len(),
        vertices: p.surface.vertices.len(),
        rigid: p.rigid.is_some(),
    };
    assert_eq!(*header, populations.iter().map(expected).collect::<Vec<_>>());
    let lattice = Lattice::build(&fixture::channel(30, 7)).expect("builds");
    let (_folder, path, _) = stored(&lattice, &[]);
    let case = Case::open(&path).expect("opens");
    assert!(case.header().populations.is_empty() && case.populations().expect("reads").is_empty());
}

/// A box of rigid and soft spheres.
fn with_bodies() -> (tempfile::TempDir, std::path::PathBuf, Vec<Population>) {
    let mut domain = fixture::solid(3, [20, 20, 20], [true; 3]);
    domain.sites.fill(hematite_geometry::Site::FLUID);
    domain.spacing = 1e-6;
    let lattice = Lattice::build(&domain).expect("builds");
    let sphere = serde_json::json!({"kind": "sphere", "radius": "2 um", "vertices": 162});
    let cells = serde_json::json!([
        {"name": "soft", "shape": sphere, "count": 2},
        {"name": "hard", "shape": sphere, "rigid": true, "count": 3}
    ]);
    let cells: Vec<PopulationConfig> = serde_json::from_value(cells).expect("populations");
    let seeding = SeedingConfig::default();
    let populations = seed(&lattice, std::path::Path::new("c"), &cells, &seeding, &|_| {}).expect("seeds");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("case.h5");
    let (walls, none) = (ImmersedWalls::default(), serde_json::Value::Null);
    write(&path, &lattice, Suspended::cells(&populations), &walls, &[], &Provenance::default(), &none).expect("writes");
    (folder, path, populations)
}

#[test]
fn rigid_bodies_come_back_and_files_without_them_are_read() {
    let (_folder, path, populations) = with_bodies();
    let case = Case::open(&path).expect("opens");
    assert_eq!(case.populations().expect("reads"), populations);
    let rigid: Vec<bool> = case.header().populations.iter().map(|header| header.rigid).collect();
    assert_eq!(rigid, [false, true]);
    assert_eq!(populations[1].rigid.map(|body| body.semi_axes), Some([2e-6; 3]));
    drop(case);
    let edit = |change: &dyn Fn(&hdf5::Group)| {
        let file = hdf5::File::open_rw(&path).expect("opens");
        change(&file.group("cells/1").expect("opens"));
        file.close().expect("closes");
        Case::open(&path).and_then(|case| case.populations())
    };
    let axes = |values: [f64; 3]| {
        move |group: &hdf5::Group| group.attr("semi_axes").and_then(|a| a.write_raw(&values)).expect("edits")
    };
    for values in [[f64::NAN, 1e-6, 1e-6], [1e-6, 0.0, 1e-6]] {
        let message = edit(&axes(values)).expect_err("refused").message;
        assert!(message.contains("cells/1") && message.contains("semi-axes that cannot be"), "{message}");
    }
    // As files were before there were rigid bodies.
    let old = edit(&|group| {
        group.delete_attr("semi_axes").expect("edits");
        group.file().and_then(|file| file.attr("schema")?.write_scalar(&1_u32)).expect("edits");
    });
    assert!(old.expect("reads").iter().all(|population| population.rigid.is_none()));
}

#[test]
fn damaged_cells_are_named() {
    let edit = |change: &dyn Fn(&hdf5::File)| {
        let (folder, path, _) = with_cells();
        let file = hdf5::File::open_rw(&path).expect("opens");
        change(&file);
        file.close().expect("closes");
        let outcome = Case::open(&path).and_then(|case| case.populations().map(drop));
        drop(folder);
        outcome.expect_err("refused").message
    };
    for name in ["cells/0/centre", "cells/1/scale", "cells/0/vertices", "cells/0"] {
        let message = edit(&|file| file.unlink(name).expect("edits"));
        assert!(message.contains("missing or damaged"), "{name}: {message}");
    }
    let put = |name: &'static str, value: f64| {
        edit(&|file| {
            let data = file.dataset(name).expect("opens");
            match data.ndim() {
                1 => data.write_slice(&[value], ndarray::s![0..1]).expect("edits"),
                _ => data.write_slice(&ndarray::array![[value]], ndarray::s![0..1, 0..1]).expect("edits"),
            }
        })
    };
    for (name, value, said) in [
        ("cells/0/centre", f64::NAN, "nowhere"),
        ("cells/1/orientation", 9.0, "no rotation"),
        ("cells/0/scale", 1.5, "scale"),
        ("cells/0/vertices", f64::INFINITY, "no surface"),
    ] {
        let message = put(name, value);
        assert!(message.contains("cells/") && message.contains(said), "{name}: {message}");
    }
    let message = edit(&|file| {
        let group = file.group("cells/1").expect("opens");
        group.attr("first").and_then(|first| first.write_scalar(&1_u64)).expect("edits");
    });
    assert!(message.contains("do not follow"), "{message}");
}

#[test]
fn files_are_sealed_when_they_are_whole() {
    let lattice = Lattice::build(&fixture::channel(30, 7)).expect("builds");
    let (_folder, path, _) = stored(&lattice, &[2]);
    hematite_config::sealed_hash(&path).expect("sealed");
    add_partition(&path, &Partition::make(&lattice, 3).expect("divides")).expect("adds");
    hematite_config::sealed_hash(&path).expect("sealed anew");
}

#[test]
fn a_file_that_is_cut_off_is_a_fault_at_every_length() {
    let lattice = Lattice::build(&fixture::channel(30, 7)).expect("builds");
    let (folder, path, _) = stored(&lattice, &[2]);
    hematite_config::unseal(&path).expect("unseals");
    let whole = fs::read(&path).expect("reads");
    let short = folder.path().join("short.h5");
    let lengths = (0..100).chain((100..whole.len()).step_by(whole.len() / 97)).chain([whole.len() - 1]);
    for length in lengths {
        fs::write(&short, &whole[..length]).expect("writes");
        let fault = Case::open(&short).err().expect("refused");
        assert!(fault.exit == Exit::Usage && fault.message.contains("short.h5"), "{length}: {fault}");
    }
    assert!(Case::open(&folder.path().join("none.h5")).err().expect("refused").message.contains("none.h5"));
}

#[test]
fn another_schema_and_missing_datasets_are_named() {
    let lattice = Lattice::build(&fixture::channel(30, 7)).expect("builds");
    let edit = |change: &dyn Fn(&hdf5::File)| {
        let (folder, path, _) = stored(&lattice, &[2]);
        let file = hdf5::File::open_rw(&path).expect("opens");
        change(&file);
        file.close().expect("closes");
        let outcome = Case::open(&path).and_then(|case| {
            (0..2).try_for_each(|rank| case.part(2, rank).map(drop))?;
            case.wall_points().map(drop)?;
            case.layer()?.map_or(Ok(()), |layer| case.part_with(&layer, 2, 1).map(drop))?;
            case.walls().map(drop)
        });
        drop(folder);
        outcome.expect_err("refused").message
    };
    let message = edit(&|file| file.attr("schema").and_then(|a| a.write_scalar(&7_u32)).expect("edits"));
    assert!(
        message.contains("version 7") && message.contains("versions up to 3") && message.contains("mkcase"),
        "{message}"
    );
    for name in [
        "lattice/links",
        "lattice/position",
        "partitions/2/order",
        "partitions/2/halos",
        "openings/1",
        "walls/normal",
        "walls/points/area",
        "layer/links",
        "layer/partitions/2/halo",
    ] {
        let message = edit(&|file| file.unlink(name).expect("edits"));
        assert!(message.contains("missing or damaged"), "{name}: {message}");
    }
    let message = edit(&|file| {
        let links = file.dataset("lattice/links").expect("opens");
        links.write_slice(&[99_999], ndarray::s![0, 5..6]).expect("edits");
    });
    assert!(message.contains("links"), "{message}");
}
