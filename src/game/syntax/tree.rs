//! S-expressions as a flat tree.
//!
//! Nodes are in one array in the order of the text, each with the end of its subtree, so building, walking and dropping
//! never recurse, even for a hundred thousand nested parentheses. Time and memory are linear in the number of tokens. A
//! text with unbalanced parentheses still gives a tree: a superfluous `)` is skipped, and an unclosed expression is
//! left out with a finding, at the end of the text or at the certain start of the next expression.

mod definition;

use super::lexer::{Token, TokenKind};
use crate::diagnostic::{Diagnostic, Position, Source, Span};
use definition::Definitions;
pub use definition::UNCLOSED;

/// Deeper lists are refused, so that everything after this module may recurse.
pub const DEEPEST: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    List,
    Name,
    Variable,
    Keyword,
}

#[derive(Debug, Clone)]
struct Node {
    kind: Kind,
    span: Span,
    /// The node after the subtree of this node.
    end: u32,
}

#[derive(Debug, Clone, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    roots: Vec<NodeId>,
}

impl Tree {
    /// Builds the tree of a token sequence. A list whose first word is `start` (`<=` in GDL) is a separate expression
    /// wherever it is, which reveals a missing parenthesis. With `define`, sections of GDDL reveal it, too.
    pub fn new(source: &Source, tokens: &[Token], start: Option<&str>, diagnostics: &mut Vec<Diagnostic>) -> Tree {
        let mut tree = Tree::default();
        let mut open: Vec<NodeId> = Vec::new();
        // The place among the roots of the last expression that begins with `start`, unless it cut another one off.
        let mut last = None;
        let mut too_deep = false;
        let mut definitions = (start == Some("define")).then(|| Definitions::new(source, tokens));
        for (at, token) in tokens.iter().enumerate() {
            if let Some(definitions) = definitions.as_mut().filter(|_| !too_deep) {
                tree.resume(definitions, at, &mut open, diagnostics);
            }
            let kind = match token.kind {
                TokenKind::Open => {
                    let next = tokens.get(at + 1).map(|token| source.slice(token.span));
                    if start.is_some() && next == start {
                        last = open.is_empty().then_some(tree.roots.len());
                        if !open.is_empty() {
                            tree.unclosed(&mut open, diagnostics);
                            too_deep = false;
                        }
                    }
                    if open.len() == DEEPEST && !too_deep {
                        too_deep = true;
                        let message = format!("more than {DEEPEST} parentheses inside each other");
                        diagnostics.push(Diagnostic::error("nested-too-deep", token.span, message));
                    }
                    Kind::List
                }
                TokenKind::Close => {
                    match open.pop() {
                        Some(list) => {
                            let end = tree.nodes.len() as u32;
                            let node = &mut tree.nodes[list.0 as usize];
                            node.end = end;
                            node.span.end = token.span.end;
                            if open.is_empty() && std::mem::take(&mut too_deep) {
                                last = None;
                            } else if open.is_empty() {
                                tree.roots.push(list);
                            }
                        }
                        None => {
                            let early = last.take().filter(|&root| tree.is_continued(source, root));
                            diagnostics.push(tree.unmatched(source, token.span, early));
                        }
                    }
                    continue;
                }
                TokenKind::Name => Kind::Name,
                TokenKind::Variable => Kind::Variable,
                TokenKind::Keyword => Kind::Keyword,
            };
            let id = NodeId(tree.nodes.len() as u32);
            tree.nodes.push(Node { kind, span: token.span, end: id.0 + 1 });
            if kind == Kind::List {
                open.push(id);
            } else if open.is_empty() {
                tree.roots.push(id);
            }
        }
        let ended = definitions.is_some() && !too_deep && tree.end_definition(source, None, &mut open, diagnostics);
        if !ended && !open.is_empty() {
            tree.unclosed(&mut open, diagnostics);
        }
        tree
    }

    /// Whether the expressions after a root look as if they belonged to it: they stand further to the right, and the
    /// last one in a later line, or they have variables, which facts do not have.
    fn is_continued(&self, source: &Source, root: usize) -> bool {
        let at = |node: NodeId| source.position(self.span(node).start);
        let (start, after) = (at(self.roots[root]), &self.roots[root + 1..]);
        let (Some(first), Some(&last)) = (after.first(), after.last()) else { return false };
        let has_variables = || self.nodes[first.0 as usize..].iter().any(|node| node.kind == Kind::Variable);
        after.iter().all(|&node| at(node).column > start.column) && (at(last).line > start.line || has_variables())
    }

    /// The finding for a `)` that closes nothing. If the root `early` was closed too soon, it is closed by this one.
    fn unmatched(&mut self, source: &Source, close: Span, early: Option<usize>) -> Diagnostic {
        let Some(root) = early.map(|root| self.roots[root].0 as usize) else {
            return Diagnostic::error("unmatched-parenthesis", close, "`)` closes nothing")
                .with_advice("remove it, or add the `(` that it closes");
        };
        let message = format!("`({}` is closed here, and more of it follows", source.slice(self.nodes[root + 1].span));
        let end = self.nodes.len() as u32;
        let node = &mut self.nodes[root];
        let span = Span { start: node.span.end - 1, end: node.span.end };
        (node.end, node.span.end) = (end, close.end);
        self.roots.truncate(early.map_or(0, |root| root + 1));
        let Position { line, column } = source.position(close.start);
        let advice =
            format!("remove a `)`, this one or one before it: that in line {line}, column {column} closes nothing");
        Diagnostic::error("unmatched-parenthesis", span, message).with_advice(advice)
    }

    fn unclosed(&self, open: &mut Vec<NodeId>, diagnostics: &mut Vec<Diagnostic>) {
        let message = match open.len() {
            1 => "this `(` is never closed".to_owned(),
            more => format!("{more} parentheses are still open in what starts here"),
        };
        let first = open[0].0 as usize;
        let span = self.nodes[first].span;
        // Only the first parenthesis of the text can surround all rules.
        let is_first = open.len() == 1 && first == 0;
        let is_doubled = is_first && self.nodes.get(1).is_some_and(|inner| inner.kind == Kind::List);
        let advice = match is_doubled {
            true => {
                "another `(` follows it at once: if it and a `)` at the end surround all rules, remove both; otherwise \
                 add the missing `)`"
            }
            false => "add the missing `)`; the expression is left out of all further checks",
        };
        diagnostics.push(Diagnostic::error(UNCLOSED, span, message).with_advice(advice));
        open.clear();
    }

    /// The expressions that are not inside another, in the order of the text.
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    pub fn kind(&self, node: NodeId) -> Kind {
        self.nodes[node.0 as usize].kind
    }

    /// The place of a node, including parentheses.
    pub fn span(&self, node: NodeId) -> Span {
        self.nodes[node.0 as usize].span
    }

    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.nodes[node.0 as usize].end;
        let mut next = node.0 + 1;
        std::iter::from_fn(move || {
            let child = NodeId(next);
            (next < end).then(|| {
                next = self.nodes[child.0 as usize].end;
                child
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::lexer::tokens;

    fn show(tree: &Tree, source: &Source, node: NodeId) -> String {
        match tree.kind(node) {
            Kind::List => {
                let members: Vec<String> = tree.children(node).map(|child| show(tree, source, child)).collect();
                format!("[{}]", members.join(" "))
            }
            _ => source.slice(tree.span(node)).to_owned(),
        }
    }

    fn read(text: &str) -> (Vec<String>, Vec<&'static str>) {
        let source = Source::new("test", text.as_bytes());
        let mut diagnostics = Vec::new();
        let tokens = tokens(&source, &mut diagnostics);
        let tree = Tree::new(&source, &tokens, Some("<="), &mut diagnostics);
        let roots = tree.roots().iter().map(|&root| show(&tree, &source, root)).collect();
        (roots, diagnostics.into_iter().map(|diagnostic| diagnostic.code).collect())
    }

    #[test]
    fn lists_nest() {
        let (roots, errors) = read("(a (b ()) c) d ((e))");
        assert_eq!(roots, ["[a [b []] c]", "d", "[[e]]"]);
        assert!(errors.is_empty());
    }

    #[test]
    fn errors_stay_within_their_expression() {
        let (roots, errors) = read("(a)) (<= (b (c) (<= d) (e (f)");
        assert_eq!(roots, ["[a]", "[<= d]"]);
        assert_eq!(errors, ["unmatched-parenthesis", "unclosed-parenthesis", "unclosed-parenthesis"]);
    }

    #[test]
    fn a_rule_that_is_closed_too_soon_is_told_there() {
        let told = |text: &str| {
            let source = Source::new("test", text.as_bytes());
            let mut diagnostics = Vec::new();
            let tokens = tokens(&source, &mut diagnostics);
            let tree = Tree::new(&source, &tokens, Some("<="), &mut diagnostics);
            let at = diagnostics.iter().map(|diagnostic| diagnostic.span.start).collect::<Vec<_>>();
            (tree.roots().iter().map(|&root| show(&tree, &source, root)).collect::<Vec<_>>(), at)
        };
        // By its lines, or by a variable that no fact has.
        assert_eq!(told("(<= (a))\n  (b)\n  (c))\n(d)"), (vec!["[<= [a] [b] [c]]".into(), "[d]".into()], vec![7]));
        assert_eq!(
            told("(d) (<= (a)) (b) (c ?x)) (d)"),
            (["[d]", "[<= [a] [b] [c ?x]]", "[d]"].map(str::to_owned).into(), vec![11])
        );
        // Here it is as likely that the last `)` is the one too many.
        for text in ["(<= (a) (b)) (c))", "(<= (a) (b))\n(c ?x))", "(<= (a) (b)))", "(a)\n  (c))", "(<= a)\n (b)\n(c))"]
        {
            let (roots, at) = told(text);
            assert_eq!((at, roots.len() > 1), (vec![text.len() as u32 - 1], text.contains('c')), "{text}");
        }
        // An expression that is too deep stays outside.
        let deep = format!("(<= (a))\n {}{}\n (c))", "(".repeat(DEEPEST + 1), ")".repeat(DEEPEST + 1));
        assert_eq!(told(&deep).0, ["[<= [a]]", "[c]"]);
    }

    #[test]
    fn depth_is_bounded_but_costs_no_stack() {
        let nested = |depth: usize| format!("{}{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(read(&format!("{} a", nested(DEEPEST))).1, [""; 0]);
        let (roots, errors) = read(&format!("{} (a)", nested(100_000)));
        assert_eq!((roots, errors), (vec!["[a]".to_owned()], vec!["nested-too-deep"]));
        assert_eq!(read(&"(".repeat(100_000)).1, ["nested-too-deep", "unclosed-parenthesis"]);
    }
}
