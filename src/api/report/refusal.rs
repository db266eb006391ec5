//! The report of a refused game: the reason, the state, and the path to it.

use game::diagnostic::Findings;
use solving::solve::Refusal;
use std::fmt::Write;

/// The refusal, and the findings that explain it.
pub fn refusal_text(game: &str, refusal: &Refusal, findings: &Findings) -> String {
    format!("error[{}]: {game} is refused: {}{}", refusal.code, reason_text(refusal), findings.of(refusal.code))
}

/// The reason with its state and its path.
pub fn reason_text(refusal: &Refusal) -> String {
    let mut text = format!("{}\n", refusal.message);
    // A refusal without a state has no path either. A state in which no fluent holds may have a path.
    if !refusal.state.is_empty() || !refusal.path.is_empty() {
        let state = if refusal.state.is_empty() { "no fluent holds".to_owned() } else { refusal.state.join(" ") };
        let _ = writeln!(text, "  state: {state}");
        match refusal.path.as_slice() {
            [] => text.push_str("  it is the initial state\n"),
            path => {
                let _ = writeln!(text, "  reached by: {}", path.join(", "));
            }
        }
        if !refusal.cycle.is_empty() {
            let _ = writeln!(text, "  comes back by: {}", refusal.cycle.join(", "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_and_path_are_shown() {
        let refusal = Refusal {
            state: vec!["a".to_owned(), "(b 1)".to_owned()],
            path: vec!["(x go)".to_owned()],
            cycle: vec!["(x back)".to_owned(), "(x on)".to_owned()],
            ..Refusal::of_game("not-turn-taking", "two roles have a choice".to_owned())
        };
        let findings = Findings { name: String::new(), ok: true, diagnostics: Vec::new() };
        let text = refusal_text("g", &refusal, &findings);
        assert_eq!(
            text,
            "error[not-turn-taking]: g is refused: two roles have a choice\n  state: a (b 1)\n  reached by: (x go)\n  comes back by: (x back), (x on)\n"
        );
    }

    #[test]
    fn a_state_in_which_nothing_holds_has_its_path() {
        let path = vec!["(x go)".to_owned()];
        let refusal = Refusal { path, ..Refusal::of_game("no-legal-move", "x cannot move".to_owned()) };
        assert_eq!(reason_text(&refusal), "x cannot move\n  state: no fluent holds\n  reached by: (x go)\n");
        let refusal = Refusal { path: Vec::new(), ..refusal };
        assert_eq!(reason_text(&refusal), "x cannot move\n");
    }
}
