//! The budget of the probe, which looks at states one by one: its work so far, an estimate of the work for all states,
//! and whether that is worth it.
//!
//! The alternative, solving with diagrams, needs preparation: mutex groups are proved, rules are encoded, variable
//! orders are tried. The time of preparation is estimated from the gates that a batch of states needs. The probe may
//! always take a tenth of this time. After that, the number of states is extrapolated from the growth of the layers,
//! and is at most the number of combinations of values of the guessed groups. The probe goes on to the end as long as
//! preparation would take more than a tenth (a fifth if the current layer is a small diagram) of the estimated time for
//! solving state by state. A new estimate is made whenever the work is twice the expected work. Work is counted in
//! gates, states and successors; time is never measured.
//!
//! The probe ends after a fraction of its work if preparation is short and growth predicts far too many states. Such an
//! early prediction is unreliable: preparation is granted [`FAR`] times what it says, and diagrams of the rules have no
//! bound.
//!
//! Other rules hold if a successor was met before. Without a cycle, the layered algorithm then solves a state in
//! several layers, whose number is estimated. With a cycle, games of up to a certain number of states are settled state
//! by state. The probe goes on to that number unless growth predicts more states, a layer is a small diagram and
//! preparation is short, or a run by rank is foretold to take less than half of the time. Early predictions are
//! unreliable: up to a smaller number of states, the probe ends only if growth predicts far more, or if a layer is a
//! small diagram.

use super::growth::Growth;
use base::limits::LimitReached;
use game::batch::LANES;
use game::propositional::{Group, GroupKind};

/// Work that may always be spent, roughly in nanoseconds.
pub const WORK: u64 = 40_000_000;
/// Divisor: after this part of it, and whenever the work has doubled, the probe asks whether the end is far away.
const EARLY: u64 = 8;
/// The end is far away if solving state by state is predicted to take this multiple of what it may take, or more than it
/// may where diagrams are small. Early predictions are unreliable.
const FAR: u64 = 8;
/// Approximate time of preparation in nanoseconds per gate of a batch (8,000 to 21,000 in games with complex rules).
const PREPARING: u64 = 20_000;
/// Longest time of preparation in nanoseconds; its searches are bounded.
const MOST_PREPARING: u64 = 6_000_000_000;
/// Divisor: the probe may always take this part of the preparation's time, and preparation this part of a run's time.
pub const PART: u64 = 10;
/// The probe goes on to the end if solving state by state takes at most this multiple of the time of preparation, or
/// half this multiple if diagrams are small.
const TO_END: u64 = 10;
/// Bound on the work of all restarted searches together, as a multiple of the bound of one search.
const SEARCHES: u64 = 4;
/// Solving takes this multiple of the work of visiting all states.
pub const SOLVING: u64 = 3;
/// Estimated number of layers that contain a state, if layers share states and there is no cycle.
const LAYERS: u64 = 8;
/// Work of evaluating a gate for a batch of states.
const GATE: u64 = 1;
/// Work of a state.
const STATE: u64 = 20;
/// Work of a successor, for each word of a packed state.
const SUCCESSOR: u64 = 40;
/// Up to this number of states, the search does not ask whether states repeat.
const FEW: u64 = 8_000;
/// With a cycle, the probe goes on to `MANY` states if growth predicts nothing, and to the end if growth predicts at
/// most `TOO_MANY` states.
const MANY: u64 = 1 << 22;
const TOO_MANY: u64 = 2 * MANY;
/// Up to this number of states, a probe with a cycle goes on unless diagrams are small, or growth predicts more than
/// `TOO_MANY * SOME / n` states after `n` states.
const SOME: u64 = 1 << 20;
/// A diagram is small if it has at least this many states per node: a sweep takes about ten requests per node.
const SMALL: u64 = 100;
/// With a cycle, a run by rank takes about so many nanoseconds for each gate of a batch (87,000 to 440,000 were
/// measured), for each node of the layers (700 to 2,500), and for each state (80 to 170). All layers are taken to have
/// as many nodes for each state as the current one. The probe stops if that is less than `1 / BETTER` of the time of
/// settling state by state.
const BY_RANK: [f64; 3] = [300_000.0, 1000.0, 100.0];
const BETTER: f64 = 2.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Up to the number of states after which the probe looks for a cycle.
    Few,
    /// As long as the work is small, or solving state by state is expected to be worth it.
    Little,
    /// Up to this number of states.
    States(u64),
    /// Up to this amount of work, that of earlier searches included.
    Work(u64),
    /// As long as there is memory.
    Memory,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    pub states: u64,
    pub layers: u64,
    pub work: u64,
    /// The most gates that a batch of states took.
    pub gates: u64,
    pub overlap: bool,
    /// Estimated number of all states, if there is an estimate.
    pub foretold: Option<u64>,
    /// Estimated work of visiting all states. If the search stopped early, this is only a bound on what preparation is
    /// granted, and the number of states is not estimated.
    pub all: Option<u64>,
}

impl Seen {
    /// Estimated time of solving the game state by state, in nanoseconds, if there is an estimate.
    pub fn forecast(&self) -> Option<u64> {
        self.all.map(|all| all.saturating_mul(SOLVING))
    }

    pub fn state(&self) -> u64 {
        (self.work / self.states.max(1)).saturating_mul(SOLVING)
    }
}

/// The number of combinations of values of groups; no game with these groups has more states.
pub fn combinations(groups: &[Group]) -> f64 {
    let values = |group: &Group| group.fluents.len() + usize::from(group.kind == GroupKind::AtMostOne);
    groups.iter().map(|group| values(group) as f64).product()
}

pub struct Budget {
    pub seen: Seen,
    /// Whether a state is known to repeat.
    pub cyclic: bool,
    /// Logarithms of the numbers of states by layer, the current layer included.
    sizes: Vec<f64>,
    /// The number of states of the current layer.
    layer: u64,
    /// The number of states of the earlier layers.
    before: u64,
    /// Work before the search.
    start: u64,
    /// If the end was estimated to be near: the work up to which this estimate is trusted.
    to_end: Option<u64>,
    /// The work at which a game with a cycle was last found to have no small diagram.
    looked: u64,
    /// The work at which the probe asks next whether the end is far away.
    early: u64,
    /// The number of states among which no cycle was found.
    acyclic: u64,
    /// A bound on the number of states.
    most: f64,
}

impl Budget {
    /// A budget for a search among at most this many states, after earlier searches with this much work.
    pub fn new(most: f64, work: u64) -> Budget {
        let seen = Seen { work, ..Seen::default() };
        let (cyclic, sizes, to_end) = (false, Vec::new(), None);
        let early = WORK / EARLY;
        Budget { seen, cyclic, sizes, layer: 0, before: 0, start: work, to_end, looked: 0, early, acyclic: 0, most }
    }

    pub fn layer(&mut self, states: usize) {
        self.sizes.push((states as f64).ln());
        self.layer = states as u64;
        self.before = self.seen.states;
        self.seen.layers += 1;
    }

    pub fn count(&mut self, states: u64, words: u64, edges: u64, gates: u64) {
        self.seen.states += states;
        self.seen.gates = self.seen.gates.max(gates / states.div_ceil(LANES as u64).max(1));
        self.seen.work += gates * GATE + states * STATE + edges * SUCCESSOR * words;
    }

    /// Whether the probe should look for a cycle: none is known, and there are twice as many states as at the last
    /// look.
    pub fn is_unclear(&self, bound: Bound) -> bool {
        let many = self.seen.states > FEW.max(2 * self.acyclic);
        self.seen.overlap && !self.cyclic && many && matches!(bound, Bound::Few | Bound::Little)
    }

    pub fn looked_for_cycle(&mut self, found: bool) {
        (self.cyclic, self.acyclic) = (found, self.seen.states);
    }

    /// Whether the search must stop. `nodes`, called on demand: the nodes of the diagram of the current layer.
    pub fn is_over(
        &mut self,
        bound: Bound,
        nodes: impl Fn() -> Result<u64, LimitReached>,
    ) -> Result<bool, LimitReached> {
        let layer = self.layer;
        let is_small = || Ok(nodes()?.saturating_mul(SMALL) <= layer);
        match bound {
            Bound::Memory => return Ok(false),
            Bound::States(most) => return Ok(self.seen.states > most),
            Bound::Work(most) => return Ok(self.seen.work > most),
            Bound::Few => return Ok(self.seen.states > FEW),
            Bound::Little => {}
        }
        let preparing = self.seen.gates.saturating_mul(PREPARING).min(MOST_PREPARING);
        let most = self.to_end.unwrap_or(WORK + preparing / PART);
        let work = self.seen.work - self.start;
        if work <= most && self.seen.work <= most.saturating_mul(SEARCHES) {
            // Little is won by an early end where preparation takes long.
            return if self.to_end.is_some() || work < self.early || preparing / PART > WORK {
                Ok(false)
            } else {
                self.early = 2 * work;
                self.is_far((WORK + preparing) * TO_END, is_small)
            };
        }
        let states = self.foretold();
        self.foretell(states);
        let most = (WORK + preparing) * TO_END;
        if self.cyclic && states.map_or(self.seen.states <= MANY, |states| states <= TOO_MANY as f64) {
            let solving = self.seen.all.unwrap_or(self.seen.work).saturating_mul(SOLVING);
            if self.seen.work < 2 * self.looked {
                return Ok(false);
            }
            self.looked = self.seen.work;
            let nodes = nodes()?;
            let is_small = nodes.saturating_mul(SMALL) <= layer && solving > most / 2;
            return Ok(is_small || states.is_some_and(|states| self.ranks_are_better(states, nodes)));
        }
        let far_too_many = TOO_MANY as f64 * SOME as f64 / self.seen.states as f64;
        let is_clear = || states.is_some_and(|states| states > far_too_many);
        if self.cyclic && self.seen.states <= SOME && !is_clear() && !is_small()? {
            self.to_end = Some(2 * (self.seen.work - self.start));
            return Ok(false);
        }
        let Some(all) = self.seen.all else { return Ok(true) };
        let layers = if self.seen.overlap && !self.cyclic { LAYERS } else { 1 };
        let solving = all.saturating_mul(SOLVING * layers);
        let goes_on = solving <= most && (solving <= most / 2 || !is_small()?);
        if goes_on {
            self.to_end = Some(2 * all.max(WORK));
        }
        Ok(!goes_on)
    }

    /// Whether the end is far away by the first layers. `most`: the time that solving state by state may take. If states
    /// repeat, predictions are too high, and only a small diagram is a reason to stop.
    fn is_far(&mut self, most: u64, is_small: impl Fn() -> Result<bool, LimitReached>) -> Result<bool, LimitReached> {
        let is_known = !self.seen.overlap || self.cyclic || self.acyclic > 0;
        // Growth that does not slow down, as that of a tree, tells nothing of the end. If it is weak, play is long and the
        // prediction rests on the first part of it only.
        let growth = Growth::of_few(&self.sizes).filter(|growth| is_known && growth.ends() && growth.doubles());
        let Some(states) = growth.map(|growth| self.foretold_by(growth)) else { return Ok(false) };
        let solving = ((states * self.each()) as u64).saturating_mul(SOLVING);
        let is_far = !self.cyclic && solving > most.saturating_mul(FAR) || solving > most && is_small()?;
        if is_far {
            (self.seen.foretold, self.seen.all) = (None, Some((states * FAR as f64 * self.each()) as u64));
        }
        Ok(is_far)
    }

    /// Whether a run by rank of so many states is foretold to be far shorter than one state by state; the current layer
    /// has so many nodes.
    fn ranks_are_better(&self, states: f64, nodes: u64) -> bool {
        let [gate, node, state] = BY_RANK;
        let each = state + node * nodes as f64 / self.layer.max(1) as f64;
        let by_rank = gate * self.seen.gates as f64 + each * states;
        let listed = states * self.each() * SOLVING as f64;
        tracing::debug!(
            "of {states:.0} states foretold: {:.2} s listed, {:.2} s by rank ({} gates, {nodes} nodes for {} states)",
            listed / 1e9,
            by_rank / 1e9,
            self.seen.gates,
            self.layer
        );
        listed > BETTER * by_rank
    }

    /// Work of a state.
    fn each(&self) -> f64 {
        (self.seen.work - self.start) as f64 / self.seen.states as f64
    }

    fn foretell(&mut self, states: Option<f64>) {
        self.seen.foretold = states.map(|states| states as u64);
        self.seen.all = states.map(|states| (states * self.each()) as u64);
    }

    /// The estimated number of all states.
    fn foretold(&self) -> Option<f64> {
        let by_growth = Growth::of(&self.sizes).map(|growth| self.foretold_by(growth));
        by_growth.or(Some(self.most).filter(|&most| most <= TOO_MANY as f64))
    }

    fn foretold_by(&self, growth: Growth) -> f64 {
        let last = self.sizes.last().map_or(0.0, |last| last.exp());
        (self.before as f64 + last + growth.to_come()).min(self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::propositional::FluentId;

    fn budget() -> Budget {
        Budget::new(f64::INFINITY, 0)
    }

    /// The work after which a search through these layers stops, and the work of all layers.
    fn search(layers: &[usize], gates: u64) -> (Option<u64>, u64) {
        search_of(budget(), layers, gates)
    }

    fn search_of(mut budget: Budget, layers: &[usize], gates: u64) -> (Option<u64>, u64) {
        let mut stopped = None;
        for &states in layers {
            budget.layer(states);
            for batch in (0..states).step_by(LANES) {
                let states = LANES.min(states - batch) as u64;
                budget.count(states, 1, 3 * states, gates);
                if stopped.is_none() && budget.is_over(Bound::Little, || Ok(u64::MAX)).unwrap() {
                    stopped = Some(budget.seen.work);
                }
            }
        }
        (stopped, budget.seen.work)
    }

    /// Layers that grow more and more slowly, and every third one a little less than it should.
    fn slow(layers: usize, growth: f64) -> Vec<usize> {
        let size = |layer: usize| {
            let (done, noise) = (layer as f64 / layers as f64, if layer.is_multiple_of(3) { 0.97 } else { 1.0 });
            (noise * (growth * (2.0 * done - done * done)).exp()).ceil() as usize
        };
        (0..layers).map(size).collect()
    }

    #[test]
    fn complex_rules_with_an_end_in_sight_are_looked_at_to_the_end() {
        for (layers, growth) in [(50, 13.0), (40, 13.0), (60, 12.5)] {
            let (stopped, all) = search(&slow(layers, growth), 400_000);
            assert!(stopped.is_none() && all > 4 * MOST_PREPARING / PART, "{layers} layers: {stopped:?} of {all}");
        }
    }

    #[test]
    fn a_game_with_a_cycle_is_looked_at_to_the_end_if_it_has_not_too_many_states() {
        for (growth, to_end) in [(12.3, true), (14.5, false)] {
            let layers = slow(50, growth);
            let states: usize = layers.iter().sum();
            assert_eq!(states as u64 <= TOO_MANY, to_end, "{states}");
            let (stopped, _) = search_of(Budget { cyclic: true, ..budget() }, &layers, 2_000);
            assert_eq!(stopped.is_none(), to_end, "{states}: {stopped:?}");
            // While there are few states, the search stops only if growth predicts far too many.
            assert!(stopped.is_none_or(|work| work > SOME * STATE / 4), "{stopped:?}");
            assert!(search(&layers, 2_000).0.is_some(), "without a cycle diagrams are tried");
        }
    }

    #[test]
    fn a_game_with_a_cycle_and_small_diagrams_is_left_to_them_if_preparation_is_short() {
        let layers = slow(50, 12.3);
        let stopped = |gates, is_small: bool| {
            let mut budget = Budget { cyclic: true, ..budget() };
            let nodes = if is_small { 0 } else { u64::MAX };
            let stops = |budget: &mut Budget| budget.is_over(Bound::Little, || Ok(nodes)).unwrap();
            layers.iter().any(|&states| {
                budget.layer(states);
                budget.count(states as u64, 1, 10 * states as u64, gates * states.div_ceil(LANES) as u64);
                stops(&mut budget)
            })
        };
        assert!(stopped(2_000, true));
        assert!(!stopped(2_000, false));
        assert!(!stopped(400_000, true), "preparation takes long");
    }

    #[test]
    fn a_game_with_a_cycle_is_left_to_ranks_that_are_far_better() {
        let layers = slow(50, 12.3);
        let stopped = |gates: u64, density: u64| {
            let mut budget = Budget { cyclic: true, ..budget() };
            layers.iter().any(|&states| {
                budget.layer(states);
                budget.count(states as u64, 1, 6 * states as u64, gates * states.div_ceil(LANES) as u64);
                budget.is_over(Bound::Little, || Ok(states as u64 / density)).unwrap()
            })
        };
        assert!(stopped(300, 7));
        assert!(!stopped(300, 1), "as many nodes as states");
        assert!(!stopped(20_000, 7), "complex rules");
    }

    #[test]
    fn a_game_whose_end_is_far_away_is_left_early() {
        let stopped = |growth: &dyn Fn(i32) -> f64, cyclic: bool, is_small: bool| {
            let layers: Vec<usize> = (0..12).map(|layer| growth(layer).exp() as usize).collect();
            let mut budget = budget();
            if cyclic {
                budget.seen.overlap = true;
                budget.looked_for_cycle(true);
            }
            let mut stops = |&states: &usize| {
                budget.layer(states);
                (0..states).step_by(LANES).any(|batch| {
                    budget.count(LANES.min(states - batch) as u64, 1, 6 * LANES as u64, 200);
                    budget.is_over(Bound::Little, || Ok(if is_small { 0 } else { u64::MAX })).unwrap()
                })
            };
            layers.iter().any(&mut stops).then_some((budget.seen.work, budget.seen.all.unwrap_or(0)))
        };
        let slow = |layer| 2.0 * f64::from(layer) - 0.05 * f64::from(layer).powi(2);
        for (cyclic, is_small) in [(false, false), (false, true), (true, true)] {
            let (work, all) = stopped(&slow, cyclic, is_small).expect("it stops");
            assert!((WORK / EARLY..WORK / 2).contains(&work) && all > 1000 * WORK, "{work} of {all}");
        }
        let is_late = |found: Option<(u64, u64)>| found.is_none_or(|(work, _)| work > WORK);
        assert!(is_late(stopped(&slow, true, false)), "large diagrams of a game with a cycle");
        assert!(is_late(stopped(&|layer| f64::from(layer) * 6_f64.ln(), false, false)), "a tree may end anywhere");
    }

    #[test]
    fn groups_with_few_values_foretell_few_states() {
        let group = |values: u32, kind| Group { kind, fluents: (0..values).map(FluentId).collect() };
        let pieces = |values| combinations(&[group(values, GroupKind::AtMostOne), group(2, GroupKind::ExactlyOne)]);
        let doubling: Vec<usize> = (0..20).map(|layer| 1 << layer).collect();
        let stopped = |values| {
            let budget = Budget { cyclic: true, ..Budget::new(pieces(values), 0) };
            search_of(budget, &doubling, 40_000).0
        };
        assert_eq!(stopped(1 << 20), None, "{} states at most", 2 * ((1 << 20) + 1));
        assert!(stopped(1 << 28).is_some());
    }

    #[test]
    fn simple_rules_and_layers_that_keep_growing_are_not() {
        let (stopped, all) = search(&slow(50, 12.5), 2_000);
        assert!(stopped.is_some_and(|stopped| stopped < 4 * WORK) && all > 8 * WORK, "{stopped:?} of {all}");
        let doubling: Vec<usize> = (0..21).map(|layer| 1 << layer).collect();
        let (stopped, all) = search(&doubling, 400_000);
        assert!(stopped.is_some_and(|stopped| stopped < all / 2), "{stopped:?} of {all}");
    }
}
