//! The largest inductive subset of a set of candidate invariants, which are also called claims.
//!
//! All candidates are assumed in some state, and a SAT search asks whether each of them holds after every step from it.
//! If the search finds a state and a step after which a candidate fails, that candidate is dropped, together with all
//! others that fail there. This ends when every remaining candidate is proved from the remaining ones (simultaneous
//! induction: van Eijk 1998; "Houdini": Flanagan and Leino 2001). Each proof records the candidates that it used, so
//! that dropping one invalidates only those proofs. The state after a step that a search found satisfies all remaining
//! candidates, so random play from it finds further failures at little cost.
//!
//! Proofs are made only for the candidates that covers of the fluents by remaining candidates take ([`super::cover`]),
//! and for the candidates that their proofs use; whenever one of these is dropped, new covers are chosen. The groups
//! are thus those of the whole subset, although most of it stays undecided. A claim is proved from the part of the game
//! on which it depends, if that suffices; one about many fluents, if that is seen, from the form of the rules for them
//! ([`super::exchange`]). If this takes long or fails, some claims may be false, and quick searches
//! over the whole game ask for failures of all candidates at once. Candidates without a separate proof are settled
//! before proofs that used dropped candidates are repeated. If a claim cannot be decided in the end, proofs are made
//! for all candidates: without the false ones it may be easy.

use super::Effort;
use super::cover;
use super::exchange;
use super::invariant::{Bound, Invariant};
use super::local::{Assumed, ByFluent, Part};
use super::walk::Walk;
use crate::proof::{Answer, Encoding, Literal};
use crate::propositional::{FluentId, Game};
use base::limits::{LimitReached, Limits};
use rustc_hash::FxHashSet;

/// Bound on the conflicts of the first searches, which look for failures that are easy to find.
const QUICK: u64 = 100;
/// If a search over some claims exceeds its bound, the next search is over their number divided by this.
const SHARE: usize = 4;
/// Random play from a failure ends after this number of steps without another failure.
const STALE: usize = 4;
/// If several members of a set hold in some state, the set is split into sets that each keep one of these members. This
/// is the largest depth of splits of splits.
const SPLITS: u32 = 2;
/// Largest number of such members; a set with more is dropped without a split.
const TOGETHER: usize = 3;

/// Bound on the product of the conflicts of a search and the members of the claim: conflicts about thousands of fluents
/// take long, and proofs of such claims are short.
const CONFLICTS_OF_MEMBERS: u64 = 200_000;

/// After this number of claims it is known whether most of them follow from themselves.
const LEARNING: usize = 16;

/// Bound on the work of proofs of single claims, per edge of the graph, before failures of any claim are searched.
/// Encoding the whole game takes about 4, and proofs that assume false claims are wasted.
const SINGLE: u64 = 12;

/// A search over the whole game. When a search ends at its bound, the next kind follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Search {
    /// A quick search for failures of wanted claims without a separate proof.
    Failed,
    /// A quick search for failures of all claims.
    Every,
    /// A search of any length, for wanted claims.
    Long,
}

/// Assumptions of searches for single proofs. The first is left out once most claims do not follow from themselves.
const SEARCHES: [Assumed; 3] = [Assumed::Itself, Assumed::Wanted, Assumed::All];

struct Claim {
    invariant: Invariant,
    alive: bool,
    /// Implies that the claim holds in the state before the step; created on first use.
    assumed: Option<Literal>,
    /// Implies that the claim fails after the step; created on first use.
    fails: Option<Literal>,
    /// The claims that its proof uses, if it has a proof; all of them are alive.
    proof: Option<Vec<u32>>,
    /// The part of the game on which the claim depends did not suffice to prove it.
    hard: bool,
    /// A cover takes it, or the proof of a wanted claim uses it.
    wanted: bool,
    splits: u32,
}

impl Claim {
    fn is_open(&self) -> bool {
        self.alive && self.proof.is_none()
    }

    fn is_wanted(&self) -> bool {
        self.is_open() && self.wanted
    }
}

struct Induction<'a> {
    encoding: Encoding<'a>,
    claims: Vec<Claim>,
    known: FxHashSet<Vec<FluentId>>,
    walk: Walk<'a>,
    spent: u64,
    edges: u64,
    effort: &'a Effort,
}

/// Claims that hold in all reachable states if all of them hold in the initial state, and the work of the searches. Of
/// all claims that can be proved, they contain at least those that a cover takes. Claims that cannot be decided within
/// `effort` are dropped.
pub(super) fn prove(
    game: &Game,
    walk: Walk,
    claims: Vec<Invariant>,
    effort: &Effort,
    limits: &Limits,
) -> Result<(Vec<Invariant>, u64), LimitReached> {
    let encoding = Encoding::new(game, limits);
    let edges = game.graph.nodes().map(|(_, node)| node.children().len() as u64).sum();
    let known = FxHashSet::default();
    let mut induction = Induction { encoding, claims: Vec::new(), known, walk, spent: 0, edges, effort };
    for claim in claims {
        induction.claim(claim, 0);
    }
    induction.run(limits)?;
    // Claims that were never wanted have no proof, and no remaining claim may have used them.
    induction.give_up();
    let work = induction.spent();
    Ok((induction.claims.into_iter().filter(|claim| claim.alive).map(|claim| claim.invariant).collect(), work))
}

impl Induction<'_> {
    fn claim(&mut self, invariant: Invariant, splits: u32) {
        if invariant.bound == Bound::AtMostOne && !self.known.insert(invariant.members.clone()) {
            return;
        }
        let claim = Claim {
            invariant,
            alive: true,
            assumed: None,
            fails: None,
            proof: None,
            hard: false,
            wanted: false,
            splits,
        };
        self.claims.push(claim);
    }

    fn run(&mut self, limits: &Limits) -> Result<(), LimitReached> {
        let mut size = self.claims.len();
        // `all`: all claims are wanted. `alone`: single proofs come before the next search.
        let (mut search, mut all, mut alone) = (Search::Failed, false, true);
        self.want();
        loop {
            limits.check()?;
            if all {
                self.claims.iter_mut().for_each(|claim| claim.wanted = true);
            }
            if search != Search::Every && (std::mem::take(&mut alone) || !self.any_wanted(true)) {
                let bound = if search == Search::Failed { SINGLE * self.edges } else { u64::MAX };
                self.prove_alone(bound, limits)?;
                if self.spent > bound {
                    (search, all) = (Search::Every, true);
                    continue;
                }
            }
            let all_wanted = search == Search::Every || !self.any_wanted(true);
            let open = |index: &usize| self.claims[*index].is_wanted() && (all_wanted || self.claims[*index].hard);
            let batch: Vec<usize> = (0..self.claims.len()).filter(open).take(size).collect();
            if batch.is_empty() {
                if all || !self.want() {
                    return Ok(());
                }
                continue;
            }
            if self.spent() > self.effort.work {
                self.give_up();
                return Ok(());
            }
            let asked = self.encoding.sat.literal();
            let mut question = vec![!asked];
            for &index in &batch {
                question.push(self.failure(index));
            }
            self.encoding.sat.add(question);
            let mut assumptions = vec![self.encoding.step(), asked];
            for index in (0..self.claims.len()).filter(|&index| self.claims[index].alive).collect::<Vec<_>>() {
                assumptions.push(self.assumed(index));
            }
            let conflicts = if search == Search::Long { u64::MAX } else { QUICK }.min(self.effort.conflicts);
            let answer = self.encoding.sat.solve(&assumptions, conflicts)?;
            tracing::trace!(claims = self.claims.len(), asked = batch.len(), work = self.spent(), ?answer);
            match answer {
                Answer::Unsatisfiable => self.proved(&batch),
                Answer::Satisfiable => self.refuted(),
                Answer::Unknown if search == Search::Failed => (search, all) = (Search::Every, true),
                Answer::Unknown if search == Search::Every => {
                    (search, all) = (Search::Long, false);
                    self.want();
                }
                // An assumption may be false: a proof that used a dropped claim no longer exists.
                Answer::Unknown if batch.len() == 1 && self.any_wanted(false) => alone = true,
                Answer::Unknown if batch.len() > 1 => size = batch.len().div_ceil(SHARE),
                Answer::Unknown if !all => {
                    all = true;
                    size = self.claims.len();
                }
                Answer::Unknown => self.drop_claims(&batch),
            }
            // The question was for this search only.
            self.encoding.sat.add([!asked]);
        }
    }

    /// Chooses covers from all remaining claims. Returns whether one of the claims then wanted has no proof.
    fn want(&mut self) -> bool {
        let alive: Vec<usize> = (0..self.claims.len()).filter(|&index| self.claims[index].alive).collect();
        let invariants: Vec<&Invariant> = alive.iter().map(|&index| &self.claims[index].invariant).collect();
        let taken = cover::taken(self.encoding.game, &invariants);
        self.claims.iter_mut().for_each(|claim| claim.wanted = false);
        let mut wanted: Vec<usize> = taken.into_iter().map(|index| alive[index]).collect();
        while let Some(index) = wanted.pop() {
            let claim = &mut self.claims[index];
            if !std::mem::replace(&mut claim.wanted, true) {
                wanted.extend(claim.proof.iter().flatten().map(|&used| used as usize));
            }
        }
        self.claims.iter().any(Claim::is_wanted)
    }

    /// Whether some wanted claim without a proof is hard (`hard`), or not known to be hard (`!hard`).
    fn any_wanted(&self, hard: bool) -> bool {
        self.claims.iter().any(|claim| claim.is_wanted() && claim.hard == hard)
    }

    fn spent(&self) -> u64 {
        self.spent + self.encoding.sat.work()
    }

    /// Searches for proofs of single wanted claims, each from its own part of the game, until the work exceeds `bound`.
    fn prove_alone(&mut self, bound: u64, limits: &Limits) -> Result<(), LimitReached> {
        let open = |claim: &Claim| claim.is_wanted() && !claim.hard;
        let mut queue: Vec<usize> = (0..self.claims.len()).filter(|&index| open(&self.claims[index])).collect();
        if queue.is_empty() {
            return Ok(());
        }
        let alive = self.claims.iter().enumerate().filter(|(_, claim)| claim.alive);
        let by_fluent = ByFluent::new(self.encoding.game, alive.map(|(index, claim)| (index, &claim.invariant)));
        let mut part = Part::new(self.encoding.game, &by_fluent, limits);
        let (mut tried, mut alone) = (0, 0);
        queue.reverse();
        while let Some(index) = queue.pop() {
            limits.check()?;
            if !open(&self.claims[index]) || self.spent > bound || self.spent() > self.effort.work {
                continue;
            }
            let claim = &mut self.claims[index];
            if claim.invariant.members.len() >= exchange::MANY && exchange::keeps(self.encoding.game, &claim.invariant)
            {
                claim.proof = Some(vec![index as u32]);
                continue;
            }
            // Hard claims are probably false, and a proof that uses a false claim is wasted.
            let about = |claim: u32| {
                let Claim { invariant, wanted, hard, .. } = &self.claims[claim as usize];
                (invariant.bound, invariant.members.len(), *wanted && !hard)
            };
            let target = (index as u32, &self.claims[index].invariant);
            let first_alone = 2 * alone >= tried || tried < LEARNING;
            let conflicts = self.effort.conflicts.min(CONFLICTS_OF_MEMBERS / target.1.members.len().max(1) as u64);
            let searches = if first_alone { &SEARCHES[..] } else { &SEARCHES[1..] };
            let (proof, work) = part.prove(target, about, conflicts, searches)?;
            tried += usize::from(first_alone);
            let is_alone = proof.as_ref().is_some_and(|used| used.iter().all(|&claim| claim as usize == index));
            alone += usize::from(first_alone && is_alone);
            self.spent += work;
            let claim = &self.claims[index].invariant;
            tracing::trace!(first = %self.encoding.game.fluents[claim.members[0].index()], members = claim.members.len(), bound = ?claim.bound, work, proved = proof.is_some());
            for &used in proof.iter().flatten() {
                self.claims[used as usize].wanted = true;
                queue.push(used as usize);
            }
            self.claims[index].hard = proof.is_none();
            self.claims[index].proof = proof;
        }
        Ok(())
    }

    fn assumed(&mut self, index: usize) -> Literal {
        let Claim { invariant, assumed, .. } = &mut self.claims[index];
        *assumed.get_or_insert_with(|| invariant.bound.assumed(&mut self.encoding, &invariant.members))
    }

    fn failure(&mut self, index: usize) -> Literal {
        if let Some(fails) = self.claims[index].fails {
            return fails;
        }
        let invariant = &self.claims[index].invariant;
        let bound = invariant.bound;
        let nodes: Vec<_> = invariant.members.iter().map(|id| self.encoding.game.next[id.index()]).collect();
        let after = self.encoding.nodes(&nodes);
        let fails = match bound {
            Bound::AtMostOne => self.encoding.sat.at_least_two(&after),
            Bound::AtLeastOne => {
                let fails = self.encoding.sat.literal();
                after.iter().for_each(|&member| self.encoding.sat.add([!fails, !member]));
                fails
            }
        };
        self.claims[index].fails = Some(fails);
        fails
    }

    fn proved(&mut self, batch: &[usize]) {
        let used = |claim: &Claim| claim.alive && claim.assumed.is_some_and(|assumed| self.encoding.sat.used(assumed));
        let used: Vec<u32> =
            (0..self.claims.len() as u32).filter(|&index| used(&self.claims[index as usize])).collect();
        for &index in batch {
            self.claims[index].proof = Some(used.clone());
        }
        used.iter().for_each(|&index| self.claims[index as usize].wanted = true);
    }

    /// Drops or splits every claim that fails after the found step, or in the random play from there. The states of
    /// that play satisfy all remaining claims, so a failure after any of its steps counts.
    fn refuted(&mut self) {
        let state = self.encoding.found_state();
        let moves = self.encoding.found_moves();
        let successor = self.walk.interpreter.successor(&state, &moves);
        self.walk.restart(successor);
        self.compare();
        let mut stale = 0;
        while stale < STALE {
            self.walk.step();
            stale = if self.compare() { 0 } else { stale + 1 };
        }
    }

    /// Drops or splits every claim without a proof that fails in a state of the walk; returns whether there was one.
    fn compare(&mut self) -> bool {
        let columns = self.walk.columns().to_vec();
        let mut failed = Vec::new();
        let mut index = 0;
        // The claims into which a claim is split are appended to the list, so that they are compared, too.
        while index < self.claims.len() {
            let claim = &self.claims[index];
            if claim.is_open() {
                let (mut any, mut more) = (0u64, 0u64);
                for id in &claim.invariant.members {
                    more |= any & columns[id.index()];
                    any |= columns[id.index()];
                }
                let against = if claim.invariant.bound == Bound::AtMostOne { more } else { !any };
                if against != 0 {
                    failed.push(index);
                    self.claims[index].alive = false;
                    self.split(index, against & against.wrapping_neg(), &columns);
                }
            }
            index += 1;
        }
        self.drop_claims(&failed);
        !failed.is_empty()
    }

    /// Adds claims about the largest subsets of a failed claim that hold in the state of one lane, if they are few.
    fn split(&mut self, index: usize, lane: u64, columns: &[u64]) {
        let Claim { invariant, splits, .. } = &self.claims[index];
        let splits = splits + 1;
        let holds = |id: &FluentId| columns[id.index()] & lane != 0;
        let holding: Vec<FluentId> = invariant.members.iter().copied().filter(holds).collect();
        let left = invariant.members.len() - holding.len();
        if invariant.bound == Bound::AtLeastOne || splits > SPLITS || holding.len() > TOGETHER || left == 0 {
            return;
        }
        let members = invariant.members.clone();
        for kept in holding {
            let members = members.iter().copied().filter(|id| *id == kept || !holds(id)).collect();
            self.claim(Invariant { members, bound: Bound::AtMostOne }, splits);
        }
    }

    fn drop_claims(&mut self, dropped: &[usize]) {
        for &index in dropped {
            self.claims[index].alive = false;
        }
        let alive: Vec<bool> = self.claims.iter().map(|claim| claim.alive).collect();
        for claim in &mut self.claims {
            claim.proof = claim.proof.take().filter(|proof| proof.iter().all(|&used| alive[used as usize]));
        }
    }

    fn give_up(&mut self) {
        loop {
            let unproved: Vec<usize> = (0..self.claims.len()).filter(|&index| self.claims[index].is_open()).collect();
            if unproved.is_empty() {
                return;
            }
            self.drop_claims(&unproved);
        }
    }
}
