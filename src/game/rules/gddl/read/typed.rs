//! Reads typed lists: `a b - block c - (either arm crane) d`.

use super::Reader;
use super::number::is_number;
use crate::diagnostic::quote;
use crate::rules::gddl::ast::{Name, Typed};
use crate::syntax::{Kind, NodeId, Span, all};

const ADVICE: &str = "a type stands after the names it belongs to: `a b - block`";

/// The kind of members of a list, which decides about a type that follows no names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Members {
    Types,
    Objects,
    Variables,
}

impl Members {
    fn describe(self) -> &'static str {
        match self {
            Members::Types => "a type",
            Members::Objects => "an object",
            Members::Variables => "a variable such as `?x`",
        }
    }
}

impl Reader<'_> {
    pub(super) fn parameters(&mut self, node: NodeId) -> Option<Vec<Typed>> {
        if self.kind(node) != Kind::List {
            self.wrong_form(node, "a list of variables such as `(?x ?y - block)`");
            return None;
        }
        let members = self.children(node);
        self.typed(&members, Members::Variables)
    }

    pub(super) fn typed(&mut self, nodes: &[NodeId], members: Members) -> Option<Vec<Typed>> {
        let mut list: Vec<Typed> = Vec::new();
        // Index of the first member without a type.
        let mut open = 0;
        let mut complete = true;
        let mut at = 0;
        while let Some(&node) = nodes.get(at) {
            at += 1;
            if !self.is_hyphen(node) {
                let name = match members {
                    Members::Variables => self.variable(node),
                    Members::Types | Members::Objects => self.name(node, members.describe()),
                };
                match name {
                    Some(name) => list.push(Typed { name, types: Vec::new() }),
                    None => complete = false,
                }
                continue;
            }
            let types = if self.text(node) != "-" {
                self.glued_type(node)
            } else if let Some(&written) = nodes.get(at) {
                at += 1;
                self.types(written)
            } else {
                self.error("missing-type", self.span(node), "`-` without a type", ADVICE);
                return None;
            };
            if open == list.len() && complete {
                complete = self.nothing_typed(node, members, open == 0);
            }
            match types {
                Some(types) => list[open..].iter_mut().for_each(|typed| typed.types.clone_from(&types)),
                None => complete = false,
            }
            open = list.len();
        }
        complete.then_some(list)
    }

    /// Whether a type follows: after a hyphen alone, or joined to it.
    fn is_hyphen(&self, node: NodeId) -> bool {
        let text = self.text(node);
        self.kind(node) == Kind::Name && text.starts_with('-') && !is_number(text)
    }

    /// The type in `-block`, which lacks a space.
    fn glued_type(&mut self, node: NodeId) -> Option<Vec<Name>> {
        let (text, span) = (self.text(node), self.span(node));
        let message = format!("a blank is missing in {}", quote(text));
        self.warning("missing-blank", span, message, "it is read as a type: no name starts with a hyphen");
        let name = text[1..].to_ascii_lowercase();
        let symbol = self.found.symbols.intern(&name);
        Some(vec![Name { symbol, span: Span { start: span.start + 1, ..span } }])
    }

    /// Reports a type that follows no names. Returns whether it has a meaning: in a list of objects, programs write
    /// this for a type without objects. In `a - b - c`, a hierarchy of types may be intended; in a list of parameters,
    /// a parameter may be missing.
    fn nothing_typed(&mut self, node: NodeId, members: Members, first: bool) -> bool {
        let span = self.span(node);
        if members == Members::Objects || members == Members::Types && first {
            self.warning("empty-list", span, "`-` without a name before it", "nothing is of this type here");
            return true;
        }
        self.error("missing-name", span, "`-` without a name before it", ADVICE);
        false
    }

    fn types(&mut self, node: NodeId) -> Option<Vec<Name>> {
        if self.kind(node) != Kind::List {
            return Some(vec![self.name(node, "a type")?]);
        }
        let members = self.children(node);
        match members.split_first() {
            Some((&first, types)) if !types.is_empty() && self.is_word(first, "either") => {
                all(types.iter().map(|&node| self.name(node, "a type")))
            }
            _ => {
                self.wrong_form(node, "a type or `(either type …)`");
                None
            }
        }
    }
}
