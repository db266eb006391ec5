//! Decides whether two rulesheets are the same game under other names, and finds the renaming.
//!
//! A rulesheet becomes a coloured graph (see [`base::coloured`]). It has a vertex for each name (constant, function or
//! relation), for each sentence, and for each atom, condition, function term and variable of a sentence. Labels of
//! edges give the positions of arguments, so neither the order of rules and conditions nor any name matters. An
//! isomorphism of the graphs maps the names; there may be several. Words with a fixed meaning are colours, and so are
//! the numbers that do not count as names ([`Numbers`]).
//!
//! Cost: a refinement is almost linear in the text, and a search visits at most [`MOST_WORK`] edges. If that does not
//! suffice, the games count as different.

use super::CHANCE;
use super::identity::mix_text;
use super::program::{Predicate, Symbol};
use super::sentence::{Atom, Formula, Rulesheet, Sentence, Term};
use crate::reward::reward;
use base::coloured::{self, Graph, LABELS, mix};
use base::limits::Limits;
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// Bound on the edges that a search visits, which takes some seconds.
const MOST_WORK: u64 = 100_000_000;

/// Colours of vertices. Words with a fixed meaning have their hashes.
const NAME: u64 = 0;
const VARIABLE: u64 = 1;
const SENTENCE: u64 = 2;
const RELATION: u64 = 3;
const FUNCTION: u64 = 4;
const DISTINCT: u64 = 5;
const NOT: u64 = 6;
const AND: u64 = 7;
const OR: u64 = 8;

/// Labels of edges to a name, to a head, and to a part of a condition. The edge to an argument has [`ARGUMENT`] plus
/// its position; beyond the largest label, a vertex in between has the position as its colour.
const NAMED: u32 = 0;
const HEAD: u32 = 1;
const PART: u32 = 2;
const ARGUMENT: u32 = 3;

/// The numbers that count as names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Numbers {
    /// None. Servers that change names usually leave numbers unchanged.
    Kept,
    /// All numbers but those that may be rewards.
    Renamed,
}

impl Numbers {
    pub const ALL: [Numbers; 2] = [Numbers::Kept, Numbers::Renamed];
}

/// For each name in one game, the name in the other.
pub type Renaming = BTreeMap<String, String>;

/// A number that is the same for two games that differ in names only.
pub fn shape(sheet: &Rulesheet, numbers: Numbers) -> u64 {
    let coloured = Coloured::new(sheet, numbers);
    coloured::invariant(&coloured.graph(), &coloured.colours)
}

pub fn renaming(one: &Rulesheet, other: &Rulesheet, numbers: Numbers) -> Option<Renaming> {
    let (from, to) = (Coloured::new(one, numbers), Coloured::new(other, numbers));
    let pair = ((&from.graph(), &from.colours[..]), (&to.graph(), &to.colours[..]));
    let images = coloured::isomorphism(pair.0, pair.1, MOST_WORK, &Limits::unlimited()).ok().flatten()?;
    let names: BTreeMap<u32, Symbol> = to.names.iter().map(|(&name, &vertex)| (vertex, name)).collect();
    let renamed = from.names.iter().map(|(&name, &vertex)| {
        let image = names.get(&images[vertex as usize])?;
        Some((one.symbols.name(name).to_owned(), other.symbols.name(*image).to_owned()))
    });
    renamed.collect()
}

struct Coloured<'a> {
    sheet: &'a Rulesheet,
    fixed: Fixed,
    colours: Vec<u64>,
    edges: Vec<(u32, u32, u32)>,
    names: IndexMap<Symbol, u32>,
    variables: IndexMap<Symbol, u32>,
}

impl<'a> Coloured<'a> {
    fn new(sheet: &'a Rulesheet, numbers: Numbers) -> Coloured<'a> {
        let (names, variables) = (IndexMap::new(), IndexMap::new());
        let fixed = Fixed::new(sheet, numbers);
        let mut coloured = Coloured { sheet, fixed, colours: Vec::new(), edges: Vec::new(), names, variables };
        sheet.sentences.iter().for_each(|sentence| coloured.sentence(sentence));
        coloured
    }

    fn graph(&self) -> Graph {
        Graph::new(self.colours.len(), || self.edges.iter().copied())
    }

    fn vertex(&mut self, colour: u64) -> u32 {
        self.colours.push(colour);
        self.colours.len() as u32 - 1
    }

    fn name(&mut self, name: Symbol) -> u32 {
        if let Some(&known) = self.names.get(&name) {
            return known;
        }
        let text = self.sheet.symbols.name(name);
        let vertex = self.vertex(match text.eq_ignore_ascii_case(CHANCE) {
            // A role with this name is chance, not an ordinary player.
            true => mix_text(CHANCE),
            false if self.fixed.has(text) => mix_text(text),
            false => NAME,
        });
        self.names.insert(name, vertex);
        vertex
    }

    fn sentence(&mut self, sentence: &Sentence) {
        self.variables.clear();
        let vertex = self.vertex(SENTENCE);
        let head = self.atom(&sentence.head);
        self.edges.push((vertex, HEAD, head));
        self.parts(vertex, &sentence.body);
    }

    fn parts(&mut self, whole: u32, parts: &[Formula]) {
        for formula in parts {
            let part = self.formula(formula);
            self.edges.push((whole, PART, part));
        }
    }

    fn formula(&mut self, formula: &Formula) -> u32 {
        let (colour, parts) = match formula {
            Formula::Atom(atom) => return self.atom(atom),
            Formula::Distinct(left, right, _) => {
                let vertex = self.vertex(DISTINCT);
                return self.applied(vertex, [left, right]);
            }
            Formula::Not(inner, _) => (NOT, std::slice::from_ref(&**inner)),
            Formula::And(parts, _) => (AND, &parts[..]),
            Formula::Or(parts, _) => (OR, &parts[..]),
        };
        let vertex = self.vertex(colour);
        self.parts(vertex, parts);
        vertex
    }

    fn atom(&mut self, atom: &Atom) -> u32 {
        let vertex = match atom.predicate {
            Predicate::Relation(name, _) => self.named(RELATION, name),
            keyword => self.vertex(mix_text(keyword.name(&self.sheet.symbols))),
        };
        self.applied(vertex, &atom.arguments)
    }

    fn named(&mut self, colour: u64, name: Symbol) -> u32 {
        let (vertex, name) = (self.vertex(colour), self.name(name));
        self.edges.push((vertex, NAMED, name));
        vertex
    }

    fn applied<'t>(&mut self, vertex: u32, arguments: impl IntoIterator<Item = &'t Term>) -> u32 {
        for (label, term) in (ARGUMENT..).zip(arguments) {
            let argument = self.term(term);
            if label < LABELS {
                self.edges.push((vertex, label, argument));
            } else {
                let place = self.vertex(mix(u64::from(label), ARGUMENT.into()));
                self.edges.extend([(vertex, PART, place), (place, PART, argument)]);
            }
        }
        vertex
    }

    fn term(&mut self, term: &Term) -> u32 {
        match term {
            Term::Constant(name, _) => self.name(*name),
            Term::Variable(name, _) => {
                let next = self.colours.len() as u32;
                let vertex = *self.variables.entry(*name).or_insert(next);
                if vertex == next {
                    self.vertex(VARIABLE);
                }
                vertex
            }
            Term::Function(name, arguments, _) => {
                let vertex = self.named(FUNCTION, *name);
                self.applied(vertex, arguments)
            }
        }
    }
}

struct Fixed {
    numbers: bool,
    /// All numbers that may be rewards keep their values, because rules compute the rewards.
    rewards: bool,
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

#[cfg(test)]
mod tests;
