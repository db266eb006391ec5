//! Decides whether a game can be translated rule by rule, and writes its text if so.

use super::Obstacle;
use super::clauses::Lifting;
use super::flat::FlatProgram;
use super::game::Moves;
use super::initial::initial_fluents;
use super::sorts::Sorts;
use super::vocabulary::Vocabulary;
use crate::translate::TranslateError;
use crate::translate::description;
use crate::translate::ground::effects::Rewriter;
use crate::translate::ground::turns::{self, Turns};
use base::limits::Limits;
use game::propositional::{Game, NodeId};
use game::rules::{Program, Symbol};
use indexmap::IndexSet;

/// The text of the game, or the obstacle if the program cannot be translated rule by rule.
pub fn text(program: &Program, game: &Game, limits: &Limits) -> Result<Result<String, Obstacle>, TranslateError> {
    let none = |what| Ok(Err(Obstacle::of_game(what)));
    let flat = match FlatProgram::new(program) {
        Ok(flat) => flat,
        Err(obstacle) => return Ok(Err(obstacle)),
    };
    let mut graph = game.graph.clone();
    let turns = turns::turns(game, &mut graph, limits)?;
    let Some(control) = control(&flat, game, &turns) else {
        return none(
            "no fluent such as `(control ROLE)`, true of one role at a time, is asked for by all moves of its role but one",
        );
    };
    let Some(moves) = moves(&flat, game, &mut Rewriter::new(game, &mut graph), &turns) else {
        return none("there is no one move by which all roles wait in the turns of others, and only then");
    };
    let Some(init) = initial_fluents(program, limits)? else {
        return none("the initial state does not follow from its rules alone");
    };
    let sorts = Sorts::new(&flat);
    let mut lifting = Lifting::new(&flat, &sorts, Vocabulary::new(&flat, &sorts, control));
    if lifting.describe(game, control, &moves, &init).is_none() {
        return Ok(Err(lifting.obstacle));
    }
    let Lifting { mut words, needed, .. } = lifting;
    words.declare(&needed, &sorts);
    Ok(Ok(description::text(&program.name, &words.description)))
}

/// The name of the fluent that tells whose turn it is; `Some(None)` in a game of one role; `None` if no fluent tells.
fn control(flat: &FlatProgram, game: &Game, turns: &Turns) -> Option<Option<Symbol>> {
    let fluents = match turns {
        Turns::Single => return Some(None),
        Turns::Formulas(_) => return None,
        Turns::Fluents(fluents) => fluents,
    };
    let mut found = None;
    for (role, fluent) in game.roles.iter().zip(fluents) {
        let term = &game.fluents[fluent.index()];
        if term.arguments.len() != 1 || term.arguments[0] != *role || *found.get_or_insert(&term.name) != &term.name {
            return None;
        }
    }
    let name = flat.program.symbols.find(found?)?;
    flat.fluents.contains(&(name, 1)).then_some(Some(name))
}

/// The moves of the game; `None` if the roles without control have several moves, different moves, a move with
/// arguments or a condition, or a move that some role also has in control.
fn moves(flat: &FlatProgram, game: &Game, rewriter: &mut Rewriter, turns: &Turns) -> Option<Moves> {
    let mut kinds = IndexSet::new();
    let mut waiting = None;
    for own in game.role_ids() {
        let legal = rewriter.legal(own, turns);
        for role in game.role_ids() {
            let possible = game.moves_of(role).filter(|id| legal[id.index()] != NodeId::FALSE);
            let possible: Vec<_> = possible.collect();
            if role == own {
                for id in possible {
                    let term = &game.moves[id.index()].term;
                    kinds.insert((flat.program.symbols.find(&term.name)?, term.arguments.len()));
                }
                continue;
            }
            let [id] = possible[..] else { return None };
            let term = &game.moves[id.index()].term;
            let name = flat.program.symbols.find(&term.name)?;
            if legal[id.index()] != NodeId::TRUE || !term.arguments.is_empty() || *waiting.get_or_insert(name) != name {
                return None;
            }
        }
    }
    (!waiting.is_some_and(|name| kinds.contains(&(name, 0)))).then_some(Moves { kinds, waiting })
}
