//! The gather program: the walk through a layer, with equal parts shared.
//!
//! A **configuration** is a node of the layer with a sorted list of entries: the pairs (node of the next layer,
//! relation) that are still possible there. The same configuration can occur several times, with other offsets of its
//! entries: an offset is the number of states of the next layer before the entry's node. Execution passes offsets down.
//! A configuration of at most 64 states is a block of links (see `blocks`), unless its code would be too long. Any
//! other configuration refers to two child configurations; for each entry of a child, it has the index of the entry
//! from which it comes, and the number of states in between. One sweep finds the distinct configurations: the way down
//! leaves the code of each (see `code`), and the way up puts the code together.

use super::blocks::{BLOCK, Link, Links, states_by_terminal};
use super::code::{is_block, set_references, write_block, write_inner};
use super::descent::Entry;
use super::parts::Part;
use super::side::Record;
use super::{Layers, MOVES, Unsolved};
use crate::context::{Context, Kind};
use crate::level::Level;
use crate::memory::Region;
use crate::node::{Node, TERMINALS, node_of, pack, pack_alone, unpack, unpack_alone};
use crate::sweep::{List, Made, Operation, Output, Payload, Raised, Reduction, Root, descend, raise};
use crate::threads::Apart;
use base::limits::LimitReached;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Words of a configuration besides code and key: an entry in its partition's hash table, and the references to it.
const SLOT_WORDS: u64 = 4;

pub struct Program {
    /// Code that begins at word `n` has the reference [`TERMINALS`]` + n`.
    pub code: Region,
    pub pieces: Vec<Piece>,
    pub configurations: u64,
    pub bytes: u64,
}

#[derive(Debug, Clone)]
pub struct Piece {
    pub reference: u32,
    pub offsets: Vec<u64>,
    pub start: u64,
    pub states: u64,
}

struct Builder<'a> {
    layers: &'a Layers<'a>,
    most: Most,
    dead_end: AtomicBool,
    too_large: AtomicBool,
    /// Whether keys of configurations count as memory: they do if the sweep has no disk for them.
    with_keys: bool,
    /// Number of configurations that threads have reported so far.
    configurations: Apart<AtomicU64>,
    /// Number of words that threads have reported so far.
    words: Apart<AtomicU64>,
}

/// The size beyond which a program is given up. `bytes` bounds the code, and keys, too, if there is no disk for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Most {
    pub configurations: u64,
    pub bytes: u64,
}

impl Most {
    pub const UNLIMITED: Most = Most { configurations: u64::MAX, bytes: u64::MAX };

    pub fn of(self, some: u64, all: u64) -> Most {
        let configurations = u128::from(self.configurations) * u128::from(some) / u128::from(all.max(1));
        Most { configurations: configurations as u64, ..self }
    }

    fn is_passed(self, configurations: u64, words: u64) -> bool {
        configurations > self.configurations || words > self.bytes / 8
    }
}

impl Program {
    pub fn states(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.states).sum()
    }
}

/// Number of configurations after which a thread reports its counts.
const TOLD: u64 = 256;

#[derive(Default)]
struct Scratch {
    configurations: u64,
    words: u64,
    entries: [Vec<Entry>; 2],
    spare: Vec<Entry>,
    terminals: Vec<(u32, u64)>,
    links: Vec<(u32, Link)>,
    finder: Links,
    code: Vec<u64>,
}

impl Scratch {
    fn leave(&mut self, output: &mut Output) {
        self.words += self.code.len() as u64;
        output.leave(&self.code);
        output.takes(self.code.len() as u64 - 1);
    }
}

#[inline(always)]
fn entry_of(source: usize, word: u64) -> Entry {
    let (node, relation) = unpack(word);
    Entry { node, relation, source: source as u32, offset: 0 }
}

impl Builder<'_> {
    fn give_up(&self, reason: &AtomicBool, output: &Output) {
        reason.store(true, Ordering::Relaxed);
        let limit = self.most.configurations;
        output.fail(LimitReached::Size { what: "configurations of a layer".into(), limit });
    }

    fn tell(&self, local: &mut Scratch) -> bool {
        let [configurations, words] = [&mut local.configurations, &mut local.words].map(std::mem::take);
        let configurations = self.configurations.0.fetch_add(configurations, Ordering::Relaxed) + configurations;
        let words = self.words.0.fetch_add(words, Ordering::Relaxed) + words;
        self.most.is_passed(configurations, words)
    }

    /// Follows a child down to the node at which its states branch, and sorts the entries; false at a dead end.
    fn settle(&self, node: Node, entries: &mut Vec<Entry>, spare: &mut Vec<Entry>) -> (Node, bool) {
        let node = self.layers.settle_sorted(node, entries, spare);
        let dead_end = entries.is_empty() && self.layers.labels.moves_below(node);
        (node, !dead_end)
    }

    /// Writes the code of a block, or gives up at a dead end. Returns false if the code would be too long.
    fn block(&self, node: Node, states: u64, key: &[u64], local: &mut Scratch, output: &mut Output) -> bool {
        local.links.clear();
        for (source, &word) in key.iter().enumerate() {
            let (next, relation) = unpack(word);
            let found = local.finder.find(self.layers, node, next, relation);
            local.links.extend(found.iter().map(|&link| (source as u32, link)));
        }
        states_by_terminal(self.layers, node, &mut local.terminals);
        local.terminals.sort_unstable_by_key(|&(terminal, _)| std::cmp::Reverse(terminal));
        let movers = local.terminals.iter().filter(|&&(terminal, _)| terminal >= MOVES).count();
        let moving = local.terminals[..movers].iter().fold(0, |all, &(_, mask)| all | mask);
        if local.links.iter().fold(0, |all, (_, link)| all | link.guard) != moving {
            self.give_up(&self.dead_end, output);
            return true;
        }
        let Scratch { terminals, links, code, .. } = &mut *local;
        if !write_block(states, terminals, movers, links, code) {
            return false;
        }
        local.leave(output);
        (0..2).for_each(|child| output.terminal(child, 0));
        true
    }

    /// The node that determines the partition of a configuration: its own, or any node of the level for a terminal.
    #[inline(always)]
    fn divider(&self, level: Level, node: Node) -> Node {
        self.layers.labels.index().divider(level, node)
    }

    fn inner(&self, node: Node, key: &[u64], local: &mut Scratch, output: &mut Output) {
        let &Record { level, lo, hi, states, first, .. } = self.layers.labels.record(node);
        let mut children = [lo, hi];
        for (bit, child) in children.iter_mut().enumerate() {
            let entries = key.iter().enumerate().map(|(source, &word)| entry_of(source, word));
            self.layers.step(level, bit, entries, &mut local.entries[bit]);
            let alive;
            (*child, alive) = self.settle(*child, &mut local.entries[bit], &mut local.spare);
            if !alive {
                return self.give_up(&self.dead_end, output);
            }
        }
        if !write_inner([first, states - first], &local.entries, &mut local.code) {
            return self.give_up(&self.too_large, output);
        }
        local.leave(output);
        for (bit, child) in children.into_iter().enumerate() {
            if let Some(value) = self.layers.labels.one_value(child) {
                output.terminal(bit, value);
                continue;
            }
            let start = output.keys.len();
            output.keys.push(pack_alone(child));
            output.keys.extend(local.entries[bit].iter().map(word_of));
            // A terminal has no level, so the request can be made at any level below this one. No level is below the
            // last one, but its nodes have at most two states, so they are blocks unless their code is too long.
            let below = if child.is_terminal() { level.below() } else { self.layers.labels.level(child) };
            if below == Level::end(self.layers.labels.index().levels()) {
                return self.give_up(&self.too_large, output);
            }
            output.request::<List>(bit, below, self.divider(below, child), start);
        }
    }
}

#[inline(always)]
fn word_of(entry: &Entry) -> u64 {
    pack(entry.node, entry.relation)
}

impl Operation for Builder<'_> {
    type Form = List;
    type Local = Scratch;

    fn nodes(&self, level: Level) -> Range<u32> {
        self.layers.labels.index().range(level)
    }

    #[inline(always)]
    fn prefetch(&self, key: &[u64]) {
        let node = unpack_alone(key[0]);
        if !node.is_terminal() {
            self.layers.labels.prefetch(node);
        }
        for &word in &key[1..] {
            self.layers.next.prefetch(node_of(word));
        }
    }

    fn expand(&self, _level: Level, key: &[u64], local: &mut Scratch, output: &mut Output) {
        local.configurations += 1;
        if self.with_keys {
            local.words += SLOT_WORDS + key.len() as u64;
        }
        if local.configurations == TOLD && self.tell(local) {
            return self.give_up(&self.too_large, output);
        }
        let node = unpack_alone(key[0]);
        let states = self.layers.labels.states(node);
        if states <= BLOCK && self.block(node, states, &key[1..], local, output) {
            return;
        }
        if node.is_terminal() {
            return self.give_up(&self.too_large, output);
        }
        self.inner(node, &key[1..], local, output);
    }

    fn finish(&self, local: &mut Scratch) {
        if self.tell(local) {
            self.too_large.store(true, Ordering::Relaxed);
        }
    }
}

struct Assembly;

impl Reduction for Assembly {
    const CHILDREN: usize = 2;
    const UNIQUE: bool = false;
    const PAYLOAD: bool = true;
    type Unit = u64;
    type Node = ([u32; 2], Payload);

    #[inline(always)]
    fn made(&self, children: &[u32], payload: Payload) -> Made<([u32; 2], Payload)> {
        Made::Node(([children[0], children[1]], payload))
    }

    fn hash(_node: &([u32; 2], Payload)) -> u32 {
        unreachable!("configurations are distinct as they are")
    }

    #[inline(always)]
    fn units((_, payload): &([u32; 2], Payload)) -> u32 {
        payload.length
    }

    #[inline(always)]
    unsafe fn write((references, payload): &([u32; 2], Payload), at: *mut u64) {
        // SAFETY: there is room by the trait's contract. The words were left on the way down: several for inner code.
        unsafe {
            std::ptr::copy_nonoverlapping(payload.words, at, payload.length as usize);
            if !is_block(at) {
                set_references(at, *references);
            }
        }
    }

    unsafe fn is_at(_node: &([u32; 2], Payload), _at: *const u64) -> bool {
        unreachable!("configurations are distinct as they are")
    }
}

/// Builds the program of some parts of a layer. The outcome does not depend on the number of threads.
pub fn build(
    layers: &Layers,
    parts: &[Part],
    most: Most,
    context: &Context,
) -> Result<Result<Program, Unsolved>, LimitReached> {
    let set = &layers.labels;
    let mut builder = Builder {
        layers,
        most,
        with_keys: context.scratch().is_none(),
        dead_end: AtomicBool::new(false),
        too_large: AtomicBool::new(false),
        configurations: Apart::default(),
        words: Apart::default(),
    };
    if parts.iter().any(|part| layers.is_stuck(part)) {
        return Ok(Err(Unsolved::DeadEnd));
    }
    let root = |&Part { node, ref entries, .. }: &Part| match set.one_value(node) {
        Some(value) => Root::Terminal(value),
        None => {
            let key = std::iter::once(pack_alone(node)).chain(entries.iter().map(word_of)).collect();
            let level = set.level(node).min(Level::new(set.levels().saturating_sub(1)));
            Root::request(level, builder.divider(level, node), key)
        }
    };
    let roots = parts.iter().map(root).collect();
    let caches = context.limits().hold(context.threads() as u64 * Links::bytes(layers))?;
    let expanded = descend(&mut builder, Kind::Gather, set.levels(), roots, TERMINALS, context);
    drop(caches);
    if builder.dead_end.into_inner() {
        return Ok(Err(Unsolved::DeadEnd));
    }
    if builder.too_large.into_inner() {
        return Ok(Err(Unsolved::TooLarge));
    }
    let words = builder.words.0.into_inner();
    let expanded = expanded?;
    let configurations = expanded.requests();
    let Raised { units: code, roots, .. } = raise(expanded, &Assembly, Kind::Gather, context)?;
    let piece = |(part, reference): (&Part, u32)| Piece {
        reference,
        offsets: part.entries.iter().map(|entry| entry.offset).collect(),
        start: part.start,
        states: part.states,
    };
    let pieces = parts.iter().zip(roots).map(piece).collect();
    Ok(Ok(Program { code, pieces, configurations, bytes: 8 * words }))
}
