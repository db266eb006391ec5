//! The distances of a position and of the positions after its moves, stored or found by a search.

use super::super::{Assessment, MoveValue};
use super::{Distance, DistanceSearch, Distances, Position, ReadError, Solution};
use base::digits::grouped;
use base::limits::Limits;
use std::time::Instant;

pub(super) const FIRST_LIMIT: usize = 1000;

impl Assessment {
    /// The stored distances of the position and of the moves that keep the value; `None` if one of them is not stored.
    fn stored_distances(&self) -> Option<Distances> {
        // A book may have a position without its successors.
        if self.moves.iter().any(|option| option.keeps_value && option.plies.is_none()) {
            return None;
        }
        let exact = |plies| Distance { plies, exact: true };
        let of_move = |option: &MoveValue| option.plies.filter(|_| option.keeps_value).map(exact);
        let moves = self.moves.iter().map(of_move).collect();
        Some(Distances { position: exact(self.plies?), moves, ended_by: None })
    }
}

impl Solution {
    /// Stored distances, or those of a search that keeps at most about `limit` positions, within the limits of the
    /// solution. `None` if play is endless.
    pub fn distances(&self, assessment: &Assessment, limit: usize) -> Result<Option<Distances>, ReadError> {
        self.distances_within(assessment, limit, &self.limits)
    }

    /// As [`Solution::distances`], within `limits`, which bound the memory of the search and may interrupt it.
    pub fn distances_within(
        &self,
        assessment: &Assessment,
        limit: usize,
        limits: &Limits,
    ) -> Result<Option<Distances>, ReadError> {
        if let Some(stored) = assessment.stored_distances() {
            return Ok(Some(stored));
        }
        let mut search = DistanceSearch::new(limit, limits);
        let found = self.distances_by(assessment, &mut search)?;
        tracing::info!("distance: {} positions looked at", grouped(search.positions.len()));
        Ok(found)
    }

    /// As [`Solution::distances_within`], with a deadline. Searches with room for twice as many positions each time,
    /// until the distances are exact, the room is `limit`, or the deadline has passed at the end of a search.
    pub fn distances_until(
        &self,
        assessment: &Assessment,
        limit: usize,
        until: Instant,
        limits: &Limits,
    ) -> Result<Option<Distances>, ReadError> {
        if let Some(stored) = assessment.stored_distances() {
            return Ok(Some(stored));
        }
        let mut search = DistanceSearch::new(FIRST_LIMIT.min(limit), limits);
        loop {
            let found = self.distances_by(assessment, &mut search)?;
            if found.as_ref().is_none_or(Distances::exact) || search.limit >= limit || Instant::now() >= until {
                return Ok(found);
            }
            search.limit = (2 * search.limit).min(limit);
        }
    }

    fn distances_by(
        &self,
        assessment: &Assessment,
        search: &mut DistanceSearch,
    ) -> Result<Option<Distances>, ReadError> {
        if assessment.value.is_none() {
            return Ok(None);
        }
        let distance = search.distance(self, &assessment.position)?;
        let mut moves = Vec::with_capacity(assessment.moves.len());
        for option in &assessment.moves {
            let next = Position { layer: assessment.position.layer + 1, state: option.successor.clone() };
            let after = option.keeps_value.then(|| search.distance(self, &next)).transpose()?;
            moves.push(after.map(|Distance { plies, exact }| Distance { plies: plies + 1, exact }));
        }
        let found = Distances { position: distance, moves, ended_by: None };
        Ok(Some(Distances { ended_by: search.ended_by.filter(|_| !found.exact()), ..found }))
    }
}
