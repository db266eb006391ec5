//! What one state of each orbit would save: states, and nodes of diagrams, of all states and of the least of each orbit.
//!
//! `cargo run --release --example orbits -- SOLUTION [MOST]`: a stored solution, and the number of states of the largest
//! layer to look at. The symmetries are those that keep the initial state and each role. Of each layer: its states and
//! orbits, the nodes of both sets, the nodes of their values, and the nanoseconds that comparing a state with its images
//! takes. The least is the first in the order of the diagrams' levels.

use base::limits::Limits;
use game::interpreter::State;
use game::symmetry::{Effort, Kept, Permutation, Rules};
use kernel::{Context, Level, SetBuilder, as_values};
use solving::solution::{Stored, Values};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("name a solution: cargo run --release --example orbits -- connect4_5x4.ggs");
        return ExitCode::FAILURE;
    };
    let most = arguments.next().and_then(|number| number.parse().ok()).unwrap_or(5_000_000);
    match table(Path::new(&folder), most) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn table(folder: &Path, most: u64) -> Result<(), Box<dyn std::error::Error>> {
    let limits = Arc::new(Limits::unlimited());
    let context = Context::new(limits.clone(), 1);
    let stored = Stored::open(folder, &limits)?;
    let start = State::from_flags(&stored.game.init);
    let kept = Kept { state: Some(&start), roles: true };
    let symmetries = Rules::new(&stored.game, &limits)?.symmetries(kept, &Effort::default(), &limits)?;
    let images = symmetries.elements(1000);
    println!("{}: {} symmetries, {} used\n", stored.manifest.game, symmetries.order(), images.len().max(1));
    println!("| layer | states | orbits | nodes | of orbits | nodes of values | of orbits | ns by state |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let levels = stored.manifest.variables.len() as u32;
    let mut sums = [0u64; 6];
    let mut spent = Duration::ZERO;
    for layer in 0..stored.layers() {
        let record = &stored.manifest.layers[layer as usize];
        if record.states > most.into() {
            continue;
        }
        let Some(mapped) = stored.states(layer)? else { continue };
        let set = mapped.diagram(&limits)?;
        let mut elements = set.elements();
        let [mut all, mut least] = [(); 2].map(|()| SetBuilder::new(levels, &limits));
        let (mut states, mut orbits, mut of_layer) = (0, 0, Duration::ZERO);
        while let Some((element, _)) = elements.next_element() {
            let element: Vec<Level> = element.to_vec();
            let mut assignment = vec![false; levels as usize];
            element.iter().for_each(|level| assignment[level.index()] = true);
            let state = stored.codec.state(&assignment);
            let id = stored.layer_values(layer)?.and_then(|values| values.value_of(mapped, &assignment).transpose());
            let id = id.transpose()?.unwrap_or(1);
            let begin = Instant::now();
            let image = |images: &Permutation| stored.codec.assignment(&images.state(&state));
            let is_least = images.iter().all(|images| image(images).is_none_or(|image| assignment <= image));
            of_layer += begin.elapsed();
            states += 1;
            all.push(&element, id)?;
            if is_least {
                orbits += 1;
                least.push(&element, id)?;
            }
        }
        let (all, least) = (all.finish()?, least.finish()?);
        let values = [as_values(&all, &context)?, as_values(&least, &context)?];
        // The sets without the values of their states.
        let plain = |set: &kernel::Diagram| -> Result<u64, Box<dyn std::error::Error>> {
            let mut builder = SetBuilder::new(levels, &limits);
            let mut elements = set.elements();
            while let Some((element, _)) = elements.next_element() {
                builder.push(element, 1)?;
            }
            Ok(builder.finish()?.node_count())
        };
        let row = [states, orbits, set.node_count(), plain(&least)?, values[0].node_count(), values[1].node_count()];
        sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
        spent += of_layer;
        print_row(&layer.to_string(), &row, of_layer);
    }
    print_row("all", &sums, spent);
    Ok(())
}

fn print_row(name: &str, row: &[u64; 6], time: Duration) {
    let numbers: Vec<String> = row.iter().map(u64::to_string).collect();
    println!("| {name} | {} | {:.0} |", numbers.join(" | "), time.as_nanos() as f64 / row[0].max(1) as f64);
}
