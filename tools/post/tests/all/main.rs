//! `post` as users call it.

mod bodies;
mod cells;
mod channel;
mod common;
mod timeline;
