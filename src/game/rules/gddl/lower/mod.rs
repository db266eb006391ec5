//! Lowers a checked description to sentences of GDL.
//!
//! Predicates that actions change become fluents, the others relations; types become unary relations. An action becomes
//! a move of the role that has control, named by the action and its other parameters; the roles without control wait. A
//! fluent holds next if the move adds it, or if it holds now and the move does not delete it. A fluent that no effect
//! mentions thus stays unchanged, and a fluent that is both deleted and added holds (Fox and Long, "PDDL2.1", 2003).
//!
//! Every variable gets a condition on its type, so all rules are safe. New relations and the variables of quantifiers
//! have names with `|`; names of a text have none.

mod action;
mod condition;
mod costs;
mod facts;
mod outcome;

use super::ast::{self, Description, Name, PredicateName, Term, Typed};
use super::check::{self, TypeId, Vocabulary};
use crate::rules::dependencies::DependencyGraph;
use crate::rules::sentence::{self, Atom, Formula, Rulesheet, Sentence};
use crate::rules::{Predicate, Symbol, SymbolTable};
use crate::syntax::Span;
use indexmap::{IndexMap, IndexSet};

pub fn rulesheet(mut description: Description, vocabulary: &Vocabulary) -> Rulesheet {
    let costs = costs::costs(&description, vocabulary);
    let symbols = std::mem::take(&mut description.symbols);
    let mut lowering = Lowering {
        vocabulary,
        symbols,
        control: vocabulary.control,
        sentences: Vec::new(),
        scope: IndexMap::new(),
        used_types: IndexSet::new(),
        derivations: check::dependencies(&description),
        derived: None,
        listed: 0,
        deletes: IndexSet::new(),
    };
    lowering.roles();
    lowering.initial(&description.init);
    for rule in &description.derivations {
        lowering.derivation(rule);
    }
    lowering.actions(&description.actions);
    lowering.frames();
    lowering.outcome(&description);
    lowering.types();
    Rulesheet { symbols: lowering.symbols, sentences: lowering.sentences, costs }
}

#[derive(Debug, Clone)]
struct Bound {
    name: Symbol,
    types: Vec<TypeId>,
    /// The object that the variable stands for, if objects are listed.
    object: Option<Symbol>,
}

struct Lowering<'a> {
    vocabulary: &'a Vocabulary,
    symbols: SymbolTable,
    control: Option<PredicateName>,
    sentences: Vec<Sentence>,
    /// For each variable, its bindings, the innermost last.
    scope: IndexMap<Symbol, Vec<Bound>>,
    used_types: IndexSet<Vec<TypeId>>,
    derivations: DependencyGraph<PredicateName, ()>,
    derived: Option<PredicateName>,
    listed: usize,
    deletes: IndexSet<PredicateName>,
}

impl Lowering<'_> {
    fn add(&mut self, head: Atom, body: Vec<Formula>, span: Span) {
        self.sentences.push(Sentence { head, body, span });
    }

    /// A name that no text can have.
    fn fresh(&mut self, stem: &str) -> Symbol {
        self.symbols.auxiliary(stem)
    }

    /// Brings variables into scope. Quantified variables are renamed, because they may hide others.
    fn bind(&mut self, variables: &[Typed], rename: bool) -> Vec<Bound> {
        let mut bound = Vec::with_capacity(variables.len());
        for typed in variables {
            let name = if rename {
                let stem = self.symbols.name(typed.name.symbol).to_owned();
                self.fresh(&stem)
            } else {
                typed.name.symbol
            };
            let types = self.union(&typed.types);
            bound.push(Bound { name, types, object: None });
        }
        for (typed, bound) in variables.iter().zip(&bound) {
            self.scope.entry(typed.name.symbol).or_default().push(bound.clone());
        }
        bound
    }

    fn release(&mut self, variables: &[Typed]) {
        for typed in variables {
            let bound = self.scope.get_mut(&typed.name.symbol).and_then(Vec::pop);
            bound.expect("scopes end that were begun");
        }
    }

    fn bound(&self, name: Symbol) -> Option<&Bound> {
        self.scope.get(&name).and_then(|bound| bound.last())
    }

    fn union(&self, names: &[Name]) -> Vec<TypeId> {
        let find = |name: &Name| self.vocabulary.types.find(name.symbol).expect("unknown types are errors");
        check::union(names.iter().map(find).collect())
    }

    fn typed(&mut self, bound: &Bound, span: Span) -> Formula {
        self.used_types.insert(bound.types.clone());
        let variable = sentence::Term::Variable(bound.name, span);
        Formula::Atom(keyword(self.type_relation(&bound.types), vec![variable], span))
    }

    fn term(&self, term: Term) -> sentence::Term {
        match term {
            Term::Object(name) => sentence::Term::Constant(name.symbol, name.span),
            Term::Variable(name) => {
                let bound = self.bound(name.symbol).expect("unbound variables are errors");
                match bound.object {
                    Some(object) => sentence::Term::Constant(object, name.span),
                    None => sentence::Term::Variable(bound.name, name.span),
                }
            }
        }
    }

    fn terms(&self, atom: &ast::Atom) -> Vec<sentence::Term> {
        atom.arguments.iter().map(|&argument| self.term(argument)).collect()
    }

    fn atom(&self, word: Predicate, atom: &ast::Atom) -> Atom {
        self.applied(word, atom.name(), self.terms(atom), atom.span)
    }

    /// A relation, or `word` of a fluent if actions change the predicate.
    fn applied(&self, word: Predicate, name: PredicateName, arguments: Vec<sentence::Term>, span: Span) -> Atom {
        match self.vocabulary.fluents.contains(&name) {
            true => keyword(word, vec![compound(name.symbol, arguments, span)], span),
            false => relation(name.symbol, arguments, span),
        }
    }
}

fn compound(name: Symbol, arguments: Vec<sentence::Term>, span: Span) -> sentence::Term {
    if arguments.is_empty() {
        sentence::Term::Constant(name, span)
    } else {
        sentence::Term::Function(name, arguments, span)
    }
}

fn keyword(predicate: Predicate, arguments: Vec<sentence::Term>, span: Span) -> Atom {
    Atom { predicate, arguments, span }
}

fn relation(name: Symbol, arguments: Vec<sentence::Term>, span: Span) -> Atom {
    Atom { predicate: Predicate::Relation(name, arguments.len() as u32), arguments, span }
}
