//! Checks goal values: whole numbers from 0 to 100, each in one spelling, and one per role under the same conditions.

use crate::diagnostic::{Diagnostic, quote};
use crate::reward::{NoReward, reward};
use crate::rules::sentence::{Atom, Formula, Rulesheet, Term};
use crate::rules::{Predicate, Symbol, SymbolTable};
use crate::syntax::Span;
use std::collections::HashMap;

/// Reports each invalid goal value in a head or a condition. Values of variables are known only after grounding.
pub fn check(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    for sentence in &sheet.sentences {
        value(&sentence.head, &sheet.symbols, diagnostics);
        sentence.each_condition(&mut |atom, _| value(atom, &sheet.symbols, diagnostics));
    }
    doubled(sheet, diagnostics);
}

/// Reports two rewards of a role under the same conditions. A reward without conditions holds in every state.
fn doubled(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    let mut known: HashMap<_, (Symbol, &Atom)> = HashMap::new();
    for sentence in sheet.sentences.iter().filter(|sentence| sentence.head.predicate == Predicate::Goal) {
        let [role, Term::Constant(own, _)] = &sentence.head.arguments[..] else { continue };
        if reward(sheet.symbols.name(*own)).is_err() {
            continue;
        }
        let mut body = Vec::new();
        sentence.body.iter().for_each(|part| read(part, &mut body));
        let (before, atom) = known.entry((role.reading(), body)).or_insert((*own, &sentence.head));
        if before == own {
            continue;
        }
        let [one, other] = [*before, *own].map(|name| quote(sheet.symbols.name(name)));
        let found = match sentence.body.is_empty() {
            true => {
                let message = format!("the reward {other} beside the reward {one}, both without a condition");
                let advice =
                    format!("leave one out, or say when each of them holds: `(<= {} condition …)`", shown(atom, sheet));
                Diagnostic::error("two-rewards", sentence.head.span, message).with_advice(advice)
            }
            false => {
                let message = format!("the reward {other} under the same conditions as the reward {one}");
                let advice = "leave one out, or let their conditions exclude each other";
                Diagnostic::warning("two-rewards", sentence.head.span, message).with_advice(advice)
            }
        };
        diagnostics.push(found);
    }
}

fn shown(atom: &Atom, sheet: &Rulesheet) -> String {
    let word = |(name, _): &(Symbol, usize)| sheet.symbols.name(*name).to_owned();
    let words: Vec<String> =
        atom.arguments.iter().flat_map(|term| term.reading().iter().map(word).collect::<Vec<_>>()).collect();
    format!("(goal {})", words.join(" "))
}

/// An operator, or a predicate with its arguments, without places in the text.
type Part = (&'static str, Option<Predicate>, Vec<(Symbol, usize)>);

/// Appends the parts of a condition. Two conditions that are written alike have equal parts.
fn read(formula: &Formula, parts: &mut Vec<Part>) {
    let terms = |terms: &[&Term]| terms.iter().flat_map(|term| term.reading()).collect();
    let mut list = |word, inner: &[Formula]| {
        parts.push((word, None, Vec::new()));
        inner.iter().for_each(|part| read(part, parts));
        parts.push((")", None, Vec::new()));
    };
    match formula {
        Formula::Atom(atom) => {
            let arguments: Vec<&Term> = atom.arguments.iter().collect();
            parts.push(("", Some(atom.predicate), terms(&arguments)));
        }
        Formula::Distinct(left, right, _) => parts.push(("distinct", None, terms(&[left, right]))),
        Formula::Not(inner, _) => list("not", std::slice::from_ref(inner)),
        Formula::And(inner, _) => list("and", inner),
        Formula::Or(inner, _) => list("or", inner),
    }
}

fn value(atom: &Atom, symbols: &SymbolTable, diagnostics: &mut Vec<Diagnostic>) {
    let Some(term) = atom.arguments.get(1).filter(|_| atom.predicate == Predicate::Goal) else { return };
    let (name, refused) = match term {
        Term::Variable(..) => return,
        Term::Constant(name, _) => match reward(symbols.name(*name)) {
            Ok(_) => return,
            Err(refused) => (quote(symbols.name(*name)), refused),
        },
        Term::Function(name, ..) => (format!("a term of {}", quote(symbols.name(*name))), NoReward::Value),
    };
    diagnostics.push(finding("goal-value", term.span(), &name, &refused));
}

pub fn finding(code: &'static str, span: Span, name: &str, refused: &NoReward) -> Diagnostic {
    let message = match refused {
        NoReward::Spelling(value) => format!("{name} is not how the number {value} is written"),
        NoReward::Value => format!("{name} is no whole number from 0 to 100"),
    };
    Diagnostic::error(code, span, message).with_advice(refused.advice())
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::{findings, messages};

    #[test]
    fn values_are_whole_numbers() {
        let text = "(<= (goal r 0) (true f))(goal r 100)\n(goal r 101)\n(goal r -1)\n(goal r win)\n(goal r (+ 1 1))\n(goal r 1.5)";
        let expected: Vec<String> = (2..=6).map(|line| format!("{line}:9 goal-value")).collect();
        assert_eq!(findings(text), expected);
        assert!(findings("(<= (goal r ?n) (true ?n))").is_empty());
    }

    #[test]
    fn two_rewards_under_one_condition_are_told() {
        let text = "(goal s 100)\n(goal s 50)\n(<= (goal ?r 10) (p ?r) (not q))\n(<= (goal ?r 20) (p ?r) (not q))";
        let told: Vec<String> = findings(text).into_iter().filter(|found| found.ends_with("two-rewards")).collect();
        assert_eq!(told, ["2:1 two-rewards", "4:5 two-rewards"]);
        let right =
            "(goal s 100)(goal s 100)(<= (goal t 10) p)(<= (goal t 20) (not p))(<= (goal u 10) p)(<= (goal t 30) q)";
        assert!(findings(right).iter().all(|found| !found.ends_with("two-rewards")));
    }

    #[test]
    fn values_are_written_in_one_way() {
        let text = "(goal r 050)\n(goal r +5)\n(goal r 00)\n(<= terminal (not (goal r 0100)))";
        assert_eq!(findings(text), ["1:9 goal-value", "2:9 goal-value", "3:9 goal-value", "4:27 goal-value"]);
        assert_eq!(messages(text)[0], "`050` is not how the number 50 is written");
    }
}
