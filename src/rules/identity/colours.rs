//! Distinguishes the variables of a rule by their positions: colour refinement.

use crate::rules::program::{Symbol, SymbolTable};
use crate::rules::sentence::{Formula, Sentence, Term};
use std::collections::{BTreeMap, BTreeSet};

/// By variable.
pub type Colours = BTreeMap<Symbol, u64>;

/// A variable with the smallest colour that several variables have.
pub fn tied(colours: &Colours) -> Option<Symbol> {
    let mut ranked: Vec<(u64, Symbol)> = colours.iter().map(|(&name, &colour)| (colour, name)).collect();
    ranked.sort_unstable();
    ranked.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].1)
}

pub fn mix(one: u64, other: u64) -> u64 {
    let mixed = (one.rotate_left(23) ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

fn mix_text(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| mix(hash, u64::from(byte)))
}

/// Colours variables by their positions.
pub struct Painter<'a> {
    pub symbols: &'a SymbolTable,
    pub sentence: &'a Sentence,
}

impl Painter<'_> {
    /// Refines the colours until they distinguish no further variables.
    pub fn refine(&self, colours: &mut Colours) {
        loop {
            let before = colours.values().collect::<BTreeSet<_>>().len();
            let mut next: Colours = colours.iter().map(|(&name, &colour)| (name, mix(colour, 2))).collect();
            self.places(self.sentence.head.arguments.iter(), 3, &mut next);
            for formula in &self.sentence.body {
                self.descend(formula, 5, colours, &mut next);
            }
            let after = next.values().collect::<BTreeSet<_>>().len();
            if after <= before {
                return;
            }
            *colours = next;
        }
    }

    /// Adds to `next` the occurrences of variables in a condition; `context` is a hash of what surrounds the condition.
    fn descend(&self, formula: &Formula, context: u64, colours: &Colours, next: &mut Colours) {
        let context = mix(context, self.formula(formula, colours));
        match formula {
            Formula::Atom(atom) => self.places(atom.arguments.iter(), context, next),
            Formula::Distinct(left, right, _) => self.places([left, right].into_iter(), context, next),
            Formula::Not(inner, _) => self.descend(inner, mix(context, 7), colours, next),
            Formula::And(parts, _) => {
                parts.iter().for_each(|part| self.descend(part, mix(context, 11), colours, next));
            }
            Formula::Or(parts, _) => {
                parts.iter().for_each(|part| self.descend(part, mix(context, 13), colours, next));
            }
        }
    }

    fn places<'t>(&self, terms: impl Iterator<Item = &'t Term>, context: u64, next: &mut Colours) {
        for (place, term) in terms.enumerate() {
            let context = mix(context, place as u64);
            match term {
                Term::Constant(..) => {}
                Term::Variable(name, _) => {
                    if let Some(colour) = next.get_mut(name) {
                        // A sum does not depend on the order of the conditions.
                        *colour = colour.wrapping_add(mix(context, 17));
                    }
                }
                Term::Function(name, arguments, _) => {
                    let context = mix(context, mix_text(self.symbols.name(*name)));
                    self.places(arguments.iter(), context, next);
                }
            }
        }
    }

    fn formula(&self, formula: &Formula, colours: &Colours) -> u64 {
        let any = |parts: &[Formula], seed: u64| {
            parts.iter().fold(seed, |sum, part| sum.wrapping_add(mix(seed, self.formula(part, colours))))
        };
        match formula {
            Formula::Atom(atom) => {
                atom.arguments.iter().fold(mix_text(atom.predicate.name(self.symbols)), |hash, argument| {
                    mix(hash, self.term(argument, colours))
                })
            }
            Formula::Distinct(left, right, _) => mix(self.term(left, colours), self.term(right, colours)),
            Formula::Not(inner, _) => mix(19, self.formula(inner, colours)),
            Formula::And(parts, _) => any(parts, 23),
            Formula::Or(parts, _) => any(parts, 29),
        }
    }

    fn term(&self, term: &Term, colours: &Colours) -> u64 {
        match term {
            Term::Constant(name, _) => mix_text(self.symbols.name(*name)),
            Term::Variable(name, _) => mix(31, colours[name]),
            Term::Function(name, arguments, _) => {
                arguments.iter().fold(mix(37, mix_text(self.symbols.name(*name))), |hash, argument| {
                    mix(hash, self.term(argument, colours))
                })
            }
        }
    }
}
