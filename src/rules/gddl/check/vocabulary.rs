//! What is declared: types, objects, predicates; and what becomes of predicates in play.

use super::types::{TypeId, Types, repeated};
use crate::diagnostic::{Diagnostic, quote};
use crate::rules::Symbol;
use crate::rules::check::spelling;
use crate::rules::gddl::ast::{Description, Typed};
use indexmap::{IndexMap, IndexSet};

/// All declared names. A name that is declared twice counts as declared first.
#[derive(Debug, Default)]
pub struct Vocabulary {
    pub types: Types,
    /// The one type of each object.
    pub objects: IndexMap<Symbol, TypeId>,
    /// Unions of types of the arguments of each predicate.
    pub predicates: IndexMap<Symbol, Vec<Vec<TypeId>>>,
    /// Predicates that rules define.
    pub derived: IndexSet<Symbol>,
    /// Predicates that actions change.
    pub fluents: IndexSet<Symbol>,
    /// Objects of type `role`.
    pub roles: Vec<Symbol>,
}

impl Vocabulary {
    pub fn new(description: &Description, complete: bool, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let symbols = &description.symbols;
        let mut types = Types::new(description, complete, diagnostics);
        let mut objects = IndexMap::new();
        for object in &description.objects {
            let union = types.union(&object.types, symbols, complete, diagnostics);
            let ty = types.combine(union);
            if objects.contains_key(&object.name.symbol) {
                diagnostics.push(repeated("object", symbols.name(object.name.symbol), object.name.span));
            } else {
                objects.insert(object.name.symbol, ty);
            }
        }
        let mut predicates = IndexMap::new();
        for signature in &description.predicates {
            let parameters = parameters(&mut types, &signature.parameters, description, complete, diagnostics);
            if predicates.contains_key(&signature.name.symbol) {
                diagnostics.push(repeated("predicate", symbols.name(signature.name.symbol), signature.name.span));
            } else {
                predicates.insert(signature.name.symbol, parameters);
            }
        }
        let derived: IndexSet<Symbol> = description.derivations.iter().map(|rule| rule.head.name.symbol).collect();
        let mut fluents = IndexSet::new();
        let mut actions = IndexSet::new();
        for action in &description.actions {
            action.effect.each_atom(&mut |atom, _| {
                fluents.insert(atom.predicate.symbol);
                if derived.contains(&atom.predicate.symbol) {
                    let name = quote(symbols.name(atom.predicate.symbol));
                    let message = format!("derived predicate {name} in an effect");
                    let advice = "its rules decide whether it holds: change what they depend on";
                    diagnostics.push(Diagnostic::error("derived-in-effect", atom.span, message).with_advice(advice));
                }
            });
            if !actions.insert(action.name.symbol) {
                diagnostics.push(repeated("action", symbols.name(action.name.symbol), action.name.span));
            }
        }
        for atom in description.init.iter().filter(|atom| derived.contains(&atom.predicate.symbol)) {
            let message = format!("derived predicate {} in `:init`", quote(symbols.name(atom.predicate.symbol)));
            let advice = "its rules decide whether it holds: state what they depend on";
            diagnostics.push(Diagnostic::error("derived-in-init", atom.span, message).with_advice(advice));
        }
        let role = symbols.find("role").and_then(|role| types.find(role));
        let is_role = |ty: TypeId| role.is_some_and(|role| types.is_below(ty, role));
        let roles = objects.iter().filter(|&(_, &ty)| is_role(ty)).map(|(&name, _)| name).collect();
        Vocabulary { types, objects, predicates, derived, fluents, roles }
    }
}

/// The unions of types of some parameters; reports names that occur twice.
fn parameters(
    types: &mut Types,
    parameters: &[Typed],
    description: &Description,
    complete: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Vec<TypeId>> {
    parameters.iter().map(|typed| types.union(&typed.types, &description.symbols, complete, diagnostics)).collect()
}

/// A name that is not declared, with the one that was probably meant.
pub fn unknown<'a>(
    code: &'static str,
    what: &str,
    name: &str,
    span: crate::syntax::Span,
    declared: impl Iterator<Item = &'a str>,
    section: &str,
) -> Diagnostic {
    let advice = match spelling::nearest(name, declared) {
        Some(meant) => format!("is {} meant?", quote(meant)),
        None => format!("declare it in {section}"),
    };
    Diagnostic::error(code, span, format!("{what} {} is not declared", quote(name))).with_advice(advice)
}
