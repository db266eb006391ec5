//! An open-addressing table of ids whose keys are stored elsewhere.
//!
//! Nodes, terms, atoms and index keys are rows of flat arrays. The table has only the row numbers; the caller hashes
//! and compares rows. A slot takes eight bytes. About two thirds at most are full, with linear probing.

const EMPTY: u32 = u32::MAX;

#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Hash and row. The hash rules out most other rows without access to them.
    slots: Vec<(u32, u32)>,
    len: usize,
}

#[inline]
pub fn mix(hash: u64, word: u32) -> u64 {
    (hash ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(27)
}

impl Table {
    /// The row with this hash that `equal` accepts.
    #[inline]
    pub fn find(&self, hash: u64, mut equal: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let tag = tag(hash);
        let mut slot = tag as usize & mask;
        loop {
            let (other, row) = self.slots[slot];
            if row == EMPTY {
                return None;
            }
            if other == tag && equal(row) {
                return Some(row);
            }
            slot = (slot + 1) & mask;
        }
    }

    pub fn insert(&mut self, hash: u64, row: u32) {
        if self.slots.len() * 2 <= self.len * 3 {
            let size = (self.slots.len() * 2).max(16);
            let old = std::mem::replace(&mut self.slots, vec![(0, EMPTY); size]);
            for (tag, row) in old.into_iter().filter(|&(_, row)| row != EMPTY) {
                self.place(tag, row);
            }
        }
        self.place(tag(hash), row);
        self.len += 1;
    }

    fn place(&mut self, tag: u32, row: u32) {
        let mask = self.slots.len() - 1;
        let mut slot = tag as usize & mask;
        while self.slots[slot].1 != EMPTY {
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = (tag, row);
    }

    /// Bytes at the last growth, when the slots of before, half as many, were still there.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<(u32, u32)>() / 2 * 3
    }
}

fn tag(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn finds_what_an_ordered_map_finds() {
        let keys: Vec<u32> = (0..2000u32).map(|i| i.wrapping_mul(2_654_435_761) % 977).collect();
        let (mut table, mut map, mut rows) = (Table::default(), BTreeMap::new(), Vec::new());
        for key in keys {
            let hash = mix(0, key);
            let found = table.find(hash, |row| rows[row as usize] == key);
            assert_eq!(found, map.get(&key).copied());
            if found.is_none() {
                let row = rows.len() as u32;
                rows.push(key);
                map.insert(key, row);
                table.insert(hash, row);
            }
        }
        assert_eq!(rows.len(), map.len());
    }
}
