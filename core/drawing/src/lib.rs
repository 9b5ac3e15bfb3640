//! What figures and pictures are drawn with: text, colours, numbers as people read them, smooth shapes, scale bars, PNG.

pub mod canvas;
pub mod colour;
pub mod number;
pub mod page;
pub mod png;
pub mod text;
