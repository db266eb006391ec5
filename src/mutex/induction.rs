//! The largest inductive part of a set of candidate invariants.
//!
//! All candidates are assumed at once to hold in a state, and each is proved to hold after any step of play from it; one
//! that fails for some state and step is dropped, with every other that fails there, until all that is left is proved
//! from what is left (simultaneous induction: van Eijk 1998; "Houdini": Flanagan and Leino 2001). Each proof remembers
//! the candidates it used, so that a dropped one costs only the proofs that used it.

use super::Effort;
use crate::limits::{LimitReached, Limits};
use crate::proof::{Answer, Encoding};
use crate::propositional::{FluentId, Game};
use batsat::Lit;
use rustc_hash::FxHashSet;

/// Candidates asked for at once, until that is too hard.
const BATCH: usize = 32;
/// Sets that two members of were found to hold together are split into sets without them, this many times.
const SPLITS: u32 = 3;
/// At most so many members may hold together in a set that is split.
const TOGETHER: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    AtMostOne,
    AtLeastOne,
}

/// What is claimed of every reachable state; it has to hold in the initial one.
#[derive(Debug, Clone)]
pub(super) struct Invariant {
    /// Ascending.
    pub members: Vec<FluentId>,
    pub bound: Bound,
}

struct Claim {
    invariant: Invariant,
    alive: bool,
    /// Under this literal, the claim holds in the state.
    assumed: Lit,
    /// Implies that the claim fails after the step; made when first needed.
    fails: Option<Lit>,
    /// Literals of the members after the step.
    after: Vec<Lit>,
    /// The claims used, if it is proved from claims that are all alive.
    proof: Option<Vec<u32>>,
    splits: u32,
    /// To be asked for alone.
    alone: bool,
}

struct Induction<'a> {
    encoding: Encoding<'a>,
    claims: Vec<Claim>,
    /// The sets of all at-most-one claims ever made.
    known: FxHashSet<Vec<FluentId>>,
    effort: &'a Effort,
}

/// The claims that hold in all reachable states, provided that all hold in the initial state. What cannot be decided
/// with `effort` is dropped.
pub(super) fn prove(
    game: &Game,
    claims: Vec<Invariant>,
    effort: &Effort,
    limits: &Limits,
) -> Result<Vec<Invariant>, LimitReached> {
    let mut induction =
        Induction { encoding: Encoding::new(game), claims: Vec::new(), known: FxHashSet::default(), effort };
    for claim in claims {
        induction.claim(claim, 0);
    }
    induction.run(limits)?;
    Ok(induction.claims.into_iter().filter(|claim| claim.alive).map(|claim| claim.invariant).collect())
}

impl Induction<'_> {
    fn claim(&mut self, invariant: Invariant, splits: u32) {
        if invariant.bound == Bound::AtMostOne && !self.known.insert(invariant.members.clone()) {
            return;
        }
        let assumed = self.encoding.sat.literal();
        let mut members = self.encoding.fluents(&invariant.members);
        match invariant.bound {
            Bound::AtMostOne => self.encoding.sat.at_most_one(assumed, &members),
            Bound::AtLeastOne => {
                members.push(!assumed);
                self.encoding.sat.add(members);
            }
        }
        let claim = Claim {
            invariant,
            alive: true,
            assumed,
            fails: None,
            after: Vec::new(),
            proof: None,
            splits,
            alone: false,
        };
        self.claims.push(claim);
    }

    fn run(&mut self, limits: &Limits) -> Result<(), LimitReached> {
        let step = self.encoding.step();
        loop {
            limits.check()?;
            let open = |claim: &Claim| claim.alive && claim.proof.is_none();
            let Some(first) = self.claims.iter().position(open) else { return Ok(()) };
            if self.encoding.sat.work() > self.effort.work {
                self.give_up();
                return Ok(());
            }
            let batch: Vec<usize> = if self.claims[first].alone {
                vec![first]
            } else {
                let together = |index: &usize| open(&self.claims[*index]) && !self.claims[*index].alone;
                (first..self.claims.len()).filter(together).take(BATCH).collect()
            };
            let mut question = vec![];
            for &index in &batch {
                question.push(self.failure(index));
            }
            let asked = self.encoding.sat.literal();
            question.push(!asked);
            self.encoding.sat.add(question);
            let mut assumptions = vec![step, asked];
            assumptions.extend(self.claims.iter().filter(|claim| claim.alive).map(|claim| claim.assumed));
            match self.encoding.sat.solve(&assumptions, self.effort.conflicts) {
                Answer::Unsatisfiable => self.proved(&batch),
                Answer::Satisfiable => self.refuted(),
                Answer::Unknown if batch.len() > 1 => batch.iter().for_each(|&index| self.claims[index].alone = true),
                Answer::Unknown => self.drop_claims(&batch),
            }
            // The question was for this search only.
            self.encoding.sat.add([!asked]);
        }
    }

    /// The literal that implies that a claim fails after the step.
    fn failure(&mut self, index: usize) -> Lit {
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
        self.claims[index].after = after;
        self.claims[index].fails = Some(fails);
        fails
    }

    fn proved(&mut self, batch: &[usize]) {
        let used = |claim: &Claim| claim.alive && self.encoding.sat.used(claim.assumed);
        let used: Vec<u32> =
            (0..self.claims.len() as u32).filter(|&index| used(&self.claims[index as usize])).collect();
        for &index in batch {
            self.claims[index].proof = Some(used.clone());
        }
    }

    /// Drops, or splits, every claim that the state and step just found are against.
    fn refuted(&mut self) {
        let mut failed = Vec::new();
        let mut parts = Vec::new();
        for (index, claim) in self.claims.iter().enumerate().filter(|(_, claim)| claim.alive && claim.proof.is_none()) {
            if claim.fails.is_none() {
                continue;
            }
            let holding: Vec<usize> =
                (0..claim.after.len()).filter(|&member| self.encoding.sat.holds(claim.after[member])).collect();
            let fails = match claim.invariant.bound {
                Bound::AtMostOne => holding.len() > 1,
                Bound::AtLeastOne => holding.is_empty(),
            };
            if !fails {
                continue;
            }
            failed.push(index);
            let small = claim.invariant.members.len() - holding.len() < 1;
            if claim.invariant.bound == Bound::AtLeastOne || claim.splits >= SPLITS || holding.len() > TOGETHER || small
            {
                continue;
            }
            for kept in &holding {
                let members = claim.invariant.members.iter().enumerate();
                let members = members.filter(|(member, _)| member == kept || !holding.contains(member));
                let members = members.map(|(_, id)| *id).collect();
                parts.push((Invariant { members, bound: Bound::AtMostOne }, claim.splits + 1));
            }
        }
        self.drop_claims(&failed);
        for (part, splits) in parts {
            self.claim(part, splits);
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

    /// Keeps only claims that are proved from claims that are kept.
    fn give_up(&mut self) {
        loop {
            let unproved = |index: &usize| self.claims[*index].alive && self.claims[*index].proof.is_none();
            let unproved: Vec<usize> = (0..self.claims.len()).filter(unproved).collect();
            if unproved.is_empty() {
                return;
            }
            self.drop_claims(&unproved);
        }
    }
}
