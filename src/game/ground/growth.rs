//! Rules for `next` that nest terms without end once they apply.
//!
//! Such a rule has a condition on the state that every fluent of its head fulfils, by a larger term in place of a
//! variable that occurs nowhere else in the conditions: `(hist (cons ?w ?h))` fulfils `(hist ?h)`. As atoms stay during
//! the evaluation, and fluents are derived whether they are asked for or not, the rule then applies to all that it
//! derives. Relations are left out, because demand may restrict them.

use crate::rules::{Literal, Predicate, Program, Rule, Term, Variable};

/// By rule of the program; false also for rules that nest terms in another way.
pub fn growing(program: &Program) -> Vec<bool> {
    program.rules.iter().map(|rule| grows(program, rule)).collect()
}

fn grows(program: &Program, rule: &Rule) -> bool {
    let is_next = program.kind(rule.head.predicate) == Predicate::Next;
    is_next
        && rule.body.iter().any(|literal| match literal {
            Literal::Positive(atom) if program.kind(atom.predicate) == Predicate::True => {
                follows(rule, &atom.arguments[0], &rule.head.arguments[0]) == Some(true)
            }
            _ => false,
        })
}

/// The largest number of functions inside each other around a variable of the head.
pub fn nesting(rule: &Rule) -> usize {
    fn depth(term: &Term) -> Option<usize> {
        match term {
            Term::Constant(_) => None,
            Term::Variable(_) => Some(0),
            Term::Function(_, arguments) => arguments.iter().filter_map(depth).max().map(|depth| depth + 1),
        }
    }
    rule.head.arguments.iter().filter_map(depth).max().unwrap_or(0)
}

/// Whether the term that is made fulfils the condition by a larger one; `None` if it need not fulfil it.
fn follows(rule: &Rule, asked: &Term, made: &Term) -> Option<bool> {
    match (asked, made) {
        (asked, made) if asked == made => Some(false),
        (Term::Function(one, asked), Term::Function(other, made)) if one == other && asked.len() == made.len() => {
            let each = asked.iter().zip(made).map(|(asked, made)| follows(rule, asked, made));
            let each: Option<Vec<bool>> = each.collect();
            each.map(|grows| grows.contains(&true))
        }
        (Term::Variable(variable), made) if is_free(rule, *variable) => Some(number(made, *variable) > 0),
        _ => None,
    }
}

/// Whether the variable occurs only once in the conditions.
fn is_free(rule: &Rule, variable: Variable) -> bool {
    let of_literal = |literal: &Literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => {
            atom.arguments.iter().map(|term| number(term, variable)).sum::<usize>()
        }
        Literal::Distinct(one, other, _) => number(one, variable) + number(other, variable),
    };
    rule.body.iter().map(of_literal).sum::<usize>() == 1
}

fn number(term: &Term, of: Variable) -> usize {
    match term {
        Term::Constant(_) => 0,
        Term::Variable(variable) => usize::from(*variable == of),
        Term::Function(_, arguments) => arguments.iter().map(|argument| number(argument, of)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::ground::{GroundError, GroundOptions, ground};
    use crate::rules::gdl;
    use base::limits::Limits;

    const REST: &str = "(role r) (init (hist nil)) (init (step 0)) (succ 0 1) (succ 1 2) (word a) (word b) (list nil)
        (list (cons a nil)) (<= (legal r (say ?w)) (word ?w)) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
        (<= terminal (true (step 2))) (goal r 100)";

    fn program(rule: &str) -> Program {
        gdl::program(&Source::new("grows", format!("{rule}\n{REST}").as_bytes())).0.unwrap()
    }

    fn is_endless(rule: &str) -> bool {
        let program = program(rule);
        let found = ground(&program, &Limits::unlimited(), &GroundOptions::default());
        let told = match &found {
            Err(GroundError::EndlessTerms { span, .. }) => Some(span.start),
            Err(error) => panic!("{error}"),
            Ok(_) => None,
        };
        assert!(told.is_none_or(|start| start == 0), "{rule}");
        assert_eq!(told.is_some(), growing(&program).contains(&true), "{rule}");
        told.is_some()
    }

    #[test]
    fn terms_that_branch_without_end_are_found_and_bounded_ones_are_not() {
        assert!(is_endless("(<= (next (hist (cons ?w ?h))) (true (hist ?h)) (does r (say ?w)))"));
        assert!(is_endless("(<= (next (hist (cons ?w (cons ?w ?h)))) (does r (say ?w)) (true (hist ?h)))"));
        assert!(!is_endless("(<= (next (hist (cons ?w ?h))) (true (hist ?h)) (list ?h) (does r (say ?w)))"));
        assert!(!is_endless("(<= (next (hist (cons ?w nil))) (true (hist ?h)) (does r (say ?w)))"));
        assert!(!is_endless("(<= (next (seen ?h)) (true (hist ?h)))"));
        // Nothing is listed, so that the rule does not apply, however many pairs of words there are.
        let apart = "(<= (next (row (cons ?w ?h))) (true (row ?h)) (does r (say ?w)) (pair ?w ?a) (pair ?a ?b))
            (<= (pair ?a ?b) (word ?a) (word ?b))";
        let program = program(apart);
        assert!(growing(&program).contains(&true));
        assert!(ground(&program, &Limits::unlimited(), &GroundOptions::default()).is_ok());
    }

    /// The lists that the state does not ask for are not derived, so that there are finitely many.
    #[test]
    fn relations_that_demand_restricts_are_no_endless_terms() {
        let rule = "(letter a) (letter b) (letter c) (init (on a)) (init (list (cons a (cons b nil))))
            (<= (has ?x nil) (true (on ?x))) (<= (has ?x (cons ?y ?l)) (letter ?y) (has ?x ?l))
            (<= (legal r look) (true (list ?l)) (true (on ?x)) (has ?x ?l))
            (<= (next (list ?l)) (true (list ?l))) (<= (next (on ?x)) (true (on ?x)))";
        let text = format!("{rule}\n{}", REST.replace("(list nil)", "").replace("(list (cons a nil))", ""));
        let program = gdl::program(&Source::new("demand", text.as_bytes())).0.unwrap();
        assert!(!growing(&program).contains(&true));
        let options = GroundOptions { budget: 10_000, ..GroundOptions::default() };
        assert!(ground(&program, &Limits::unlimited(), &options).is_ok());
    }
}
