//! Moves and fluents as people write them.

use super::PositionError;
use game::diagnostic::{Severity, Source};
use game::syntax::{Kind, NodeId, Tree, lexer};

/// The ground terms of a text, each in its displayed form: one blank between words, and `(noop)` as `noop`. Comments
/// run from `;` to the end of the line; a comma before a blank, a parenthesis or the end counts as a blank.
pub fn terms(text: &str) -> Result<Vec<String>, PositionError> {
    let text = &without_commas(text);
    let source = Source::new("position", text.as_bytes());
    let mut diagnostics = Vec::new();
    let tokens = lexer::tokens(&source, &mut diagnostics);
    let tree = Tree::new(&source, &tokens, None, &mut diagnostics);
    if let Some(error) = diagnostics.iter().find(|finding| finding.severity == Severity::Error) {
        return Err(PositionError::Syntax(format!("{} (in `{}`)", error.message, around(&source, error.span.start))));
    }
    tree.roots().iter().map(|&root| term(&source, &tree, root)).collect()
}

/// Replaces each comma that ends a term by a blank, so that lists can be read as they are shown.
fn without_commas(text: &str) -> String {
    let mut depth = 0i64;
    let mut characters = text.chars().peekable();
    let mut found = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        depth += i64::from(character == '(') - i64::from(character == ')');
        let ends = depth <= 0 && characters.peek().is_none_or(|next| next.is_whitespace() || *next == '(');
        found.push(if character == ',' && ends { ' ' } else { character });
    }
    found
}

/// The ground terms of a text; and the terms if each line of several bare words is one term, if these differ.
pub fn moves(text: &str) -> Result<(Vec<String>, Option<Vec<String>>), PositionError> {
    let moves = terms(text)?;
    let lines = terms(&lines_as_moves(text))?;
    let lines = (lines != moves).then_some(lines);
    Ok((moves, lines))
}

fn lines_as_moves(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for line in text.lines() {
        let line = line.split_once(';').map_or(line, |(line, _)| line);
        let bare = line.split_whitespace().count() > 1 && !line.contains(['(', ')']);
        found.push_str(&if bare { format!("({line})\n") } else { format!("{line}\n") });
    }
    found
}

fn around(source: &Source, offset: u32) -> String {
    const SIDE: usize = 12;
    let (before, behind) = source.line_around(offset);
    let skipped = before.chars().count().saturating_sub(SIDE);
    let before: String = before.chars().skip(skipped).collect();
    let shown: String = behind.chars().take(SIDE).collect();
    let (start, end) = (if skipped > 0 { "…" } else { "" }, if shown.len() < behind.len() { "…" } else { "" });
    format!("{start}{before}{shown}{end}")
}

/// The reader of the tree bounds its depth, and thus the recursion.
fn term(source: &Source, tree: &Tree, node: NodeId) -> Result<String, PositionError> {
    let text = source.slice(tree.span(node));
    match tree.kind(node) {
        Kind::Name => Ok(text.to_owned()),
        Kind::Variable | Kind::Keyword => Err(PositionError::Syntax(format!("{text} is no ground term"))),
        Kind::List => {
            let members = tree.children(node).map(|child| term(source, tree, child)).collect::<Result<Vec<_>, _>>()?;
            match members.as_slice() {
                [] => Err(PositionError::Syntax("() is no term".to_owned())),
                [name] => Ok(name.clone()),
                _ => Ok(format!("({})", members.join(" "))),
            }
        }
    }
}

/// The index of `name` in `names`; otherwise the index of the only name that differs from it in case alone.
pub fn find<'a>(mut names: impl Iterator<Item = &'a str> + Clone, name: &str) -> Option<usize> {
    names.clone().position(|other| other == name).or_else(|| {
        let first = names.position(|other| other.eq_ignore_ascii_case(name))?;
        names.all(|other| !other.eq_ignore_ascii_case(name)).then_some(first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_written_in_one_way() {
        let text = "( mark  1\t2 ) noop;comment\n(noop)(f(g x)\n)";
        assert_eq!(terms(text).unwrap(), ["(mark 1 2)", "noop", "noop", "(f (g x))"]);
        assert_eq!(terms(" ").unwrap(), [""; 0]);
        assert_eq!(
            terms("(mark 1 2), noop,\n(f (g x)),(f a,b)").unwrap(),
            ["(mark 1 2)", "noop", "(f (g x))", "(f a,b)"]
        );
        for wrong in ["(mark 1", "mark)", "()", "?x", "(mark ?x)", "\"a\""] {
            assert!(matches!(terms(wrong), Err(PositionError::Syntax(_))), "{wrong}");
        }
    }

    #[test]
    fn a_mistake_is_told_with_what_stands_around_it() {
        let told = |text: &str| terms(text).unwrap_err().to_string();
        assert_eq!(told("(mark 1 1"), "this `(` is never closed (in `(mark 1 1`)");
        assert_eq!(told("(mark 1 1) (mark 2 2)) (mark 3 3)"), "`)` closes nothing (in `…) (mark 2 2)) (mark 3 3)`)");
    }

    #[test]
    fn names_are_found_in_any_case_where_that_is_clear() {
        let names = ["Noop", "noop", "Mark", "A", "a", "B"];
        let find = |name: &str| super::find(names.iter().copied(), name);
        assert_eq!(
            [find("noop"), find("NOOP"), find("mark"), find("a"), find("b")],
            [Some(1), None, Some(2), Some(4), Some(5)]
        );
    }
}
