//! The complete initial state, with the fluents that never change, which the propositional game lacks.

use base::limits::{LimitReached, Limits};
use game::ground::{self, GroundError, GroundOptions};
use game::propositional::GroundTerm;
use game::rules::dependencies::dependents;
use game::rules::{Atom, Predicate, Program, Term};
use game::syntax::Span;

/// The initial fluents, found by the rules that depend on neither states nor moves. `None` if these rules are invalid.
pub fn initial_fluents(program: &Program, limits: &Limits) -> Result<Option<Vec<GroundTerm>>, LimitReached> {
    // Its moves are others than those that have costs.
    let mut forgetful = Program { costs: None, ..program.clone() };
    let (legal, role) = (forgetful.predicate(Predicate::Legal), forgetful.predicate(Predicate::Role));
    use Predicate::{Does, Goal, Legal, Next, Terminal, True};
    let changing = dependents(program, [True, Does, Next, Legal, Goal, Terminal]);
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
        moves.push(game::rules::Rule { head, ..rule.clone() });
    }
    forgetful.rules.extend(moves);
    let game = match ground::ground(&forgetful, limits, &GroundOptions::default()) {
        Ok(grounding) => grounding.game,
        Err(GroundError::Limit(reason) | GroundError::Explosion { reason, .. }) => return Err(reason),
        Err(_) => return Ok(None),
    };
    let initial = game.fluents.into_iter().zip(game.init).filter(|(_, holds)| *holds);
    Ok(Some(initial.map(|(fluent, _)| fluent).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::diagnostic::Source;
    use game::rules::Language;

    #[test]
    fn moves_without_arguments_have_no_costs_of_others() {
        let text = b"(define (domain d) (:requirements :action-costs) (:predicates (at ?a) (place ?a))
            (:functions (len ?b) (total-cost)) (:action go :parameters (?b) :precondition (place ?b)
             :effect (and (at ?b) (increase (total-cost) (len ?b)))))
            (define (problem p) (:domain d) (:objects a b)
             (:init (place a) (place b) (at a) (= (len a) 1) (= (len b) 2)) (:goal (at b))
             (:metric minimize (total-cost)))";
        let program = Language::Gddl.program(&Source::new("rules", text)).0.unwrap();
        assert!(program.costs.is_some());
        let initial = initial_fluents(&program, &Limits::unlimited()).unwrap().unwrap();
        assert_eq!(initial.iter().map(ToString::to_string).collect::<Vec<_>>(), ["(at a)"]);
    }

    #[test]
    fn an_interrupt_is_no_form_of_rules() {
        let text = b"(role a) (init (on)) (<= (legal a off) (true (on))) (<= (next (out)) (does a off))
            (<= terminal (true (out))) (<= (goal a 100) (true (out))) (<= (goal a 0) (true (on)))";
        let program = Language::Gdl.program(&Source::new("rules", text)).0.unwrap();
        let limits = Limits::unlimited();
        assert_eq!(initial_fluents(&program, &limits).unwrap().unwrap().len(), 1);
        limits.interrupt();
        assert_eq!(initial_fluents(&program, &limits), Err(LimitReached::Interrupted));
    }
}
