//! Goal values are whole numbers from 0 to 100.

use crate::diagnostic::{Diagnostic, quote};
use crate::rules::Predicate;
use crate::rules::sentence::{Rulesheet, Term};

/// Reports every value in a head that is none. Values behind variables are known after grounding only.
pub fn check(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    for sentence in &sheet.sentences {
        if sentence.head.predicate != Predicate::Goal {
            continue;
        }
        let message = match sentence.head.arguments.get(1) {
            Some(Term::Constant(name, _)) if is_value(sheet.symbols.name(*name)) => continue,
            Some(Term::Constant(name, _)) => {
                format!("{} is no whole number from 0 to 100", quote(sheet.symbols.name(*name)))
            }
            Some(Term::Function(name, ..)) => {
                format!("a term of {} is no whole number from 0 to 100", quote(sheet.symbols.name(*name)))
            }
            Some(Term::Variable(..)) | None => continue,
        };
        let span = sentence.head.arguments[1].span();
        let advice = "the best result is worth 100, the worst 0";
        diagnostics.push(Diagnostic::error("goal-value", span, message).with_advice(advice));
    }
}

fn is_value(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit()) && name.parse::<u8>().is_ok_and(|value| value <= 100)
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::findings;

    #[test]
    fn values_are_whole_numbers() {
        let text = "(goal r 0)(goal r 100)\n(goal r 101)\n(goal r -1)\n(goal r win)\n(goal r (+ 1 1))\n(goal r 1.5)";
        let expected: Vec<String> = (2..=6).map(|line| format!("{line}:9 goal-value")).collect();
        assert_eq!(findings(text), expected);
        assert!(findings("(<= (goal r ?n) (true ?n))").is_empty());
    }
}
