//! `--memory` is kept: whatever the bound, a run ends soon, with a result that is right or with code 4, and its resident
//! memory is hardly above the bound.
//!
//! The ordinary suite tries a few bounds, those at which runs once hung or took too much among them. All of them, which
//! takes some twenty minutes on two cores:
//!
//! ```sh
//! cargo test --release --test memory -- --ignored --nocapture
//! ```
//!
//! `GGSOLVE=path` tries another binary than the one just built.

use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// No run may take longer, nor more above the bound, or above what the program takes that does nothing, than the larger of
/// this and a tenth.
const TIME: Duration = Duration::from_secs(60);
const ABOVE: u64 = 8 << 20;

/// A game with its arguments.
struct Case {
    command: &'static str,
    game: PathBuf,
    options: &'static [&'static str],
}

/// How a run ended.
struct End {
    code: Option<i32>,
    peak: u64,
    time: Duration,
    output: String,
    errors: String,
}

/// Runs a command; the resident peak is the system's own account of it.
#[allow(clippy::zombie_processes, reason = "it is waited for, by a call that also tells its peak")]
fn run(command: &mut Command) -> End {
    let (mut output, mut errors) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
    let own = |file: &File| Stdio::from(file.try_clone().unwrap());
    let start = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(own(&output)).stderr(own(&errors)).spawn().unwrap();
    let id = child.id() as libc::pid_t;
    let mut status = 0;
    // SAFETY: all-zero bytes are a value of a struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: the child is ours and waited for nowhere else, and both addresses are of live variables.
        match unsafe { libc::wait4(id, &mut status, libc::WNOHANG, &mut usage) } {
            0 if start.elapsed() > TIME => {
                // SAFETY: the child was not waited for yet, so the number is its own.
                unsafe { libc::kill(id, libc::SIGKILL) };
            }
            0 => {}
            done => {
                assert_eq!(done, id, "{}", std::io::Error::last_os_error());
                break;
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let time = start.elapsed();
    let text = |file: &mut File| {
        use std::io::{Seek, SeekFrom};
        file.seek(SeekFrom::Start(0)).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        text
    };
    let peak = usage.ru_maxrss as u64 * 1024;
    let (output, errors) = (text(&mut output), text(&mut errors));
    End { code: ExitStatus::from_raw(status).code(), peak, time, output, errors }
}

impl Case {
    fn shipped(command: &'static str, game: &str, options: &'static [&'static str]) -> Case {
        let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(game);
        Case { command, game, options }
    }

    fn run(&self, memory: Option<u64>, threads: u32) -> End {
        let binary = std::env::var_os("GGSOLVE").unwrap_or_else(|| env!("CARGO_BIN_EXE_ggsolve").into());
        let mut command = Command::new(binary);
        command.arg(self.command).arg(&self.game).args(self.options).args(["--format", "json"]);
        if !["count", "plan"].contains(&self.command) {
            command.arg("--no-store");
        }
        command.arg("--threads").arg(threads.to_string());
        if let Some(memory) = memory {
            command.arg("--memory").arg(memory.to_string());
        }
        run(&mut command)
    }

    /// What must not depend on memory.
    fn result(&self, end: &End) -> Value {
        let report: Value = serde_json::from_str(&end.output).unwrap();
        let buckets = |of: &Value| -> Vec<Value> {
            let buckets = of["buckets"].as_array().cloned().unwrap_or_default();
            buckets.iter().map(|bucket| serde_json::json!([bucket["rewards"], bucket["states"]])).collect()
        };
        let layer = |layer: &Value| serde_json::json!([layer["states"], layer["terminal"], buckets(layer)]);
        let layers: Vec<Value> = report["layers"].as_array().unwrap().iter().map(layer).collect();
        let figures = ["value", "states", "layer_states", "terminal_states", "progress_measure", "alternating"];
        let figures = figures.map(|key| report.get(key).cloned());
        serde_json::json!([figures, layers, buckets(&report)])
    }

    /// Tries some bounds; tells what was wrong.
    fn check(&self, bounds: impl Iterator<Item = u64> + Clone, all_threads: &[u32]) -> Vec<String> {
        let name = format!("{} {} {}", self.command, self.game.display(), self.options.join(" "));
        let whole = self.run(None, 2);
        assert_eq!(whole.code, Some(0), "{name}: {}", whole.errors);
        let expected = self.result(&whole);
        let own = Own::new(self.command);
        let mut wrong = Vec::new();
        for &threads in all_threads {
            let (mut done, mut worst, mut slowest, mut least) = (0, 0, Duration::ZERO, None);
            for bound in bounds.clone() {
                let end = self.run(Some(bound), threads);
                let above = own.above(bound, &end);
                let mut note = |what: &str| {
                    let time = end.time.as_secs_f64();
                    wrong.push(format!(
                        "{name}, {bound} bytes, {threads} threads: {what} ({time:.1} s, {} bytes above) {}",
                        above, end.errors
                    ));
                };
                match end.code {
                    Some(0) => {
                        if self.result(&end) != expected {
                            note("a wrong result");
                        }
                        done += 1;
                        least = least.or(Some(bound));
                    }
                    Some(4) if end.errors.contains("memory") => {}
                    code => note(&format!("ended with {code:?}")),
                }
                if end.time > TIME {
                    note("too long");
                }
                if above > allowed(bound) {
                    note("too much memory");
                }
                worst = worst.max(above);
                slowest = slowest.max(end.time);
            }
            println!(
                "{name}, {threads} threads: {done} runs with a result, from {} MiB on; at most {:.1} MiB above the bound and {:.1} s",
                least.map_or("-".to_owned(), |bound| (bound >> 20).to_string()),
                worst as f64 / f64::from(1 << 20),
                slowest.as_secs_f64(),
            );
        }
        wrong
    }
}

/// What the program takes by itself, whatever the bound.
struct Own {
    peak: u64,
    pages: u64,
}

impl Own {
    /// No run takes less than the program does that solves a game of no size. Some systems bring many pages of its file at
    /// once, as code runs that did not before: what such a game has more of them than the version is no memory of a run.
    fn new(command: &'static str) -> Own {
        let program = std::env::var_os("GGSOLVE").unwrap_or_else(|| env!("CARGO_BIN_EXE_ggsolve").into());
        let started = run(Command::new(program).arg("--version")).peak;
        let peak = Case::shipped(command, "tictactoe.gdl", &[]).run(None, 1).peak;
        Own { peak, pages: peak.saturating_sub(started) }
    }

    /// Bytes of a run above its bound.
    fn above(&self, bound: u64, end: &End) -> u64 {
        end.peak.saturating_sub((bound + self.pages).max(self.peak))
    }
}

fn allowed(bound: u64) -> u64 {
    ABOVE.max(bound / 10)
}

/// A planning problem whose actions have long conditions: a square of lamps of which each press changes those of its
/// row and column, by rules about all others.
fn lamps(size: usize, steps: usize) -> String {
    let names = |name: char, count: usize| (0..count).map(|k| format!("{name}{k} ")).collect::<String>();
    let then: String = (0..steps).map(|k| format!("(then s{k} s{}) ", k + 1)).collect();
    format!(
        "(define (domain lamps)
          (:requirements :adl)
          (:types role line step)
          (:constants player - role {} - line {} - step)
          (:predicates (lit ?row ?column - line) (now ?step - step) (then ?step ?next - step))
          (:action press
            :parameters (?row ?column - line ?step ?next - step)
            :precondition (and (now ?step) (then ?step ?next)
              (or (not (lit ?row ?column))
                  (exists (?x ?y - line) (and (lit ?x ?y) (not (lit ?y ?x)) (not (= ?x ?row))))))
            :effect (and (not (now ?step)) (now ?next)
              (when (not (lit ?row ?column)) (lit ?row ?column))
              (when (lit ?row ?column) (not (lit ?row ?column)))
              (forall (?x - line) (when (and (not (= ?x ?column)) (not (lit ?row ?x))
                  (exists (?a - line) (and (lit ?a ?column) (forall (?b - line) (or (= ?b ?a) (lit ?b ?x)
                      (exists (?d - line) (and (lit ?b ?d) (lit ?d ?b) (not (= ?d ?b)))))))))
                (lit ?row ?x)))
              (forall (?y - line) (when (and (not (= ?y ?row)) (lit ?y ?column)
                  (forall (?a - line) (exists (?b - line) (and (lit ?a ?b) (not (lit ?b ?y)) (not (= ?a ?b))))))
                (not (lit ?y ?column))))))
          (:gain (?player - role) 100 (forall (?x ?y - line) (lit ?x ?y)))
          (:gain (?player - role) 0 (not (forall (?x ?y - line) (lit ?x ?y)))))
        (define (problem lamps-{size})
          (:domain lamps)
          (:init (now s0) (lit l0 l1) {then})
          (:goal (or (now s{steps}) (forall (?x ?y - line) (lit ?x ?y)))))",
        names('l', size),
        names('s', steps + 1),
    )
}

/// A sliding puzzle of four columns and two rows without an end to its steps: its states repeat.
fn sliding() -> String {
    let cells = ["a1", "b1", "c1", "d1", "a2", "b2", "c2", "d2"];
    let beside = "(beside a1 b1) (beside b1 c1) (beside c1 d1) (beside a2 b2) (beside b2 c2) (beside c2 d2)
        (beside a1 a2) (beside b1 b2) (beside c1 c2) (beside d1 d2)";
    let ordered: String = (1..8).map(|tile| format!("(at t{tile} {}) ", cells[tile - 1])).collect();
    let reversed: String = (1..8).map(|tile| format!("(at t{tile} {}) ", cells[7 - tile])).collect();
    format!(
        "(define (domain sliding)
          (:requirements :adl)
          (:types role cell tile)
          (:constants player - role {} - cell t1 t2 t3 t4 t5 t6 t7 - tile)
          (:predicates (at ?tile - tile ?cell - cell) (empty ?cell - cell) (beside ?one ?other - cell))
          (:action slide
            :parameters (?tile - tile ?from ?to - cell)
            :precondition (and (at ?tile ?from) (empty ?to) (or (beside ?from ?to) (beside ?to ?from)))
            :effect (and (not (at ?tile ?from)) (at ?tile ?to) (not (empty ?to)) (empty ?from)))
          (:gain (?player - role) 100 (and {ordered}))
          (:gain (?player - role) 0 (not (and {ordered}))))
        (define (problem sliding-8)
          (:domain sliding)
          (:init {reversed} (empty d2) {beside})
          (:goal (and {ordered})))",
        cells.join(" "),
    )
}

/// A file with a game that is written here.
fn written(folder: &tempfile::TempDir, name: &str, rules: String) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, rules).unwrap();
    path
}

fn assert_none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{} runs went wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Bounds at which runs went round in circles for ever, or took much more than they were given.
#[test]
fn bounds_that_once_were_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mebibytes = |bounds: &'static [u64]| bounds.iter().map(|bound| bound << 20);
    let mut wrong = Case::shipped("solve", "connect4_4x5.gdl", &[]).check(mebibytes(&[4, 13, 16]), &[2]);
    wrong.extend(Case::shipped("count", "connect4_5x5.gdl", &[]).check(mebibytes(&[18, 22]), &[1]));
    wrong
        .extend(Case::shipped("count", "sheepandwolf.gdl", &["--order", "rules"]).check([6_000_000].into_iter(), &[1]));
    let lamps = written(&folder, "lamps.gddl", lamps(4, 3));
    wrong.extend(Case { command: "solve", game: lamps, options: &[] }.check(mebibytes(&[24, 64]), &[1]));
    assert_none(wrong);
}

/// Reading a text is bounded, too: one of 200,000 facts takes more than this.
#[test]
fn a_text_that_is_too_long_for_the_memory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("(role me)");
    (0..200_000).for_each(|fact| text += &format!("(fact number{fact} number{fact})\n"));
    let game = written(&folder, "facts.gdl", text);
    let bound = 100 << 20;
    let end = Case { command: "solve", game, options: &[] }.run(Some(bound), 1);
    assert!(end.code == Some(4) && end.errors.contains("reading "), "{:?}: {}", end.code, end.errors);
    assert!(end.peak <= bound, "{}", end.peak);
}

/// What a plan may take whatever the run that it plans may.
const LEAST_OF_PLANS: u64 = 32 << 20;

/// A plan has the bound of the run that it plans, or 32 MiB, which it says: it tells what the run takes, or ends with code 4.
#[test]
fn plans_keep_the_bound() {
    let own = Own::new("plan");
    let mut wrong = Vec::new();
    let bounds = [("connect4_5x5.gdl", 8), ("connect4_5x5.gdl", 32), ("clobber_3x4.gdl", 32), ("connect4_4x5.gdl", 40)];
    for (game, bound) in bounds.map(|(game, bound)| (game, bound << 20)) {
        let end = Case::shipped("plan", game, &[]).run(Some(bound), 1);
        let told = end.errors.contains("bounds the planned run; the plan itself may take 32.0 MiB");
        assert_eq!(told, bound < LEAST_OF_PLANS, "{}", end.errors);
        let bound = bound.max(LEAST_OF_PLANS);
        let above = own.above(bound, &end);
        println!("plan {game}, {bound} bytes: {:?}, {above} bytes above, {:.1} s", end.code, end.time.as_secs_f64());
        if end.code != Some(0) && !(end.code == Some(4) && end.errors.contains("memory")) {
            wrong.push(format!("{game}, {bound} bytes: ended with {:?}: {}", end.code, end.errors));
        }
        if above > allowed(bound) {
            wrong.push(format!("{game}, {bound} bytes: {above} bytes above the bound"));
        }
    }
    assert_none(wrong);
}

/// The whole of it: every bound from 4 to 64 MiB, games of every kind, one thread and two.
#[test]
#[ignore = "some twenty minutes"]
fn every_bound_from_4_to_64_mebibytes() {
    let folder = tempfile::tempdir().unwrap();
    let planning = written(&folder, "lamps.gddl", lamps(4, 6));
    let alone = written(&folder, "lamps_5.gddl", lamps(5, 4));
    let cyclic = written(&folder, "sliding.gddl", sliding());
    let cases = [
        Case::shipped("solve", "connect4_5x5.gdl", &[]),
        Case::shipped("solve", "connect4_6x4.gdl", &[]),
        Case::shipped("solve", "connect4_4x5.gdl", &["--engine", "hybrid"]),
        Case::shipped("solve", "clobber_3x4.gdl", &[]),
        Case::shipped("solve", "clobber.gdl", &[]),
        Case::shipped("count", "sheepandwolf.gdl", &["--order", "rules"]),
        Case { command: "solve", game: cyclic, options: &[] },
        Case { command: "solve", game: planning, options: &[] },
        // Its rules have no diagrams, so that each state is taken by itself.
        Case { command: "solve", game: alone, options: &[] },
    ];
    let wrong = cases.iter().flat_map(|case| case.check((4..=64).map(|bound| bound << 20), &[1, 2])).collect();
    assert_none(wrong);
}
