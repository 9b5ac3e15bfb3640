//! The vessels behind an outlet as lumped elements: a resistance, or a Windkessel of two or three elements.
//!
//! With the flow rate Q out of the domain, the pressure p_c in the compliance, and the pressure p at the outlet
//!   p = R_1 Q + p_c
//!   C dp_c/dt = Q - (p_c - p_0) / R_2
//! (Westerhof, Lankhaar and Westerhof, Med. Biol. Eng. Comput. 47 (2009) 131). A resistance alone has p_c = p_0.

/// Lumped elements, lattice units.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// R_1.
    pub proximal: f64,
    /// R_2 and C, where there is a compliance.
    pub storage: Option<Storage>,
    /// p_0, where the last resistance ends.
    pub distal_pressure: f64,
}

/// The compliance of a Windkessel and the resistance behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Storage {
    /// R_2.
    pub distal: f64,
    /// C.
    pub compliance: f64,
    /// p_c at the start.
    pub initial: f64,
}

impl Law {
    /// p_c at the start.
    pub fn initial(&self) -> f64 {
        self.storage.map_or(self.distal_pressure, |storage| storage.initial)
    }

    /// p_c after `time` steps of a constant flow rate `q`, which began at `stored`: the exact solution.
    pub fn after(&self, stored: f64, q: f64, time: f64) -> f64 {
        let Some(Storage { distal, compliance, .. }) = self.storage else { return self.distal_pressure };
        let settled = self.distal_pressure + distal * q;
        settled + (stored - settled) * (-time / (distal * compliance)).exp()
    }

    /// How much the pressure at the outlet rises with the flow rate, where that has held for `time` steps.
    pub fn gain(&self, time: f64) -> f64 {
        let stored = |Storage { distal, compliance, .. }| -distal * (-time / (distal * compliance)).exp_m1();
        self.proximal + self.storage.map_or(0.0, stored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windkessel() -> Law {
        let storage = Storage { distal: 4.0, compliance: 50.0, initial: 0.3 };
        Law { proximal: 0.5, storage: Some(storage), distal_pressure: 0.1 }
    }

    /// Runge and Kutta's fourth-order steps of C dp/dt = Q - (p - p_0) / R_2.
    fn integrated(law: &Law, mut p: f64, q: f64, time: f64) -> f64 {
        let Storage { distal, compliance, .. } = law.storage.expect("a compliance");
        let slope = |p: f64| (q - (p - law.distal_pressure) / distal) / compliance;
        let h = time / 100.0;
        for _ in 0..100 {
            let a = slope(p);
            let b = slope(p + 0.5 * h * a);
            let c = slope(p + 0.5 * h * b);
            p += h / 6.0 * (a + 2.0 * b + 2.0 * c + slope(p + h * c));
        }
        p
    }

    #[test]
    fn an_interval_is_solved_exactly() {
        let law = windkessel();
        for (stored, q, time) in [(0.3, 0.2, 8.0), (-1.0, -0.4, 300.0), (2.0, 0.0, 50.0)] {
            let (ours, wanted) = (law.after(stored, q, time), integrated(&law, stored, q, time));
            assert!((ours - wanted).abs() < 1e-9, "{ours} {wanted}");
            let rise = law.after(stored, q + 1.0, time) + law.proximal - law.after(stored, q, time);
            assert!((law.gain(time) - rise).abs() < 1e-12);
        }
        let once = law.after(law.after(0.3, 0.2, 5.0), 0.2, 7.0);
        assert!((once - law.after(0.3, 0.2, 12.0)).abs() < 1e-15);
    }

    #[test]
    fn a_resistance_stores_nothing() {
        let law = Law { proximal: 2.0, storage: None, distal_pressure: 0.1 };
        assert_eq!((law.initial(), law.after(7.0, 3.0, 8.0), law.gain(8.0)), (0.1, 0.1, 2.0));
    }
}
