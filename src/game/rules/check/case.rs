//! Finds names that differ only in the case of letters, and numbers that differ only in leading zeros or a leading `+`.
//! They are different names, which is seldom intended.

use crate::diagnostic::{Diagnostic, quote};
use crate::rules::sentence::{Atom, Leaf, Rulesheet, Term};
use crate::rules::{Predicate, Symbol};
use crate::syntax::Span;
use indexmap::IndexMap;

const CASE: [&str; 3] = ["names-differ-in-case", "", "use one spelling if they are meant to be the same"];
const ZEROS: [&str; 3] = ["names-differ-in-zeros", ", not one number", "write a number in one way everywhere"];

/// Warns of each further spelling of a name, at its first use. Variables are compared within their rule.
pub fn check(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    let lower = |name: &str| Some(name.to_ascii_lowercase());
    let (mut names, mut terms) = (Spellings::default(), Spellings::default());
    for sentence in &sheet.sentences {
        let mut variables = Spellings::default();
        sentence.each_leaf(&mut |leaf| {
            if let Leaf::Atom(Atom { predicate: Predicate::Relation(name, _), span, .. }) = leaf {
                names.add(*name, *span);
            }
            let value = match leaf {
                Leaf::Atom(Atom { predicate: Predicate::Goal, arguments, .. }) => arguments.get(1),
                _ => None,
            };
            leaf.each_term(&mut |term| match term {
                Term::Constant(..) if value.is_some_and(|value| std::ptr::eq(value, term)) => {}
                _ => term.each_part(&mut |part| match part {
                    Term::Variable(name, span) => variables.add(*name, *span),
                    Term::Constant(name, span) | Term::Function(name, _, span) => {
                        names.add(*name, *span);
                        terms.add(*name, *span);
                    }
                }),
            });
        });
        variables.compare(sheet, lower, CASE, diagnostics);
    }
    names.compare(sheet, lower, CASE, diagnostics);
    // The name of a relation is no number.
    terms.compare(sheet, significant, ZEROS, diagnostics);
}

#[derive(Default)]
struct Spellings(IndexMap<Symbol, Span>);

impl Spellings {
    fn add(&mut self, name: Symbol, span: Span) {
        self.0.entry(name).or_insert(span);
    }

    /// Warns of each name that has the same key as another one before. The array has the code of
    /// the finding, the end of its message, and its advice.
    fn compare(
        &self,
        sheet: &Rulesheet,
        key: impl Fn(&str) -> Option<String>,
        [code, end, advice]: [&'static str; 3],
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let mut first: IndexMap<String, &str> = IndexMap::new();
        for (&name, &span) in &self.0 {
            let name = sheet.symbols.name(name);
            let Some(key) = key(name) else { continue };
            let known = first.entry(key).or_insert(name);
            if *known != name {
                let message = format!("{} and {} are different names{end}", quote(name), quote(known));
                diagnostics.push(Diagnostic::warning(code, span, message).with_advice(advice));
            }
        }
    }
}

/// The significant digits of a number (an empty text for zero); `None` for other names.
fn significant(name: &str) -> Option<String> {
    let digits = name.strip_prefix('+').unwrap_or(name);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.trim_start_matches('0').to_owned())
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::findings;

    #[test]
    fn spellings_are_compared() {
        let text = "(init (Cell 1))\n(<= (goal r 0) (true (cell 1)))\n(<= (base (Cell ?x)) (p ?x) (p ?X))\n(p 1)";
        assert_eq!(findings(text), ["2:22 names-differ-in-case", "2:22 unknown-fluent", "3:32 names-differ-in-case"]);
        assert_eq!(findings("(+1 1 2)(<= (base ?y) (+1 ?x ?y))"), Vec::<String>::new());
    }

    #[test]
    fn spellings_of_numbers_are_compared() {
        let text = "(init (cell 01))(next (cell 01))\n(<= (goal r 0) (true (cell 1)))\n(init (n 0))(init (n 00))(init (n +1))(init (n 10))";
        let expected = ["2:28 names-differ-in-zeros", "3:22 names-differ-in-zeros", "3:35 names-differ-in-zeros"];
        assert_eq!(findings(text), expected);
    }

    #[test]
    fn keywords_are_the_same_in_any_case() {
        assert_eq!(
            findings("(INIT x)(NEXT x)\n(<= (Goal R 0) (TRUE x))(ROLE R)(LEGAL R x)"),
            ["3:7 names-differ-in-case"]
        );
    }
}
