//! Mutex groups of the public games.

mod common;

use ggsolve::limits::Limits;
use ggsolve::mutex::{Effort, groups};
use ggsolve::propositional::GroupKind;
use std::time::Instant;

/// Prints a table; `GGSOLVE_ONLY` is a comma-separated list of games to look at alone.
#[test]
#[ignore = "a table to look at"]
fn table_of_groups() {
    let Some(corpus) = common::corpus() else { return };
    let only = std::env::var("GGSOLVE_ONLY").unwrap_or_default();
    println!(
        "{:32} {:>8} {:>7} {:>8} {:>7} {:>6} {:>6} {:>8}",
        "game", "nodes", "moves", "fluents", "groups", "exact", "bits", "seconds"
    );
    for sheet in common::rulesheets(&corpus) {
        let name = sheet.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !only.is_empty() && !only.split(',').any(|wanted| wanted == name) {
            continue;
        }
        let game = common::ground_file(&sheet);
        let start = Instant::now();
        let groups = groups(&game, &Effort::default(), &Limits::unlimited()).expect("no limit");
        let seconds = start.elapsed().as_secs_f64();
        let exact = groups.iter().filter(|group| group.kind == GroupKind::ExactlyOne).count();
        let bits: u32 = groups.iter().map(|group| group.bits()).sum();
        println!(
            "{name:32} {:>8} {:>7} {:>8} {:>7} {exact:>6} {bits:>6} {seconds:>8.2}",
            game.graph.len(),
            game.moves.len(),
            game.fluents.len(),
            groups.len(),
        );
    }
}
