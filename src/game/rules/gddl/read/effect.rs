//! Reads effects of actions.

use super::Reader;
use crate::rules::gddl::ast::Effect;
use crate::syntax::{NodeId, all};

/// Operators of conditions, with what stands for them in effects.
const OF_CONDITIONS: [(&str, &str); 4] = [
    ("or", "what an action does must be certain: write an action for each of them, or `(when condition effect)`"),
    ("imply", "in an effect, `(when condition effect)` says what follows"),
    ("exists", "what an action does must be certain: make the variable a parameter of the action"),
    ("=", "objects stay what they are: `=` belongs into conditions"),
];

impl Reader<'_> {
    pub(super) fn effect(&mut self, node: NodeId) -> Option<Effect> {
        const WHAT: &str = "an effect such as `(on ?x ?y)`, `(not (clear ?y))` or `(and …)`";
        if self.is_nothing(node) {
            return Some(Effect::And(Vec::new()));
        }
        let (first, parts) = self.head(node, WHAT)?;
        let span = self.span(node);
        match self.text(first).to_ascii_lowercase().as_str() {
            "and" => all(parts.iter().map(|&part| self.effect(part))).map(Effect::And),
            "not" => {
                let [atom] = self.exactly(node, &parts, "not", "write a `not` for each atom that ends to hold")?;
                Some(Effect::Delete(self.atom(atom, true)?, span))
            }
            "forall" => {
                let advice = "it takes a list of variables and one effect";
                let [variables, inner] = self.exactly(node, &parts, "forall", advice)?;
                let (variables, inner) = (self.parameters(variables), self.effect(inner));
                Some(Effect::Forall(variables?, Box::new(inner?), span))
            }
            "when" => {
                let [condition, inner] =
                    self.exactly(node, &parts, "when", "it takes one condition and one effect: use `and`")?;
                let (condition, inner) = (self.condition(condition), self.effect(inner));
                Some(Effect::When(condition?, Box::new(inner?), span))
            }
            "increase" => self.increase(node, &parts),
            "decrease" | "assign" | "scale-up" | "scale-down" => {
                let what = format!("numeric effects such as `{}`", self.text(first));
                let advice = "only `increase` is read, as a cost; count with a predicate and objects for the numbers";
                self.unsupported(node, &what, advice);
                None
            }
            "oneof" | "probabilistic" => {
                let what = format!("effects of chance such as `{}`", self.text(first));
                self.unsupported(node, &what, "what an action does must be certain");
                None
            }
            _ if self.misplaced(first, "effects have no", &OF_CONDITIONS) => None,
            _ => self.atom(node, true).map(Effect::Add),
        }
    }
}
