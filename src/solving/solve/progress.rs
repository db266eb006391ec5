//! Progress as events: the solver emits them, a listener draws, logs or ignores them.

use base::limits::LimitReached;
use game::diagnostic::Findings;
use num_bigint::BigUint;
use std::fmt;
use std::time::Instant;

/// A stage of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Reading the text.
    Parse,
    /// From rules to the propositional game.
    Ground,
    /// The first states, or all of them if there are few.
    Probe,
    /// Finding and proving mutex groups.
    Groups,
    /// Finding the symmetries of the rules.
    Symmetries,
    /// Variables, relations, terminal and reward parts.
    Encode,
    /// The search for a variable order.
    Order,
    /// The layers of reachable states.
    Forward,
    /// The values, from the last layer to the first.
    Backward,
}

impl Stage {
    /// All stages, in the order in which they run.
    pub const ALL: [Stage; 9] = [
        Stage::Parse,
        Stage::Ground,
        Stage::Probe,
        Stage::Groups,
        Stage::Symmetries,
        Stage::Encode,
        Stage::Order,
        Stage::Forward,
        Stage::Backward,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Parse => "parse",
            Stage::Ground => "ground",
            Stage::Probe => "probe",
            Stage::Groups => "groups",
            Stage::Symmetries => "symmetries",
            Stage::Encode => "encode",
            Stage::Order => "order",
            Stage::Forward => "forward",
            Stage::Backward => "backward",
        }
    }

    /// A limit that this stage reached, with its name; unchanged if an activity is known.
    pub fn limit(self, limit: LimitReached) -> LimitReached {
        limit.during(|| format!("in the stage `{self}`"))
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Direction of a pass over the layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Forward,
    Backward,
}

/// Something that happened during a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    StageStarted(Stage),
    /// `detail`: the size of the result in words; may be empty.
    StageFinished {
        stage: Stage,
        seconds: f64,
        detail: String,
    },
    LayerFinished {
        phase: Phase,
        /// Number of the layer, 0 for the initial state; or number of the round, from 0 on, if all states are solved at
        /// once.
        layer: u32,
        /// Number of layers, if known; `None` for rounds.
        total: Option<u32>,
        /// States of the layer, if known.
        states: Option<BigUint>,
        /// Nodes of the new diagram, of the states (forward) or the values (backward); 0 if there is none, as in rounds
        /// by rank.
        nodes: u64,
        seconds: f64,
    },
    /// The rounds of a backward pass start over, for the `times`-th time.
    Restarted {
        times: u64,
    },
    /// Progress of some work, in pieces done and pieces in total. `what`: the work, a word of at most nine letters.
    Work {
        what: &'static str,
        done: u64,
        total: u64,
    },
    /// Several processes have solved a layer.
    Shared(SharedWork),
    Message(String),
    /// A message for the user, shown even if progress is not.
    Notice(String),
    /// Findings on the rules.
    Findings(Findings),
}

impl Event {
    /// The end of a layer of which all is known. `start`: when it began.
    pub fn layer(
        phase: Phase,
        layer: usize,
        total: Option<usize>,
        states: &BigUint,
        nodes: u64,
        start: Instant,
    ) -> Event {
        let (layer, total, states) = (layer as u32, total.map(|total| total as u32), Some(states.clone()));
        Event::LayerFinished { phase, layer, total, states, nodes, seconds: start.elapsed().as_secs_f64() }
    }
}

/// How several processes shared a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedWork {
    pub layer: u32,
    /// By process: its work, in states (configurations count as states).
    pub shares: Vec<f64>,
    /// By range, in the order of dealing: its work.
    pub ranges: Vec<f64>,
    /// States of the next layer.
    pub next: u64,
    /// The sum over the processes of the number of values of the next layer that they read.
    pub read: u64,
    /// Programs of all processes.
    pub programs: u64,
    /// The sums over the processes of the wall-clock seconds for building, reading and executing programs.
    pub seconds: [f64; 3],
}

impl SharedWork {
    /// The largest share of the work, as a multiple of the mean.
    pub fn largest(&self) -> f64 {
        let most = self.shares.iter().copied().fold(0.0, f64::max);
        most / self.mean().max(f64::MIN_POSITIVE)
    }

    /// The same for processes of equal speed: each range goes to the process with the least work.
    pub fn largest_of_equals(&self) -> f64 {
        let mut shares: Vec<f64> = vec![0.0; self.shares.len()];
        for work in &self.ranges {
            let first = shares.iter_mut().min_by(|one, other| one.total_cmp(other));
            *first.expect("there are processes") += work;
        }
        SharedWork { shares, ..self.clone() }.largest()
    }

    /// The mean share of the work.
    pub fn mean(&self) -> f64 {
        self.shares.iter().sum::<f64>() / self.shares.len() as f64
    }
}

impl std::fmt::Display for SharedWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let SharedWork { layer, shares, next, read, programs, seconds: [build, load, run], .. } = self;
        write!(
            f,
            "layer {layer}: {} processes, largest share of the work {:.3} of the mean, {:.2} of the next layer read, {programs} \
             programs; {build:.1} s building, {load:.1} s reading, {run:.1} s executing in all",
            shares.len(),
            self.largest(),
            *read as f64 / (*next).max(1) as f64,
        )
    }
}

/// Receives the events of a run, possibly from several threads.
pub trait Listener: Send + Sync {
    fn event(&self, event: &Event);
}

/// A listener that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Listener for Silent {
    fn event(&self, _: &Event) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_take_the_next_range_as_soon_as_they_have_none() {
        let work = |shares: &[f64], ranges: &[f64]| SharedWork {
            layer: 0,
            shares: shares.to_vec(),
            ranges: ranges.to_vec(),
            next: 1,
            read: 1,
            programs: 1,
            seconds: [0.0; 3],
        };
        // Here the second process was slow and has only one range; at equal speed, it would have the third, too.
        let slow = work(&[14.0, 5.0], &[8.0, 5.0, 4.0, 2.0]);
        assert!((slow.largest() - 14.0 / 9.5).abs() < 1e-12);
        assert!((slow.largest_of_equals() - 10.0 / 9.5).abs() < 1e-12);
        let even = work(&[3.0, 3.0], &[3.0, 3.0]);
        assert_eq!([even.largest(), even.largest_of_equals(), even.mean()], [1.0, 1.0, 3.0]);
        // Some processes have no range.
        let few = work(&[6.0, 0.0, 0.0], &[6.0]);
        assert_eq!([few.largest(), few.largest_of_equals()], [3.0, 3.0]);
    }
}
