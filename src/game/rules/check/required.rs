//! Checks that a game has roles, legal moves, goals and an end.

use crate::diagnostic::Diagnostic;
use crate::diagnostic::Severity::{Error, Warning};
use crate::rules::Predicate;
use crate::rules::sentence::Rulesheet;
use crate::syntax::Span;

pub fn check(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    let needed = [
        (Error, Predicate::Role, "missing-role", "the game has no roles", "declare each player: `(role name)`"),
        (Error, Predicate::Legal, "missing-legal", "no move is ever legal", "add rules for `(legal role move)`"),
        (Error, Predicate::Goal, "missing-goal", "the game has no goals", "add rules for `(goal role number)`"),
        (Error, Predicate::Terminal, "missing-terminal", "the game never ends", "add a rule for `terminal`"),
        (Warning, Predicate::Init, "missing-init", "nothing holds in the initial state", "add `(init fluent)`"),
        (Warning, Predicate::Next, "missing-next", "nothing holds after a move", "add rules for `(next fluent)`"),
    ];
    for (severity, predicate, code, message, advice) in needed {
        if !sheet.sentences.iter().any(|sentence| sentence.head.predicate == predicate) {
            let finding = Diagnostic { severity, ..Diagnostic::error(code, Span::default(), message) };
            diagnostics.push(finding.with_advice(advice));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::check::testing::all_findings;

    #[test]
    fn an_empty_text_lacks_everything() {
        let expected = ["goal", "legal", "role", "terminal", "init", "next"].map(|what| format!("1:1 missing-{what}"));
        assert_eq!(all_findings(" ; nothing"), expected);
    }

    #[test]
    fn nothing_is_missed_where_something_could_not_be_read() {
        assert_eq!(all_findings("(role r)\n(goal r"), ["2:1 unclosed-parenthesis"]);
    }
}
