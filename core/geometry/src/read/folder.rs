//! A folder of slices: its images in the order of the number in their names, the first one at z = 0.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hematite_config::{Fault, Result};

use super::{image, open_fault};
use crate::volume::{self, MAX_VOXELS, Volume};

pub(super) fn read(path: &Path) -> Result<Volume> {
    let slices = slices(path)?;
    let (first, rest) = slices
        .split_first()
        .ok_or_else(|| Fault::usage("is a folder without slices: it holds no .pgm .pbm .ppm .png .tif image"))?;
    let within = |slice: &Path| format!("slice {}", slice.file_name().unwrap_or_default().to_string_lossy());
    let mut whole = image::read(first).map_err(|fault| fault.within(within(first)))?;
    for slice in rest {
        let next = image::read(slice).map_err(|fault| fault.within(within(slice)))?;
        if next.shape != [whole.shape[0], whole.shape[1], 1] {
            return Err(Fault::usage(format!(
                "{} has {} x {} pixels, the first slice {} x {}",
                within(slice),
                next.shape[0],
                next.shape[1],
                whole.shape[0],
                whole.shape[1]
            )));
        }
        whole.shape[2] += 1;
        volume::count(whole.shape.map(|n| n as u64), MAX_VOXELS)?;
        if !whole.values.append(next.values) {
            return Err(Fault::usage(format!("{} stores another type of value than the first slice", within(slice))));
        }
    }
    Ok(whole)
}

fn slices(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut slices = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(open_fault)? {
        let path = entry.map_err(open_fault)?.path();
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !hidden && path.is_file() && image::is_image(&path) {
            slices.push(path);
        }
    }
    let names = slices.iter().map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned()).collect();
    Ok(in_order(names)?.into_iter().map(|name| folder.join(name)).collect())
}

/// Names in the order of the one number in which they differ.
///
/// # Errors
/// A name that differs in more than that number, a number that is there twice, and one that is missing.
fn in_order(mut names: Vec<String>) -> Result<Vec<String>> {
    names.sort();
    if names.len() < 2 {
        return Ok(names);
    }
    let mut patterns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in names {
        patterns.entry(parts(&name).0).or_default().push(name);
    }
    let astray = |name: &str, like: &str| {
        Fault::usage(format!(
            "\"{name}\" differs from \"{like}\" in more than a number: name slices alike but for one number, and move what \
             is no slice out of the folder"
        ))
    };
    // Of two patterns the more frequent one, then the first one, is that of the slices.
    let slices = patterns.values().rev().max_by_key(|names| names.len()).cloned().unwrap_or_default();
    if let Some(other) = patterns.values().flatten().find(|name| !slices.contains(name)) {
        return Err(astray(other, &slices[0]));
    }
    let numbers: Vec<Vec<u64>> = slices.iter().map(|name| parts(name).1).collect();
    // How often each number is at each of its places; the slices are counted where most of them differ.
    let mut often: Vec<BTreeMap<u64, usize>> = vec![BTreeMap::new(); numbers[0].len()];
    numbers.iter().flatten().zip((0..often.len()).cycle()).for_each(|(&x, k)| *often[k].entry(x).or_default() += 1);
    let place = (0..often.len()).rev().max_by_key(|&k| often[k].len());
    for k in (0..often.len()).filter(|&k| Some(k) != place && often[k].len() > 1) {
        let usual = often[k].iter().rev().max_by_key(|&(_, count)| count).map(|(&number, _)| number);
        let find = |is_usual: bool| numbers.iter().position(|of_name| (Some(of_name[k]) == usual) == is_usual);
        if let (Some(other), Some(like)) = (find(false), find(true)) {
            return Err(astray(&slices[other], &slices[like]));
        }
    }
    let mut numbered: Vec<(u64, String)> =
        numbers.iter().map(|of_name| place.map_or(0, |k| of_name[k])).zip(slices).collect();
    numbered.sort();
    for pair in numbered.windows(2) {
        let [(a, first), (b, second)] = pair else { continue };
        if a == b {
            return Err(Fault::usage(format!(
                "\"{first}\" and \"{second}\" have the same number: take one of them out"
            )));
        }
        if b - a > 1 {
            return Err(Fault::usage(format!(
                "slice {} is missing: \"{second}\" follows \"{first}\"; put it there, or number the slices without gaps if \
                 none is missing",
                a + 1
            )));
        }
    }
    Ok(numbered.into_iter().map(|(_, name)| name).collect())
}

/// A name with each of its whole numbers as "#", and these numbers; one of more digits than such a number has is text.
fn parts(name: &str) -> (String, Vec<u64>) {
    let (mut text, mut numbers, mut rest) = (String::new(), Vec::new(), name);
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let (digits, after) = from.split_at(from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len()));
        text.push_str(before);
        match digits.parse() {
            Ok(number) => {
                text.push('#');
                numbers.push(number);
            }
            Err(_) => text.push_str(digits),
        }
        rest = after;
    }
    text.push_str(rest);
    (text, numbers)
}
