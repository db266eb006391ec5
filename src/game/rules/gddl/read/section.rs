//! Reads definitions and their sections.

use super::Reader;
use super::number::is_number;
use super::typed::Members;
use crate::diagnostic::quote;
use crate::rules::check::spelling::meant;
use crate::rules::gddl::ast::{Action, Condition, Derivation, Effect, Gain};
use crate::syntax::lexer::UNEXPECTED;
use crate::syntax::{Kind, NodeId, Span};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Definition {
    Domain,
    Problem,
}

const SECTIONS: [&str; 14] = [
    ":requirements",
    ":types",
    ":constants",
    ":predicates",
    ":functions",
    ":derived",
    ":action",
    ":gain",
    ":domain",
    ":objects",
    ":init",
    ":goal",
    ":metric",
    ":length",
];

/// Operators of conditions and effects, with what stands for them in `:init`.
const NO_FACTS: [(&str, &str); 5] = [
    ("and", "write its facts into `:init` one by one"),
    ("forall", "write the fact into `:init` for each object"),
    ("exists", "the initial state is known: write the fact for the object that it is about"),
    ("when", "the initial state is known: write the facts that hold"),
    ("imply", "the initial state is known: write the facts that hold; what follows always is a `:derived` predicate"),
];

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
        let (definition, name) = match title_parts.as_slice() {
            [what, name] if self.is_word(*what, "domain") => (Definition::Domain, *name),
            [what, name] if self.is_word(*what, "problem") => (Definition::Problem, *name),
            _ => return self.wrong_form(*title, "`(domain NAME)` or `(problem NAME)`"),
        };
        let Some(name) = self.name(name, "a name") else { return };
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
            match parts.first().and_then(|&first| self.section_without_colon(first)) {
                Some(advice) => {
                    let message = format!("{} can't stand here", quote(self.text(parts[0])));
                    self.error("wrong-form", self.span(parts[0]), message, &advice);
                }
                None => self.wrong_form(node, WHAT),
            }
            return None;
        };
        let word = self.text(first).to_ascii_lowercase();
        let home = match word.as_str() {
            ":requirements" | ":gain" => None,
            ":types" | ":constants" | ":predicates" | ":functions" | ":derived" | ":action" => Some(Definition::Domain),
            ":domain" | ":objects" | ":init" | ":goal" | ":metric" | ":length" => Some(Definition::Problem),
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
                let types = self.typed(parts, Members::Types)?;
                self.found.types.extend(types);
            }
            ":constants" | ":objects" => {
                let objects = self.typed(parts, Members::Objects)?;
                self.found.objects.extend(objects);
            }
            ":predicates" => parts.iter().for_each(|&part| {
                self.declaration(part);
            }),
            ":functions" => self.functions(parts)?,
            ":metric" => self.metric(node, parts)?,
            ":length" => self.warning(
                "ignored-form",
                self.span(node),
                "`:length` has no influence",
                "all plans are looked at, however long",
            ),
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

    /// The advice to write the name of a section with its colon.
    fn section_without_colon(&self, first: NodeId) -> Option<String> {
        if self.kind(first) != Kind::Name {
            return None;
        }
        let word = format!(":{}", self.text(first).to_ascii_lowercase());
        let is_section = SECTIONS.contains(&word.as_str());
        if is_section { Some(format!("is {} meant?", quote(&word))) } else { meant(&word, SECTIONS.into_iter()) }
    }

    fn unknown_section(&mut self, first: NodeId, word: &str) -> Option<()> {
        let unsupported = match word {
            ":durative-action" => Some("moves take no time: write `:action`"),
            ":process" | ":event" => Some("nothing happens between moves: say it with actions"),
            ":constraints" | ":safety" => Some("only the end of play is judged: say what must hold in preconditions"),
            _ => None,
        };
        if let Some(advice) = unsupported {
            self.unsupported(first, quote(word).to_string().as_str(), advice);
            return None;
        }
        let similar = meant(word, SECTIONS.into_iter());
        let advice = match word {
            ":axiom" => "write `(:derived (predicate ?x) condition)`",
            ":task" | ":tasks" | ":htn" | ":method" | ":expansion" => "there are no tasks above actions, only a goal",
            ":extends" => "write what the other domain says into this one",
            ":timeless" => "write facts into `:init`; what no action changes goes on to hold",
            _ if similar.is_some() => similar.as_deref().unwrap_or_default(),
            _ => {
                "sections are :requirements, :types, :constants, :predicates, :functions, :derived, :action and :gain of a \
                  domain, :domain, :objects, :init, :goal, :metric, :length and :gain of a problem"
            }
        };
        self.error("unknown-section", self.span(first), format!("{} is no section of GDDL", quote(word)), advice);
        None
    }

    /// Reads a fact of `:init`. A negated fact adds nothing, because facts that are not listed are false.
    fn fact(&mut self, node: NodeId) -> Option<()> {
        let parts = self.children(node);
        match parts.as_slice() {
            [not, atom] if self.is_word(*not, "not") => {
                self.atom(*atom, false)?;
            }
            [equal, parts @ ..] if self.is_word(*equal, "=") => self.value(node, parts)?,
            [at, time, atom]
                if self.is_word(*at, "at") && is_number(self.text(*time)) && self.kind(*atom) == Kind::List =>
            {
                self.unsupported(node, "facts that come true at a time", "moves take no time: say it with an action");
                return None;
            }
            [word, ..] if ["oneof", "unknown", "or"].iter().any(|uncertain| self.is_word(*word, uncertain)) => {
                self.unsupported(node, "uncertain facts", "the initial state is known: write the facts that hold");
                return None;
            }
            [word, ..] if self.misplaced(*word, "`:init` holds facts, and no", &NO_FACTS) => return None,
            _ => {
                let atom = self.atom(node, false)?;
                self.found.init.push(atom);
            }
        }
        Some(())
    }

    fn declaration(&mut self, node: NodeId) -> Option<()> {
        if let Some((&first, parameters)) = self.children(node).split_first()
            && self.is_word(first, "=")
        {
            self.typed(parameters, Members::Variables)?;
            let advice = "two terms are equal if they are one object; the declaration is left out";
            self.warning("ignored-form", self.span(node), "`=` needs no declaration", advice);
            return Some(());
        }
        let signature = self.signature(node)?;
        self.found.predicates.push(signature);
        Some(())
    }

    /// Whether this is `(in-package …)`, which is intended for Lisp systems.
    pub(super) fn package(&mut self, node: NodeId) -> bool {
        let parts = self.children(node);
        let Some((&first, parts)) = parts.split_first() else { return false };
        if !self.is_word(first, "in-package") {
            return false;
        }
        let span = self.span(node);
        let inside = Span { start: self.span(first).end, end: span.end - 1 };
        // The argument is a string of plain words, possibly among comments.
        let lines = self.source.slice(inside).split(['\n', '\r']).map(|line| line.split(';').next().unwrap_or(""));
        let name = lines.collect::<Vec<_>>().join(" ");
        let string = name.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let is_plain = |c: char| {
            !"\"()|`\\?:".contains(c) && (c.is_alphanumeric() || c.is_ascii_graphic() || " \t\u{b}\u{c}".contains(c))
        };
        if string.is_some_and(|string| string.chars().all(is_plain)) {
            // The lexer knows no quotes, so its findings there are dropped.
            let within = |place: Span| inside.start <= place.start && place.end <= inside.end;
            self.diagnostics.retain(|finding| finding.code != UNEXPECTED || !within(finding.span));
        } else if parts.len() != 1 || matches!(self.kind(parts[0]), Kind::List | Kind::Variable) {
            self.wrong_form(node, "`(in-package NAME)`");
            return true;
        }
        self.warning("ignored-form", span, "`in-package` has no influence", "all names belong to this text");
        true
    }

    fn action(&mut self, node: NodeId, parts: &[NodeId]) -> Option<()> {
        const PARTS: &str = "`:parameters (…)`, `:precondition …` or `:effect …`";
        const VARIABLES: &str = "each way to bind them is a move; write them into `:parameters`";
        let Some((&name, parts)) = parts.split_first() else {
            self.wrong_form(node, "`(:action NAME :parameters (…) :precondition … :effect …)`");
            return None;
        };
        let name = self.name(name, "the name of the action");
        let (mut parameters, mut variables, mut precondition, mut effect) = (None, None, None, None);
        let mut complete = true;
        for pair in parts.chunks(2) {
            let word = pair[0];
            if self.kind(word) != Kind::Keyword {
                self.wrong_form(word, PARTS);
                return None;
            }
            let Some(&part) = pair.get(1).filter(|&&part| self.kind(part) != Kind::Keyword) else {
                let message = format!("nothing follows {}", quote(self.text(word)));
                self.error("wrong-form", self.span(word), message, &format!("an action has {PARTS}"));
                return None;
            };
            let given = match self.text(word).to_ascii_lowercase().as_str() {
                ":parameters" => parameters.replace(self.parameters(part)).is_some(),
                ":vars" => {
                    self.warning("unusual-form", self.span(word), "`:vars` are taken as further parameters", VARIABLES);
                    variables.replace(self.parameters(part)).is_some()
                }
                ":precondition" => precondition.replace(self.condition(part)).is_some(),
                ":effect" => effect.replace(self.effect(part)).is_some(),
                _ => {
                    self.wrong_keyword(word, &[":parameters", ":precondition", ":effect"], PARTS);
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
        let mut all = parameters.unwrap_or(Some(Vec::new()))?;
        all.extend(variables.unwrap_or(Some(Vec::new()))?);
        let action = Action {
            name: name?,
            parameters: all,
            precondition: precondition.unwrap_or(Some(Condition::TRUE))?,
            effect: effect.unwrap_or_else(|| Some(Effect::And(Vec::new())))?,
            span: self.span(node),
        };
        if complete {
            self.found.actions.push(action);
        }
        Some(())
    }

    /// `(:gain parameters number condition)`; in the paper, the parameters have no parentheses.
    fn gain(&mut self, node: NodeId, parts: &[NodeId]) -> Option<()> {
        let [parameters @ .., value, body] = parts else {
            self.wrong_form(node, "`(:gain (?player - role) NUMBER condition)`");
            return None;
        };
        let parameters = match parameters {
            [list] if self.kind(*list) == Kind::List => self.parameters(*list),
            bare => self.typed(bare, Members::Variables),
        };
        let value = self.name(*value, "a number from 0 to 100");
        let body = self.condition(*body);
        self.found.gains.push(Gain { parameters: parameters?, value: value?, body: body?, span: self.span(node) });
        Some(())
    }
}
