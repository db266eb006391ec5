//! Random matrix games: `cargo bench --bench matrix -- [MATRICES]`.
//!
//! For sizes and kinds of payoffs, of as many matrices as told (200,000 unless told otherwise, fewer of large ones): how
//! many have a saddle point, and how many a second of processor time are solved, and how many of the solutions are
//! proved. All on one thread. Payoffs are rewards (whole numbers from 0 to 100), wins and losses (0, 50 or 100), or
//! fractions of rewards with denominators up to 12.

mod clock;

use base::limits::Limits;
use base::random::Random;
use clock::clock;
use game::matrix::{Rational, proves, solve};
use std::error::Error;
use std::hint::black_box;

const SIZES: [(usize, usize); 10] =
    [(2, 2), (3, 3), (2, 4), (4, 4), (2, 8), (6, 6), (8, 8), (12, 12), (30, 30), (100, 100)];

fn payoff(kind: &str, random: &mut Random) -> Rational {
    let (numerator, denominator) = match kind {
        "wins" => (random.below(3) * 50, 1),
        "rewards" => (random.below(101), 1),
        _ => {
            let denominator = random.below(12) + 1;
            (random.below(100 * denominator + 1), denominator)
        }
    };
    Rational::new(numerator.into(), denominator.into())
}

/// Processor time of one pass, of as many as take a while.
fn seconds(pass: impl Fn()) -> f64 {
    let (start, mut passes) = (clock(), 0);
    loop {
        pass();
        passes += 1;
        let taken = clock() - start;
        if taken > 0.2 {
            return taken / f64::from(passes);
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let matrices: usize = arguments.next().map_or(Ok(200_000), |number| number.parse())?;
    let limits = Limits::unlimited();
    println!(
        "{:<10} {:<10} {:>8} {:>8} {:>12} {:>12}",
        "payoffs", "size", "games", "saddles", "solved /s", "proved /s"
    );
    for (rows, columns) in SIZES {
        for kind in ["wins", "rewards", "fractions"] {
            let count = (matrices * 16 / (rows * columns).pow(2)).clamp(2, matrices);
            let mut random = Random::new(1);
            let games: Vec<Vec<Rational>> =
                (0..count).map(|_| (0..rows * columns).map(|_| payoff(kind, &mut random)).collect()).collect();
            let solved = games.iter().map(|game| solve(rows, columns, game, &limits)).collect::<Result<Vec<_>, _>>()?;
            let solving = seconds(|| {
                for game in &games {
                    black_box(solve(rows, columns, game, &limits).expect("no limit"));
                }
            });
            let proving = seconds(|| {
                for (game, solution) in games.iter().zip(&solved) {
                    assert!(proves(solution, rows, columns, game), "every solution is proved");
                }
            });
            let pure = solved.iter().filter(|solution| solution.row_strategy.iter().all(Rational::is_integer)).count();
            let (size, count) = (format!("{rows} × {columns}"), count as f64);
            let [solving, proving] = [solving, proving].map(|seconds| count / seconds);
            println!("{kind:<10} {size:<10} {count:>8} {pure:>8} {solving:>12.0} {proving:>12.0}");
        }
    }
    Ok(())
}
