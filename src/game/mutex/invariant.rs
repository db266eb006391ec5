//! Claims about sets of fluents: the number of them that hold in every reachable state.

use crate::proof::{Encoding, Literal};
use crate::propositional::FluentId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    AtMostOne,
    AtLeastOne,
}

impl Bound {
    pub fn assumed(self, encoding: &mut Encoding, fluents: &[FluentId]) -> Literal {
        let assumed = encoding.sat.literal();
        let mut literals = encoding.fluents(fluents);
        match self {
            Bound::AtMostOne => encoding.sat.at_most_one(assumed, &literals),
            Bound::AtLeastOne => {
                literals.push(!assumed);
                encoding.sat.add(literals);
            }
        }
        assumed
    }
}

/// A claim about every reachable state. It must hold in the initial state.
#[derive(Debug, Clone)]
pub(super) struct Invariant {
    pub members: Vec<FluentId>,
    pub bound: Bound,
}
