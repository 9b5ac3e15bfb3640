//! Stretches of words, by which kernels copy between arrays and messages.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::Template;

/// Declares `stretches`, an array of [`Stretch`], for `#include "stretches.wgsl"`. Needs `longest` in the context.
pub const STRETCHES: Template = Template { name: "stretches.wgsl", text: include_str!("stretches.wgsl") };

/// Words that follow each other in an array and in a message.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Stretch {
    /// The first in the array.
    pub first: u32,
    /// The first in the message.
    pub to: u32,
    /// How many, at most [`Stretch::LONGEST`].
    pub count: u32,
}

impl Stretch {
    /// Most words of a stretch: as many invocations work on each.
    pub const LONGEST: u32 = 32;

    /// The stretches of a range of the array that begins at word `to` of the message.
    pub fn of(range: Range<u32>, to: u32) -> impl Iterator<Item = Self> {
        let start = range.start;
        range.clone().step_by(Self::LONGEST as usize).map(move |first| Self {
            first,
            to: to + (first - start),
            count: Self::LONGEST.min(range.end - first),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_have_each_word_once_in_the_order_of_the_message() {
        for range in [3..4, 10..74, 80..80, 100..165] {
            let stretches: Vec<Stretch> = Stretch::of(range.clone(), 7).collect();
            let found: Vec<[u32; 2]> =
                stretches.iter().flat_map(|s| (0..s.count).map(|n| [s.first + n, s.to + n])).collect();
            assert_eq!(found, range.zip(7..).map(<[u32; 2]>::from).collect::<Vec<_>>());
            assert!(stretches.iter().all(|stretch| (1..=Stretch::LONGEST).contains(&stretch.count)));
        }
    }
}
