//! The ends of play of a single player, layer by layer, and a shortest play to the best of them.
//!
//! With one player the value of a state is the best end that can be reached, so a shortest play to it leads to the
//! first layer that has such an end, and goes back from there: a predecessor of the state in the layer before, and so
//! on. That holds for layers and for states by distance alike. Cost: the terminal states of each layer are sorted by
//! their rewards; the play takes a preimage of one state a move.

use super::SolveError;
use super::global::line::through;
use super::global::orders::Orders;
use super::global::terminals::terminal_values;
use super::outcome::{Bucket, PlayedMove};
use super::pass::Pass;
use super::spool::Spool;
use super::stored::end_records;
use super::{buckets, options::SolveOptions};
use crate::kernel;

/// Where play of a single player can end.
pub struct Ends {
    /// By layer: its terminal states by their rewards, ascending.
    pub by_layer: Vec<Vec<Bucket>>,
    /// One of the best ends in the first layer that has one: its rank, the layer, the state by level.
    best: Option<(u32, usize, Vec<bool>)>,
}

impl Ends {
    /// Looks at all layers of a spool, which stay there, and stores what it finds if they are; nothing where several players have different ends in mind.
    pub fn find(pass: &Pass, spool: &mut Spool, options: &SolveOptions) -> Result<Option<Ends>, SolveError> {
        let Pass { game, expansion, context, .. } = *pass;
        if game.roles.len() != 1 {
            return Ok(None);
        }
        let orders = Orders::new(options.ranking(), 1, expansion.rewards());
        let mut ends = Ends { by_layer: Vec::new(), best: None };
        for index in 0..spool.figures().len() {
            let mut found = Vec::new();
            if spool.figures()[index].terminal != 0u32.into() {
                let terminal = expansion.terminals(&*spool.layer(index)?)?;
                let values = terminal_values(pass, &terminal, &orders)?;
                found =
                    buckets::of_layer(&terminal, &kernel::as_values(&values, context)?, expansion.rewards(), context)?;
                let ids = values.terminals().into_iter();
                if let Some((rank, id)) = ids.map(|id| (orders.rank(0, id), id)).max()
                    && ends.best.as_ref().is_none_or(|(best, ..)| rank > *best)
                {
                    let state = values.pick(id).expect("a set has a state for each of its terminals");
                    ends.best = Some((rank, index, state));
                }
            }
            ends.by_layer.push(found);
        }
        if let Some(store) = spool.store() {
            store.set_ends(ends.by_layer.iter().map(|ends| end_records(ends)).collect())?;
        }
        Ok(Some(ends))
    }

    /// A shortest play to the best end; none if play never ends.
    pub fn line(self, pass: &Pass, spool: &mut Spool) -> Result<Option<Vec<PlayedMove>>, SolveError> {
        let Some((_, last, state)) = self.best else { return Ok(None) };
        let mut states = vec![state];
        for index in (0..last).rev() {
            pass.context.limits().check()?;
            let before = pass.expansion.predecessor(&*spool.layer(index)?, &states[states.len() - 1])?;
            states.push(before.expect("a state of a layer has a predecessor in the layer before it"));
        }
        states.reverse();
        Ok(Some(through(pass, &states)))
    }
}
