//! Blood in glass tubes: fits to measurements by many (Pries, Neuhaus and Gaehtgens, Am. J. Physiol. 263, H1770, 1992;
//! the Fahraeus effect: Pries et al., Circ. Res. 67, 826, 1990). Diameters in um, hematocrits as shares.

/// Apparent viscosity over that of plasma, at the discharge hematocrit `discharge`.
pub fn relative_viscosity(diameter: f64, discharge: f64) -> f64 {
    let at_45 = 220.0 * (-1.3 * diameter).exp() + 3.2 - 2.44 * (-0.06 * diameter.powf(0.645)).exp();
    let narrow = 1.0 / (1.0 + 1e-11 * diameter.powi(12));
    let c = (0.8 + (-0.075 * diameter).exp()) * (narrow - 1.0) + narrow;
    1.0 + (at_45 - 1.0) * ((1.0 - discharge).powf(c) - 1.0) / (0.55_f64.powf(c) - 1.0)
}

/// Tube over discharge hematocrit, at the discharge hematocrit `discharge`.
pub fn fahraeus(diameter: f64, discharge: f64) -> f64 {
    let shape = 1.0 + 1.7 * (-0.415 * diameter).exp() - 0.6 * (-0.011 * diameter).exp();
    discharge + (1.0 - discharge) * shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_met() {
        for (diameter, hematocrit, viscosity) in
            [(5.0, 0.45, 1.471), (10.0, 0.30, 1.170), (20.0, 0.45, 1.588), (40.0, 0.30, 1.494), (500.0, 0.60, 4.721)]
        {
            let found = relative_viscosity(diameter, hematocrit);
            assert!((found - viscosity).abs() < 6e-4, "{diameter} {hematocrit}: {found}");
        }
        for (diameter, hematocrit, ratio) in [(5.0, 0.15, 0.6987), (20.0, 0.30, 0.6632), (100.0, 0.45, 0.8902)] {
            let found = fahraeus(diameter, hematocrit);
            assert!((found - ratio).abs() < 6e-5, "{diameter} {hematocrit}: {found}");
        }
    }
}
