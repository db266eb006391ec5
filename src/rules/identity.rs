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

mod colours;
#[cfg(test)]
mod tests;

use super::program::{Symbol, SymbolTable};
use super::sentence::{Atom, Formula, Rulesheet, Sentence, Term};
use colours::{Colours, Painter, mix, tied};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Variables of one rule that are given a colour of their own at most.
const MOST_TIES: usize = 64;

/// The sum, in hexadecimal digits.
pub fn identity(sheet: &Rulesheet) -> String {
    let mut sum = Sha256::new();
    for role in sheet.listed_roles() {
        sum.update(normal_form(&sheet.symbols, role));
        sum.update("\n");
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
        self.applied(atom.predicate.name(self.symbols), &atom.arguments)
    }

    fn term(&self, term: &Term) -> String {
        match term {
            Term::Constant(name, _) => self.symbols.name(*name).to_owned(),
            Term::Variable(name, _) => format!("?{}", self.names[name]),
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
