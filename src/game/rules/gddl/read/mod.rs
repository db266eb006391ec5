//! Reads a [`Description`] from S-expressions, with findings for expressions that do not have the form of GDDL
//! (`grammar/gddl.ebnf`). Every expression is read as far as it is understood, so that one run reports all mistakes.

mod condition;
mod effect;
mod number;
mod section;
mod typed;

use super::ast::{Atom, Description, Name, Signature, Term};
use crate::diagnostic::{Diagnostic, Source, quote};
use crate::rules::check::spelling::meant;
use crate::syntax::{Kind, NodeId, Span, Tree, all};
use typed::Members;

const OPERATORS: &str = "and or not imply exists forall when = - define increase decrease assign scale-up scale-down \
                         oneof probabilistic preference";

pub fn description(source: &Source, tree: &Tree, diagnostics: &mut Vec<Diagnostic>) -> Description {
    let mut reader = Reader { source, tree, diagnostics, found: Description::default() };
    for &root in tree.roots() {
        if !reader.package(root) {
            reader.definition(root);
        }
    }
    reader.found
}

struct Reader<'a> {
    source: &'a Source,
    tree: &'a Tree,
    diagnostics: &'a mut Vec<Diagnostic>,
    found: Description,
}

impl<'a> Reader<'a> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, advice: &str) {
        self.diagnostics.push(Diagnostic::error(code, span, message).with_advice(advice));
    }

    fn text(&self, node: NodeId) -> &'a str {
        self.source.slice(self.tree.span(node))
    }

    fn span(&self, node: NodeId) -> Span {
        self.tree.span(node)
    }

    fn kind(&self, node: NodeId) -> Kind {
        self.tree.kind(node)
    }

    fn children(&self, node: NodeId) -> Vec<NodeId> {
        self.tree.children(node).collect()
    }

    fn is_word(&self, node: NodeId, word: &str) -> bool {
        self.kind(node) != Kind::List && self.text(node).eq_ignore_ascii_case(word)
    }

    /// Whether a condition or an effect is `()`, or `nil` as older texts write it.
    fn is_nothing(&self, node: NodeId) -> bool {
        self.is_word(node, "nil") || self.kind(node) == Kind::List && self.tree.children(node).next().is_none()
    }

    fn wrong_form(&mut self, node: NodeId, expected: &str) {
        let span = self.span(node);
        let found = match self.kind(node) {
            Kind::List => "a list".to_owned(),
            _ => quote(self.text(node)),
        };
        let advice = format!("expected here: {expected}");
        self.diagnostics
            .push(Diagnostic::error("wrong-form", span, format!("{found} can't stand here")).with_advice(advice));
    }

    /// Reports an operator of the language at a place that holds no such. Returns whether it is one.
    fn misplaced(&mut self, word: NodeId, place: &str, advice: &[(&str, &str)]) -> bool {
        let found = advice.iter().find(|(operator, _)| self.is_word(word, operator));
        if let Some((operator, advice)) = found {
            self.error("wrong-form", self.span(word), format!("{place} `{operator}`"), advice);
        }
        found.is_some()
    }

    /// Reports a keyword that is none of `known`; without a similar one, with what belongs there.
    fn wrong_keyword(&mut self, node: NodeId, known: &[&str], expected: &str) {
        let word = self.text(node).to_ascii_lowercase();
        match meant(&word, known.iter().copied()) {
            Some(advice) => {
                let message = format!("{} can't stand here", quote(self.text(node)));
                self.error("wrong-form", self.span(node), message, &advice);
            }
            None => self.wrong_form(node, expected),
        }
    }

    fn warning(&mut self, code: &'static str, span: Span, message: impl Into<String>, advice: &str) {
        self.diagnostics.push(Diagnostic::warning(code, span, message).with_advice(advice));
    }

    /// A word that is neither a variable nor a keyword. Only a number may begin with a hyphen; any other hyphen begins
    /// a type.
    fn name(&mut self, node: NodeId, what: &str) -> Option<Name> {
        let text = self.text(node);
        if self.kind(node) == Kind::Name && (!text.starts_with('-') || number::is_number(text)) {
            return Some(self.intern(node));
        }
        self.wrong_form(node, what);
        None
    }

    fn variable(&mut self, node: NodeId) -> Option<Name> {
        if self.kind(node) == Kind::Variable {
            return Some(self.intern(node));
        }
        self.wrong_form(node, "a variable such as `?x`");
        None
    }

    fn intern(&mut self, node: NodeId) -> Name {
        let text = self.text(node).to_ascii_lowercase();
        Name { symbol: self.found.symbols.intern(&text), span: self.span(node) }
    }

    fn predicate(&mut self, node: NodeId) -> Option<Name> {
        const WHAT: &str = "the name of a predicate";
        let word = self.text(node);
        if OPERATORS.split_whitespace().any(|operator| operator.eq_ignore_ascii_case(word)) {
            self.wrong_form(node, WHAT);
            return None;
        }
        self.name(node, WHAT)
    }

    fn head(&mut self, node: NodeId, what: &str) -> Option<(NodeId, Vec<NodeId>)> {
        if self.kind(node) != Kind::List {
            self.wrong_form(node, &format!("{what}, in parentheses"));
            return None;
        }
        let mut parts = self.children(node);
        if parts.is_empty() {
            self.wrong_form(node, what);
            return None;
        }
        let first = parts.remove(0);
        if self.kind(first) != Kind::Name {
            self.wrong_form(first, &format!("the name that {what} starts with"));
            return None;
        }
        Some((first, parts))
    }

    /// `(predicate term …)`; `variables`: whether variables are allowed.
    fn atom(&mut self, node: NodeId, variables: bool) -> Option<Atom> {
        let (first, arguments) = self.head(node, "an atom such as `(on a b)`")?;
        let predicate = self.predicate(first)?;
        let arguments = all(arguments.iter().map(|&argument| self.term(argument, variables)))?;
        Some(Atom { predicate, arguments, span: self.span(node) })
    }

    fn term(&mut self, node: NodeId, variables: bool) -> Option<Term> {
        match self.kind(node) {
            Kind::Variable if variables => Some(Term::Variable(self.intern(node))),
            _ => self.name(node, if variables { "an object or a variable" } else { "an object" }).map(Term::Object),
        }
    }

    /// `(predicate ?x ?y - type …)`
    fn signature(&mut self, node: NodeId) -> Option<Signature> {
        let (first, parameters) = self.head(node, "a predicate with its variables such as `(on ?x ?y - block)`")?;
        let name = self.predicate(first)?;
        let parameters = self.typed(&parameters, Members::Variables)?;
        Some(Signature { name, parameters, span: self.span(node) })
    }
}
