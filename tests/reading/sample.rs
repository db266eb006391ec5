//! Random states of a layer and a value: every one of brute force's as often as the others, and no other.

use super::common::ranked::copy_ranked;
use super::common::sample::random_cyclic_game;
use super::common::stored::store;
use super::common::{game, program, shipped};
use super::{run, stored, texts, two_layers_only, without_values_before};
use crate::common::explicit::retrograde;
use crate::plain_store::{Layered, write_folder};
use base::limits::{LimitReached, Limits};
use game::reward::OpponentModel;
use ggsolve::{Random, Source};
use serde_json::{Value, json};
use solving::solution::{Among, ReadError, Solution};
use solving::solve::{Algorithm, SolveOptions};
use solving::store::manifest::{Manifest, Progress};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Twelve bits are chosen one after the other; the first ten have to be ones.
const RARE: &str = "
    (role r) (init (step 0)) (bit 0) (bit 1)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
    (succ 10 11) (succ 11 12)
    (<= (legal r (set ?b)) (bit ?b))
    (<= (next (on ?n ?b)) (true (step ?n)) (does r (set ?b)))
    (<= (next (on ?n ?b)) (true (on ?n ?b)))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= terminal (true (step 12)))
    (<= won (true (on 0 1)) (true (on 1 1)) (true (on 2 1)) (true (on 3 1)) (true (on 4 1)) (true (on 5 1))
        (true (on 6 1)) (true (on 7 1)) (true (on 8 1)) (true (on 9 1)))
    (<= (goal r 100) won) (<= (goal r 0) (not won))";

type Names = Vec<String>;
/// By layer: the states of each value.
type States = Vec<BTreeMap<Option<Vec<u8>>, BTreeSet<Names>>>;

fn layered_states(text: &[u8]) -> States {
    let ground = game(&program("game", text));
    let layered = Layered::new(&ground, OpponentModel::MaxOwn, 20_000).unwrap();
    let mut states = vec![BTreeMap::<_, BTreeSet<Names>>::new(); layered.layers.len()];
    for (by_value, ids) in states.iter_mut().zip(&layered.layers) {
        for &id in ids {
            let value = Some(layered.solution.value(id).to_vec());
            by_value.entry(value).or_default().insert(layered.state(id).names(&ground));
        }
    }
    states
}

fn cyclic_states(text: &str) -> States {
    let ground = game(&program("game", text.as_bytes()));
    let found = retrograde(&ground, OpponentModel::MaxOwn, 5_000).unwrap();
    let layers = found.distances.iter().max().map_or(0, |last| *last as usize + 1);
    let mut states = vec![BTreeMap::<_, BTreeSet<Names>>::new(); layers];
    for id in found.exploration.ids() {
        let names = found.exploration.state(id).names(&ground);
        let layer = &mut states[found.distances[id.index()] as usize];
        layer.entry(found.values[id.index()].clone()).or_default().insert(names);
    }
    states
}

/// Draws of a set of states, so many for each: every state is drawn, none else, and the squares of the differences from
/// the mean are as small as chance makes them.
fn compare_draws(solution: &Solution, layer: u32, among: Among, expected: &BTreeSet<Names>, each: usize, seed: u64) {
    let (limits, mut random) = (Arc::new(Limits::unlimited()), Random::new(seed));
    assert_eq!(solution.states_among(layer, among).unwrap(), expected.len().into(), "layer {layer}, {among:?}");
    let mut seen: BTreeMap<Names, usize> = BTreeMap::new();
    for _ in 0..each * expected.len() {
        let drawn = solution.sample(layer, among, &mut random, &limits).unwrap();
        assert_eq!(drawn.layer, layer);
        *seen.entry(drawn.state.names(solution.game())).or_default() += 1;
    }
    assert!(seen.keys().eq(expected.iter()), "layer {layer}, {among:?}: {} of {}", seen.len(), expected.len());
    let squares: f64 = seen.values().map(|&count| (count as f64 - each as f64).powi(2) / each as f64).sum();
    let free = expected.len() as f64 - 1.0;
    assert!(squares <= free + 5.0 * (2.0 * free).sqrt() + 10.0, "layer {layer}, {among:?}: {squares} for {free}");
}

/// All layers and values of a stored solution with few states, each compared with brute force.
fn compare(folder: &Path, states: &States, layers: impl Iterator<Item = usize>, each: usize) {
    let solution = Solution::open(folder, &Limits::unlimited()).unwrap();
    for layer in layers {
        let all: BTreeSet<Names> = states[layer].values().flatten().cloned().collect();
        if all.len() <= 600 {
            compare_draws(&solution, layer as u32, Among::All, &all, each, 3 + layer as u64);
        }
        for (value, of_value) in states[layer].iter().filter(|(_, states)| states.len() <= 600) {
            compare_draws(&solution, layer as u32, Among::Value(value.as_deref()), of_value, each, 5 + layer as u64);
        }
    }
}

#[test]
fn states_of_layers_are_drawn_evenly_in_both_forms() {
    let (folder, path) = stored("tictactoe");
    let states = layered_states(&std::fs::read(shipped("tictactoe.gdl")).unwrap());
    compare(&path, &states, 0..states.len(), 30);
    let ranked = folder.path().join("ranked.ggs");
    copy_ranked(&path, &ranked, 1, 0, |_| true);
    compare(&ranked, &states, 0..states.len(), 30);
}

/// A value that four of 4096 states have, and two of 2048.
#[test]
fn rare_values_are_drawn_evenly_in_all_forms() {
    let states = layered_states(RARE.as_bytes());
    let rare = |layer: usize| states[layer][&Some(vec![100])].len();
    assert_eq!([rare(11), rare(12)], [2, 4]);
    let folder = tempfile::tempdir().unwrap();
    let [plain, ranked, at_once] = ["plain", "ranked", "global"].map(|name| folder.path().join(name));
    let ground = game(&program("game", RARE.as_bytes()));
    let layered = Layered::new(&ground, OpponentModel::MaxOwn, 20_000).unwrap();
    write_folder(&plain, RARE.as_bytes(), &ground, OpponentModel::MaxOwn, &layered);
    copy_ranked(&plain, &ranked, 1, 0, |_| true);
    let options = SolveOptions { algorithm: Some(Algorithm::Global), ..SolveOptions::default() };
    store(RARE, &at_once, &options, usize::MAX).unwrap();
    for folder in [&plain, &ranked, &at_once] {
        compare(folder, &states, 8..states.len(), 50);
    }
    // What is found of a layer is kept in memory, and gives way to what is found next.
    let solution = Solution::open(&plain, &Limits::unlimited()).unwrap();
    let draw = |layer, limits: &Arc<Limits>| {
        solution.sample(layer, Among::Value(Some(&[100])), &mut Random::new(1), limits).map(drop)
    };
    let small = Arc::new(Limits::new(1000));
    let refused = draw(12, &small);
    let is_memory = |limit: &LimitReached| matches!(limit.reason(), LimitReached::Memory { .. });
    assert!(
        matches!(&refused, Err(ReadError::Limit(limit)) if is_memory(limit))
            || matches!(&refused, Err(ReadError::Store(error)) if error.to_string().contains("memory")),
        "{refused:?}"
    );
    assert_eq!(small.used(), 0);
    let limits = Arc::new(Limits::unlimited());
    draw(12, &limits).unwrap();
    let kept = limits.used();
    assert!(kept > 0);
    draw(12, &limits).unwrap();
    assert_eq!(limits.used(), kept);
    draw(11, &limits).unwrap();
    assert!(limits.used() > kept);
}

#[test]
fn endless_values_are_drawn_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let options = SolveOptions { algorithm: Some(Algorithm::Global), ..SolveOptions::default() };
    let mut endless = 0;
    let games = std::iter::once(include_str!("endless.gdl").to_owned()).chain((0..15).map(random_cyclic_game));
    for (number, text) in games.enumerate() {
        let path = folder.path().join(number.to_string());
        store(&text, &path, &options, usize::MAX).unwrap();
        let states = cyclic_states(&text);
        endless += usize::from(states.iter().any(|layer| layer.contains_key(&None)));
        compare(&path, &states, 0..states.len(), 40);
    }
    assert!(endless > 2, "{endless}");
}

fn query(folder: &Path, arguments: &str) -> (i32, String, String) {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    texts(run(&[&["query", folder.to_str().unwrap()], &words[..]].concat(), ""))
}

#[test]
fn samples_are_told_as_queries_and_depend_on_the_seed_alone() {
    let (_folder, path) = stored("tictactoe");
    let asked = "--sample 3 --layer 4 --rewards 0,100 --seed 9";
    let (code, text, errors) = query(&path, asked);
    assert_eq!((code, errors.as_str()), (0, ""));
    let heading = "3 states drawn at random from the 36 states of layer 4 with the value 0/100, seed 9\n\ntictactoe, in layer 4: ";
    assert!(text.starts_with(heading), "{text}");
    assert_eq!(text.matches("a win for oplayer, 100 to 0").count(), 3, "{text}");
    assert_eq!(query(&path, asked).1, text);
    assert_ne!(query(&path, &asked.replace("seed 9", "seed 10")).1, text);

    let (code, output, _) = query(&path, &format!("{asked} --distance --format json"));
    assert_eq!(code, 0);
    let lines: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(
            [&line["sample"], &line["seed"], &line["population"], &line["layer"], &line["value"]],
            [&json!(number + 1), &json!(9), &json!(36), &json!(4), &json!([0, 100])]
        );
        // The state of the line by itself has the same answer.
        let names: Vec<&str> = line["state"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let arguments =
            ["query", path.to_str().unwrap(), "--state", &names.join(" "), "--distance", "--format", "json"];
        let alone: Value = serde_json::from_str(&texts(run(&arguments, "")).1).unwrap();
        let mut own = line.clone();
        ["sample", "seed", "population"].iter().for_each(|key| drop(own.as_object_mut().unwrap().shift_remove(*key)));
        assert_eq!(own, alone);
    }
    // Without a number it is one state.
    let one = query(&path, "--layer 4 --rewards 0,100 --seed 9");
    assert_eq!(one, query(&path, "--sample 1 --layer 4 --rewards 0,100 --seed 9"));
    assert!(one.1.starts_with("1 state drawn at random from the 36 states of layer 4"), "{}", one.1);
    // Without a seed there is a new one each time, which is told.
    let seeds: BTreeSet<String> = (0..3)
        .map(|_| query(&path, "--sample 1 --layer 0 --format json").1)
        .map(|line| serde_json::from_str::<Value>(&line).unwrap()["seed"].to_string())
        .collect();
    assert_eq!(seeds.len(), 3);
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let (_folder, path) = stored("tictactoe");
    for (arguments, expected) in [
        ("--sample 0 --layer 1", "invalid value '0' for '--sample <N>'"),
        ("--sample 1", "--layer <L>"),
        ("--layer 1 --state s", "cannot be used with"),
        ("--sample 1 --layer 10", "there is no layer 10: the solution has the layers 0 to 9"),
        ("--sample 1 --layer -1", "invalid value '-1'"),
        ("--sample 1 --layer 1 --rewards 100,0", "no state of layer 1 has the value 100,0; there are 50,50"),
        (
            "--sample 1 --layer 3 --rewards null",
            "no state of layer 3 has the value endless; there are 0,100 50,50 100,0",
        ),
        ("--sample 1 --layer 3 --rewards 100", "one reward for each role: 1 given, and there are 2 roles"),
        ("--sample 1 --layer 3 --rewards won", "one reward from 0 to 100 for each role"),
        ("--sample 1 --layer 3 --moves noop", "cannot be used with"),
    ] {
        let (code, output, errors) = query(&path, arguments);
        assert_eq!((code, output.as_str()), (2, ""), "{arguments}: {errors}");
        assert!(errors.contains(expected), "{arguments}: {errors}");
    }
}

#[test]
fn unfinished_solutions_are_drawn_from_as_far_as_they_have_values() {
    let (_folder, path) = stored("tictactoe");
    without_values_before(7, &path);
    assert_eq!(query(&path, "--sample 2 --layer 7").0, 0);
    let (code, _, errors) = query(&path, "--sample 2 --layer 6");
    assert_eq!(code, 4);
    assert!(errors.contains("layer 6 has no values: the solution is unfinished"), "{errors}");
    two_layers_only(&path);
    for layer in ["1", "5"] {
        assert_eq!(query(&path, &format!("--sample 1 --layer {layer}")).0, 4);
    }
    let folder = tempfile::tempdir().unwrap();
    let rules = Source::new("endless", include_bytes!("endless.gdl"));
    let options = SolveOptions { algorithm: Some(Algorithm::Global), ..SolveOptions::default() };
    let interrupted: Vec<usize> = (1..40)
        .filter(|&stop| store(rules.text(), &folder.path().join(stop.to_string()), &options, stop).is_err())
        .collect();
    let last = interrupted.last().expect("a run that is interrupted");
    let path = folder.path().join(last.to_string());
    assert_eq!(Manifest::load(&path).unwrap().phase, Progress::Backward, "all states are known, not all values");
    for arguments in ["--sample 1 --layer 0", "--sample 1 --layer 0 --rewards endless"] {
        let (code, _, errors) = query(&path, arguments);
        assert_eq!(code, 4, "{errors}");
        assert!(errors.contains("unfinished: after"), "{errors}");
    }
    assert_eq!(query(&path, "--sample 1 --layer 99").0, 2);
}
