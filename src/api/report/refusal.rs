//! The report of a refused game: the reason, the state, and the path to it.

use base::digits::{counted, grouped};
use game::diagnostic::{Finding, Findings};
use solving::solve::Refusal;
use std::fmt::Write;

/// Moves of a play that text shows, those that are made many times in a row as one.
const SHOWN: usize = 100;
/// So many times in a row are many.
const SHORT: usize = 4;

/// The refusal, and the findings that explain it.
pub fn refusal_text(game: &str, refusal: &Refusal, findings: &Findings) -> String {
    let (advice, findings) = apart(refusal, &findings.of(refusal.code));
    format!("error[{}]: {game} is refused: {}{advice}{findings}", refusal.code, reason_text(refusal))
}

/// The findings without those that repeat a refusal for want of a place in the text; and the advice of these, a line
/// each.
pub fn apart(refusal: &Refusal, findings: &Findings) -> (String, Findings) {
    let repeats = |finding: &Finding| finding.message == refusal.message && finding.is_of_the_whole();
    let (repeating, others): (Vec<Finding>, Vec<Finding>) = findings.diagnostics.iter().cloned().partition(repeats);
    let advice = repeating.iter().flat_map(|finding| &finding.advice).map(|advice| format!("  {advice}\n"));
    (advice.collect(), Findings { diagnostics: others, ..findings.clone() })
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
                let _ = writeln!(text, "  reached by: {}", play_text(path));
            }
        }
        if !refusal.cycle.is_empty() {
            let _ = writeln!(text, "  comes back by: {}", play_text(&refusal.cycle));
        }
    }
    text
}

/// Moves one after the other. A move that is made many times in a row stands once, and a long play is cut: JSON has all
/// of it.
pub(super) fn play_text(moves: &[String]) -> String {
    let mut runs = Vec::new();
    let mut left = moves.len();
    for run in moves.chunk_by(|one, next| one == next) {
        if runs.len() >= SHOWN {
            return format!("{}; {} follow (--format json has all)", runs.join(", "), counted(left, "move"));
        }
        match run.len() {
            1..SHORT => runs.extend(run.iter().cloned()),
            times => runs.push(format!("{} ({} times)", run[0], grouped(times))),
        }
        left -= run.len();
    }
    runs.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::diagnostic::{Diagnostic, Source, Span};

    #[test]
    fn long_plays_are_cut() {
        let go = |times: usize| vec!["go".to_owned(); times];
        assert_eq!(play_text(&go(3)), "go, go, go");
        assert_eq!(play_text(&[go(1500), vec!["stop".to_owned()], go(1)].concat()), "go (1,500 times), stop, go");
        let many: Vec<String> = (0..102).map(|index| format!("(to {index})")).collect();
        assert_eq!(play_text(&many[..100]), many[..100].join(", "));
        let cut = format!("{}; 2 moves follow (--format json has all)", many[..100].join(", "));
        assert_eq!(play_text(&many), cut);
    }

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
    fn a_finding_that_repeats_a_refusal_gives_its_advice() {
        let refusal = Refusal { state: vec!["a".to_owned()], ..Refusal::of_game("cyclic", "it repeats".to_owned()) };
        let source = Source::new("g.gdl", b"(role a)");
        let at = |span, text: &str| Diagnostic::error("cyclic", span, text).with_advice("end it");
        let other = at(Span { start: 0, end: 8 }, "it repeats here");
        let findings = Findings::new(&source, &[at(Span::default(), "it repeats"), other]);
        let text = refusal_text("g", &refusal, &findings);
        let (told, others) = text.split_at(text.find("g.gdl").unwrap());
        let expected = "error[cyclic]: g is refused: it repeats\n  state: a\n  it is the initial state\n  end it\n";
        assert_eq!(told, expected);
        assert!(others.starts_with("g.gdl:1:1: error[cyclic]: it repeats here\n"), "{text}");
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
