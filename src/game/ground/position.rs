//! Evaluates rules for a single position.
//!
//! The fluents that hold and the moves that were made become facts, so nothing depends on the state and grounding
//! evaluates the rest. The wanted predicate is listed as the legal moves of the first role; `legal` itself gets another
//! name. Cost: one evaluation of the rules on which the answer depends.

use super::{Demand, GroundError, GroundOptions, ground};
use crate::propositional::{Game, GroundTerm};
use crate::rules::dependencies::needed;
use crate::rules::{Atom, Literal, Predicate, Program, Rule, Term};
use crate::syntax::Span;
use base::limits::Limits;
use rustc_hash::FxHashMap;

const INSTANCES: u64 = 4_000_000;

/// Relations that replace `true`, `does` and, if other terms are listed, `legal`. No name of a text contains a blank.
const HELD: &str = "held now";
const CHOSEN: &str = "chosen now";
const ALLOWED: &str = "allowed now";

/// The rules on which `wanted` depends. If it is not `legal`, its atoms are listed as moves of the first role.
pub fn recast(program: &Program, wanted: Predicate) -> Program {
    recast_as(program, wanted, wanted != Predicate::Legal, &mut |_, _, arguments| arguments)
}

type Listing<'a> = dyn FnMut(&mut Program, usize, Vec<Term>) -> Vec<Term> + 'a;

/// As [`recast()`]. `lists`: whether the wanted predicate is listed as moves. `listed` returns the terms to list for a
/// rule, from the program, the number of the rule, and the arguments of its head.
fn recast_as(program: &Program, wanted: Predicate, lists: bool, listed: &mut Listing) -> Program {
    let mut made = Program { rules: Vec::new(), ..program.clone() };
    let needed = needed(program, [wanted, Predicate::Role]);
    let kinds = program.rules.iter().map(|rule| program.kind(rule.head.predicate));
    for ((number, rule), kind) in program.rules.iter().enumerate().zip(kinds).filter(|(_, kind)| needed.contains(kind))
    {
        let atom = |made: &mut Program, atom: &Atom| {
            let predicate = match program.kind(atom.predicate) {
                Predicate::True => Predicate::Relation(made.symbols.intern(HELD), 1),
                Predicate::Does => Predicate::Relation(made.symbols.intern(CHOSEN), 2),
                Predicate::Legal if lists => Predicate::Relation(made.symbols.intern(ALLOWED), 2),
                kind => kind,
            };
            Atom { predicate: made.predicate(predicate), ..atom.clone() }
        };
        let mut head = atom(&mut made, &rule.head);
        if lists && kind == wanted {
            let Some(first) = program.roles.first() else { continue };
            head.predicate = made.predicate(Predicate::Legal);
            head.arguments = listed(&mut made, number, head.arguments);
            head.arguments.insert(0, first.clone());
        }
        let body = rule.body.iter().map(|literal| match literal {
            Literal::Positive(inner) => Literal::Positive(atom(&mut made, inner)),
            Literal::Negative(inner) => Literal::Negative(atom(&mut made, inner)),
            distinct => distinct.clone(),
        });
        let body = body.collect();
        made.rules.push(Rule { head, body, ..rule.clone() });
    }
    made
}

pub fn evaluate(program: &Program, steps: u64, limits: &Limits) -> Result<Game, GroundError> {
    let options =
        GroundOptions { instances: INSTANCES, steps, derived: false, demand: Demand::None, ..GroundOptions::default() };
    ground(program, limits, &options).map(|grounding| grounding.game)
}

/// The atoms that [`recast()`] lists. One role has all of them, whichever it is in the order of the game.
pub fn listed(game: Game) -> Vec<GroundTerm> {
    game.moves.into_iter().map(|action| action.term).collect()
}

/// The numbers of the rules for `wanted` that apply in a position, each with the arguments of a derived head.
pub fn applying(
    program: &Program,
    wanted: Predicate,
    held: &[GroundTerm],
    steps: u64,
    limits: &Limits,
) -> Result<Vec<(usize, Vec<GroundTerm>)>, GroundError> {
    let mut marks: FxHashMap<String, usize> = FxHashMap::default();
    let mut recast = recast_as(program, wanted, true, &mut |made, number, arguments| {
        let mark = format!("rule {number}");
        let name = made.symbols.intern(&mark);
        marks.insert(mark, number);
        vec![Term::Function(name, arguments)]
    });
    hold(&mut recast, held);
    let found = listed(evaluate(&recast, steps, limits)?);
    Ok(found.into_iter().filter_map(|term| Some((*marks.get(&term.name)?, term.arguments))).collect())
}

pub fn hold(program: &mut Program, fluents: &[GroundTerm]) {
    for fluent in fluents {
        let fluent = term(program, fluent);
        add_fact(program, HELD, vec![fluent]);
    }
}

/// Adds the moves of a ply, each with its role.
pub fn choose<'a>(program: &mut Program, moves: impl Iterator<Item = (&'a GroundTerm, &'a GroundTerm)>) {
    for (role, action) in moves {
        let both = [role, action].map(|ground| term(program, ground));
        add_fact(program, CHOSEN, both.into());
    }
}

fn add_fact(program: &mut Program, relation: &str, arguments: Vec<Term>) {
    let name = program.symbols.intern(relation);
    let predicate = program.predicate(Predicate::Relation(name, arguments.len() as u32));
    let head = Atom { predicate, arguments, span: Span::default() };
    program.rules.push(Rule { head, body: Vec::new(), variables: Vec::new(), span: Span::default() });
}

/// The depth of terms that grounding accepts bounds the recursion.
fn term(program: &mut Program, ground: &GroundTerm) -> Term {
    let name = program.symbols.intern(&ground.name);
    if ground.arguments.is_empty() {
        return Term::Constant(name);
    }
    Term::Function(name, ground.arguments.iter().map(|argument| term(program, argument)).collect())
}
