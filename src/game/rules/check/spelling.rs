//! The written form of predicates in messages, and suggestions for misspelled names.

use crate::diagnostic::quote;
use crate::rules::{Predicate, SymbolTable};

pub fn arguments(number: usize) -> String {
    if number == 1 { "1 argument".to_owned() } else { format!("{number} arguments") }
}

/// The predicates of a chain in a message. A long chain is cut short.
pub fn chain(way: impl Iterator<Item = Predicate>, symbols: &SymbolTable) -> String {
    const LONGEST: usize = 8;
    let mut names: Vec<String> = way.take(LONGEST + 1).map(|predicate| quote(predicate.name(symbols))).collect();
    if names.len() > LONGEST {
        names[LONGEST] = "…".to_owned();
    }
    names.join(" → ")
}

const MOST_CANDIDATES: usize = 2000;

/// The candidate nearest to a name by edit distance, if it is near enough to be intended. Two letters exchanged are one
/// edit.
fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 40;
    if name.len() > LONGEST {
        return None;
    }
    let allowed = 1 + name.len() / 5;
    candidates
        .take(MOST_CANDIDATES)
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= allowed && *candidate != name)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|&(distance, _)| distance <= allowed && distance < name.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// The advice to write the nearest candidate.
pub fn meant<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    nearest(name, candidates).map(|meant| format!("is {} meant?", quote(meant)))
}

/// Whether one name looks like a misspelling of the other: one letter more or less, two letters exchanged, or another
/// case. A replaced digit or letter is often meant, as in `?x1` and `?x2`, or `?fromx` and `?fromy`.
pub fn is_slip(one: &str, other: &str) -> bool {
    const SHORTEST: usize = 4;
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (short, long) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
    let case_only = short.len() == long.len() && short.iter().zip(long).all(|(a, b)| a.eq_ignore_ascii_case(b));
    if short == long || (short.len() < SHORTEST && !case_only) {
        return false;
    }
    let start = short.iter().zip(long).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    let same = |a: &[char], b: &[char]| a.iter().zip(b).all(|(a, b)| a.eq_ignore_ascii_case(b));
    match long.len() - short.len() {
        0 if start == short.len() => true,
        0 => {
            start + 1 < short.len()
                && short[start] == long[start + 1]
                && short[start + 1] == long[start]
                && same(&short[start + 2..], &long[start + 2..])
        }
        1 => long[start].is_alphabetic() && same(&short[start..], &long[start + 1..]),
        _ => false,
    }
}

fn distance(one: &str, other: &str) -> usize {
    strsim::osa_distance(&one.to_ascii_lowercase(), &other.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_from_systematic_names() {
        for (one, other) in [("?colum", "?column"), ("?plaeyr", "?player"), ("?roww", "?row"), ("?Piece", "?piece")] {
            assert!(is_slip(one, other) && is_slip(other, one), "{one} {other}");
        }
        for (one, other) in [("?x1", "?x2"), ("?fromx", "?fromy"), ("?row1", "?row"), ("?x", "?xx"), ("?row", "?row")] {
            assert!(!is_slip(one, other), "{one} {other}");
        }
    }

    #[test]
    fn near_names_are_found() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(nearest("lne", ["row", "line", "column"].into_iter()), Some("line"));
        assert_eq!(nearest("opne", ["close", "open"].into_iter()), Some("open"));
        assert_eq!(nearest("opxx", ["close", "open"].into_iter()), None);
        assert_eq!(nearest("adjacnet", ["adjacent"].into_iter()), Some("adjacent"));
        assert_eq!(nearest("x", ["y"].into_iter()), None);
    }
}
