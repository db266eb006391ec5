//! Definitions and their sections.

use super::Reader;
use crate::diagnostic::quote;
use crate::rules::gddl::ast::{Action, Condition, Derivation, Effect, Gain};
use crate::syntax::{Kind, NodeId};

/// What a definition defines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Definition {
    Domain,
    Problem,
}

impl Reader<'_> {
    /// `(define (domain NAME) section …)` or `(define (problem NAME) section …)`
    pub(super) fn definition(&mut self, node: NodeId) {
        const FORM: &str = "`(define (domain NAME) …)` or `(define (problem NAME) …)`";
        let parts = self.children(node);
        let [first, title, sections @ ..] = parts.as_slice() else { return self.wrong_form(node, FORM) };
        if !self.is_word(*first, "define") {
            return self.wrong_form(*first, FORM);
        }
        let title_parts = self.children(*title);
        let definition = match title_parts.as_slice() {
            [what, name] if self.is_word(*what, "domain") => {
                self.name(*name, "a name").map(|n| (Definition::Domain, n))
            }
            [what, name] if self.is_word(*what, "problem") => {
                self.name(*name, "a name").map(|name| (Definition::Problem, name))
            }
            _ => return self.wrong_form(*title, "`(domain NAME)` or `(problem NAME)`"),
        };
        let Some((definition, name)) = definition else { return };
        match definition {
            Definition::Domain => self.found.domains.push(name),
            Definition::Problem => self.found.problems.push(name),
        }
        sections.iter().for_each(|&section| {
            self.section(section, definition);
        });
    }

    fn section(&mut self, node: NodeId, definition: Definition) -> Option<()> {
        const WHAT: &str = "a section such as `(:predicates …)`";
        let parts = self.children(node);
        let Some((&first, parts)) = parts.split_first().filter(|(first, _)| self.kind(**first) == Kind::Keyword) else {
            self.wrong_form(node, WHAT);
            return None;
        };
        let word = self.text(first).to_ascii_lowercase();
        let home = match word.as_str() {
            ":requirements" | ":gain" => None,
            ":types" | ":constants" | ":predicates" | ":derived" | ":action" => Some(Definition::Domain),
            ":domain" | ":objects" | ":init" | ":goal" => Some(Definition::Problem),
            _ => return self.unknown_section(first, &word),
        };
        if home.is_some_and(|home| home != definition) {
            let home = if definition == Definition::Domain { "problem" } else { "domain" };
            let message = format!("{} belongs to the {home}", quote(&word));
            self.error("misplaced-section", self.span(node), message, "move it there");
        }
        match word.as_str() {
            ":requirements" => parts.iter().for_each(|&part| match self.kind(part) {
                Kind::Keyword => {
                    let name = self.intern(part);
                    self.found.requirements.push(name);
                }
                _ => self.wrong_form(part, "a requirement such as `:typing`"),
            }),
            ":types" => {
                let types = self.typed_names(parts, "a type")?;
                self.found.types.extend(types);
            }
            ":constants" | ":objects" => {
                let objects = self.typed_names(parts, "an object")?;
                self.found.objects.extend(objects);
            }
            ":predicates" => {
                let signatures: Vec<_> = parts.iter().filter_map(|&part| self.signature(part)).collect();
                self.found.predicates.extend(signatures);
            }
            ":derived" => {
                let advice = "it takes a predicate with variables and a condition";
                let [head, body] = self.exactly(node, parts, ":derived", advice)?;
                let (head, body) = (self.signature(head), self.condition(body));
                self.found.derivations.push(Derivation { head: head?, body: body?, span: self.span(node) });
            }
            ":action" => self.action(node, parts)?,
            ":gain" => self.gain(node, parts)?,
            ":domain" => {
                let [name] = self.exactly(node, parts, ":domain", "it takes the name of the domain")?;
                let name = self.name(name, "the name of the domain")?;
                self.found.domain_of_problem.push(name);
            }
            ":init" => parts.iter().for_each(|&part| {
                self.fact(part);
            }),
            _ => {
                let [goal] = self.exactly(node, parts, ":goal", "it takes one condition: use `and`")?;
                let goal = self.condition(goal)?;
                self.found.goals.push((goal, self.span(node)));
            }
        }
        Some(())
    }

    fn unknown_section(&mut self, first: NodeId, word: &str) -> Option<()> {
        let advice = match word {
            ":functions" | ":metric" => "there are no numbers but those of gains; count with a predicate",
            ":durative-action" | ":constraints" => "moves take no time, and only the end of play is judged",
            ":axiom" => "write `(:derived (predicate ?x) condition)`",
            _ => {
                "sections are :requirements, :types, :constants, :predicates, :derived, :action and :gain of a domain, \
                  :domain, :objects, :init, :goal and :gain of a problem"
            }
        };
        self.error("unknown-section", self.span(first), format!("{} is no section of GDDL", quote(word)), advice);
        None
    }

    /// A fact of `:init`; a negated one says nothing that its absence would not.
    fn fact(&mut self, node: NodeId) -> Option<()> {
        let parts = self.children(node);
        match parts.as_slice() {
            [not, atom] if self.is_word(*not, "not") => {
                self.atom(*atom, false)?;
            }
            _ => {
                let atom = self.atom(node, false)?;
                self.found.init.push(atom);
            }
        }
        Some(())
    }

    fn action(&mut self, node: NodeId, parts: &[NodeId]) -> Option<()> {
        const PARTS: &str = "`:parameters (…)`, `:precondition …` or `:effect …`";
        let Some((&name, parts)) = parts.split_first() else {
            self.wrong_form(node, "`(:action NAME :parameters (…) :precondition … :effect …)`");
            return None;
        };
        let name = self.name(name, "the name of the action");
        let (mut parameters, mut precondition, mut effect) = (None, None, None);
        let mut complete = true;
        for pair in parts.chunks(2) {
            let &[word, part] = pair else {
                self.wrong_form(pair[0], PARTS);
                return None;
            };
            let given = match self.text(word).to_ascii_lowercase().as_str() {
                _ if self.kind(word) != Kind::Keyword => {
                    self.wrong_form(word, PARTS);
                    return None;
                }
                ":parameters" => parameters.replace(self.parameters(part)).is_some(),
                ":precondition" => precondition.replace(self.condition(part)).is_some(),
                ":effect" => effect.replace(self.effect(part)).is_some(),
                _ => {
                    self.wrong_form(word, PARTS);
                    complete = false;
                    false
                }
            };
            if given {
                let message = format!("{} twice in one action", quote(self.text(word)));
                self.error("duplicate-part", self.span(word), message, "join both into one");
                complete = false;
            }
        }
        let action = Action {
            name: name?,
            parameters: parameters.unwrap_or(Some(Vec::new()))?,
            precondition: precondition.unwrap_or(Some(Condition::TRUE))?,
            effect: effect.unwrap_or_else(|| Some(Effect::And(Vec::new())))?,
            span: self.span(node),
        };
        if complete {
            self.found.actions.push(action);
        }
        Some(())
    }

    /// `(:gain parameters number condition)`; the paper writes the parameters without parentheses.
    fn gain(&mut self, node: NodeId, parts: &[NodeId]) -> Option<()> {
        let [parameters @ .., value, body] = parts else {
            self.wrong_form(node, "`(:gain (?player - role) NUMBER condition)`");
            return None;
        };
        let parameters = match parameters {
            [list] if self.kind(*list) == Kind::List => self.parameters(*list),
            bare => self.typed_variables(bare),
        };
        let value = self.name(*value, "a number from 0 to 100");
        let body = self.condition(*body);
        self.found.gains.push(Gain { parameters: parameters?, value: value?, body: body?, span: self.span(node) });
        Some(())
    }
}
