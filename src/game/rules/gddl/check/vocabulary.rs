//! The declared names (types, objects, predicates, actions), and the predicates that change in play.
//!
//! A name that is declared twice keeps both meanings if they are compatible, with a warning. An object then belongs to
//! the types of all its declarations, an argument may have the types of each, and the second of two actions of one name
//! gets a new name.

use super::types::{self, TypeId, Types, again};
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::Symbol;
use crate::rules::check::spelling::arguments;
use crate::rules::gddl::ast::{Description, PredicateName, Typed};
use indexmap::map::Entry;
use indexmap::{IndexMap, IndexSet};

pub const CONTROL: &str = "control";

pub const ROLE: &str = "role";

#[derive(Debug, Default)]
pub struct Vocabulary {
    pub types: Types,
    /// For each object, the types it belongs to; none if one of them is unknown.
    pub objects: IndexMap<Symbol, Vec<TypeId>>,
    /// For each predicate, the union of types of each argument; none if one of them is unknown.
    pub predicates: IndexMap<PredicateName, Vec<Vec<TypeId>>>,
    pub functions: IndexSet<PredicateName>,
    pub moves: Vec<String>,
    pub derived: IndexSet<PredicateName>,
    pub fluents: IndexSet<PredicateName>,
    pub role: Option<TypeId>,
    pub roles: Vec<Symbol>,
    /// The predicate that tells whose turn it is; its argument is a player.
    pub control: Option<PredicateName>,
}

impl Vocabulary {
    pub fn new(description: &Description, complete: bool, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let symbols = &description.symbols;
        let mut vocabulary = Vocabulary { types: Types::new(description, complete, diagnostics), ..Self::default() };
        vocabulary.objects(description, complete, diagnostics);
        vocabulary.predicates(description, complete, diagnostics);
        for function in &description.functions {
            if !vocabulary.functions.insert(function.predicate()) {
                let name = symbols.name(function.name.symbol);
                diagnostics.push(again("function", name, function.name.span, "once is enough"));
            }
        }
        vocabulary.derived = description.derivations.iter().map(|rule| rule.head.predicate()).collect();
        vocabulary.changes(description, diagnostics);
        vocabulary.moves(description, diagnostics);
        vocabulary.players(description, complete, diagnostics);
        vocabulary
    }

    fn objects(&mut self, description: &Description, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
        let symbols = &description.symbols;
        let (mut places, mut unknown) = (Vec::new(), IndexSet::new());
        for object in &description.objects {
            let found = self.types.find_all(&object.types, symbols, complete, diagnostics);
            if self.types.lacks(&object.types) {
                unknown.insert(object.name.symbol);
            }
            if complete && self.types.find(object.name.symbol).is_some() {
                let message = format!("object {} has the name of a type", quote(symbols.name(object.name.symbol)));
                let advice = "is `-` missing before it? A type stands after the names it belongs to: `a b - block`";
                let finding = Diagnostic::warning("object-like-type", object.name.span, message);
                diagnostics.push(finding.with_advice(advice));
            }
            match self.objects.entry(object.name.symbol) {
                Entry::Vacant(entry) => {
                    entry.insert(found);
                    places.push(object.name.span);
                }
                Entry::Occupied(mut entry) => {
                    entry.get_mut().extend(found);
                    places[entry.index()] = object.name.span;
                    let advice = "it belongs to the types of all its declarations";
                    diagnostics.push(again("object", symbols.name(object.name.symbol), object.name.span, advice));
                }
            }
        }
        for ((name, types), span) in self.objects.iter_mut().zip(places) {
            if unknown.contains(name) {
                types.clear();
                continue;
            }
            *types = types::intersection(std::mem::take(types));
            self.types.intersect(types, span, diagnostics);
        }
        self.types.close_below();
    }

    fn predicates(&mut self, description: &Description, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
        let symbols = &description.symbols;
        let mut arities: IndexMap<Symbol, usize> = IndexMap::new();
        for signature in &description.predicates {
            let mut parameter = |typed: &Typed| {
                let found = self.types.find_all(&typed.types, symbols, complete, diagnostics);
                if self.types.lacks(&typed.types) { Vec::new() } else { types::union(found) }
            };
            let parameters = signature.parameters.iter().map(&mut parameter);
            let parameters: Vec<_> = parameters.collect();
            let PredicateName { symbol, arity } = signature.predicate();
            let mut warn = |advice: &str| {
                diagnostics.push(again("predicate", symbols.name(symbol), signature.name.span, advice));
            };
            match self.predicates.entry(signature.predicate()) {
                Entry::Occupied(mut known) => {
                    for (known, further) in known.get_mut().iter_mut().zip(parameters) {
                        let is_known = !known.is_empty() && !further.is_empty();
                        let both = known.iter().copied().chain(further).collect();
                        *known = if is_known { types::union(both) } else { Vec::new() };
                    }
                    warn("its arguments may be of the types of each declaration");
                }
                Entry::Vacant(entry) => {
                    entry.insert(parameters);
                    if let Some(other) = arities.insert(symbol, arity) {
                        let (here, there) = (arguments(arity), arguments(other));
                        warn(&format!("with {here} it is another predicate than with {there}: rename one of them"));
                    }
                }
            }
        }
    }

    fn changes(&mut self, description: &Description, diagnostics: &mut Vec<Diagnostic>) {
        let symbols = &description.symbols;
        for action in &description.actions {
            action.effect.each_atom(&mut |atom, _| {
                self.fluents.insert(atom.name());
                if self.derived.contains(&atom.name()) {
                    let name = quote(symbols.name(atom.predicate.symbol));
                    let message = format!("derived predicate {name} in an effect");
                    let advice = "its rules decide whether it holds: change what they depend on";
                    diagnostics.push(Diagnostic::error("derived-in-effect", atom.span, message).with_advice(advice));
                }
            });
        }
        for atom in description.init.iter().filter(|atom| self.derived.contains(&atom.name())) {
            let message = format!("derived predicate {} in `:init`", quote(symbols.name(atom.predicate.symbol)));
            let advice = "its rules decide whether it holds: state what they depend on";
            diagnostics.push(Diagnostic::error("derived-in-init", atom.span, message).with_advice(advice));
        }
    }

    fn moves(&mut self, description: &Description, diagnostics: &mut Vec<Diagnostic>) {
        let symbols = &description.symbols;
        let mut taken: IndexSet<String> =
            description.actions.iter().map(|action| symbols.name(action.name.symbol).to_owned()).collect();
        let mut last: IndexMap<Symbol, usize> = IndexMap::new();
        for action in &description.actions {
            let stem = symbols.name(action.name.symbol);
            let number = last.entry(action.name.symbol).or_default();
            *number += 1;
            let mut name = stem.to_owned();
            if *number > 1 {
                name = format!("{stem}-{number}");
                while !taken.insert(name.clone()) {
                    *number += 1;
                    name = format!("{stem}-{number}");
                }
                let advice = format!("the moves of this one are called {}", quote(&name));
                diagnostics.push(again("action", stem, action.name.span, &advice));
            }
            self.moves.push(name);
        }
    }

    /// Finds the players, and the predicate that tells whose turn it is. A type `role` or a predicate `control` may
    /// have its name by chance: turns require that the argument of the predicate has the type. Without gains, several
    /// players without turns, or a single player with turns, are not players.
    fn players(&mut self, description: &Description, complete: bool, diagnostics: &mut Vec<Diagnostic>) {
        let find = |name: &str| description.symbols.find(name);
        self.role = find(ROLE).and_then(|role| self.types.find(role));
        let Some(role) = self.role else { return };
        let belongs = |types: &Vec<TypeId>| self.types.intersection_is_below(types, &[role]);
        self.roles = self.objects.iter().filter(|(_, types)| belongs(types)).map(|(&name, _)| name).collect();
        // With gains, the argument of `control` may have a wider type.
        let is_game = !description.gains.is_empty();
        let fits = |union: &Vec<TypeId>| {
            self.types.union_is_below(union, &[role]) || is_game && self.types.union_is_below(&[role], union)
        };
        self.control = find(CONTROL)
            .map(|symbol| PredicateName { symbol, arity: 1 })
            .filter(|control| self.predicates.get(control).is_some_and(|arguments| arguments.iter().all(fits)));
        let by_chance = match self.roles.len() {
            0 => false,
            1 => self.control.is_some(),
            _ => self.control.is_none(),
        };
        if !is_game && by_chance {
            let turns = if self.control.is_some() { " and `control` a predicate" } else { "" };
            (self.role, self.control) = (None, None);
            self.roles.clear();
            if !complete {
                return;
            }
            let span = find(ROLE).and_then(|role| self.types.place(role)).unwrap_or_default();
            let message = format!("`role` is taken as a type{turns} like any other: there are no gains");
            let advice = match turns {
                "" => "a game needs `(control ?player - role)` and a `:gain` for each result",
                _ => "a game needs a `:gain` for each result",
            };
            diagnostics.push(Diagnostic::warning("ordinary-role", span, message).with_advice(advice));
        }
    }
}
