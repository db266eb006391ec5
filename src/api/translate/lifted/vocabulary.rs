//! The names of a lifted text: types, objects, predicates and variables, as symbols of its description.

use super::flat::{FlatProgram, Kind};
use super::simplify::Typing;
use super::sorts::{Sort, Sorts, ValuePlace};
use crate::translate::description::{atom, name};
use crate::translate::names::{GDDL_WORDS, Names};
use game::rules::gddl::ast::{Atom, Description, Signature, Term, Typed};
use game::rules::{Symbol, SymbolTable};
use game::syntax::Span;
use indexmap::{IndexMap, IndexSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Meaning {
    Fluent(Kind),
    Relation(Kind),
    /// The facts of a relation that has other rules as well.
    Facts(Kind),
    /// A kind of move is legal; the arguments are the role and those of the move.
    Legal(Kind),
    Terminal,
}

impl Meaning {
    pub fn places(self) -> Vec<ValuePlace> {
        match self {
            Meaning::Fluent(kind) => (0..kind.1).map(|index| ValuePlace::Fluent(kind, index)).collect(),
            Meaning::Relation((relation, arity)) | Meaning::Facts((relation, arity)) => {
                (0..arity).map(|index| ValuePlace::Relation(relation, arity, index)).collect()
            }
            Meaning::Legal(kind) => std::iter::once(ValuePlace::Role)
                .chain((0..kind.1).map(|index| ValuePlace::Move(kind, index)))
                .collect(),
            Meaning::Terminal => Vec::new(),
        }
    }
}

pub struct Vocabulary {
    pub description: Description,
    pub typing: Typing,
    role: Symbol,
    types: IndexMap<Sort, Symbol>,
    /// The object of each constant of the program. Constants that occur in comparisons only are included.
    objects: IndexMap<Symbol, Symbol>,
    predicates: IndexMap<Meaning, Symbol>,
    names: Names,
}

impl Vocabulary {
    /// Collects the types and objects of a program. `control`: the name of the fluent that tells turns.
    pub fn new(flat: &FlatProgram, sorts: &Sorts, control: Option<Symbol>) -> Self {
        let written = &flat.program.symbols;
        let mut symbols = SymbolTable::default();
        let role = symbols.intern("role");
        let mut typing = Typing::default();
        let mut types = IndexMap::new();
        let mut members = Vec::new();
        let mut objects = IndexMap::new();
        // An object with the name of a type would be taken for a missing `-`.
        let mut names = Names::gddl(&["-", "object", "role", "either"]);
        for constant in sorts.constants().into_values().flatten() {
            objects.insert(constant, symbols.intern(&names.choose(written.name(constant))));
        }
        let role_sort = sorts.of(ValuePlace::Role);
        // A sort that has roles and other members gets a type of its own; the type of the roles is a subtype of it.
        let mut mixed = None;
        for (sort, constants) in sorts.constants() {
            let is_mixed = Some(sort) == role_sort && constants.len() > flat.roles.len();
            let own = if Some(sort) == role_sort && !is_mixed {
                role
            } else {
                let wished = sorts.name(sort, flat).map_or("thing", |name| written.name(name));
                symbols.intern(&names.choose(wished))
            };
            if is_mixed {
                mixed = Some(own);
            }
            types.insert(sort, own);
            // Roles come first and in their order, which is that of moves and rewards.
            let roles = if Some(sort) == role_sort { flat.roles.as_slice() } else { &[] };
            let others = constants.iter().filter(|constant| !flat.roles.contains(constant));
            let typed = roles.iter().map(|constant| (constant, role)).chain(others.map(|constant| (constant, own)));
            members.extend(typed.map(|(constant, of)| Typed { name: name(objects[constant]), types: vec![name(of)] }));
        }
        typing.roles.extend(flat.roles.iter().map(|role| objects[role]));
        let supertypes = mixed.into_iter().map(name).collect();
        let others = types.values().copied().collect::<IndexSet<Symbol>>().into_iter().filter(|&own| own != role);
        let first = Typed { name: name(role), types: supertypes };
        let others = others.map(|own| Typed { name: name(own), types: Vec::new() });
        let types_of_text = std::iter::once(first).chain(others).collect();
        let description = Description { symbols, types: types_of_text, objects: members, ..Description::default() };
        let names = Names::gddl(&GDDL_WORDS);
        let predicates = IndexMap::new();
        let mut own = Vocabulary { description, typing, role, types, objects, predicates, names };
        // The name is taken even in a game of one role, in which a reader would mistake it for the fluent of turns.
        let in_control = own.names.choose("control");
        if let Some(control) = control {
            let symbol = own.description.symbols.intern(&in_control);
            own.predicates.insert(Meaning::Fluent((control, 1)), symbol);
        }
        flat.fluents.iter().for_each(|&kind| _ = own.predicate(Meaning::Fluent(kind), written));
        own
    }

    fn make(&mut self, of: &str) -> Symbol {
        self.description.symbols.auxiliary(of)
    }

    /// The type of an argument position: `object` if no constant occurs in it.
    fn type_of(&mut self, sort: Option<Sort>) -> Symbol {
        let known = sort.and_then(|sort| self.types.get(&sort)).copied();
        known.unwrap_or_else(|| self.description.symbols.intern("object"))
    }

    /// A new variable. `role`: whether it always stands for a role. Without `wished`, it is named after its type.
    pub fn variable(&mut self, wished: Option<&str>, sort: Option<Sort>, role: bool) -> Typed {
        let own = if role { self.role } else { self.type_of(sort) };
        let after_type = format!("?{}", self.description.symbols.name(own));
        let symbol = self.make(wished.unwrap_or(&after_type));
        if own == self.role {
            self.typing.roles.insert(symbol);
        }
        Typed { name: name(symbol), types: vec![name(own)] }
    }

    /// The term of a constant. A constant that is neither a role nor an argument of a fluent, move or relation is not
    /// declared as an object. It is marked as foreign, because no value of a variable equals it.
    pub fn constant(&mut self, constant: Symbol, written: &SymbolTable) -> Term {
        if !self.objects.contains_key(&constant) {
            let symbol = self.make(written.name(constant));
            self.typing.foreign.insert(symbol);
            self.objects.insert(constant, symbol);
        }
        Term::Object(name(self.objects[&constant]))
    }

    fn predicate(&mut self, meaning: Meaning, written: &SymbolTable) -> Symbol {
        if let Some(&known) = self.predicates.get(&meaning) {
            return known;
        }
        let wished = match meaning {
            Meaning::Fluent((name, _)) | Meaning::Relation((name, _)) => written.name(name).to_owned(),
            Meaning::Facts((name, _)) => format!("{}-fact", written.name(name)),
            Meaning::Legal((name, _)) => format!("can-{}", written.name(name)),
            Meaning::Terminal => "terminal".to_owned(),
        };
        let symbol = self.description.symbols.intern(&self.names.choose(&wished));
        self.predicates.insert(meaning, symbol);
        symbol
    }

    pub fn atom(&mut self, meaning: Meaning, arguments: Vec<Term>, written: &SymbolTable) -> Atom {
        atom(self.predicate(meaning, written), arguments)
    }

    pub fn meaning(&self, atom: &Atom) -> Meaning {
        let found = self.predicates.iter().find(|(_, symbol)| **symbol == atom.predicate.symbol);
        *found.expect("all atoms are made here").0
    }

    /// Declares the predicates: fluents, and those in `needed`.
    pub fn declare(&mut self, needed: &IndexSet<Meaning>, sorts: &Sorts) {
        let fluents = self.predicates.keys().filter(|meaning| matches!(meaning, Meaning::Fluent(_))).copied();
        let meanings: Vec<Meaning> = fluents.chain(needed.iter().copied()).collect();
        for meaning in meanings {
            let sorts = meaning.places().into_iter().map(|place| sorts.of(place));
            let parameters = sorts.map(|sort| self.variable(None, sort, false)).collect();
            let signature = Signature { name: name(self.predicates[&meaning]), parameters, span: Span::default() };
            self.description.predicates.push(signature);
        }
    }
}
