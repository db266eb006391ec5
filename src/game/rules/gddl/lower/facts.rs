//! Lowers facts: roles, the initial state, static facts, and the objects of each type.

use super::{Lowering, keyword};
use crate::rules::gddl::ast::Atom;
use crate::rules::gddl::check::TypeId;
use crate::rules::sentence::{self, Formula};
use crate::rules::{Made, Predicate, Symbol};
use crate::syntax::Span;
use indexmap::IndexSet;

const PLAYER: &str = "player";

impl Lowering<'_> {
    pub(super) fn roles(&mut self) {
        for role in self.role_names() {
            let role = sentence::Term::Constant(role, Span::default());
            self.add(keyword(Predicate::Role, vec![role], Span::default()), Vec::new(), Span::default());
        }
    }

    /// The objects of type `role`; if there are none, a name for the only player.
    pub(super) fn role_names(&mut self) -> Vec<Symbol> {
        match self.vocabulary.roles.is_empty() {
            true => vec![self.symbols.intern(PLAYER)],
            false => self.vocabulary.roles.clone(),
        }
    }

    pub(super) fn initial(&mut self, init: &[Atom]) {
        for atom in init {
            self.add(self.atom(Predicate::Init, atom), Vec::new(), atom.span);
        }
    }

    /// The relation of the objects of a union of types. An object of several types belongs to the relation of each.
    pub(super) fn type_relation(&mut self, union: &[TypeId]) -> Predicate {
        let names = union.iter().map(|&ty| self.vocabulary.types.name(ty).to_owned()).collect();
        Predicate::Relation(self.symbols.make(Made::Types(names)), 1)
    }

    pub(super) fn types(&mut self) {
        let types = &self.vocabulary.types;
        let mut below = vec![Vec::new(); types.all().count()];
        for child in types.all() {
            let parents = types.parents(child);
            // A type without a parent is a subtype of `object`.
            let top = [TypeId::OBJECT];
            let parents = if parents.is_empty() && child != TypeId::OBJECT { &top } else { parents };
            parents.iter().for_each(|parent| below[parent.0 as usize].push(child));
        }
        let mut used: IndexSet<TypeId> = IndexSet::new();
        for union in std::mem::take(&mut self.used_types) {
            if union.len() > 1 {
                union.iter().for_each(|&member| self.type_rule(&union, &[member]));
            }
            used.extend(union);
        }
        let mut next = 0;
        while next < used.len() {
            let ty = used[next];
            next += 1;
            for &child in &below[ty.0 as usize] {
                self.type_rule(&[ty], &[child]);
                used.insert(child);
            }
        }
        for (&object, types) in &self.vocabulary.objects {
            for &ty in types.iter().filter(|&ty| used.contains(ty)) {
                let object = sentence::Term::Constant(object, Span::default());
                let fact = keyword(self.type_relation(&[ty]), vec![object], Span::default());
                self.add(fact, Vec::new(), Span::default());
            }
        }
    }

    fn type_rule(&mut self, upper: &[TypeId], lower: &[TypeId]) {
        let span = Span::default();
        let arguments = vec![sentence::Term::Variable(self.symbols.intern("?object"), span)];
        let head = keyword(self.type_relation(upper), arguments.clone(), span);
        let body = keyword(self.type_relation(lower), arguments, span);
        self.add(head, vec![Formula::Atom(body)], span);
    }
}
