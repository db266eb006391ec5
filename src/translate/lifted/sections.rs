//! The sections of a lifted text.

use super::clauses::Clauses;
use super::flat::FlatProgram;
use super::formula::{Name, Variable};
use super::game::{Action, Lifted, Rule};
use super::scope::Scope;
use super::sorts::ValuePlace;
use super::vocabulary::Vocabulary;
use crate::propositional::GroundTerm;
use crate::rules::{Predicate, Symbol, Term};
use crate::translate::layout::{Expression, list, word};
use crate::translate::names::Names;

impl Vocabulary {
    /// The whole text.
    pub fn text(&self, clauses: &Clauses, game: &Lifted, rules: &[Rule], init: &[GroundTerm]) -> String {
        let flat = clauses.flat;
        let comment = flat.program.name.replace(['\n', '\r'], " ");
        let name: String = comment.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
        let name = Names::gddl(&["-"]).choose(&name);
        let mut text = format!(";;; {comment}, written by ggsolve\n\n(define (domain {name})");
        let mut section = |expression: Expression, blank: bool, kept: usize| {
            text.push_str(if blank { "\n\n  " } else { "\n  " });
            expression.write(&mut text, 2, kept);
        };
        section(list(":requirements", [word(":adl"), word(":derived-predicates")]), false, 9);
        section(self.type_section(), false, 1);
        for (sort, constants) in &self.members {
            let (roles, others): (Vec<Symbol>, Vec<Symbol>) =
                constants.iter().partition(|constant| flat.roles.contains(constant));
            for (members, name) in [(self.in_order(flat, roles), "role"), (others, self.sort_name(Some(*sort)))] {
                if !members.is_empty() {
                    let words = members.iter().map(|&constant| word(self.object(constant)));
                    section(list(":constants", words.chain([word("-"), word(name)])), false, 1);
                }
            }
        }
        let declared = self.predicates.keys().map(|&name| self.declaration(name, clauses));
        section(list(":predicates", declared.collect::<Vec<_>>()), true, 1);
        for rule in rules {
            let mut scope = Scope::new(self, clauses);
            let head = list(self.predicate(rule.name), scope.typed(&rule.head));
            section(list(":derived", [head, scope.condition(&rule.body)]), true, 2);
        }
        let mut names = Names::gddl(&["-"]);
        for action in &game.actions {
            section(self.action(action, clauses, &mut names), true, 2);
        }
        for (role, reward, condition) in &game.gains {
            let mut scope = Scope::new(self, clauses);
            let parameters = Expression::List(scope.typed(role.as_slice()));
            section(list(":gain", [parameters, word(reward.to_string()), scope.condition(condition)]), true, 3);
        }
        text.push_str(&format!(")\n\n(define (problem {name})"));
        let mut section = |expression: Expression| {
            text.push_str("\n  ");
            expression.write(&mut text, 2, 1);
        };
        section(list(":domain", [word(name)]));
        section(list(":init", self.init(clauses, init)));
        section(list(":goal", [Scope::new(self, clauses).condition(&game.goal)]));
        text.push_str(")\n");
        text
    }

    /// Roles keep their order: it is the order of moves and rewards.
    fn in_order(&self, flat: &FlatProgram, roles: Vec<Symbol>) -> Vec<Symbol> {
        if roles.is_empty() { roles } else { flat.roles.clone() }
    }

    fn type_section(&self) -> Expression {
        let mut words = Vec::new();
        if let Some(mixed) = self.mixed {
            words.extend(["role", "-", self.sort_name(Some(mixed))].map(word));
        } else {
            words.push(word("role"));
        }
        words.extend(self.types.values().filter(|name| *name != "role").map(word));
        list(":types", words)
    }

    fn declaration(&self, name: Name, clauses: &Clauses) -> Expression {
        let places: Vec<ValuePlace> = match name {
            Name::Fluent(fluent, arity) => (0..arity).map(|index| ValuePlace::Fluent((fluent, arity), index)).collect(),
            Name::Relation(relation, arity) | Name::Facts(relation, arity) => {
                (0..arity).map(|index| ValuePlace::Relation(relation, arity, index)).collect()
            }
            Name::Legal(kind, arity) => {
                let places = (0..arity).map(|index| ValuePlace::Move((kind, arity), index));
                std::iter::once(ValuePlace::Role).chain(places).collect()
            }
            Name::Terminal => Vec::new(),
        };
        let types: Vec<&str> = places.iter().map(|&place| self.sort_name(clauses.sorts.of(place))).collect();
        let mut names = Names::default();
        let mut words = Vec::new();
        for (index, name) in types.iter().enumerate() {
            words.push(word(names.choose(&format!("?{name}"))));
            if types.get(index + 1) != Some(name) {
                words.extend([word("-"), word(*name)]);
            }
        }
        list(self.predicate(name), words)
    }

    fn action(&self, action: &Action, clauses: &Clauses, names: &mut Names) -> Expression {
        let mut scope = Scope::new(self, clauses);
        let own: Vec<Variable> = action.role.iter().chain(&action.parameters).copied().collect();
        let mut parts = vec![word(names.choose(clauses.flat.program.symbols.name(action.kind.0)))];
        if !own.is_empty() {
            parts.extend([word(":parameters"), Expression::List(scope.typed(&own))]);
        }
        let conditions: Vec<Expression> = action.precondition.iter().map(|part| scope.condition(part)).collect();
        let effects: Vec<Expression> = action.effects.iter().map(|effect| scope.effect(effect)).collect();
        if !conditions.is_empty() {
            parts.extend([word(":precondition"), list("and", conditions)]);
        }
        parts.extend([word(":effect"), list("and", effects)]);
        list(":action", parts)
    }

    fn init(&self, clauses: &Clauses, init: &[GroundTerm]) -> Vec<Expression> {
        let flat = clauses.flat;
        let mut found = Vec::new();
        for fluent in init {
            let symbol = |name: &str| flat.program.symbols.find(name).expect("its names are those of the rules");
            let name = symbol(&fluent.name);
            let terms = fluent.arguments.iter().map(|term| word(self.object(symbol(&term.name))));
            found.push(list(self.predicate(Name::Fluent(name, fluent.arguments.len())), terms.collect::<Vec<_>>()));
        }
        for &name in self.predicates.keys() {
            let (relation, arity, only) = match name {
                Name::Relation(relation, arity) => (relation, arity, true),
                Name::Facts(relation, arity) => (relation, arity, false),
                _ => continue,
            };
            let rules = flat.rules_of(Predicate::Relation(relation, arity as u32));
            if only && rules.iter().any(|&rule| !flat.program.rules[rule].body.is_empty()) {
                continue;
            }
            for &rule in rules.iter().filter(|&&rule| flat.program.rules[rule].body.is_empty()) {
                let terms = flat.program.rules[rule].head.arguments.iter().map(|term| match term {
                    Term::Constant(name) => word(self.object(*name)),
                    _ => unreachable!("a fact of a program with flat terms has constants only"),
                });
                found.push(list(self.predicate(name), terms.collect::<Vec<_>>()));
            }
        }
        found
    }
}
