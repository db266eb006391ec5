//! Values of a layer as a diagram and by rank: `cargo bench --bench ranked -- FOLDER [LAYER...]`.
//!
//! Takes the values of a complete stored solution (of every layer unless told otherwise), ranks each state, writes them
//! by rank to a temporary folder and reads them back. Prints for each layer the states, the bytes of the diagrams of
//! states and values, of the counts and of the codes, nanoseconds a state to make the codes, to write the file (with
//! those) and to take it into memory, and microseconds of a lookup of a random state. All on one thread.

mod clock;

use base::limits::Limits;
use base::random::Random;
use base::scratch::Space;
use clock::clock;
use kernel::{Bitvector, Codes, Context, Numbered, Ranking};
use solving::store::{Kind, LayerFile, LayerValues, Manifest, Mapped, Ranked, checksum, write_ranked};
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

const LOOKUPS: u64 = 100_000;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some((folder, layers)) = arguments.split_first() else {
        println!("usage: cargo bench --bench ranked -- FOLDER [LAYER...]");
        return Ok(());
    };
    let layers = layers.iter().map(|layer| layer.parse()).collect::<Result<Vec<u32>, _>>()?;
    let (folder, scratch) = (Path::new(folder), tempfile::tempdir()?);
    let context = Context::new(Arc::new(Limits::unlimited()), 1);
    let limits = context.limits();
    println!(
        "layer        states    states B    values B    counts B     codes B  bits  code ns  write ns  read ns  look µs"
    );
    let manifest = Manifest::load(folder)?;
    let id = checksum(b"a scratch file");
    for record in &manifest.layers {
        let Some(file) = record.values_file.as_ref().filter(|_| layers.is_empty() || layers.contains(&record.layer))
        else {
            continue;
        };
        let mapped = Mapped::new(manifest.file(folder, &record.states_file, Kind::States, record.layer).open()?)?;
        let stored = LayerValues::new(manifest.values_file(folder, file, record.layer).open()?)?;
        let states = mapped.diagram(limits)?;
        let ranking = Ranking::new(&states, limits)?;
        let numbered = Numbered::new(mapped.diagram(limits)?, limits)?;
        let mut values = vec![0u16; ranking.elements() as usize];
        for (rank, value) in values.iter_mut().enumerate() {
            let assignment = numbered.element(&rank.into()).unwrap_or_default();
            *value = stored.value_of(&mapped, &assignment)?.unwrap_or_default() as u16;
        }
        let most = u32::from(values.iter().copied().max().unwrap_or(1));
        let index = |rank| usize::from(values[rank as usize]) - 1;
        let values = Bitvector::from_fn(ranking.elements(), (1..=most).collect(), index, limits)?;
        let count = ranking.elements() as f64;

        let start = clock();
        let (codes, mut block) = (Codes::new(&values), Vec::new());
        for first in (0..ranking.elements()).step_by(1 << 16) {
            codes.write(first, (ranking.elements() - first).min(1 << 16), &mut block);
            black_box(&block);
        }
        let coding = (clock() - start) * 1e9 / count;
        let counts = states.pack_counts(&context)?;
        let start = clock();
        let (written, _) = write_ranked(
            scratch.path(),
            &Space::unbounded(),
            record.layer,
            &counts,
            &mut Codes::new(&values),
            id,
            &context,
        )?;
        let writing = (clock() - start) * 1e9 / count;
        let ranked = Ranked::new(LayerFile::open(&scratch.path().join(&written.name))?)?;
        let start = clock();
        black_box(ranked.bitvector(&context)?);
        let reading = (clock() - start) * 1e9 / count;
        let mut random = Random::new(1);
        let drawn = (0..LOOKUPS).map(|_| random.below(ranking.elements() as usize) as u64);
        let drawn: Vec<Vec<bool>> = drawn.map(|rank| numbered.element(&rank.into()).unwrap_or_default()).collect();
        let start = clock();
        for state in &drawn {
            if let Some(rank) = ranked.rank(&mapped, state)? {
                black_box(ranked.value(rank)?);
            }
        }
        let lookup = (clock() - start) * 1e6 / LOOKUPS as f64;
        let size = counts.size();
        let rest = written.bytes - size;
        println!(
            "{:>5} {:>13} {:>11} {:>11} {size:>11} {rest:>11} {:>5.2} {coding:>8.2} {writing:>9.2} {reading:>8.2} {lookup:>8.2}",
            record.layer,
            ranking.elements(),
            record.states_file.bytes,
            file.bytes,
            rest as f64 * 8.0 / count,
        );
    }
    Ok(())
}
