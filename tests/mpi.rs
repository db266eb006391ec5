//! Processes that MPI starts store the bytes of one, whatever becomes of them. They run where the program is built with the
//! feature `mpi`, see `.ci/mpi`.

#[path = "common/lacking.rs"]
mod lacking;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn program() -> Option<PathBuf> {
    if !cfg!(feature = "mpi") {
        lacking::lacking("mpi", "bash .ci/mpi builds with the feature `mpi`");
        return None;
    }
    Some(PathBuf::from(env!("CARGO_BIN_EXE_ggsolve")))
}

fn shipped(game: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(game)
}

/// A run of some processes, or of one that MPI has not started.
fn solve(program: &Path, processes: Option<usize>, game: &str, folder: &Path, more: &[&str]) -> Command {
    let mut run = match processes {
        None => Command::new(program),
        Some(processes) => {
            let mut run = Command::new("mpirun");
            run.args(["-n", &processes.to_string()]).arg(program);
            // Any number of processes on any machine, as whoever runs the tests.
            for name in
                ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"]
            {
                run.env(name, "1");
            }
            run.env("OMPI_MCA_hwloc_base_binding_policy", "none").env("OMPI_MCA_mpi_yield_when_idle", "1");
            run
        }
    };
    run.arg("solve").arg(shipped(game)).arg("--out").arg(folder).args(["--threads", "1"]).args(more);
    run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    run
}

fn finish(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// All files but for what the manifest says of the runs.
fn lasting(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        files.insert(entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap());
    }
    let text = files.get_mut("manifest.json").unwrap();
    let mut manifest: serde_json::Value = serde_json::from_slice(text).unwrap();
    let fields = manifest.as_object_mut().unwrap();
    fields.shift_remove("runs");
    fields.shift_remove("checksum");
    *text = serde_json::to_vec_pretty(&manifest).unwrap();
    files
}

fn assert_same(one: &Path, other: &Path) {
    let (one, other) = (lasting(one), lasting(other));
    assert!(one.keys().eq(other.keys()), "{:?}\n{:?}", one.keys(), other.keys());
    one.iter().for_each(|(name, bytes)| assert!(*bytes == other[name], "{name} differs"));
}

/// A game and its options.
type Case = (&'static str, &'static [&'static str]);

/// Solved in a moment.
const QUICK: [Case; 2] =
    [("connect4_5x4.gdl", &["--engine", "hybrid"]), ("connect4_4x5.gdl", &["--engine", "hybrid", "--distances"])];

/// Of all kinds: layers by rank and by diagrams, few states and many, several players, cycles, one player.
const TEN: [Case; 10] = [
    ("connect4_5x4.gdl", &["--engine", "hybrid"]),
    ("connect4_4x5.gdl", &["--engine", "hybrid", "--distances"]),
    ("connect4_6x4.gdl", &[]),
    ("connect4_5x5.gdl", &["--engine", "hybrid"]),
    ("clobber.gdl", &["--engine", "hybrid", "--opponent-model", "max-diff"]),
    ("numbertictactoe.gdl", &["--engine", "hybrid"]),
    ("nim4.gdl", &["--engine", "hybrid", "--algorithm", "layered"]),
    ("tictactoe3_4x3.gdl", &["--engine", "hybrid"]),
    ("eightpuzzle.gdl", &["--engine", "hybrid"]),
    ("sheepandwolf.gdl", &[]),
];

#[test]
fn any_number_of_processes_stores_the_bytes_of_one() {
    let Some(program) = program() else { return };
    stores_the_bytes_of_one(&program, &QUICK, &[1, 2, 4]);
}

/// `cargo test --release --features mpi --test mpi -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn ten_games_are_the_same_by_any_number_of_processes() {
    let Some(program) = program() else { return };
    stores_the_bytes_of_one(&program, &TEN, &[1, 2, 3, 4]);
}

/// As above.
#[test]
#[ignore = "takes minutes"]
fn ten_games_are_the_same_when_another_number_goes_on() {
    let Some(program) = program() else { return };
    let scene = tempfile::tempdir().unwrap();
    let mut killed = 0;
    for (game, options) in TEN {
        let folder = |name: &str| scene.path().join(format!("{game}-{name}"));
        let [whole, parts] = ["whole", "parts"].map(folder);
        let (code, _, errors) = finish(&solve(&program, None, game, &whole, options).output().unwrap());
        assert_eq!(code, Some(0), "{errors}");
        for (processes, victim, layers) in [(3, 2, 2), (4, 1, 4), (2, 0, 6)] {
            let mut run = solve(&program, Some(processes), game, &parts, options).spawn().unwrap();
            wait_for_values(&mut run, &parts, layers);
            if let Some(&number) = solvers(&program, &parts).get(victim) {
                // SAFETY: a signal to a process of this test.
                unsafe { libc::kill(number as i32, libc::SIGKILL) };
            }
            // Small games may have ended before.
            killed += usize::from(!run.wait_with_output().unwrap().status.success());
        }
        let (code, _, errors) = finish(&solve(&program, Some(3), game, &parts, options).output().unwrap());
        assert_eq!(code, Some(0), "{errors}");
        assert_same(&whole, &parts);
    }
    assert!(killed >= 10, "{killed}");
}

fn stores_the_bytes_of_one(program: &Path, games: &[Case], numbers: &[usize]) {
    let scene = tempfile::tempdir().unwrap();
    for &(game, options) in games {
        let folder = |name: &str| scene.path().join(format!("{game}-{name}"));
        let whole = folder("whole");
        // The program without MPI.
        let (code, _, errors) =
            finish(&solve(Path::new(env!("CARGO_BIN_EXE_ggsolve")), None, game, &whole, options).output().unwrap());
        assert_eq!(code, Some(0), "{errors}");
        for &processes in numbers {
            let parts = folder(&processes.to_string());
            let (code, output, errors) =
                finish(&solve(program, Some(processes), game, &parts, options).output().unwrap());
            assert_eq!(code, Some(0), "{game}, {processes}: {errors}");
            assert_eq!(output.matches("ggsolve query").count(), 1, "one process prints: {output}");
            assert_eq!(errors.contains(&format!("{processes} processes")), processes > 1, "{errors}");
            assert_same(&whole, &parts);
        }
    }
}

/// The numbers of the processes that solve into a folder.
fn solvers(program: &Path, folder: &Path) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let mut words = line.split(|byte| *byte == 0);
        let runs = words.next() == Some(program.as_os_str().as_encoded_bytes());
        if runs && words.any(|word| word == folder.as_os_str().as_encoded_bytes()) {
            found.push(number);
        }
    }
    found.sort_unstable();
    found
}

/// Waits until a run has stored the values of some layers, or has ended.
fn wait_for_values(run: &mut Child, folder: &Path, layers: usize) {
    wait_for_files(run, folder, ".ranked", layers);
}

/// The number of files in a folder whose names end in this way.
fn files(folder: &Path, end: &str) -> usize {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten();
    found.filter(|entry| entry.file_name().to_string_lossy().ends_with(end)).count()
}

/// Waits until a run has stored some files whose names end in this way, or has ended.
fn wait_for_files(run: &mut Child, folder: &Path, end: &str, least: usize) {
    while run.try_wait().unwrap().is_none() && files(folder, end) < least {
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The requests of process 0 in the sweeps of a kind, by the log of a run.
fn requests(log: &str, kind: &str) -> u64 {
    let line = log.lines().find(|line| line.contains(&format!("{kind}: "))).unwrap_or_else(|| panic!("{log}"));
    let words: Vec<&str> = line.split(' ').collect();
    words[words.iter().position(|word| *word == "requests").unwrap() - 1].parse().unwrap()
}

#[test]
fn the_forward_pass_is_shared_and_another_number_goes_on_with_it() {
    let Some(program) = program() else { return };
    let scene = tempfile::tempdir().unwrap();
    let (game, options) = ("connect4_5x5.gdl", ["--engine", "hybrid", "-vv"]);
    let folder = |name: &str| scene.path().join(name);
    let [whole, shared, parts] = ["whole", "shared", "parts"].map(folder);
    let (code, _, log) = finish(&solve(&program, None, game, &whole, &options).output().unwrap());
    assert_eq!(code, Some(0), "{log}");
    let alone = ["Select", "Pairs", "Determinise"].map(|kind| requests(&log, kind));
    let (code, _, log) = finish(&solve(&program, Some(3), game, &shared, &options).output().unwrap());
    assert_eq!(code, Some(0), "{log}");
    let of_three = ["Select", "Pairs", "Determinise"].map(|kind| requests(&log, kind));
    // Selections in small sets are left to process 0.
    assert!(of_three[0] < alone[0], "{of_three:?} of {alone:?}");
    let divided = |(part, all): (&u64, &u64)| part * 2 < *all;
    assert!(of_three[1..].iter().zip(&alone[1..]).all(divided), "{of_three:?} of {alone:?}");
    assert_same(&whole, &shared);
    let mut killed = 0;
    for (processes, victim, layers) in [(3, 2, 12), (2, 0, 15)] {
        // A run before may have stored more layers than it was waited for.
        let layers = layers.max(files(&parts, ".states") + 1);
        let mut run = solve(&program, Some(processes), game, &parts, &options).spawn().unwrap();
        wait_for_files(&mut run, &parts, ".states", layers);
        if let Some(&number) = solvers(&program, &parts).get(victim) {
            // SAFETY: a signal to a process of this test.
            unsafe { libc::kill(number as i32, libc::SIGKILL) };
            killed += 1;
        }
        let (code, _, errors) = finish(&run.wait_with_output().unwrap());
        assert!(code != Some(0) && !errors.is_empty(), "{code:?}: {errors}");
        let stored = std::fs::read_dir(&parts).unwrap().flatten().map(|entry| entry.file_name());
        assert!(!stored.into_iter().any(|name| name.to_string_lossy().ends_with(".ranked")), "still forward");
    }
    assert_eq!(killed, 2);
    let (code, _, errors) = finish(&solve(&program, Some(3), game, &parts, &options).output().unwrap());
    assert_eq!(code, Some(0), "{errors}");
    assert_same(&whole, &parts);
}

/// Where another process has less memory than its part of a sweep takes, process 0 makes the sweep alone.
#[test]
fn a_process_with_little_memory_leaves_the_forward_pass_to_the_first() {
    let Some(program) = program() else { return };
    let scene = tempfile::tempdir().unwrap();
    let game = "connect4_5x5.gdl";
    let [whole, parts] = ["whole", "parts"].map(|name| scene.path().join(name));
    let options = ["--algorithm", "layered", "--engine", "symbolic"];
    let (code, _, errors) = finish(&solve(&program, None, game, &whole, &options).output().unwrap());
    assert_eq!(code, Some(0), "{errors}");
    let mut run = Command::new("mpirun");
    for (process, memory) in ["1G", "12M", "1G"].into_iter().enumerate() {
        let one = solve(&program, Some(1), game, &parts, &options);
        one.get_envs().for_each(|(name, value)| {
            run.env(name, value.unwrap_or_default());
        });
        run.args((process > 0).then_some(":")).args(one.get_args()).args(["--memory", memory]);
    }
    let (code, _, errors) = finish(&run.output().unwrap());
    assert_eq!(code, Some(0), "{errors}");
    assert_same(&whole, &parts);
}

#[test]
fn a_process_that_is_killed_ends_the_run_and_another_number_goes_on() {
    let Some(program) = program() else { return };
    let scene = tempfile::tempdir().unwrap();
    let (game, options) = ("connect4_5x5.gdl", ["--engine", "hybrid"]);
    let [whole, parts] = ["whole", "parts"].map(|name| scene.path().join(name));
    let (code, _, errors) = finish(&solve(&program, None, game, &whole, &options).output().unwrap());
    assert_eq!(code, Some(0), "{errors}");
    let mut killed = 0;
    for (processes, victim, layers) in [(3, 1, 4), (2, 0, 8)] {
        let mut run = solve(&program, Some(processes), game, &parts, &options).spawn().unwrap();
        wait_for_values(&mut run, &parts, layers);
        if let Some(&number) = solvers(&program, &parts).get(victim) {
            // SAFETY: a signal to a process of this test.
            unsafe { libc::kill(number as i32, libc::SIGKILL) };
            killed += 1;
        }
        let (code, _, errors) = finish(&run.wait_with_output().unwrap());
        assert!(code != Some(0) && !errors.is_empty(), "{code:?}: {errors}");
    }
    assert_eq!(killed, 2);
    let (code, _, errors) = finish(&solve(&program, Some(3), game, &parts, &options).output().unwrap());
    assert_eq!(code, Some(0), "{errors}");
    assert_same(&whole, &parts);
}

#[test]
fn limits_and_wrong_uses_are_told_once() {
    let Some(program) = program() else { return };
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("folder");
    let ended = |more: &[&str]| {
        let options = [&["--engine", "hybrid"], more].concat();
        finish(&solve(&program, Some(2), "connect4_5x5.gdl", &folder, &options).output().unwrap())
    };
    let (code, _, errors) = ended(&["--memory", "24M"]);
    assert_eq!(code, Some(4), "{errors}");
    assert_eq!(errors.matches("limit reached").count(), 1, "{errors}");
    let (code, _, errors) = ended(&["--time", "1s"]);
    assert!(code == Some(4) || code == Some(0), "{code:?}: {errors}");
    let (code, _, errors) = finish(&solve(&program, Some(2), "no such game.gdl", &folder, &[]).output().unwrap());
    assert_eq!((code, errors.matches("error:").count()), (Some(1), 1), "{errors}");
    // Another process that cannot begin ends all of them, and so does the first one.
    for broken in 0..2 {
        let mut run = Command::new("mpirun");
        for process in 0..2 {
            let one = solve(&program, Some(1), "connect4_5x5.gdl", &folder, &[]);
            one.get_envs().for_each(|(name, value)| {
                run.env(name, value.unwrap_or_default());
            });
            run.args((process > 0).then_some(":")).args(one.get_args());
            run.args((process == broken).then_some(["--scratch", "no such folder"]).into_iter().flatten());
        }
        let (code, _, errors) = finish(&run.output().unwrap());
        assert_eq!((code, errors.matches("no such folder is not a folder").count()), (Some(2 - broken), 1), "{errors}");
        assert_eq!(errors.contains("process 1: --scratch"), broken == 1, "{errors}");
    }
    // Nothing is shared without a folder.
    let run = solve(&program, Some(2), "tictactoe.gdl", &folder, &[]);
    let arguments: Vec<_> = run.get_args().filter(|word| *word != "--out" && *word != folder.as_os_str()).collect();
    let arguments: Vec<std::ffi::OsString> = arguments.into_iter().map(Into::into).collect();
    let mut without = Command::new("mpirun");
    run.get_envs().for_each(|(name, value)| {
        without.env(name, value.unwrap_or_default());
    });
    let (code, _, errors) = finish(&without.args(arguments).arg("--no-store").output().unwrap());
    assert_eq!((code, errors.matches("give one with -o").count()), (Some(2), 1), "{errors}");
}

/// A program without the feature cannot reach the other processes.
#[test]
#[cfg(not(feature = "mpi"))]
fn a_program_without_the_feature_serves_no_others() {
    let scene = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_ggsolve"));
    let mut run = solve(program, None, "tictactoe.gdl", &scene.path().join("folder"), &[]);
    let (code, _, errors) = finish(&run.env("OMPI_COMM_WORLD_SIZE", "2").output().unwrap());
    assert!(code == Some(2) && errors.contains("--features mpi"), "{code:?}: {errors}");
}
