//! Orders of the groups by coordinates from the names of the fluents.
//!
//! The coordinates of a group are the arguments that all its fluents share: `(cell 3 1 _)` is at (3, 1). Groups are
//! sorted by their coordinates, for a choice of the most significant axis and of a direction for each axis: upwards,
//! from the centre outwards, or from the ends inwards. This gives orders by rows, columns and the like. Coordinates
//! have no assumed meaning; their values are ordered as numbers or names, and numbers in names as numbers: `p2` comes
//! before `p10`.

use crate::propositional::{Game, GroundTerm, Group};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Upward,
    Outward,
    Inward,
}

/// All directions, the simplest first.
pub const DIRECTIONS: [Direction; 3] = [Direction::Upward, Direction::Outward, Direction::Inward];

/// An order by coordinates: the axes from the most significant, and the direction of each axis (by axis).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sorting {
    pub axes: Vec<usize>,
    pub directions: Vec<Direction>,
}

pub struct Coordinates {
    /// For each group, the index of its value on each axis; the list is shorter if the group has fewer coordinates.
    places: Vec<Vec<usize>>,
    sizes: Vec<usize>,
}

impl Coordinates {
    pub fn new(game: &Game, groups: &[Group]) -> Self {
        let terms: Vec<Vec<&GroundTerm>> = groups.iter().map(|group| shared(game, group)).collect();
        let axes = terms.iter().map(Vec::len).max().unwrap_or(0);
        let mut values: Vec<BTreeSet<&GroundTerm>> = vec![BTreeSet::new(); axes];
        for terms in &terms {
            terms.iter().enumerate().for_each(|(axis, term)| _ = values[axis].insert(term));
        }
        let ranked: Vec<BTreeMap<&GroundTerm, usize>> = values
            .into_iter()
            .map(|values| {
                let mut values: Vec<&GroundTerm> = values.into_iter().collect();
                values.sort_by_cached_key(|term| {
                    let number = term.name.parse::<i64>().map_or((1, 0), |number| (0, number));
                    (number, with_numbers(&term.name), *term)
                });
                values.into_iter().enumerate().map(|(rank, term)| (term, rank)).collect()
            })
            .collect();
        let place =
            |terms: &Vec<&GroundTerm>| terms.iter().enumerate().map(|(axis, term)| ranked[axis][term]).collect();
        Coordinates { places: terms.iter().map(place).collect(), sizes: ranked.iter().map(BTreeMap::len).collect() }
    }

    pub fn axes(&self) -> usize {
        self.sizes.len()
    }

    /// The groups sorted upwards on every axis, where the first axis is the most significant.
    pub fn upward(&self, base: &[usize]) -> Vec<usize> {
        let axes = self.axes();
        self.sorted(base, &Sorting { axes: (0..axes).collect(), directions: vec![Direction::Upward; axes] })
    }

    /// The groups `base`, sorted; groups without coordinates come first, ties keep their order.
    pub fn sorted(&self, base: &[usize], sorting: &Sorting) -> Vec<usize> {
        let mut order = base.to_vec();
        let key = |group: &usize| -> Vec<Option<usize>> {
            let rank = |&axis: &usize| self.places[*group].get(axis).map(|&place| self.rank(axis, place, sorting));
            sorting.axes.iter().map(rank).collect()
        };
        order.sort_by_cached_key(key);
        order
    }

    fn rank(&self, axis: usize, place: usize, sorting: &Sorting) -> usize {
        let size = self.sizes[axis];
        let from_centre = (2 * place + 1).abs_diff(size);
        match sorting.directions[axis] {
            Direction::Upward => place,
            Direction::Outward => 2 * from_centre + usize::from(2 * place + 1 > size),
            Direction::Inward => 2 * (size - from_centre.min(size)) + usize::from(2 * place + 1 > size),
        }
    }
}

/// The arguments that all fluents of a group share at the same position, if all fluents have the same name.
fn shared<'a>(game: &'a Game, group: &Group) -> Vec<&'a GroundTerm> {
    let terms: Vec<&GroundTerm> = group.fluents.iter().map(|fluent| &game.fluents[fluent.index()]).collect();
    let Some((first, rest)) = terms.split_first() else { return Vec::new() };
    let alike = rest.iter().all(|term| term.name == first.name && term.arguments.len() == first.arguments.len());
    let arguments = first.arguments.iter().enumerate();
    let shared = arguments.filter(|(place, argument)| alike && rest.iter().all(|t| t.arguments[*place] == **argument));
    shared.map(|(_, argument)| argument).collect()
}

/// The parts of a name: each is a text without digits, then the digits after it, compared by their length first.
fn with_numbers(name: &str) -> Vec<(&str, usize, &str)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let (text, from_digits) = rest.split_at(rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len()));
        let end = from_digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(from_digits.len());
        let (digits, after) = from_digits.split_at(end);
        let digits = digits.trim_start_matches('0');
        parts.push((text, digits.len(), digits));
        rest = after;
    }
    parts
}

/// The permutations of the axes, the identity first; only the rotations if there are more than four axes.
pub fn permutations(axes: usize) -> Vec<Vec<usize>> {
    if axes > 4 {
        return (0..axes).map(|shift| (0..axes).map(|axis| (axis + shift) % axes).collect()).collect();
    }
    let mut all = vec![Vec::new()];
    for _ in 0..axes {
        all = all
            .iter()
            .flat_map(|prefix: &Vec<usize>| {
                let free = (0..axes).filter(|axis| !prefix.contains(axis));
                free.map(|axis| prefix.iter().copied().chain([axis]).collect()).collect::<Vec<Vec<usize>>>()
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_compared_as_numbers() {
        let mut names = ["p10", "p2", "b9", "p02x", "p", "p2x1", "p2x10", "p2x9"];
        names.sort_by_key(|name| (with_numbers(name), *name));
        assert_eq!(names, ["b9", "p", "p2", "p02x", "p2x1", "p2x9", "p2x10", "p10"]);
    }
}
