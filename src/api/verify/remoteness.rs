//! The certificate of distances where all states were solved at once.
//!
//! A state of a value is one ply further from the end than the nearest of the states after it that have the value or, where
//! its mover prolongs play, than the farthest. These equations have one solution at most. Who could put the end off for
//! ever in that way, but gets less by it, shortens play, too. In which states that is, is not stored. It can only be with
//! values that some mover who prolongs play prefers to endless play; for these the states from which the others can force
//! an end are found here, from the ends backward, and each distance must be that of the equation for its state.
//!
//! Memory: for the states of such values, themselves and 4 bytes for each of their moves.

use game::interpreter::State;
use rustc_hash::FxHashMap;

/// A state and what best play may go on to.
pub struct Entry<'a> {
    pub state: &'a State,
    pub plies: u32,
    /// Its mover prolongs play.
    pub late: bool,
    /// Whether some mover who prolongs play prefers the value to endless play.
    pub yields: bool,
    /// The states after it with its value, and their distances.
    pub after: &'a [(&'a State, u32)],
}

/// What the states looked at so far say.
#[derive(Default)]
pub struct Distances {
    numbers: FxHashMap<State, u32>,
    nodes: Vec<Node>,
}

/// A state of a value with which play could be put off.
#[derive(Default)]
struct Node {
    late: bool,
    after: Vec<u32>,
    /// The distance, and what it is by each equation; `None` for an end.
    plies: Option<[u32; 3]>,
}

impl Distances {
    /// Records a state that is not terminal; where not `all` are recorded, just looks at it. Returns what is wrong with it by
    /// itself.
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
            let after = after.iter().map(|(state, _)| self.number(state)).collect();
            let number = self.number(state);
            self.nodes[number as usize] = Node { late, after, plies: Some([plies, least, most]) };
        }
        None
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

    /// What is wrong with them as a whole, once all states were recorded.
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

    /// By number: whether those who shorten play can force an end.
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
