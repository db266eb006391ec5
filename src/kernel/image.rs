//! The image of a set under moves, all at once. It takes two phases: `pairs` makes a nondeterministic diagram of single
//! (node, relation) pairs; this file makes it deterministic (the subset construction). Key: a sorted list of choices.
//!
//! Cost: a list has as many elements as moves overlap, 1 to 9 on average in the games measured.

use super::context::{Context, Kind};
use super::diagram::Diagram;
use super::level::Level;
use super::lists::{pack, sort_and_dedup, unpack};
use super::pairs::{Choice, Choices, pairs};
use super::relation::{RelationId, Relations};
use super::sweep::{Ids, Operation, Output, Root, ZeroSuppressed, descend, reduce};
use base::limits::LimitReached;
use std::ops::Range;

struct Determinise<'a> {
    choices: &'a Choices,
}

impl Determinise<'_> {
    /// Makes a list a key. Returns its terminal, or the level of the key with a choice of that level.
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

impl Operation for Determinise<'_> {
    type Form = Ids;
    type Local = [Vec<Choice>; 2];

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
        let [lo, hi] = local;
        lo.clear();
        hi.clear();
        // The first choice of this level. It is at least TERMINALS, so terminals, padding and choices of deeper levels
        // are below.
        let here = self.choices.start(level);
        for choice in key.iter().flat_map(|&word| unpack(word)) {
            if choice >= here {
                self.choices.follow(choice, lo, hi);
            } else if choice != Choice::DEAD {
                lo.push(choice);
            }
        }
        for (bit, list) in [lo, hi].into_iter().enumerate() {
            let start = output.keys.len();
            match self.finish(list, &mut output.keys) {
                Ok(terminal) => output.terminal(bit, terminal),
                Err((level, choice)) => output.request::<Ids>(bit, level, choice, start),
            }
        }
    }
}

/// The set of all states to which some relation of `roots` leads from an element of `set`.
pub fn image(
    set: &Diagram,
    relations: &Relations,
    roots: &[RelationId],
    context: &Context,
) -> Result<Diagram, LimitReached> {
    let choices = pairs(set, relations, roots, context)?;
    let mut operation = Determinise { choices: &choices };
    let (mut list, mut key) = (choices.roots.clone(), vec![]);
    let root = match operation.finish(&mut list, &mut key) {
        Ok(terminal) => Root::Terminal(terminal),
        Err((level, choice)) => Root::request(level, choice, key),
    };
    let expanded = descend(&mut operation, Kind::Determinise, set.levels(), vec![root], 2, context)?;
    drop(choices);
    reduce(expanded, &ZeroSuppressed, Kind::Determinise, context)
}
