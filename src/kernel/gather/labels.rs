//! Labels the states of a layer: a state of a multi-terminal set is terminal with a value, or some role moves in it.

use crate::{
    Automaton, Context, DEAD_END, Diagram, Level, Outcome, Payoff, TERMINALS, Terminal, classify, of_terminal,
};
use base::limits::LimitReached;

/// The terminal of a state in which role `m` moves is `MOVES + m`. Terminals below it are values.
pub const MOVES: u32 = TERMINALS - 8;
/// Number of roles that have such a terminal; the last terminal is that of dead ends.
pub const MOST_MOVERS: usize = (DEAD_END - MOVES) as usize;

struct Labelling<'a, P> {
    payoff: &'a P,
    open: bool,
    terminals: &'a [u32],
}

impl<P: Payoff> Automaton for Labelling<'_, P> {
    fn level(&self, state: u32) -> Level {
        self.payoff.level(state)
    }

    fn next(&self, state: u32, bit: bool) -> Result<u32, LimitReached> {
        self.payoff.next(state, bit)
    }

    fn outcome(&self, state: u32) -> Outcome {
        let info = self.payoff.info(state);
        let moves = self.open || info.terminal == Terminal::No;
        match (info.terminal, info.mover) {
            (Terminal::Value(value), _) if !self.open => Outcome::Decided(of_terminal(self.terminals, value)),
            (_, Some(mover)) if moves => Outcome::Decided(MOVES + u32::from(mover)),
            _ if self.payoff.level(state) == Level::NONE => Outcome::Decided(MOVES),
            _ => Outcome::Undecided,
        }
    }
}

/// Labels each state of `set`. If `payoff`, started in `start`, says that the state is terminal, its label is its value
/// (or what `terminals` has for the value). Otherwise it is [`MOVES`] plus the mover (0 if the automaton knows none).
/// `open` promises that no state of the set is terminal, whatever the automaton says.
pub fn labels<P: Payoff>(
    set: &Diagram,
    payoff: &P,
    start: u32,
    open: bool,
    terminals: &[u32],
    context: &Context,
) -> Result<Diagram, LimitReached> {
    classify(set, &Labelling { payoff, open, terminals }, start, context)
}
