//! What figures and pictures are drawn with: text, colours, smooth shapes, scale bars, PNG.

pub mod canvas;
pub mod colour;
pub mod page;
pub mod png;
pub mod text;
