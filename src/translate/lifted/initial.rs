//! The initial state, from the rules alone: all of it, as the propositional game leaves out what never changes.

use crate::ground::{self, GroundOptions};
use crate::limits::Limits;
use crate::propositional::GroundTerm;
use crate::rules::{Atom, Literal, Predicate, Program, Term};
use crate::syntax::Span;
use indexmap::IndexSet;

/// The fluents that hold at first: those of a game that forgets all of them after one move.
pub fn initial_fluents(program: &Program, limits: &Limits) -> Option<Vec<GroundTerm>> {
    let mut forgetful = program.clone();
    let (legal, role) = (forgetful.predicate(Predicate::Legal), forgetful.predicate(Predicate::Role));
    let mut changing: IndexSet<Predicate> =
        [Predicate::True, Predicate::Does, Predicate::Next, Predicate::Legal, Predicate::Goal, Predicate::Terminal]
            .into_iter()
            .collect();
    loop {
        let before = changing.len();
        for rule in &program.rules {
            let depends = rule.body.iter().any(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => changing.contains(&program.kind(atom.predicate)),
                Literal::Distinct(..) => false,
            });
            if depends {
                changing.insert(program.kind(rule.head.predicate));
            }
        }
        if changing.len() == before {
            break;
        }
    }
    let dropped = [Predicate::Base, Predicate::Input];
    forgetful.rules.retain(|rule| {
        let head = program.kind(rule.head.predicate);
        !changing.contains(&head) && !dropped.contains(&head)
    });
    let go = forgetful.symbols.intern("go");
    let mut moves = Vec::new();
    for rule in forgetful.rules.iter().filter(|rule| rule.head.predicate == role) {
        let arguments = vec![rule.head.arguments[0].clone(), Term::Constant(go)];
        let head = Atom { predicate: legal, arguments, span: Span::default() };
        moves.push(crate::rules::Rule { head, ..rule.clone() });
    }
    forgetful.rules.extend(moves);
    let game = ground::ground(&forgetful, limits, &GroundOptions::default()).ok()?.game;
    Some(game.fluents.into_iter().zip(game.init).filter(|(_, holds)| *holds).map(|(fluent, _)| fluent).collect())
}
