//! How evenly ranges of ranks divide the work, by counting: `cargo run --release --example ranges -- [GAME…] [OPTIONS]`.
//!
//! Each game is solved by rank with 4, 16 and 64 processes, which here are threads that share no memory, and once by one.
//! Work is configurations of programs and states, as the cuts weigh them; ranges are dealt out as if all processes took as long
//! for as much work, since threads that share a few processors do not. Of the layers that are shared: the largest share of
//! the work beside the mean, over all layers (the sum of the largest shares, as the processes wait for each other after each
//! layer) and in the worst of the layers with at least a hundredth of the work; the configurations beside those of the
//! programs of whole layers; the values read beside those that the next layers have.
//!
//! Options: `--processes 4,16,64`, `--least STATES` of a layer that is shared (four blocks for each process by default).

use ggsolve::{Destination, EngineChoice, Event, Limits, Listener, Session, SharedWork, SolveOptions, Team};
use solving::solve::team::{BLOCK_STATES, with_threads};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// Blocks of a range, on average, from which on a layer is shared.
const BLOCKS: u64 = 4;

/// What is told of the layers that are shared.
#[derive(Default)]
struct Told(Mutex<Vec<SharedWork>>);

impl Listener for Told {
    fn event(&self, event: &Event) {
        if let Event::Shared(work) = event {
            self.0.lock().expect("no listener panics").push(work.clone());
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| arguments.iter().position(|word| word == name).and_then(|place| arguments.get(place + 1));
    let sizes = option("--processes").map_or("4,16,64", String::as_str);
    let Ok(sizes) = sizes.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>() else {
        eprintln!("--processes takes numbers such as 4,16,64");
        return ExitCode::FAILURE;
    };
    let least: Option<u64> = option("--least").and_then(|states| states.parse().ok());
    let mut games: Vec<&str> = arguments.iter().take_while(|word| !word.starts_with('-')).map(String::as_str).collect();
    if games.is_empty() {
        games = vec!["games/connect4_6x5.gdl"];
    }
    println!("| game | processes | layers | largest share | in the worst layer | configurations | next layer read |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for game in games {
        let whole = match solve(Path::new(game), Team::default()) {
            Ok((_, configurations)) => configurations,
            Err(error) => {
                eprintln!("{game}: {error}");
                return ExitCode::FAILURE;
            }
        };
        for &size in &sizes {
            let least = least.unwrap_or(BLOCKS * BLOCK_STATES * size as u64);
            match table_row(Path::new(game), size, least, &whole) {
                Ok(row) => println!("| {row} |"),
                Err(error) => {
                    eprintln!("{game}: {error}");
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    ExitCode::SUCCESS
}

fn table_row(game: &Path, size: usize, least: u64, whole: &[u64]) -> Result<String, ggsolve::Error> {
    let (shared, configurations) = with_threads(size, least, |_| Limits::unlimited(), |team| solve(game, team))?;
    let work: f64 = shared.iter().map(SharedWork::mean).sum();
    let longest: f64 = shared.iter().map(|layer| layer.largest_of_equals() * layer.mean()).sum();
    let worst = shared
        .iter()
        .filter(|layer| layer.mean() >= work / 100.0)
        .map(SharedWork::largest_of_equals)
        .fold(0.0, f64::max);
    let of_shared = |of: &[u64]| shared.iter().map(|layer| of[layer.layer as usize]).sum::<u64>() as f64;
    let [next, read] = [|layer: &SharedWork| layer.next, |layer: &SharedWork| layer.read]
        .map(|what| shared.iter().map(what).sum::<u64>());
    Ok(format!(
        "{} | {size} | {} | {:.3} | {worst:.3} | {:.2} | {:.2}",
        game.file_stem().unwrap_or_default().to_string_lossy(),
        shared.len(),
        longest / work,
        of_shared(&configurations) / of_shared(whole),
        read as f64 / next as f64,
    ))
}

/// How layers were shared, and the configurations by layer.
fn solve(game: &Path, team: Team) -> Result<(Vec<SharedWork>, Vec<u64>), ggsolve::Error> {
    let told = Arc::new(Told::default());
    let session = Session::with(Arc::new(Limits::unlimited()), Arc::clone(&told) as Arc<dyn Listener>);
    let rules = session.load_file(game)?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let destination = Destination::Folder { folder: folder.path().join("solution"), force: false };
    let options = SolveOptions { engine: EngineChoice::Hybrid, team, ..SolveOptions::default() };
    let report = session.solve(&rules, &options, &destination)?;
    let configurations = report.layers.iter().map(|layer| layer.means.map_or(0, |means| means.requests)).collect();
    let layers = told.0.lock().expect("no listener panics").clone();
    Ok((layers, configurations))
}
