//! Unranks each state, expands it, and ranks its successors: slow in general, a reference for the other ways, and quick
//! for a few states.

use super::orders::Run;
use super::output::Writer;
use super::{Layers, MOVES};
use crate::Ranking;
use crate::relation::{NONE, RelationId};
use base::limits::LimitReached;
use std::ops::Range;

/// Writes the values of the states with these ranks (`labels` and `next` number both layers); false where a state is a dead end.
pub fn run(
    layers: &Layers,
    [labels, next]: &[Ranking; 2],
    ranks: Range<u64>,
    run: &Run,
    output: &mut Writer,
) -> Result<bool, LimitReached> {
    for (n, rank) in ranks.enumerate() {
        if n % 4096 == 0 {
            run.check()?;
        }
        let Some((state, label)) = labels.unrank(rank) else { return Ok(false) };
        if label < MOVES {
            run.fill(output, 1, run.index_of(label));
            continue;
        }
        let mut best = None;
        let mut after = state.clone();
        // Levels set so far, relation, and whether `after` was changed there last.
        let mut stack: Vec<(usize, RelationId, bool)> = Vec::new();
        for &root in &layers.roots {
            stack.push((0, root, false));
            while let Some((from, relation, value)) = stack.pop() {
                let test = layers.relation(relation);
                // `from` is the level above which `after` is settled, with `value` at the last one.
                if from > 0 {
                    after[from - 1] = value;
                }
                let end = test.level.index().min(state.len());
                after[from..end].copy_from_slice(&state[from..end]);
                if end == state.len() {
                    let found = next.rank(&after).map(|rank| run.preference(label, rank));
                    best = best.max(found);
                    continue;
                }
                for value in [false, true] {
                    let to = test.t[2 * usize::from(state[end]) + usize::from(value)];
                    if to != NONE {
                        stack.push((end + 1, to, value));
                    }
                }
            }
        }
        match best {
            Some(best) => run.fill(output, 1, run.index_of_preference(label, best)),
            None => return Ok(false),
        }
    }
    Ok(true)
}
