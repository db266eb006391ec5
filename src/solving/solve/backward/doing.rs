//! Solves a layer by the means that [`decide`](super::decide) chooses: together with other processes, by a program,
//! state by state, or by a sweep.

use super::super::SolveError;
use super::super::expansion::by_rank::{self, Ahead};
use super::super::expansion::guarded::OfStates;
use super::super::outcome::{LayerEngine, Means};
use super::super::pass::Pass;
use super::super::progress::Event;
use super::super::spool::Spool;
use super::super::team::{Assignment, Leader};
use super::super::values::LayerValues;
use super::choice::{BY_RANK, Choice, NODE_BYTES, worth};
use super::decide::{Attempts, Built, ByRank, Ranked, Shared, Swept};
use kernel::{Bitvector, Diagram, Kind, Most, Preferences, Prepared, Way};

/// If a layer and the next one have fewer nodes, its preparation does not predict the memory of larger layers.
const TELLING: u64 = 1 << 12;

pub struct Solved {
    pub values: LayerValues,
    pub engine: LayerEngine,
}

pub struct ByDoing<'a> {
    pub pass: &'a Pass<'a>,
    pub preferences: &'a Preferences,
    pub index: usize,
    pub layer: &'a Diagram,
    /// 0 if there are too many states for ranks.
    pub states: u64,
    pub next: &'a Diagram,
    /// Values of the next layer; `None`: only the store has them.
    pub after: Option<LayerValues>,
    pub stored: &'a Spool<'a>,
    pub prepared: Option<Prepared>,
    pub leader: Option<&'a mut Leader>,
    /// Bytes per node of the last preparation: see [`Engine`](super::engine::Engine).
    pub node_bytes: &'a mut Option<u64>,
}

impl ByDoing<'_> {
    /// Takes the values of the next layer, from the store if need be.
    fn after(&mut self) -> Result<LayerValues, SolveError> {
        match self.after.take() {
            Some(after) => Ok(after),
            None => LayerValues::stored(&self.stored.archive()?, self.index + 1, self.pass.context),
        }
    }

    /// Values of the next layer as a diagram; `None` if a sweep would keep more than `room` bytes with it in memory.
    fn drawn(&mut self, after: LayerValues, room: Option<u64>) -> Result<Option<Diagram>, SolveError> {
        let context = self.pass.context;
        let Some(room) = room else { return Ok(Some(after.into_diagram(self.next, context)?)) };
        let most = room.saturating_sub(after.ranked_bytes()) / kernel::UNRANKED_BYTES;
        match after.into_small_diagram(self.next, most, context)? {
            Ok(after) => {
                let values = LayerValues::occurring(&after, self.preferences).len();
                if Choice::sweep_bytes(self.layer.node_count(), after.node_count(), values) <= room {
                    return Ok(Some(after));
                }
                self.after = Some(LayerValues::Diagram(after));
            }
            Err(after) => self.after = Some(after),
        }
        Ok(None)
    }

    fn built(&mut self, prepared: Prepared) -> Built<Prepared> {
        if prepared.is_too_large() {
            return Built::TooLarge;
        }
        let nodes = self.layer.node_count() + self.next.node_count();
        if nodes >= TELLING {
            *self.node_bytes = Some(prepared.bytes() / nodes + 1);
        }
        let figures = prepared.program();
        Built::Whole(prepared, figures)
    }
}

impl Attempts for ByDoing<'_> {
    type Program = Prepared;
    type Solved = Solved;

    fn share(&mut self) -> Result<Option<Shared<Solved>>, SolveError> {
        let Pass { context, listener, .. } = *self.pass;
        let (states, next) = (self.states, self.index + 1);
        let Some(leader) = self.leader.as_mut().filter(|leader| states >= leader.least()) else { return Ok(None) };
        if next == self.stored.figures().len() {
            return Ok(None);
        }
        let order = match &self.after {
            Some(LayerValues::Diagram(values)) => LayerValues::occurring(values, self.preferences),
            _ => Vec::new(),
        };
        let game = self.pass.ranked_game();
        let (labels, moves) = by_rank::of_layer(game, self.layer, &self.preferences.terminals, context)?;
        let assignment = Assignment {
            states,
            labels: &labels,
            moves: (&moves.relations, &moves.roots),
            preferences: self.preferences,
            next: self.stored.archive()?.files(next)?,
            order,
            configurations: worth(states),
        };
        let Some(values) = leader.solve(assignment, context)? else { return Ok(None) };
        listener.event(&Event::Shared(values.work(self.index as u32)));
        let cost = values.cost();
        let requests = cost.piece.configurations;
        let bytes = Bitvector::bytes(states, values.kinds());
        let means = LayerEngine::new(Means::Ranks(Way::Program), BY_RANK);
        let engine = LayerEngine { requests, programs: cost.programs, bytes, ..means };
        Ok(Some((Solved { values: LayerValues::Shared(values), engine }, (requests, cost.code))))
    }

    fn ready(&mut self) -> Option<Built<Prepared>> {
        self.prepared.take().map(|prepared| self.built(prepared))
    }

    fn build(&mut self, most: Most) -> Result<Built<Prepared>, SolveError> {
        let ahead = Ahead { layer: self.layer, next: self.next, terminals: &self.preferences.terminals, most };
        let built = by_rank::prepare(self.pass.ranked_game(), &ahead, self.pass.context)?;
        Ok(self.built(built))
    }

    fn values_by_rank(&mut self) -> Result<(), SolveError> {
        let after = self.after()?.into_ranked(self.next, self.preferences, self.pass.context)?;
        self.after = Some(LayerValues::Ranked(after));
        Ok(())
    }

    fn rank(&mut self, by: ByRank<Prepared>, reason: &'static str) -> Result<Ranked<Solved>, SolveError> {
        let (game, context) = (self.pass.ranked_game(), self.pass.context);
        let Some(LayerValues::Ranked(after)) = &self.after else { unreachable!("values were brought by rank") };
        let (next, preferences) = (self.next, self.preferences);
        let of_layer = || by_rank::of_layer(game, self.layer, &preferences.terminals, context);
        let (way, retrograde) = match by {
            ByRank::Whole(prepared) => (Way::Program, kernel::execute(prepared, after, preferences, context)?),
            ByRank::Parts(parts, most) => {
                let (labels, OfStates { relations, roots, .. }) = &of_layer()?;
                let found = kernel::in_parts(labels, next, after, relations, roots, preferences, most, parts, context)?;
                (Way::Program, found)
            }
            ByRank::States => {
                let (labels, OfStates { relations, roots, .. }) = &of_layer()?;
                (Way::Walk, kernel::state_by_state(labels, next, after, relations, roots, preferences, context)?)
            }
        };
        Ok(retrograde.map(|(values, cost)| {
            let bytes = Bitvector::bytes(self.states, values.values().len());
            let means = LayerEngine::new(Means::Ranks(way), reason);
            let engine = LayerEngine { requests: cost.configurations, programs: cost.programs, bytes, ..means };
            let solved = Solved { values: LayerValues::Ranked(values), engine };
            (solved, cost.programs, (cost.configurations, cost.code))
        }))
    }

    fn sweep(&mut self, reason: &'static str, room: Option<u64>) -> Result<Swept<Solved>, SolveError> {
        let Pass { expansion, context, .. } = *self.pass;
        let means = LayerEngine::new(Means::Sweep, reason);
        let after = self.after()?;
        let after = match expansion.listed(self.layer, self.next, after, self.preferences)? {
            Err(after) => after,
            // Nothing reads the values as a diagram yet; the pass makes one later if necessary.
            Ok(listed) => {
                return Ok(Swept::Solved(Solved { values: LayerValues::Listed(listed), engine: means }, None));
            }
        };
        let Some(after) = self.drawn(after, room)? else { return Ok(Swept::NoRoom) };
        let before = context.statistics(Kind::Preimage);
        let values = expansion.values(self.layer, Some(self.next), after.into(), self.preferences)?;
        let total = context.statistics(Kind::Preimage);
        let engine = LayerEngine {
            requests: total.requests - before.requests,
            spilled: total.spilled - before.spilled,
            down: total.down - before.down,
            up: total.up - before.up,
            bytes: values.node_count() * NODE_BYTES,
            ..means
        };
        let figures = (values.node_count(), LayerValues::occurring(&values, self.preferences).len());
        Ok(Swept::Solved(Solved { values: LayerValues::Diagram(values), engine }, Some(figures)))
    }
}
