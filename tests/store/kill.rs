//! Runs that meet with every kind of end at random times (SIGKILL, SIGTERM, SIGINT, a bound on the size of files, a disk
//! that is full) and are taken up again end in the bytes of a run that met with none. Failing syncs are injected by a
//! test of the library, `solve::durability`.
#![cfg(unix)]

use super::{ENDLESS, OVERLAPPING, assert_same, finish, ggsolve, rules, shipped, solve};
use crate::common::sample::random_cyclic_game;
use base::random::Random;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Ends by default; more with `GGSOLVE_KILLS`.
const ENDS: usize = 40;
/// Ends of each kind that a game meets with in a row.
const TURN: usize = 2;

/// A disk of some KiB, mounted at a folder, where the system lets us.
struct Disk {
    folder: PathBuf,
    kib: usize,
}

impl Disk {
    fn mount(folder: &Path, kib: usize) -> Option<Disk> {
        std::fs::create_dir_all(folder).unwrap();
        let size = format!("size={kib}k");
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder).output();
        mount.is_ok_and(|output| output.status.success()).then(|| Disk { folder: folder.to_owned(), kib })
    }

    fn grow(&mut self, kib: usize) {
        self.kib += kib;
        let size = format!("remount,size={}k", self.kib);
        assert!(Command::new("mount").args(["-o", &size]).arg(&self.folder).status().unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.folder).status();
    }
}

/// What each kind of end came to, over all games.
#[derive(Default)]
struct Met(BTreeMap<&'static str, usize>);

impl Met {
    fn total(&self) -> usize {
        self.0.values().sum()
    }

    fn note(&mut self, kind: &'static str) {
        *self.0.entry(kind).or_default() += 1;
    }
}

/// A signal after some time; what the run came to.
fn signalled(mut run: Command, signal: &str, after: Duration) -> Output {
    let child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(after);
    // It may have ended, which is what counts then.
    let _ = Command::new("kill").args(["-s", signal, &child.id().to_string()]).stderr(Stdio::null()).status();
    child.wait_with_output().unwrap()
}

/// A run under a bound on the size of files, in units of 512 bytes.
fn bounded(run: &Command, blocks: usize) -> Output {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -f {blocks}; exec \"$0\" \"$@\"")).arg(run.get_program()).args(run.get_args());
    shell.output().unwrap()
}

/// One solution, through some ends of runs, to its own.
fn solve_through_ends(
    game: &Path,
    engine: &str,
    whole: &Path,
    longest: &mut usize,
    random: &mut Random,
    met: &mut Met,
) {
    let scene = tempfile::tempdir().unwrap();
    let disk_size = |random: &mut Random| 24 + random.below(400);
    let mut disk = match random.below(3) {
        0 => Disk::mount(&scene.path().join("disk"), disk_size(random)),
        _ => None,
    };
    let folder = disk.as_ref().map_or(scene.path(), |disk| &disk.folder).join("a.ggs");
    for turn in 0.. {
        let threads = ["1", "2"][random.below(2)];
        let run = ggsolve("solve", game, &folder, &["--engine", engine, "--threads", threads]);
        let kind = ["KILL", "TERM", "INT", "file size"][random.below(4)];
        let output = match kind {
            // In the end nothing is in the way any more.
            _ if turn > 6 * TURN => bounded(&run, 1 << 20),
            "file size" => bounded(&run, 1 + random.below(60)),
            signal => signalled(run, signal, Duration::from_micros(random.below(*longest) as u64)),
        };
        let (code, _, errors) = finish(&output);
        match code {
            Some(0) => break,
            None => met.note(kind),
            Some(130) if kind != "file size" => met.note(kind),
            Some(1) if errors.contains("ulimit -f") => met.note("file size"),
            // Full when it writes, or too small for what it is about to write.
            Some(1 | 4) if errors.contains("disk") => {
                met.note("full disk");
                if let Some(disk) = &mut disk {
                    disk.grow(disk_size(random));
                }
            }
            code => panic!("{}, {kind}: {code:?}: {errors}", game.display()),
        }
        // Where starting takes longer than it did, nothing would ever be finished.
        *longest += *longest / 50;
    }
    assert_same(whole, &folder);
}

/// Eleven games, three of which are solved by all states at once, and one in exact numbers where play goes round.
fn games(folder: &Path) -> Vec<PathBuf> {
    let overlapping = rules(folder, "overlapping.gdl", OVERLAPPING);
    let endless = rules(folder, "endless.gdl", ENDLESS);
    let cyclic = [3, 4].map(|seed| rules(folder, &format!("cyclic-{seed}.gdl"), &random_cyclic_game(seed)));
    let names = ["tictactoe", "clobber_1x6", "clobber_3x4", "connect4_4x4", "nim40", "hanoi", "pig_20"];
    names.map(|name| shipped(&format!("{name}.gdl"))).into_iter().chain([overlapping, endless]).chain(cyclic).collect()
}

/// A thousand ends: `GGSOLVE_KILLS=1000 cargo test --release --test store -- killed_runs --nocapture`.
#[test]
fn killed_runs_end_in_the_same_bytes() {
    let wanted = std::env::var("GGSOLVE_KILLS").map_or(ENDS, |number| number.parse().unwrap());
    let scene = tempfile::tempdir().unwrap();
    let (mut random, mut met) = (Random::new(1), Met::default());
    let mut solutions = Vec::new();
    for (number, game) in games(scene.path()).into_iter().enumerate() {
        // Exact numbers know no engines.
        let engines = if game.ends_with("pig_20.gdl") { &["auto"][..] } else { &["auto", "hybrid"] };
        for &engine in engines {
            let whole = scene.path().join(format!("{number}-{engine}.ggs"));
            let start = Instant::now();
            solve("solve", &game, &whole, &["--engine", engine]);
            solutions.push((game.clone(), engine, whole, start.elapsed().as_micros() as usize));
        }
    }
    let mut rounds = 0;
    while met.total() < wanted || rounds < solutions.len() {
        let place = rounds % solutions.len();
        let (game, engine, whole, longest) = &mut solutions[place];
        solve_through_ends(game, engine, whole, longest, &mut random, &mut met);
        rounds += 1;
    }
    println!("{} ends in {rounds} solutions: {:?}", met.total(), met.0);
}
