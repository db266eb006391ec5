//! What a report says of a solution that lies in a folder: which runs computed it, that nothing was computed now, which
//! options do not apply, and what to do next.

use super::{TINY, files, finish, ggsolve, rules, shipped, solve};
use serde_json::{Value, json};
use std::path::Path;

fn report(command: &str, game: &Path, folder: &Path, more: &[&str]) -> Value {
    serde_json::from_str(&solve(command, game, folder, &[more, &["--format", "json"]].concat())).unwrap()
}

#[test]
fn a_second_run_reports_the_first_one() {
    let scene = tempfile::tempdir().unwrap();
    let (game, folder) = (shipped("clobber_3x4.gdl"), scene.path().join("a.ggs"));
    let first = report("solve", &game, &folder, &["--engine", "hybrid", "--threads", "2", "--memory", "1G"]);
    assert_eq!([&first["from_disk"], &first["engine"]], [&json!(false), &json!("hybrid")]);
    assert_eq!(first["rules_sha256"].as_str().unwrap().len(), 64);
    let run = &first["runs"][0];
    assert_eq!(
        [&run["finished"], &run["threads"], &run["memory_limit_bytes"]],
        [&json!(true), &json!(2), &json!(1 << 30)]
    );
    assert_eq!([&run["options"]["engine"], &run["options"]["order"]], [&json!("hybrid"), &json!("search")]);
    assert!(run["time_s"]["ground"].as_f64().unwrap() > 0.0 && run["time_s"]["forward"].as_f64().unwrap() > 0.0);
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let machine = run["machine"].as_str().unwrap();
    assert!(machine.contains("cores") && (host.trim().is_empty() || !machine.contains(host.trim())), "{machine}");
    let second = report("solve", &game, &folder, &[]);
    assert_eq!(second["from_disk"], json!(true));
    for key in ["time_s", "peak_memory_bytes", "runs", "engine", "rules_sha256", "value", "states"] {
        assert_eq!(first[key], second[key], "{key}");
    }
    let text = solve("solve", &game, &folder, &[]);
    assert!(text.contains("nothing was computed") && text.contains("--engine hybrid"), "{text}");
}

#[test]
fn the_runs_of_a_solution_add_up() {
    let scene = tempfile::tempdir().unwrap();
    let (game, folder) = (shipped("connect4_4x4.gdl"), scene.path().join("a.ggs"));
    let counted = report("count", &game, &folder, &[]);
    let solved = report("solve", &game, &folder, &[]);
    let runs = solved["runs"].as_array().unwrap();
    let finished: Vec<&Value> = runs.iter().map(|run| &run["finished"]).collect();
    assert_eq!((finished.first(), finished.last()), (Some(&&json!(true)), Some(&&json!(true))));
    assert!(runs.len() == 2 && runs[0] == counted["runs"][0]);
    let total = |value: &Value| value["time_s"]["total"].as_f64().unwrap();
    assert!((total(&solved) - runs.iter().map(total).sum::<f64>()).abs() < 1e-4);
    let peak = |value: &Value| value["peak_memory_bytes"].as_u64().unwrap();
    assert_eq!(Some(peak(&solved)), runs.iter().map(peak).max());
}

/// What is known of a run that is killed is what it had taken when it last wrote the manifest.
#[cfg(unix)]
#[test]
fn a_run_that_is_killed_leaves_a_record() {
    let scene = tempfile::tempdir().unwrap();
    let (game, folder) = (shipped("connect4_5x5.gdl"), scene.path().join("a.ggs"));
    let mut child = ggsolve("solve", &game, &folder, &[]).stdout(std::process::Stdio::null()).spawn().unwrap();
    while !folder.join("layer-00008.states").exists() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let manifest: Value = serde_json::from_slice(&files(&folder)["manifest.json"]).unwrap();
    let run = &manifest["runs"][0];
    assert_eq!(run["finished"], json!(false));
    assert!(run["time_s"]["total"].as_f64().unwrap() > 0.0 && run["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
}

#[test]
fn options_that_do_not_apply_are_told() {
    let scene = tempfile::tempdir().unwrap();
    let (game, folder) = (shipped("tictactoe.gdl"), scene.path().join("a.ggs"));
    solve("solve", &game, &folder, &["--engine", "symbolic"]);
    let run = |more: &[&str]| {
        let all = [more, &["--format", "json"]].concat();
        let (code, output, errors) = finish(&ggsolve("solve", &game, &folder, &all).output().unwrap());
        assert_eq!(code, Some(0), "{errors}");
        (serde_json::from_str::<Value>(&output).unwrap(), errors)
    };
    let (report, errors) = run(&["--engine", "hybrid", "--order", "rules"]);
    assert!(
        errors.contains("note: --engine hybrid does not apply") && errors.contains("--engine symbolic"),
        "{errors}"
    );
    assert!(errors.contains("note: --order rules does not apply") && errors.contains("--force"), "{errors}");
    let differences = report["option_differences"].as_array().unwrap();
    let options: Vec<&Value> = differences.iter().map(|difference| &difference["option"]).collect();
    assert_eq!(options, [&json!("engine"), &json!("order")]);
    assert_eq!([&differences[0]["stored"], &differences[0]["applies"]], [&json!(["symbolic"]), &json!(false)]);
    // The same, others, and none in particular.
    for more in [&["--engine", "symbolic"][..], &["--threads", "1"], &["--memory", "1G"], &[]] {
        assert_eq!(run(more).1, "", "{more:?}");
    }
    let (report, errors) = run(&["--engine", "hybrid", "--force"]);
    assert_eq!((&report["engine"], &report["from_disk"], errors.as_str()), (&json!("hybrid"), &json!(false), ""));
    let (report, _) = run(&["--engine", "hybrid", "--force"]);
    assert_eq!(report["from_disk"], json!(true), "what is wanted is there already");
}

#[test]
fn the_end_of_a_report_can_be_run() {
    let scene = tempfile::tempdir().unwrap();
    rules(scene.path(), "it's tiny.gdl", TINY);
    let run = |arguments: &[&str]| {
        let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_ggsolve"));
        finish(&run.current_dir(scene.path()).args(arguments).output().unwrap())
    };
    let (_, text, _) = run(&["it's tiny.gdl"]);
    let commands: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("ggsolve ")).collect();
    assert_eq!(commands.len(), 3, "{text}");
    for command in commands {
        let program = env!("CARGO_BIN_EXE_ggsolve");
        let shell = std::process::Command::new("sh")
            .current_dir(scene.path())
            .args(["-c", &format!("'{program}' {command}")])
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        assert!(shell.status.success(), "{command}: {}", String::from_utf8_lossy(&shell.stderr));
    }
    let (_, text, _) = run(&["it's tiny.gdl", "--no-store"]);
    assert!(text.ends_with("Nothing is stored: --no-store asks for that.\n"), "{text}");
    let (_, text, _) = run(&["count", "it's tiny.gdl"]);
    assert!(text.contains("Nothing is stored: "), "{text}");
}
