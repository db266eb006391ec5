//! The predicted costs of a full solution of a game, from its forward pass.

use super::cyclic_plan::CyclicPlanReport;
use super::run::name_of;
use super::solve::temporary_folder;
use super::solving::Solving;
use super::{Error, Rules, Session};
use game::diagnostic::Finding;
use game::reward::OpponentModel;
use num_bigint::BigUint;
use serde::Serialize;
use solving::solve::plan::{self, Forecast, Planned, PlannedLayer, Reached, Resource, Terms};
use solving::solve::{Engine, Phase, SolveOptions, Stage};
use solving::store::manifest::integer;
use solving::store::runs::Seconds;
use solving::store::{self, Store};
use std::time::{Duration, Instant};

/// The predicted costs of a run that solves layer by layer. Its JSON is a report of `plan`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanReport {
    /// Name of the game.
    pub game: String,
    /// Names of the roles; rewards are in this order.
    pub roles: Vec<String>,
    /// Always `plan`.
    pub command: &'static str,
    /// How movers rank rewards.
    pub opponent_model: OpponentModel,
    /// Representation of the states.
    pub engine: &'static str,
    /// Number of processes of the planned run.
    pub processes: u64,
    /// Number of threads of each process.
    pub threads: usize,
    /// Bound on the memory of each process, in bytes.
    pub memory_limit_bytes: u64,
    /// Bound on the files of each process, in bytes.
    pub disk_limit_bytes: u64,
    /// Bound on the wall-clock time of the run, in seconds.
    pub time_limit_s: Option<Seconds>,
    /// The first extrapolated layer, if the forward pass ended before it; `None` if all layers were found.
    pub extrapolated_from: Option<usize>,
    /// The reason why the forward pass ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extrapolated_because: Option<String>,
    /// Sum of the states of all layers.
    #[serde(with = "integer")]
    pub layer_states: BigUint,
    /// The layers, from the first one on.
    pub layers: Vec<PlanLayer>,
    /// Number of configurations in all gather programs.
    pub configurations: u64,
    /// Bytes of the solution on disk.
    pub bytes: u64,
    /// Largest number of bytes of temporary files at the same time, in addition to the solution.
    pub temporary_bytes: u64,
    /// The largest memory of a process, in bytes.
    pub peak_memory_bytes: u64,
    /// Wall-clock seconds of the parts of the run.
    pub time_s: PlanTimes,
    /// Processor seconds of all processes.
    pub processor_s: Seconds,
    /// The limit that the run would reach first; `None` if all suffice.
    pub limit: Option<PlanLimit>,
    /// The layers whose gather programs were built to measure rates.
    pub measured_programs: Vec<usize>,
    /// The layers that were solved to measure rates.
    pub measured_layers: Vec<usize>,
    /// The large layers of which pieces of programs were built.
    pub measured_pieces: Vec<usize>,
    /// Nanoseconds of processor time per configuration, measured here or assumed.
    pub configuration_ns: f64,
    /// Nanoseconds of processor time per state.
    pub state_ns: f64,
    /// Nanoseconds of processor time per request.
    pub request_ns: f64,
    /// The names of the measured rates: `configuration`, `state`, `request`.
    pub measured_rates: Vec<&'static str>,
    /// Assumptions in place of figures that could not be measured, in words.
    pub assumptions: Vec<String>,
    /// Seconds that the plan itself took.
    pub planning_s: Seconds,
    /// The findings on the rules.
    pub diagnostics: Vec<Finding>,
}

/// A plan of either kind. Its JSON is that of its kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AnyPlan {
    /// The plan of a run layer by layer.
    Layers(Box<PlanReport>),
    /// The plan of a run that solves all states at once, because they repeat or lie in many layers.
    AllAtOnce(Box<CyclicPlanReport>),
}

/// The predicted costs of a layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanLayer {
    /// Number of the layer.
    pub layer: usize,
    /// Number of states.
    #[serde(with = "integer")]
    pub states: BigUint,
    /// Nodes of the diagram of the states.
    pub nodes: u64,
    /// Whether the layer is extrapolated.
    pub extrapolated: bool,
    /// Representation of the states.
    pub engine: Engine,
    /// The way of computing values: `sweep`, `program` or `walk`.
    pub by: &'static str,
    /// Processes that share the layer.
    pub processes: u64,
    /// Number of configurations in the gather programs.
    pub configurations: u64,
    /// Number of gather programs of each process, one after the other.
    pub programs: u64,
    /// Bytes of the file of the states.
    pub state_bytes: u64,
    /// Bytes of the file of the values.
    pub value_bytes: u64,
    /// Bytes of memory of each process, if enough memory is granted.
    pub memory_bytes: u64,
    /// Wall-clock seconds of the backward pass in this layer.
    pub time_s: Seconds,
}

/// Wall-clock seconds of the parts of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanTimes {
    /// Time up to the end of the forward pass.
    pub forward: Seconds,
    /// Time in the backward pass of work that processes share.
    pub shared: Seconds,
    /// Time in the backward pass of work that process 0 does while the other processes wait.
    pub alone: Seconds,
    /// Total time.
    pub total: Seconds,
}

/// A limit that a run would reach.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanLimit {
    /// The limited resource: `memory`, `disk` or `time`.
    pub resource: &'static str,
    /// The phase that reaches the limit: `preparation`, `forward` or `backward`.
    pub phase: &'static str,
    /// The layer that reaches the limit; `None` for the preparation and in a plan of all states at once.
    pub layer: Option<usize>,
    /// The need up to that layer, in bytes or seconds.
    pub needed: f64,
    /// The limit, in bytes or seconds.
    pub limit: f64,
}

/// The number as an integer, or [`u64::MAX`] if it does not fit.
pub(super) fn whole(number: f64) -> u64 {
    number.round() as u64
}

impl Session {
    /// Predicts the costs of a run. Its forward pass ends early when all layers exceed `nodes` nodes or a bound on
    /// work.
    pub fn plan(&self, rules: &Rules, options: &SolveOptions, terms: Terms, nodes: u64) -> Result<AnyPlan, Error> {
        let begin = Instant::now();
        let before = Duration::try_from_secs_f64(rules.seconds).unwrap_or_default();
        let record = store::Run::start(options.named(), options.threads, self.limits.memory(), before);
        record.add(Stage::Parse.name(), rules.seconds);
        let solving = Solving { session: self, options, record };
        let (grounding, findings) = solving.grounded(rules, None)?;
        let folder = temporary_folder(options.scratch.as_deref())?;
        let mut store =
            Store::open(&folder.path().join("plan"), solving.subject(rules)?, &solving.record, &self.limits)?;
        let planned = plan::plan(&grounding.game, options, terms, nodes, &mut store, &self.limits, &*self.listener);
        let plan = match planned {
            Ok(plan) => plan,
            Err(error) => {
                let findings = rules.with_reasons(&grounding, error.refusal(), findings, &self.limits)?;
                return Err(Error::solve(&grounding.game.name, error, findings));
            }
        };
        let game = grounding.game;
        let plan = match plan {
            Planned::Layers(plan) => *plan,
            Planned::AllAtOnce(plan) => {
                let (planning, findings) = (begin.elapsed().as_secs_f64(), findings.diagnostics);
                let report = CyclicPlanReport::new(&game, options, terms, *plan, planning, findings);
                return Ok(AnyPlan::AllAtOnce(Box::new(report)));
            }
        };
        let Forecast { layers, bytes, temporary, memory, forward, shared, alone, processor, reached, assumed } =
            plan.forecast;
        let times = [forward, shared, alone, forward + shared + alone].map(Seconds::new);
        let [forward, shared, alone, total] = times;
        let [configuration_ns, state_ns, request_ns] = plan.nanoseconds;
        let configurations = layers.iter().map(|layer| layer.configurations).sum();
        Ok(AnyPlan::Layers(Box::new(PlanReport {
            roles: game.roles.iter().map(ToString::to_string).collect(),
            game: game.name,
            command: "plan",
            opponent_model: options.opponent_model,
            engine: options.engine.name(),
            processes: terms.processes,
            threads: terms.threads,
            memory_limit_bytes: terms.memory,
            disk_limit_bytes: terms.disk,
            time_limit_s: terms.time.map(Seconds::new),
            extrapolated_from: plan.unfinished.as_ref().map(|_| plan.found),
            extrapolated_because: plan.unfinished.map(|limit| limit.to_string()),
            layer_states: layers.iter().map(|layer| &layer.layer.states).sum(),
            layers: layers.into_iter().enumerate().map(|(layer, planned)| PlanLayer::new(layer, planned)).collect(),
            configurations: whole(configurations),
            bytes: whole(bytes),
            temporary_bytes: whole(temporary),
            peak_memory_bytes: whole(memory),
            time_s: PlanTimes { forward, shared, alone, total },
            processor_s: Seconds::new(processor),
            limit: reached.map(PlanLimit::new),
            measured_programs: plan.built,
            measured_layers: plan.solved,
            measured_pieces: plan.pieces,
            configuration_ns,
            state_ns,
            request_ns,
            measured_rates: plan.measured_rates,
            assumptions: assumed,
            planning_s: Seconds::new(begin.elapsed().as_secs_f64()),
            diagnostics: findings.diagnostics,
        })))
    }
}

impl PlanLayer {
    fn new(layer: usize, planned: PlannedLayer) -> PlanLayer {
        let PlannedLayer { layer: found, means, engine, processes, configurations, programs, .. } = planned;
        PlanLayer {
            layer,
            states: found.states,
            nodes: found.nodes,
            extrapolated: found.foretold,
            engine,
            by: name_of(means),
            processes,
            configurations: whole(configurations),
            programs,
            state_bytes: found.bytes,
            value_bytes: whole(planned.bytes),
            memory_bytes: whole(planned.memory),
            time_s: Seconds::new(planned.shared + planned.alone),
        }
    }
}

impl PlanLimit {
    pub(super) fn new(reached: Reached) -> PlanLimit {
        let Reached { resource, place, needed, limit } = reached;
        PlanLimit {
            resource: match resource {
                Resource::Memory => "memory",
                Resource::Disk => "disk",
                Resource::Time => "time",
            },
            phase: match place {
                None => "preparation",
                Some((Phase::Forward, _)) => "forward",
                Some((Phase::Backward, _)) => "backward",
            },
            layer: place.and_then(|(_, layer)| layer),
            needed,
            limit,
        }
    }
}
