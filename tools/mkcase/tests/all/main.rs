//! `mkcase` as users call it.

mod command_line;
mod openings;
mod terrain;
