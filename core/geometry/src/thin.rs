//! Walls that are too thin for cells.

use crate::domain::{Domain, Site};

/// Wall sites between two fluid sites along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThinWalls {
    /// How many there are.
    pub sites: usize,
    /// Centre of the first one, metres.
    pub first: [f64; 3],
}

/// The walls of a domain that are one site thin, if any: specks, lines and tips of spikes. The vertices of a cell that hangs over
/// such a wall lie on both sides of it; a run keeps them farther off than off other walls, so that it does not pierce the cell.
pub fn thin_walls(domain: &Domain) -> Option<ThinWalls> {
    let extent = domain.extent;
    let steps = [1, extent[0], extent[0] * extent[1]];
    let fluid_at = |index: usize| domain.sites[index] == Site::FLUID;
    let thin = |&index: &usize| {
        domain.sites[index].is_wall()
            && (0..domain.dimension).any(|axis| {
                let along = index / steps[axis] % extent[axis];
                (1..extent[axis] - 1).contains(&along) && fluid_at(index - steps[axis]) && fluid_at(index + steps[axis])
            })
    };
    let mut found = (0..domain.sites.len()).filter(thin);
    let first = found.next()?;
    let centre = |axis: usize| {
        let along = (first / steps[axis] % extent[axis]) as f64;
        domain.origin[axis] + (along + 0.5) * domain.spacing
    };
    Some(ThinWalls { first: [centre(0), centre(1), centre(2)], sites: 1 + found.count() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Report;

    /// A picture of walls (#) and fluid, the first row at the top.
    fn drawn(rows: [&str; 5]) -> Domain {
        let nx = rows[0].len();
        let site = |c: char| if c == '#' { Site::WALL } else { Site::FLUID };
        Domain {
            dimension: 2,
            extent: [nx, rows.len(), 1],
            spacing: 2e-6,
            origin: [1e-6, 0.0, -1e-6],
            periodic: [false; 3],
            sites: rows.iter().rev().flat_map(|row| row.chars().map(site)).collect(),
            openings: Vec::new(),
            wall_parts: Vec::new(),
            surface: None,
            report: Report::default(),
        }
    }

    #[test]
    fn specks_lines_and_tips_are_found() {
        let thin = |rows| thin_walls(&drawn(rows)).map(|found| found.sites);
        assert_eq!(thin(["######", "#....#", "#....#", "#....#", "######"]), None);
        assert_eq!(thin(["#######", "#.....#", "#.##..#", "#.##..#", "#######"]), None, "two sites wide");
        assert_eq!(thin(["######", "#....#", "#.#..#", "#....#", "######"]), Some(1), "a speck");
        assert_eq!(thin(["######", "#...##", "#..#.#", "#.#..#", "######"]), Some(2), "a line along a diagonal");
        let found = thin_walls(&drawn(["######", "#....#", "#.#..#", "#....#", "######"])).expect("a speck");
        assert_eq!(found.first[..2], [1e-6 + 2.5 * 2e-6, 2.5 * 2e-6]);
    }
}
