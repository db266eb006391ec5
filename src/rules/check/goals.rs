//! Goal values are whole numbers from 0 to 100, each written in one way.

use crate::diagnostic::{Diagnostic, quote};
use crate::reward::{NoReward, reward};
use crate::rules::sentence::{Atom, Rulesheet, Term};
use crate::rules::{Predicate, SymbolTable};
use crate::syntax::Span;

/// Reports every invalid goal value in a head or a condition. Values that are variables are known only after grounding.
pub fn check(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    for sentence in &sheet.sentences {
        value(&sentence.head, &sheet.symbols, diagnostics);
        for part in &sentence.body {
            part.each_atom(true, &mut |atom, _| value(atom, &sheet.symbols, diagnostics));
        }
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

/// The finding for a word that is not a valid reward.
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
        let text = "(goal r 0)(goal r 100)\n(goal r 101)\n(goal r -1)\n(goal r win)\n(goal r (+ 1 1))\n(goal r 1.5)";
        let expected: Vec<String> = (2..=6).map(|line| format!("{line}:9 goal-value")).collect();
        assert_eq!(findings(text), expected);
        assert!(findings("(<= (goal r ?n) (true ?n))").is_empty());
    }

    #[test]
    fn values_are_written_in_one_way() {
        let text = "(goal r 050)\n(goal r +5)\n(goal r 00)\n(<= terminal (not (goal r 0100)))";
        assert_eq!(findings(text), ["1:9 goal-value", "2:9 goal-value", "3:9 goal-value", "4:27 goal-value"]);
        assert_eq!(messages(text)[0], "`050` is not how the number 50 is written");
    }
}
