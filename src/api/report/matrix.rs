//! The reward matrix of a two-player game: states by the rewards of both under best play.

use base::digits::grouped;
use num_bigint::BigUint;
use solving::solve::Bucket;
use solving::words::table::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of states: a row for each reward of the first role, a column for each reward of the second.
pub fn matrix(buckets: &[Bucket]) -> Table {
    let mut cells: BTreeMap<(u8, u8), &BigUint> = BTreeMap::new();
    for bucket in buckets {
        if let Some([first, second]) = bucket.rewards.as_deref() {
            cells.insert((*first, *second), &bucket.states);
        }
    }
    let rows: BTreeSet<u8> = cells.keys().map(|rewards| rewards.0).collect();
    let columns: BTreeSet<u8> = cells.keys().map(|rewards| rewards.1).collect();
    let mut table = Table::new(std::iter::once(String::new()).chain(columns.iter().map(u8::to_string)));
    for row in rows {
        let cell = |column: &u8| cells.get(&(row, *column)).map_or(".".to_owned(), grouped);
        table.row(std::iter::once(row.to_string()).chain(columns.iter().map(cell)));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rewards_that_occur_have_a_row_and_a_column() {
        let bucket = |rewards: Option<[u8; 2]>, states: u32| Bucket {
            rewards: rewards.map(|rewards| rewards.to_vec()),
            states: BigUint::from(states),
            nodes: None,
            plies: Vec::new(),
        };
        let buckets = [bucket(Some([0, 100]), 7), bucket(Some([50, 50]), 1000), bucket(None, 3)];
        let expected = "       50  100\n 0      .    7\n50  1,000    .\n";
        assert_eq!(matrix(&buckets).render(0), expected);
    }
}
