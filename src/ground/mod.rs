//! From rules to a propositional game.
//!
//! Passes, each with a file of its own: rules are split into narrow ones ([`split`]); their dependencies give strata
//! ([`dependency`]); relaxed reachable atoms and rule instances come from semi-naive bottom-up evaluation
//! ([`evaluate`], on [`plan`], [`join`] and [`index`]); the instances become a graph ([`circuit`]), which is simplified
//! ([`constant`], [`compact`]). Time and memory are linear in the rule instances, whose number `GroundOptions` bounds.
//! The relaxed reachability is that of planning (Helmert, Concise finite-domain representations, 2009).

mod assemble;
mod atom;
mod circuit;
mod compact;
mod components;
mod constant;
mod dependency;
mod error;
mod evaluate;
mod index;
mod instance;
mod join;
mod order;
mod pattern;
mod plan;
mod record;
mod split;
mod term;

pub use error::GroundError;

use crate::limits::Limits;
use crate::propositional::Game;
use crate::rules::{Atom, Predicate, Program, Term};
use assemble::Assembler;
use dependency::Dependencies;
use evaluate::Evaluator;
use record::Recorder;
use split::Clause;
use std::time::{Duration, Instant};

/// How far grounding goes.
#[derive(Debug, Clone)]
pub struct GroundOptions {
    /// The most atoms, the most rule instances and the most nodes of the graph.
    pub instances: u64,
    /// Whether derived atoms get their names in the game.
    pub derived: bool,
}

impl Default for GroundOptions {
    fn default() -> Self {
        GroundOptions { instances: 20_000_000, derived: true }
    }
}

/// Sizes and times of one grounding.
#[derive(Debug, Clone, Default)]
pub struct Statistics {
    /// Ground atoms, static ones included.
    pub atoms: usize,
    /// Rule instances that depend on the state.
    pub instances: usize,
    pub fluents: usize,
    pub moves: usize,
    /// Nodes of the graph.
    pub nodes: usize,
    /// Time of each pass by its name.
    pub passes: Vec<(&'static str, Duration)>,
}

/// A game and how it came about.
#[derive(Debug, Clone)]
pub struct Grounding {
    pub game: Game,
    pub statistics: Statistics,
}

/// Grounds a program: time and memory linear in its relaxed reachable rule instances.
pub fn ground(program: &Program, limits: &Limits, options: &GroundOptions) -> Result<Grounding, GroundError> {
    use Predicate::*;
    let mut statistics = Statistics::default();
    let mut clock = Instant::now();
    let mut lap = |name, statistics: &mut Statistics| {
        statistics.passes.push((name, clock.elapsed()));
        clock = Instant::now();
    };
    let roots = [Role, Init, Legal, Next, Terminal, Goal];
    let (mut symbols, mut predicates) = (program.symbols.clone(), program.predicates.clone());
    for keyword in [Role, Init, True, Next, Legal, Does, Goal, Terminal] {
        predicates.insert(keyword);
    }
    let clauses: Vec<Clause> =
        program.rules.iter().cloned().enumerate().map(|(origin, rule)| Clause { rule, origin }).collect();
    let dependencies = Dependencies::new(&clauses, &predicates, &roots);
    let known = predicates.clone();
    let dynamic = |atom: &Atom| dependencies.find(atom, &known).is_none_or(|part| dependencies.dynamic[part as usize]);
    let clauses = split::split(&program.rules, &dynamic, &mut symbols, &mut predicates);
    lap("split", &mut statistics);

    let dependencies = Dependencies::new(&clauses, &predicates, &roots);
    refuse_state_dependent(&clauses, &predicates, &dependencies, program)?;
    let describe = |rule: usize| describe(program, rule);
    let recorder = Recorder::new(&predicates, program.rules.len(), limits, options);
    let recorder = Evaluator::new(&clauses, &predicates, &dependencies, &describe, recorder).run()?;
    let (evaluation, mut account) = recorder.finish();
    statistics.atoms = evaluation.store.atoms.derived().len();
    statistics.instances = evaluation.instances.len();
    lap("evaluate", &mut statistics);

    let assembler = Assembler { program, predicates: &predicates, symbols: &symbols, evaluation: &evaluation };
    let game = assembler.assemble(options, &mut account)?;
    statistics.fluents = game.fluents.len();
    statistics.moves = game.moves.len();
    statistics.nodes = game.graph.len();
    lap("assemble", &mut statistics);
    Ok(Grounding { game, statistics })
}

/// `init` and `role` must be known before any state is.
fn refuse_state_dependent(
    clauses: &[Clause],
    predicates: &indexmap::IndexSet<Predicate>,
    dependencies: &Dependencies,
    program: &Program,
) -> Result<(), GroundError> {
    for clause in clauses {
        let head = &clause.rule.head;
        let fixed = matches!(predicates[head.predicate.0 as usize], Predicate::Init | Predicate::Role);
        let part = dependencies.find(head, predicates);
        if fixed && part.is_some_and(|part| dependencies.dynamic[part as usize]) {
            let head = describe(program, clause.origin);
            return Err(GroundError::StateDependent { head, span: clause.rule.span });
        }
    }
    Ok(())
}

/// The head of a rule as text.
fn describe(program: &Program, rule: usize) -> String {
    enum Part<'a> {
        Term(&'a Term),
        Text(&'static str),
    }
    let Some(rule) = program.rules.get(rule) else { return String::new() };
    let mut text = String::from("(");
    text.push_str(&match program.kind(rule.head.predicate) {
        Predicate::Relation(symbol, _) => program.symbols.name(symbol).to_owned(),
        keyword => format!("{keyword:?}").to_lowercase(),
    });
    let mut stack = vec![Part::Text(")")];
    stack.extend(rule.head.arguments.iter().rev().map(Part::Term));
    while let Some(part) = stack.pop() {
        match part {
            Part::Text(end) => text.push_str(end),
            Part::Term(Term::Constant(symbol)) => text.extend([" ", program.symbols.name(*symbol)]),
            Part::Term(Term::Variable(variable)) => {
                let name = rule.variables.get(variable.0 as usize).map_or("_", |&name| program.symbols.name(name));
                text.extend([" ?", name.trim_start_matches('?')]);
            }
            Part::Term(Term::Function(functor, arguments)) => {
                text.extend([" (", program.symbols.name(*functor)]);
                stack.push(Part::Text(")"));
                stack.extend(arguments.iter().rev().map(Part::Term));
            }
        }
    }
    text
}
