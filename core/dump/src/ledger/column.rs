//! A column of the ledger for a measured quantity.

use std::fmt;

/// A quantity with its unit, of the whole domain or of one named place in it.
///
/// The name of the column is `QUANTITY_UNIT` or `QUANTITY_UNIT:PLACE`, in SI: `largest_speed_m_per_s`,
/// `flow_m3_per_s:outlet`, `force_x_N:cylinder`. Quantities without a unit end in what they are:
/// `backflow_share:outlet`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Column {
    quantity: String,
    place: Option<String>,
}

impl Column {
    /// A quantity of the whole domain; `quantity` is its name and its unit, such as "largest_speed_m_per_s".
    ///
    /// # Panics
    /// When `quantity` is no such name, which is a bug of the program.
    pub fn new(quantity: impl Into<String>) -> Self {
        let quantity = quantity.into();
        assert!(is_quantity(&quantity), "\"{quantity}\" is no QUANTITY_UNIT");
        Self { quantity, place: None }
    }

    /// A quantity of an opening or another named place.
    ///
    /// # Panics
    /// As [`Column::new`].
    pub fn of(quantity: impl Into<String>, place: impl Into<String>) -> Self {
        Self { place: Some(place.into()), ..Self::new(quantity) }
    }

    /// Quantity and unit.
    pub fn quantity(&self) -> &str {
        &self.quantity
    }

    /// The place; `None` for the whole domain.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// The column with the name `name` in a header; `None` if it cannot be the name of a column.
    pub(crate) fn read(name: &str) -> Option<Self> {
        let (quantity, place) = match name.split_once(':') {
            Some((quantity, place)) => (quantity, Some(place.to_owned())),
            None => (name, None),
        };
        is_quantity(quantity).then(|| Self { quantity: quantity.to_owned(), place })
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{}:{place}", self.quantity),
            None => f.write_str(&self.quantity),
        }
    }
}

/// Whether `text` is words of letters and digits joined by `_`, but no count of cells.
fn is_quantity(text: &str) -> bool {
    let word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric());
    text.contains('_') && text.split('_').all(word) && !text.starts_with("cells_") && text != "in_kg"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive() {
        for column in [Column::new("largest_speed_m_per_s"), Column::of("force_x_N", "a:b, \"c\"")] {
            assert_eq!(Column::read(&column.to_string()), Some(column));
        }
        for wrong in ["", "x", "a__b", "_a", "cells_inside:red", "in_kg:inlet", "a b_c", ":x"] {
            assert_eq!(Column::read(wrong), None, "{wrong}");
        }
    }
}
