//! The states that the probe has expanded.

use crate::listing::List;
use base::limits::LimitReached;
use std::rc::Rc;

/// The states of expanded layers, by parity of the distance, in lists each at least twice as long as the next one.
#[derive(Default)]
pub struct Visited {
    sides: [Vec<Rc<List>>; 2],
    /// The side of the last layer.
    last: usize,
}

/// A parity of distances: that of the last layer, or the other one.
#[derive(Clone, Copy)]
pub enum Side {
    Same,
    Other,
}

impl Visited {
    pub fn add(&mut self, mut list: Rc<List>) -> Result<(), LimitReached> {
        self.last = 1 - self.last;
        let lists = &mut self.sides[self.last];
        while let Some(last) = lists.pop_if(|last| last.len() < 2 * list.len()) {
            list = Rc::new(last.merged(&list)?);
        }
        lists.push(list);
        Ok(())
    }

    pub fn new_on(&self, side: Side, list: List) -> Result<List, LimitReached> {
        let side = self.last ^ side as usize;
        self.sides[side].iter().try_fold(list, |left, known| left.without(known))
    }

    pub fn lists(&self) -> impl Iterator<Item = &Rc<List>> {
        self.sides.iter().flatten()
    }

    pub fn bytes(&self) -> u64 {
        self.lists().map(|list| list.bytes()).sum()
    }
}
