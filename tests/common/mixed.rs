//! Exact values by plain recursion over the reference interpreter, and of matrices by trying all of their square parts.

use game::interpreter::{Interpreter, State};
use game::matrix::Rational;
use game::propositional::Game;
use game::reward::OpponentModel;
use rustc_hash::FxHashMap;

/// Whose values.
#[derive(Debug, Clone, Copy)]
pub enum Wish {
    Each(OpponentModel),
    /// One player against all others together.
    Against(usize),
}

pub type Value = Vec<Rational>;

/// The values of all states that can be reached; none of one that has no single value, or where one after it has none.
pub struct Recursion<'g> {
    game: &'g Game,
    interpreter: Interpreter,
    wish: Wish,
    pub known: FxHashMap<State, Option<Value>>,
}

fn whole(number: i64) -> Rational {
    Rational::from_integer(number.into())
}

impl<'g> Recursion<'g> {
    pub fn new(game: &'g Game, wish: Wish) -> Recursion<'g> {
        Recursion { game, interpreter: Interpreter::new(game), wish, known: FxHashMap::default() }
    }

    pub fn start(&mut self) -> Option<Value> {
        self.value(&self.interpreter.initial())
    }

    /// By layer: its states.
    pub fn layers(&self) -> Vec<Vec<State>> {
        let mut layers = vec![vec![self.interpreter.initial()]];
        while let Some(layer) = layers.last().filter(|layer| !layer.is_empty()) {
            let mut next: Vec<State> = Vec::new();
            for state in layer {
                let situation = self.interpreter.situation(state);
                if !situation.terminal {
                    next.extend(situation.joint_moves().map(|joint| self.interpreter.successor(state, &joint)));
                }
            }
            next.sort();
            next.dedup();
            layers.push(next);
        }
        layers.pop();
        layers
    }

    pub fn value(&mut self, state: &State) -> Option<Value> {
        if let Some(known) = self.known.get(state) {
            return known.clone();
        }
        let value = self.found(state);
        self.known.insert(state.clone(), value.clone());
        value
    }

    fn found(&mut self, state: &State) -> Option<Value> {
        let players = self.game.players();
        let situation = self.interpreter.situation(state);
        if situation.terminal {
            let reward = |player: usize| match self.wish {
                Wish::Against(role) if role != player => whole(0),
                _ => whole(situation.goals[player][0].into()),
            };
            return Some((0..players).map(reward).collect());
        }
        let after: Vec<Option<Value>> =
            situation.joint_moves().map(|joint| self.value(&self.interpreter.successor(state, &joint))).collect();
        let after: Vec<Value> = after.into_iter().collect::<Option<_>>()?;
        let chance = if self.game.has_chance { situation.legal[players].len() } else { 1 };
        let mean = |part: &[Value]| -> Value {
            (0..players)
                .map(|player| part.iter().map(|value| &value[player]).sum::<Rational>() / whole(chance as i64))
                .collect()
        };
        let after: Vec<Value> = after.chunks(chance).map(mean).collect();
        let mut choices: Vec<usize> = situation.legal[..players].iter().map(Vec::len).collect();
        // Whoever's moves make no difference is left its first one.
        let mut after = after;
        for player in 0..players {
            let below: usize = choices[player + 1..].iter().product();
            let all: Vec<&[Value]> = after.chunks(below * choices[player]).collect();
            if all.iter().all(|block| block.chunks(below).all(|part| part == &block[..below])) {
                after = all.iter().flat_map(|block| block[..below].to_vec()).collect();
                choices[player] = 1;
            }
        }
        let choosing: Vec<usize> = (0..players).filter(|&player| choices[player] > 1).collect();
        if choosing.is_empty() {
            return Some(after[0].clone());
        }
        match (self.wish, choosing.as_slice()) {
            (Wish::Against(role), _) => {
                let mut rows = vec![Vec::new(); choices[role]];
                for (index, value) in after.iter().enumerate() {
                    let below: usize = choices[role + 1..].iter().product();
                    rows[index / below % choices[role]].push(value[role].clone());
                }
                let mut value = vec![whole(0); players];
                value[role] = matrix(&rows);
                Some(value)
            }
            (Wish::Each(model), &[mover]) => after.into_iter().max_by_key(|value| rank(model, mover, value)),
            (Wish::Each(_), &[first, second]) => {
                let others = |value: &Value| {
                    let mut value = value.clone();
                    (value[first], value[second]) = (whole(0), value[first].clone() + &value[second]);
                    value
                };
                if after.iter().any(|value| others(value) != others(&after[0])) {
                    return None;
                }
                let rows: Vec<Vec<Rational>> = after
                    .chunks(choices[second])
                    .map(|row| row.iter().map(|value| value[first].clone()).collect())
                    .collect();
                let mut value = after[0].clone();
                let sum = &value[first] + &value[second];
                value[first] = matrix(&rows);
                value[second] = sum - &value[first];
                Some(value)
            }
            _ => None,
        }
    }
}

/// A key that is larger the better a value is for a mover: the words of the opponent model.
fn rank(model: OpponentModel, mover: usize, value: &Value) -> Vec<Rational> {
    let next: Vec<Rational> = value[mover + 1..].iter().chain(&value[..mover]).cloned().collect();
    let best = next.iter().max().cloned().unwrap_or(whole(0));
    let first = match model {
        OpponentModel::MaxOwn => vec![value[mover].clone()],
        OpponentModel::MaxDiff => vec![&value[mover] - best, value[mover].clone()],
    };
    let sum = -next.iter().sum::<Rational>();
    first.into_iter().chain([sum]).chain(next.into_iter().map(|number| -number)).collect()
}

/// The value of a matrix of numbers that are not negative: some square part has it, and strategies by which neither side can
/// do better in the whole (Shapley and Snow, "Basic solutions of discrete games", 1950).
pub fn matrix(rows: &[Vec<Rational>]) -> Rational {
    // With positive numbers only, the part can be chosen with an inverse.
    let rows: Vec<Vec<Rational>> =
        rows.iter().map(|row| row.iter().map(|number| number + whole(1)).collect()).collect();
    let (height, width) = (rows.len(), rows[0].len());
    for size in 1..=height.min(width) {
        for some in subsets(height, size) {
            for others in subsets(width, size) {
                let part: Vec<Vec<Rational>> =
                    some.iter().map(|&row| others.iter().map(|&column| rows[row][column].clone()).collect()).collect();
                let turned: Vec<Vec<Rational>> =
                    (0..size).map(|column| part.iter().map(|row| row[column].clone()).collect()).collect();
                let (Some(columns), Some(mixed)) = (solved(part), solved(turned)) else { continue };
                let total: Rational = columns.iter().sum();
                if total <= whole(0) || columns.iter().chain(&mixed).any(|weight| *weight < whole(0)) {
                    continue;
                }
                let value = whole(1) / &total;
                let least = (0..width).all(|column| {
                    some.iter().zip(&mixed).map(|(&row, weight)| weight * &rows[row][column]).sum::<Rational>()
                        >= whole(1)
                });
                let most = (0..height).all(|row| {
                    others.iter().zip(&columns).map(|(&column, weight)| weight * &rows[row][column]).sum::<Rational>()
                        <= whole(1)
                });
                if least && most {
                    return value - whole(1);
                }
            }
        }
    }
    panic!("every matrix has a value: {rows:?}")
}

/// The solution of the equations of a square matrix with 1 on all right sides, if there is just one.
fn solved(mut rows: Vec<Vec<Rational>>) -> Option<Vec<Rational>> {
    let size = rows.len();
    rows.iter_mut().for_each(|row| row.push(whole(1)));
    for column in 0..size {
        let pivot = (column..size).find(|&row| rows[row][column] != whole(0))?;
        rows.swap(column, pivot);
        let scale = rows[column][column].clone();
        rows[column].iter_mut().for_each(|number| *number = &*number / &scale);
        for row in (0..size).filter(|&row| row != column) {
            let factor = rows[row][column].clone();
            let pivot = rows[column].clone();
            rows[row].iter_mut().zip(&pivot).for_each(|(number, own)| *number = &*number - &factor * own);
        }
    }
    rows.iter().map(|row| row.last().cloned()).collect()
}

/// All sets of so many numbers below a bound.
fn subsets(bound: usize, size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    (0..bound).flat_map(|last| subsets(last, size - 1).into_iter().map(move |set| [set, vec![last]].concat())).collect()
}
