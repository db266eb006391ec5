//! Lookups in a stored solution: `cargo bench --bench query -- FOLDER [POSITIONS [LAYER...]]`.
//!
//! Random states, all of a layer equally likely, 20,000 of each layer unless told otherwise, which is first read once
//! so that its pages are in memory. Prints the processor time, in microseconds, of one stored lookup (is the state in
//! the layer, and what is it worth), and of a query (the value of the position and of every legal move, expanded by
//! the interpreter). The last line is the mean over the layers.

mod clock;

use base::limits::Limits;
use base::random::Random;
use clock::clock;
use solving::solution::{Among, Position, Solution, Stored, Values};
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some((folder, numbers)) = arguments.split_first() else {
        println!("usage: cargo bench --bench query -- FOLDER [POSITIONS [LAYER...]]");
        return Ok(());
    };
    let numbers = numbers.iter().map(|number| number.parse()).collect::<Result<Vec<u32>, _>>()?;
    let positions = numbers.first().map_or(20_000, |&number| number.max(1));
    let limits = Arc::new(Limits::unlimited());
    let stored = Stored::open(Path::new(folder), &limits)?;
    let solution = Solution::open(Path::new(folder), &limits)?;
    let mut random = Random::new(1);
    println!("layer              states      nodes    value nodes  lookup µs  query µs");
    let (mut lookups, mut queries, mut layers) = (0.0, 0.0, 0.0);
    for record in &stored.manifest.layers {
        let wanted = numbers.len() < 2 || numbers[1..].contains(&record.layer);
        let Some(values) = record.values_file.as_ref() else {
            continue;
        };
        if !wanted {
            continue;
        }
        let mut drawn = Vec::new();
        for _ in 0..positions {
            let state = stored.draw(record.layer, Among::All, &mut random, &limits)?;
            drawn.push(Position { layer: record.layer, state });
        }
        let lookup = |position: &Position| {
            stored.worth(position.layer, &position.state).map(|worth| worth.map(|worth| worth.value.map(<[u8]>::len)))
        };
        for position in &drawn {
            black_box(lookup(position)?);
        }
        let start = clock();
        for position in &drawn {
            black_box(lookup(position)?);
        }
        let lookup = (clock() - start) * 1e6 / f64::from(positions);
        let few = &drawn[..drawn.len().min(2000)];
        for position in few {
            black_box(solution.assess(position)?);
        }
        let start = clock();
        for position in few {
            black_box(solution.assess(position)?);
        }
        let query = (clock() - start) * 1e6 / few.len().max(1) as f64;
        println!(
            "{:>5} {:>19} {:>10} {:>14} {lookup:>10.2} {query:>9.1}",
            record.layer,
            record.states.to_string(),
            record.nodes,
            values.nodes
        );
        (lookups, queries, layers) = (lookups + lookup, queries + query, layers + 1.0);
    }
    println!(" mean {:>60.2} {:>9.1}", lookups / layers, queries / layers);
    Ok(())
}
