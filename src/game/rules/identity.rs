//! The identity of a game: a SHA-256 sum of its rules. It does not depend on comments, line ends, the order of rules
//! and of conditions, the names of variables, or the place of chance among the roles. It does depend on the order of
//! the other roles, and on the costs of moves.
//!
//! Each sentence has a normal form, with conditions sorted by their text and variables numbered. The numbering must not
//! depend on the way the rule is written, so it follows colour refinement (Weisfeiler and Leman 1968): the colour of a
//! variable stands for the conditions and positions in which it occurs, and for the colours of the variables there. If
//! colours tie, one of the variables gets its own colour, which is right if the tied variables are interchangeable. Two
//! different games never have the same sum. One game may have several sums, if its rules are more symmetrical than the
//! bound permits. Cost: linear in the text, times the refinements of a rule, whose number is at most quadratic in its
//! variables.

mod colours;
#[cfg(test)]
mod tests;

use super::CHANCE;
use super::program::{Symbol, SymbolTable};
use super::sentence::{Atom, Formula, Rulesheet, Sentence, Term};
use base::coloured::mix;
pub(super) use colours::mix_text;
use colours::{Painter, named, tied};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

const MOST_TIES: usize = 64;

pub fn identity(sheet: &Rulesheet) -> String {
    let mut sum = Sha256::new();
    let names = named(&sheet.symbols);
    // Chance comes after the players, wherever it is in the text.
    let is_chance = |role: &Sentence| match role.head.arguments.first() {
        Some(Term::Constant(name, _)) => sheet.symbols.name(*name).eq_ignore_ascii_case(CHANCE),
        _ => false,
    };
    let mut roles = sheet.listed_roles();
    if let Some(place) = roles.iter().position(|role| is_chance(role)) {
        roles[place..].rotate_left(1);
    }
    for role in roles {
        sum.update(normal_form(&sheet.symbols, &names, role));
        sum.update("\n");
    }
    for sentence in normal_forms(sheet) {
        sum.update("\n");
        sum.update(sentence);
    }
    if let Some(costs) = &sheet.costs {
        sum.update("\n\n");
        sum.update(costs.normal_form());
    }
    sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The normal forms of all sentences. Two texts have equal normal forms if and only if they have the same rules under
/// the same names, apart from the order of roles, and as far as ties are broken rightly.
fn normal_forms(sheet: &Rulesheet) -> BTreeSet<String> {
    let names = named(&sheet.symbols);
    sheet.sentences.iter().map(|sentence| normal_form(&sheet.symbols, &names, sentence)).collect()
}

/// `names`: the colour of each symbol.
fn normal_form(symbols: &SymbolTable, names: &[u64], sentence: &Sentence) -> String {
    let painter = Painter { names, sentence };
    let mut colours = painter.variables();
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

struct Writer<'a> {
    symbols: &'a SymbolTable,
    names: BTreeMap<Symbol, usize>,
}

impl Writer<'_> {
    /// Appends the texts of the members of a conjunction (`all`) or disjunction, and of nested members of the same
    /// kind.
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
