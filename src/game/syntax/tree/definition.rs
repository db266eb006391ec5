//! Finds missing parentheses in definitions of GDDL. Sections stand right inside `(define …)`, and the parts of an action
//! right inside its section, so that one that starts deeper shows which list is not closed. A section that is not closed
//! is left out, because nobody knows what belongs to it. Linear in the number of tokens.

use super::{Kind, NodeId, Tree};
use crate::diagnostic::{Diagnostic, Source, Span, quote};
use crate::syntax::lexer::{Token, TokenKind};

pub const UNCLOSED: &str = "unclosed-parenthesis";

const SECTIONS: &str = ":requirements :types :constants :predicates :functions :derived :action :gain :domain :objects :init \
                        :goal :metric :length :durative-action :constraints";

const PARTS: &str = ":parameters :vars :precondition :effect";

fn is_one_of(words: &str, text: &str) -> bool {
    words.split_whitespace().any(|word| word.eq_ignore_ascii_case(text))
}

pub(super) struct Definitions<'a> {
    source: &'a Source,
    tokens: &'a [Token],
    /// The token at which the next section starts, and how many `)` are missing before it.
    next: (usize, usize),
    /// How many more `(` than `)` the text has, but for those of lists that were closed since.
    lacking: usize,
}

impl<'a> Definitions<'a> {
    pub(super) fn new(source: &'a Source, tokens: &'a [Token]) -> Self {
        let number = |kind: TokenKind| tokens.iter().filter(|token| token.kind == kind).count();
        let lacking = number(TokenKind::Open).saturating_sub(number(TokenKind::Close));
        Definitions { source, tokens, next: (0, 0), lacking }
    }

    fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| self.source.slice(token.span))
    }

    /// Whether the token is a `(` that `word` follows.
    fn opens(&self, at: usize, is_word: impl Fn(&str) -> bool) -> bool {
        self.tokens[at].kind == TokenKind::Open && is_word(self.text(at + 1))
    }

    fn opens_section(&self, at: usize) -> bool {
        self.opens(at, |word| is_one_of(SECTIONS, word))
    }

    fn opens_definition(&self, at: usize) -> bool {
        self.opens(at, |word| word.eq_ignore_ascii_case("define"))
    }

    /// How many `)` are missing between a token inside `depth` lists and the next section.
    fn missing(&mut self, at: usize, depth: usize) -> usize {
        if at < self.next.0 {
            return self.next.1;
        }
        let (mut end, mut depth) = (at, depth);
        while end < self.tokens.len() && !self.opens_section(end) && !self.opens_definition(end) {
            match self.tokens[end].kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth = depth.saturating_sub(1),
                _ => {}
            }
            end += 1;
        }
        // The section is the last one of its definition, which is closed, too.
        let inside = usize::from(end < self.tokens.len() && !self.opens_definition(end));
        self.next = (end, depth.saturating_sub(inside));
        self.next.1
    }
}

impl Tree {
    /// Closes the lists that the token `at` shows to be unclosed, with a finding for them.
    pub(super) fn resume(
        &mut self,
        definitions: &mut Definitions,
        at: usize,
        open: &mut Vec<NodeId>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let source = definitions.source;
        if !open.first().is_some_and(|&first| self.starts_with(source, first, "define")) {
            return;
        }
        // If a `)` is only in the wrong place, the reader tells what can't stand here.
        if definitions.opens_definition(at) && definitions.lacking >= open.len() {
            definitions.lacking -= open.len();
            self.end_definition(source, Some(definitions.tokens[at].span), open, diagnostics);
        } else if open.len() > 1
            && definitions.opens_section(at)
            && definitions.lacking >= open.len() - 1
            // Anything may stand there.
            && !self.starts_with(source, open[1], ":length")
        {
            let next = definitions.tokens[at].span.to(definitions.tokens[at + 1].span);
            diagnostics.push(self.unclosed_list(source, open[1], next));
            definitions.lacking -= open.len() - 1;
            self.cut(open);
        } else if open.len() > 2
            && definitions.tokens[at].kind == TokenKind::Keyword
            && is_one_of(PARTS, definitions.text(at))
            && self.starts_with(source, open[1], ":action")
        {
            let unclosed = open.len() - 2;
            if definitions.missing(at, open.len()) >= unclosed {
                definitions.next.1 -= unclosed;
                definitions.lacking = definitions.lacking.saturating_sub(unclosed);
                diagnostics.push(self.unclosed_list(source, open[2], definitions.tokens[at].span));
                self.close(&open.split_off(2));
            }
        }
    }

    /// Closes a definition that is still open at its end: where the next one starts, or at the end of the text. Returns
    /// whether what is open is a definition.
    pub(super) fn end_definition(
        &mut self,
        source: &Source,
        next: Option<Span>,
        open: &mut Vec<NodeId>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> bool {
        let Some(&definition) = open.first().filter(|&&first| self.starts_with(source, first, "define")) else {
            return false;
        };
        if open.len() == 1 {
            let section = self.last_section(definition);
            diagnostics.push(self.unclosed_definition(source, definition, section));
            if let Some(section) = section {
                self.nodes.truncate(section.0 as usize);
            }
        } else {
            let finding = match next {
                Some(span) => self.unclosed_list(source, open[1], span),
                None => {
                    let message = format!("{} is not closed", self.head_of(source, open[1]));
                    Diagnostic::error(UNCLOSED, self.head_span(open[1]), message)
                        .with_advice("add the missing `)`; what it belongs to is left out of all further checks")
                }
            };
            diagnostics.push(finding);
            self.cut(open);
        }
        self.close(&std::mem::take(open));
        self.roots.push(definition);
        true
    }

    /// The finding for a definition without its last `)`. If a `)` stands alone below its `(`, it was meant for the
    /// definition, and closes the last section instead.
    fn unclosed_definition(&self, source: &Source, definition: NodeId, section: Option<NodeId>) -> Diagnostic {
        let Some(section) = section else {
            return Diagnostic::error(UNCLOSED, self.span(definition), "this `(` is never closed")
                .with_advice("add the missing `)`");
        };
        let close = self.span(section).end - 1;
        let (start, end) = (source.position(self.span(definition).start), source.position(close));
        let own = source.position(self.span(section).start);
        let is_first = source.line_around(close).0.trim().is_empty();
        let head = self.head_of(source, section);
        if end.column == start.column && own.column > start.column && is_first {
            let message = format!("{head} is not closed");
            let advice = format!("add the missing `)`: that in line {} is meant for `(define`", end.line);
            return Diagnostic::error(UNCLOSED, self.head_span(section), message).with_advice(advice);
        }
        let advice =
            format!("add the missing `)`, here at the end or in the last section, {head} in line {}", own.line);
        Diagnostic::error(UNCLOSED, self.span(definition), "this `(` is never closed").with_advice(advice)
    }

    fn last_section(&self, definition: NodeId) -> Option<NodeId> {
        let mut at = definition.0 as usize + 1;
        let mut last = None;
        while let Some(node) = self.nodes.get(at) {
            last = Some(NodeId(at as u32));
            at = node.end as usize;
        }
        let is_keyword =
            |list: &NodeId| self.nodes.get(list.0 as usize + 1).is_some_and(|word| word.kind == Kind::Keyword);
        last.filter(|list| self.kind(*list) == Kind::List && is_keyword(list))
    }

    fn unclosed_list(&self, source: &Source, list: NodeId, next: Span) -> Diagnostic {
        let message = format!("{} is not closed", self.head_of(source, list));
        let place = source.position(next.start);
        let advice =
            format!("add the missing `)`: {} in line {} can't stand inside it", quote(source.slice(next)), place.line);
        Diagnostic::error(UNCLOSED, self.head_span(list), message).with_advice(advice)
    }

    /// Leaves out the open section, or closes it if it is the title of the definition.
    fn cut(&mut self, open: &mut Vec<NodeId>) {
        let inner = open.split_off(1);
        let section = inner[0].0 as usize;
        if self.nodes.get(section + 1).is_some_and(|word| word.kind == Kind::Keyword) {
            self.nodes.truncate(section);
        } else {
            self.close(&inner);
        }
    }

    fn close(&mut self, lists: &[NodeId]) {
        let number = self.nodes.len() as u32;
        let end = self.nodes.last().map_or(0, |last| last.span.end);
        for list in lists {
            let node = &mut self.nodes[list.0 as usize];
            (node.end, node.span.end) = (number, end.max(node.span.end));
        }
    }

    fn starts_with(&self, source: &Source, list: NodeId, word: &str) -> bool {
        let first = self.nodes.get(list.0 as usize + 1).filter(|first| first.kind != Kind::List);
        first.is_some_and(|first| source.slice(first.span).eq_ignore_ascii_case(word))
    }

    /// The parenthesis of a list and its first word.
    fn head_span(&self, list: NodeId) -> Span {
        let span = self.nodes[list.0 as usize].span;
        match self.nodes.get(list.0 as usize + 1).filter(|first| first.kind != Kind::List) {
            Some(first) => Span { start: span.start, end: first.span.end },
            None => Span { start: span.start, end: span.start + 1 },
        }
    }

    fn head_of(&self, source: &Source, list: NodeId) -> String {
        quote(source.slice(self.head_span(list)))
    }
}
