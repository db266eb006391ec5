//! The exact values of a value diagram on a care set. Key: (care node, value node).

use super::context::{Context, Kind};
use super::diagram::Diagram;
use super::node::{Node, pack};
use super::paired::{Pairing, paired};
use super::sweep::Child;
use base::limits::LimitReached;

pub(super) struct Restrict;

impl Pairing for Restrict {
    const VALUES: bool = true;

    #[inline(always)]
    fn normalise(&self, [of_care, of_value]: [&Diagram; 2], care: Node, mut value: Node) -> Child {
        if care == Node::ZERO {
            return Ok(0);
        }
        let level = of_care.level(care);
        let above = of_value.index().end(level);
        while value >= above {
            value = of_value.node(value)[0];
        }
        if care.is_terminal() {
            return Ok(value.known_terminal());
        }
        Err((level, pack(care, value)))
    }
}

/// The elements of the set `care` with their values in the value diagram `value` as terminals, except value 0.
pub fn restrict(care: &Diagram, value: &Diagram, context: &Context) -> Result<Diagram, LimitReached> {
    paired([care, value], Restrict, Kind::Restrict, context)
}
