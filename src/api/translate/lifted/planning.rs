//! Recognises the rules by which GDDL ends a planning task where no action is possible. GDDL implies them, so that a
//! text of a planning task leaves them out. Linear in the program, for each rule for `terminal`.

use super::clauses::Lifting;
use super::simplify::{negated, or};
use super::vocabulary::Meaning;
use game::rules::gddl::ast::Condition;
use game::rules::{Literal, Predicate, Program, Rule, Symbol, Term};
use game::syntax::Span;

/// The rules of a relation that holds if some move is legal, and of the end of play where it does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stuck {
    active: usize,
    end: usize,
}

impl Stuck {
    /// `None` if the relation has other rules or stands elsewhere, or if the game has several roles.
    pub fn new(program: &Program) -> Option<Self> {
        let [_] = program.roles[..] else { return None };
        let end = program.rules.iter().position(|rule| inactive(program, rule).is_some())?;
        let relation = inactive(program, &program.rules[end])?;
        let mut uses = program.rules.iter().flat_map(|rule| &rule.body).filter(|literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => program.kind(atom.predicate) == relation,
            Literal::Distinct(..) => false,
        });
        let mut derived = (0..program.rules.len()).filter(|&rule| {
            let head = &program.rules[rule].head;
            program.kind(head.predicate) == relation
        });
        let active = derived.next().filter(|&rule| some_move(program, &program.rules[rule]))?;
        (uses.nth(1).is_none() && derived.next().is_none()).then_some(Stuck { active, end })
    }

    pub fn has(&self, rule: usize) -> bool {
        [self.active, self.end].contains(&rule)
    }
}

/// The relation of a rule `(<= terminal (not RELATION))` whose relation some move derives.
fn inactive(program: &Program, rule: &Rule) -> Option<Predicate> {
    let [Literal::Negative(atom)] = &rule.body[..] else { return None };
    if program.kind(rule.head.predicate) != Predicate::Terminal || !atom.arguments.is_empty() {
        return None;
    }
    let relation = program.kind(atom.predicate);
    let derives = |rule: &Rule| program.kind(rule.head.predicate) == relation && some_move(program, rule);
    program.rules.iter().any(derives).then_some(relation)
}

/// Whether the only condition of a rule is that any move of the only role is legal.
fn some_move(program: &Program, rule: &Rule) -> bool {
    let [Literal::Positive(atom)] = &rule.body[..] else { return false };
    let [role, Term::Variable(action)] = &atom.arguments[..] else { return false };
    let any_role = match role {
        Term::Variable(role) => role != action,
        Term::Constant(_) => program.roles.contains(role),
        Term::Function(..) => false,
    };
    program.kind(atom.predicate) == Predicate::Legal && any_role
}

impl Lifting<'_> {
    /// Adds the goal of a planning task. Fails unless the rewards are those of a task, as far as their rules show.
    pub fn goal_of_task(&mut self, stuck: Stuck) -> Option<()> {
        let flat = self.flat;
        let goal = self.any(flat.rules_of(Predicate::Terminal), &[], None)?;
        let rewards = self.reward(100).zip(self.reward(0));
        if rewards != Some((goal.clone(), negated(goal.clone()))) {
            let what =
                "an end where no move is legal, with rewards that are not plainly 100 at the goal and 0 elsewhere";
            return self.fail(what, flat.program.rules[stuck.end].span);
        }
        let goal = self.goal_itself(goal)?;
        self.note(&goal);
        self.words.description.goals.push((goal, Span::default()));
        Some(())
    }

    /// The condition for a reward, 0 or 100; `None` if some rule gives another one, or one by a variable.
    fn reward(&mut self, value: u8) -> Option<Condition> {
        let flat = self.flat;
        let rules = flat.rules_of(Predicate::Goal);
        let role = self.constant(*flat.roles.first()?);
        let mut members = Vec::new();
        for &rule in rules {
            let Term::Constant(written) = flat.program.rules[rule].head.arguments[1] else { return None };
            match self.number(written)? {
                found if found == value => {
                    let given = [role, self.constant(written)];
                    members.push(self.any(&[rule], &given, None)?);
                }
                0 | 100 => {}
                _ => return None,
            }
        }
        Some(or(members))
    }

    fn number(&self, written: Symbol) -> Option<u8> {
        self.flat.program.symbols.name(written).parse().ok()
    }

    /// The conditions of a relation that holds at the goal, in place of the relation.
    fn goal_itself(&mut self, goal: Condition) -> Option<Condition> {
        let Condition::Atom(atom) = &goal else { return Some(goal) };
        match self.words.meaning(atom) {
            Meaning::Relation((name, 0)) => self.any(self.flat.rules_of(Predicate::Relation(name, 0)), &[], None),
            _ => Some(goal),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::translate::{gddl, gdl};
    use base::limits::Limits;
    use game::diagnostic::{Findings, Source};
    use game::ground::{GroundOptions, ground};
    use game::rules::{Language, Program};

    const TASK: &str = "(define (domain d) (:requirements :adl) (:types truck place)
        (:predicates (at ?t - truck ?x - place) (road ?x ?y - place) (fuel ?t - truck))
        (:action go :parameters (?t - truck ?move ?y - place)
         :precondition (and (at ?t ?move) (road ?move ?y) (fuel ?t))
         :effect (and (not (at ?t ?move)) (at ?t ?y) (when (road ?y ?move) (not (fuel ?t))))))
        (define (problem p) (:domain d) (:objects t1 t2 - truck a b c - place)
         (:init (at t1 a) (at t2 b) (fuel t1) (fuel t2) (road a b) (road b c) (road a c))
         (:goal (and (at t1 c) (forall (?t - truck) (or (at ?t c) (at ?t b))))))";

    /// The rules in GDL of a task that ends where it is stuck.
    const STUCK: &str = "(role a) (init (at 1)) (step 1 2) (step 1 3)
        (<= (legal a (go ?y)) (true (at ?x)) (step ?x ?y)) (<= (next (at ?y)) (does a (go ?y)))
        (<= any (legal ?r ?m)) (<= terminal (not any)) (<= terminal (true (at 2)))
        (<= (goal a 100) (true (at 2)))";

    fn read(language: Language, text: &str) -> Program {
        let source = Source::new("task", text.as_bytes());
        let (program, diagnostics) = language.program(&source);
        let findings = Findings::new(&source, &diagnostics).to_string();
        assert!(!findings.contains("single-variable"), "{findings}\n{text}");
        program.unwrap_or_else(|| panic!("{findings}\n{text}"))
    }

    /// The text in GDDL, and whether it has parameters.
    fn written(program: &Program) -> (String, bool) {
        let limits = Limits::unlimited();
        let grounding = ground(program, &limits, &GroundOptions::default()).expect("a small game");
        let (text, obstacle) = gddl(program, &grounding.game, &grounding.idle, &limits).expect("a single player");
        (text, obstacle.is_none())
    }

    #[test]
    fn a_task_stays_a_task_in_both_languages() {
        let task = read(Language::Gddl, TASK);
        let in_gdl = gdl::text(&task, &[]);
        assert!(!in_gdl.contains("?mover"), "{in_gdl}");
        for program in [task, read(Language::Gdl, &in_gdl)] {
            let (text, lifted) = written(&program);
            assert!(lifted && !text.contains(":gain") && !text.contains("reached"), "{text}");
            assert!(text.contains(":parameters (?t - truck ?move ?y - place)"), "{text}");
            let again = read(Language::Gddl, &text);
            let moves = |program: &Program| {
                let game = ground(program, &Limits::unlimited(), &GroundOptions::default()).expect("a small game").game;
                let rewards: Vec<u8> = game.goals[0].iter().map(|&(value, _)| value).collect();
                (game.moves.len(), game.fluents.len(), rewards, game.roles)
            };
            assert_eq!(moves(&again), moves(&program), "{text}");
        }
    }

    #[test]
    fn other_ends_without_a_move_are_no_tasks() {
        let (text, lifted) = written(&read(Language::Gdl, &format!("{STUCK} (<= (goal a 0) (not (true (at 2))))")));
        assert!(lifted && text.contains("(:goal (at 2))"), "{text}");
        for reward in ["(<= (goal a 50) (not (true (at 2))))", "(<= (goal a 0) (true (at 3)))"] {
            assert!(!written(&read(Language::Gdl, &format!("{STUCK} {reward}"))).1, "{reward}");
        }
        let used = "(<= (goal a 0) (not (true (at 2)))) (<= (next (late)) any) (<= (legal a late) (true (late)))";
        assert!(!written(&read(Language::Gdl, &format!("{STUCK} {used}"))).1);
    }
}
