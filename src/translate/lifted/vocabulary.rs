//! The names of a lifted text, and its sections.

use super::clauses::Clauses;
use super::flat::FlatProgram;
use super::formula::{Name, Variable};
use super::game::{Action, Lifted, Rule};
use super::scope::Scope;
use super::sorts::{Sort, ValuePlace};
use crate::propositional::GroundTerm;
use crate::rules::{Predicate, Symbol, Term};
use crate::translate::layout::{Expression, list, word};
use crate::translate::names::{GDDL_WORDS, Names};
use indexmap::{IndexMap, IndexSet};

/// What everything is called in the text.
pub struct Vocabulary {
    predicates: IndexMap<Name, String>,
    objects: IndexMap<Symbol, String>,
    types: IndexMap<Sort, String>,
    /// The sort of roles if it has other members, too.
    mixed: Option<Sort>,
    role_sort: Option<Sort>,
    members: IndexMap<Sort, Vec<Symbol>>,
}

impl Vocabulary {
    pub fn new(clauses: &Clauses, control: Option<Symbol>, relations: &IndexSet<Name>) -> Self {
        let (flat, sorts) = (clauses.flat, clauses.sorts);
        let symbols = &flat.program.symbols;
        let mut names = Names::gddl(&GDDL_WORDS);
        let mut predicates = IndexMap::new();
        if let Some(control) = control {
            predicates.insert(Name::Fluent(control, 1), names.choose("control"));
        } else {
            // With one role nothing of this name may look like a turn.
            names.choose("control");
        }
        let fluents = flat.fluents.iter().map(|&(name, arity)| Name::Fluent(name, arity));
        for name in fluents.chain(relations.iter().copied()) {
            let wished = match name {
                Name::Fluent(name, _) | Name::Relation(name, _) => symbols.name(name).to_owned(),
                Name::Facts(name, _) => format!("{}-fact", symbols.name(name)),
                Name::Legal(name, _) => format!("can-{}", symbols.name(name)),
                Name::Terminal => "terminal".to_owned(),
            };
            predicates.entry(name).or_insert_with(|| names.choose(&wished));
        }
        let members = sorts.constants();
        let role_sort = sorts.of(ValuePlace::Role);
        let mixed = role_sort.filter(|sort| members.get(sort).is_none_or(|names| names.len() > flat.roles.len()));
        let mut names = Names::gddl(&["-", "object", "role", "either"]);
        let mut types = IndexMap::new();
        let mut objects = IndexMap::new();
        let mut object_names = Names::gddl(&["-"]);
        for (&sort, constants) in &members {
            let wished = sorts.name(sort, flat).map_or("thing", |name| symbols.name(name)).to_owned();
            let name =
                if Some(sort) == role_sort && mixed.is_none() { "role".to_owned() } else { names.choose(&wished) };
            types.insert(sort, name);
            for &constant in constants {
                objects.insert(constant, object_names.choose(symbols.name(constant)));
            }
        }
        Vocabulary { predicates, objects, types, mixed, role_sort, members }
    }

    pub fn predicate(&self, name: Name) -> &str {
        self.predicates.get(&name).expect("all that the rules name has a predicate")
    }

    /// Constants that stand nowhere but in comparisons have no object. Nothing ever equals them, so that no text asks for
    /// them.
    pub fn object(&self, name: Symbol) -> &str {
        self.objects.get(&name).expect("all constants of places have an object")
    }

    /// A place where no constant ever stands has no type of its own.
    fn sort_name(&self, sort: Option<Sort>) -> &str {
        sort.and_then(|sort| self.types.get(&sort)).map_or("object", String::as_str)
    }

    /// The type of a variable.
    pub fn type_of(&self, variable: Variable, clauses: &Clauses) -> &str {
        let sort = clauses.variables[variable.id as usize].sort;
        if variable.role || sort.is_some() && sort == self.role_sort && self.mixed.is_none() {
            "role"
        } else {
            self.sort_name(sort)
        }
    }

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

    /// Roles keep their order, which rewards are listed in.
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
