//! Retrograde analysis of all reachable states (`--algorithm global`).
//!
//! A state whose successors all have values is *forced*: it gets the best of these in its mover's order. Unknown values
//! rank highest, so the best value of a state with an unknown successor is unknown, and one preimage with values, over
//! the predecessors of the new states, finds the forced states. If no state is forced, every unsettled state has an
//! unsettled successor, and play can stay among unsettled states. Then each role chooses the best value of a successor
//! of an unsettled state in which the role has the choice. If the role prefers that value to endless play, all these
//! states with a successor of that value get it, because the role can never force more. If no role settles anything,
//! the remaining states have endless play.
//!
//! In some games ([`Orders::at_once`]) a role also settles states *at once*, together with forced ones, as soon as a
//! successor has a certain value: first the best value of all, then the one that the role chose last. There are about
//! half as many rounds then, and rounds of won and lost states are distances. The values stay the same because later
//! rounds settle no state with a value that the role likes more. Proof: let v be that value of a role A, and w that of
//! the other role B. When they are chosen, no successor of an unsettled state of A is better than v for A, likewise for
//! B and w. At most one value is liked more than endless play by both, so v is not better than w for B, nor w than v
//! for A. A state that is settled later has a successor that was not settled at that time. By induction its value lies
//! between w and v in A's order, whoever moves.
//!
//! If the two orders are reverses of each other (zero-sum games), this is the attractor solution; without cycles it is
//! backward induction. Cost of a round: a preimage of the new states and some sweeps over all values. There are at most
//! as many rounds as states, and usually about as many as plies of the longest line of best play.

use super::super::SolveError;
use super::super::pass::Pass;
use super::orders::Orders;
use super::rounds::Rounds;
use super::saving::Saving;
use super::{all_as, only, without};
use kernel::{self, Diagram};
use std::time::Instant;

struct Retrograde<'a> {
    pass: &'a Pass<'a>,
    orders: &'a Orders,
    /// All states with their values; [`Orders::endless`] for states without a value.
    values: Diagram,
    /// The same values as a value diagram.
    known: Diagram,
    open: Diagram,
    exits: Option<Exits>,
}

/// The values that roles can take by choice.
struct Exits {
    /// By role: unsettled states in which it has the choice, each with the best value of its successors if the role
    /// prefers that to endless play. Some of them may have been settled in the meantime.
    best: Vec<Diagram>,
    /// States with a successor that got a value since `best` was computed.
    stale: Diagram,
}

/// All states with their values, with [`Orders::endless`] for endless play. `before`: the values of a run that is
/// resumed.
pub fn settle(
    pass: &Pass,
    reached: &Diagram,
    orders: &Orders,
    before: Option<Diagram>,
    rounds: &mut Rounds,
    saving: &mut Saving,
) -> Result<Diagram, SolveError> {
    let (mut retrograde, mut found);
    match before {
        None => {
            retrograde = Retrograde {
                pass,
                orders,
                values: all_as(orders.endless, reached, pass)?,
                known: Diagram::constant(reached.levels(), orders.endless),
                open: all_as(1, reached, pass)?,
                exits: None,
            };
            found = super::terminal_values(pass, &pass.expansion.terminals(reached)?, orders)?;
            rounds.begin(orders, &found.terminals().into_iter().filter(|&id| id != 0).collect::<Vec<_>>());
        }
        Some(values) => {
            let known = kernel::as_values(&values, pass.context)?;
            let open = only(orders.endless, &values, 1, pass)?;
            retrograde = Retrograde { pass, orders, values, known, open, exits: None };
            let settled = kernel::difference(reached, &retrograde.open, pass.context)?;
            let candidates = pass.expansion.predecessors(&retrograde.open, &settled)?;
            drop(settled);
            found = retrograde.next(&candidates, None, rounds)?;
        }
    }
    while !found.is_empty() {
        let reached_back = retrograde.settle(&found)?;
        rounds.push(&found)?;
        if saving.is_due() {
            saving.save(Instant::now(), &retrograde.values, None, rounds)?;
        }
        found = retrograde.next(&reached_back, Some(&found), rounds)?;
    }
    Ok(retrograde.values)
}

impl Retrograde<'_> {
    /// Adds new values. Returns the unsettled predecessors of their states.
    fn settle(&mut self, found: &Diagram) -> Result<Diagram, SolveError> {
        let context = self.pass.context;
        self.values = kernel::overlay(&self.values, found, context)?;
        self.open = kernel::difference(&self.open, found, context)?;
        if self.open.is_empty() {
            return Ok(Diagram::constant(found.levels(), 0));
        }
        self.known = kernel::as_values(&self.values, context)?;
        let before = self.pass.expansion.predecessors(&self.open, &all_as(1, found, self.pass)?)?;
        if let Some(exits) = &mut self.exits {
            exits.stale = kernel::union(&[&exits.stale, &before], context)?;
        }
        Ok(before)
    }

    /// The states of the next round. `last`: the last round's values, or `None` for all values; `candidates`: at least
    /// all unsettled states with a successor in `last`.
    fn next(
        &mut self,
        candidates: &Diagram,
        last: Option<&Diagram>,
        rounds: &mut Rounds,
    ) -> Result<Diagram, SolveError> {
        let context = self.pass.context;
        let at_once = self.at_once(candidates, last.unwrap_or(&self.values), rounds)?;
        let forced = self.forced(&kernel::difference(candidates, &all_as(1, &at_once, self.pass)?, context)?)?;
        let found = kernel::overlay(&at_once, &forced, context)?;
        if found.is_empty() { self.chosen(rounds) } else { Ok(found) }
    }

    /// The `candidates` that their movers settle at once, as a successor in `last` has the value for this.
    fn at_once(&self, candidates: &Diagram, last: &Diagram, rounds: &Rounds) -> Result<Diagram, SolveError> {
        let mut found = Diagram::constant(self.open.levels(), 0);
        for (role, &id) in rounds.at_once().iter().enumerate() {
            let Some(id) = id else { continue };
            let targets = only(id, last, 1, self.pass)?;
            let own = self.pass.expansion.choosing(candidates, role)?;
            if !targets.is_empty() && !own.is_empty() {
                let before = self.pass.expansion.predecessors(&own, &targets)?;
                found = kernel::overlay(&found, &all_as(id, &before, self.pass)?, self.pass.context)?;
            }
        }
        Ok(found)
    }

    /// The `states` whose successors all have values, each with the best of these values.
    fn forced(&self, states: &Diagram) -> Result<Diagram, SolveError> {
        let values = self.pass.expansion.values(states, None, (&self.known).into(), &self.orders.waiting)?;
        without(self.orders.endless, &kernel::restrict(states, &values, self.pass.context)?, self.pass)
    }

    /// The states that roles settle by choice, if every unsettled state has an unsettled successor.
    fn chosen(&mut self, rounds: &mut Rounds) -> Result<Diagram, SolveError> {
        let Retrograde { pass, orders, .. } = *self;
        let context = pass.context;
        let none = Diagram::constant(self.open.levels(), 0);
        if self.open.is_empty() {
            return Ok(none);
        }
        let roles = pass.game.roles.len();
        let mut exits = match self.exits.take() {
            Some(exits) => exits,
            None => Exits {
                best: (0..roles).map(|_| Diagram::constant(self.open.levels(), 0)).collect(),
                stale: kernel::union(&[&self.open], context)?,
            },
        };
        let stale = kernel::intersection(&exits.stale, &self.open, context)?;
        exits.stale = Diagram::constant(self.open.levels(), 0);
        let mut found = none;
        for (role, best) in exits.best.iter_mut().enumerate() {
            let changed = pass.expansion.choosing(&stale, role)?;
            let values = pass.expansion.values(&changed, None, (&self.known).into(), &orders.hasty)?;
            let values = kernel::restrict(&changed, &values, context)?;
            let worth = |id| if orders.beats_endless(role, id) { id } else { 0 };
            let values = kernel::renamed(&values, worth, context)?;
            *best = kernel::overlay(&kernel::intersection(best, &self.open, context)?, &values, context)?;
            let most = best.terminals().into_iter().max_by_key(|&id| orders.rank(role, id));
            if let Some(id) = most {
                rounds.choose(role, id);
                found = kernel::overlay(&found, &only(id, best, id, pass)?, context)?;
            }
        }
        self.exits = Some(exits);
        Ok(found)
    }
}
