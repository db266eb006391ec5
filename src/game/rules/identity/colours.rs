//! Colour refinement: distinguishes the variables of a rule by their positions.

use crate::rules::program::{Predicate, Symbol, SymbolTable};
use crate::rules::sentence::{Atom, Formula, Sentence, Term};
use base::coloured::mix;
use std::collections::{BTreeMap, BTreeSet};

pub type Colours = BTreeMap<Symbol, u64>;

/// A variable of the smallest colour that several variables have.
pub fn tied(colours: &Colours) -> Option<Symbol> {
    let mut ranked: Vec<(u64, Symbol)> = colours.iter().map(|(&name, &colour)| (colour, name)).collect();
    ranked.sort_unstable();
    ranked.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].1)
}

pub fn mix_text(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| mix(hash, u64::from(byte)))
}

pub fn named(symbols: &SymbolTable) -> Vec<u64> {
    symbols.symbols().map(|symbol| mix_text(symbols.name(symbol))).collect()
}

pub struct Painter<'a> {
    pub names: &'a [u64],
    pub sentence: &'a Sentence,
}

impl Painter<'_> {
    /// Refines the colours until they distinguish no further variables.
    pub fn refine(&self, colours: &mut Colours) {
        loop {
            let before = colours.values().collect::<BTreeSet<_>>().len();
            let mut next: Colours = colours.iter().map(|(&name, &colour)| (name, mix(colour, 2))).collect();
            self.each_place(colours, &mut |name, context| {
                if let Some(colour) = next.get_mut(&name) {
                    // A sum, because the order of conditions must not matter.
                    *colour = colour.wrapping_add(mix(context, 17));
                }
            });
            let after = next.values().collect::<BTreeSet<_>>().len();
            if after <= before {
                return;
            }
            *colours = next;
        }
    }

    pub fn variables(&self) -> Colours {
        let mut colours = Colours::new();
        self.sentence.each_variable(&mut |name, _| {
            colours.insert(name, 1);
        });
        self.refine(&mut colours);
        colours
    }

    /// Calls `visit` for every occurrence of a variable, with a hash of its surroundings.
    fn each_place(&self, colours: &Colours, visit: &mut dyn FnMut(Symbol, u64)) {
        let Sentence { head, body, .. } = self.sentence;
        self.places(head.arguments.iter(), 3, visit);
        body.iter().for_each(|formula| self.descend(formula, 5, colours, visit));
    }

    /// As [`Painter::each_place`], for a condition whose surroundings have the hash `context`.
    fn descend(&self, formula: &Formula, context: u64, colours: &Colours, visit: &mut dyn FnMut(Symbol, u64)) {
        let context = mix(context, self.formula(formula, colours));
        match formula {
            Formula::Atom(atom) => self.places(atom.arguments.iter(), context, visit),
            Formula::Distinct(left, right, _) => self.places([left, right].into_iter(), context, visit),
            Formula::Not(inner, _) => self.descend(inner, mix(context, 7), colours, visit),
            Formula::And(parts, _) => {
                parts.iter().for_each(|part| self.descend(part, mix(context, 11), colours, visit));
            }
            Formula::Or(parts, _) => {
                parts.iter().for_each(|part| self.descend(part, mix(context, 13), colours, visit));
            }
        }
    }

    fn places<'t>(&self, terms: impl Iterator<Item = &'t Term>, context: u64, visit: &mut dyn FnMut(Symbol, u64)) {
        for (place, term) in terms.enumerate() {
            let context = mix(context, place as u64);
            match term {
                Term::Constant(..) => {}
                Term::Variable(name, _) => visit(*name, context),
                Term::Function(name, arguments, _) => {
                    self.places(arguments.iter(), mix(context, self.name(*name)), visit);
                }
            }
        }
    }

    fn name(&self, name: Symbol) -> u64 {
        self.names[name.0 as usize]
    }

    fn atom(&self, atom: &Atom, colours: &Colours) -> u64 {
        let predicate = match atom.predicate {
            Predicate::Relation(name, _) => self.name(name),
            keyword => mix_text(keyword.keyword().expect("what is no relation has a word").0),
        };
        atom.arguments.iter().fold(predicate, |hash, argument| mix(hash, self.term(argument, colours)))
    }

    fn formula(&self, formula: &Formula, colours: &Colours) -> u64 {
        let any = |parts: &[Formula], seed: u64| {
            parts.iter().fold(seed, |sum, part| sum.wrapping_add(mix(seed, self.formula(part, colours))))
        };
        match formula {
            Formula::Atom(atom) => self.atom(atom, colours),
            Formula::Distinct(left, right, _) => mix(self.term(left, colours), self.term(right, colours)),
            Formula::Not(inner, _) => mix(19, self.formula(inner, colours)),
            Formula::And(parts, _) => any(parts, 23),
            Formula::Or(parts, _) => any(parts, 29),
        }
    }

    fn term(&self, term: &Term, colours: &Colours) -> u64 {
        match term {
            Term::Constant(name, _) => self.name(*name),
            Term::Variable(name, _) => mix(31, colours[name]),
            Term::Function(name, arguments, _) => arguments
                .iter()
                .fold(mix(37, self.name(*name)), |hash, argument| mix(hash, self.term(argument, colours))),
        }
    }
}
