//! Compares solutions with their certificates, known games, and the values of all square parts of small matrices.

use base::random::Random;
use num_traits::Pow;

use super::*;

fn whole(number: i64) -> Rational {
    Rational::from_integer(number.into())
}

fn fraction(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator.into(), denominator.into())
}

fn solved(rows: usize, columns: usize, payoffs: &[Rational]) -> MatrixSolution {
    let solution = solve(rows, columns, payoffs, &Limits::unlimited()).expect("no limit");
    assert!(proves(&solution, rows, columns, payoffs), "{rows} × {columns} {payoffs:?}: {solution:?}");
    assert_eq!(value(rows, columns, payoffs, &Limits::unlimited()).as_ref(), Ok(&solution.value));
    let support = |strategy: &[Rational]| strategy.iter().filter(|probability| !probability.is_zero()).count();
    let supports = [support(&solution.row_strategy), support(&solution.column_strategy)];
    assert!(supports.iter().all(|&support| support <= rows.min(columns)), "a basis mixes few moves: {supports:?}");
    solution
}

/// The value of a game is `det / Σ adjugate` of one of its square parts whose weights prove it (Shapley, Snow 1950).
/// All parts are tried, each by Cramer's rule.
fn by_parts(rows: usize, columns: usize, payoffs: &[Rational]) -> Rational {
    for row_set in 1..1usize << rows {
        for column_set in 1..1usize << columns {
            if row_set.count_ones() != column_set.count_ones() {
                continue;
            }
            let chosen =
                |set: usize, count: usize| (0..count).filter(|place| set >> place & 1 == 1).collect::<Vec<_>>();
            let (across, down) = (chosen(row_set, rows), chosen(column_set, columns));
            let part: Vec<Vec<Rational>> = across
                .iter()
                .map(|row| down.iter().map(|column| payoffs[row * columns + column].clone()).collect())
                .collect();
            let turned =
                (0..down.len()).map(|column| part.iter().map(|row| row[column].clone()).collect()).collect::<Vec<_>>();
            let (Some((value, y)), Some((_, x))) = (indifferent(&part), indifferent(&turned)) else { continue };
            let mut solution =
                MatrixSolution { value, row_strategy: vec![whole(0); rows], column_strategy: vec![whole(0); columns] };
            across.iter().zip(x).for_each(|(row, weight)| solution.row_strategy[*row] = weight);
            down.iter().zip(y).for_each(|(column, weight)| solution.column_strategy[*column] = weight);
            if proves(&solution, rows, columns, payoffs) {
                return solution.value;
            }
        }
    }
    unreachable!("every game has a square part that solves it")
}

/// The weights of columns that give all rows of a square matrix the same value, and that value: Cramer's rule for
/// `A · y − v = 0`, `Σ y = 1`.
fn indifferent(part: &[Vec<Rational>]) -> Option<(Rational, Vec<Rational>)> {
    let mut system: Vec<Vec<Rational>> =
        part.iter().map(|row| row.iter().cloned().chain([whole(-1)]).collect()).collect();
    system.push((0..=part.len()).map(|place| whole(i64::from(place < part.len()))).collect());
    let whole_system = determinant(&system);
    if whole_system.is_zero() {
        return None;
    }
    let replaced = |column: usize| {
        let mut system = system.clone();
        system.iter_mut().enumerate().for_each(|(row, line)| line[column] = whole(i64::from(row == part.len())));
        determinant(&system) / &whole_system
    };
    Some((replaced(part.len()), (0..part.len()).map(replaced).collect()))
}

fn determinant(matrix: &[Vec<Rational>]) -> Rational {
    let Some((first, rest)) = matrix.split_first() else { return whole(1) };
    let minor = |column: usize| -> Vec<Vec<Rational>> {
        let without = |row: &Vec<Rational>| [&row[..column], &row[column + 1..]].concat();
        rest.iter().map(without).collect()
    };
    let term = |column: usize| {
        whole(if column.is_multiple_of(2) { 1 } else { -1 }) * &first[column] * determinant(&minor(column))
    };
    (0..first.len()).filter(|&column| !first[column].is_zero()).map(term).sum()
}

/// A matrix of one of several kinds, degenerate ones among them.
fn random_matrix(rows: usize, columns: usize, random: &mut Random) -> Vec<Rational> {
    let kind = random.below(6);
    let mut payoffs: Vec<Rational> = (0..rows * columns)
        .map(|_| match kind {
            0 => whole(random.below(2) as i64),
            1 => whole(random.below(5) as i64 - 2),
            2 => fraction(random.below(2001) as i64 - 1000, random.below(30) as i64 + 1),
            5 => fraction(random.word() as i64 >> 1, (random.word() >> 2) as i64 + 1),
            _ => whole(random.below(101) as i64),
        })
        .collect();
    if kind == 4 {
        for _ in 0..rows {
            let (from, to) = (random.below(rows), random.below(rows));
            (0..columns).for_each(|column| payoffs[to * columns + column] = payoffs[from * columns + column].clone());
        }
        let (from, to) = (random.below(columns), random.below(columns));
        (0..rows).for_each(|row| payoffs[row * columns + to] = payoffs[row * columns + from].clone());
    } else if kind == 3 && rows == columns {
        for row in 0..rows {
            payoffs[row * columns + row] = whole(0);
            for column in 0..row {
                payoffs[row * columns + column] = -payoffs[column * columns + row].clone();
            }
        }
    }
    payoffs
}

#[test]
fn random_games_have_the_value_of_one_of_their_square_parts() {
    let mut random = Random::new(39);
    for _ in 0..3000 {
        let (rows, columns) = (random.below(4) + 1, random.below(4) + 1);
        let payoffs = random_matrix(rows, columns, &mut random);
        assert_eq!(solved(rows, columns, &payoffs).value, by_parts(rows, columns, &payoffs), "{rows} {payoffs:?}");
    }
}

#[test]
fn random_games_of_many_moves_are_proved() {
    let mut random = Random::new(40);
    for _ in 0..1500 {
        let (rows, columns) = (random.below(14) + 1, random.below(14) + 1);
        let payoffs = random_matrix(rows, columns, &mut random);
        let value = solved(rows, columns, &payoffs).value;
        // With the players exchanged, the value has the opposite sign.
        let turned: Vec<Rational> =
            (0..rows * columns).map(|i| -payoffs[i % rows * columns + i / rows].clone()).collect();
        assert_eq!(solved(columns, rows, &turned).value, -value);
    }
}

#[test]
fn numbers_of_every_size_give_the_same_strategies() {
    let mut random = Random::new(41);
    for _ in 0..300 {
        let (rows, columns) = (random.below(6) + 1, random.below(6) + 1);
        let payoffs = random_matrix(rows, columns, &mut random);
        let small = solved(rows, columns, &payoffs);
        // A common factor leaves the normal form as it is, though the numbers no longer fit machine numbers.
        for power in [20, 40, 130] {
            let factor = Rational::from_integer(BigInt::from(3).pow(power as u32));
            let larger: Vec<Rational> = payoffs.iter().map(|payoff| payoff * &factor + &factor).collect();
            let large = solved(rows, columns, &larger);
            assert_eq!(large.value, &small.value * &factor + &factor);
            assert_eq!(
                (large.row_strategy, large.column_strategy),
                (small.row_strategy.clone(), small.column_strategy.clone())
            );
        }
    }
}

#[test]
fn machine_numbers_that_overflow_are_replaced() {
    // Diagonal matrices with numbers near the bound of 64, 96 and 128 bits have the value 1 / Σ 1 / aᵢ.
    for bits in [30, 61, 62, 63, 90, 126, 127, 200] {
        let diagonal: Vec<Rational> =
            (0..5).map(|i| Rational::from_integer((BigInt::one() << bits) - BigInt::from(2 * i + 1))).collect();
        let payoffs: Vec<Rational> =
            (0..25).map(|i| if i % 6 == 0 { diagonal[i / 6].clone() } else { whole(0) }).collect();
        let inverse: Rational = diagonal.iter().map(|entry| Rational::one() / entry).sum();
        assert_eq!(solved(5, 5, &payoffs).value, Rational::one() / inverse);
    }
}

#[test]
fn known_games() {
    let of = |rows, columns, payoffs: &[i64]| {
        let payoffs: Vec<Rational> = payoffs.iter().map(|&payoff| whole(payoff)).collect();
        solved(rows, columns, &payoffs)
    };
    // Matching pennies, and Rock-Paper-Scissors.
    assert_eq!(of(2, 2, &[1, -1, -1, 1]).row_strategy, vec![fraction(1, 2); 2]);
    let even = of(3, 3, &[0, -1, 1, 1, 0, -1, -1, 1, 0]);
    assert_eq!((even.value, even.row_strategy), (whole(0), vec![fraction(1, 3); 3]));
    let saddle = of(2, 3, &[4, 2, 3, 5, 2, 1]);
    assert_eq!(saddle.row_strategy, [whole(1), whole(0)]);
    assert_eq!((saddle.value, saddle.column_strategy), (whole(2), vec![whole(0), whole(1), whole(0)]));
    // The last row and the last column are dominated.
    let dominated = of(3, 3, &[3, 1, 3, 0, 2, 2, 0, 1, 1]);
    assert_eq!(
        (dominated.value, dominated.row_strategy),
        (fraction(3, 2), vec![fraction(1, 2), fraction(1, 2), whole(0)])
    );
    assert_eq!(dominated.column_strategy, [fraction(1, 4), fraction(3, 4), whole(0)]);
    assert_eq!(of(1, 1, &[-7]).value, whole(-7));
}

#[test]
fn what_is_no_solution_is_not_proved() {
    let payoffs: Vec<Rational> = [2, 0, 0, 1].map(whole).to_vec();
    let right = solved(2, 2, &payoffs);
    let wrong = |change: fn(&mut MatrixSolution)| {
        let mut solution = right.clone();
        change(&mut solution);
        assert!(!proves(&solution, 2, 2, &payoffs), "{solution:?}");
    };
    wrong(|solution| solution.value = fraction(1, 2));
    wrong(|solution| solution.value = whole(1));
    wrong(|solution| solution.row_strategy.swap(0, 1));
    wrong(|solution| solution.column_strategy.swap(0, 1));
    wrong(|solution| solution.row_strategy = vec![fraction(4, 3), fraction(-1, 3)]);
    wrong(|solution| solution.row_strategy = vec![fraction(1, 3), fraction(4, 3)]);
    wrong(|solution| solution.column_strategy = vec![whole(0), whole(0)]);
    wrong(|solution| solution.column_strategy.truncate(1));
    assert!(!proves(&right, 2, 1, &payoffs[..2]));
}

#[test]
fn limits_end_large_matrices() {
    let mut random = Random::new(42);
    let payoffs: Vec<Rational> = (0..90 * 90).map(|_| whole(random.below(1000) as i64)).collect();
    let limits = Limits::unlimited();
    limits.interrupt();
    assert_eq!(solve(90, 90, &payoffs, &limits), Err(LimitReached::Interrupted));
    assert!(matches!(solve(90, 90, &payoffs, &Limits::new(1 << 16)), Err(LimitReached::Memory { .. })));
    assert!(Limits::unlimited().used() == 0 && proves(&solved(90, 90, &payoffs), 90, 90, &payoffs));
}
