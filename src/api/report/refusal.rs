//! A refused game: why, in which state, and how play gets there.

use game::diagnostic::Findings;
use solving::solve::Refusal;
use std::fmt::Write;

/// Several lines, the last one ended: why, and the findings that explain it.
pub fn refusal_text(game: &str, refusal: &Refusal, findings: &Findings) -> String {
    format!("error[{}]: {game} is refused: {}{}", refusal.code, reason_text(refusal), findings.of(refusal.code))
}

/// The reason with its state and path: several lines, the last one ended.
pub fn reason_text(refusal: &Refusal) -> String {
    let mut text = format!("{}\n", refusal.message);
    if !refusal.state.is_empty() {
        let _ = writeln!(text, "  state: {}", refusal.state.join(" "));
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
            code: "not-turn-taking",
            message: "two roles have a choice".to_owned(),
            state: vec!["a".to_owned(), "(b 1)".to_owned()],
            path: vec!["(x go)".to_owned()],
            cycle: vec!["(x back)".to_owned(), "(x on)".to_owned()],
        };
        let findings = Findings { name: String::new(), ok: true, diagnostics: Vec::new() };
        let text = refusal_text("g", &refusal, &findings);
        assert_eq!(
            text,
            "error[not-turn-taking]: g is refused: two roles have a choice\n  state: a (b 1)\n  reached by: (x go)\n  comes back by: (x back), (x on)\n"
        );
    }
}
