//! First phase of the image: makes a nondeterministic diagram of **choices** from all (node, relation) pairs that
//! follow from the roots. Key: (node, relation). A pair with the identity relation stands for the set below the node.
//!
//! A choice has two lists of choices, one for value false after the move and one for value true. Each list has at most
//! two choices: one for value false before the move, one for value true. On the way up, pairs that lead nowhere are
//! dropped and equal choices are merged. The id of a choice is its position in a pool of words, ascending from the
//! bottom level up; so the second phase needs one memory access per list element, and tells levels apart by ids.

use super::context::{Context, Kind};
use super::ids::id;
use super::level::Level;
use super::levels::LevelIndex;
use super::memory::{Region, prefetch};
use super::node::{Node, TERMINALS, node_of, pack, unpack};
use super::relation::{IDENTITY, NONE, RelationId, RelationNode, Relations};
use super::shown::Shown;
use super::source::Source;
use super::sweep::{
    Made, One, Operation, Output, Parts, Payload, Raised, Reduction, Root, Sendable, descend, raise, raise_together,
};
use base::limits::{LimitReached, Limits};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

id! {
    /// The position of a choice's words in the pool; or, below [`TERMINALS`], a terminal.
    pub(super) struct Choice
}

impl Choice {
    pub(super) const DEAD: Choice = Choice::from_bits(0);

    #[inline(always)]
    pub(super) fn is_terminal(self) -> bool {
        self.bits() < TERMINALS
    }
}

#[derive(Clone, Copy)]
enum Pair {
    Dead,
    Terminal(u32),
    Request(Level, u64),
}

struct Pairs<'a, S> {
    source: S,
    relations: &'a [RelationNode],
}

impl<S: Source> Pairs<'_, S> {
    #[inline(always)]
    fn relation(&self, id: RelationId) -> &RelationNode {
        &self.relations[id.index()]
    }

    /// Follows a pair down to the level of `node`. The source skips the levels above, so they are false before the
    /// move; the loop ends early at a level that may become true.
    #[inline(always)]
    fn normalise(&self, node: Node, mut relation: RelationId) -> Pair {
        if node == Node::ZERO || relation == NONE {
            return Pair::Dead;
        }
        let level = self.source.index().level(node);
        while relation != IDENTITY {
            let test = self.relation(relation);
            if test.level >= level || test.t[1] != NONE {
                return Pair::Request(level.min(test.level), pack(node, relation));
            }
            relation = test.t[0];
            if relation == NONE {
                return Pair::Dead;
            }
        }
        match node.as_terminal() {
            Some(terminal) => Pair::Terminal(terminal),
            None => Pair::Request(level, pack(node, IDENTITY)),
        }
    }

    /// The node that determines the partition of a pair: its own, or any node of the level if its own is deeper.
    #[inline(always)]
    fn divider(&self, level: Level, key: u64) -> Node {
        self.source.index().divider(level, node_of(key))
    }
}

impl<S: Source> Operation for Pairs<'_, S> {
    type Form = One;
    const CHILDREN: usize = 4;
    type Local = ();

    fn give(&self, level: Level) -> Cow<'_, [u32]> {
        self.source.give(level)
    }

    fn take(&mut self, level: Level, parts: &[&[u32]], limits: &Arc<Limits>) -> Result<(), LimitReached> {
        self.source.take(level, parts, limits)
    }

    fn nodes(&self, level: Level) -> Range<u32> {
        self.source.index().range(level)
    }

    #[inline(always)]
    fn prefetch(&self, key: &[u64]) {
        self.source.prefetch(node_of(key[0]));
    }

    /// The children for value false after the move, from false and from true before; then the same for true.
    #[inline(always)]
    fn expand(&self, level: Level, key: &[u64], (): &mut (), output: &mut Output) {
        let (node, relation) = unpack(key[0]);
        let at = node >= self.source.index().start(level);
        let [lo, hi] = if at { self.source.node(node) } else { [node, Node::ZERO] };
        let test = self.relation(relation);
        let t = if test.level == level { test.t } else { [relation, NONE, NONE, relation] };
        let children =
            [self.normalise(lo, t[0]), self.normalise(hi, t[2]), self.normalise(lo, t[1]), self.normalise(hi, t[3])];
        for (child, pair) in children.into_iter().enumerate() {
            match pair {
                Pair::Dead => output.terminal(child, 0),
                Pair::Terminal(terminal) => output.terminal(child, terminal),
                Pair::Request(level, key) => {
                    output.takes(1);
                    let start = output.keys.len();
                    output.keys.push(key);
                    output.request::<One>(child, level, self.divider(level, key), start);
                    continue;
                }
            }
            if !matches!(pair, Pair::Dead) {
                output.takes(1);
            }
        }
    }
}

#[derive(Clone, Copy)]
struct New {
    header: u32,
    choices: [Choice; 4],
}

#[inline(always)]
fn settle(choices: &mut [Choice; 2]) -> &[Choice] {
    let [a, b] = *choices;
    *choices = [a.min(b), a.max(b)];
    if choices[0] == Choice::DEAD || choices[0] == choices[1] {
        if choices[1] == Choice::DEAD { &[] } else { &choices[1..] }
    } else {
        choices
    }
}

struct Merge;

impl Reduction for Merge {
    const CHILDREN: usize = 4;
    type Unit = u32;
    type Node = New;

    #[inline(always)]
    fn made(&self, children: &[u32], _payload: Payload) -> Made<New> {
        let [a, b, c, d] = [0, 1, 2, 3].map(|child| Choice::from_bits(children[child]));
        let (mut lo, mut hi) = ([a, b], [c, d]);
        match (settle(&mut lo), settle(&mut hi)) {
            ([], []) => Made::Known(Choice::DEAD.bits()),
            // By zero suppression, a choice with a single successor, for value false, is this successor.
            (&[below], []) => Made::Known(below.bits()),
            (lo, hi) => {
                let mut new = New { header: (lo.len() | hi.len() << 8) as u32, choices: [Choice::DEAD; 4] };
                for (place, &choice) in new.choices.iter_mut().zip(lo.iter().chain(hi)) {
                    *place = choice;
                }
                Made::Node(new)
            }
        }
    }

    #[inline(always)]
    fn hash(new: &New) -> u32 {
        let mut hash = u64::from(new.header);
        for &choice in &new.choices[..New::len(new)] {
            hash = (hash ^ u64::from(choice.bits())).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            hash ^= hash >> 32;
        }
        (hash.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as u32
    }

    #[inline(always)]
    fn units(new: &New) -> u32 {
        1 + new.len() as u32
    }

    #[inline(always)]
    unsafe fn write(new: &New, at: *mut u32) {
        // SAFETY: by the trait's contract.
        unsafe {
            *at = new.header;
            for (k, &below) in new.choices[..new.len()].iter().enumerate() {
                *at.add(1 + k) = below.bits();
            }
        }
    }

    #[inline(always)]
    unsafe fn is_at(new: &New, at: *const u32) -> bool {
        // SAFETY: by the trait's contract; the header says how many words follow.
        unsafe { *at == new.header && (0..new.len()).all(|k| *at.add(1 + k) == new.choices[k].bits()) }
    }
}

impl Sendable for Merge {
    #[inline(always)]
    unsafe fn read(at: *const u32) -> New {
        // SAFETY: by the trait's contract; the header says how many words follow.
        unsafe {
            let mut new = New { header: *at, choices: [Choice::DEAD; 4] };
            for k in 0..new.len() {
                new.choices[k] = Choice::from_bits(*at.add(1 + k));
            }
            new
        }
    }
}

impl New {
    #[inline(always)]
    fn len(&self) -> usize {
        ((self.header & 0xFF) + (self.header >> 8)) as usize
    }
}

/// The end of a list that is being filled.
#[derive(Clone, Copy)]
pub(super) struct Ends(pub(super) *mut Choice);

impl Ends {
    /// Appends the first `count` of two choices.
    ///
    /// # Safety
    /// There must be room for two choices.
    #[inline(always)]
    unsafe fn append(&mut self, two: [Choice; 2], count: usize) {
        // SAFETY: by this function's contract.
        unsafe {
            self.0.write(two[0]);
            self.0.add(1).write(two[1]);
            self.0 = self.0.add(count);
        }
    }
}

enum Place {
    Here(Region),
    /// Each process has some of the choices, and all processes have those of the level being expanded.
    Parts(Parts, Shown),
}

pub(super) struct Choices {
    place: Place,
    /// The address that a choice with id 0 would have.
    base: *const u32,
    index: LevelIndex<Choice>,
    pub(super) roots: Vec<Choice>,
}

// SAFETY: `base` points into memory of `place`, which is only written by `Choices::take`.
unsafe impl Sync for Choices {}

impl Choices {
    fn new(place: Place, ends: Vec<u32>, roots: Vec<u32>) -> Choices {
        let base = match &place {
            Place::Here(pool) => pool.base().cast::<u32>().cast_const().wrapping_sub(TERMINALS as usize),
            Place::Parts(..) => std::ptr::null(),
        };
        let roots = roots.into_iter().map(Choice::from_bits).filter(|&choice| choice != Choice::DEAD).collect();
        Choices { place, base, index: LevelIndex::new(ends), roots }
    }

    pub(super) fn give(&self, level: Level) -> Cow<'_, [u32]> {
        match &self.place {
            Place::Here(_) => Cow::Borrowed(&[]),
            Place::Parts(parts, _) => parts.words(level).into(),
        }
    }

    pub(super) fn take(&mut self, level: Level, parts: &[&[u32]], limits: &Arc<Limits>) -> Result<(), LimitReached> {
        if let Place::Parts(_, shown) = &mut self.place {
            shown.show(self.index.range(level).start as usize, parts, limits)?;
            self.base = shown.base();
        }
        Ok(())
    }

    pub(super) fn levels(&self) -> u32 {
        self.index.levels()
    }

    pub(super) fn range(&self, level: Level) -> Range<u32> {
        self.index.range(level)
    }

    #[inline(always)]
    pub(super) fn start(&self, level: Level) -> Choice {
        self.index.start(level)
    }

    #[inline(always)]
    pub(super) fn level(&self, choice: Choice) -> Level {
        self.index.level(choice)
    }

    /// Appends the successors of a choice to two lists: to `lo` those for value false after the move, to `hi` those for
    /// value true, at most two each. A choice below the level that `here` begins is itself appended to `lo`.
    /// [`Choice::DEAD`] adds nothing.
    ///
    /// # Safety
    /// There must be room for two more elements in each list.
    #[inline(always)]
    pub(super) unsafe fn follow(&self, choice: Choice, here: Choice, lo: &mut Ends, hi: &mut Ends) {
        let alone = [u32::from(choice != Choice::DEAD), choice.bits(), 0, 0, 0];
        let place = if choice >= here { self.place(choice) } else { alone.as_ptr() };
        // SAFETY: the choice comes from this pool. It has a word with the lengths of the two lists, at most two each,
        // and then their choices. All that may count is copied, also what lies behind the last choice (see
        // `memory::READABLE`), because branches on the lengths would often be mispredicted.
        unsafe {
            let [first, second] = [*place & 0xFF, *place >> 8].map(|n| n as usize);
            let at = |word: usize| Choice::from_bits(*place.add(word));
            lo.append([at(1), at(2)], first);
            hi.append([at(1 + first), at(2 + first)], second);
        }
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, choice: Choice) {
        prefetch(self.place(choice));
    }

    #[inline(always)]
    fn place(&self, choice: Choice) -> *const u32 {
        self.base.wrapping_add(choice.bits() as usize)
    }
}

fn begin<'a, S: Source>(
    source: S,
    root: Option<Node>,
    relations: &'a Relations,
    roots: &[RelationId],
) -> (Pairs<'a, S>, Vec<Root>) {
    let operation = Pairs { source, relations: relations.nodes() };
    let mut starts = vec![];
    for (root, &relation) in root.into_iter().flat_map(|root| roots.iter().map(move |relation| (root, relation))) {
        match operation.normalise(root, relation) {
            Pair::Dead => {}
            Pair::Terminal(terminal) => starts.push(Root::Terminal(terminal)),
            Pair::Request(level, key) => {
                starts.push(Root::request(level, operation.divider(level, key), vec![key]));
            }
        }
    }
    (operation, starts)
}

/// The pairs from `root` on. In a context of several processes, which sweep together, only process 0 has a root.
pub(super) fn pairs<S: Source>(
    source: S,
    root: Option<Node>,
    relations: &Relations,
    roots: &[RelationId],
    context: &Context,
) -> Result<Choices, LimitReached> {
    let levels = source.index().levels();
    let (mut operation, starts) = begin(source, root, relations, roots);
    let expanded = descend(&mut operation, Kind::Pairs, levels, starts, 2, context)?;
    drop(operation);
    if context.peers().is_none() {
        let Raised { units, ends, roots } = raise(expanded, &Merge, Kind::Pairs, context)?;
        return Ok(Choices::new(Place::Here(units), ends, roots));
    }
    let mut parts = raise_together(expanded, &Merge, Kind::Pairs, context)?;
    let (ends, roots) = (parts.ends.clone(), std::mem::take(&mut parts.roots));
    Ok(Choices::new(Place::Parts(parts, Shown::default()), ends, roots))
}
