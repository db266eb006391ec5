//! Grounding over a corpus of rulesheets: `cargo bench --bench grounding [-- FILTER]`.
//!
//! Prints, per game, the processor times of parsing, grounding, proving mutex groups and looking for symmetries, the sizes
//! that result, and how many times faster than the reference (`peer_ground_cpu_s` of the corpus' `oracle` folder) all of
//! that is, and parsing and grounding alone. The corpus is the folder `../shared/corpus`, or what the environment variable
//! GGSOLVE_CORPUS names.

use base::limits::Limits;
use game::diagnostic::Source;
use game::ground::{GroundOptions, ground};
use game::mutex::{self, Effort};
use game::rules::gdl;
use game::symmetry::{self, Kept, Rules};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Instant;

/// Seconds that this thread has spent on a processor, so that other work on the machine does not count.
fn clock() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// The result of a function and the seconds that it takes: the mean of as many runs as fill the clock's resolution.
fn timed<T>(run: impl Fn() -> T) -> (T, f64) {
    let start = clock();
    let (mut result, mut runs) = (run(), 1.0);
    while clock() - start < 0.05 {
        (result, runs) = (run(), runs + 1.0);
    }
    (result, (clock() - start) / runs)
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn reference(corpus: &Path, name: &str) -> Option<f64> {
    let text = std::fs::read_to_string(corpus.join("oracle").join(name).with_extension("json")).ok()?;
    let oracle: serde_json::Value = serde_json::from_str(&text).ok()?;
    oracle["peer_grounded"].as_bool().filter(|&grounded| grounded)?;
    oracle["peer_ground_cpu_s"].as_f64()
}

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let corpus = std::env::var_os("GGSOLVE_CORPUS").map_or(default, PathBuf::from);
    let Ok(folder) = std::fs::read_dir(&corpus) else {
        println!("no corpus at {}: nothing to measure", corpus.display());
        return;
    };
    let mut files: Vec<PathBuf> = folder.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "kif") && path.display().to_string().contains(&filter));
    files.sort();

    println!(
        "{:30} {:>8} {:>9} {:>9} {:>10} {:>9} {:>8} {:>8} {:>8} {:>7} {:>6} {:>6} {:>7} {:>7}",
        "game",
        "parse ms",
        "ground ms",
        "groups ms",
        "symmetries",
        "atoms",
        "rules",
        "fluents",
        "moves",
        "nodes",
        "groups",
        "bits",
        "faster",
        "alone"
    );
    let (mut totals, mut ratios, mut alone, mut grounded) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for path in &files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(bytes) = std::fs::read(path) else { continue };
        let ((program, _), parse) = timed(|| gdl::program(&Source::new(path.display().to_string(), &bytes)));
        let Some(program) = program else {
            println!("{name:30} {:>9.2} refused", parse * 1e3);
            continue;
        };
        let (grounding, time) = timed(|| ground(&program, &Limits::new(8 << 30), &GroundOptions::default()));
        match grounding {
            Ok(grounding) => {
                let s = &grounding.statistics;
                let limits = Limits::new(8 << 30);
                let (groups, proving) = timed(|| mutex::groups(&grounding.game, &Effort::default(), &limits));
                let groups = groups.unwrap_or_default();
                let (_, searching) = timed(|| {
                    let rules = Rules::new(&grounding.game, &limits)?;
                    rules.symmetries(Kept::default(), &symmetry::Effort::default(), &limits)
                });
                let peer = reference(&corpus, &name);
                let ratio = peer.map(|peer| peer / (parse + time + proving + searching));
                println!(
                    "{name:30} {:>8.2} {:>9.2} {:>9.2} {:>10.2} {:>9} {:>8} {:>8} {:>8} {:>7} {:>6} {:>6} {:>7} {:>7}",
                    parse * 1e3,
                    time * 1e3,
                    proving * 1e3,
                    searching * 1e3,
                    s.atoms,
                    s.instances,
                    s.fluents,
                    s.moves,
                    s.nodes,
                    groups.len(),
                    groups.iter().map(|group| group.bits()).sum::<u32>(),
                    ratio.map_or(String::from("-"), |ratio| format!("{ratio:.1}")),
                    peer.map_or(String::from("-"), |peer| format!("{:.0}", peer / (parse + time)))
                );
                grounded += 1;
                totals.push(parse + time + proving + searching);
                ratios.extend(ratio);
                alone.extend(peer.map(|peer| peer / (parse + time)));
            }
            Err(error) => {
                println!("{name:30} {:>9.1} {:>9.1} {error}", parse * 1e3, time * 1e3)
            }
        }
    }
    println!(
        "{grounded} of {} games grounded; median {:.1} ms; median of {} ratios {:.1}, of parsing and grounding alone {:.0}",
        files.len(),
        median(&mut totals) * 1e3,
        ratios.len(),
        median(&mut ratios),
        median(&mut alone)
    );
}
