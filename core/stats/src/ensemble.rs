//! Means over the members of an ensemble, with standard errors.

use std::collections::BTreeMap;

use hematite_units::number::exact;

use crate::table::Table;

/// The end of the names of columns with standard errors.
const ERROR: &str = "_standard_error";

/// The column with the name of the population that a row is of.
pub const POPULATION: &str = "population";

/// How much widths and places of bins may differ, in widths: tables hold twelve digits of them.
const SAME_BINS: f64 = 1e-6;

/// A table averaged over members.
#[derive(Clone, Debug, PartialEq)]
pub struct Averaged {
    /// Columns in which all members agree, as they are; for each other one its mean and then its standard error.
    pub table: Table,
    /// Index of the mean of each column in which members differ.
    pub means: Vec<usize>,
}

/// Mean and standard error of the mean, s / sqrt(n) with s^2 the unbiased variance; `None` for fewer than two numbers.
pub fn mean_and_error(numbers: &[f64]) -> Option<[f64; 2]> {
    if numbers.len() < 2 {
        return None;
    }
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let squares = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    Some([mean, (squares / (n - 1.0) / n).sqrt()])
}

/// The tables of all members, averaged cell by cell over those members that have a number there; cells with fewer than two are
/// empty. `None` if they differ in rows or columns, or in whose rows they are.
pub fn average(members: &[Table]) -> Option<Averaged> {
    let first = members.first()?;
    if members.iter().any(|table| table.header != first.header || table.rows.len() != first.rows.len()) {
        return None;
    }
    let agrees = |column: usize| {
        let rows = |table: &Table| table.rows.iter().map(|row| row[column].clone()).collect::<Vec<_>>();
        members.iter().all(|table| rows(table) == rows(first))
    };
    let agree: Vec<bool> = (0..first.header.len()).map(agrees).collect();
    if first.header.iter().zip(&agree).any(|(name, agrees)| name == POPULATION && !agrees) {
        return None;
    }
    let (mut header, mut means) = (Vec::new(), Vec::new());
    for (name, &agrees) in first.header.iter().zip(&agree) {
        if !agrees {
            means.push(header.len());
        }
        header.push(name.clone());
        if !agrees {
            header.push(format!("{name}{ERROR}"));
        }
    }
    let mut table = Table::new(header);
    for (r, row) in first.rows.iter().enumerate() {
        let cells = row.iter().enumerate().flat_map(|(column, text)| {
            if agree[column] {
                return vec![text.clone()];
            }
            let numbers = members.iter().filter_map(|table| table.rows[r][column].parse::<f64>().ok());
            let numbers: Vec<f64> = numbers.filter(|number| number.is_finite()).collect();
            mean_and_error(&numbers).map_or(vec![String::new(); 2], |both| both.map(exact).to_vec())
        });
        table.push(cells.collect::<Vec<_>>());
    }
    Some(Averaged { table, means })
}

/// Tables of densities with rows for the bins of all members: where a member has none, its density is 0. Columns are
/// the population, the middle of a bin, and the density there. `None` if bins have other widths or places in some
/// member.
pub fn with_all_bins(members: &[Table]) -> Option<Vec<Table>> {
    let header = &members.first()?.header;
    if header.len() != 3 || header[0] != POPULATION || members.iter().any(|table| table.header != *header) {
        return None;
    }
    let read = members.iter().map(densities).collect::<Option<Vec<_>>>()?;
    let mut all = vec![Table::new(header.iter()); members.len()];
    for name in populations(&members[0]) {
        let of_members = read.iter().map(|of| of.get(name)).collect::<Option<Vec<_>>>()?;
        let middles = bins_of_all(&of_members)?;
        for (table, of) in all.iter_mut().zip(of_members) {
            let half = 0.5 * bin_width(of);
            for &middle in &middles {
                let found = of.iter().find(|(at, _)| (at - middle).abs() < half);
                let density = found.map_or(0.0, |&(_, density)| density);
                table.push([name.to_owned(), exact(middle), exact(density)]);
            }
        }
    }
    let number = populations(&members[0]).len();
    read.iter().all(|of| of.len() == number).then_some(all)
}

/// The middles of the bins that any member has, in their order; `None` where members have bins of other widths or
/// places.
fn bins_of_all(members: &[&Vec<(f64, f64)>]) -> Option<Vec<f64>> {
    let (width, first) = (bin_width(members[0]), members[0].first()?.0);
    if members.iter().any(|of| (bin_width(of) / width - 1.0).abs() > SAME_BINS) {
        return None;
    }
    let mut middles: BTreeMap<i64, f64> = BTreeMap::new();
    for (middle, _) in members.iter().copied().flatten() {
        let bins = (middle - first) / width;
        if (bins - bins.round()).abs() > SAME_BINS {
            return None;
        }
        middles.entry(bins.round() as i64).or_insert(*middle);
    }
    Some(middles.into_values().collect())
}

/// The middle of each bin of each population, and the density there; `None` where some are no numbers.
fn densities(table: &Table) -> Option<BTreeMap<&str, Vec<(f64, f64)>>> {
    let mut found: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
    for row in &table.rows {
        found.entry(&row[0]).or_default().push((row[1].parse().ok()?, row[2].parse().ok()?));
    }
    Some(found)
}

/// The width of bins, over all of which together a density is 1.
fn bin_width(density: &[(f64, f64)]) -> f64 {
    1.0 / density.iter().map(|(_, density)| density).sum::<f64>()
}

/// The populations of a table's rows, in their order; one without a name where there are none.
pub fn populations(table: &Table) -> Vec<&str> {
    let column = table.header.iter().position(|name| name == POPULATION);
    let mut names: Vec<&str> = Vec::new();
    for row in &table.rows {
        let name = column.map_or("", |column| row[column].as_str());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(of: &[(&str, &str, &str)]) -> Table {
        let mut table = Table::new(["population", "length_m", "density_per_m"]);
        of.iter().for_each(|(name, middle, density)| table.push([*name, *middle, *density]));
        table
    }

    #[test]
    fn absent_bins_have_no_density() {
        // Bins 2 nm wide: of `b` each member has others.
        let one = bins(&[("b", "9e-9", "2.5e8"), ("b", "1.1e-8", "2.5e8"), ("a", "5e-9", "5e8")]);
        let other = bins(&[("b", "1.1e-8", "1e8"), ("b", "1.7e-8", "4e8"), ("a", "5e-9", "5e8")]);
        let all = with_all_bins(&[one.clone(), other.clone()]).expect("the same bins");
        let Averaged { table, means } = average(&all).expect("the same rows");
        let cells = |column: usize| table.rows.iter().map(|row| row[column].as_str()).collect::<Vec<_>>();
        assert_eq!((cells(0), means), (vec!["b", "b", "b", "a"], vec![2]));
        let numbers = |column: usize| cells(column).into_iter().map(|cell| cell.parse::<f64>().expect("a number"));
        assert!(numbers(1).eq([9e-9, 1.1e-8, 1.7e-8, 5e-9]));
        assert!(numbers(2).zip([1.25e8, 1.75e8, 2e8, 5e8]).all(|(found, wanted)| (found - wanted).abs() < 1.0));
        // Half a bin off, bins of twice the width, and a population that one lacks.
        let off = bins(&[("b", "1e-8", "2.5e8"), ("b", "1.2e-8", "2.5e8"), ("a", "5e-9", "5e8")]);
        let wide = bins(&[("b", "1e-8", "2.5e8"), ("a", "5e-9", "5e8")]);
        let lacks = bins(&[("b", "1.1e-8", "5e8")]);
        for strange in [off, wide, lacks] {
            assert_eq!(with_all_bins(&[one.clone(), strange.clone()]), None);
            assert_eq!(with_all_bins(&[strange, other.clone()]), None);
        }
    }

    #[test]
    fn rows_of_other_populations_have_no_mean() {
        let [one, other] = [bins(&[("a", "1", "2")]), bins(&[("b", "1", "2")])];
        assert_eq!(average(&[one.clone(), other]), None);
        assert!(average(&[one.clone(), one]).is_some());
    }

    fn table(values: [&str; 2]) -> Table {
        let mut table = Table::new(["y_m", "name", "speed_m_per_s"]);
        table.push(["0.5", "low", values[0]]);
        table.push(["1.5", "high", values[1]]);
        table
    }

    #[test]
    fn columns_that_differ_get_means_and_errors() {
        let members = [table(["1", "2"]), table(["3", ""]), table(["5", "4"])];
        let Averaged { table, means } = average(&members).expect("same shape");
        assert_eq!(table.header, ["y_m", "name", "speed_m_per_s", "speed_m_per_s_standard_error"]);
        assert_eq!(means, [2]);
        let number = |row: usize, column: usize| table.rows[row][column].parse::<f64>().expect("a number");
        assert_eq!(table.rows[0][..2], ["0.5", "low"]);
        assert!((number(0, 2) - 3.0).abs() < 1e-12 && (number(0, 3) - (4.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((number(1, 2) - 3.0).abs() < 1e-12 && (number(1, 3) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn tables_of_other_shape_have_no_mean() {
        let mut longer = table(["1", "2"]);
        longer.push(["2.5", "top", "3"]);
        assert_eq!(average(&[table(["1", "2"]), longer]), None);
        assert_eq!(average(&[table(["1", "2"]), Table::new(["y_m"])]), None);
    }
}
