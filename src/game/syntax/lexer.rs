//! From text to tokens, in one pass over its bytes.
//!
//! One lexer serves GDL (in KIF syntax) and PDDL: parentheses, words, `?variables`, `:keywords`; `-`, `=` and `<=` are
//! words. Blanks are optional around parentheses. A comment runs from `;` to the end of its line and may contain any
//! bytes. Other bytes that are not part of the language are reported and skipped.

use crate::diagnostic::{Diagnostic, Source, Span, quote};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::combinator::{map, recognize, value};
use nom::multi::fold_many0;
use nom::sequence::preceded;
use nom::{IResult, Parser};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenKind {
    Open,
    Close,
    /// A word that is none of the following.
    Name,
    /// `?x`
    Variable,
    /// `:x`, in PDDL.
    Keyword,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// Longer texts are refused, because places are 32-bit numbers.
pub const LONGEST: usize = 1 << 30;

pub const UNEXPECTED: &str = "unexpected-character";

pub fn tokens(source: &Source, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let text = source.text();
    if text.len() > LONGEST {
        let message = format!("the text has {} bytes, more than {LONGEST}", text.len());
        diagnostics.push(Diagnostic::error("text-too-long", Span::default(), message));
        return Vec::new();
    }
    let mut tokens = Vec::new();
    let mut rest = skip(text.as_bytes());
    while !rest.is_empty() {
        let start = text.len() - rest.len();
        let (after, kind) = match token(rest) {
            Ok((after, kind)) => (after, Some(kind)),
            Err(_) => (foreign(rest), None),
        };
        let span = Span { start: start as u32, end: (text.len() - after.len()) as u32 };
        match kind {
            Some(kind) => {
                if !matches!(kind, TokenKind::Open | TokenKind::Close) {
                    check_word(source.slice(span), span, diagnostics);
                }
                tokens.push(Token { kind, span });
            }
            None => {
                let message = format!("unexpected {}", describe(source.slice(span)));
                diagnostics.push(Diagnostic::error(UNEXPECTED, span, message));
            }
        }
        rest = skip(after);
    }
    tokens
}

fn skip(input: &[u8]) -> &[u8] {
    let comment = preceded(tag(";"), take_while(|byte| byte != b'\n' && byte != b'\r'));
    let filler = alt((take_while1(is_blank), comment));
    let skipped: IResult<&[u8], ()> = fold_many0(filler, || (), |(), _| ()).parse(input);
    skipped.map_or(input, |(rest, ())| rest)
}

/// Skips bytes that are allowed in comments only, and returns the rest of the text.
fn foreign(input: &[u8]) -> &[u8] {
    let end = input.iter().position(|&byte| !is_foreign(byte)).unwrap_or(input.len());
    &input[end..]
}

fn token(input: &[u8]) -> IResult<&[u8], TokenKind> {
    let word = map(recognize(take_while1(is_word)), |word: &[u8]| match word[0] {
        b'?' => TokenKind::Variable,
        b':' => TokenKind::Keyword,
        _ => TokenKind::Name,
    });
    alt((value(TokenKind::Open, tag("(")), value(TokenKind::Close, tag(")")), word)).parse(input)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// Bytes of words. Bytes above ASCII are parts of characters that [`check_word`] checks.
fn is_word(byte: u8) -> bool {
    !matches!(byte, b'(' | b')' | b';' | b'"' | b'|' | b'`' | b'\\') && (byte.is_ascii_graphic() || byte >= 0x80)
}

fn is_foreign(byte: u8) -> bool {
    !is_word(byte) && !is_blank(byte) && !matches!(byte, b'(' | b')' | b';')
}

/// Reports words that cannot be names: foreign characters, or a mark without a name.
fn check_word(word: &str, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    if let Some((at, foreign)) = word.char_indices().find(|(_, c)| !c.is_ascii() && !c.is_alphanumeric()) {
        let start = span.start + at as u32;
        let place = Span { start, end: start + foreign.len_utf8() as u32 };
        let message = format!("unexpected {} in {}", describe(foreign.encode_utf8(&mut [0; 4])), quote(word));
        let advice = "names consist of letters, digits and ASCII signs; anything may stand in comments";
        diagnostics.push(Diagnostic::error(UNEXPECTED, place, message).with_advice(advice));
    } else if word == "?" || word == ":" {
        let message = format!("`{word}` without a name");
        diagnostics
            .push(Diagnostic::error("missing-name", span, message).with_advice("write the name without a blank"));
    }
}

fn describe(text: &str) -> String {
    match text.chars().next() {
        Some(c) if c.is_control() || c.is_whitespace() => format!("character U+{:04X}", c as u32),
        _ => quote(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &[u8]) -> (Vec<(TokenKind, String)>, Vec<&'static str>) {
        let source = Source::new("test", text);
        let mut diagnostics = Vec::new();
        let tokens = tokens(&source, &mut diagnostics);
        let tokens = tokens.into_iter().map(|token| (token.kind, source.slice(token.span).to_owned())).collect();
        (tokens, diagnostics.into_iter().map(|diagnostic| diagnostic.code).collect())
    }

    #[test]
    fn blanks_are_optional_around_parentheses() {
        use TokenKind::*;
        let (tokens, errors) = lex(b"(<=(p ?x)q;comment ) (\r\n(:action a-b - = 7))");
        let expected: Vec<(TokenKind, String)> = [
            (Open, "("),
            (Name, "<="),
            (Open, "("),
            (Name, "p"),
            (Variable, "?x"),
            (Close, ")"),
            (Name, "q"),
            (Open, "("),
            (Keyword, ":action"),
            (Name, "a-b"),
            (Name, "-"),
            (Name, "="),
            (Name, "7"),
            (Close, ")"),
            (Close, ")"),
        ]
        .map(|(kind, text)| (kind, text.to_owned()))
        .into();
        assert_eq!(tokens, expected);
        assert!(errors.is_empty());
    }

    #[test]
    fn comments_hold_any_bytes() {
        assert_eq!(lex(b"; \xe9\x00\xff\"|\r(a)").0.len(), 3);
        assert_eq!(lex("; é “q”\n(a)".as_bytes()).0.len(), 3);
        assert_eq!(lex(b";").0.len(), 0);
    }

    #[test]
    fn foreign_characters_are_reported_once_and_skipped() {
        let (tokens, errors) = lex("a \"\"\u{0} b “c” é ? :".as_bytes());
        assert_eq!(tokens.len(), 6);
        assert_eq!(errors, ["unexpected-character", "unexpected-character", "missing-name", "missing-name"]);
    }
}
