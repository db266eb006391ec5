//! Moves, labels and programs of layers that are solved by rank (see [`Expansion::by_rank`](super::Expansion::by_rank)).

use super::guarded::{OfStates, moves, select};
use base::limits::LimitReached;
use game::encode::SymbolicGame;
use kernel::{self, Context, Diagram, Guarded, Most, Prepared};
use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};

/// A layer for which a program is to be prepared.
pub struct Ahead<'a> {
    pub layer: &'a Diagram,
    /// The successors of its states.
    pub next: &'a Diagram,
    /// See [`kernel::Preferences::terminals`].
    pub terminals: &'a [u32],
    pub most: Most,
}

/// The layer with terminals that classify its states, see [`kernel::labels`].
pub fn labels(
    game: &SymbolicGame,
    layer: &Diagram,
    terminals: &[u32],
    context: &Context,
) -> Result<Diagram, LimitReached> {
    let of = |states: &Diagram, open: bool| {
        let payoff = game.payoff.begin()?;
        kernel::labels(states, &*payoff, payoff.start(), open, terminals, context)
    };
    if !game.stuck_terminal {
        return of(layer, false);
    }
    let open = of(&select(layer, &game.open, context)?, true)?;
    let terminal = of(&select(layer, &game.terminal, context)?, false)?;
    kernel::overlay(&open, &terminal, context)
}

/// Relations that contain all moves of all states, and perhaps more. They are restricted to states that are not
/// terminal if at most `most` steps suffice for that.
pub fn possible_moves(game: &SymbolicGame, most: usize) -> Result<OfStates<'_>, LimitReached> {
    let (relations, roots) = (&game.relations, game.moves.all());
    if !game.stuck_terminal {
        let open = game.open.begin()?;
        let of_open = Guarded { roots: &roots, automaton: &*open, start: open.start() };
        if let Some((relations, roots)) = kernel::guarded(relations, &[], &[of_open], most)? {
            return Ok(OfStates::owned(relations, roots));
        }
    }
    Ok(OfStates::of(relations, roots))
}

/// The states of a layer with their terminals (see [`kernel::labels`]), and their moves.
pub fn of_layer<'g>(
    game: &'g SymbolicGame,
    layer: &Diagram,
    terminals: &[u32],
    context: &'g Context,
) -> Result<(Diagram, OfStates<'g>), LimitReached> {
    Ok((labels(game, layer, terminals, context)?, moves(game, layer, context)?))
}

/// Prepares a layer for [`kernel::execute`].
pub fn prepare(game: &SymbolicGame, ahead: &Ahead, context: &Context) -> Result<Prepared, LimitReached> {
    let (labels, moves) = of_layer(game, ahead.layer, ahead.terminals, context)?;
    kernel::prepare(&labels, ahead.next, &moves.relations, &moves.roots, ahead.most, context)
}

/// Prepares several layers with one thread each, or a single one with all.
pub fn prepare_all(game: &SymbolicGame, layers: &[Ahead], context: &Context) -> Vec<Result<Prepared, LimitReached>> {
    if let [ahead] = layers {
        return vec![prepare(game, ahead, context)];
    }
    let prepared: Vec<_> = layers.iter().map(|_| Mutex::new(None)).collect();
    let alone = context.alone();
    // The largest layers come first, so that threads finish at about the same time.
    let mut numbers: Vec<usize> = (0..layers.len()).collect();
    numbers.sort_by_key(|&number| Reverse(layers[number].layer.node_count()));
    let mut threads = vec![(); layers.len().min(context.threads())];
    context.share(&numbers, &mut threads, |_, &number, ()| {
        let done = prepare(game, &layers[number], &alone);
        *prepared[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
    });
    let done = prepared.into_iter().map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner));
    done.map(|done| done.expect("each piece of shared work is done")).collect()
}
