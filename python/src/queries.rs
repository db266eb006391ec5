//! Questions about positions: everything that is known about one position, or the values of many positions.

use crate::bounds;
use crate::place::Place;
use crate::solution::Solution;
use crate::work;
use ggsolve::{Among, Distance, Error, Position, Query, Random, Rational};
use num_bigint::BigUint;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

/// A number of plies, and whether it is exact.
type Plies = Option<(u32, bool)>;
/// Rewards by role; `None` is endless play.
type Value = Option<Vec<u8>>;
/// The cost of plans, or a lower bound; and whether it is exact.
type Cost = Option<(u64, bool)>;
/// A move: name, role, moves of all roles, value; whether it keeps the value, is best, and is worth more than the value;
/// distance, stored plies, first alike move, cost.
type Move = (String, String, Vec<String>, Value, [bool; 3], Plies, Option<u32>, Option<String>, Cost);
/// A position: mover, whether play is over, whether nobody has a choice, value, distance, moves, stored plies, cost.
type Known = (Option<String>, bool, bool, Value, Plies, Vec<Move>, Option<u32>, Cost);
/// A board: columns, rows, signs by row, fluents that are not on it, meanings of signs, and the whole as text.
type Board = (Vec<String>, Vec<String>, Vec<Vec<Option<String>>>, Vec<String>, Vec<(String, String)>, String);

/// The number for endless play in arrays.
const ENDLESS: i16 = -1;
/// Positions of a batch between two checks for an interruption.
const CHUNK: usize = 1 << 10;

#[pymethods]
impl Solution {
    fn value(&self, py: Python<'_>, place: &Bound<'_, Place>) -> PyResult<Value> {
        let position = self.position(place)?;
        self.ask(py, |solution| Ok::<_, Error>(solution.worth(position)?.value.map(<[u8]>::to_vec)))
    }

    /// The average rewards by position and role, texts like `125/3`; `None` if only guarantees are known.
    fn exact_values(
        &self,
        notify: &Bound<'_, PyAny>,
        places: &Bound<'_, PyList>,
    ) -> PyResult<Vec<Option<Vec<String>>>> {
        let places = places.iter().map(|place| Ok(place.cast_into::<Place>()?)).collect::<PyResult<Vec<_>>>()?;
        let positions = places.iter().map(|place| self.position(place)).collect::<PyResult<Vec<&Position>>>()?;
        let (opened, limits) = (self.opened(notify.py())?, bounds::limits(None)?);
        work::done(notify, &limits, |_| {
            let Some(exact) = opened.exact() else {
                return Err(Error::Options("the values of this solution are rewards, not exact numbers".to_owned()));
            };
            let each = positions.iter().map(|position| {
                limits.check()?;
                let value = exact.value(position)?;
                Ok(value.map(|value| value.numbers().iter().map(Rational::to_string).collect()))
            });
            each.collect()
        })
    }

    /// The knowledge about a position, without distances and costs.
    fn known(&self, py: Python<'_>, place: &Bound<'_, Place>) -> PyResult<Known> {
        let position = self.position(place)?;
        Ok(known(self.ask(py, |solution| solution.query(position, None))?))
    }

    /// As `known`, with distances and costs. Each search for them keeps at most `nodes` positions.
    fn distances(&self, notify: &Bound<'_, PyAny>, place: &Bound<'_, Place>, nodes: usize) -> PyResult<Known> {
        Ok(known(self.searched(notify, place, nodes, true, false)?))
    }

    /// As `distances`, but only with costs.
    fn costs(&self, notify: &Bound<'_, PyAny>, place: &Bound<'_, Place>, nodes: usize) -> PyResult<Known> {
        Ok(known(self.searched(notify, place, nodes, false, false)?))
    }

    /// A line of best play: the moves of all roles, by ply. Searches keep at most `nodes` positions.
    fn line(&self, notify: &Bound<'_, PyAny>, place: &Bound<'_, Place>, nodes: usize) -> PyResult<Vec<Vec<String>>> {
        let (opened, position) = (self.opened(notify.py())?, self.position(place)?);
        let limits = bounds::limits(None)?;
        work::done(notify, &limits, |_| {
            let line = opened.solution().line(position, nodes, &limits)?;
            Ok(line.steps.iter().map(|step| opened.solution().joint_names(&step.ply.joint)).collect())
        })
    }

    /// The JSON of `query`. `distance`: with distances; `why`: with the reasons of values.
    fn query(
        &self,
        notify: &Bound<'_, PyAny>,
        place: &Bound<'_, Place>,
        nodes: usize,
        distance: bool,
        why: bool,
    ) -> PyResult<String> {
        let (opened, position) = (self.opened(notify.py())?, self.position(place)?);
        let limits = bounds::limits(None)?;
        if let Some(exact) = opened.exact().filter(|_| !distance) {
            let query = work::done(notify, &limits, |_| {
                let mut query = exact.query_within(position, &limits)?;
                if why {
                    exact.explain(&mut query, position, &limits)?;
                }
                Ok(query)
            })?;
            return Ok(serde_json::to_string(&query).expect("a report is plain data"));
        }
        let query = self.searched(notify, place, nodes, distance, why)?;
        Ok(serde_json::to_string(&query).expect("a report is plain data"))
    }

    /// The state as a board, if it looks like one.
    fn board(&self, py: Python<'_>, place: &Bound<'_, Place>) -> PyResult<Option<Board>> {
        let state = &self.position(place)?.state;
        let drawing = self
            .ask(py, |solution| Ok::<_, Error>(solution.board().map(|board| board.drawing(solution.game(), state))))?;
        Ok(drawing.map(|drawing| {
            let text = drawing.text(0);
            let legend = drawing.legend.into_iter().map(|meaning| (meaning.sign, meaning.content)).collect();
            (drawing.columns, drawing.rows, drawing.cells, drawing.others, legend, text)
        }))
    }

    /// The rewards by position and role, as 16-bit numbers in the byte order of the machine.
    fn values<'py>(&self, notify: &Bound<'py, PyAny>, places: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyBytes>> {
        let py = notify.py();
        let places = places.iter().map(|place| Ok(place.cast_into::<Place>()?)).collect::<PyResult<Vec<_>>>()?;
        let positions = places.iter().map(|place| self.position(place)).collect::<PyResult<Vec<&Position>>>()?;
        let (opened, limits) = (self.opened(py)?, bounds::limits(None)?);
        let values = work::done(notify, &limits, |_| {
            let roles = opened.solution().game().roles.len();
            let mut values: Vec<u8> = Vec::with_capacity(positions.len() * roles * size_of::<i16>());
            for chunk in positions.chunks(CHUNK) {
                limits.check()?;
                for position in chunk {
                    let value = opened.solution().worth(position)?.value;
                    for role in 0..roles {
                        values.extend(value.map_or(ENDLESS, |rewards| rewards[role].into()).to_ne_bytes());
                    }
                }
            }
            Ok(values)
        })?;
        Ok(PyBytes::new(py, &values))
    }

    /// Random places of a layer; and the number of places from which they are drawn. With `rewards`, only places with
    /// this value are drawn; endless play is a value without rewards.
    fn sample(
        &self,
        notify: &Bound<'_, PyAny>,
        layer: u32,
        number: usize,
        rewards: Option<(Option<Vec<u8>>,)>,
        seed: u64,
    ) -> PyResult<(Vec<Place>, BigUint)> {
        let opened = self.opened(notify.py())?;
        let limits = opened.drawing()?;
        let among = rewards.as_ref().map_or(Among::All, |(rewards,)| Among::Value(rewards.as_deref()));
        let (drawn, population) = work::done(notify, &limits, |_| {
            let mut random = Random::new(seed);
            let population = opened.solution().states_among(layer, among)?;
            let draw = |_| {
                limits.check()?;
                Ok(opened.solution().sample(layer, among, &mut random, &limits)?)
            };
            Ok(((0..number).map(draw).collect::<Result<Vec<Position>, Error>>()?, population))
        })?;
        Ok((drawn.into_iter().map(|position| self.place_at(position)).collect(), population))
    }

    /// A byte for each position and fluent: 1 if the fluent holds, otherwise 0.
    fn flags<'py>(&self, py: Python<'py>, places: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyBytes>> {
        let fluents = self.opened(py)?.solution().fluent_names().len();
        PyBytes::new_with(py, places.len() * fluents, |flags| {
            for (place, flags) in places.iter().zip(flags.chunks_mut(fluents.max(1))) {
                let state = &self.position(place.cast::<Place>()?)?.state;
                state.fluents().for_each(|fluent| flags[fluent.index()] = 1);
            }
            Ok(())
        })
    }

    /// The places whose states have these flags, which are as those that `flags` returns.
    fn places(&self, notify: &Bound<'_, PyAny>, flags: &[u8]) -> PyResult<Vec<Place>> {
        let (opened, limits) = (self.opened(notify.py())?, bounds::limits(None)?);
        let positions: Vec<Position> = work::done(notify, &limits, |_| {
            let solution = opened.solution();
            let states = flags.chunks(solution.fluent_names().len().max(1));
            states
                .map(|flags| {
                    limits.check()?;
                    let holds: Vec<bool> = flags.iter().map(|&flag| flag != 0).collect();
                    Ok(solution.position_of(&holds)?)
                })
                .collect()
        })?;
        Ok(positions.into_iter().map(|position| self.place_at(position)).collect())
    }
}

impl Solution {
    fn searched(
        &self,
        notify: &Bound<'_, PyAny>,
        place: &Bound<'_, Place>,
        nodes: usize,
        distance: bool,
        why: bool,
    ) -> PyResult<Query> {
        let (opened, position) = (self.opened(notify.py())?, self.position(place)?);
        let limits = bounds::limits(None)?;
        work::done(notify, &limits, |_| {
            let mut query = opened.solution().query_within(position, distance.then_some(nodes), &limits)?;
            opened.solution().add_plans(&mut query, position, false, nodes, &limits)?;
            if why {
                opened.solution().explain(&mut query, position, nodes, &limits)?;
            }
            Ok(query)
        })
    }
}

fn known(query: Query) -> Known {
    let cost =
        |exact: Option<u64>, bound: Option<u64>| exact.map(|cost| (cost, true)).or(bound.map(|cost| (cost, false)));
    let plies = |distance: Option<Distance>| distance.map(|distance| (distance.plies, distance.exact));
    let moves = query.moves.into_iter().map(|found| {
        let distance = plies(found.distance);
        let marks = [found.keeps_value, found.optimal, found.worth_more];
        let (marks, cost) = (marks, cost(found.cost, found.cost_at_least));
        (found.action, found.role, found.joint, found.value, marks, distance, found.plies, found.same_as, cost)
    });
    let (moves, distance) = (moves.collect(), plies(query.distance));
    let own = cost(query.plans.cost, query.plans.cost_at_least);
    (query.to_move, query.terminal, query.forced, query.value, distance, moves, query.plies, own)
}
