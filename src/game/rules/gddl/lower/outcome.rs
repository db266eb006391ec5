//! Lowers the end of play and its rewards.
//!
//! A game ends if its goal holds; its gains define the rewards. A problem without gains is a plain planning problem:
//! reaching the goal is worth 100, and play also ends, with reward 0, if no action is possible.

use super::{Lowering, keyword, relation};
use crate::rules::Predicate;
use crate::rules::gddl::ast::{Description, Gain};
use crate::rules::gddl::check::role_of_gain;
use crate::rules::sentence::{self, Formula};
use crate::syntax::Span;

impl Lowering<'_> {
    pub(super) fn outcome(&mut self, description: &Description) {
        let (goal, span) = description.goals.first().expect("a text without a goal has an error");
        let reached = relation(self.fresh("reached"), Vec::new(), *span);
        let goal = self.condition(goal, true);
        self.add(reached.clone(), vec![goal], *span);
        let reached = Formula::Atom(reached);
        self.add(keyword(Predicate::Terminal, Vec::new(), *span), vec![reached.clone()], *span);
        if description.gains.is_empty() {
            // The text has no place for these rules.
            self.planning(reached, Span::default());
        }
        for gain in &description.gains {
            self.gain(gain);
        }
    }

    fn gain(&mut self, gain: &Gain) {
        let span = gain.span;
        let role = role_of_gain(gain, self.vocabulary).copied();
        let bound = self.bind(&gain.parameters, false);
        let mut body: Vec<Formula> = bound.iter().map(|bound| self.typed(bound, span)).collect();
        let role = match role {
            Some(name) => sentence::Term::Variable(name.symbol, name.span),
            None => {
                let role = sentence::Term::Variable(self.fresh("?role"), span);
                body.push(Formula::Atom(keyword(Predicate::Role, vec![role.clone()], span)));
                role
            }
        };
        body.push(self.condition(&gain.body, true));
        self.release(&gain.parameters);
        let value = sentence::Term::Constant(gain.value.symbol, gain.value.span);
        self.add(keyword(Predicate::Goal, vec![role, value], span), body, span);
    }

    fn planning(&mut self, reached: Formula, span: Span) {
        let can_move = relation(self.fresh("active"), Vec::new(), span);
        let variables = ["?role", "?move"].map(|name| sentence::Term::Variable(self.symbols.intern(name), span));
        let legal = keyword(Predicate::Legal, variables.to_vec(), span);
        self.add(can_move.clone(), vec![Formula::Atom(legal)], span);
        let stuck = Formula::Not(Box::new(Formula::Atom(can_move)), span);
        self.add(keyword(Predicate::Terminal, Vec::new(), span), vec![stuck], span);
        for role in self.role_names() {
            let values = [("100", reached.clone()), ("0", Formula::Not(Box::new(reached.clone()), span))];
            for (value, condition) in values {
                let value = sentence::Term::Constant(self.symbols.intern(value), span);
                let head = keyword(Predicate::Goal, vec![sentence::Term::Constant(role, span), value], span);
                self.add(head, vec![condition], span);
            }
        }
    }
}
