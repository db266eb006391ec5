//! What fuzzing has in common for both languages.

use game::diagnostic::{Findings, Severity, Source};
use game::rules::Language;
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// A change at a place that is given as a share of the text, so that it shrinks well.
#[derive(Debug, Clone)]
pub enum Change {
    Remove(u16, u8),
    Insert(u16, &'static str),
    InsertBytes(u16, Vec<u8>),
    /// Copies a piece elsewhere, several times.
    Copy(u16, u8, u16, u8),
    Truncate(u16),
}

/// Any change; `pieces` are what is inserted.
pub fn change(pieces: &[&'static str]) -> impl Strategy<Value = Change> {
    let pieces = prop::sample::select(pieces.to_vec());
    prop_oneof![
        3 => (any::<u16>(), 1..40u8).prop_map(|(at, length)| Change::Remove(at, length)),
        4 => (any::<u16>(), pieces).prop_map(|(at, piece)| Change::Insert(at, piece)),
        1 => (any::<u16>(), prop::collection::vec(any::<u8>(), 1..8)).prop_map(|(at, bytes)| Change::InsertBytes(at, bytes)),
        2 => (any::<u16>(), any::<u8>(), any::<u16>(), 1..6u8).prop_map(|(from, length, to, times)| Change::Copy(from, length, to, times)),
        1 => any::<u16>().prop_map(Change::Truncate),
    ]
}

pub fn apply(text: &mut Vec<u8>, change: &Change) {
    let place = |share: u16, text: &[u8]| usize::from(share) * text.len() / (usize::from(u16::MAX) + 1);
    match change {
        Change::Remove(at, length) => {
            let at = place(*at, text);
            text.drain(at..(at + usize::from(*length)).min(text.len()));
        }
        Change::Insert(at, piece) => {
            let at = place(*at, text);
            text.splice(at..at, piece.bytes());
        }
        Change::InsertBytes(at, bytes) => {
            let at = place(*at, text);
            text.splice(at..at, bytes.iter().copied());
        }
        Change::Copy(from, length, to, times) => {
            let from = place(*from, text);
            let piece = text[from..(from + usize::from(*length)).min(text.len())].repeat(usize::from(*times));
            let to = place(*to, text);
            text.splice(to..to, piece);
        }
        Change::Truncate(at) => text.truncate(place(*at, text)),
    }
}

/// Reads a text and says what must be so of every text.
pub fn examine(language: Language, text: &[u8]) -> Result<(), TestCaseError> {
    let started = Instant::now();
    let source = Source::new("fuzz", text);
    let (program, diagnostics) = language.program(&source);
    let errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    prop_assert_eq!(program.is_some(), !errors);
    for diagnostic in &diagnostics {
        prop_assert!(diagnostic.span.start <= diagnostic.span.end);
        prop_assert!(diagnostic.span.end as usize <= source.text().len());
    }
    let shown = Findings::new(&source, &diagnostics).to_string();
    prop_assert!(shown.lines().count() >= diagnostics.len());
    prop_assert_eq!(Findings::new(&source, &diagnostics).ok, !errors);
    prop_assert!(started.elapsed() < Duration::from_secs(20), "too slow");
    Ok(())
}

/// Number of inputs: `GGSOLVE_FUZZ_CASES`, or few.
pub fn cases() -> u32 {
    std::env::var("GGSOLVE_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1500)
}
