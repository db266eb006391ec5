//! `plan`: what it foretells beside what a run of the same game takes. Times are not compared.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Exit code, standard output and standard error.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ggsolve"));
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn json(arguments: &[&str]) -> Value {
    let (code, output, errors) = run(&[arguments, &["--format", "json"]].concat());
    assert_eq!(code, Some(0), "{arguments:?}: {errors}");
    serde_json::from_str(&output).unwrap()
}

/// By layer of a report: a figure.
fn by_layer(report: &Value, of: impl Fn(&Value) -> u64) -> Vec<u64> {
    report["layers"].as_array().unwrap().iter().map(of).collect()
}

fn key(name: &'static str) -> impl Fn(&Value) -> u64 {
    move |layer| layer[name].as_u64().unwrap()
}

/// Bytes of the files of layers in a folder.
fn layer_bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let layers = files.filter(|file| file.file_name().to_string_lossy().starts_with("layer-"));
    layers.map(|file| file.metadata().unwrap().len()).sum()
}

fn assert_near(what: &str, planned: u64, found: u64) {
    let ratio = planned as f64 / found as f64;
    assert!((1.0 / 1.5..=1.5).contains(&ratio), "{what}: {planned} planned, {found} found");
}

#[test]
fn a_plan_is_near_the_run() {
    let scene = tempfile::tempdir().unwrap();
    for (game, engine) in [
        ("connect4_5x4", "hybrid"),
        ("connect4_5x4", "auto"),
        ("connect4_5x4", "symbolic"),
        ("connect4_5x5", "hybrid"),
        ("connect4_5x5", "auto"),
        ("connect4_6x4", "auto"),
    ] {
        let rules = format!("games/{game}.gdl");
        let folder: PathBuf = scene.path().join(format!("{game}-{engine}"));
        let plan = json(&["plan", &rules, "--engine", engine, "--threads", "2", "--memory", "4G"]);
        let out = folder.display().to_string();
        let solved = json(&["solve", &rules, "--engine", engine, "--threads", "2", "--memory", "4G", "--out", &out]);
        assert_eq!(plan["layer_states"], solved["layer_states"]);
        for figure in ["states", "nodes"] {
            assert_eq!(by_layer(&plan, key(figure)), by_layer(&solved, key(figure)), "{game}: {figure}");
        }
        assert_eq!((&plan["extrapolated_from"], &plan["limit"]), (&Value::Null, &Value::Null));
        let measured = plan["measured_layers"].as_array().unwrap().len();
        assert!((1..solved["layers"].as_array().unwrap().len()).contains(&measured), "some layers: {measured}");
        let configurations = by_layer(&solved, |layer| match layer["backward"]["by"] == "program" {
            true => layer["backward"]["requests"].as_u64().unwrap(),
            false => 0,
        });
        if engine != "symbolic" {
            let total = configurations.iter().sum();
            assert_near(&format!("{game} {engine}: configurations"), key("configurations")(&plan), total);
        }
        assert_near(&format!("{game} {engine}: bytes"), key("bytes")(&plan), layer_bytes(&folder));
        let by = |report: &Value, at: fn(&Value) -> &Value| -> Vec<String> {
            report["layers"].as_array().unwrap().iter().map(|layer| at(layer).as_str().unwrap().to_owned()).collect()
        };
        let (planned, found) = (by(&plan, |layer| &layer["by"]), by(&solved, |layer| &layer["backward"]["by"]));
        // The border between both ways depends on nodes of values, which a plan estimates.
        let apart = planned.iter().zip(&found).filter(|(planned, found)| planned != found).count();
        assert!(planned.len() == found.len() && apart <= 1, "{game} {engine}: {planned:?}, {found:?}");
    }
}

#[test]
fn a_forward_pass_that_is_cut_short_is_extrapolated_and_says_so() {
    let arguments = ["plan", "games/connect4_5x5.gdl", "--engine", "hybrid", "--threads", "1", "--nodes", "60000"];
    let plan = json(&arguments);
    let from = plan["extrapolated_from"].as_u64().unwrap() as usize;
    let counted = json(&["count", "games/connect4_5x5.gdl", "--threads", "1"]);
    let [planned, found] = [&plan, &counted].map(|report| by_layer(report, key("states")));
    assert!((9..found.len()).contains(&from), "{from}");
    assert_eq!(planned[..from], found[..from]);
    let flags: Vec<bool> =
        plan["layers"].as_array().unwrap().iter().map(|layer| layer["extrapolated"] == true).collect();
    assert!(flags.iter().enumerate().all(|(layer, flag)| *flag == (layer >= from)));
    let ratio = key("layer_states")(&plan) as f64 / key("layer_states")(&counted) as f64;
    assert!((0.2..5.0).contains(&ratio), "{ratio}");
    let (code, output, _) = run(&arguments);
    assert_eq!(code, Some(0));
    assert!(
        output.contains(&format!("The layers from {from} on are extrapolated")) && output.contains('~'),
        "{output}"
    );
    // Sweeps that take long end it as well, where nodes are few: moves of Clobber touch two cells anywhere.
    let scene = tempfile::tempdir().unwrap();
    let clobber = scene.path().join("clobber.gdl").display().to_string();
    let (code, rules, errors) = run(&["generate", "clobber", "4", "5", "zero-sum"]);
    assert_eq!(code, Some(0), "{errors}");
    std::fs::write(&clobber, rules).unwrap();
    let plan = |nodes: &str| json(&["plan", &clobber, "--engine", "hybrid", "--threads", "1", "--nodes", nodes]);
    let (all, some) = (plan("10000000"), plan("400000"));
    assert_eq!(all["extrapolated_from"], Value::Null);
    assert!(all["layers"].as_array().unwrap().iter().map(key("nodes")).sum::<u64>() < 400_000);
    assert!(
        some["extrapolated_because"].as_str().unwrap().contains("words of keys of all sweeps exceeds 3200000"),
        "{some}"
    );
    // So do states that are expanded one by one, here since an effect is too large for a diagram: that each row and each
    // column of a board has a mark.
    let folder = tempfile::tempdir().unwrap();
    let board = folder.path().join("board.gdl");
    let indices: String = (0..14).map(|index| format!("(index {index}) ")).collect();
    let rules = "(role x) (role o) (init (control x)) (init still) (other x o) (other o x)
        (<= (base (marked ?a ?b)) (index ?a) (index ?b)) (base full) (base still) (base (control x)) (base (control o))
        (<= (legal ?p (mark ?a ?b)) (true (control ?p)) (index ?a) (index ?b) (not (true (marked ?a ?b))))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (next (marked ?a ?b)) (does ?p (mark ?a ?b))) (<= (next (marked ?a ?b)) (true (marked ?a ?b)))
        (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
        (<= (row ?a) (true (marked ?a ?b))) (<= (column ?b) (true (marked ?a ?b)))
        (<= bare (index ?a) (not (row ?a))) (<= bare (index ?b) (not (column ?b)))
        (<= (next full) (not bare)) (<= (next still) bare)
        (<= terminal (true full)) (<= (goal ?p 50) (role ?p))";
    std::fs::write(&board, format!("{rules} {indices}")).unwrap();
    let within = ["--threads", "1", "--memory", "2G", "--nodes", "1000000"];
    let (code, _, errors) = run(&[&["plan", board.to_str().unwrap()], &within[..]].concat());
    assert!(code == Some(4) && errors.contains("states expanded one by one exceeds 62500"), "{code:?}: {errors}");
    // A condition of moves that is too large stays apart, so that layers have few nodes.
    let nine = folder.path().join("nine.gdl");
    let (code, rules, _) = run(&["generate", "morris", "nine"]);
    assert_eq!(code, Some(0));
    std::fs::write(&nine, rules).unwrap();
    let of_nine = json(&[&["plan", nine.to_str().unwrap()], &within[..]].concat());
    let why = [&of_nine["extrapolated_because"], &of_nine["incomplete_because"]].map(|why| why.as_str().unwrap_or(""));
    assert!(why.concat().contains("words of keys of all sweeps exceeds 8000000"), "{of_nine}");
    // One by one, no more than a million of its states would be looked at.
    assert!(of_nine["states_found"].as_u64().unwrap() > 100_000_000, "{of_nine}");
    // Too few layers tell nothing.
    let (code, _, errors) = run(&["plan", "games/connect4_5x5.gdl", "--engine", "hybrid", "--nodes", "100"]);
    assert!(code == Some(4) && errors.contains("too few to foretell"), "{code:?}: {errors}");
}

#[test]
fn processes_share_large_layers_by_rank() {
    let plan = |processes: &str| {
        json(&["plan", "games/connect4_5x4.gdl", "--engine", "hybrid", "--threads", "1", "--processes", processes])
    };
    let [one, four] = ["1", "4"].map(plan);
    assert!(by_layer(&one, key("processes")).iter().all(|processes| *processes == 1));
    let (states, processes) = (by_layer(&four, key("states")), by_layer(&four, key("processes")));
    let last = states.len() - 1;
    for (layer, (states, processes)) in states.iter().zip(processes).enumerate() {
        assert_eq!(processes, if *states >= 1 << 17 && layer < last { 4 } else { 1 }, "layer {layer}");
    }
    assert!(key("configurations")(&four) >= key("configurations")(&one), "ranges share less");
    assert!(key("peak_memory_bytes")(&four) < key("peak_memory_bytes")(&one));
}

#[test]
fn the_first_limit_is_told_and_what_cannot_be_planned_is_refused() {
    let game = "games/connect4_5x4.gdl";
    for (option, size, resource) in [("--memory", "100K", "memory"), ("--disk", "200K", "disk")] {
        let plan = json(&["plan", game, "--engine", "hybrid", "--threads", "1", option, size]);
        let limit = &plan["limit"];
        assert_eq!(limit["resource"], resource, "{limit}");
        assert!(limit["needed"].as_f64() > limit["limit"].as_f64(), "{limit}");
        let (code, output, _) = run(&["plan", game, "--engine", "hybrid", "--threads", "1", option, size]);
        assert!(code == Some(0) && output.contains(&format!("first limit    {resource}, in layer")), "{output}");
    }
    let scene = tempfile::tempdir().unwrap();
    let endless = scene.path().join("endless.gdl");
    let cells: String = (0..40).map(|cell| format!("(next_to {cell} {}) ", (cell + 1) % 40)).collect();
    let rules = "(role a) (init (at 0)) (<= (legal a go) (true (at ?x))) (<= (legal a stay) (true (at ?x)))
        (<= (next (at ?y)) (does a go) (true (at ?x)) (next_to ?x ?y)) (<= (next (at ?x)) (does a stay) (true (at ?x)))
        (<= terminal (true (at 39))) (<= (goal a 100) (true (at 39))) (<= (goal a 0) (not (true (at 39))))";
    std::fs::write(&endless, format!("{rules} {cells}")).unwrap();
    let plan = json(&["plan", &endless.display().to_string()]);
    assert_eq!((&plan["algorithm"], &plan["states"], &plan["limit"]), (&"global".into(), &40.into(), &Value::Null));
    for wrong in [["--disk", "much"], ["--processes", "0"], ["--time", "long"], ["--scratch", "no such folder"]] {
        let (code, output, errors) = run(&[&["plan", game], &wrong[..]].concat());
        assert_eq!((code, output.as_str()), (Some(2), ""), "{errors}");
    }
}

#[test]
fn games_in_which_states_repeat_are_planned_with_all_states_at_once() {
    for (game, by, rises) in
        [("dodgem_4", "ranks", true), ("dobutsu_chick", "ranks", false), ("morris_three", "ranks", true)]
    {
        let rules = format!("games/{game}.gdl");
        let arguments = ["plan", &rules, "--engine", "hybrid", "--threads", "1"];
        let plan = json(&arguments);
        let solved = json(&["solve", &rules, "--no-store", "--threads", "1"]);
        assert_eq!((&plan["states"], &plan["complete"]), (&solved["states"], &true.into()), "{game}");
        assert_eq!((&plan["by"], &plan["limit"]), (&by.into(), &Value::Null), "{game}");
        let most = |plan: &Value| plan["states_at_most"].as_u64().unwrap();
        let states = solved["states"].as_u64().unwrap();
        assert!(most(&plan) >= states, "{game}: {plan}");
        let tiers = &plan["tiers"];
        assert_eq!(tiers["tiers"].as_u64() > Some(1), rises, "{game}: {tiers}");
        if rises {
            assert!(tiers["exact"] == true && !tiers["measure"].as_array().unwrap().is_empty(), "{game}: {tiers}");
            assert!(tiers["largest"].as_u64() < Some(states), "{game}: {tiers}");
        }
        // All rounds of so few states are gone through, and settle all that do not go on for ever.
        let endless = solved["buckets"].as_array().unwrap().iter().find(|bucket| bucket["rewards"].is_null());
        let endless = endless.map_or(0, |bucket| bucket["states"].as_u64().unwrap());
        assert_eq!(plan["measured_all"], true, "{game}");
        let terminal = solved["terminal_states"].as_u64().unwrap();
        let settled = plan["measured_settled"].as_u64().unwrap() + terminal;
        assert_eq!(settled, states - endless, "{game}");
        // A forward pass that is cut short knows less, and says so.
        let short = json(&[&arguments[..], &["--nodes", "300"]].concat());
        assert_eq!(short["complete"], false, "{game}: {short}");
        let found = short["states_found"].as_u64().unwrap();
        assert!(found < states && states <= most(&short) && short["states"].as_u64() >= Some(found), "{game}: {short}");
        let (code, output, _) = run(&[&arguments[..], &["--nodes", "300"]].concat());
        assert!(code == Some(0) && output.contains("limit reached: "), "{output}");
    }
    let one_by_one = json(&["plan", "games/dodgem_4.gdl", "--threads", "1"]);
    assert_eq!((&one_by_one["by"], &one_by_one["tiers"]), (&"states".into(), &Value::Null));
    let little = json(&["plan", "games/dodgem_4.gdl", "--engine", "hybrid", "--threads", "1", "--disk", "10K"]);
    assert_eq!(little["limit"]["resource"], "disk", "{little}");
}

/// The bound is too small for the search for tiers, without which the rest is foretold.
#[test]
fn what_does_not_fit_is_left_out_of_the_plan() {
    let (code, output, errors) = run(&["plan", "games/teeko_4.gdl", "--memory", "8M"]);
    assert!(code == Some(0) && errors.contains("the tiers of the states are left out: memory limit"), "{errors}");
    assert!(output.contains("not looked for"), "{output}");
}
