//! Several sums of weights packed into one number.

/// One number whose digits, in a mixed base, are the sums.
pub struct Packed {
    /// By level.
    pub weights: Vec<i64>,
    /// By sum: the place value of its digit; the last entry is the place value beyond all digits.
    units: Vec<i64>,
}

impl Packed {
    /// `None`: the sums do not fit into one number.
    pub fn new(sums: &[&Vec<i64>], levels: usize) -> Option<Packed> {
        let mut packed = Packed { weights: vec![0; levels], units: vec![1] };
        for sum in sums {
            let unit = packed.units[packed.units.len() - 1];
            let range = sum.iter().try_fold(0i64, |all, weight| all.checked_add(weight.abs()))?;
            for (all, weight) in packed.weights.iter_mut().zip(*sum) {
                *all = all.checked_add(weight.checked_mul(unit)?)?;
            }
            // The sum is from -`range` to `range`.
            packed.units.push(range.checked_mul(2)?.checked_add(1)?.checked_mul(unit).filter(|unit| *unit < 1 << 60)?);
        }
        Some(packed)
    }

    pub fn sums(&self, mut number: i64) -> Vec<i64> {
        let mut sums = vec![0; self.units.len() - 1];
        for (sum, unit) in sums.iter_mut().zip(&self.units).rev() {
            *sum = (number + number.signum() * (unit / 2)) / unit;
            number -= *sum * unit;
        }
        sums
    }

    pub fn of(&self, assignment: &[bool]) -> i64 {
        self.weights.iter().zip(assignment).filter(|(_, on)| **on).map(|(weight, _)| weight).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_come_back_from_the_number_of_a_state() {
        let sums = [vec![1, -2, 3, 0], vec![0, 5, -5, 1], vec![-1, -1, -1, -1]];
        let packed = Packed::new(&sums.iter().collect::<Vec<_>>(), 4).unwrap();
        for state in 0..16 {
            let assignment: Vec<bool> = (0..4).map(|level| state >> level & 1 == 1).collect();
            let sum = |weights: &Vec<i64>| {
                weights.iter().zip(&assignment).map(|(weight, on)| weight * i64::from(*on)).sum::<i64>()
            };
            assert_eq!(packed.sums(packed.of(&assignment)), sums.iter().map(sum).collect::<Vec<_>>());
        }
        let wide = vec![1 << 40, 1];
        assert!(Packed::new(&[&wide, &wide], 2).is_none());
    }
}
