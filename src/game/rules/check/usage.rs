//! Finds relations that nothing defines, and relations that nothing uses.

use super::fluents::shape;
use super::spelling::meant;
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::dependencies::Dependencies;
use crate::rules::sentence::Rulesheet;
use crate::rules::{Predicate, Symbol};
use crate::syntax::Span;
use indexmap::{IndexMap, IndexSet};

const MOST_SEARCHES: usize = 100;

pub fn check(sheet: &Rulesheet, dependencies: &Dependencies, diagnostics: &mut Vec<Diagnostic>) {
    let mut defined: IndexMap<Predicate, Span> = IndexMap::new();
    for sentence in &sheet.sentences {
        defined.entry(sentence.head.predicate).or_insert(sentence.head.span);
    }
    unknown(sheet, dependencies, &defined, diagnostics);
    unused(sheet, dependencies, &defined, diagnostics);
}

fn unknown(
    sheet: &Rulesheet,
    dependencies: &Dependencies,
    defined: &IndexMap<Predicate, Span>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let names: IndexSet<&str> = defined.keys().map(|&predicate| predicate.name(&sheet.symbols)).collect();
    let terms = Terms::new(sheet);
    let mut reported = IndexSet::new();
    for (_, arc) in dependencies.arcs() {
        let predicate = arc.atom.predicate;
        let unknown = match predicate {
            // A relation with another number of arguments is reported by another check.
            Predicate::Relation(..) => !names.contains(predicate.name(&sheet.symbols)),
            Predicate::Base | Predicate::Input => !defined.contains_key(&predicate),
            _ => false,
        };
        if !unknown || !reported.insert(predicate) {
            continue;
        }
        let name = predicate.name(&sheet.symbols);
        let value = if arc.positive { "false" } else { "false, its negation always true" };
        let message = format!("nothing defines {}: it is always {value}", quote(name));
        let nearest = || if reported.len() <= MOST_SEARCHES { meant(name, names.iter().copied()) } else { None };
        let advice = terms.advice(predicate, name).or_else(|| operator(name).map(str::to_owned)).or_else(nearest);
        diagnostics.push(Diagnostic { advice, ..Diagnostic::warning("unknown-relation", arc.atom.span, message) });
    }
}

/// The GDL form that replaces an operator of another language.
pub fn operator(name: &str) -> Option<&'static str> {
    match name {
        "!=" | "/=" | "<>" | "=/=" | "~=" | "\\=" | "neq" => Some("that two terms differ is `(distinct ?x ?y)` in GDL"),
        "=" | "==" | "eq" | "equal" => Some(
            "GDL has no sign for equality: write the same variable or name in both places; that two terms differ is `(distinct ?x ?y)`",
        ),
        "<" | ">" | ">=" | "+" | "-" | "*" | "/" => {
            Some("GDL has no arithmetic: list the cases as facts, such as `(succ 1 2)`, and use that relation")
        }
        "!" | "~" => Some("negation is `(not condition)`"),
        "&" | "&&" | "|" | "||" => {
            Some("conditions that hold together stand side by side; `(or a b)` is for alternatives")
        }
        _ => None,
    }
}

struct Terms {
    fluents: IndexSet<(Symbol, usize)>,
    moves: IndexSet<(Symbol, usize)>,
}

impl Terms {
    fn new(sheet: &Rulesheet) -> Self {
        let made = |by: &[Predicate]| {
            let heads =
                sheet.sentences.iter().map(|sentence| &sentence.head).filter(|head| by.contains(&head.predicate));
            heads.filter_map(shape).collect()
        };
        Terms { fluents: made(&[Predicate::Init, Predicate::Next]), moves: made(&[Predicate::Legal]) }
    }

    fn is_fluent(&self, predicate: Predicate) -> bool {
        matches!(predicate, Predicate::Relation(name, arity) if self.fluents.contains(&(name, arity as usize)))
    }

    fn advice(&self, predicate: Predicate, name: &str) -> Option<String> {
        let Predicate::Relation(symbol, arity) = predicate else { return None };
        let shape = (symbol, arity as usize);
        let term = if arity == 0 { name.to_owned() } else { format!("({name} …)") };
        if self.fluents.contains(&shape) {
            return Some(format!("{} is a fluent: write `(true {term})`", quote(name)));
        }
        self.moves.contains(&shape).then(|| format!("{} is a move: write `(does role {term})`", quote(name)))
    }
}

/// Signs that begin a comment in other languages.
const COMMENTS: [&str; 5] = ["//", "/*", "#", "--", "%"];

fn unused(
    sheet: &Rulesheet,
    dependencies: &Dependencies,
    defined: &IndexMap<Predicate, Span>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let keywords = defined.keys().copied().filter(|predicate| predicate.keyword().is_some());
    let used = dependencies.reachable(keywords);
    let terms = Terms::new(sheet);
    let used_names: IndexSet<&str> = used.iter().map(|&predicate| predicate.name(&sheet.symbols)).collect();
    for (&predicate, &span) in defined {
        // Names with different numbers of arguments are reported by another check.
        if used_names.contains(predicate.name(&sheet.symbols)) {
            continue;
        }
        let name = predicate.name(&sheet.symbols);
        let message = format!("{} has no influence on the game", quote(name));
        let advice = match terms.is_fluent(predicate) {
            _ if COMMENTS.iter().any(|sign| name.starts_with(sign)) => {
                "a comment starts with `;` and ends with its line; the words after another sign are read as facts"
            }
            true => "it is also a fluent: what holds at first is `(init …)`, what holds after a move is `(next …)`",
            false => "no rule for a move, the next state, a result or the end leads to it",
        };
        diagnostics.push(Diagnostic::warning("unused-relation", span, message).with_advice(advice));
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::{REST, findings, messages};

    #[test]
    fn unknown_relations_are_reported_once() {
        let text = "(adjacent a b)\n(<= (legal r (go ?x)) (adjacnet a ?x) (adjacent a ?x))(<= (goal r 0) (not (adjacnet b b)))";
        assert_eq!(findings(text), ["2:23 unknown-relation"]);
        assert_eq!(messages(text), ["nothing defines `adjacnet`: it is always false"]);
    }

    fn advice(text: &str) -> Vec<String> {
        let source = crate::diagnostic::Source::new("test", format!("{text}\n{REST}").as_bytes());
        crate::rules::gdl::program(&source).1.into_iter().filter_map(|finding| finding.advice).collect()
    }

    #[test]
    fn fluents_moves_and_foreign_signs_are_recognised() {
        let text = "(init (cell 1))(<= (next (cell ?x)) (true (cell ?x)) (cell ?x))(<= (goal r 0) (m) (!= 1 2) (f))";
        let expected = ["`cell` is a fluent: write `(true (cell …))`", "`m` is a move: write `(does role m)`"];
        assert_eq!(advice(text)[..2], expected);
        assert!(advice(text)[2].contains("(distinct ?x ?y)"), "{:?}", advice(text));
        assert_eq!(advice(text)[3], "`f` is a fluent: write `(true f)`");
        let text = "(init (cell 1))(<= (next (cell ?x)) (true (cell ?x)))(cell 2)";
        assert!(advice(text)[0].contains("(init …)"), "{:?}", advice(text));
        assert!(advice("// moves")[0].contains("starts with `;`"), "{:?}", advice("// moves"));
    }

    #[test]
    fn unused_relations_are_reported_with_what_only_they_use() {
        let text = "(<= p q)\nq\ns\n(<= (legal r x) s)\n(<= t t)";
        assert_eq!(findings(text), ["1:5 unused-relation", "2:1 unused-relation", "5:5 unused-relation"]);
    }
}
