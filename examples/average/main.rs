//! A rule of a program's own for how values follow from each other, in a file of its own: what players get on average who
//! all play at random, exactly: `cargo run --release --example average [FILE]`.

mod average;

use average::Average;
use base::limits::Limits;
use game::diagnostic::Source;
use game::ground::{GroundOptions, ground};
use game::rules::gdl;
use solving::solve::{Silent, SolveOptions, run_by};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "games/tictactoe.gdl".to_owned());
    let (program, findings) = gdl::program(&Source::new(path.clone(), &std::fs::read(&path)?));
    let program = program.ok_or_else(|| format!("{path}: {findings:?}"))?;
    let limits = Arc::new(Limits::unlimited());
    let game = ground(&program, &limits, &GroundOptions::default())?.game;
    let outcome = run_by(&game, &Average, &SolveOptions::default(), &limits, &Silent)?;
    let value = outcome.exact.expect("states are solved, not only counted").value;
    println!("{} states; by random play each player gets {value} on average", outcome.states);
    Ok(())
}
