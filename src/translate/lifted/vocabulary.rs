//! The names of a lifted text.

use super::clauses::Clauses;
use super::formula::{Name, Variable};
use super::sorts::{Sort, ValuePlace};
use crate::rules::Symbol;
use crate::translate::names::{GDDL_WORDS, Names};
use indexmap::{IndexMap, IndexSet};

/// The names of predicates, objects and types in the text.
pub struct Vocabulary {
    pub(super) predicates: IndexMap<Name, String>,
    objects: IndexMap<Symbol, String>,
    pub(super) types: IndexMap<Sort, String>,
    /// The sort of roles, if it has members that are no roles.
    pub(super) mixed: Option<Sort>,
    role_sort: Option<Sort>,
    pub(super) members: IndexMap<Sort, Vec<Symbol>>,
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
            // With a single role, no predicate may be called `control`, as it would be taken for turns.
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

    /// The object of a constant. A constant that occurs only in comparisons has none: nothing ever equals it, so that
    /// the text never mentions it.
    pub fn object(&self, name: Symbol) -> &str {
        self.objects.get(&name).expect("all constants of places have an object")
    }

    /// The name of a sort. A position in which no constant ever occurs has no type of its own.
    pub(super) fn sort_name(&self, sort: Option<Sort>) -> &str {
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
}
