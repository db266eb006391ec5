//! A rule language of a program's own, in a file of its own, solved by the library:
//! `cargo run --release --example subtraction [FILE]`.

mod notation;

use ggsolve::{Session, SolveOptions, Source};
use notation::Subtraction;

const NIM: &str = "players ann bob\npile small 3\npile middle 4\npile large 5\ntake 1 2 3 4 5\nlast loses\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = match std::env::args().nth(1) {
        Some(path) => Source::new(path.clone(), &std::fs::read(path)?),
        None => Source::new("nim", NIM.as_bytes()),
    };
    let session = Session::default();
    let rules = session.load_with(source, &Subtraction);
    let solution = session.solution(&rules, &SolveOptions::default())?;
    print!("{}", solution.query(&solution.start(), Some(1000))?);
    Ok(())
}
