//! Successors of pairs of a state and a joint move, for as many pairs at a time as a batch has lanes.
//!
//! If several roles choose, a state may have thousands of joint moves, each of which occurs in few states. Evaluating
//! the whole rules for each pair is then faster than specialising each joint move. The rules are one circuit whose
//! inputs are the bits of a state and the moves; each gate takes a few instructions for 512 pairs.

use super::super::circuit::{Builder, Circuit, Edge, Known};
use super::super::layout::{Layout, shift};
use super::super::plane::{LANES, Plane, WORDS};
use super::super::program::{Program, edges, held, without_form};
use super::{Evaluator, MOST_GATES, Successors, load_bits};
use crate::interpreter::JointMove;
use crate::propositional::MoveId;
use base::bits::transpose;
use std::sync::Arc;

/// A batch with fewer joint moves specialises them.
const FEW: u64 = 64;
/// A batch with more joint moves does not even number them.
const MANY: u64 = 1 << 18;
/// Ratio of the cost of specialising a joint move to the cost of evaluating it.
const SPECIALISE: u64 = 50;
/// Overhead of a joint move or a batch of pairs, in gates.
const BESIDE: u64 = 100;
/// Number of joint moves that are specialised to measure how many gates they need.
const SAMPLE: usize = 16;

#[derive(Debug)]
pub(super) struct Paired {
    circuit: Circuit,
    bits: Vec<Edge>,
    check: Circuit,
    unfit: Edge,
    first_move: usize,
}

/// States of a batch, each with a joint move that is legal there.
#[derive(Debug)]
pub struct Pairs {
    roles: usize,
    pub lanes: Vec<usize>,
    /// By pair, then by role.
    moves: Vec<MoveId>,
}

impl Pairs {
    pub fn joint(&self, pair: usize) -> JointMove {
        self.moves[pair * self.roles..][..self.roles].iter().copied().collect()
    }
}

impl Paired {
    fn new(program: &Program, layout: &Layout, moves: usize) -> Paired {
        let (graph, bits) = (&program.game.graph, layout.bits().len());
        let first_move = bits + 1;
        let mut known = Known::default();
        let mut builder = Builder::new((first_move + moves) as u32, &mut known);
        let fluents: Vec<Edge> = layout.fluent_bits().iter().map(|bits| held(&mut builder, bits)).collect();
        let needed = graph.needed(program.game.next.iter().copied());
        let slot = |_, action: MoveId| Edge::slot((first_move + action.index()) as u32);
        let edges = edges(graph, &needed, &mut builder, &fluents, slot);
        let after = |fluent: crate::propositional::FluentId| edges[program.game.next[fluent.index()].index()];
        let unfit = without_form(&mut builder, layout.demands().iter(), after);
        let set = |fluents: &Vec<_>| fluents.iter().map(|&fluent| after(fluent)).collect::<Vec<_>>();
        let mut bits: Vec<Edge> = layout.bits().iter().map(|fluents| builder.any(set(fluents))).collect();
        let mut unfit = [unfit];
        let [circuit, check] = builder.circuit().keep(&mut bits, &mut unfit);
        Paired { circuit, bits, check, unfit: unfit[0], first_move }
    }

    pub fn gates(&self) -> usize {
        self.circuit.len() + self.check.len()
    }
}

impl Evaluator<'_> {
    /// Whether [`Evaluator::each_pair`] finds the successors of a batch sooner than an evaluation of each joint move.
    /// Always false without [`Evaluator::allow_joint_choices`].
    pub fn prefers_pairs(&mut self) -> bool {
        if !self.joint {
            return false;
        }
        let (lanes, legal) = (self.going(), self.legal_by_lane());
        let count = |lane: usize| {
            let each = legal[lane * self.roles..][..self.roles].iter();
            each.fold(1u64, |count, moves| count.saturating_mul(moves.len() as u64))
        };
        let pairs = lanes.lanes().map(count).fold(0, u64::saturating_add);
        let somewhere = |role: &Vec<MoveId>| {
            let legal = role.iter().filter(|&&action| !(self.legal(action) & lanes).is_none());
            legal.count() as u64
        };
        let joints = self.moves.iter().map(somewhere).fold(1, u64::saturating_mul).min(pairs);
        if !(FEW..=MANY).contains(&joints) {
            return joints > MANY;
        }
        let first: Vec<usize> = lanes.lanes().take(SAMPLE).collect();
        for number in self.made..SAMPLE {
            let own = &legal[first[number % first.len()] * self.roles..][..self.roles];
            let chosen = own.iter().enumerate().map(|(role, moves)| moves[(31 * number + 17 * role) % moves.len()]);
            let id = self.number(&chosen.collect());
            self.specialise(id);
        }
        let mean = (self.gates / self.made) as u64;
        let kept = joints * mean <= MOST_GATES as u64 / 2;
        let each = if kept { mean + BESIDE } else { SPECIALISE * mean + BESIDE };
        let batch = self.paired().gates() as u64 + BESIDE;
        pairs.div_ceil(LANES as u64).saturating_mul(batch) < joints * each
    }

    /// Visits all pairs of a state of the batch and one of its joint moves, with the successors, up to [`LANES`] pairs
    /// at a time. Pairs are ordered by lane, then by moves; the last role varies fastest. With `checked`, `unfit` has a
    /// bit for each pair (not each lane) whose successor has no packed form.
    pub fn each_pair<E>(
        &mut self,
        checked: bool,
        found: &mut Successors,
        mut visit: impl FnMut(&Pairs, &Successors) -> Result<(), E>,
    ) -> Result<(), E> {
        let (legal, roles) = (self.legal_by_lane(), self.roles);
        let mut pairs = Pairs { roles, lanes: Vec::with_capacity(LANES), moves: Vec::with_capacity(LANES * roles) };
        let mut chosen = vec![0; roles];
        for lane in self.going().lanes() {
            let own = &legal[lane * roles..][..roles];
            chosen.fill(0);
            loop {
                pairs.lanes.push(lane);
                pairs.moves.extend(own.iter().zip(&chosen).map(|(moves, &place): (_, &usize)| moves[place]));
                if pairs.lanes.len() == LANES {
                    self.evaluate(&pairs, checked, found);
                    visit(&pairs, found)?;
                    pairs.lanes.clear();
                    pairs.moves.clear();
                }
                let Some(role) = (0..roles).rev().find(|&role| chosen[role] + 1 < own[role].len()) else { break };
                chosen[role] += 1;
                chosen[role + 1..].fill(0);
            }
        }
        if !pairs.lanes.is_empty() {
            self.evaluate(&pairs, checked, found);
            visit(&pairs, found)?;
        }
        Ok(())
    }

    fn legal_by_lane(&self) -> Vec<Vec<MoveId>> {
        let mut legal = vec![Vec::new(); self.lanes() * self.roles];
        for (role, moves) in self.moves.iter().enumerate() {
            for &action in moves {
                self.legal(action).lanes().for_each(|lane| legal[lane * self.roles + role].push(action));
            }
        }
        legal
    }

    fn paired(&mut self) -> Arc<Paired> {
        let (program, layout, moves) = (&self.program, &self.layout, self.moves.iter().map(Vec::len).sum());
        Arc::clone(self.paired.get_or_insert_with(|| Arc::new(Paired::new(program, layout, moves))))
    }

    fn evaluate(&mut self, pairs: &Pairs, checked: bool, found: &mut Successors) {
        let paired = self.paired();
        let (count, words, slots) = (pairs.lanes.len(), self.layout.words(), &mut self.pair_slots);
        slots.resize(paired.check.end().max(paired.first_move + 1), Plane::NONE);
        let state = |pair: usize, word: usize| self.states[pairs.lanes[pair] * words + word];
        load_bits(slots, self.layout.bits().len(), count, state);
        for (number, action) in pairs.moves.iter().enumerate() {
            slots[paired.first_move + action.index()].set(number / self.roles);
        }
        paired.circuit.run(slots);
        self.work += paired.circuit.len() as u64;
        found.unfit = Plane::NONE;
        if checked {
            paired.check.run(slots);
            self.work += paired.check.len() as u64;
            found.unfit = paired.unfit.plane(slots) & Plane::first(count);
        }
        found.states.clear();
        found.states.resize(count * words, 0);
        for group in 0..WORDS.min(count.div_ceil(64)) {
            for (word, bits) in paired.bits.chunks(64).enumerate() {
                let mut rows = [0; 64];
                bits.iter().enumerate().for_each(|(bit, edge)| rows[shift(bit)] = edge.word(slots, group));
                transpose(&mut rows);
                for (pair, row) in (64 * group..count).zip(rows) {
                    found.states[pair * words + word] = row;
                }
            }
        }
        for action in &pairs.moves {
            slots[paired.first_move + action.index()] = Plane::NONE;
        }
    }
}
