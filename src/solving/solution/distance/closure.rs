//! The distances of all positions that can be reached while the value is kept: retrograde analysis, distance by
//! distance. Cost: an evaluation of the rules for each of these positions, which may be all positions of a value.

use super::{Distance, DistanceSearch, Known, ReadError, Solution, UNKNOWN};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

impl DistanceSearch<'_> {
    /// The distance of a position whose value yields; a lower bound if the limit does not allow for all positions.
    pub(super) fn close(&mut self, solution: &Solution, root: u32) -> Result<Distance, ReadError> {
        let Known { lower, upper, .. } = self.positions[root as usize];
        if lower == upper {
            return Ok(Distance { plies: lower, exact: true });
        }
        let mut found: IndexSet<u32, FxBuildHasher> = IndexSet::from_iter([root]);
        // For each position, the ply of its first visit.
        let (mut depths, mut index) = (vec![0], 0);
        while let Some(&node) = found.get_index(index) {
            self.limits.check()?;
            let depth = depths[index];
            index += 1;
            if self.positions[node as usize].upper == 0 {
                continue;
            }
            let Some(children) = self.expand(solution, node)? else {
                let is_end = |(_, node): &(&u32, &u32)| self.positions[**node as usize].upper == 0;
                let end = depths.iter().zip(&found).find(is_end).map_or(depth + 1, |(end, _)| *end);
                let known = &mut self.positions[root as usize];
                known.lower = known.lower.max(end.min(depth + 1));
                return Ok(Distance { plies: known.lower, exact: false });
            };
            for &child in children {
                if found.insert(child) {
                    depths.push(depth + 1);
                }
            }
        }
        let mut late: Vec<bool> = found.iter().map(|&node| !self.positions[node as usize].shortens).collect();
        let mut plies = self.spread(&found, &late);
        if plies.contains(&UNKNOWN) {
            late.iter_mut().zip(&plies).for_each(|(late, &plies)| *late &= plies != UNKNOWN);
            plies = self.spread(&found, &late);
            if plies.contains(&UNKNOWN) {
                return Err(ReadError::Damaged("no play from a state ends with its value".to_owned()));
            }
        }
        for (&node, &plies) in found.iter().zip(&plies) {
            let known = &mut self.positions[node as usize];
            (known.lower, known.upper) = (plies, plies);
        }
        Ok(Distance { plies: plies[0], exact: true })
    }

    /// The distances if movers prolong play in `late` positions; [`UNKNOWN`] where they can do so for ever.
    fn spread(&self, found: &IndexSet<u32, FxBuildHasher>, late: &[bool]) -> Vec<u32> {
        let (mut plies, mut front) = (vec![UNKNOWN; found.len()], Vec::new());
        let (mut before, mut waiting) = (vec![Vec::new(); found.len()], vec![0; found.len()]);
        for (index, &node) in found.iter().enumerate() {
            match &self.positions[node as usize].children {
                Some(children) => {
                    waiting[index] = children.len();
                    for child in children {
                        before[found.get_index_of(child).expect("all that moves lead to was found")].push(index);
                    }
                }
                None => front.push(index),
            }
        }
        for far in 0.. {
            if front.is_empty() {
                break;
            }
            front.iter().for_each(|&index| plies[index] = far);
            let mut next = Vec::new();
            for &index in front.iter().flat_map(|&index| &before[index]) {
                waiting[index] -= 1;
                let settles = if late[index] { waiting[index] == 0 } else { plies[index] == UNKNOWN };
                if settles {
                    plies[index] = far + 1;
                    next.push(index);
                }
            }
            front = next;
        }
        plies
    }
}
