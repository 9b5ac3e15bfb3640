//! A total order of f64 by integer keys: maxima are exact and the same in every kind of communication.

/// An integer with the same order as `value`; NaN of either sign is above every number.
pub(crate) fn key(value: f64) -> i64 {
    if value.is_nan() {
        return i64::MAX;
    }
    flip(value.to_bits().cast_signed())
}

/// The number that has this key.
pub(crate) fn value(key: i64) -> f64 {
    f64::from_bits(flip(key).cast_unsigned())
}

/// Converts sign and magnitude to two's complement, and back.
fn flip(bits: i64) -> i64 {
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_as_numbers_do() {
        let ascending = [
            f64::NEG_INFINITY,
            -1e300,
            -1.0,
            -f64::MIN_POSITIVE,
            -5e-324,
            -0.0,
            0.0,
            5e-324,
            1.0,
            1e300,
            f64::INFINITY,
        ];
        for pair in ascending.windows(2) {
            assert!(key(pair[0]) < key(pair[1]), "{pair:?}");
        }
        for x in ascending {
            assert_eq!(value(key(x)).to_bits(), x.to_bits());
            assert!(key(x) < key(f64::NAN) && key(x) < key(-f64::NAN));
        }
        assert!(value(key(-f64::NAN)).is_nan());
    }
}
