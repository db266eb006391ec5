//! Grounds a program: from its rules to a propositional game.
//!
//! The passes: rules are split into rules with fewer variables ([`split`]); their dependencies give strata
//! ([`dependency`]); semi-naive bottom-up evaluation finds the relaxed reachable atoms and all rule instances
//! ([`evaluate`], with [`plan`], [`join`] and [`index`]); the instances become a graph of `and`, `or` and `not`
//! ([`circuit`]), which is simplified ([`constant`], [`compact`]). The time of the evaluation grows with the number of
//! join steps, and its memory with the numbers of atoms and rule instances; `GroundOptions` bounds all three. Relaxed
//! reachability ignores negated conditions on the state, as in planning (Helmert, "Concise finite-domain
//! representations", 2009).

mod announced;
mod assemble;
mod atom;
mod cause;
mod circuit;
mod compact;
mod compile;
mod components;
mod constant;
mod demand;
mod dependency;
mod error;
mod evaluate;
mod fold;
mod gather;
mod goals;
mod growth;
mod idle;
mod index;
mod instance;
mod join;
mod order;
mod pattern;
mod plan;
pub mod position;
mod record;
mod rows;
mod split;
mod strategy;
mod term;

pub use error::GroundError;

use crate::diagnostic::Diagnostic;
use crate::propositional::{Game, GroundTerm};
use crate::rules::{Made, Predicate, Program, Rule, SymbolTable, Term};
use crate::syntax::Span;
use assemble::Assembler;
use base::limits::Limits;
use record::{Evaluation, Recorder};
use std::time::{Duration, Instant};
use strategy::Prepared;

#[derive(Debug, Clone)]
pub struct GroundOptions {
    /// Bound on the number of atoms, of rule instances, and of nodes of the graph.
    pub instances: u64,
    /// Bound on the join steps; a second suffices for about ten million.
    pub steps: u64,
    pub derived: bool,
    pub demand: Demand,
    /// Keeps the fluents that only come after the end of play, which solutions of earlier versions have.
    pub behind: bool,
    /// After this number of join steps of a rule, another way of its evaluation is tried ([`strategy`]).
    pub budget: u64,
}

/// The relations that are restricted to the requested atoms. The choice changes neither fluents nor moves nor values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// Relations whose rules otherwise exceed a budget.
    Large,
    /// Every relation that depends on the state and has an argument that all uses bind.
    All,
    None,
}

impl Default for GroundOptions {
    fn default() -> Self {
        GroundOptions {
            instances: 20_000_000,
            steps: u64::MAX,
            derived: true,
            demand: Demand::Large,
            behind: false,
            budget: 4_000_000,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Statistics {
    pub atoms: usize,
    pub instances: usize,
    pub fluents: usize,
    pub moves: usize,
    pub nodes: usize,
    /// Name and time of each pass, and the bytes held at its end.
    pub passes: Vec<(&'static str, Duration, u64)>,
    pub rules: Vec<RuleStatistics>,
    pub restricted: Vec<RelationStatistics>,
    /// The relations without atoms, because rules go through diagrams of their rows ([`fold`]).
    pub folded: Vec<String>,
    pub restarts: usize,
}

/// The cost of a rule of the program in the completed evaluation.
#[derive(Debug, Clone)]
pub struct RuleStatistics {
    pub head: String,
    /// Whether the text names the relation of the head; if not, the head stands for the whole sentence.
    pub named: bool,
    pub span: Span,
    /// Number of instances; for a rule that does not depend on the state, number of solutions.
    pub instances: u64,
    /// Number of join steps, including the steps of the rules that list the demands of its conditions.
    pub steps: u64,
    /// Number of different demands on the relation of its head, if that relation was restricted.
    pub demanded: Option<usize>,
}

#[derive(Debug, Clone)]
pub struct RelationStatistics {
    pub name: String,
    /// If the text does not name the relation: the rule of the program of which it is a part.
    pub part_of: Option<usize>,
    pub bound: Vec<bool>,
    pub demanded: usize,
    pub made: usize,
}

#[derive(Debug, Clone)]
pub struct Grounding {
    pub game: Game,
    /// Fluents that hold in every reachable state. The game leaves them out.
    pub constant: Vec<GroundTerm>,
    pub statistics: Statistics,
    /// Warnings about fluents and moves that `base` and `input` lack, and about rules that never apply.
    pub warnings: Vec<Diagnostic>,
    /// The rules of the program that apply in no reachable state, by number, ascending. There may be more of them.
    pub idle: Vec<usize>,
}

pub fn ground(program: &Program, limits: &Limits, options: &GroundOptions) -> Result<Grounding, GroundError> {
    let mut statistics = Statistics::default();
    let mut clock = Instant::now();
    let mut lap = |name, bytes, statistics: &mut Statistics| {
        statistics.passes.push((name, clock.elapsed(), bytes));
        clock = Instant::now();
    };
    let (prepared, recorder, restarts) = strategy::evaluate(program, limits, options)?;
    let Recorder { found: evaluation, mut account, .. } = recorder;
    statistics.atoms = evaluation.store.atoms.derived().len();
    statistics.instances = evaluation.instances.len();
    statistics.restarts = restarts;
    statistics.rules = rules(program, &prepared, &evaluation);
    statistics.restricted = prepared.asked.iter().map(|asked| asked.statistics(&prepared, &evaluation)).collect();
    let folded = prepared.folded.iter().map(|&relation| program.kind(relation).name(&program.symbols).to_owned());
    statistics.folded = folded.collect();
    lap("evaluate", evaluation.bytes(), &mut statistics);

    let assembler = Assembler {
        program,
        predicates: &prepared.predicates,
        symbols: &prepared.symbols,
        evaluation: &evaluation,
        asked: &prepared.asked,
        folded: &prepared.folded,
    };
    let (game, constant, refused) = assembler.assemble(options, &mut account)?;
    statistics.fluents = game.fluents.len();
    statistics.moves = game.moves.len();
    statistics.nodes = game.graph.len();
    lap("assemble", evaluation.bytes() + game.graph.bytes() as u64, &mut statistics);
    let mut warnings = assembler.unannounced(&game);
    let idle = assembler.idle(&prepared.clauses);
    warnings.extend(assembler.idle_sentences(&idle));
    warnings.extend(refused);
    lap("inspect", game.graph.bytes() as u64, &mut statistics);
    Ok(Grounding { game, constant, statistics, warnings, idle })
}

fn rules(program: &Program, prepared: &Prepared, evaluation: &Evaluation) -> Vec<RuleStatistics> {
    let rules = program.rules.iter().enumerate().map(|(number, rule)| {
        let asked = prepared.asked.iter().find(|asked| asked.relation == rule.head.predicate);
        RuleStatistics {
            head: describe(program, number),
            named: !matches!(program.kind(rule.head.predicate), Predicate::Relation(name, _) if program.symbols.made(name).is_some()),
            span: rule.span,
            instances: evaluation.counts[number],
            steps: evaluation.work[number],
            demanded: asked.map(|asked| evaluation.store.atoms.extent(asked.demand).len()),
        }
    });
    rules.collect()
}

fn describe(program: &Program, rule: usize) -> String {
    let rule = &program.rules[rule];
    let symbols = &program.symbols;
    let (name, negated) = match program.kind(rule.head.predicate) {
        Predicate::Relation(symbol, _) => {
            (symbols.written(symbol), matches!(symbols.made(symbol), Some(Made::Deleted(_))))
        }
        keyword => (keyword.name(symbols), false),
    };
    if rule.head.arguments.is_empty() && !negated {
        return name.to_owned();
    }
    let mut text = String::new();
    write_applied(name, &rule.head.arguments, rule, symbols, &mut text);
    if negated { format!("(not {text})") } else { text }
}

fn write_applied(name: &str, arguments: &[Term], rule: &Rule, symbols: &SymbolTable, text: &mut String) {
    text.extend(["(", name]);
    for argument in arguments {
        text.push(' ');
        match argument {
            Term::Constant(symbol) => text.push_str(symbols.name(*symbol)),
            Term::Variable(variable) => {
                let name = symbols.written(rule.variables[variable.0 as usize]);
                text.extend(["?", name.trim_start_matches('?')]);
            }
            Term::Function(functor, inner) => write_applied(symbols.name(*functor), inner, rule, symbols, text),
        }
    }
    text.push(')');
}
