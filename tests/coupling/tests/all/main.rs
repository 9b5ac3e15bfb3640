//! Physics beside each other, and which code may know which.

mod bodies;
mod circles;
mod collision;
mod lab;
mod layers;
