//! What makes two rulesheets the same game: a SHA-256 sum that does not change with comments, line ends, the order of
//! rules, the order of conditions, or the names of variables. The order of the roles has a meaning and counts.
//!
//! Each sentence is written in a normal form: conditions sorted by their text, variables numbered. The numbering must
//! not depend on how the rule was written, so variables are told apart by colour refinement (Weisfeiler and Leman
//! 1968): a variable's colour says in which conditions, at which places and beside which colours it stands; ties are
//! broken by giving one variable a colour of its own, which is exact where the tied ones are interchangeable. Two
//! different games never have the same sum; a game whose rules are symmetrical beyond the bound may have several.
//!
//! Cost: linear in the text, times the number of refinements of a rule, at most quadratic in the variables of a rule.

use super::program::{Predicate, Symbol, SymbolTable};
use super::sentence::{Atom, Formula, Rulesheet, Sentence, Term};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Variables of one rule that are given a colour of their own at most.
const MOST_TIES: usize = 64;

/// The sum, in hexadecimal digits.
pub fn identity(sheet: &Rulesheet) -> String {
    let mut sum = Sha256::new();
    for sentence in sheet.sentences.iter().filter(|sentence| sentence.head.predicate == Predicate::Role) {
        if sentence.body.is_empty() {
            sum.update(normal_form(&sheet.symbols, sentence));
            sum.update("\n");
        }
    }
    let sentences: BTreeSet<String> =
        sheet.sentences.iter().map(|sentence| normal_form(&sheet.symbols, sentence)).collect();
    for sentence in sentences {
        sum.update("\n");
        sum.update(sentence);
    }
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A sentence as a text that is the same however it was written.
fn normal_form(symbols: &SymbolTable, sentence: &Sentence) -> String {
    let mut colours = Colours::new();
    let mut note = |name: Symbol, _| {
        colours.insert(name, 1);
    };
    sentence.head.each_variable(&mut note);
    sentence.body.iter().for_each(|formula| formula.each_variable(&mut note));
    let painter = Painter { symbols, sentence };
    painter.refine(&mut colours);
    for _ in 0..MOST_TIES {
        let Some(tied) = tied(&colours) else { break };
        colours.insert(tied, mix(colours[&tied], 1));
        painter.refine(&mut colours);
    }
    let mut ranked: Vec<(u64, Symbol)> = colours.iter().map(|(&name, &colour)| (colour, name)).collect();
    ranked.sort_unstable();
    let names = ranked.iter().enumerate().map(|(rank, &(_, name))| (name, rank)).collect();
    let writer = Writer { symbols, names };
    let mut parts = vec![writer.atom(&sentence.head)];
    let mut body = Vec::new();
    sentence.body.iter().for_each(|formula| writer.members(formula, true, &mut body));
    body.sort_unstable();
    body.dedup();
    parts.append(&mut body);
    parts.join(" ")
}

/// By variable.
type Colours = BTreeMap<Symbol, u64>;

/// A variable of the smallest colour that several have.
fn tied(colours: &Colours) -> Option<Symbol> {
    let mut ranked: Vec<(u64, Symbol)> = colours.iter().map(|(&name, &colour)| (colour, name)).collect();
    ranked.sort_unstable();
    ranked.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[0].1)
}

fn mix(one: u64, other: u64) -> u64 {
    let mixed = (one.rotate_left(23) ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

fn mix_text(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| mix(hash, u64::from(byte)))
}

/// Gives variables colours by where they stand.
struct Painter<'a> {
    symbols: &'a SymbolTable,
    sentence: &'a Sentence,
}

impl Painter<'_> {
    /// Refines the colours until they tell no more variables apart.
    fn refine(&self, colours: &mut Colours) {
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

    /// Adds to `next` what a condition says of its variables; `context` stands for what is around it.
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
                atom.arguments.iter().fold(mix_text(predicate(self.symbols, atom)), |hash, argument| {
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
            Term::Variable(name, _) => mix(31, colours.get(name).copied().unwrap_or(0)),
            Term::Function(name, arguments, _) => {
                arguments.iter().fold(mix(37, mix_text(self.symbols.name(*name))), |hash, argument| {
                    mix(hash, self.term(argument, colours))
                })
            }
        }
    }
}

/// Writes with numbers for variables.
struct Writer<'a> {
    symbols: &'a SymbolTable,
    names: BTreeMap<Symbol, usize>,
}

impl Writer<'_> {
    /// The texts of a condition's members: of a conjunction (`all`) or disjunction, nested ones of the same kind
    /// dissolved.
    fn members(&self, formula: &Formula, all: bool, texts: &mut Vec<String>) {
        match formula {
            Formula::And(parts, _) if all => parts.iter().for_each(|part| self.members(part, all, texts)),
            Formula::Or(parts, _) if !all => parts.iter().for_each(|part| self.members(part, all, texts)),
            _ => texts.push(self.formula(formula)),
        }
    }

    fn formula(&self, formula: &Formula) -> String {
        let list = |name: &str, all: bool| {
            let mut texts = Vec::new();
            self.members(formula, all, &mut texts);
            texts.sort_unstable();
            texts.dedup();
            format!("({name} {})", texts.join(" "))
        };
        match formula {
            Formula::Atom(atom) => self.atom(atom),
            Formula::Distinct(left, right, _) => format!("(distinct {} {})", self.term(left), self.term(right)),
            Formula::Not(inner, _) => format!("(not {})", self.formula(inner)),
            Formula::And(..) => list("and", true),
            Formula::Or(..) => list("or", false),
        }
    }

    fn atom(&self, atom: &Atom) -> String {
        self.applied(predicate(self.symbols, atom), &atom.arguments)
    }

    fn term(&self, term: &Term) -> String {
        match term {
            Term::Constant(name, _) => self.symbols.name(*name).to_owned(),
            Term::Variable(name, _) => format!("?{}", self.names.get(name).copied().unwrap_or(0)),
            Term::Function(name, arguments, _) => self.applied(self.symbols.name(*name), arguments),
        }
    }

    fn applied(&self, name: &str, arguments: &[Term]) -> String {
        let mut text = format!("({name}");
        for argument in arguments {
            text.push(' ');
            text.push_str(&self.term(argument));
        }
        text.push(')');
        text
    }
}

fn predicate<'a>(symbols: &'a SymbolTable, atom: &Atom) -> &'a str {
    match atom.predicate {
        Predicate::Relation(name, _) => symbols.name(name),
        keyword => keyword.keyword().map_or("", |(name, _)| name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::random::Random;
    use crate::rules::gdl;

    fn of(text: &str) -> String {
        let mut diagnostics = Vec::new();
        let sheet = gdl::rulesheet(&Source::new("a.gdl", text.as_bytes()), &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        identity(&sheet)
    }

    #[test]
    fn the_way_of_writing_does_not_count() {
        let one = "(role a) (role b) (succ 1 2)\n(<= (p ?x ?y) (q ?x) (not (r ?y ?x)) (or (s ?x) (t ?y ?z)) (u ?z))";
        let other =
            "; comment\r\n(<= (p ?m ?a) (u ?c) (or (t ?a ?c) (s ?m)) (q ?m) (not (r ?a ?m)))\r\n(role a)(role b)
            (succ 1 2) (succ 1 2)";
        assert_eq!(of(one), of(other));
    }

    #[test]
    fn a_difference_in_meaning_counts() {
        let texts = [
            "(role a) (role b) (<= (p ?x) (q ?x ?y) (r ?y))",
            "(role b) (role a) (<= (p ?x) (q ?x ?y) (r ?y))",
            "(role a) (role b) (<= (p ?x) (q ?y ?x) (r ?y))",
            "(role a) (role b) (<= (p ?x) (q ?x ?y) (r ?x))",
            "(role a) (role b) (<= (p ?x) (q ?x ?y) (not (r ?y)))",
            "(role a) (role b) (<= (p ?x) (or (q ?x ?y) (r ?y)))",
            "(role a) (role b) (<= (p ?x) (q ?x y) (r y))",
            "(role a) (role b) (<= (p ?x) (q ?x ?y))",
            "(role a) (role b)",
        ];
        let sums: BTreeSet<String> = texts.iter().map(|text| of(text)).collect();
        assert_eq!(sums.len(), texts.len());
    }

    /// Rules of a line, a ring or a random graph over variables, written in two random ways.
    #[test]
    fn symmetrical_rules_are_recognised() {
        let mut random = Random::new(7);
        for round in 0..200 {
            let variables = 2 + random.below(7);
            let edges: Vec<(usize, usize)> = match round % 3 {
                0 => (0..variables).map(|k| (k, (k + 1) % variables)).collect(),
                1 => (1..variables).map(|k| (k - 1, k)).collect(),
                _ => (0..2 * variables).map(|_| (random.below(variables), random.below(variables))).collect(),
            };
            let mut write = || {
                let mut names: Vec<usize> = (0..variables).collect();
                let mut edges = edges.clone();
                for last in (1..variables).rev() {
                    names.swap(last, random.below(last + 1));
                }
                for last in (1..edges.len()).rev() {
                    edges.swap(last, random.below(last + 1));
                }
                let body: Vec<String> =
                    edges.iter().map(|&(a, b)| format!("(e ?v{} ?v{})", names[a], names[b])).collect();
                format!("(role a) (<= (p 1) {})", body.join(" "))
            };
            let (one, other) = (write(), write());
            assert_eq!(of(&one), of(&other), "{one}\n{other}");
        }
    }
}
