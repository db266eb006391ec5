//! The kernel against explicit sets and against another library of diagrams.

mod second_library;
mod sets;
mod together;
