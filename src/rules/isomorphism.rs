//! Whether two rulesheets are the same game under other names, and under which.
//!
//! Names (constants, functions, relations) are distinguished by colour refinement: the colour of a name stands for the
//! sentences and places in which it occurs and for the colours of the names and variables there, so that neither the
//! order of rules and conditions nor the name of anything counts. What remains tied is broken by giving one name of the
//! first game and one of the second a colour of their own, with backtracking (individualisation and refinement, as in
//! McKay and Piperno, "Practical graph isomorphism, II", 2014). A renaming is returned only if the sentences of the
//! first game, renamed, have the normal forms of those of the second, so that colours that collide do no harm; it need
//! not be the only one. Words with a fixed meaning are no names, and a number that may be a reward is always itself.
//!
//! Cost: a refinement is linear in the text, and there are at most [`MOST_ROUNDS`] of them for a game, [`MOST_WORK`]
//! places in all for a search. Where that does not do, the games count as different.

use super::identity::colours::{Painter, Standing, mix, mix_text};
use super::identity::normal_forms;
use super::program::{Predicate, Symbol, SymbolTable};
use super::sentence::{Rulesheet, Term};
use crate::reward::reward;
use std::collections::BTreeMap;

/// Refinements of one colouring.
const MOST_ROUNDS: usize = 256;
/// Bound on the places of names that a search looks at, some seconds.
const MOST_WORK: usize = 20_000_000;

/// Which numbers are names that may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Numbers {
    /// None: servers that change names leave numbers alone, as a rule.
    Kept,
    /// All but those that may be rewards.
    Renamed,
}

impl Numbers {
    /// Both, the usual one first.
    pub const ALL: [Numbers; 2] = [Numbers::Kept, Numbers::Renamed];
}

/// By name of the one game: the name in the other.
pub type Renaming = BTreeMap<String, String>;

/// A number that is the same for two games that differ in names only.
pub fn shape(sheet: &Rulesheet, numbers: Numbers) -> u64 {
    let mut coloured = Coloured::new(sheet, numbers);
    let mut work = MOST_WORK;
    coloured.refine(&mut work);
    let sum = |sum: u64, (colour, symbol): (u64, Symbol)| match coloured.occurs[symbol.0 as usize] {
        true => sum.wrapping_add(mix(59, colour)),
        false => sum,
    };
    coloured.colours().fold(mix(61, sheet.sentences.len() as u64), sum)
}

/// Names for those of `one` under which it is `other`.
pub fn renaming(one: &Rulesheet, other: &Rulesheet, numbers: Numbers) -> Option<Renaming> {
    if one.sentences.len() != other.sentences.len() {
        return None;
    }
    let mut search = Search { other: normal_forms(other), work: MOST_WORK };
    let mut pair = (Coloured::new(one, numbers), Coloured::new(other, numbers));
    search.refined(&mut pair).then(|| search.complete(pair)).flatten()
}

/// A game whose names have colours.
#[derive(Clone)]
struct Coloured<'a> {
    sheet: &'a Rulesheet,
    /// By symbol.
    names: Vec<u64>,
    /// By symbol: it is a name that occurs.
    occurs: Vec<bool>,
}

impl<'a> Coloured<'a> {
    fn new(sheet: &'a Rulesheet, numbers: Numbers) -> Coloured<'a> {
        let symbols = sheet.symbols.symbols().count();
        let mut coloured = Coloured { sheet, names: vec![1; symbols], occurs: vec![false; symbols] };
        let mut occurs = std::mem::take(&mut coloured.occurs);
        coloured.each_place(&mut |name, _| occurs[name.0 as usize] = true);
        coloured.occurs = occurs;
        let fixed = Fixed::new(sheet, numbers);
        for symbol in sheet.symbols.symbols() {
            let name = sheet.symbols.name(symbol);
            if fixed.has(name) {
                coloured.names[symbol.0 as usize] = mix_text(name);
            }
        }
        coloured
    }

    /// Calls `visit` for every place of a name, and returns their number.
    fn each_place(&self, visit: &mut dyn FnMut(Symbol, u64)) -> usize {
        let mut places = 0;
        for sentence in &self.sheet.sentences {
            let painter = Painter { names: &self.names, sentence };
            let variables = painter.variables();
            let whole = painter.sentence(&variables);
            painter.each_place(&variables, &mut |standing, context| {
                places += 1;
                if let Standing::Name(name) = standing {
                    visit(name, mix(whole, context));
                }
            });
        }
        places
    }

    /// One round: every name gets a colour that stands for its places. Returns the number of places.
    fn round(&mut self) -> usize {
        let mut next: Vec<u64> = self.names.iter().map(|&colour| mix(colour, 2)).collect();
        let places = self.each_place(&mut |name, context| {
            let colour = &mut next[name.0 as usize];
            *colour = colour.wrapping_add(mix(context, 67));
        });
        self.names = next;
        places
    }

    /// Refines until no more names are told apart; returns the rounds.
    fn refine(&mut self, work: &mut usize) -> usize {
        let mut classes = self.classes();
        for round in 1..=MOST_ROUNDS {
            *work = work.saturating_sub(self.round());
            let after = self.classes();
            if after <= classes || *work == 0 {
                return round;
            }
            classes = after;
        }
        MOST_ROUNDS
    }

    /// The names that occur, with their colours.
    fn colours(&self) -> impl Iterator<Item = (u64, Symbol)> + '_ {
        let occurring = self.sheet.symbols.symbols().filter(|symbol| self.occurs[symbol.0 as usize]);
        occurring.map(|symbol| (self.names[symbol.0 as usize], symbol))
    }

    /// As [`Coloured::colours`], ascending.
    fn sorted(&self) -> Vec<(u64, Symbol)> {
        let mut colours: Vec<(u64, Symbol)> = self.colours().collect();
        colours.sort_unstable();
        colours
    }

    /// Number of colours.
    fn classes(&self) -> usize {
        let mut colours: Vec<u64> = self.colours().map(|(colour, _)| colour).collect();
        colours.sort_unstable();
        colours.dedup();
        colours.len()
    }

    /// With a colour of its own for a name.
    fn with_own(&self, name: Symbol) -> Coloured<'a> {
        let mut coloured = self.clone();
        let colour = &mut coloured.names[name.0 as usize];
        *colour = mix(*colour, 71);
        coloured
    }
}

/// Words that are the same in both games.
struct Fixed {
    /// All numbers are.
    numbers: bool,
    /// All numbers that can be rewards are, as rules compute the rewards.
    rewards: bool,
    /// These are.
    words: Vec<String>,
}

impl Fixed {
    fn new(sheet: &Rulesheet, numbers: Numbers) -> Fixed {
        let mut fixed = Fixed { numbers: numbers == Numbers::Kept, rewards: false, words: Vec::new() };
        for sentence in &sheet.sentences {
            match (sentence.head.predicate, sentence.head.arguments.get(1)) {
                (Predicate::Goal, Some(Term::Constant(name, _))) => {
                    fixed.words.push(sheet.symbols.name(*name).to_owned());
                }
                (Predicate::Goal, _) => fixed.rewards = true,
                _ => {}
            }
        }
        fixed
    }

    fn has(&self, word: &str) -> bool {
        let is_number = || word.parse::<i64>().is_ok();
        self.words.iter().any(|fixed| fixed == word)
            || (self.numbers && is_number())
            || (self.rewards && reward(word).is_ok())
    }
}

/// A search for a renaming.
struct Search {
    /// The normal forms of the second game.
    other: std::collections::BTreeSet<String>,
    /// Places that may still be looked at.
    work: usize,
}

impl Search {
    /// Refines both games alike; false if their colours differ.
    fn refined(&mut self, pair: &mut (Coloured, Coloured)) -> bool {
        let rounds = pair.0.refine(&mut self.work);
        for _ in 0..rounds {
            self.work = self.work.saturating_sub(pair.1.round());
        }
        let colours = |coloured: &Coloured| coloured.sorted().into_iter().map(|(colour, _)| colour).collect::<Vec<_>>();
        self.work > 0 && colours(&pair.0) == colours(&pair.1)
    }

    /// A renaming that respects the colours of both, which are refined and the same. Recursion ends when all names are
    /// told apart; each step tells at least two.
    fn complete(&mut self, pair: (Coloured, Coloured)) -> Option<Renaming> {
        let (one, other) = (pair.0.sorted(), pair.1.sorted());
        let tied = one.chunk_by(|left, right| left.0 == right.0).filter(|class| class.len() > 1);
        let Some(class) = tied.min_by_key(|class| class.len()) else { return self.read(&pair, &one, &other) };
        let first = pair.0.with_own(class[0].1);
        for &(_, candidate) in other.iter().filter(|(colour, _)| *colour == class[0].0) {
            let mut next = (first.clone(), pair.1.with_own(candidate));
            if self.refined(&mut next)
                && let Some(found) = self.complete(next)
            {
                return Some(found);
            }
            if self.work == 0 {
                break;
            }
        }
        None
    }

    /// The renaming that two equal lists of colours without ties are, if it makes the one game the other.
    fn read(&self, pair: &(Coloured, Coloured), one: &[(u64, Symbol)], other: &[(u64, Symbol)]) -> Option<Renaming> {
        let (sheet, others) = (pair.0.sheet, &pair.1.sheet.symbols);
        let mut target = BTreeMap::new();
        for (&(_, from), &(_, to)) in one.iter().zip(other) {
            target.insert(from, others.name(to).to_owned());
        }
        let mut symbols = SymbolTable::default();
        for symbol in sheet.symbols.symbols() {
            let name = sheet.symbols.name(symbol);
            let renamed = match target.get(&symbol) {
                Some(to) => to.clone(),
                // A variable keeps its name; what occurs nowhere gets one that nothing else has.
                None if name.starts_with('?') => name.to_owned(),
                None => format!(" {}", symbol.0),
            };
            if symbols.intern(&renamed) != symbol {
                return None;
            }
        }
        let renamed = Rulesheet { symbols, sentences: sheet.sentences.clone(), costs: None };
        let name = |(from, to): (Symbol, String)| (sheet.symbols.name(from).to_owned(), to);
        (normal_forms(&renamed) == self.other).then(|| target.into_iter().map(name).collect())
    }
}

#[cfg(test)]
mod tests;
