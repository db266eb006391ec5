//! The same bytes whatever the number of threads and the memory, by `count` and then `solve`, from rules written in
//! another way; a finished solution is only reported; what interrupts a run leaves a folder to go on from.

use super::{ENDLESS, OVERLAPPING, TINY, assert_same, files, finish, ggsolve, rules, shipped, solve};
use crate::common::sample::random_cyclic_game;
use serde_json::Value;
use solving::store::manifest::{Manifest, Progress};
use solving::store::runs::Seconds;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

fn json(text: &str) -> Value {
    let mut report: Value = serde_json::from_str(text).unwrap();
    for key in ["time_s", "peak_memory_bytes", "runs", "command", "from_disk"] {
        report.as_object_mut().unwrap().remove(key);
    }
    // How the layers were solved is known to the run that did it.
    for layer in report["layers"].as_array_mut().unwrap() {
        layer.as_object_mut().unwrap().remove("backward");
    }
    report
}

#[test]
fn bytes_do_not_depend_on_threads_or_memory() {
    let scene = tempfile::tempdir().unwrap();
    let overlapping = rules(scene.path(), "overlapping.gdl", OVERLAPPING);
    let endless = rules(scene.path(), "endless.gdl", ENDLESS);
    for game in [shipped("clobber_3x4.gdl"), shipped("connect4_4x4.gdl"), overlapping, endless] {
        let folders = ["one", "two", "small"].map(|name| scene.path().join(name));
        solve("solve", &game, &folders[0], &["--threads", "1"]);
        solve("solve", &game, &folders[1], &["--threads", "3"]);
        // A note says that such a bound may be exceeded.
        let (code, _, errors) = finish(&ggsolve("solve", &game, &folders[2], &["--memory", "18M"]).output().unwrap());
        assert_eq!(code, Some(0), "{errors}");
        assert!(errors.starts_with("note: the program takes about "), "{errors}");
        assert_same(&folders[0], &folders[1]);
        assert_same(&folders[0], &folders[2]);
        folders.iter().for_each(|folder| std::fs::remove_dir_all(folder).unwrap());
    }
}

/// Where the bound is close, what fits and which engine solves a layer must not depend on the threads' timing.
#[test]
fn runs_close_to_the_memory_bound_store_the_same_bytes() {
    let scene = tempfile::tempdir().unwrap();
    let game = shipped("clobber_3x4.gdl");
    let (one, other) = (scene.path().join("one"), scene.path().join("other"));
    let ends = |bytes: u64, threads: &str, folder: &Path| {
        let _ = std::fs::remove_dir_all(folder);
        let run = ggsolve("solve", &game, folder, &["--memory", &bytes.to_string(), "--threads", threads]).output();
        let (code, _, errors) = finish(&run.unwrap());
        assert!(matches!(code, Some(0 | 4)), "{bytes} bytes: {errors}");
        code == Some(0)
    };
    let (mut little, mut enough) = (1 << 16, 32 << 20);
    while enough - little > 1 << 15 {
        let middle = (little + enough) / 2;
        *if ends(middle, "1", &one) { &mut enough } else { &mut little } = middle;
    }
    // What is prepared may depend on the bound, and on nothing else.
    let same = |bytes: u64, threads: &str| {
        let ended = ends(bytes, threads, &other);
        if ended {
            assert_same(&one, &other);
        }
        ended
    };
    let bounds = (0..8).map(|step| enough + (step << 14));
    let ended = bounds.filter(|&bytes| ends(bytes, "1", &one) && same(bytes, "2") && same(bytes, "2")).count();
    assert!(ended > 0, "no run on two threads comes to its end within 128 KiB of {enough} bytes");
}

/// A run on a busy machine may take any time.
#[test]
fn how_long_earlier_runs_took_does_not_show() {
    let scene = tempfile::tempdir().unwrap();
    let game = shipped("breakthrough_4x4.gdl");
    let (whole, folder) = (scene.path().join("whole"), scene.path().join("folder"));
    solve("solve", &game, &whole, &[]);
    let cut = ggsolve("solve", &game, &folder, &["--disk", "300K"]).output();
    assert_eq!(finish(&cut.unwrap()).0, Some(4));
    let mut manifest = Manifest::load(&folder).unwrap();
    assert!(manifest.phase == Progress::Forward && manifest.layers.len() > 3 && manifest.work_ns.is_some());
    for time in manifest.runs[0].time_s.values_mut() {
        *time = Seconds::new(100_000.0);
    }
    manifest.save(&folder).unwrap();
    solve("solve", &game, &folder, &[]);
    assert_same(&whole, &folder);
    assert_eq!(Manifest::load(&folder).unwrap().work_ns, None);
}

#[test]
fn a_count_is_taken_up_by_solve() {
    let scene = tempfile::tempdir().unwrap();
    let game = shipped("clobber_3x4.gdl");
    let (whole, folder) = (scene.path().join("whole"), scene.path().join("counted"));
    let counted = solve("count", &game, &folder, &["--format", "json"]);
    assert_eq!(counted.trim_end(), counted.trim_end());
    assert_eq!(json(&solve("count", &game, &folder, &["--format", "json"])), json(&counted));
    assert!(files(&folder).keys().all(|name| !name.ends_with(".values")));
    solve("solve", &game, &whole, &[]);
    solve("solve", &game, &folder, &[]);
    assert_same(&whole, &folder);
    assert_eq!(json(&solve("count", &game, &folder, &["--format", "json"])), json(&counted));
    let text = solve("count", &game, &folder, &[]);
    assert!(text.contains("The solution is in") && !text.contains("goes on to"), "{text}");
}

/// Solved at once or counted before; asked for or found out: the same bytes where play can go on for ever.
#[test]
fn ways_to_a_solution_of_all_states_do_not_show() {
    let scene = tempfile::tempdir().unwrap();
    let game = rules(scene.path(), "cyclic.gdl", &random_cyclic_game(3));
    let (whole, asked, counted) =
        (scene.path().join("whole"), scene.path().join("asked"), scene.path().join("counted"));
    let first = solve("solve", &game, &whole, &["--format", "json"]);
    assert_eq!(json(&first)["algorithm"], "global");
    solve("solve", &game, &asked, &["--algorithm", "global"]);
    assert_same(&whole, &asked);
    let count = solve("count", &game, &counted, &["--format", "json"]);
    assert_eq!(json(&count)["states"], json(&first)["states"]);
    assert!(files(&counted).keys().all(|name| !name.starts_with("settled-")));
    solve("solve", &game, &counted, &[]);
    assert_same(&whole, &counted);
    assert!(files(&whole).keys().any(|name| name.ends_with(".outcomes")));
}

#[test]
fn a_finished_solution_is_reported_without_solving_again() {
    let scene = tempfile::tempdir().unwrap();
    let game = shipped("connect4_4x4.gdl");
    let folder = scene.path().join("a.ggs");
    let first = solve("solve", &game, &folder, &["--format", "json"]);
    let before = files(&folder);
    let log = scene.path().join("log");
    let again = solve("classify", &game, &folder, &["--format", "json", "-vv", "--log", log.to_str().unwrap()]);
    assert_eq!(json(&again), json(&first));
    assert!(!std::fs::read_to_string(log).unwrap().contains("layer"), "no layer was computed");
    assert_eq!(files(&folder), before);
}

#[test]
fn the_same_game_written_in_another_way_goes_on() {
    let scene = tempfile::tempdir().unwrap();
    let game = rules(scene.path(), "tiny.gdl", TINY);
    let (whole, folder) = (scene.path().join("whole"), scene.path().join("counted"));
    solve("solve", &game, &whole, &[]);
    solve("count", &game, &folder, &[]);
    let mut lines: Vec<&str> = TINY.lines().rev().collect();
    lines.insert(3, "; another comment");
    let other = rules(scene.path(), "other.gdl", &lines.join("\r\n"));
    solve("solve", &other, &folder, &[]);
    assert_same(&whole, &folder);
}

#[cfg(unix)]
#[test]
fn interrupted_runs_and_limits_keep_what_is_finished() {
    let scene = tempfile::tempdir().unwrap();
    let game = shipped("connect4_5x5.gdl");
    for signal in ["INT", "TERM"] {
        let folder = scene.path().join(signal);
        let mut run = ggsolve("solve", &game, &folder, &[]);
        let child = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        while !folder.join("layer-00008.states").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        let (code, _, errors) = finish(&child.wait_with_output().unwrap());
        assert_eq!(code, Some(130), "{errors}");
        assert!(errors.contains("the same command goes on from there"), "{errors}");
        let manifest: Value = serde_json::from_slice(&files(&folder)["manifest.json"]).unwrap();
        assert!(manifest["layers"].as_array().unwrap().len() > 8);
    }
    // The least memory in which more than the encoding fits.
    let folder = scene.path().join("limit");
    let run = |memory: usize| ggsolve("solve", &game, &folder, &["--memory", &format!("{memory}M")]).output().unwrap();
    let (code, _, errors) = (1..6).map(|k| finish(&run(4 << k))).find(|_| folder.exists()).expect("some layers fit");
    assert_eq!(code, Some(4), "{errors}");
    assert!(errors.contains("with more memory, the same command goes on from there"), "{errors}");
    assert!(folder.join("layer-00005.states").exists());
}

/// Stored values by rank need the states of their layer, which an engine of diagrams does not keep.
#[test]
fn every_engine_goes_on_from_values_of_another_one() {
    let scene = tempfile::tempdir().unwrap();
    let game = shipped("tictactoe.gdl");
    let folder = |name: &str| scene.path().join(name);
    let engines = ["hybrid", "symbolic"];
    // States, and those of each value; engines and nodes differ.
    let counts = |layer: &Value| {
        let of_value = |bucket: &Value| (bucket["rewards"].clone(), bucket["states"].clone());
        let values = layer["buckets"].as_array().unwrap().iter().map(of_value).collect::<Vec<_>>();
        (layer["states"].clone(), values)
    };
    let layers = |folder: &Path| {
        let report = json(&solve("solve", &game, folder, &["--format", "json"]));
        report["layers"].as_array().unwrap().iter().map(counts).collect::<Vec<_>>()
    };
    solve("solve", &game, &folder("whole"), &["--engine", "symbolic"]);
    let (whole, mut taken_up) = (layers(&folder("whole")), 0);
    for (first, second) in [(0, 1), (1, 0)] {
        for disk in ["6K", "7K", "8K"] {
            let stopped = folder(&format!("{first}-{disk}"));
            let run =
                ggsolve("solve", &game, &stopped, &["--engine", engines[first], "--disk", disk]).output().unwrap();
            assert!(matches!(run.status.code(), Some(0 | 4)), "{:?}", finish(&run));
            let is_of_values = |name: &String| name.ends_with(".values") || name.ends_with(".ranked");
            taken_up += u32::from(files(&stopped).keys().any(is_of_values));
            let run = ggsolve("solve", &game, &stopped, &["--engine", engines[second]]).output().unwrap();
            assert!(run.status.success(), "{:?}", finish(&run));
            assert_eq!(layers(&stopped), whole, "{first} {disk}");
        }
    }
    assert!(taken_up > 2, "{taken_up} runs stored values before they stopped");
}

#[test]
fn an_engine_that_does_not_apply_to_listed_states_is_told() {
    let scene = tempfile::tempdir().unwrap();
    let (game, folder) = (shipped("tictactoe.gdl"), scene.path().join("a.ggs"));
    solve("count", &game, &folder, &[]);
    let run = ggsolve("solve", &game, &folder, &["--engine", "symbolic"]).output().unwrap();
    let (code, _, errors) = finish(&run);
    assert!(code == Some(0) && errors.contains("--engine symbolic does not apply"), "{code:?} {errors}");
    let report = json(&solve("solve", &game, &folder, &["--engine", "symbolic", "--force", "--format", "json"]));
    assert_eq!((&report["engine"], &report["option_differences"]), (&"symbolic".into(), &Value::Array(Vec::new())));
}

#[test]
fn a_state_that_was_not_found_yet_is_not_called_unreachable() {
    let scene = tempfile::tempdir().unwrap();
    let (game, folder) = (shipped("tictactoe.gdl"), scene.path().join("begun"));
    let run = ggsolve("solve", &game, &folder, &["--disk", "1500"]).output().unwrap();
    assert_eq!(run.status.code(), Some(4), "{:?}", finish(&run));
    let marks = ["x", "o", "x", "o", "x", "b", "b", "b", "b"].iter().enumerate();
    let cell = |(at, mark)| format!("(cell {} {} {mark})", at / 3 + 1, at % 3 + 1);
    let state = marks.map(cell).chain(["(control oplayer)".to_owned()]).collect::<Vec<_>>().join(" ");
    let query = |state: &str| {
        let arguments = ["query".as_ref(), folder.as_os_str(), "--state".as_ref(), state.as_ref()];
        finish(&std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve")).args(arguments).output().unwrap())
    };
    let (code, _, errors) = query(&state);
    assert!(code == Some(4) && errors.contains("unfinished"), "{code:?} {errors}");
    let (code, _, errors) = query(&state.replace("(cell 1 1 x)", "(cell 1 1 x) (cell 1 1 o)"));
    assert!(code == Some(2) && errors.contains("clash"), "{code:?} {errors}");
}
