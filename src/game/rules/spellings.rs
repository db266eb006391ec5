//! The ways in which a text writes names without arguments: alone, or in parentheses. Here `stay` and `(stay)` are one
//! name, for the prover of ggp-base two, so messages to other programs keep the spelling of the rules.

use super::sentence::{Atom, Leaf, Rulesheet, Term};
use super::{Predicate, Symbol};
use crate::syntax::Span;
use indexmap::IndexMap;

/// The first place of a name alone, and in parentheses.
pub type Places = [Option<Span>; 2];

#[derive(Debug, Clone, Default)]
pub struct Spellings {
    terms: IndexMap<String, Places>,
    relations: IndexMap<String, Places>,
    /// The constants in moves of `legal` rules: for each occurrence its role, if named, and whether in parentheses.
    legal: IndexMap<String, Vec<(Option<String>, bool)>>,
}

impl Spellings {
    pub fn new(sheet: &Rulesheet) -> Spellings {
        let mut found = Spellings::default();
        for sentence in &sheet.sentences {
            sentence.each_leaf(&mut |leaf| {
                if let Leaf::Atom(Atom { predicate, arguments, span }) = leaf
                    && arguments.is_empty()
                {
                    note(&mut found.relations, predicate.name(&sheet.symbols), *span);
                }
                leaf.each_term(&mut |term| {
                    each_constant(term, &mut |name, span| note(&mut found.terms, sheet.symbols.name(name), span));
                });
            });
            if let (Predicate::Legal, [role, action]) = (sentence.head.predicate, &sentence.head.arguments[..]) {
                let role = match role {
                    Term::Constant(role, _) => Some(sheet.symbols.name(*role).to_owned()),
                    _ => None,
                };
                each_constant(action, &mut |name, span| {
                    let text = sheet.symbols.name(name);
                    let made = found.legal.entry(text.to_owned()).or_default();
                    made.push((role.clone(), is_enclosed(text, span)));
                });
            }
        }
        found
    }

    /// The names that are written in both ways, with the first place of each.
    pub fn twice(&self) -> impl Iterator<Item = (&str, [Span; 2])> {
        let all = self.terms.iter().chain(&self.relations);
        all.filter_map(|(name, [alone, enclosed])| Some((name.as_str(), [(*alone)?, (*enclosed)?])))
    }

    /// A displayed move as the rules write it. If they write a constant in both ways, a rule for this role decides.
    pub fn written(&self, action: &str, role: &str) -> String {
        let mut text = String::with_capacity(action.len() + 2);
        let mut rest = action;
        while let Some(start) = rest.find(|c: char| !c.is_whitespace() && c != '(' && c != ')') {
            let (before, from) = rest.split_at(start);
            let end = from.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(from.len());
            let (name, after) = from.split_at(end);
            text.push_str(before);
            match !text.ends_with('(') && self.encloses(name, role) {
                true => text.extend(["(", name, ")"]),
                false => text.push_str(name),
            }
            rest = after;
        }
        text + rest
    }

    fn encloses(&self, name: &str, role: &str) -> bool {
        match self.terms.get(name) {
            Some([None, Some(_)]) => true,
            Some([Some(_), Some(_)]) => {
                let made = self.legal.get(name).map_or(&[][..], Vec::as_slice);
                let own = made.iter().find(|(of, _)| of.as_deref().is_none_or(|of| of == role));
                own.is_some_and(|(_, enclosed)| *enclosed)
            }
            _ => false,
        }
    }
}

fn note(places: &mut IndexMap<String, Places>, name: &str, span: Span) {
    let place = &mut places.entry(name.to_owned()).or_default()[usize::from(is_enclosed(name, span))];
    place.get_or_insert(span);
}

fn is_enclosed(name: &str, span: Span) -> bool {
    (span.end - span.start) as usize > name.len()
}

fn each_constant(term: &Term, visit: &mut dyn FnMut(Symbol, Span)) {
    term.each_part(&mut |part| {
        if let Term::Constant(name, span) = part {
            visit(*name, *span);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::rules::Language;

    fn spellings(text: &str) -> Spellings {
        Spellings::new(&Language::Gdl.rulesheet(&Source::new("g.gdl", text.as_bytes())).expect("no errors"))
    }

    #[test]
    fn moves_are_written_as_the_rules_write_them() {
        let found = spellings("(legal a (stay)) (legal b go) (move (put (x) y)) (<= (legal a ?m) (move ?m))");
        for (action, written) in [("stay", "(stay)"), ("go", "go"), ("(put x y)", "(put (x) y)"), ("(x y)", "(x y)")] {
            assert_eq!(found.written(action, "a"), written);
        }
    }

    #[test]
    fn of_two_spellings_that_of_the_rule_for_the_move_counts() {
        let found = spellings("(legal a (stay)) (legal b stay) (<= (p) (does a stay)) (<= q (p)) (<= p q)");
        assert_eq!([found.written("stay", "a"), found.written("stay", "b")], ["(stay)", "stay"]);
        let twice: Vec<&str> = found.twice().map(|(name, _)| name).collect();
        assert_eq!(twice, ["stay", "p"]);
    }
}
