//! States a second that the interpreter and the evaluator of batches expand, all successors made, and that the explicit
//! engine expands with states packed by groups, successors sorted and without duplicates:
//! `cargo run --release --example rates -- games/connect4_5x5.gdl …`. The states are the first ones of each game in
//! breadth-first order, many times over, on one thread.

use base::limits::Limits;
use game::batch::{Coded, Evaluator, LANES, Layout, Plane, Successors};
use game::diagnostic::Source;
use game::ground::{GroundOptions, ground};
use game::interpreter::{Interpreter, JointMove, State};
use game::mutex::{Effort, Guess};
use game::propositional::{Game, GroupKind};
use game::rules::Language;
use kernel::Context;
use solving::listing::{Collector, Engine};
use std::sync::Arc;
use std::time::Instant;

/// States of a sample.
const STATES: usize = 50_000;
/// Seconds that each is measured, at least.
const SECONDS: f64 = 1.0;

fn main() {
    println!(
        "{:<24} {:>8} {:>10} {:>14} {:>14} {:>14} {:>7}",
        "game", "states", "moves each", "interpreter/s", "batch/s", "explicit/s", "ratio"
    );
    for path in std::env::args().skip(1) {
        let text = std::fs::read(&path).expect("a rulesheet can be read");
        let source = Source::new(path.clone(), &text);
        let program = Language::of(path.as_ref(), &String::from_utf8_lossy(&text))
            .program(&source)
            .0
            .expect("rules without errors");
        let game = ground(&program, &Limits::unlimited(), &GroundOptions::default()).expect("a game").game;
        let interpreter = Interpreter::new(&game);
        let mut states = indexmap::IndexSet::from([interpreter.initial()]);
        let mut next = 0;
        while next < states.len() && states.len() < STATES {
            let batch: Vec<State> = states.iter().skip(next).take(256).cloned().collect();
            next += batch.len();
            states.extend(plainly(&interpreter, &batch));
        }
        let states: Vec<State> = states.into_iter().take(STATES).collect();
        let (plain, moves) = rate(states.len(), || plainly(&interpreter, &states).len());
        let (fast, again) = rate(states.len(), {
            let (game, states) = (&game, &states);
            let layout = Layout::of_all(game);
            let packed: Vec<u64> = states.iter().flat_map(|state| layout.pack(state).expect("no defaults")).collect();
            move || in_batches(game, &layout, &packed)
        });
        assert_eq!(moves, again, "both find the same successors");
        let (listed, once_more) = rate(states.len(), {
            let mut expand = listed(&game, &states);
            move || expand()
        });
        assert_eq!(moves, once_more, "all find the same successors");
        let (name, each) = (path.rsplit('/').next().unwrap_or(&path), moves as f64 / states.len() as f64);
        let ratio = listed / plain;
        println!("{name:<24} {:>8} {each:>10.1} {plain:>14.0} {fast:>14.0} {listed:>14.0} {ratio:>7.1}", states.len());
    }
}

/// States a second, and what the work found.
fn rate(states: usize, mut work: impl FnMut() -> usize) -> (f64, usize) {
    let start = Instant::now();
    let mut rounds = 0;
    loop {
        let found = work();
        rounds += 1;
        let seconds = start.elapsed().as_secs_f64();
        if seconds >= SECONDS {
            return ((rounds * states) as f64 / seconds, found);
        }
    }
}

/// All successors, by the interpreter.
fn plainly(interpreter: &Interpreter, states: &[State]) -> Vec<State> {
    let mut successors = Vec::new();
    for batch in states.chunks(256) {
        let mut situations = Vec::new();
        interpreter.situations(&batch.iter().collect::<Vec<_>>(), &mut situations);
        let moves: Vec<(usize, JointMove)> = (situations.iter().enumerate())
            .filter(|(_, situation)| !situation.terminal)
            .flat_map(|(index, situation)| situation.joint_moves().map(move |joint| (index, joint)))
            .collect();
        let pairs: Vec<_> = moves.iter().map(|(index, joint)| (&batch[*index], joint.as_slice())).collect();
        interpreter.successors(&pairs, &mut successors);
    }
    successors
}

/// Makes all successors in batches; how many there are.
fn in_batches(game: &Game, layout: &Layout, packed: &[u64]) -> usize {
    let mut evaluator = Evaluator::new(game, layout);
    let (mut joints, mut found, mut count) = (Vec::new(), Successors::default(), 0);
    for batch in packed.chunks(LANES * layout.words()) {
        evaluator.load(batch);
        evaluator.joint_moves(Plane::first(LANES), &mut joints);
        for (id, lanes) in &joints {
            evaluator.successors(*id, lanes, &mut found);
            count += found.states.len() / layout.words();
        }
    }
    count
}

/// Expands all states by the explicit engine; how many successors there are before duplicates are removed.
fn listed<'g>(game: &'g Game, states: &[State]) -> impl FnMut() -> usize + use<'g> {
    let Guess { groups, .. } = Guess::new(game, &Effort::default(), &Limits::unlimited()).expect("no limit");
    let blocks: Vec<Coded> = (groups.into_iter())
        .map(|mut group| {
            let default = (group.kind == GroupKind::ExactlyOne).then(|| group.fluents.remove(0));
            Coded { fluents: group.fluents, default }
        })
        .collect();
    let layout = Layout::coded(game.fluents.len(), &blocks);
    let context = Context::new(Arc::new(Limits::unlimited()), 1);
    let mut list = Collector::new(layout.words(), context.limits());
    for state in states {
        list.extend(&layout.pack(state).expect("groups that the first states agree with")).expect("no limit");
    }
    let list = list.take().expect("no limit");
    let mut engine = Engine::new(game, layout, Vec::new());
    move || {
        let mut expanded = engine.expansion(false, &context);
        engine.expand(list.keys(), &mut expanded, &context).expect("no limit");
        assert!(!expanded.take().expect("no limit").is_empty());
        expanded.met.edges as usize
    }
}
