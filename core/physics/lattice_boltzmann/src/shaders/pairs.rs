//! Pairs of opposite directions, as templates know them.

use hematite_case::VelocitySet;
use minijinja::{Value, context};

use crate::links;

/// Names of the pair arrays, `f_1` and so on.
pub(crate) fn pair_names(set: VelocitySet) -> Vec<String> {
    (1..=set.q() / 2).map(|k| format!("f_{k}")).collect()
}

/// The body force `force` as a dispatch takes it, see [`Variant::immediate_force`](super::Variant::immediate_force): along the first velocity of each pair.
pub(crate) fn immediate_words(set: VelocitySet, force: [f64; 3]) -> impl Iterator<Item = u32> {
    let c = set.velocities();
    (1..=set.q() / 2).map(move |k| {
        let along: f64 = c[2 * k - 1].iter().zip(force).map(|(&c, force)| f64::from(c) * force).sum();
        (along as f32).to_bits()
    })
}

/// Rows whose distances are loaded at once.
pub(super) fn row_width(set: VelocitySet) -> u32 {
    links::rows(set).len().min(4) as u32
}

/// What templates know of pair `k`, whose directions are `i` and `j = -i`; `body_force_alone` says that no other force acts than
/// that of the dispatch.
pub(super) fn pair(set: VelocitySet, c: &[[i32; 3]], k: usize, body_force_alone: bool) -> Value {
    let (i, j) = (2 * k - 1, 2 * k);
    let slots = ["n", "span.stride + n"];
    let dot = |stem: &str| {
        let factors = c[i].iter().zip(["x", "y", "z"]);
        signed_sum(factors.map(|(&sign, axis)| (axis.to_owned(), sign)).collect(), stem)
    };
    let rows = links::rows(set);
    let upstream = |i: usize| {
        let row = rows.iter().position(|&row| row == [-c[i][1], -c[i][2]]);
        let width = row_width(set) as usize;
        let beside = row.map(|row| format!("+ rows{}.{} ", row / width, ["x", "y", "z", "w"][row % width]));
        beside.unwrap_or_default() + ["+ 1u", "", "- 1u"][(1 + c[i][0]) as usize]
    };
    let bit = |i: usize| 1_u32 << (i - 1);
    // The axes along which a direction leads, and which way.
    let along = |i: usize| -> Vec<Value> {
        let terms = c[i].iter().zip(["x", "y", "z"]).filter(|(c, _)| **c != 0);
        terms.map(|(&c, axis)| context! { axis, sign => if c > 0 { "+" } else { "-" } }).collect()
    };
    context! {
        k, i, j,
        shell => if set.weight(i) == set.weight(1) { 1 } else { 2 },
        c_dot_u => dot("u"),
        c_dot_missing => dot("missing"),
        links => 1_u32 << i | 1 << j,
        c_dot_f => if body_force_alone { format!("span.force_{k}") } else { dot("F") },
        ij => context! {
            out => i, back => j, sign => "-", plus => "-", slot => slots[0], slot_back => slots[1],
            upstream => upstream(i), bit => bit(i), along => along(i),
        },
        ji => context! {
            out => j, back => i, sign => "", plus => "+", slot => slots[1], slot_back => slots[0],
            upstream => upstream(j), bit => bit(j), along => along(j),
        },
    }
}

/// (pair number, integer factor) of every pair, by a product of components of its first velocity.
pub(super) fn k_with(c: &[[i32; 3]], factor: impl Fn([i32; 3]) -> i32) -> Vec<(String, i32)> {
    (1..=c.len() / 2).map(|k| (k.to_string(), factor(c[2 * k - 1]))).collect()
}

/// `stem1 - stem3 + ...` over the terms with a factor of 1 or -1.
pub(super) fn signed_sum(terms: Vec<(String, i32)>, stem: &str) -> String {
    let mut text = String::new();
    for (name, factor) in terms.into_iter().filter(|&(_, factor)| factor != 0) {
        let sign = match (text.is_empty(), factor > 0) {
            (true, true) => "",
            (true, false) => "-",
            (false, true) => " + ",
            (false, false) => " - ",
        };
        text += &format!("{sign}{stem}{name}");
    }
    text
}
