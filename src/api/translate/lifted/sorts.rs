//! The types of arguments. Argument positions that share a variable or a constant have the same sort.

use super::flat::{FlatProgram, Kind, arguments, kind};
use game::rules::{Atom, Literal, Predicate, Symbol, Term};
use indexmap::{IndexMap, IndexSet};
use petgraph::unionfind::UnionFind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValuePlace {
    Fluent(Kind, usize),
    Move(Kind, usize),
    Relation(Symbol, usize, usize),
    Role,
    Variable(usize, u32),
    Constant(Symbol),
}

/// A set of argument positions that share values; an index into its [`Sorts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sort(usize);

#[derive(Default)]
pub struct Sorts {
    places: IndexSet<ValuePlace>,
    sets: UnionFind<usize>,
    role_variables: IndexSet<(usize, u32)>,
}

impl Sorts {
    pub fn new(flat: &FlatProgram) -> Self {
        let mut sorts = Sorts::default();
        for &role in &flat.roles {
            sorts.unite(ValuePlace::Role, ValuePlace::Constant(role));
        }
        for (index, rule) in flat.program.rules.iter().enumerate() {
            if matches!(flat.program.kind(rule.head.predicate), Predicate::Base | Predicate::Input) {
                continue;
            }
            sorts.atom(flat, index, &rule.head);
            for literal in &rule.body {
                match literal {
                    Literal::Positive(atom) | Literal::Negative(atom) => sorts.atom(flat, index, atom),
                    Literal::Distinct(..) => {}
                }
            }
        }
        sorts
    }

    fn atom(&mut self, flat: &FlatProgram, rule: usize, atom: &Atom) {
        match flat.program.kind(atom.predicate) {
            Predicate::Role => self.term(rule, ValuePlace::Role, &atom.arguments[0]),
            Predicate::Init | Predicate::True | Predicate::Next => {
                let Some(kind) = kind(&atom.arguments[0]) else { return };
                for (index, term) in arguments(&atom.arguments[0]).iter().enumerate() {
                    self.term(rule, ValuePlace::Fluent(kind, index), term);
                }
            }
            Predicate::Does | Predicate::Legal => {
                self.term(rule, ValuePlace::Role, &atom.arguments[0]);
                let Some(kind) = kind(&atom.arguments[1]) else { return };
                for (index, term) in arguments(&atom.arguments[1]).iter().enumerate() {
                    self.term(rule, ValuePlace::Move(kind, index), term);
                }
            }
            Predicate::Goal => self.term(rule, ValuePlace::Role, &atom.arguments[0]),
            Predicate::Relation(name, _) => {
                for (index, term) in atom.arguments.iter().enumerate() {
                    self.term(rule, ValuePlace::Relation(name, atom.arguments.len(), index), term);
                }
            }
            Predicate::Terminal | Predicate::Base | Predicate::Input => {}
        }
    }

    fn term(&mut self, rule: usize, place: ValuePlace, term: &Term) {
        match term {
            Term::Constant(name) => self.unite(place, ValuePlace::Constant(*name)),
            Term::Variable(variable) => {
                if place == ValuePlace::Role {
                    self.role_variables.insert((rule, variable.0));
                }
                self.unite(place, ValuePlace::Variable(rule, variable.0));
            }
            Term::Function(..) => {}
        }
    }

    fn node(&mut self, place: ValuePlace) -> usize {
        let (index, new) = self.places.insert_full(place);
        if new {
            self.sets.new_set();
        }
        index
    }

    fn unite(&mut self, one: ValuePlace, other: ValuePlace) {
        let (one, other) = (self.node(one), self.node(other));
        self.sets.union(one, other);
    }

    /// `None` if the position does not occur in the program.
    pub fn of(&self, place: ValuePlace) -> Option<Sort> {
        self.places.get_index_of(&place).map(|node| Sort(self.sets.find(node)))
    }

    pub fn is_role(&self, rule: usize, variable: u32) -> bool {
        self.role_variables.contains(&(rule, variable))
    }

    /// The constants of each sort: the roles first, then the others in the order of the rules.
    pub fn constants(&self) -> IndexMap<Sort, Vec<Symbol>> {
        let mut found: IndexMap<Sort, Vec<Symbol>> = IndexMap::new();
        for (node, place) in self.places.iter().enumerate() {
            if let ValuePlace::Constant(name) = place {
                found.entry(Sort(self.sets.find(node))).or_default().push(*name);
            }
        }
        found
    }

    /// The name of a sort: that of a unary relation that lists all of its constants, or else some of them. The first
    /// such relation counts.
    pub fn name(&self, sort: Sort, flat: &FlatProgram) -> Option<Symbol> {
        let all = self.places.iter().enumerate().filter(|(node, _)| self.sets.find(*node) == sort.0);
        let members: Vec<&ValuePlace> = all.map(|(_, place)| place).collect();
        let constants = members.iter().filter(|place| matches!(place, ValuePlace::Constant(_))).count();
        let mut first = None;
        for place in members {
            let ValuePlace::Relation(name, 1, _) = place else { continue };
            let rules = flat.rules_of(Predicate::Relation(*name, 1)).iter().map(|&rule| &flat.program.rules[rule]);
            if rules.clone().any(|rule| !rule.body.is_empty()) {
                continue;
            }
            let listed: IndexSet<&Term> = rules.map(|rule| &rule.head.arguments[0]).collect();
            if listed.len() == constants {
                return Some(*name);
            }
            if !listed.is_empty() {
                first = first.or(Some(*name));
            }
        }
        first
    }
}
