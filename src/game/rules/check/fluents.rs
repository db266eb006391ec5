//! Finds conditions on fluents and moves that can never hold because no head produces such a term, and fluents that
//! vanish with the first move because no rule for `next` produces them.

use super::spelling::meant;
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::sentence::{Atom, Rulesheet, Term};
use crate::rules::{Predicate, Symbol};
use indexmap::IndexSet;

const MOST_SEARCHES: usize = 100;

/// Each name with its number of arguments is reported once.
pub fn check(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    let init_or_next = [Predicate::Init, Predicate::Next];
    compare(sheet, Predicate::True, &init_or_next, "unknown-fluent", "fluent", diagnostics);
    compare(sheet, Predicate::Does, &[Predicate::Legal], "unknown-move", "move", diagnostics);
    vanishing(sheet, diagnostics);
}

/// Warns of fluents that hold initially and that no rule for `next` produces, if some condition wants them to hold.
fn vanishing(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    let heads =
        |wanted| sheet.sentences.iter().map(|sentence| &sentence.head).filter(move |head| head.predicate == wanted);
    let Some(kept) = heads(Predicate::Next).map(shape).collect::<Option<IndexSet<_>>>() else { return };
    if kept.is_empty() {
        return;
    }
    let mut asked = IndexSet::new();
    for sentence in &sheet.sentences {
        sentence.each_condition(&mut |atom, positive| {
            // That a fluent is gone may be what a rule waits for.
            if positive && atom.predicate == Predicate::True {
                asked.extend(shape(atom));
            }
        });
    }
    let mut reported = IndexSet::new();
    for head in heads(Predicate::Init) {
        let Some(shape) = shape(head).filter(|shape| !kept.contains(shape) && asked.contains(shape)) else { continue };
        if reported.insert(shape) {
            let name = sheet.symbols.name(shape.0);
            let message = format!("fluent {} holds at first, and never after a move", quote(name));
            let term = if shape.1 == 0 { name.to_owned() } else { format!("({name} …)") };
            let advice = format!("nothing stays by itself: `(<= (next {term}) (true {term}) …)` keeps it");
            diagnostics.push(Diagnostic::warning("fluent-vanishes", head.span, message).with_advice(advice));
        }
    }
}

fn compare(
    sheet: &Rulesheet,
    asked: Predicate,
    made: &[Predicate],
    code: &'static str,
    what: &str,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let heads = sheet.sentences.iter().map(|sentence| &sentence.head).filter(|head| made.contains(&head.predicate));
    // A variable as the fluent of a head may be any fluent.
    let Some(known) = heads.map(shape).collect::<Option<IndexSet<_>>>() else { return };
    let relations: IndexSet<Predicate> = sheet.sentences.iter().map(|sentence| sentence.head.predicate).collect();
    let names: IndexSet<&str> = known.iter().map(|&(name, _)| sheet.symbols.name(name)).collect();
    let mut reported = IndexSet::new();
    for sentence in &sheet.sentences {
        sentence.each_condition(&mut |atom, _| {
            let Some(shape) = shape(atom).filter(|_| atom.predicate == asked) else { return };
            if known.contains(&shape) || !reported.insert(shape) {
                return;
            }
            let name = sheet.symbols.name(shape.0);
            let of_arity = match names.contains(name) {
                true => format!(" with {}", super::spelling::arguments(shape.1)),
                false => String::new(),
            };
            let verb = if asked == Predicate::True { "true" } else { "legal" };
            let message = format!("{what} {}{of_arity} is never {verb}", quote(name));
            let span = atom.arguments.last().map_or(atom.span, Term::span);
            let advice = if relations.contains(&Predicate::Relation(shape.0, shape.1 as u32)) {
                let keyword = if asked == Predicate::True { "true" } else { "does" };
                Some(format!("{} is a relation: write it without `{keyword}`", quote(name)))
            } else if reported.len() <= MOST_SEARCHES {
                meant(name, names.iter().copied())
            } else {
                None
            };
            diagnostics.push(Diagnostic { advice, ..Diagnostic::warning(code, span, message) });
        });
    }
}

/// Name and number of arguments of an atom's fluent or move; `None` for a variable.
pub fn shape(atom: &Atom) -> Option<(Symbol, usize)> {
    match atom.arguments.last()? {
        Term::Constant(name, _) => Some((*name, 0)),
        Term::Function(name, arguments, _) => Some((*name, arguments.len())),
        Term::Variable(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::{findings, messages};

    #[test]
    fn terms_that_nothing_makes_are_reported() {
        let text = "(init (cell 1))\n(<= (goal r 0) (true (cel 1)) (true (cel 2)) (true (cell 1)) (true ?x))\n(<= (next g) (does r n))";
        assert_eq!(findings(text), ["1:1 fluent-vanishes", "2:22 unknown-fluent", "3:22 unknown-move"]);
        assert_eq!(messages(text)[2], "move `n` is never legal");
    }

    #[test]
    fn fluents_that_nothing_keeps_are_reported() {
        let text = "(init (cell 1))\n(init (cell 2))(init flag)\n(<= (goal r 0) (true (cell 1)))";
        assert_eq!(findings(text), ["1:1 fluent-vanishes"]);
        assert!(findings("(init opening)\n(init (cell 1))\n(<= (goal r 0) (not (true opening)) (true (cell 1)))\n(<= (next (cell 1)) (true (cell 1)))").is_empty());
    }

    #[test]
    fn variables_as_heads_make_anything() {
        assert!(findings("(<= (next ?x) (p ?x))\n(p (g 1))(<= (goal r 0) (true (g 1)))").is_empty());
    }
}
