//! Writes a description in GDDL as text, for both translations to GDDL, in linear time and memory. Auxiliary names
//! ([`Made::Auxiliary`]) are variables; each section gives them new names, by their meaning.

use super::layout::{Expression, list, word};
use super::names::Names;
use game::rules::gddl::ast::{Action, Atom, Condition, Description, Effect, Name, Quantifier, Signature, Term, Typed};
use game::rules::{Made, Symbol, SymbolTable};
use game::syntax::Span;
use indexmap::IndexMap;

pub fn name(symbol: Symbol) -> Name {
    Name { symbol, span: Span::default() }
}

pub fn atom(predicate: Symbol, arguments: Vec<Term>) -> Atom {
    Atom { predicate: name(predicate), arguments, span: Span::default() }
}

/// The text of the domain and the problem. `title` is the game's name in the comment of the first line.
pub fn text(title: &str, description: &Description) -> String {
    let comment = title.replace(['\n', '\r'], " ");
    let letters: String = comment.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
    let name = Names::gddl(&["-"]).choose(&letters);
    let begin = || Section::new(&description.symbols);
    let mut text = format!(";;; {comment}, written by ggsolve\n\n(define (domain {name})");
    let mut section = |expression: Expression, blank: bool, kept: usize| {
        text.push_str(if blank { "\n\n  " } else { "\n  " });
        expression.write(&mut text, 2, kept);
    };
    section(list(":requirements", [word(":adl"), word(":derived-predicates")]), false, 9);
    section(list(":types", begin().typed(&description.types)), false, 1);
    for members in description.objects.chunk_by(|one, other| one.types == other.types) {
        section(list(":constants", begin().typed(members)), false, 1);
    }
    section(list(":predicates", description.predicates.iter().map(|predicate| begin().signature(predicate))), true, 1);
    for rule in &description.derivations {
        let mut own = begin();
        section(list(":derived", [own.signature(&rule.head), own.condition(&rule.body)]), true, 2);
    }
    description.actions.iter().for_each(|action| section(begin().action(action), true, 2));
    for gain in &description.gains {
        let mut own = begin();
        let parameters = Expression::List(own.typed(&gain.parameters));
        section(list(":gain", [parameters, own.name(gain.value), own.condition(&gain.body)]), true, 3);
    }
    text.push_str(&format!(")\n\n(define (problem {name})"));
    let mut section = |expression: Expression| {
        text.push_str("\n  ");
        expression.write(&mut text, 2, 1);
    };
    section(list(":domain", [word(name.as_str())]));
    section(list(":init", description.init.iter().map(|atom| begin().atom(atom))));
    description.goals.iter().for_each(|(goal, _)| section(list(":goal", [begin().condition(goal)])));
    text.push_str(")\n");
    text
}

/// A section of the text. It names auxiliary variables in the order in which they occur.
struct Section<'a> {
    symbols: &'a SymbolTable,
    names: Names,
    variables: IndexMap<Symbol, String>,
}

impl<'a> Section<'a> {
    fn new(symbols: &'a SymbolTable) -> Self {
        Section { symbols, names: Names::gddl(&["?"]), variables: IndexMap::new() }
    }

    fn name(&mut self, name: Name) -> Expression {
        let Some(Made::Auxiliary { of, .. }) = self.symbols.made(name.symbol) else {
            return word(self.symbols.name(name.symbol));
        };
        word(self.variables.entry(name.symbol).or_insert_with(|| self.names.choose(of)).as_str())
    }

    /// Members with their types. Consecutive members with equal types share the types.
    fn typed(&mut self, members: &[Typed]) -> Vec<Expression> {
        let mut words = Vec::new();
        for members in members.chunk_by(|one, other| one.types == other.types) {
            words.extend(members.iter().map(|member| self.name(member.name)));
            let types: Vec<Expression> = members[0].types.iter().map(|&name| self.name(name)).collect();
            match types.len() {
                0 => {}
                1 => words.extend(std::iter::once(word("-")).chain(types)),
                _ => words.extend([word("-"), list("either", types)]),
            }
        }
        words
    }

    fn signature(&mut self, signature: &Signature) -> Expression {
        list(self.symbols.name(signature.name.symbol), self.typed(&signature.parameters))
    }

    fn term(&mut self, term: Term) -> Expression {
        match term {
            Term::Object(name) | Term::Variable(name) => self.name(name),
        }
    }

    fn atom(&mut self, atom: &Atom) -> Expression {
        let arguments: Vec<Expression> = atom.arguments.iter().map(|&term| self.term(term)).collect();
        list(self.symbols.name(atom.predicate.symbol), arguments)
    }

    fn conditions(&mut self, parts: &[Condition]) -> Vec<Expression> {
        parts.iter().map(|part| self.condition(part)).collect()
    }

    fn condition(&mut self, condition: &Condition) -> Expression {
        match condition {
            Condition::Atom(atom) => self.atom(atom),
            Condition::Equal(left, right, _) => list("=", [self.term(*left), self.term(*right)]),
            Condition::Not(inner, _) => list("not", [self.condition(inner)]),
            Condition::And(parts) => list("and", self.conditions(parts)),
            Condition::Or(parts, _) => list("or", self.conditions(parts)),
            Condition::Imply(left, right, _) => list("imply", [self.condition(left), self.condition(right)]),
            Condition::Quantified(quantifier, variables, body, _) => {
                let word = if *quantifier == Quantifier::Exists { "exists" } else { "forall" };
                list(word, [Expression::List(self.typed(variables)), self.condition(body)])
            }
        }
    }

    /// An effect as text; `None` for a cost.
    fn effect(&mut self, effect: &Effect) -> Option<Expression> {
        Some(match effect {
            Effect::Add(atom) => self.atom(atom),
            Effect::Delete(atom, _) => list("not", [self.atom(atom)]),
            Effect::And(parts) => list("and", parts.iter().filter_map(|part| self.effect(part)).collect::<Vec<_>>()),
            Effect::Forall(variables, inner, _) => {
                let variables = Expression::List(self.typed(variables));
                list("forall", [variables, self.effect(inner)?])
            }
            Effect::When(condition, inner, _) => list("when", [self.condition(condition), self.effect(inner)?]),
            Effect::Increase(..) => return None,
        })
    }

    fn action(&mut self, action: &Action) -> Expression {
        let mut parts = vec![self.name(action.name)];
        if !action.parameters.is_empty() {
            parts.extend([word(":parameters"), Expression::List(self.typed(&action.parameters))]);
        }
        if action.precondition != Condition::TRUE {
            parts.extend([word(":precondition"), self.condition(&action.precondition)]);
        }
        if let Some(effect) = self.effect(&action.effect) {
            parts.extend([word(":effect"), effect]);
        }
        list(":action", parts)
    }
}
