//! Checks that each relation and each function has one number of arguments.

use super::spelling;
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::sentence::{Atom, Leaf, Rulesheet, Term};
use crate::rules::{Predicate, Symbol, SymbolTable};
use crate::syntax::Span;
use indexmap::IndexMap;

/// For each name, its numbers of arguments, each with its first place.
type Uses = IndexMap<Symbol, IndexMap<usize, Span>>;

/// Reports each further number of arguments of a name, at its first occurrence. For a relation this is an error,
/// because atoms with different numbers of arguments never match. For a function it is only unusual.
pub fn check(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    let (mut relations, mut functions) = (Uses::new(), Uses::new());
    for sentence in &sheet.sentences {
        sentence.each_leaf(&mut |leaf| {
            if let Leaf::Atom(Atom { predicate: Predicate::Relation(name, arity), span, .. }) = leaf {
                relations.entry(*name).or_default().entry(*arity as usize).or_insert(*span);
            }
            leaf.each_term(&mut |term| {
                term.each_part(&mut |part| {
                    if let Term::Function(name, arguments, span) = part {
                        functions.entry(*name).or_default().entry(arguments.len()).or_insert(*span);
                    }
                });
            });
        });
    }
    report(&relations, &sheet.symbols, diagnostics, |span, message| {
        let advice =
            "every use of a relation needs the same number of arguments: is one missing or a parenthesis wrong?";
        Diagnostic::error("arity-mismatch", span, message).with_advice(advice)
    });
    report(&functions, &sheet.symbols, diagnostics, |span, message| {
        let advice = "both are kept apart; if they are the same thing, one of them is wrong";
        Diagnostic::warning("function-arity", span, message).with_advice(advice)
    });
}

fn report(
    uses: &Uses,
    symbols: &SymbolTable,
    diagnostics: &mut Vec<Diagnostic>,
    finding: impl Fn(Span, String) -> Diagnostic,
) {
    for (&name, arities) in uses {
        let mut arities = arities.iter();
        let Some((first, _)) = arities.next() else { continue };
        for (arity, &span) in arities {
            let name = quote(symbols.name(name));
            let message = format!("{name} has {} here, {first} where it is first used", spelling::arguments(*arity));
            diagnostics.push(finding(span, message));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::{findings, messages};

    #[test]
    fn relations_have_one_arity() {
        let text = "(p a b)\n(<= (legal r x) (p a)\n (not (p a b c)))";
        assert_eq!(findings(text), ["2:17 arity-mismatch", "3:7 arity-mismatch"]);
        assert_eq!(messages(text)[0], "`p` has 1 argument here, 2 where it is first used");
    }

    #[test]
    fn functions_of_two_arities_are_unusual() {
        assert_eq!(findings("(init (c 1))\n(init (c 1 2))"), ["2:7 function-arity"]);
    }
}
