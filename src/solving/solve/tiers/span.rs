//! The linear span of weight vectors, by elimination modulo a prime. It tells whether weights depend linearly on other
//! weights, and proposes weights that all rows leave unchanged. Conclusions are proved elsewhere, in whole numbers.

use base::modular::{PRIME, add, inverse, multiply, negative};

/// Largest numerator and largest denominator of entries that elimination finds.
const LARGEST: u64 = 1 << 20;
const DENOMINATORS: u64 = 60;

/// A basis in reduced echelon form: the first entry of each vector is 1, where all others have 0.
#[derive(Debug, Clone, Default)]
pub struct Span {
    /// Each with the index of its first entry, ascending.
    rows: Vec<(usize, Vec<u64>)>,
}

impl Span {
    /// Adds a vector, which must be as long as all others; false if it depends on them.
    pub fn add(&mut self, vector: impl Iterator<Item = i64>) -> bool {
        let of = |number: i64| if number < 0 { negative(number.unsigned_abs() % PRIME) } else { number as u64 % PRIME };
        let mut row: Vec<u64> = vector.map(of).collect();
        for (first, known) in &self.rows {
            let factor = row[*first];
            subtract(&mut row, factor, known);
        }
        let Some(first) = row.iter().position(|entry| *entry != 0) else { return false };
        let factor = inverse(row[first]);
        row.iter_mut().for_each(|entry| *entry = multiply(*entry, factor));
        for (_, known) in &mut self.rows {
            let factor = known[first];
            subtract(known, factor, &row);
        }
        let place = self.rows.partition_point(|(other, _)| *other < first);
        self.rows.insert(place, (first, row));
        true
    }

    /// A basis of the vectors whose product with each vector of the span is 0, as far as these are small whole numbers.
    /// `length`: the length of the vectors.
    pub fn orthogonal(&self, length: usize) -> Vec<Vec<i64>> {
        let begins = |entry: &usize| self.rows.iter().any(|(first, _)| first == entry);
        let free = (0..length).filter(|entry| !begins(entry));
        let vector = |free: usize| {
            let mut vector = vec![0; length];
            vector[free] = 1;
            self.rows.iter().for_each(|(first, row)| vector[*first] = negative(row[free]));
            small(&vector)
        };
        free.filter_map(vector).collect()
    }
}

fn subtract(row: &mut [u64], factor: u64, known: &[u64]) {
    if factor != 0 {
        let factor = negative(factor);
        row.iter_mut().zip(known).for_each(|(own, known)| *own = add(*own, multiply(factor, *known)));
    }
}

/// A multiple in small whole numbers; `None` if there is none.
fn small(vector: &[u64]) -> Option<Vec<i64>> {
    let number = |entry: u64| match entry {
        entry if entry <= LARGEST => Some(entry as i64),
        entry if PRIME - entry <= LARGEST => Some(-((PRIME - entry) as i64)),
        _ => None,
    };
    (1..=DENOMINATORS).find_map(|times| vector.iter().map(|&entry| number(multiply(entry, times))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn what_is_orthogonal_is_so_and_as_much_as_there_is() {
        let mut random = Random::new(3);
        for _ in 0..100 {
            let length = 2 + random.below(6);
            let (mut span, mut vectors, mut rank) = (Span::default(), Vec::new(), 0);
            for _ in 0..random.below(8) {
                let vector: Vec<i64> = (0..length).map(|_| random.below(3) as i64 - 1).collect();
                rank += usize::from(span.add(vector.iter().copied()));
                vectors.push(vector);
            }
            assert!(vectors.iter().all(|vector| !span.clone().add(vector.iter().copied())));
            let orthogonal = span.orthogonal(length);
            assert_eq!(orthogonal.len() + rank, length);
            for vector in &vectors {
                let product = |other: &Vec<i64>| vector.iter().zip(other).map(|(a, b)| a * b).sum::<i64>();
                assert!(orthogonal.iter().all(|other| product(other) == 0));
            }
        }
    }
}
