//! Expands all states of a layer at once, by images and preimages under the game's relations and selections by its
//! automata.

use super::super::team::{Sweeps, Team};
use super::super::{Engine, SolveError};
use super::grouped::Grouped;
use super::guarded::{self, select};
use super::{Alternative, Expansion, States, Step};
use game::encode::{Analysis, CheckKind, ConditionAutomaton, Moves, Renewed, SymbolicGame, Variables};
use kernel::{self, Context, Diagram, Given, IDENTITY, NONE, Preferences, RelationId, Relations as Store};
use num_bigint::BigUint;
use std::cell::OnceCell;

pub struct Relations<'a> {
    game: SymbolicGame,
    /// Every move is proved to give the turn to the other role.
    alternates: bool,
    /// The relations for preimages, made on first use: the union of all moves, then the moves of each cost.
    inverse: OnceCell<(Store, Vec<Moves>)>,
    pub(super) alternative: Option<Alternative<'a>>,
    /// Sweeps that several processes make together.
    sweeps: Option<Sweeps>,
    grouped: Grouped,
    context: &'a Context,
}

impl<'a> Relations<'a> {
    pub fn new(analysis: &Analysis, game: SymbolicGame, context: &'a Context) -> Self {
        let (alternates, inverse) = (analysis.alternates, OnceCell::new());
        Relations { game, alternates, inverse, alternative: None, sweeps: None, grouped: Grouped::never(), context }
    }

    /// Lets the processes of a team make images and selections together.
    pub fn shared_by(self, team: &Team) -> Self {
        Relations { sweeps: Sweeps::of(team, self.context), ..self }
    }

    /// Makes images by groups of the relations where that is quicker.
    pub fn grouped(self) -> Self {
        Relations { grouped: Grouped::default(), ..self }
    }

    pub fn or(self, alternative: Alternative<'a>) -> Self {
        Relations { alternative: Some(alternative), ..self }
    }

    fn inverse(&self) -> &(Store, Vec<Moves>) {
        let lists = || std::iter::once(&self.game.moves).chain(self.game.by_cost.iter().map(|(_, moves)| moves));
        self.inverse.get_or_init(|| inverse(&self.game.relations, lists()))
    }

    /// The states of `within` from which some of `moves`, as inverse relations, lead to `targets`.
    fn before(&self, within: &Diagram, targets: &Diagram, moves: &Moves) -> Result<Diagram, SolveError> {
        let (inverse, context) = (&self.inverse().0, self.context);
        let before = |within: &Diagram, roots: &[RelationId]| {
            kernel::intersection(within, &kernel::image(targets, inverse, roots, context)?, context)
        };
        let mut all = before(within, &moves.roots)?;
        for (condition, roots) in &moves.guarded {
            let within = self.select(within, &self.game.conditions[*condition])?;
            all = kernel::union(&[&all, &before(&within, roots)?], context)?;
        }
        Ok(all)
    }

    fn select(&self, states: &Diagram, condition: &Renewed<ConditionAutomaton>) -> Result<Diagram, SolveError> {
        if let Some(sweeps) = &self.sweeps {
            let automaton = condition.begin()?;
            if let Some(selected) = sweeps.select(states, &*automaton, automaton.start())? {
                return Ok(selected);
            }
        }
        Ok(select(states, condition, self.context)?)
    }

    /// The states to which the moves of some states lead; none of `open` may be terminal.
    fn image(&self, open: &Diagram) -> Result<Diagram, SolveError> {
        let SymbolicGame { relations, moves, conditions, .. } = &self.game;
        let image = |states: &Diagram, roots: &[RelationId]| {
            let together = self.sweeps.as_ref().map_or(Ok(None), |sweeps| sweeps.image(states, relations, roots))?;
            let image = || self.grouped.image(states, relations, roots, self.context);
            Ok::<_, SolveError>(together.map_or_else(image, Ok)?)
        };
        let mut all = image(open, &moves.roots)?;
        for (condition, roots) in &moves.guarded {
            let selected = self.select(open, &conditions[*condition])?;
            if !selected.is_empty() {
                all = kernel::union(&[&all, &image(&selected, roots)?], self.context)?;
            }
        }
        Ok(all)
    }

    /// The number of terminal states of a layer of `states` states, and the successors of the other states.
    fn expand(&self, layer: &Diagram, states: &BigUint) -> Result<(BigUint, Diagram), SolveError> {
        if self.game.stuck_terminal {
            return Ok((self.terminals(layer)?.count(self.context)?, self.image(layer)?));
        }
        let open = self.select(layer, &self.game.open)?;
        Ok((states - open.count(self.context)?, self.image(&open)?))
    }

    /// Whether no role that has a choice in a state of the layer has a choice again in a successor.
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
        let sweep = |()| {
            if let Some(state) = self.violation(layer, dead_ends)? {
                return Ok(Err(state));
            }
            let (terminal, next) = self.expand(layer, states)?;
            let alternates = alternating && self.alternates(layer)?;
            Ok(Ok(Step { terminal, next, alternates }))
        };
        let Some(alternative) = &self.alternative else { return sweep(()) };
        let single = |single: &States, ()| single.step(layer, states, dead_ends, alternating);
        alternative.quicker(&alternative.image, (states, layer.node_count()), (), sweep, single)
    }

    fn falls_behind(&self, foretold: &dyn Fn() -> Option<f64>) -> bool {
        self.alternative.as_ref().is_some_and(|alternative| alternative.falls_behind(foretold))
    }

    fn work(&self) -> Option<u64> {
        self.alternative.as_ref().map(Alternative::work)
    }

    fn set_work(&self, work: u64) {
        if let Some(alternative) = &self.alternative {
            alternative.set_work(work);
        }
    }

    fn successors(&self, states: &Diagram) -> Result<Diagram, SolveError> {
        if self.game.stuck_terminal {
            return self.image(states);
        }
        self.image(&self.select(states, &self.game.open)?)
    }

    fn terminals(&self, states: &Diagram) -> Result<Diagram, SolveError> {
        self.select(states, &self.game.terminal)
    }

    fn violation(&self, layer: &Diagram, dead_ends: bool) -> Result<Option<Vec<bool>>, SolveError> {
        for check in &self.game.checks {
            if check.kind == CheckKind::DeadEnd && !dead_ends {
                continue;
            }
            let select = |states: &Diagram, condition: &_| self.select(states, condition);
            let cases: Result<Vec<_>, _> = check.cases.iter().map(|case| case.select(layer, select)).collect();
            let cases = cases?;
            let wrong = kernel::union(&cases.iter().collect::<Vec<_>>(), self.context)?.pick(1);
            if wrong.is_some() {
                return Ok(wrong);
            }
        }
        Ok(None)
    }

    fn values(
        &self,
        layer: &Diagram,
        next: Option<&Diagram>,
        after: Given,
        preferences: &Preferences,
    ) -> Result<Diagram, SolveError> {
        let sweep = |after: Given| {
            let game = &self.game;
            let payoff = game.payoff.begin()?;
            let moves = guarded::moves(game, layer, self.context)?;
            Ok(kernel::preimage(
                layer,
                after,
                &moves.relations,
                &moves.roots,
                &*payoff,
                payoff.start(),
                game.stuck_terminal,
                preferences,
                self.context,
            )?)
        };
        let Some(alternative) = &self.alternative else { return sweep(after) };
        let nodes = layer.node_count() + after.node_count();
        let single = |single: &States, after: Given| single.values(layer, next, after, preferences);
        let states = layer.count(self.context)?;
        alternative.quicker(&alternative.preimage, (&states, nodes), after, sweep, single)
    }

    fn needs_next(&self) -> bool {
        self.alternative.is_some()
    }

    fn begin_backward(&self) {
        self.game.let_go();
    }

    fn by_rank(&self) -> Option<&SymbolicGame> {
        (self.game.choosing.len() <= kernel::MOST_MOVERS).then_some(&self.game)
    }

    fn choosing(&self, states: &Diagram, role: usize) -> Result<Diagram, SolveError> {
        self.select(states, &self.game.choosing[role])
    }

    fn predecessors(&self, within: &Diagram, targets: &Diagram) -> Result<Diagram, SolveError> {
        self.before(within, targets, &self.inverse().1[0])
    }

    fn predecessors_by_cost(
        &self,
        within: &Diagram,
        targets: &Diagram,
    ) -> Result<Option<Vec<(u64, Diagram)>>, SolveError> {
        let of_costs = self.game.by_cost.iter().zip(&self.inverse().1[1..]);
        of_costs.map(|((cost, _), moves)| Ok(Some((*cost, self.before(within, targets, moves)?)))).collect()
    }

    fn predecessor(&self, states: &Diagram, target: &[bool]) -> Result<Option<Vec<bool>>, SolveError> {
        let open = self.select(states, &self.game.open)?;
        Ok(self.predecessors(&open, &Diagram::single(states.levels(), target))?.pick(1))
    }
}

fn inverse<'a>(relations: &Store, lists: impl Iterator<Item = &'a Moves>) -> (Store, Vec<Moves>) {
    let mut inverse = Store::new();
    let mut renamed = Vec::with_capacity(relations.nodes().len());
    renamed.extend([NONE, IDENTITY]);
    for node in &relations.nodes()[renamed.len()..] {
        let [t00, t01, t10, t11] = node.t.map(|target: RelationId| renamed[target.index()]);
        renamed.push(inverse.make(node.level, [t00, t10, t01, t11]));
    }
    let lists = lists.map(|moves| moves.renamed(|root| renamed[root.index()])).collect();
    (inverse, lists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::buckets;
    use crate::solve::outcome::Bucket;
    use base::limits::Limits;
    use game::diagnostic::Source;
    use game::ground::{GroundOptions, ground};
    use game::mutex;
    use game::propositional::Game;
    use game::rules::Language;
    use std::sync::Arc;

    fn connect_four() -> Game {
        let text = include_str!("../../../../games/connect4_4x5.gdl");
        let (program, _) = Language::Gdl.program(&Source::new("rules", text.as_bytes()));
        ground(&program.unwrap(), &Limits::unlimited(), &GroundOptions::default()).unwrap().game
    }

    /// Number of times that an automaton of the game was begun.
    fn begun(game: &SymbolicGame) -> u64 {
        let conditions = [&game.terminal, &game.open].into_iter().chain(&game.choosing);
        let cases = game.checks.iter().flat_map(|check| &check.cases);
        let checks: u64 = cases.map(|case| case.begun().1).sum();
        conditions.map(Renewed::begun).sum::<u64>() + checks + game.payoff.begun()
    }

    /// For each layer, the number of terminal states and the states of each value; and the number of times automata
    /// were begun. `taken`: the part of the memory bound that is held by something else.
    fn solved(game: &Game, memory: u64, taken: u64) -> (Vec<(BigUint, Vec<Bucket>)>, u64) {
        let limits = Arc::new(Limits::new(memory));
        let groups = mutex::groups(game, &mutex::Effort::default(), &limits).unwrap();
        let analysis = Analysis::new(game, &groups, &limits).unwrap();
        let order: Vec<usize> = (0..groups.len()).collect();
        let symbolic = SymbolicGame::new(&analysis, &order, &limits).unwrap();
        let context = Context::new(limits.clone(), 2);
        let relations = Relations::new(&analysis, symbolic, &context);
        let _taken = limits.hold(taken).unwrap();
        let mut layers = Vec::new();
        let mut layer = Diagram::single(relations.variables().levels(), relations.initial());
        while !layer.is_empty() {
            let states = layer.count(&context).unwrap();
            let Ok(step) = relations.step(&layer, &states, true, true).unwrap() else { panic!("a sound game") };
            layers.push((std::mem::replace(&mut layer, step.next), step.terminal));
        }
        relations.begin_backward();
        let rewards = relations.rewards();
        let rank = |role: usize| std::iter::once(0).chain(rewards.iter().map(|of| u32::from(of[role]) + 1)).collect();
        let preferences = Preferences::new((0..2).map(rank).collect());
        let mut after = Diagram::constant(relations.variables().levels(), 0);
        let (endings, mut found) = (game::ending::Endings::plain(rewards.to_vec()), Vec::new());
        while let Some((layer, terminal)) = layers.pop() {
            after = relations.values(&layer, None, after.into(), &preferences).unwrap();
            found.push((terminal, buckets::of_layer(&layer, &after, &endings, 0, &context).unwrap()));
        }
        (found, begun(&relations.game))
    }

    /// Dropping automata after sweeps and beginning them anew changes nothing but the memory they take.
    #[test]
    fn a_game_is_the_same_with_automata_renewed_between_sweeps() {
        let game = connect_four();
        let (wide, once) = solved(&game, u64::MAX, 0);
        let (tight, often) = solved(&game, 64 << 20, 50 << 20);
        assert_eq!(wide.len(), 21);
        assert!(wide == tight);
        assert!(once <= 8, "{once}: each is begun once");
        assert!(often > once + 10, "{often} times");
    }
}
