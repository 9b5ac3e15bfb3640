//! Means over the members of an ensemble, with standard errors.

use hematite_units::number::exact;

use crate::table::Table;

/// The end of the names of columns with standard errors.
const ERROR: &str = "_standard_error";

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
/// empty. `None` if they differ in rows or columns.
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

#[cfg(test)]
mod tests {
    use super::*;

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
