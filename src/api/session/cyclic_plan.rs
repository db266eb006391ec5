//! The predicted costs of a full solution of a game whose states are all solved at once.

use super::plan::{PlanLimit, whole};
use game::diagnostic::Finding;
use game::propositional::Game;
use game::reward::OpponentModel;
use num_bigint::BigUint;
use serde::Serialize;
use solving::solve::SolveOptions;
use solving::solve::plan::cyclic::{PlannedTiers, SettledBy};
use solving::solve::plan::{CyclicPlan, Terms};
use solving::solve::tiers::Term;
use solving::store::manifest::integer;
use solving::store::runs::Seconds;

/// The predicted costs of a run that solves all states at once. Its JSON is a report of `plan`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CyclicPlanReport {
    /// Name of the game.
    pub game: String,
    /// Names of the roles; rewards are in this order.
    pub roles: Vec<String>,
    /// Always `plan`.
    pub command: &'static str,
    /// Always `global`.
    pub algorithm: &'static str,
    /// The reason for the algorithm.
    pub algorithm_reason: &'static str,
    /// How movers rank rewards.
    pub opponent_model: OpponentModel,
    /// Representation of the states.
    pub engine: &'static str,
    /// Number of threads.
    pub threads: usize,
    /// Bound on the memory of a process, in bytes.
    pub memory_limit_bytes: u64,
    /// Bound on files, in bytes.
    pub disk_limit_bytes: u64,
    /// Bound on the wall-clock time, in seconds.
    pub time_limit_s: Option<Seconds>,
    /// Number of states: exact if `complete`, otherwise an estimate.
    #[serde(with = "integer")]
    pub states: BigUint,
    /// States that the forward pass found.
    #[serde(with = "integer")]
    pub states_found: BigUint,
    /// Number of distances from the initial state at which states were found.
    pub distances: usize,
    /// Whether `states_found` are all states.
    pub complete: bool,
    /// The reason why the forward pass ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete_because: Option<String>,
    /// Upper bound on the number of states, by groups of fluents and sums that no move changes; `None` if not counted.
    #[serde(with = "integer::optional")]
    pub states_at_most: Option<BigUint>,
    /// The tiers; `None` if there was no search for them.
    pub tiers: Option<TiersReport>,
    /// The way of settling states: one by one (`states`), by rank (`ranks`), or as `diagrams`.
    pub by: &'static str,
    /// Bytes of the solution on disk.
    pub bytes: u64,
    /// The largest memory of a process, in bytes.
    pub peak_memory_bytes: u64,
    /// Bytes of memory for each state.
    pub bytes_a_state: f64,
    /// Processor seconds of the parts of the run.
    pub processor_s: CyclicPlanTimes,
    /// Wall-clock seconds of the run.
    pub time_s: Seconds,
    /// The limit that the run would reach first; `None` if all suffice.
    pub limit: Option<PlanLimit>,
    /// Number of rounds that were run for the plan.
    pub measured_rounds: u32,
    /// Number of states that these rounds settled.
    pub measured_settled: u64,
    /// Whether all rounds were run for the plan.
    pub measured_all: bool,
    /// Assumptions in place of figures that could not be measured, in words.
    pub assumptions: Vec<String>,
    /// Seconds that the plan itself took.
    pub planning_s: Seconds,
    /// The findings on the rules.
    pub diagnostics: Vec<Finding>,
}

/// A division of the states into tiers, such that play goes from a tier to later ones only.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TiersReport {
    /// The terms of a sum that no move lowers; empty if there is none.
    pub measure: Vec<Term>,
    /// Sums that change only by moves that raise the measure; empty if there are none.
    pub parts: Vec<Vec<Term>>,
    /// Number of sums that no move changes.
    pub conserved: usize,
    /// Number of tiers; `None` if there are too many to count.
    pub tiers: Option<usize>,
    /// States of the largest tier.
    #[serde(with = "integer::optional")]
    pub largest: Option<BigUint>,
    /// Whether the tiers are those of the reachable states, not of a larger set.
    pub exact: bool,
}

/// Processor time, in seconds, of the parts of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CyclicPlanTimes {
    /// Time up to the end of the forward pass.
    pub forward: Seconds,
    /// Time before the first round.
    pub preparing: Seconds,
    /// Time of the rounds.
    pub rounds: Seconds,
    /// Time after the rounds.
    pub after: Seconds,
    /// Total time.
    pub total: Seconds,
}

impl CyclicPlanReport {
    pub(super) fn new(
        game: &Game,
        options: &SolveOptions,
        terms: Terms,
        plan: CyclicPlan,
        planning: f64,
        diagnostics: Vec<Finding>,
    ) -> CyclicPlanReport {
        let seconds = [plan.forward, plan.preparing, plan.settling, plan.after];
        let [forward, preparing, rounds, after] = seconds.map(Seconds::new);
        let total = Seconds::new(seconds.iter().sum());
        let states_found: BigUint = plan.layers[..plan.found].iter().map(|layer| &layer.states).sum();
        let seen = plan.rehearsal.as_ref();
        CyclicPlanReport {
            roles: game.roles.iter().map(ToString::to_string).collect(),
            game: game.name.clone(),
            command: "plan",
            algorithm: "global",
            algorithm_reason: plan.reason,
            opponent_model: options.opponent_model,
            engine: options.engine.name(),
            threads: terms.threads,
            memory_limit_bytes: terms.memory,
            disk_limit_bytes: terms.disk,
            time_limit_s: terms.time.map(Seconds::new),
            states: plan.states,
            states_found,
            distances: plan.found,
            complete: plan.unfinished.is_none(),
            incomplete_because: plan.unfinished.map(|limit| limit.to_string()),
            states_at_most: plan.most,
            tiers: plan.tiers.map(TiersReport::new),
            by: match plan.means {
                SettledBy::States => "states",
                SettledBy::Ranks => "ranks",
                SettledBy::Diagrams => "diagrams",
            },
            bytes: whole(plan.bytes),
            peak_memory_bytes: whole(plan.memory),
            bytes_a_state: plan.memory / plan.size.max(1.0),
            processor_s: CyclicPlanTimes { forward, preparing, rounds, after, total },
            time_s: Seconds::new(plan.wall),
            limit: plan.reached.map(PlanLimit::new),
            measured_rounds: seen.map_or(0, |seen| seen.rounds),
            measured_settled: seen.map_or(0, |seen| seen.settled),
            measured_all: seen.is_some_and(|seen| seen.ended),
            assumptions: plan.assumed,
            planning_s: Seconds::new(planning),
            diagnostics,
        }
    }
}

impl TiersReport {
    fn new(PlannedTiers { measure, parts, conserved, tiers, exact }: PlannedTiers) -> TiersReport {
        let (tiers, largest) = tiers.unzip();
        TiersReport { measure, parts, conserved, tiers, largest, exact }
    }
}
