//! Reads conditions: preconditions, bodies of derivations and gains, the goal.

use super::Reader;
use crate::rules::gddl::ast::{Condition, Quantifier};
use crate::syntax::{NodeId, all};
use base::digits::counted;

/// Operators of effects, with what stands for them in conditions.
const OF_EFFECTS: [(&str, &str); 2] = [
    ("when", "in a condition, `(imply condition condition)` says what follows; `when` belongs into effects"),
    ("increase", "costs do not decide whether an action is possible: `increase` belongs into effects"),
];

impl Reader<'_> {
    pub(super) fn condition(&mut self, node: NodeId) -> Option<Condition> {
        const WHAT: &str = "a condition such as `(on ?x ?y)` or `(and …)`";
        if self.is_nothing(node) {
            return Some(Condition::TRUE);
        }
        let (first, parts) = self.head(node, WHAT)?;
        let span = self.span(node);
        let word = self.text(first).to_ascii_lowercase();
        if self.compares_numbers(&word, &parts) {
            let advice = "conditions are about objects: count with a predicate and objects for the numbers";
            self.unsupported(node, "comparisons of numbers", advice);
            return None;
        }
        match word.as_str() {
            "preference" => {
                let advice = "write a `:gain` for each result; what must hold stands in the condition itself";
                self.unsupported(node, "preferences", advice);
                None
            }
            "and" => Some(Condition::And(self.conditions(&parts)?)),
            "or" => Some(Condition::Or(self.conditions(&parts)?, span)),
            "not" => {
                let [inner] = self.exactly(node, &parts, "not", "write `(not (and …))` for several")?;
                Some(Condition::Not(Box::new(self.condition(inner)?), span))
            }
            "imply" => {
                let [left, right] = self.exactly(node, &parts, "imply", "it takes a condition and what follows")?;
                let (left, right) = (self.condition(left), self.condition(right));
                Some(Condition::Imply(Box::new(left?), Box::new(right?), span))
            }
            "exists" | "forall" => {
                let quantifier = if word == "exists" { Quantifier::Exists } else { Quantifier::Forall };
                let advice = "it takes a list of variables and one condition";
                let [variables, body] = self.exactly(node, &parts, &word, advice)?;
                let (variables, body) = (self.parameters(variables), self.condition(body));
                Some(Condition::Quantified(quantifier, variables?, Box::new(body?), span))
            }
            "=" => {
                let [left, right] = self.exactly(node, &parts, "=", "it compares two objects or variables")?;
                let (left, right) = (self.term(left, true), self.term(right, true));
                Some(Condition::Equal(left?, right?, span))
            }
            _ if self.misplaced(first, "conditions have no", &OF_EFFECTS) => None,
            _ => self.atom(node, true).map(Condition::Atom),
        }
    }

    fn conditions(&mut self, nodes: &[NodeId]) -> Option<Vec<Condition>> {
        all(nodes.iter().map(|&part| self.condition(part)))
    }

    pub(super) fn exactly<const N: usize>(
        &mut self,
        node: NodeId,
        parts: &[NodeId],
        word: &str,
        advice: &str,
    ) -> Option<[NodeId; N]> {
        if let Ok(parts) = <[NodeId; N]>::try_from(parts) {
            return Some(parts);
        }
        let message = format!("`{word}` takes {}, here it has {}", counted(N, "part"), parts.len());
        self.error("keyword-arity", self.span(node), message, advice);
        None
    }
}
