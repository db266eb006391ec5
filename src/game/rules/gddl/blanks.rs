//! Separates words that published texts write without a space between them: `(aircraft?a)` means `aircraft ?a`.
//!
//! A `?` starts a variable wherever it occurs, so no name of GDDL contains one.

use crate::diagnostic::{Diagnostic, Source, quote};
use crate::syntax::Span;
use crate::syntax::lexer::{Token, TokenKind};

/// The tokens, with every word split before each `?` inside it. Linear in the length of the text.
pub fn separate(source: &Source, tokens: Vec<Token>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let is_glued = |token: &Token| source.slice(token.span).char_indices().any(|(at, c)| c == '?' && at > 0);
    if !tokens.iter().any(is_glued) {
        return tokens;
    }
    let mut separated = Vec::with_capacity(tokens.len());
    for token in tokens {
        if !is_glued(&token) {
            separated.push(token);
            continue;
        }
        let word = source.slice(token.span);
        let message = format!("a blank is missing in {}", quote(word));
        let advice = "a variable starts at its `?`: it is read as if a blank stood before it";
        diagnostics.push(Diagnostic::warning("missing-blank", token.span, message).with_advice(advice));
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
            separated.push(Token { kind, span });
            start = end;
        }
    }
    separated
}
