//! A game from a text, some of its positions, and a board: `cargo run --release --example library`.

use ggsolve::{Session, SolveOptions, Source};

/// Two write x and o on a strip of four cells; who makes a pair wins.
const RULES: &str = "
    (role x) (role o) (init (turn x)) (cell 1 1) (cell 2 1) (cell 3 1) (cell 4 1)
    (<= (init (cell ?c ?r b)) (cell ?c ?r)) (next_to 1 2) (next_to 2 3) (next_to 3 4)
    (<= (legal ?p (mark ?c)) (true (turn ?p)) (true (cell ?c 1 b)))
    (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
    (<= (next (cell ?c 1 ?p)) (does ?p (mark ?c)))
    (<= (next (cell ?c 1 ?s)) (true (cell ?c 1 ?s)) (does ?p (mark ?d)) (distinct ?c ?d))
    (<= (next (turn x)) (true (turn o))) (<= (next (turn o)) (true (turn x)))
    (<= (pair ?p) (role ?p) (true (cell ?c 1 ?p)) (true (cell ?d 1 ?p)) (next_to ?c ?d))
    (<= open (true (cell ?c 1 b)))
    (<= terminal (pair ?p)) (<= terminal (not open))
    (<= (goal ?p 100) (pair ?p)) (<= (goal ?p 0) (role ?p) (pair ?q) (distinct ?p ?q))
    (<= (goal ?p 50) (role ?p) (not (pair x)) (not (pair o)))";

fn main() -> Result<(), ggsolve::Error> {
    let session = Session::default();
    let rules = session.load(Source::new("strip", RULES.as_bytes()));
    let solution = session.solution(&rules, &SolveOptions::default())?;
    let mut position = solution.start();
    for action in ["(mark 2)", "(mark 3)"] {
        println!("{}", solution.query(&position, Some(1000))?);
        position = solution.step(&position, action)?;
    }
    let query = solution.query(&position, None)?;
    let drawing = query.drawing.expect("the cells have coordinates");
    println!("{}worth {:?}", drawing.text(0), query.value);
    Ok(())
}
