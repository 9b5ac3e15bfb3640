//! The properties of particles that a physics declares; each is an array on the device.

use hematite_config::Result;
use hematite_gpu::{Buffer, Elements, Gpu};

use crate::Precision;

/// An element of a property's array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// u32.
    Word,
    /// i32.
    Integer,
    /// f32 or f64, by the precision of the run.
    Real,
    /// A coordinate: whole number and fraction, see [`Coordinate`](crate::sites::Coordinate).
    Coordinate,
}

/// The declaration of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Name, also in kernels.
    pub name: &'static str,
    /// Elements of the array.
    pub element: Element,
    /// Number of elements of a particle.
    pub components: u32,
    /// Whether [`rebuild`](super::Particles::rebuild) keeps its values; else they must be computed again after it.
    pub kept: bool,
}

impl Declaration {
    /// A property whose values are kept by a rebuild.
    pub const fn kept(name: &'static str, element: Element, components: u32) -> Self {
        Self { name, element, components, kept: true }
    }

    /// A property whose values are computed again after each rebuild.
    pub const fn passing(name: &'static str, element: Element, components: u32) -> Self {
        Self { name, element, components, kept: false }
    }
}

impl Element {
    /// Number of 32-bit words of one element.
    pub fn words(self, precision: Precision) -> u32 {
        match self {
            Self::Word | Self::Integer => 1,
            Self::Real => precision.real_bytes() as u32 / 4,
            Self::Coordinate => 2,
        }
    }

    /// Type in WGSL.
    pub fn wgsl(self, precision: Precision) -> &'static str {
        match self {
            Self::Word => "u32",
            Self::Integer => "i32",
            Self::Real => precision.real(),
            Self::Coordinate => "vec2<i32>",
        }
    }
}

/// The arrays of all properties: component a of particle i is element `a * stride + i`.
#[derive(Clone, Debug)]
pub struct Properties {
    list: Vec<Property>,
    /// Distance between the components of a particle: the room for particles.
    pub stride: u32,
}

/// The array of one property.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub declared: Declaration,
    /// Number of words of one element.
    pub width: u32,
    pub buffer: Buffer,
}

impl Property {
    /// Number of words of one particle.
    pub fn words(&self) -> u32 {
        self.width * self.declared.components
    }

    /// The words of the first `count` particles, a range a component, in arrays for `stride` particles.
    pub fn of_first(&self, count: usize, stride: usize) -> impl Iterator<Item = Elements<'_>> {
        let width = self.width as usize;
        (0..self.declared.components as usize).map(move |component| Elements {
            buffer: &self.buffer,
            at: component * stride * width,
            count: count * width,
        })
    }
}

impl Properties {
    /// Arrays with room for `stride` particles.
    ///
    /// # Errors
    /// Where the device lacks room.
    pub fn new(gpu: &Gpu, precision: Precision, declared: &[Declaration], stride: u32) -> Result<Self> {
        let made = |&declared: &Declaration| -> Result<Property> {
            let width = declared.element.words(precision);
            let bytes = 4 * u64::from(width * declared.components) * u64::from(stride);
            Ok(Property { declared, width, buffer: gpu.buffer(declared.name, bytes)? })
        };
        Ok(Self { list: declared.iter().map(made).collect::<Result<_>>()?, stride })
    }

    /// The array of the property called `name`.
    ///
    /// # Panics
    /// When there is none, which is a bug of the program.
    pub fn get(&self, name: &str) -> &Buffer {
        &self.property(name).buffer
    }

    /// Names and buffers, for kernels to bind.
    pub fn table(&self) -> Vec<(&str, &Buffer)> {
        self.list.iter().map(|property| (property.declared.name, &property.buffer)).collect()
    }

    pub(super) fn property(&self, name: &str) -> &Property {
        self.list
            .iter()
            .find(|property| property.declared.name == name)
            .unwrap_or_else(|| panic!("no property is called {name}"))
    }

    pub(super) fn called(&self, names: &[&str]) -> Vec<&Property> {
        names.iter().map(|name| self.property(name)).collect()
    }

    pub(super) fn list(&self) -> &[Property] {
        &self.list
    }
}
