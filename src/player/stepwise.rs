//! Legal moves without grounding the whole game: one position at a time.
//!
//! Where a game is too large to be grounded, or is not grounded yet when a move is due, the rules are evaluated for the
//! present position alone. The fluents that hold and the moves that were made become facts, so that nothing depends on
//! the state any more and the grounding of what is left is the evaluation. Fluents that hold next (or at first) are read
//! as the legal moves of a role, which grounding lists; what the rules call legal has another name meanwhile.
//!
//! Cost: one evaluation of the rules that it depends on for the legal moves of a position, and one for each ply.

use crate::ground::{GroundError, GroundOptions, ground};
use crate::limits::Limits;
use crate::propositional::{Game, GroundTerm};
use crate::rules::{Atom, Literal, Predicate, PredicateId, Program, Rule, Term};
use crate::solution::find_name;
use crate::syntax::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Join steps of an evaluation in a second, about half of what is usual.
const STEPS_PER_SECOND: f64 = 5e6;
/// Atoms, rule instances and nodes of one evaluation.
const INSTANCES: u64 = 4_000_000;

/// Why there are no moves.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    #[error("the position cannot be evaluated: {0}")]
    Ground(#[from] GroundError),
    #[error("{0} is no legal move")]
    Illegal(String),
}

/// A position that is evaluated by itself.
pub struct Stepwise {
    /// What is legal in a position.
    legal: Program,
    /// What holds next.
    next: Program,
    fluents: Vec<GroundTerm>,
    /// By role.
    roles: Vec<String>,
    moves: Vec<Vec<GroundTerm>>,
}

impl Stepwise {
    /// At the start of a game. `time`: what an evaluation may take, about.
    pub fn start(program: &Program, time: Duration, limits: &Limits) -> Result<Stepwise, StepError> {
        let init = recast(program, Predicate::Init);
        let (legal, next) = (recast(program, Predicate::Legal), recast(program, Predicate::Next));
        let fluents = listed(evaluate(&init, time, limits)?);
        let mut stepwise = Stepwise { legal, next, fluents, roles: Vec::new(), moves: Vec::new() };
        stepwise.find_moves(time, limits)?;
        Ok(stepwise)
    }

    /// By role.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// By role: the legal moves, as displayed.
    pub fn moves(&self) -> Vec<Vec<String>> {
        self.moves.iter().map(|moves| moves.iter().map(ToString::to_string).collect()).collect()
    }

    /// Goes on by the moves of these names, in the order of the roles.
    pub fn advance(&mut self, moves: &[String], time: Duration, limits: &Limits) -> Result<(), StepError> {
        let all = || moves.join(" ");
        if moves.len() != self.roles.len() {
            return Err(StepError::Illegal(all()));
        }
        let mut chosen = Vec::with_capacity(moves.len());
        for (legal, name) in self.moves.iter().zip(moves) {
            let names: Vec<String> = legal.iter().map(ToString::to_string).collect();
            let found = find_name(names.iter().map(String::as_str), name);
            chosen.push(legal[found.ok_or_else(|| StepError::Illegal(name.clone()))?].clone());
        }
        let mut program = self.next.clone();
        self.add_held(&mut program);
        for (role, action) in chosen.iter().enumerate() {
            let role = program.roles[role].clone();
            let action = term(&mut program, action);
            add_fact(&mut program, CHOSEN, vec![role, action]);
        }
        self.fluents = listed(evaluate(&program, time, limits)?);
        self.find_moves(time, limits)
    }

    fn find_moves(&mut self, time: Duration, limits: &Limits) -> Result<(), StepError> {
        let mut program = self.legal.clone();
        self.add_held(&mut program);
        let game = evaluate(&program, time, limits)?;
        self.roles = game.roles.iter().map(ToString::to_string).collect();
        let of = |role| game.moves_of(role).map(|action| game.moves[action.index()].term.clone()).collect();
        self.moves = game.role_ids().map(of).collect();
        Ok(())
    }

    fn add_held(&self, program: &mut Program) {
        for fluent in &self.fluents {
            let fluent = term(program, fluent);
            add_fact(program, HELD, vec![fluent]);
        }
    }
}

/// Relations that stand for `true`, `does` and, where fluents are listed in its place, `legal`. No name of a text has
/// blanks.
const HELD: &str = "held now";
const CHOSEN: &str = "chosen now";
const ALLOWED: &str = "allowed now";

/// The rules that say what is `wanted`, without all that it does not depend on. What holds at first or next is listed as
/// moves of the first role.
fn recast(program: &Program, wanted: Predicate) -> Program {
    let mut made = Program { rules: Vec::new(), ..program.clone() };
    let lists = wanted != Predicate::Legal;
    let needed = needed(program, wanted);
    for rule in program.rules.iter().filter(|rule| needed.contains(&rule.head.predicate)) {
        let kind = program.kind(rule.head.predicate);
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

/// The predicates that one depends on, itself and the roles included.
fn needed(program: &Program, wanted: Predicate) -> BTreeSet<PredicateId> {
    let mut needed: BTreeSet<PredicateId> =
        [wanted, Predicate::Role].into_iter().filter_map(|kind| program.find_predicate(kind)).collect();
    let mut open: Vec<PredicateId> = needed.iter().copied().collect();
    let mut rules: BTreeMap<PredicateId, Vec<&Rule>> = BTreeMap::new();
    program.rules.iter().for_each(|rule| rules.entry(rule.head.predicate).or_default().push(rule));
    while let Some(predicate) = open.pop() {
        for literal in rules.get(&predicate).into_iter().flatten().flat_map(|rule| &rule.body) {
            let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
            if needed.insert(atom.predicate) {
                open.push(atom.predicate);
            }
        }
    }
    needed
}

fn evaluate(program: &Program, time: Duration, limits: &Limits) -> Result<Game, GroundError> {
    let steps = (time.as_secs_f64() * STEPS_PER_SECOND) as u64;
    let options = GroundOptions { instances: INSTANCES, steps, derived: false };
    ground(program, limits, &options).map(|grounding| grounding.game)
}

/// The terms listed as moves of the first role.
fn listed(game: Game) -> Vec<GroundTerm> {
    game.moves.into_iter().filter(|action| action.role.index() == 0).map(|action| action.term).collect()
}

fn add_fact(program: &mut Program, relation: &str, arguments: Vec<Term>) {
    let name = program.symbols.intern(relation);
    let predicate = program.predicate(Predicate::Relation(name, arguments.len() as u32));
    let head = Atom { predicate, arguments, span: Span::default() };
    program.rules.push(Rule { head, body: Vec::new(), variables: Vec::new(), span: Span::default() });
}

/// Recursion is bounded by the depth of terms that grounding accepts.
fn term(program: &mut Program, ground: &GroundTerm) -> Term {
    let name = program.symbols.intern(&ground.name);
    if ground.arguments.is_empty() {
        return Term::Constant(name);
    }
    Term::Function(name, ground.arguments.iter().map(|argument| term(program, argument)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::player::arena::Arena;
    use crate::random::Random;
    use crate::rules::gdl;

    /// Along random play, the legal moves are those of the grounded game.
    #[test]
    fn positions_are_evaluated_as_the_whole_game_says() {
        let limits = Limits::unlimited();
        let time = Duration::from_secs(60);
        let mut random = Random::new(3);
        for name in ["tictactoe", "nim4", "hanoi", "sheepandwolf", "blocks"] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("games/{name}.gdl"));
            let text = std::fs::read(path).unwrap();
            let program = gdl::program(&Source::new(name, &text)).0.expect("a shipped game");
            let game = ground(&program, &limits, &GroundOptions::default()).unwrap().game;
            let arena = Arena::new(game);
            let mut place = arena.start();
            let mut stepwise = Stepwise::start(&program, time, &limits).unwrap();
            let mut plies = 0;
            while let Some(joint) = place.situation.random_joint_move(&mut random).filter(|_| plies < 8) {
                assert_eq!(stepwise.roles().len(), joint.len());
                for (legal, mut found) in place.situation.legal.iter().zip(stepwise.moves()) {
                    let mut legal: Vec<String> = legal.iter().map(|&action| arena.name(action).to_owned()).collect();
                    legal.sort();
                    found.sort();
                    assert_eq!(legal, found, "{name}, ply {plies}");
                }
                let names: Vec<String> = joint.iter().map(|&action| arena.name(action).to_owned()).collect();
                assert!(matches!(stepwise.advance(&["?".to_owned()], time, &limits), Err(StepError::Illegal(_))));
                stepwise.advance(&names, time, &limits).unwrap();
                place = arena.after(&place, &joint);
                plies += 1;
            }
            assert!(plies > 0);
        }
    }
}
