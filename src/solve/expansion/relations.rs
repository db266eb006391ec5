//! All states of a layer at once: images and preimages under the game's relations, selections by its automata.

use super::super::{Engine, SolveError};
use super::{Ahead, Expansion, Step};
use crate::encode::{Analysis, CheckKind, ConditionAutomaton, SymbolicGame, Variables};
use crate::kernel::{
    self, Bitvector, Context, Diagram, Given, IDENTITY, NONE, Preferences, Prepared, RelationId, Retrograde, Way,
    relation,
};
use crate::limits::LimitReached;
use num_bigint::BigUint;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};

/// Expands by the encoding of a game.
pub struct Relations<'a> {
    game: SymbolicGame,
    /// Each move gives the turn to the other role (proved).
    alternates: bool,
    /// The relations that lead back, once they were needed.
    inverse: OnceCell<(relation::Relations, Vec<RelationId>)>,
    context: &'a Context,
}

impl<'a> Relations<'a> {
    pub fn new(analysis: &Analysis, game: SymbolicGame, context: &'a Context) -> Self {
        Relations { game, alternates: analysis.alternates, inverse: OnceCell::new(), context }
    }

    /// Everything that could lead to `targets`, reachable or not.
    fn before(&self, targets: &Diagram) -> Result<Diagram, LimitReached> {
        let (inverse, roots) = self.inverse.get_or_init(|| inverse(&self.game.relations, &self.game.roots));
        kernel::image(targets, inverse, roots, self.context)
    }

    fn select(&self, states: &Diagram, condition: &ConditionAutomaton) -> Result<Diagram, LimitReached> {
        kernel::select(states, condition, condition.start(), self.context)
    }

    fn image(&self, open: &Diagram) -> Result<Diagram, LimitReached> {
        kernel::image(open, &self.game.relations, &self.game.roots, self.context)
    }

    /// The number of terminal states of a layer of `states` states, and the successors of the others.
    fn expand(&self, layer: &Diagram, states: &BigUint) -> Result<(BigUint, Diagram), SolveError> {
        if self.game.stuck_terminal {
            return Ok((self.terminal_states(layer)?, self.image(layer)?));
        }
        let open = self.select(layer, &self.game.open)?;
        Ok((states - open.count(self.context.limits())?, self.image(&open)?))
    }

    /// Whether no role that has a choice in a state of the layer has one again in a successor.
    fn alternates(&self, layer: &Diagram) -> Result<bool, SolveError> {
        if self.alternates {
            return Ok(true);
        }
        for choosing in &self.game.choosing {
            let after = self.image(&self.select(layer, choosing)?)?;
            if !self.select(&after, choosing)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Expansion for Relations<'_> {
    fn engine(&self) -> Engine {
        Engine::Symbolic
    }

    fn variables(&self) -> &Variables {
        &self.game.variables
    }

    fn initial(&self) -> &[bool] {
        &self.game.initial
    }

    fn rewards(&self) -> &[Vec<u8>] {
        &self.game.rewards
    }

    fn step(
        &self,
        layer: &Diagram,
        states: &BigUint,
        dead_ends: bool,
        alternating: bool,
    ) -> Result<Result<Step, Vec<bool>>, SolveError> {
        if let Some(state) = self.violation(layer, dead_ends)? {
            return Ok(Err(state));
        }
        let (terminal, next) = self.expand(layer, states)?;
        let alternates = alternating && self.alternates(layer)?;
        Ok(Ok(Step { terminal, next, alternates }))
    }

    fn successors(&self, states: &Diagram) -> Result<Diagram, SolveError> {
        if self.game.stuck_terminal {
            return Ok(self.image(states)?);
        }
        Ok(self.image(&self.select(states, &self.game.open)?)?)
    }

    fn terminals(&self, states: &Diagram) -> Result<Diagram, SolveError> {
        Ok(self.select(states, &self.game.terminal)?)
    }

    fn terminal_states(&self, states: &Diagram) -> Result<BigUint, SolveError> {
        Ok(self.terminals(states)?.count(self.context.limits())?)
    }

    fn violation(&self, layer: &Diagram, dead_ends: bool) -> Result<Option<Vec<bool>>, SolveError> {
        for check in &self.game.checks {
            if check.kind == CheckKind::DeadEnd && !dead_ends {
                continue;
            }
            let wrong = self.select(layer, &check.condition)?.pick(1);
            if wrong.is_some() {
                return Ok(wrong);
            }
        }
        Ok(None)
    }

    fn values(
        &self,
        layer: &Diagram,
        _next: Option<&Diagram>,
        after: Given,
        preferences: &Preferences,
    ) -> Result<Diagram, SolveError> {
        let game = &self.game;
        Ok(kernel::preimage(
            layer,
            after,
            &game.relations,
            &game.roots,
            &game.payoff,
            game.payoff.start(),
            game.stuck_terminal,
            preferences,
            self.context,
        )?)
    }

    fn has_retrograde(&self) -> bool {
        true
    }

    fn prepare(&self, layers: &[Ahead]) -> Vec<Result<Prepared, SolveError>> {
        let game = &self.game;
        let one = |ahead: &Ahead, context: &Context| {
            let labels = labels(game, ahead.layer, context)?;
            kernel::prepare(&labels, ahead.next, &game.relations, &game.roots, ahead.most, context)
        };
        if let [ahead] = layers {
            return vec![one(ahead, self.context).map_err(SolveError::from)];
        }
        let prepared: Vec<_> = layers.iter().map(|_| Mutex::new(None)).collect();
        let alone = self.context.alone();
        // The largest first, so that the threads are done at about the same time.
        let mut numbers: Vec<usize> = (0..layers.len()).collect();
        numbers.sort_by_key(|&number| Reverse(layers[number].layer.node_count()));
        let mut threads = vec![(); layers.len().min(self.context.threads())];
        self.context.share(&numbers, &mut threads, |_, &number, ()| {
            let done = one(&layers[number], &alone);
            *prepared[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        });
        let done = prepared.into_iter().map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner));
        done.map(|done| Ok(done.expect("each piece of shared work is done")?)).collect()
    }

    fn state_by_state(
        &self,
        layer: &Diagram,
        next: &Diagram,
        after: &Bitvector,
        preferences: &Preferences,
        way: Way,
    ) -> Result<Retrograde, SolveError> {
        let labels = labels(&self.game, layer, self.context)?;
        let (relations, roots) = (&self.game.relations, &self.game.roots);
        Ok(kernel::state_by_state(&labels, next, after, relations, roots, preferences, way, self.context)?)
    }

    fn choosing(&self, states: &Diagram, role: usize) -> Result<Diagram, SolveError> {
        Ok(self.select(states, &self.game.choosing[role])?)
    }

    fn predecessors(&self, within: &Diagram, targets: &Diagram) -> Result<Diagram, SolveError> {
        Ok(kernel::intersection(within, &self.before(targets)?, self.context)?)
    }

    fn predecessor(&self, states: &Diagram, target: &[bool]) -> Result<Option<Vec<bool>>, SolveError> {
        let before = self.before(&Diagram::single(states.levels(), target))?;
        let open = self.select(states, &self.game.open)?;
        Ok(kernel::intersection(&before, &open, self.context)?.pick(1))
    }
}

/// A layer whose terminals tell what each state is.
fn labels(game: &SymbolicGame, layer: &Diagram, context: &Context) -> Result<Diagram, LimitReached> {
    let payoff = &game.payoff;
    if !game.stuck_terminal {
        return kernel::labels(layer, payoff, payoff.start(), false, context);
    }
    let select = |condition: &ConditionAutomaton| kernel::select(layer, condition, condition.start(), context);
    let open = kernel::labels(&select(&game.open)?, payoff, payoff.start(), true, context)?;
    let terminal = kernel::labels(&select(&game.terminal)?, payoff, payoff.start(), false, context)?;
    kernel::overlay(&open, &terminal, context)
}

/// The relations that lead back.
fn inverse(relations: &relation::Relations, roots: &[RelationId]) -> (relation::Relations, Vec<RelationId>) {
    let mut inverse = relation::Relations::new();
    let mut renamed = Vec::with_capacity(relations.nodes().len());
    renamed.extend([NONE, IDENTITY]);
    for node in &relations.nodes()[renamed.len()..] {
        let [t00, t01, t10, t11] = node.t.map(|target: RelationId| renamed[target.index()]);
        renamed.push(inverse.make(node.level, [t00, t10, t01, t11]));
    }
    let roots = roots.iter().map(|&root| renamed[root.index()]).collect();
    (inverse, roots)
}
