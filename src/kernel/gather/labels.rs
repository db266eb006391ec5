//! Labels the states of a layer: the terminal of a state in the result is its value, or says which role moves.

use crate::{
    Automaton, Context, DEAD_END, Diagram, Level, Outcome, Payoff, TERMINALS, Terminal, classify, of_terminal,
};
use base::limits::LimitReached;

/// The label of a state in which role `m` moves is `MOVES + m`. Labels from 1 to below `MOVES` are values.
pub const MOVES: u32 = TERMINALS - 8;
/// Number of roles that can have a label; the last terminal id stands for dead ends.
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

    fn size(&self) -> u64 {
        self.payoff.size()
    }
}

/// Labels each state of `set`. The label of a state that is terminal by `payoff`, started in `start`, is its value, or
/// the entry of its value in `terminals` if there is one. Any other state has the label [`MOVES`] plus its mover, or
/// [`MOVES`] if the automaton knows no mover. `open` promises that no state is terminal, whatever the automaton says.
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
