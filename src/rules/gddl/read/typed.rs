//! Typed lists: `a b - block c - (either arm crane) d`.

use super::Reader;
use crate::rules::gddl::ast::{Name, Typed};
use crate::syntax::{Kind, NodeId};

impl Reader<'_> {
    /// A typed list of names.
    pub(super) fn typed_names(&mut self, nodes: &[NodeId], what: &str) -> Option<Vec<Typed>> {
        self.typed(nodes, &mut |reader, node| reader.name(node, what))
    }

    /// A typed list of variables.
    pub(super) fn typed_variables(&mut self, nodes: &[NodeId]) -> Option<Vec<Typed>> {
        self.typed(nodes, &mut |reader, node| reader.variable(node))
    }

    /// A typed list of variables in parentheses.
    pub(super) fn parameters(&mut self, node: NodeId) -> Option<Vec<Typed>> {
        if self.kind(node) != Kind::List {
            self.wrong_form(node, "a list of variables such as `(?x ?y - block)`");
            return None;
        }
        let members = self.children(node);
        self.typed_variables(&members)
    }

    fn typed(
        &mut self,
        nodes: &[NodeId],
        member: &mut dyn FnMut(&mut Self, NodeId) -> Option<Name>,
    ) -> Option<Vec<Typed>> {
        let mut list: Vec<Typed> = Vec::new();
        // Members from here on wait for their type.
        let mut open = 0;
        let mut complete = true;
        let mut at = 0;
        while let Some(&node) = nodes.get(at) {
            at += 1;
            if !(self.kind(node) == Kind::Name && self.text(node) == "-") {
                match member(self, node) {
                    Some(name) => list.push(Typed { name, types: Vec::new() }),
                    None => complete = false,
                }
                continue;
            }
            let advice = "a type stands after the names it belongs to: `a b - block`";
            let Some(&node) = nodes.get(at) else {
                self.error("missing-type", self.span(node), "`-` without a type", advice);
                return None;
            };
            if open == list.len() && complete {
                self.error("missing-name", self.span(nodes[at - 1]), "`-` without a name before it", advice);
                complete = false;
            }
            at += 1;
            match self.types(node) {
                Some(types) => list[open..].iter_mut().for_each(|typed| typed.types.clone_from(&types)),
                None => complete = false,
            }
            open = list.len();
        }
        complete.then_some(list)
    }

    /// A type, or `(either type …)`.
    fn types(&mut self, node: NodeId) -> Option<Vec<Name>> {
        if self.kind(node) != Kind::List {
            return Some(vec![self.name(node, "a type")?]);
        }
        let members = self.children(node);
        match members.split_first() {
            Some((&first, types)) if !types.is_empty() && self.is_word(first, "either") => {
                let types: Vec<Option<Name>> = types.iter().map(|&node| self.name(node, "a type")).collect();
                types.into_iter().collect()
            }
            _ => {
                self.wrong_form(node, "a type or `(either type …)`");
                None
            }
        }
    }
}
