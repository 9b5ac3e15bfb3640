//! The sites of moving walls.

use std::collections::HashMap;

use hematite_case::{Case, Opening};
use hematite_config::Result;
use hematite_geometry::OpeningKind;

/// The number of the moving wall, from 1 in the order of the case, to which each of its sites belongs.
///
/// # Errors
/// A usage fault where the case is damaged.
pub fn moving_wall_sites(case: &Case) -> Result<HashMap<[i32; 3], u32>> {
    let (header, openings) = (case.header(), case.openings()?);
    let walls: Vec<&Opening> = openings.iter().filter(|opening| opening.kind == OpeningKind::Wall).collect();
    if walls.is_empty() {
        return Ok(HashMap::new());
    }
    let mut beside: HashMap<u64, [i32; 3]> =
        walls.iter().flat_map(|wall| &wall.nodes).map(|node| (node.node.0, [0; 3])).collect();
    let mut next = 0_u64;
    case.each_position(|positions| {
        for (&site, id) in positions.iter().zip(next..) {
            if let Some(at) = beside.get_mut(&id) {
                *at = site;
            }
        }
        next += positions.len() as u64;
    })?;
    let wrapped = |site: [i32; 3]| {
        let inside = |a: usize| site[a].rem_euclid(header.extent[a] as i32);
        [0, 1, 2].map(|a| if header.periodic[a] { inside(a) } else { site[a] })
    };
    let directions = header.set.velocities();
    let mut found = HashMap::new();
    for (wall, number) in walls.iter().zip(1..) {
        for node in &wall.nodes {
            let at = beside[&node.node.0];
            let into = directions.iter().enumerate().filter(|(i, _)| node.links >> i & 1 == 1);
            found.extend(into.map(|(_, c)| (wrapped([0, 1, 2].map(|a| at[a] + c[a])), number)));
        }
    }
    Ok(found)
}
