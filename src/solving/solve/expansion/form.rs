//! Converts sets of states between diagrams and lists of packed states.
//!
//! A block consists of variables of which at most one is true. In a packed state it is a number: 0 if no variable is
//! true, and the largest number for the first variable of the block, so that lists have the order of the elements of a
//! diagram. Cost: a step for each true variable of a state.

use crate::listing::List;
use base::limits::{LimitReached, Limits};
use game::batch::{Coded, Layout, mask};
use game::encode::Variables;
use game::propositional::FluentId;
use kernel::{Diagram, Level, Node, SetBuilder};
use std::sync::Arc;

/// Where a packed state has a variable.
#[derive(Debug, Clone, Copy)]
struct Mark {
    word: u32,
    /// The bits that are set if the variable is true.
    bits: u64,
}

/// A block: its levels, the shift of its number in the word, and all bits of the number.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    first: u32,
    end: u32,
    shift: u32,
    bits: u64,
}

/// The variables of a game as bits of packed states.
#[derive(Debug)]
pub struct Form {
    layout: Layout,
    marks: Vec<Mark>,
    /// For each bit, the block that it belongs to.
    blocks: Vec<Span>,
}

impl Form {
    pub fn new(variables: &Variables) -> Form {
        let fluents = |levels: std::ops::Range<u32>| levels.map(|level| variables.fluent(level)).collect();
        let blocks: Vec<Coded> = (variables.blocks().iter())
            .map(|block| Coded { fluents: fluents(block.levels()), default: block.default })
            .collect();
        let layout = Layout::coded(variables.fluents(), &blocks);
        let mut marks = Vec::with_capacity(variables.levels() as usize);
        let mut blocks = vec![Span::default(); 64 * layout.words()];
        for block in variables.blocks() {
            let bits = |fluent: FluentId| layout.fluent_bits()[fluent.index()].ones.iter();
            let all: Vec<u32> = block.levels().flat_map(|level| bits(variables.fluent(level))).copied().collect();
            let (Some(&first), Some(&last)) = (all.iter().min(), all.iter().max()) else { continue };
            let whole = (first..=last).fold(0, |whole, bit| whole | mask(bit));
            for level in block.levels() {
                let bits = bits(variables.fluent(level)).fold(0, |bits, &bit| bits | mask(bit));
                marks.push(Mark { word: first / 64, bits });
            }
            let std::ops::Range { start, end } = block.levels();
            let span = Span { first: start, end, shift: 63 - last % 64, bits: whole };
            blocks[first as usize..=last as usize].fill(span);
        }
        Form { layout, marks, blocks }
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn levels(&self) -> u32 {
        self.marks.len() as u32
    }

    /// Writes the state with these true levels to `packed`.
    pub fn pack(&self, element: &[Level], packed: &mut Vec<u64>) {
        packed.clear();
        packed.resize(self.layout.words(), 0);
        for &level in element {
            let Mark { word, bits, .. } = self.marks[level.index()];
            packed[word as usize] |= bits;
        }
    }

    /// Writes the true levels of a packed state to `element`, ascending.
    pub fn unpack(&self, packed: &[u64], element: &mut Vec<Level>) {
        element.clear();
        self.unpack_rest(packed, (0, u64::MAX), element);
    }

    /// As [`Form::unpack`]; `element` has the true levels of the state `before`, which must be another state.
    fn unpack_after(&self, before: &[u64], packed: &[u64], element: &mut Vec<Level>) {
        let word = before.iter().zip(packed).position(|(before, after)| before != after).expect("different states");
        let differing = before[word] ^ packed[word];
        let Span { first, bits, .. } = self.blocks[64 * word + differing.leading_zeros() as usize];
        while element.pop_if(|level| level.index() >= first as usize).is_some() {}
        self.unpack_rest(packed, (word, u64::MAX >> bits.leading_zeros()), element);
    }

    /// Adds the true levels of a packed state to `element`, from the word `from` on; of that word, only the bits of
    /// `mask` count.
    fn unpack_rest(&self, packed: &[u64], (from, mask): (usize, u64), element: &mut Vec<Level>) {
        let mut counting = mask;
        for (word, &bits) in packed.iter().enumerate().skip(from) {
            let mut left = bits & counting;
            counting = u64::MAX;
            while left != 0 {
                let Span { end, shift, bits, .. } = self.blocks[64 * word + left.leading_zeros() as usize];
                element.push(Level::new(end - ((left & bits) >> shift) as u32));
                left &= !bits;
            }
        }
    }

    pub fn assignment(&self, packed: &[u64]) -> Vec<bool> {
        let mut element = Vec::new();
        self.unpack(packed, &mut element);
        let mut assignment = vec![false; self.marks.len()];
        element.iter().for_each(|level| assignment[level.index()] = true);
        assignment
    }

    pub fn packed(&self, assignment: &[bool]) -> Vec<u64> {
        let levels = Level::all(assignment.len() as u32);
        let element: Vec<Level> = levels.filter(|level| assignment[level.index()]).collect();
        let mut packed = Vec::new();
        self.pack(&element, &mut packed);
        packed
    }

    pub fn list(&self, set: &Diagram, limits: &Arc<Limits>) -> Result<List, LimitReached> {
        let mut list = List::new(self.layout.words(), limits);
        let (mut elements, mut packed) = (set.elements(), Vec::new());
        while let Some((element, _)) = elements.next_element() {
            self.pack(element, &mut packed);
            list.push(&packed)?;
        }
        Ok(list)
    }

    /// The list of all states of a set, with their terminals in a value diagram.
    pub fn valued_list(
        &self,
        set: &Diagram,
        values: &Diagram,
        limits: &Arc<Limits>,
    ) -> Result<(List, Vec<u16>), LimitReached> {
        let (mut list, mut found) = (List::new(self.layout.words(), limits), Vec::new());
        let (mut elements, mut packed, mut walk) = (set.elements(), Vec::new(), Walk::new(values));
        while let Some((element, _)) = elements.next_element() {
            self.pack(element, &mut packed);
            list.push(&packed)?;
            found.push(walk.value(element));
        }
        Ok((list, found))
    }

    /// The set of the states of a list, with their terminals. States with terminal 0 are left out.
    pub fn set(
        &self,
        list: &List,
        terminal: impl Fn(usize) -> u32,
        limits: &Arc<Limits>,
    ) -> Result<Diagram, LimitReached> {
        let some = (0..list.len()).map(|rank| (rank, terminal(rank))).filter(|(_, terminal)| *terminal != 0);
        self.set_of(list, some, limits)
    }

    /// The set of some states of a list, by ranks that ascend, with their terminals.
    pub fn set_of(
        &self,
        list: &List,
        some: impl Iterator<Item = (usize, u32)>,
        limits: &Arc<Limits>,
    ) -> Result<Diagram, LimitReached> {
        let mut builder = SetBuilder::new(self.levels(), limits);
        let (mut element, mut before) = (Vec::new(), None);
        for (rank, terminal) in some {
            let state = list.state(rank);
            match before.replace(state) {
                Some(before) => self.unpack_after(before, state, &mut element),
                None => self.unpack(state, &mut element),
            }
            builder.push(&element, terminal)?;
        }
        builder.finish()
    }
}

/// Looks up a sequence of elements in a value diagram. Each lookup starts at the node where the path of its element
/// leaves the path of the previous element.
struct Walk<'a> {
    values: &'a Diagram,
    /// The inner nodes on the path of the previous element, with their levels.
    path: Vec<(Level, Node)>,
    last: Vec<Level>,
}

impl<'a> Walk<'a> {
    fn new(values: &'a Diagram) -> Walk<'a> {
        Walk { values, path: Vec::new(), last: Vec::new() }
    }

    fn value(&mut self, element: &[Level]) -> u16 {
        let level = |element: &[Level], index: usize| element.get(index).copied().unwrap_or(Level::NONE);
        let common = self.last.iter().zip(element).take_while(|(left, right)| left == right).count();
        let parting = level(&self.last, common).min(level(element, common));
        while self.path.pop_if(|(level, _)| *level > parting).is_some() {}
        let (mut node, mut next) = (self.values.root(), 0);
        if let Some(&(level, at)) = self.path.last() {
            (node, next) = (at, element.partition_point(|&other| other < level));
            self.path.pop();
        }
        let value = loop {
            if let Some(value) = node.as_terminal() {
                break value;
            }
            let level = self.values.level(node);
            self.path.push((level, node));
            while element.get(next).is_some_and(|&other| other < level) {
                next += 1;
            }
            node = self.values.children(node)[usize::from(element.get(next) == Some(&level))];
        };
        self.last.clear();
        self.last.extend_from_slice(element);
        value as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use game::propositional::{Group, GroupKind};
    use kernel::{Context, as_values};
    use std::collections::BTreeMap;

    /// Blocks of one to nine variables, some with a default, that take more than a word.
    fn variables(random: &mut Random) -> Variables {
        let (mut groups, mut defaults, mut fluents) = (Vec::new(), Vec::new(), 0);
        for _ in 0..40 {
            let size = 1 + random.below(9) as u32;
            let exact = random.below(2) == 0;
            let members: Vec<FluentId> = (fluents..fluents + size).map(FluentId).collect();
            defaults.push(exact.then(|| members[random.below(size as usize)]));
            let kind = if exact { GroupKind::ExactlyOne } else { GroupKind::AtMostOne };
            groups.push(Group { fluents: members, kind });
            fluents += size;
        }
        let order: Vec<usize> = (0..groups.len()).rev().collect();
        Variables::new(fluents as usize, &groups, &defaults, &order)
    }

    #[test]
    fn lists_and_diagrams_hold_the_same_states_in_the_same_order() {
        let limits = Arc::new(Limits::unlimited());
        let mut random = Random::new(3);
        for _ in 0..20 {
            let variables = variables(&mut random);
            let form = Form::new(&variables);
            assert!(form.layout().words() > 1);
            let mut members: BTreeMap<Vec<bool>, u32> = BTreeMap::new();
            for _ in 0..300 {
                let mut assignment = vec![false; variables.levels() as usize];
                for block in variables.blocks().iter().filter(|block| block.len > 0) {
                    let choice = random.below(2 * block.len as usize + 1) as u32;
                    if choice < block.len {
                        assignment[(block.start + choice) as usize] = true;
                    }
                }
                members.insert(assignment, 1 + random.below(4) as u32);
            }
            let mut builder = SetBuilder::new(variables.levels(), &limits);
            for (assignment, terminal) in &members {
                let levels = Level::all(variables.levels());
                let element: Vec<Level> = levels.filter(|level| assignment[level.index()]).collect();
                builder.push(&element, *terminal).unwrap();
            }
            let set = builder.finish().unwrap();
            let list = form.list(&set, &limits).unwrap();
            assert_eq!(list.len(), members.len());
            let terminals: Vec<u32> = members.values().copied().collect();
            for ((assignment, _), state) in members.iter().zip(list.states()) {
                assert_eq!((&form.assignment(state), form.packed(assignment).as_slice()), (assignment, state));
                let state = form.layout().state(state);
                assert_eq!(
                    variables.state(assignment),
                    (0..variables.fluents() as u32).map(|f| state.contains(FluentId(f))).collect::<Vec<_>>()
                );
            }
            assert_eq!(form.set(&list, |rank| terminals[rank], &limits).unwrap(), set);
            let values = as_values(&set, &Context::new(limits.clone(), 1)).unwrap();
            let expected: Vec<u16> = terminals.iter().map(|&terminal| terminal as u16).collect();
            assert_eq!(form.valued_list(&set, &values, &limits).unwrap().1, expected);
        }
    }
}
