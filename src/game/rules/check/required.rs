//! Checks that a game has roles, legal moves, goals and an end.

use crate::diagnostic::Diagnostic;
use crate::rules::Predicate;
use crate::rules::sentence::Rulesheet;
use crate::syntax::Span;

pub fn check(sheet: &Rulesheet, diagnostics: &mut Vec<Diagnostic>) {
    let missing = |predicate| !sheet.sentences.iter().any(|sentence| sentence.head.predicate == predicate);
    let span = Span::default();
    let errors = [
        (Predicate::Role, "missing-role", "the game has no roles", "declare each player: `(role name)`"),
        (Predicate::Legal, "missing-legal", "no move is ever legal", "add rules for `(legal role move)`"),
        (Predicate::Goal, "missing-goal", "the game has no goals", "add rules for `(goal role number)`"),
        (Predicate::Terminal, "missing-terminal", "the game never ends", "add a rule for `terminal`"),
    ];
    for (predicate, code, message, advice) in errors {
        if missing(predicate) {
            diagnostics.push(Diagnostic::error(code, span, message).with_advice(advice));
        }
    }
    let warnings = [
        (Predicate::Init, "missing-init", "nothing holds in the initial state", "add `(init fluent)`"),
        (Predicate::Next, "missing-next", "nothing holds after a move", "add rules for `(next fluent)`"),
    ];
    for (predicate, code, message, advice) in warnings {
        if missing(predicate) {
            diagnostics.push(Diagnostic::warning(code, span, message).with_advice(advice));
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
