//! Geometries built from files that the tests write, against shapes known exactly.

mod ends;
mod greys;
mod headers;
mod marking;
mod near_ends;
mod openings;
mod readers;
mod real;
mod refinement;
mod specks;
mod surfaces;
mod terrain;
