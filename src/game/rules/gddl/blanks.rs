//! Separates words that published texts write without a space between them: `(aircraft?a)` means `aircraft ?a`.
//!
//! A `?` starts a variable wherever it occurs, so no name of GDDL contains one. A comma at the end of a word is an error.

use crate::diagnostic::{Diagnostic, Source, quote};
use crate::syntax::Span;
use crate::syntax::lexer::{Token, TokenKind, UNEXPECTED};

/// The tokens, with every word split before each `?` inside it. Linear in the length of the text.
pub fn separate(source: &Source, tokens: Vec<Token>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let is_glued = |token: &Token| source.slice(token.span).char_indices().any(|(at, c)| c == '?' && at > 0);
    let has_comma = |token: &Token| source.slice(token.span).contains(',');
    if !tokens.iter().any(|token| is_glued(token) || has_comma(token)) {
        return tokens;
    }
    let mut separated = Vec::with_capacity(tokens.len());
    for token in tokens {
        if !is_glued(&token) {
            separated.extend(without_comma(source, token, diagnostics));
            continue;
        }
        let word = source.slice(token.span);
        if !word.contains(",?") {
            let message = format!("a blank is missing in {}", quote(word));
            let advice = "a variable starts at its `?`: it is read as if a blank stood before it";
            diagnostics.push(Diagnostic::warning("missing-blank", token.span, message).with_advice(advice));
        }
        let marks = word.char_indices().filter(|&(at, c)| c == '?' && at > 0).map(|(at, _)| at);
        let mut start = 0;
        for end in marks.chain([word.len()]) {
            let span = Span { start: token.span.start + start as u32, end: token.span.start + end as u32 };
            let piece = &word[start..end];
            if piece == "?" {
                let advice = "write the name without a blank";
                diagnostics.push(Diagnostic::error("missing-name", span, "`?` without a name").with_advice(advice));
            }
            let kind = if piece.starts_with('?') { TokenKind::Variable } else { token.kind };
            separated.extend(without_comma(source, Token { kind, span }, diagnostics));
            start = end;
        }
    }
    separated
}

/// Reports commas at the ends of a word. Returns the word without them, if anything remains.
fn without_comma(source: &Source, token: Token, diagnostics: &mut Vec<Diagnostic>) -> Option<Token> {
    let word = source.slice(token.span);
    let after = word.trim_start_matches(',');
    let start = token.span.start + (word.len() - after.len()) as u32;
    let end = start + after.trim_end_matches(',').len() as u32;
    if (start, end) == (token.span.start, token.span.end) {
        return Some(token);
    }
    let at = if start > token.span.start { token.span.start } else { end };
    let place = Span { start: at, end: at + 1 };
    let advice = "no commas stand between names: blanks separate them";
    diagnostics.push(Diagnostic::error(UNEXPECTED, place, "unexpected `,`").with_advice(advice));
    (start < end).then_some(Token { kind: token.kind, span: Span { start, end } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::lexer::tokens;

    #[test]
    fn commas_between_names_are_told_at_their_place() {
        let read = |text: &str| {
            let source = Source::new("test", text.as_bytes());
            let mut diagnostics = Vec::new();
            let tokens = tokens(&source, &mut diagnostics);
            let words = separate(&source, tokens, &mut diagnostics);
            let words: Vec<String> = words.iter().map(|word| source.slice(word.span).to_owned()).collect();
            let told: Vec<_> = diagnostics.iter().map(|told| (told.code, told.span.start)).collect();
            (words.join(" "), told)
        };
        assert_eq!(read("(?a, ?b)"), ("( ?a ?b )".to_owned(), vec![(UNEXPECTED, 3)]));
        assert_eq!(read("?a,?b"), ("?a ?b".to_owned(), vec![(UNEXPECTED, 2)]));
        assert_eq!(read("hall , ,cellar").0, "hall cellar");
        assert_eq!(read("pos-1,2").1, []);
    }
}
