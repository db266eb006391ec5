//! Faults planted in stored solutions, with all checksums, counts and buckets put right again where the fault is not in
//! them: `verify --full` finds every one, and a table says which of them the ordinary check finds.
//!
//! Some dozens here; a thousand by
//! `GGSOLVE_FAULTS=1000 cargo test --release --test reading -- --nocapture planted_faults`.

use super::common::ranked::copy_ranked;
use super::common::stored::subject;
use super::common::{game, program, shipped};
use super::plain_store::{Layered, Table, id_of, nodes_leading_to, read_layer, write_folder, write_layer};
use crate::common::sample::random_game;
use api::verify::{Options, verify};
use base::limits::Limits;
use base::random::Random;
use game::interpreter::{Interpreter, State, Turn};
use game::propositional::Game;
use game::reward::OpponentModel;
use num_bigint::BigUint;
use solving::solution::Codec;
use solving::solve::{EngineChoice, Silent, SolveOptions, run_stored};
use solving::store::manifest::{BucketRecord, Manifest};
use solving::store::{Kind, Run, Store};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// A solution with all that is in its files.
#[derive(Clone)]
struct Solution {
    manifest: Manifest,
    layers: Vec<Table>,
}

/// What a fault is planted in.
struct Ground {
    name: String,
    _folder: TempDir,
    path: PathBuf,
    codec: Codec,
    model: OpponentModel,
    right: Solution,
    interpreter: RefCell<Interpreter>,
    /// What was asked before.
    steps: RefCell<BTreeMap<Vec<bool>, Option<Step>>>,
}

impl Ground {
    /// `None`: the game is refused, too large or too small.
    fn new(name: &str, rules: &[u8], model: OpponentModel) -> Option<Ground> {
        let game = game(&program(name, rules));
        let layered = Layered::new(&game, model, 6_000)?;
        if layered.layers.len() < 3 {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("right.ggs");
        write_folder(&path, rules, &game, model, &layered);
        let manifest = Manifest::load(&path).unwrap();
        let layers = (0..manifest.layers.len() as u32).map(|layer| read_layer(&path, layer)).collect();
        let defaults = manifest.defaults.iter().map(|default| (default.fluent.as_str(), default.unless.as_slice()));
        let codec = Codec::new(&game, &manifest.variables, defaults).unwrap();
        let right = Solution { manifest, layers };
        let interpreter = RefCell::new(Interpreter::new(&game));
        let steps = RefCell::default();
        Some(Ground { name: name.to_owned(), _folder: folder, path, codec, model, right, interpreter, steps })
    }

    /// The successors of a state and who chooses, or its rewards; `None`: the state is ill-formed or cannot be told.
    fn step(&self, key: &[bool]) -> Option<Step> {
        if let Some(step) = self.steps.borrow().get(key) {
            return step.clone();
        }
        let step = self.new_step(key);
        self.steps.borrow_mut().insert(key.to_vec(), step.clone());
        step
    }

    fn new_step(&self, key: &[bool]) -> Option<Step> {
        let interpreter = self.interpreter.borrow();
        let state: State = self.codec.state(key);
        let situation = interpreter.situation(&state);
        let mover = match situation.turn().ok()? {
            Turn::Terminal => return Some(Step::End(situation.goals.iter().map(|goals| goals[0]).collect())),
            Turn::Forced => 0,
            Turn::Mover(role) => role.index(),
        };
        let after = situation.joint_moves().map(|joint| self.codec.assignment(&interpreter.successor(&state, &joint)));
        Some(Step::Moves(mover, after.collect::<Option<_>>()?))
    }

    /// The value id of a state, from those of the next layer.
    fn value(&self, solution: &Solution, layer: usize, key: &[bool]) -> Option<u32> {
        let rewards = &solution.manifest.rewards;
        match self.step(key)? {
            Step::End(goals) => Some(rewards.iter().position(|rewards| *rewards == goals)? as u32 + 1),
            Step::Moves(mover, after) => {
                let next = solution.layers.get(layer + 1)?;
                let values = after.iter().map(|key| next.get(key).copied()).collect::<Option<Vec<u32>>>()?;
                values.into_iter().max_by_key(|id| self.model.rank(mover, &rewards[*id as usize - 1]))
            }
        }
    }

    /// Adds a state with all that follows from it; false if that cannot be.
    fn add(&self, solution: &mut Solution, layer: usize, key: &[bool], added: &mut usize) -> bool {
        let Some(table) = solution.layers.get(layer) else { return false };
        if table.contains_key(key) {
            return true;
        }
        *added += 1;
        let Some(step) = self.step(key) else { return false };
        if let Step::Moves(_, after) = &step
            && (*added > 500 || !after.iter().all(|key| self.add(solution, layer + 1, key, added)))
        {
            return false;
        }
        let Some(value) = self.value(solution, layer, key) else { return false };
        solution.layers[layer].insert(key.to_vec(), value);
        true
    }

    /// The values of all layers before one, computed from it.
    fn propagate(&self, solution: &mut Solution, layer: usize) {
        for layer in (0..layer).rev() {
            for key in solution.layers[layer].keys().cloned().collect::<Vec<_>>() {
                let value = self.value(solution, layer, &key).unwrap();
                solution.layers[layer].insert(key, value);
            }
        }
    }

    /// Counts, buckets and totals as the layers are, so that nothing but the layers themselves is wrong.
    fn settle(&self, solution: &mut Solution) {
        let Solution { manifest, layers } = solution;
        let mut distinct = BTreeSet::new();
        let terminal = |key: &&Vec<bool>| matches!(self.step(key), Some(Step::End(_)));
        for (index, (record, table)) in manifest.layers.iter_mut().zip(&*layers).enumerate() {
            distinct.extend(table.keys().cloned());
            if *table == self.right.layers[index] {
                continue;
            }
            record.states = BigUint::from(table.len());
            record.terminal = BigUint::from(table.keys().filter(terminal).count());
            let mut buckets: BTreeMap<&[u8], u64> = BTreeMap::new();
            for value in table.values() {
                *buckets.entry(&manifest.rewards[*value as usize - 1]).or_default() += 1;
            }
            let (all, levels) = (&manifest.rewards, manifest.variables.len());
            let bucket = |(rewards, states): (&[u8], u64)| BucketRecord {
                rewards: Some(rewards.to_vec()),
                states: states.into(),
                nodes: nodes_leading_to(id_of(all, rewards), levels, table),
                plies: Vec::new(),
            };
            record.buckets = Some(buckets.into_iter().map(bucket).collect());
        }
        let sum: BigUint = manifest.layers.iter().map(|layer| &layer.states).sum();
        manifest.states = Some(BigUint::from(distinct.len()));
        manifest.terminal_states = Some(BigUint::from(distinct.iter().filter(terminal).count()));
        manifest.progress_measure = Some(sum == BigUint::from(distinct.len()));
    }

    /// Writes a solution to a folder.
    fn write(&self, solution: &Solution, folder: &Path) {
        super::copy(&self.path, folder);
        let mut manifest = solution.manifest.clone();
        let levels = manifest.variables.len();
        let [states_id, values_id] = [Kind::States, Kind::Values].map(|kind| manifest.file_id(kind).unwrap());
        for (layer, table) in solution.layers.iter().enumerate() {
            if *table != self.right.layers[layer] {
                let record = &mut manifest.layers[layer];
                let states: Table = table.keys().map(|key| (key.clone(), 1)).collect();
                record.states_file = write_layer(folder, false, layer as u32, levels, &states, states_id);
                record.nodes = record.states_file.nodes;
                record.values_file = Some(write_layer(folder, true, layer as u32, levels, table, values_id));
            }
        }
        manifest.save(folder).unwrap();
    }

    /// A layer and a state of it.
    fn any_state(&self, solution: &Solution, random: &mut Random) -> (usize, Vec<bool>) {
        let layer = 1 + random.below(solution.layers.len() - 1);
        let keys: Vec<_> = solution.layers[layer].keys().collect();
        (layer, (*random.choose(&keys).unwrap()).clone())
    }
}

#[derive(Clone)]
enum Step {
    End(Vec<u8>),
    /// The mover, and the states after each of its moves.
    Moves(usize, Vec<Vec<bool>>),
}

/// A fault; false: it cannot be planted there.
type Plant = fn(&Ground, &mut Solution, &mut Random) -> bool;

const FAULTS: [(&str, Plant); 14] = [
    ("a value", |ground, solution, random| {
        let (layer, key) = ground.any_state(solution, random);
        other_value(solution, layer, &key, random) && settled(ground, solution)
    }),
    ("a value, consistent above", |ground, solution, random| {
        let (layer, key) = ground.any_state(solution, random);
        if !other_value(solution, layer, &key, random) {
            return false;
        }
        ground.propagate(solution, layer);
        settled(ground, solution)
    }),
    ("two values exchanged", |_, solution, random| {
        let layer = 1 + random.below(solution.layers.len() - 1);
        let values: Vec<u32> = solution.layers[layer].values().copied().collect();
        let (first, second) = (random.below(values.len()), random.below(values.len()));
        for (place, value) in solution.layers[layer].values_mut().enumerate() {
            if place == first {
                *value = values[second];
            } else if place == second {
                *value = values[first];
            }
        }
        values[first] != values[second]
    }),
    ("a state missing", |ground, solution, random| {
        let (layer, key) = ground.any_state(solution, random);
        solution.layers[layer].len() > 1 && solution.layers[layer].remove(&key).is_some() && settled(ground, solution)
    }),
    ("a terminal state more", |ground, solution, random| {
        extra(ground, solution, random, |step| matches!(step, Step::End(_)))
    }),
    ("states more, closed under moves", |ground, solution, random| {
        extra(ground, solution, random, |step| matches!(step, Step::Moves(..)))
    }),
    ("a state for another", |ground, solution, random| {
        let (layer, key) = ground.any_state(solution, random);
        let (before, length) = (solution.layers[layer].clone(), solution.layers[layer].len());
        for _ in 0..20 {
            let mut other = key.clone();
            let (one, two) = (random.below(other.len()), random.below(other.len()));
            other.swap(one, two);
            if !before.contains_key(&other) {
                let value = solution.layers[layer].remove(&key).unwrap();
                solution.layers[layer].insert(other, value);
                return solution.layers[layer].len() == length && settled(ground, solution);
            }
        }
        false
    }),
    ("bucket counts exchanged", |_, solution, random| {
        let layer = random.below(solution.layers.len());
        let buckets = solution.manifest.layers[layer].buckets.as_mut().unwrap();
        let (one, two) = (random.below(buckets.len()), random.below(buckets.len()));
        let counts = [buckets[one].states.clone(), buckets[two].states.clone()];
        (buckets[one].states, buckets[two].states) = (counts[1].clone(), counts[0].clone());
        counts[0] != counts[1]
    }),
    ("terminal states of a layer", |_, solution, random| {
        let layer = random.below(solution.layers.len());
        let record = &mut solution.manifest.layers[layer];
        let change = BigUint::from(1 + random.below(3));
        record.terminal = &record.terminal + &change;
        // The total goes with it.
        let total = solution.manifest.terminal_states.as_mut().unwrap();
        *total = &*total + change;
        true
    }),
    ("number of distinct states", |_, solution, random| {
        let total = solution.manifest.states.as_mut().unwrap();
        let change = BigUint::from(1 + random.below(3));
        *total = if *total > change { &*total - change } else { &*total + change };
        true
    }),
    ("number of distinct terminal states", |_, solution, random| {
        let total = solution.manifest.terminal_states.as_mut().unwrap();
        *total = &*total + BigUint::from(1 + random.below(3));
        true
    }),
    ("progress_measure", |_, solution, _| {
        let told = solution.manifest.progress_measure.as_mut().unwrap();
        *told = !*told;
        true
    }),
    ("progress_measure with its total", |_, solution, _| {
        let manifest = &mut solution.manifest;
        let told = manifest.progress_measure.unwrap();
        manifest.progress_measure = Some(!told);
        let sum: BigUint = manifest.layers.iter().map(|layer| &layer.states).sum();
        manifest.states = Some(if told { sum - 1u32 } else { sum });
        true
    }),
    ("alternating", |_, solution, random| {
        let manifest = &mut solution.manifest;
        let first = random.below(manifest.layers.len());
        let told = manifest.alternating.unwrap();
        // In order: what does not hold up to a layer does not hold up to a later one.
        for layer in manifest.layers.iter_mut().skip(if told { first } else { 0 }) {
            layer.alternating = !told;
        }
        manifest.alternating = Some(!told);
        true
    }),
];

fn settled(ground: &Ground, solution: &mut Solution) -> bool {
    ground.settle(solution);
    true
}

/// Gives a state another value.
fn other_value(solution: &mut Solution, layer: usize, key: &[bool], random: &mut Random) -> bool {
    let values = solution.manifest.rewards.len();
    let id = solution.layers[layer].get_mut(key).unwrap();
    let other = 1 + random.below(values) as u32;
    let changed = other != *id;
    *id = other;
    changed
}

/// Adds a state that cannot be reached, with all that follows from it.
fn extra(ground: &Ground, solution: &mut Solution, random: &mut Random, wanted: fn(&Step) -> bool) -> bool {
    for _ in 0..30 {
        let (layer, mut key) = ground.any_state(solution, random);
        for _ in 0..1 + random.below(3) {
            let (one, two) = (random.below(key.len()), random.below(key.len()));
            key.swap(one, two);
        }
        if solution.layers[layer].contains_key(&key) || !ground.step(&key).is_some_and(|step| wanted(&step)) {
            continue;
        }
        let mut larger = solution.clone();
        if ground.add(&mut larger, layer, &key, &mut 0) {
            *solution = larger;
            return settled(ground, solution);
        }
    }
    false
}

/// Whether a verification finds something.
fn finds(folder: &Path, options: &Options) -> bool {
    !verify(folder, None, options, &Limits::unlimited(), &Silent).is_ok_and(|found| found.findings.is_empty())
}

#[test]
fn planted_faults_are_found() {
    let wanted: usize = std::env::var("GGSOLVE_FAULTS").map_or(42, |number| number.parse().expect("a number"));
    let mut grounds: Vec<Ground> = Vec::new();
    for name in ["tictactoe", "clobber_1x6", "nim40"] {
        let rules = std::fs::read(shipped(&format!("{name}.gdl"))).unwrap();
        for model in OpponentModel::ALL {
            grounds.extend(Ground::new(name, &rules, model));
        }
    }
    let seeds = if wanted > 100 { 60 } else { 10 };
    for seed in 0..seeds {
        let model = OpponentModel::ALL[seed as usize % 2];
        grounds.extend(Ground::new(&format!("random {seed}"), random_game(seed, None).as_bytes(), model));
    }
    assert!(grounds.len() > 10, "{}", grounds.len());
    // Small bounds make small layers large ones.
    let ordinary = Options { exhaustive: 60, samples: 60, samples_by_value: 20, ..Options::default() };
    let full = Options { full: true, exhaustive: 0, threads: 2, ..Options::default() };
    let mut random = Random::new(5);
    let mut table: BTreeMap<usize, [usize; 3]> = BTreeMap::new();
    let (mut planted, mut tries) = (0, 0);
    while planted < wanted {
        let kind = tries % FAULTS.len();
        tries += 1;
        assert!(tries < 100 * wanted, "faults can be planted");
        let ground = &grounds[random.below(grounds.len())];
        let mut wrong = ground.right.clone();
        if !FAULTS[kind].1(ground, &mut wrong, &mut random) {
            continue;
        }
        planted += 1;
        let folder = tempfile::tempdir().unwrap();
        ground.write(&wrong, folder.path());
        let ranked = tempfile::tempdir().unwrap();
        let place = match random.chance(30) {
            true => {
                copy_ranked(folder.path(), ranked.path(), 1, 0, |layer| layer % 2 == 0);
                ranked.path()
            }
            false => folder.path(),
        };
        let seeded = Options { seed: random.word(), ..ordinary };
        let found = [finds(place, &full), finds(place, &seeded)];
        assert!(found[0], "{}: {} is not found", ground.name, FAULTS[kind].0);
        let row = table.entry(kind).or_default();
        row[0] += 1;
        row[1] += usize::from(found[0]);
        row[2] += usize::from(found[1]);
    }
    println!("{:<38}{:>8}{:>8}{:>10}", "fault", "planted", "--full", "ordinary");
    for (kind, [planted, full, ordinary]) in table {
        println!("{:<38}{planted:>8}{full:>8}{ordinary:>10}", FAULTS[kind].0);
    }
    // Nothing is found where nothing is wrong.
    for ground in &grounds {
        for options in [full, ordinary] {
            let found = verify(&ground.path, None, &options, &Limits::unlimited(), &Silent).unwrap().findings;
            assert_eq!(found, [], "{}", ground.name);
        }
    }
}

/// A fault in the evaluator of the rules, or in the effects of moves, that a solve uses: some condition stands for another
/// one.
fn misjudge(game: &mut Game, random: &mut Random) -> &'static str {
    let fluent = |random: &mut Random, game: &Game| random.below(game.fluents.len());
    match random.below(5) {
        0 => {
            let (one, other) = (fluent(random, game), fluent(random, game));
            game.next[one] = game.next[other];
            "an effect"
        }
        1 => {
            let (one, other) = (random.below(game.moves.len()), random.below(game.moves.len()));
            game.moves[one].legal = game.moves[other].legal;
            "a legal move"
        }
        2 => {
            let goals = &mut game.goals[0];
            let (one, other) = (random.below(goals.len()), random.below(goals.len()));
            let (first, second) = (goals[one].1, goals[other].1);
            (goals[one].1, goals[other].1) = (second, first);
            "a reward"
        }
        3 => {
            game.terminal = game.moves[random.below(game.moves.len())].legal;
            "the end"
        }
        _ => {
            let one = fluent(random, game);
            game.next.swap(one, (one + 1) % game.fluents.len());
            "two effects"
        }
    }
}

/// `verify` does not evaluate rules as the engines do: what they misjudge, it finds.
#[test]
fn faults_in_the_rules_that_a_solve_uses_are_found() {
    let mut texts = vec![std::fs::read_to_string(shipped("clobber_1x6.gdl")).expect("a shipped game")];
    texts.extend((0..12).map(|seed| random_game(seed, None)));
    let full = Options { full: true, exhaustive: 0, ..Options::default() };
    let mut random = Random::new(11);
    let (mut found, mut tries) = (BTreeMap::<&str, usize>::new(), 0);
    while found.values().sum::<usize>() < 50 {
        tries += 1;
        assert!(tries < 2_000, "faults can be planted: {found:?}");
        let text = &texts[random.below(texts.len())];
        let right = game(&program("random", text.as_bytes()));
        let mut wrong = right.clone();
        let kind = misjudge(&mut wrong, &mut random);
        let engine = [EngineChoice::Auto, EngineChoice::Symbolic][random.below(2)];
        let options = SolveOptions { engine, in_turns: true, ..SolveOptions::default() };
        let scene = tempfile::tempdir().unwrap();
        let solved = |game: &Game, name: &str| {
            let folder = scene.path().join(name);
            let mut store =
                Store::open(&folder, subject(text, &options), &Run::default(), &Limits::unlimited().into()).unwrap();
            let limits = Arc::new(Limits::new(1 << 30));
            let outcome = run_stored(game, &options, &mut store, &limits, &Silent).ok()?;
            let buckets = outcome.solution.expect("values were asked for").buckets;
            Some((folder, buckets, outcome.states))
        };
        // Nothing is stored of a game that is refused with the fault.
        let Some((folder, buckets, states)) = solved(&wrong, "wrong") else { continue };
        if finds(&folder, &full) {
            *found.entry(kind).or_default() += 1;
            continue;
        }
        // It makes no difference to what can be reached.
        let (_, right_buckets, right_states) = solved(&right, "right").expect("the game is solved");
        assert_eq!((buckets, states), (right_buckets, right_states), "{kind}: not found in {text}");
    }
    assert!(found.len() >= 4, "{found:?}");
}
