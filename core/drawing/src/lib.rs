//! What figures and pictures are drawn with. A [`page::Page`] is composed once, as SVG, and written as SVG and PNG.

pub mod colour;
pub mod legend;
pub mod outline;
pub mod page;
mod png;
pub mod scale;
pub mod scale_bar;
pub mod shapes;
pub mod text;
