//! Blocks: configurations of at most 64 states, whose moves are described by masks of states.
//!
//! A [`Link`] leads some states of the block (its guard) to the same number of states of the next layer (its image, in
//! a window of at most [`WINDOW`] ranks), in the same order. At first each link is a single move of a single state. On
//! the way up, links are joined if order and window allow. A move that tests all levels that it assigns becomes one
//! link if the window allows; other moves usually become a few links.

use super::Layers;
use super::bits::WINDOW;
use super::side::Record;
use crate::node::pack;
use crate::relation::{IDENTITY, NONE, RelationId};
use crate::{Context, Level, Node};

pub const BLOCK: u64 = 64;

/// `guard` has a bit for each state of the block. Bit 0 of `image` stands for the first state of the image; `base` is
/// the rank of that state, relative to the offset of the move's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    pub guard: u64,
    pub image: u64,
    pub base: u64,
}

/// Bounds on the number of entries of a thread's cache.
const MOST_SLOTS: usize = 1 << 17;
const FEWEST_SLOTS: usize = 1 << 8;
/// Number of links per entry for which a cache has memory.
const KEPT: usize = 4;
/// Nodes with fewer states are not looked up in the cache.
const LEAST_KEPT: u64 = 4;
const SLOT_BYTES: usize = size_of::<Slot>() + KEPT * size_of::<Link>();
/// The caches of all threads together take at most the memory bound divided by this number, or have [`FEWEST_SLOTS`].
const CACHES_SHARE: u64 = 16;

type Key = (Node, Node, RelationId);

#[derive(Clone, Copy, Default)]
struct Slot {
    key: Key,
    links: u32,
    start: u32,
}

#[derive(Default)]
pub struct Links {
    slots: Vec<Slot>,
    kept: Vec<Link>,
    work: Vec<Link>,
}

#[derive(Clone, Copy)]
struct Place {
    node: Node,
    next: Node,
    relation: RelationId,
    base: u64,
}

impl Links {
    /// Entries of each thread's cache for a layer of this number of nodes: about one per node, from [`FEWEST_SLOTS`] to
    /// [`MOST_SLOTS`], if [`CACHES_SHARE`] permits. The size changes only the time for finding links.
    pub fn slots(nodes: u64, context: &Context) -> usize {
        let share = context.limits().memory() / CACHES_SHARE / (context.threads() * SLOT_BYTES) as u64;
        let most = share.clamp(FEWEST_SLOTS as u64, MOST_SLOTS as u64).ilog2();
        nodes.next_power_of_two().clamp(FEWEST_SLOTS as u64, 1 << most) as usize
    }

    pub fn bytes(layers: &Layers) -> u64 {
        (layers.link_slots * SLOT_BYTES) as u64
    }

    pub fn find(&mut self, layers: &Layers, node: Node, next: Node, relation: RelationId) -> &[Link] {
        self.work.clear();
        self.follow(layers, Place { node, next, relation, base: 0 });
        &self.work
    }

    /// Recurses only where both children have states, so the depth is less than 64.
    fn follow(&mut self, layers: &Layers, first: Place) {
        let end = Level::end(layers.labels.levels());
        let mut waiting = Vec::new();
        let mut current = Some(first);
        'places: while let Some(mut place) = current.take().or_else(|| waiting.pop()) {
            loop {
                if place.next == Node::ZERO || place.relation == NONE || !layers.labels.moves_below(place.node) {
                    continue 'places;
                }
                let level = layers.labels.level(place.node);
                let test = layers.relation(place.relation);
                let top = level.min(test.level).min(layers.next.level(place.next));
                if top == end {
                    // All levels have been read, so the relation tests no level.
                    debug_assert!(place.relation == IDENTITY);
                    self.work.push(Link { guard: 1, image: 1, base: place.base });
                    continue 'places;
                }
                let mut bit = 0;
                if level == top {
                    let record = layers.labels.record(place.node);
                    if record.lo != Node::ZERO {
                        self.branch(layers, place, record);
                        continue 'places;
                    }
                    (place.node, bit) = (record.hi, 1);
                }
                let [to_lo, to_hi] = layers.choices(place.next, place.relation, top, bit);
                if to_hi.0 != NONE && to_hi.1 != Node::ZERO {
                    let place = Place { next: to_hi.1, relation: to_hi.0, base: place.base + to_hi.2, ..place };
                    if to_lo.0 == NONE || to_lo.1 == Node::ZERO {
                        current = Some(place);
                        continue 'places;
                    }
                    waiting.push(place);
                }
                (place.relation, place.next) = (to_lo.0, to_lo.1);
            }
        }
    }

    fn branch(&mut self, layers: &Layers, place: Place, record: &Record) {
        let begin = self.work.len();
        if record.states < LEAST_KEPT {
            self.both(layers, place, record);
        } else {
            let key = (place.node, place.next, place.relation);
            if self.slots.is_empty() {
                let slots = layers.link_slots;
                self.slots = vec![Slot::default(); slots];
                self.kept.reserve_exact(KEPT * slots);
            }
            let slot = slot(key) & (self.slots.len() - 1);
            let known = self.slots[slot];
            if known.key == key {
                self.work.extend_from_slice(&self.kept[known.start as usize..][..known.links as usize]);
            } else {
                self.both(layers, place, record);
                self.keep(slot, key, begin);
            }
        }
        self.work[begin..].iter_mut().for_each(|link| link.base += place.base);
    }

    fn both(&mut self, layers: &Layers, place: Place, record: &Record) {
        let begin = self.work.len();
        for (relation, next, base) in layers.choices(place.next, place.relation, record.level, 0) {
            self.follow(layers, Place { node: record.lo, next, relation, base });
        }
        let middle = self.work.len();
        for (relation, next, base) in layers.choices(place.next, place.relation, record.level, 1) {
            self.follow(layers, Place { node: record.hi, next, relation, base });
        }
        self.join(begin, middle, record.first);
    }

    /// Joins the links of the first `shift` states of a block, which are those from `begin` on, with the links of the
    /// other states, which are those from `middle` on.
    fn join(&mut self, begin: usize, middle: usize, shift: u64) {
        let (first, second) = self.work[begin..].split_at_mut(middle - begin);
        let mut kept = 0;
        let mut taken = 0_u64;
        for k in 0..second.len() {
            let mut link = second[k];
            link.guard <<= shift;
            let partner = first.iter().enumerate().take(64).find(|&(k, one)| taken >> k & 1 == 0 && fits(one, &link));
            match partner.map(|(k, _)| k) {
                Some(k) => {
                    taken |= 1 << k;
                    first[k].image |= link.image << (link.base - first[k].base);
                    first[k].guard |= link.guard;
                }
                None => {
                    second[kept] = link;
                    kept += 1;
                }
            }
        }
        self.work.truncate(middle + kept);
    }

    fn keep(&mut self, slot: usize, key: Key, begin: usize) {
        let links = &self.work[begin..];
        if self.kept.len() + links.len() > self.kept.capacity() {
            self.kept.clear();
            self.slots.fill(Slot::default());
        }
        self.slots[slot] = Slot { key, links: links.len() as u32, start: self.kept.len() as u32 };
        self.kept.extend_from_slice(links);
    }
}

#[inline(always)]
fn fits(first: &Link, second: &Link) -> bool {
    let width = |link: &Link| u64::from(64 - link.image.leading_zeros());
    second.base >= first.base + width(first) && second.base - first.base + width(second) <= WINDOW
}

#[inline(always)]
fn slot((node, next, relation): Key) -> usize {
    let x = pack(node, next).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (relation.index() as u64) << 17;
    (x.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as usize
}

/// For each terminal below a node of at most [`BLOCK`] states, the mask of the states that have it.
pub fn states_by_terminal(layers: &Layers, node: Node, found: &mut Vec<(u32, u64)>) {
    found.clear();
    let mut waiting = vec![(node, 0)];
    while let Some((mut node, mut before)) = waiting.pop() {
        loop {
            if let Some(terminal) = layers.labels.one_terminal(node) {
                add(found, terminal, u64::MAX >> (BLOCK - layers.labels.states(node)) << before);
                break;
            }
            let record = layers.labels.record(node);
            if record.lo != Node::ZERO {
                waiting.push((record.lo, before));
                before += record.first;
            }
            node = record.hi;
        }
    }
}

fn add(found: &mut Vec<(u32, u64)>, terminal: u32, mask: u64) {
    match found.iter_mut().find(|known| known.0 == terminal) {
        Some(known) => known.1 |= mask,
        None => found.push((terminal, mask)),
    }
}
