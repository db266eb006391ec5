//! The certificate of distances in solutions of all states at once.
//!
//! Play ends with the state's value after a number of plies, its distance. If the mover shortens play, the distance is
//! one more than the least of the successors with this value; if the mover prolongs play, one more than the greatest.
//! These equations have at most one solution. There is an exception: a mover who could prolong play for ever, but would
//! get less by that, shortens play, too. The solution does not say in which states this happens. It can happen only
//! with values that some mover who prolongs play prefers to endless play. For these values, a backward pass finds the
//! states from which the other movers can force an end. Each distance must then satisfy the equation of its state.
//! Memory: the states of such values, 4 bytes for each of their moves, and 8 more in the backward pass.

use base::limits::table_bytes;
use game::interpreter::State;
use rustc_hash::FxHashMap;

pub struct Entry<'a> {
    pub state: &'a State,
    pub plies: u32,
    pub late: bool,
    /// Whether some mover who prolongs play prefers the value to endless play.
    pub yields: bool,
    /// The successors with the state's value, each with its distance.
    pub after: &'a [(&'a State, u32)],
}

#[derive(Default)]
pub struct Distances {
    numbers: FxHashMap<State, u32>,
    nodes: Vec<Node>,
    /// Number of moves of all nodes.
    moves: usize,
}

/// A state with a value that some prolonging mover prefers to endless play.
#[derive(Default)]
struct Node {
    late: bool,
    after: Vec<u32>,
    /// The stored distance, and the distances by the two equations; `None` for a terminal state.
    plies: Option<[u32; 3]>,
}

impl Distances {
    /// Checks a state that is not terminal. With `all`, records it if its value yields. Returns the error in this state
    /// alone, if there is one.
    pub fn add(&mut self, entry: &Entry, all: bool) -> Option<String> {
        let Entry { state, plies, late, yields, after } = *entry;
        let distances = || after.iter().map(|(_, plies)| plies + 1);
        let (Some(least), Some(most)) = (distances().min(), distances().max()) else {
            return Some(format!("is {plies} plies from the end, and no move keeps the value"));
        };
        let expected = if late { most } else { least };
        if plies != expected && !(late && yields && plies == least) {
            return Some(format!("is {plies} plies from the end, and {expected} by a best move"));
        }
        if yields && all {
            let after: Vec<u32> = after.iter().map(|(state, _)| self.number(state)).collect();
            self.moves += after.len();
            let number = self.number(state);
            self.nodes[number as usize] = Node { late, after, plies: Some([plies, least, most]) };
        }
        None
    }

    /// Bytes of the nodes with their moves, and of the backward pass. A state takes `state` bytes outside of its field.
    pub fn bytes(&self, state: usize) -> usize {
        let pass = size_of::<Vec<usize>>() + 2 * size_of::<usize>() + size_of::<bool>();
        let node = 2 * size_of::<Node>() + state + pass;
        table_bytes(self.numbers.len(), size_of::<(State, u32)>())
            + self.nodes.len() * node
            + self.moves * (size_of::<u32>() + size_of::<usize>())
    }

    fn number(&mut self, state: &State) -> u32 {
        if let Some(&number) = self.numbers.get(state) {
            return number;
        }
        let number = self.nodes.len() as u32;
        self.nodes.push(Node::default());
        self.numbers.insert(state.clone(), number);
        number
    }

    /// The errors in the distances as a whole. All states must have been recorded.
    pub fn end(&self) -> Vec<(&State, String)> {
        let forced = self.forced();
        let mut wrong = Vec::new();
        for (state, &number) in &self.numbers {
            let Node { late, plies, .. } = &self.nodes[number as usize];
            let Some([plies, least, most]) = *plies else { continue };
            let (expected, can) = match *late && forced[number as usize] {
                true => (most, "cannot put the end off for ever"),
                false => (least, "could put the end off for ever"),
            };
            if *late && plies != expected {
                let text = format!("is {plies} plies from the end, and {expected} by a best move, as its mover {can}");
                wrong.push((state, text));
            }
        }
        wrong.sort_unstable_by_key(|(state, _)| *state);
        wrong
    }

    /// By node: whether the movers who shorten play can force an end.
    fn forced(&self) -> Vec<bool> {
        let mut before = vec![Vec::new(); self.nodes.len()];
        let mut open: Vec<usize> = self.nodes.iter().map(|node| node.after.len()).collect();
        for (number, node) in self.nodes.iter().enumerate() {
            node.after.iter().for_each(|&next| before[next as usize].push(number));
        }
        let mut forced: Vec<bool> = self.nodes.iter().map(|node| node.plies.is_none()).collect();
        let mut new: Vec<usize> = (0..forced.len()).filter(|&number| forced[number]).collect();
        while let Some(next) = new.pop() {
            for &number in &before[next] {
                open[number] -= 1;
                if !forced[number] && (!self.nodes[number].late || open[number] == 0) {
                    forced[number] = true;
                    new.push(number);
                }
            }
        }
        forced
    }
}
