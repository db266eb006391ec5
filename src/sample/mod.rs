//! Games for tests, beside the code so that every test shares them.
//!
//! [`handmade`] builds a few well-known games without any text.

pub mod handmade;
