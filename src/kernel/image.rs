//! The image of a set under all moves at once, in two phases: `pairs` makes a nondeterministic diagram of (node,
//! relation) pairs; this file makes it deterministic (the subset construction). Key: a sorted list of choices.
//! Cost: a list has as many elements as moves overlap, 1 to 9 on average in the games measured.

use super::context::{Context, Kind};
use super::diagram::Diagram;
use super::level::Level;
use super::lists::{pack, sort_and_dedup, unpack};
use super::pairs::{Choice, Choices, Ends, pairs};
use super::peers::Peers;
use super::relation::{RelationId, Relations};
use super::source::Lent;
use super::sweep::{Expanded, List, Operation, Output, Root, ZeroSuppressed, descend, reduce, reduce_together};
use base::limits::{LimitReached, Limits};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

struct Determinise {
    choices: Choices,
}

impl Determinise {
    /// Appends the key of a list to `keys` and returns, as the error, its level and a choice of that level. Returns
    /// terminal 0 instead for an empty list, and terminal 1 for a list of terminals alone.
    #[inline(always)]
    fn finish(&self, list: &mut Vec<Choice>, keys: &mut Vec<u64>) -> Result<u32, (Level, Choice)> {
        sort_and_dedup(list, 0);
        match list.last() {
            None => Ok(0),
            Some(&highest) if highest.is_terminal() => Ok(1),
            Some(&highest) => {
                pack(list, keys);
                Err((self.choices.level(highest), highest))
            }
        }
    }
}

impl Operation for Determinise {
    type Form = List;
    type Local = [Vec<Choice>; 2];

    fn give(&self, level: Level) -> Cow<'_, [u32]> {
        self.choices.give(level)
    }

    fn take(&mut self, level: Level, parts: &[&[u32]], limits: &Arc<Limits>) -> Result<(), LimitReached> {
        self.choices.take(level, parts, limits)
    }

    fn nodes(&self, level: Level) -> Range<u32> {
        self.choices.range(level)
    }

    #[inline(always)]
    fn prefetch(&self, key: &[u64]) {
        for choice in key.iter().flat_map(|&word| unpack(word)) {
            self.choices.prefetch(choice);
        }
    }

    #[inline(always)]
    fn expand(&self, level: Level, key: &[u64], local: &mut Self::Local, output: &mut Output) {
        let most = 4 * key.len();
        for list in &mut *local {
            list.clear();
            list.reserve(most);
        }
        let starts = [0, 1].map(|bit| Ends(local[bit].as_mut_ptr()));
        let [mut lo, mut hi] = starts;
        // The first choice of this level. Choices of deeper levels, terminals and padding have smaller ids.
        let here = self.choices.start(level);
        for choice in key.iter().flat_map(|&word| unpack(word)) {
            // SAFETY: each word of the key has two choices, and each list has room for two elements for each of these.
            unsafe { self.choices.follow(choice, here, &mut lo, &mut hi) };
        }
        for ((list, start), end) in local.iter_mut().zip(starts).zip([lo, hi]) {
            // SAFETY: the elements from the start of the list to its end were written.
            unsafe { list.set_len(end.0.offset_from_unsigned(start.0)) };
        }
        let [lo, hi] = local;
        for (bit, list) in [lo, hi].into_iter().enumerate() {
            let start = output.keys.len();
            match self.finish(list, &mut output.keys) {
                Ok(terminal) => output.terminal(bit, terminal),
                Err((level, choice)) => output.request::<List>(bit, level, choice, start),
            }
        }
    }
}

/// Expands the lists of choices. If the context has several processes, all of them do this together.
fn determinised(mut choices: Choices, context: &Context) -> Result<Expanded, LimitReached> {
    let (levels, leads) = (choices.levels(), context.peers().is_none_or(Peers::leads));
    let (mut list, mut key) = (std::mem::take(&mut choices.roots), vec![]);
    let mut operation = Determinise { choices };
    let root = match operation.finish(&mut list, &mut key) {
        Ok(terminal) => Root::Terminal(terminal),
        Err((level, choice)) => Root::request(level, choice, key),
    };
    let roots = if leads { vec![root] } else { vec![] };
    descend(&mut operation, Kind::Determinise, levels, roots, 2, context)
}

pub fn image(
    set: &Diagram,
    relations: &Relations,
    roots: &[RelationId],
    context: &Context,
) -> Result<Diagram, LimitReached> {
    let choices = pairs(set, Some(set.root()), relations, roots, context)?;
    reduce(determinised(choices, context)?, &ZeroSuppressed {}, Kind::Determinise, context)
}

/// As [`image`], by all processes of the context together (see [`Context::with_peers`]). Only process 0 has the set and
/// gets the image; all have the same relations. Requests and their results are divided among the processes.
pub fn image_together(
    set: Option<&Diagram>,
    relations: &Relations,
    roots: &[RelationId],
    context: &Context,
) -> Result<Option<Diagram>, LimitReached> {
    let peers = context.peers().expect("a context of several processes");
    peers.in_step(|| {
        let lent = Lent::new(set, peers, context.limits())?;
        let choices = pairs(lent, set.map(Diagram::root), relations, roots, context)?;
        reduce_together(determinised(choices, context)?, Kind::Determinise, context)
    })
}
