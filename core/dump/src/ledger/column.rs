//! A column of the ledger for something measured.

use std::fmt;

/// What a column holds: a quantity with its unit, of the whole domain or of one place in it.
///
/// Its name is `QUANTITY_UNIT` or `QUANTITY_UNIT:PLACE`, in SI: `largest_speed_m_per_s`, `flow_m3_per_s:outlet`,
/// `force_x_N:cylinder`; numbers without unit end in what they are: `backflow_share:outlet`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Column {
    quantity: String,
    place: Option<String>,
}

impl Column {
    /// A quantity of the whole domain; `quantity` is its name and its unit, such as "largest_speed_m_per_s".
    ///
    /// # Panics
    /// Where that is no such name: a fault of the program.
    pub fn new(quantity: impl Into<String>) -> Self {
        let quantity = quantity.into();
        assert!(is_quantity(&quantity), "\"{quantity}\" is no QUANTITY_UNIT");
        Self { quantity, place: None }
    }

    /// The same of an opening or another named place.
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

    /// The place, where it is not the whole domain.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// The column that a header calls `name`, if that can be one.
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

/// Words of letters and digits with `_` between; counts of cells are no measured quantities.
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
