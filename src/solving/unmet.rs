//! Finds the conditions for a reward that hold in no reachable state, and pairs of conditions that never hold together.
//!
//! The condition for a reward is split at its conjunctions. The states of a layer in which each part holds are found as
//! diagrams, from its fluents upward: a selection for each fluent and an operation on sets for each connective. Cost
//! for every layer: about one sweep for each edge of the condition's graph, and one for each pair that was not yet met.
//! Where a node of the layer stands for few states, the parts are evaluated in these, 64 at a time.

use base::limits::LimitReached;
use game::propositional::{Game, Node, NodeId};
use kernel::{self, Automaton, Context, Diagram, Level, Outcome};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// If the conditions have more nodes than this, they are not examined.
const MOST_NODES: usize = 2000;
/// If there are more conditions than this, pairs are not examined.
const MOST_PAIRED: usize = 16;
/// Bounds on the displayed depth of a condition, and on the displayed parts of each connective.
const SHOWN_DEPTH: usize = 3;
const SHOWN_PARTS: usize = 6;

/// States for each node of a layer up to which they are looked at one by one: a sweep takes some ten requests a node.
const SPARSE: u64 = 64;

/// The conditions for a reward, and those that are never met.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Unmet {
    /// All conditions, as displayed.
    pub conditions: Vec<String>,
    /// Conditions that hold in no reachable state.
    pub never: Vec<String>,
    /// Pairs of conditions that hold in no reachable state together although each condition holds in some state. Empty
    /// if pairs were not examined (`paired`).
    pub never_together: Vec<[String; 2]>,
    /// Whether pairs were examined: there are at least two conditions, not too many, and each holds in some state.
    #[serde(skip)]
    pub paired: bool,
}

/// The truth of a fluent in an assignment. If `positive`, the fluent holds if the variable of one of `levels`
/// (ascending) is true; otherwise, it holds if none of these variables is true.
pub struct Literal {
    pub levels: Vec<u32>,
    pub positive: bool,
}

type Condition = (NodeId, bool);

pub struct Search<'a> {
    game: &'a Game,
    conditions: Vec<Condition>,
    /// All nodes below the conditions, children before parents.
    nodes: Vec<NodeId>,
    met: Vec<bool>,
    /// Pairs of conditions that no state has met together so far; empty if there are too many conditions.
    apart: Vec<(usize, usize)>,
}

impl<'a> Search<'a> {
    /// A search among the conditions under which a terminal state pays `reward` to the only role; `None` if the rules
    /// exclude that, if only constant conditions are left, or if the conditions are too large.
    pub fn new(game: &'a Game, reward: u8) -> Option<Self> {
        let goal = game.goals.first()?.iter().find(|(value, _)| *value == reward)?.1;
        let mut conditions = parts(game, goal);
        let implied = parts(game, game.terminal).iter().all(|part| conditions.contains(part))
            || alternatives(game, goal).is_subset(&alternatives(game, game.terminal));
        if !implied {
            conditions.extend(parts(game, game.terminal));
        }
        conditions.retain(|&(node, _)| !node.is_constant());
        let mut seen = FxHashSet::default();
        conditions.retain(|condition| seen.insert(*condition));
        let nodes = below(game, conditions.iter().map(|condition| condition.0))?;
        let count = conditions.len();
        let paired = if count <= MOST_PAIRED { count } else { 0 };
        let apart = (0..paired).flat_map(|first| (first + 1..count).map(move |second| (first, second))).collect();
        (count > 0).then(|| Search { game, conditions, nodes, met: vec![false; count], apart })
    }

    /// Searches the states of a layer. `literals`: by fluent.
    pub fn look(&mut self, layer: &Diagram, literals: &[Literal], context: &Context) -> Result<(), LimitReached> {
        let states = layer.count(context)?;
        match states <= (SPARSE * layer.node_count()).into() {
            true => self.look_at_states(layer, literals, context),
            false => self.look_at_sets(layer, literals, context),
        }
    }

    pub(crate) fn look_at_states(
        &mut self,
        layer: &Diagram,
        literals: &[Literal],
        context: &Context,
    ) -> Result<(), LimitReached> {
        let mut elements = layer.elements();
        // By node and by level, a bit for each of the states.
        let _memory = context.limits().hold((self.game.graph.len() * size_of::<u64>()) as u64)?;
        let mut values = vec![0u64; self.game.graph.len()];
        let mut bits = vec![0u64; layer.levels() as usize];
        loop {
            context.limits().check()?;
            let mut all = 0;
            bits.fill(0);
            while all != u64::MAX
                && let Some((levels, _)) = elements.next_element()
            {
                let own = all + 1;
                levels.iter().for_each(|level| bits[level.index()] |= own);
                all |= own;
            }
            if all == 0 {
                return Ok(());
            }
            for &node in &self.nodes {
                let of = |child: &NodeId| values[child.index()];
                values[node.index()] = match self.game.graph.node(node) {
                    Node::False => 0,
                    Node::True => all,
                    Node::Fluent(fluent) => {
                        let Literal { levels, positive } = &literals[fluent.index()];
                        let any = levels.iter().fold(0, |any, &level| any | bits[level as usize]);
                        if *positive { any } else { all & !any }
                    }
                    Node::Not(child) => all & !of(child),
                    Node::Or(parts) => parts.iter().map(of).fold(0, |one, other| one | other),
                    Node::And(parts) => parts.iter().map(of).fold(all, |one, other| one & other),
                    Node::Move(_) => unreachable!("no reward depends on the moves of a ply"),
                };
            }
            let meeting = |&(node, holds): &Condition| {
                if holds { values[node.index()] } else { all & !values[node.index()] }
            };
            let meeting: Vec<u64> = self.conditions.iter().map(meeting).collect();
            self.met.iter_mut().zip(&meeting).for_each(|(met, states)| *met |= *states != 0);
            self.apart.retain(|&(first, second)| meeting[first] & meeting[second] == 0);
        }
    }

    pub(crate) fn look_at_sets(
        &mut self,
        layer: &Diagram,
        literals: &[Literal],
        context: &Context,
    ) -> Result<(), LimitReached> {
        let mut holding: FxHashMap<NodeId, Diagram> = FxHashMap::default();
        for &node in &self.nodes {
            context.limits().check()?;
            let of = |child: &NodeId| &holding[child];
            let states = match self.game.graph.node(node) {
                Node::False => Diagram::constant(layer.levels(), 0),
                Node::True => kernel::union(&[layer], context)?,
                Node::Fluent(fluent) => kernel::classify(layer, &literals[fluent.index()], 0, context)?,
                Node::Not(child) => kernel::difference(layer, of(child), context)?,
                Node::Or(parts) => kernel::union(&parts.iter().map(of).collect::<Vec<_>>(), context)?,
                Node::And(parts) => {
                    let mut states = kernel::union(&[of(&parts[0])], context)?;
                    for part in &parts[1..] {
                        states = kernel::intersection(&states, of(part), context)?;
                    }
                    states
                }
                Node::Move(_) => unreachable!("no reward depends on the moves of a ply"),
            };
            holding.insert(node, states);
        }
        let mut meeting = Vec::with_capacity(self.conditions.len());
        for (met, &(node, holds)) in self.met.iter_mut().zip(&self.conditions) {
            let states = &holding[&node];
            let states =
                if holds { kernel::union(&[states], context)? } else { kernel::difference(layer, states, context)? };
            *met |= !states.is_empty();
            meeting.push(states);
        }
        let mut apart = Vec::new();
        for &(first, second) in &self.apart {
            if kernel::intersection(&meeting[first], &meeting[second], context)?.is_empty() {
                apart.push((first, second));
            }
        }
        self.apart = apart;
        Ok(())
    }

    pub fn finish(self) -> Unmet {
        let conditions: Vec<String> =
            self.conditions.iter().map(|&condition| shown(self.game, condition, SHOWN_DEPTH)).collect();
        let name = |index: usize| conditions[index].clone();
        let never: Vec<String> = (0..conditions.len()).filter(|&index| !self.met[index]).map(name).collect();
        let paired = never.is_empty() && (2..=MOST_PAIRED).contains(&conditions.len());
        let apart = self.apart.iter().filter(|_| paired).map(|&(first, second)| [name(first), name(second)]);
        Unmet { never_together: apart.collect(), never, paired, conditions }
    }
}

/// The parts of a conjunction, including nested ones.
fn parts(game: &Game, node: NodeId) -> Vec<Condition> {
    let (mut found, mut open) = (Vec::new(), vec![(node, true)]);
    while let Some((node, holds)) = open.pop() {
        match (game.graph.node(node), holds) {
            (Node::And(parts), true) | (Node::Or(parts), false) => {
                open.extend(parts.iter().rev().map(|&part| (part, holds)));
            }
            (Node::Not(child), _) => open.push((*child, !holds)),
            _ => found.push((node, holds)),
        }
    }
    found
}

/// The members of a disjunction.
fn alternatives(game: &Game, node: NodeId) -> FxHashSet<NodeId> {
    match game.graph.node(node) {
        Node::Or(parts) => parts.iter().copied().collect(),
        _ => [node].into_iter().collect(),
    }
}

/// The nodes below conditions, children before parents; `None` if there are too many.
fn below(game: &Game, roots: impl Iterator<Item = NodeId>) -> Option<Vec<NodeId>> {
    let mut open: Vec<NodeId> = roots.collect();
    let mut found: FxHashSet<NodeId> = open.iter().copied().collect();
    while let Some(node) = open.pop() {
        open.extend(game.graph.node(node).children().iter().filter(|&&child| found.insert(child)));
        if found.len() > MOST_NODES {
            return None;
        }
    }
    let mut found: Vec<NodeId> = found.into_iter().collect();
    found.sort_unstable();
    Some(found)
}

/// A condition as text, no deeper than `depth`.
fn shown(game: &Game, (node, holds): Condition, depth: usize) -> String {
    let not = |text: String| if holds { text } else { format!("(not {text})") };
    let connected = |word: &str, parts: &[NodeId]| {
        if depth == 0 {
            return "…".to_owned();
        }
        let mut texts: Vec<String> =
            parts.iter().take(SHOWN_PARTS).map(|&part| shown(game, (part, true), depth - 1)).collect();
        texts.extend((parts.len() > SHOWN_PARTS).then(|| "…".to_owned()));
        format!("({word} {})", texts.join(" "))
    };
    match game.graph.node(node) {
        Node::Fluent(fluent) => not(game.fluents[fluent.index()].to_string()),
        Node::Not(child) if depth > 0 => shown(game, (*child, !holds), depth - 1),
        Node::And(parts) => not(connected("and", parts)),
        Node::Or(parts) => not(connected("or", parts)),
        Node::True | Node::False | Node::Not(_) | Node::Move(_) => "…".to_owned(),
    }
}

/// A state of the automaton is the number of levels read; two more states stand for the truth of the fluent.
impl Automaton for Literal {
    fn level(&self, state: u32) -> Level {
        self.levels.get(state as usize).map_or(Level::NONE, |&level| Level::new(level))
    }

    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        Ok(if bit { self.levels.len() as u32 + 1 } else { state + 1 })
    }

    fn outcome(&self, state: u32) -> Outcome {
        match (state as usize).checked_sub(self.levels.len()) {
            None => Outcome::Undecided,
            Some(found) => Outcome::Decided(u32::from((found == 1) == self.positive)),
        }
    }
}
