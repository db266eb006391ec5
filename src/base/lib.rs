//! Modules that every stage of `ggsolve` may use: limits of a run, the machine, temporary files, random numbers,
//! numbers as text, words of bits, lists in one array, arithmetic modulo a prime, work on several threads, and coloured
//! graphs.

// These modules use no other module of this crate, except in tests.
pub mod bits;
pub mod digits;
pub mod limits;
pub mod lists;
pub mod machine;
pub mod modular;
pub mod random;
pub mod together;

// These modules use `limits`.
pub mod coloured;
pub mod scratch;
