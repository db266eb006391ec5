//! The order of names: numbers by their value, then all other names by their bytes. So the order of fluents and moves
//! does not depend on the order of the rules.

use crate::rules::{Symbol, SymbolTable};
use std::cmp::Ordering;

fn number(name: &str) -> Option<&str> {
    let digits = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| name.trim_start_matches('0'))
}

/// Numbers of any length come before names; equal values (`1`, `01`) are ordered by their spelling.
pub fn compare_names(left: &str, right: &str) -> Ordering {
    match (number(left), number(right)) {
        (Some(a), Some(b)) => a.len().cmp(&b.len()).then(a.cmp(b)).then(left.cmp(right)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

#[derive(Debug)]
pub struct Ranks(Vec<u32>);

impl Ranks {
    pub fn new(symbols: &SymbolTable) -> Self {
        let mut order: Vec<Symbol> = symbols.symbols().collect();
        order.sort_by(|&a, &b| compare_names(symbols.name(a), symbols.name(b)));
        let mut ranks = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, symbol)| ranks[symbol.0 as usize] = rank as u32);
        Ranks(ranks)
    }

    #[inline]
    pub fn of(&self, symbol: Symbol) -> u32 {
        self.0[symbol.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value_and_come_first() {
        let mut names = vec!["b", "10", "9", "a10", "09", "123456789012345678901", "a9", "0"];
        names.sort_by(|a, b| compare_names(a, b));
        assert_eq!(names, ["0", "09", "9", "10", "123456789012345678901", "a10", "a9", "b"]);
    }
}
