//! Reorders particles.

use hematite_config::Result;
use hematite_gpu::{Buffer, Gpu, Kernel, MAIN, Recorder, Template, WORKGROUP, render};
use minijinja::{Value, context};

use super::properties::{Declaration, Properties, Property};
use crate::Precision;

/// Most properties that one kernel reorders. It binds two more buffers, still fewer than kernels of rigid bodies.
const TOGETHER: usize = 14;

/// Reorders all kept properties, in groups.
pub(super) struct Moves {
    groups: Vec<Group>,
}

/// The kernels for a group of properties: one writes them to `ordered` in the new order, one copies them back.
struct Group {
    names: Vec<&'static str>,
    there: Kernel,
    back: Kernel,
}

/// The WGSL for properties, given as (words of an element, components).
fn wgsl(properties: &[(u32, u32)], back: bool) -> String {
    let words = |(property, &(width, components)): (usize, &(u32, u32))| -> Vec<Value> {
        let word = |w: u32| context! { property, width, component => w / width, part => w % width };
        (0..width * components).map(word).collect()
    };
    let context = context! {
        back,
        workgroup => WORKGROUP,
        properties => properties.len(),
        words => properties.iter().enumerate().flat_map(words).collect::<Vec<Value>>(),
    };
    render(Template { name: "moves.wgsl", text: include_str!("moves.wgsl") }, &[MAIN], &context)
}

impl Moves {
    pub fn new(gpu: &Gpu, precision: Precision, declared: &[Declaration]) -> Result<Self> {
        let kept: Vec<&Declaration> = declared.iter().filter(|property| property.kept).collect();
        let group = |properties: &[&Declaration]| -> Result<Group> {
            let sizes: Vec<(u32, u32)> =
                properties.iter().map(|property| (property.element.words(precision), property.components)).collect();
            let kernel = |back: bool| Kernel::new(gpu, "order of particles", &wgsl(&sizes, back), 8);
            let names = properties.iter().map(|property| property.name).collect();
            Ok(Group { names, there: kernel(false)?, back: kernel(true)? })
        };
        Ok(Self { groups: kept.chunks(TOGETHER).map(group).collect::<Result<_>>()? })
    }

    /// Words of a particle in the widest group of properties, for which `ordered` must have room.
    pub fn words(properties: &Properties) -> u64 {
        let kept: Vec<&Property> = properties.list().iter().filter(|property| property.declared.kept).collect();
        let words = |group: &[&Property]| group.iter().map(|property| u64::from(property.words())).sum();
        kept.chunks(TOGETHER).map(words).max().unwrap_or(1)
    }

    /// Records that the kept properties of the first `count` particles are put in the order `order`, by way of
    /// `ordered`.
    pub fn record(
        &self,
        gpu: &Gpu,
        recorder: &mut Recorder,
        properties: &Properties,
        (order, ordered): (&Buffer, &Buffer),
        count: u32,
    ) {
        for group in &self.groups {
            let names: Vec<String> = (0..group.names.len()).map(|k| format!("words_{k}")).collect();
            let words = names.iter().zip(&group.names).map(|(name, of)| (name.as_str(), properties.get(of)));
            let table: Vec<(&str, &Buffer)> = words.chain([("order", order), ("ordered", ordered)]).collect();
            for kernel in [&group.there, &group.back] {
                recorder.dispatch(kernel, &kernel.bind(gpu, &table), count, &[count, properties.stride]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_are_valid_wgsl() {
        for back in [false, true] {
            let source = wgsl(&[(2, 3), (1, 1), (1, 4), (2, 9)], back);
            wgsl_checks::validate("moves", &source);
        }
    }
}
