//! The evaluator of batches against the interpreter, its slow and obvious twin: on all states of small games, on the
//! first ones of larger ones, and on states that cannot be reached.

use crate::common::explicit::{Exploration, explore};
use crate::common::sample::{handmade, random_game};
use crate::common::{corpus, game, ground_file, program, rulesheets};
use base::limits::Limits;
use base::random::Random;
use game::batch::{Coded, Evaluator, LANES, Layout, Plane, Successors};
use game::interpreter::{Interpreter, JointMove, Situation, State, Violation};
use game::mutex::{self, Effort};
use game::propositional::{Game, GroupKind, MoveId, RoleId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Positions by mutex groups, the first fluent of each exactly-one group a default.
fn grouped(game: &Game) -> Layout {
    let groups = mutex::groups(game, &Effort::default(), &Arc::new(Limits::unlimited())).unwrap();
    let (mut positions, mut defaults) = (Vec::new(), Vec::new());
    for group in groups {
        let skipped = usize::from(group.kind == GroupKind::ExactlyOne);
        let start = positions.len() as u32;
        positions.extend(&group.fluents[skipped..]);
        let others: Vec<u32> = (start..positions.len() as u32).collect();
        defaults.extend(group.fluents[..skipped].iter().map(|&fluent| (fluent, others.clone())));
    }
    Layout::new(game.fluents.len(), positions, defaults)
}

/// The same groups as numbers.
fn coded(game: &Game) -> Layout {
    let groups = mutex::groups(game, &Effort::default(), &Arc::new(Limits::unlimited())).unwrap();
    let block = |group: &game::propositional::Group| {
        let (default, fluents) = match group.kind {
            GroupKind::ExactlyOne => (Some(group.fluents[0]), group.fluents[1..].to_vec()),
            GroupKind::AtMostOne => (None, group.fluents.clone()),
        };
        Coded { fluents, default }
    };
    Layout::coded(game.fluents.len(), &groups.iter().map(block).collect::<Vec<_>>())
}

/// Nodes of the graph times joint moves of states that are compared of one game, at most: some seconds.
const WORK: usize = 1 << 31;

/// The first states of a game in breadth-first order: at most `limit`, and fewer where they have very many moves.
fn first_states(game: &Game, limit: usize) -> Vec<State> {
    let interpreter = Interpreter::new(game);
    let mut states = indexmap::IndexSet::from([interpreter.initial()]);
    let (mut next, mut affordable) = (0, WORK / game.graph.len());
    while next < states.len() && next < limit {
        let state = states[next].clone();
        let situation = interpreter.situation(&state);
        let count = if situation.terminal { 0 } else { situation.joint_move_count() };
        match affordable.checked_sub(count) {
            Some(left) => affordable = left,
            None => break,
        }
        if count > 0 && states.len() < limit {
            let joints: Vec<JointMove> = situation.joint_moves().take(limit).collect();
            let pairs: Vec<_> = joints.iter().map(|joint| (&state, joint.as_slice())).collect();
            let mut found = Vec::new();
            interpreter.successors(&pairs, &mut found);
            states.extend(found);
        }
        next += 1;
    }
    states.into_iter().take(next).collect()
}

/// What the evaluator says of a batch, lane by lane, must be what the interpreter says.
fn compare(name: &str, game: &Game, layout: &Layout, evaluator: &mut Evaluator, states: &[State]) {
    let interpreter = Interpreter::new(game);
    let (mut situations, mut joints, mut found) = (Vec::new(), Vec::new(), Successors::default());
    interpreter.situations(&states.iter().collect::<Vec<_>>(), &mut situations);
    let packed: Vec<u64> = states.iter().flat_map(|state| layout.pack(state).unwrap()).collect();
    for state in states {
        assert_eq!(layout.state(&layout.pack(state).unwrap()), *state, "{name}");
    }
    evaluator.load(&packed);
    assert_eq!(evaluator.lanes(), states.len());
    let (faults, terminal) = (evaluator.faults(), evaluator.terminal());
    for (lane, situation) in situations.iter().enumerate() {
        assert_eq!(terminal.get(lane), situation.terminal, "{name} {lane}");
        for (index, action) in game.moves.iter().enumerate() {
            let legal = situation.legal[action.role.index()].contains(&MoveId(index as u32));
            assert_eq!(evaluator.legal(MoveId(index as u32)).get(lane), legal, "{name} {lane}");
        }
        for role in (0..game.roles.len() as u32).map(RoleId) {
            let choice = !situation.terminal && situation.legal[role.index()].len() > 1;
            assert_eq!(evaluator.choice(role).get(lane), choice, "{name} {lane}");
            let rewards = evaluator.rewards().filter(|(of, _, plane)| *of == role && plane.get(lane));
            let rewards: Vec<u8> = rewards.map(|(_, reward, _)| reward).collect();
            let goals: &[u8] = if situation.terminal { &situation.goals[role.index()] } else { &[] };
            assert_eq!(rewards, goals, "{name} {lane}");
        }
        // The first fault in the order of the interpreter may hide others of its kind only.
        let goals =
            |many: bool| situation.goals.iter().any(|goals| if many { goals.len() > 1 } else { goals.is_empty() });
        let expected = match situation.turn() {
            Ok(_) => [false; 4],
            Err(Violation::Goals { .. }) => [goals(false), goals(true), false, false],
            Err(Violation::NoMove(_)) => [false, false, true, false],
            Err(Violation::Simultaneous(..)) => [false, false, false, true],
        };
        let planes = [faults.no_goal, faults.two_goals, faults.no_move, faults.two_movers];
        assert_eq!(planes.map(|plane| plane.get(lane)), expected, "{name} {lane}");
    }
    // Successors: the same joint moves in the same order, and the same states.
    let joint_moves = |situation: &Situation| -> Vec<JointMove> {
        if situation.terminal { Vec::new() } else { situation.joint_moves().collect() }
    };
    evaluator.joint_moves(Plane::first(LANES), &mut joints);
    let mut left: Vec<_> = situations.iter().map(|situation| joint_moves(situation).into_iter()).collect();
    for (id, lanes) in &joints {
        evaluator.successors(*id, lanes, &mut found);
        let joint = evaluator.joint(*id).clone();
        let mut next = found.states.chunks(layout.words());
        let pairs: Vec<_> = lanes.lanes().map(|lane| (&states[lane], joint.as_slice())).collect();
        let mut expected = Vec::new();
        interpreter.successors(&pairs, &mut expected);
        for (lane, expected) in lanes.lanes().zip(&expected) {
            assert_eq!(left[lane].next().as_ref(), Some(&joint), "{name} {lane}");
            let packed = next.next().unwrap();
            assert_eq!(found.unfit.get(lane), layout.pack(expected).is_none(), "{name} {lane}");
            if !found.unfit.get(lane) {
                assert_eq!(layout.state(packed), *expected, "{name} {lane}");
            }
        }
        assert!(next.next().is_none() && (found.unfit & !*lanes).is_none(), "{name}");
    }
    assert!(left.iter_mut().all(|joints| joints.next().is_none()), "{name}");
    // The same as pairs: by state, all its joint moves in their order.
    let joints = states
        .iter()
        .zip(&situations)
        .flat_map(|(state, situation)| joint_moves(situation).into_iter().map(move |joint| (state, joint)));
    let mut left = joints.collect::<Vec<_>>().into_iter();
    let visited = evaluator.each_pair(true, &mut found, |pairs, found| {
        assert!(!pairs.lanes.is_empty() && pairs.lanes.len() <= LANES, "{name}");
        assert_eq!(found.states.len(), pairs.lanes.len() * layout.words(), "{name}");
        for (pair, packed) in found.states.chunks(layout.words()).enumerate() {
            let (state, joint) = left.next().unwrap();
            assert_eq!((&states[pairs.lanes[pair]], pairs.joint(pair)), (state, joint.clone()), "{name}");
            let expected = interpreter.successor(state, &joint);
            assert_eq!(found.unfit.get(pair), layout.pack(&expected).is_none(), "{name}");
            if !found.unfit.get(pair) {
                assert_eq!(layout.state(packed), expected, "{name}");
            }
        }
        assert!((found.unfit & !Plane::first(pairs.lanes.len())).is_none(), "{name}");
        Ok::<(), ()>(())
    });
    assert!(visited.is_ok() && left.next().is_none(), "{name}");
}

fn compare_states(name: &str, game: &Game, layout: &Layout, states: &[State]) {
    let mut evaluator = Evaluator::new(game, layout);
    // Full batches and such that end somewhere.
    for (batch, lanes) in [LANES, 1, 63, 64, 65, 200].into_iter().cycle().scan(0, |start, lanes| {
        let first = *start;
        *start += lanes;
        Some((first, lanes))
    }) {
        let Some(rest) = states.get(batch..).filter(|rest| !rest.is_empty()) else { break };
        compare(name, game, layout, &mut evaluator, &rest[..lanes.min(rest.len())]);
    }
}

fn states_of(exploration: &Exploration) -> Vec<State> {
    exploration.ids().map(|id| exploration.state(id).clone()).collect()
}

#[test]
fn handmade_games_agree() {
    for (name, game) in [("lines", handmade::lines(3, 3, 3)), ("nim", handmade::nim(9, 3))] {
        let states = states_of(&explore(&game, 100_000).unwrap());
        compare_states(name, &game, &Layout::of_all(&game), &states);
        compare_states(name, &game, &grouped(&game), &states);
        compare_states(name, &game, &coded(&game), &states);
    }
}

#[test]
fn random_games_agree_ill_formed_states_included() {
    for seed in 0..60 {
        let game = game(&program("random", random_game(seed, None).as_bytes()));
        let states = first_states(&game, 3_000);
        compare_states("random", &game, &Layout::of_all(&game), &states);
        compare_states("random", &game, &grouped(&game), &states);
        compare_states("random", &game, &coded(&game), &states);
        // Any set of fluents: no role, or two, may move; rewards clash.
        let mut random = Random::new(seed);
        let any = |_| State::from_flags(&game.fluents.iter().map(|_| random.chance(30)).collect::<Vec<_>>());
        let any: Vec<State> = (0..700).map(any).collect();
        compare_states("random", &game, &Layout::of_all(&game), &any);
    }
}

#[test]
fn successors_that_packed_states_cannot_tell_are_seen() {
    let mut unfit = 0;
    for seed in 0..40 {
        let game = game(&program("random", random_game(seed, None).as_bytes()));
        // Defaults that are none: the first fluent of three holds where the others do not.
        let fluents: Vec<_> = game.fluent_ids().collect();
        let triples: BTreeMap<u32, _> = (0..).zip(fluents.chunks_exact(3)).collect();
        let mut positions: Vec<_> = fluents.chunks_exact(3).flat_map(|triple| triple[1..].to_vec()).collect();
        positions.extend(fluents.chunks_exact(3).remainder());
        let defaults = triples.into_iter().map(|(k, triple)| (triple[0], vec![2 * k, 2 * k + 1])).collect();
        let of_triples = Layout::new(fluents.len(), positions, defaults);
        // Blocks that are none: at most one of five holds, or exactly one.
        let block = |(index, five): (usize, &[_])| match index % 2 {
            0 => Coded { fluents: five.to_vec(), default: None },
            _ => Coded { fluents: five[1..].to_vec(), default: Some(five[0]) },
        };
        let of_fives = Layout::coded(fluents.len(), &fluents.chunks(5).enumerate().map(block).collect::<Vec<_>>());
        let mut random = Random::new(seed);
        for layout in [of_triples, of_fives] {
            let any = |_| State::from_flags(&fluents.iter().map(|_| random.chance(15)).collect::<Vec<_>>());
            let states: Vec<State> = (0..6_000).map(any).filter(|state| layout.pack(state).is_some()).collect();
            compare_states("random", &game, &layout, &states[..states.len().min(600)]);
            let interpreter = Interpreter::new(&game);
            for state in states.iter().take(600) {
                let situation = interpreter.situation(state);
                let joints = situation.joint_moves().take(usize::from(!situation.terminal) * 9);
                unfit += joints.filter(|joint| layout.pack(&interpreter.successor(state, joint)).is_none()).count();
            }
        }
    }
    assert!(unfit > 1000, "{unfit}");
}

/// Who bids of a hundred coins each has ten thousand joint moves, each of which is met in few states.
#[test]
fn joint_moves_that_are_many_are_evaluated_as_pairs() {
    let numbers: String = (0..40).map(|n| format!("(number {n}) ")).collect();
    let rules = format!(
        "(role a) (role b) (init (at 0 0)) {numbers}
         (<= (legal ?r (bid ?n)) (role ?r) (number ?n))
         (<= (next (at ?m ?n)) (does a (bid ?m)) (does b (bid ?n)))
         (<= terminal (true (at 39 39))) (goal a 50) (goal b 50)"
    );
    let game = game(&program("bids", rules.as_bytes()));
    let states = first_states(&game, 700);
    for layout in [Layout::of_all(&game), coded(&game)] {
        let mut evaluator = Evaluator::new(&game, &layout);
        compare("bids", &game, &layout, &mut evaluator, &states[..3]);
        // In turns nobody has as many moves.
        assert!(!evaluator.prefers_pairs());
        evaluator.allow_joint_choices();
        assert!(evaluator.prefers_pairs());
    }
}

#[test]
fn shipped_games_agree_on_their_first_states() {
    let files = crate::common::all_shipped();
    assert!(files.len() > 20);
    for file in files {
        let game = ground_file(&file);
        compare_states(&file.to_string_lossy(), &game, &Layout::of_all(&game), &first_states(&game, 1_500));
    }
}

/// On all public rulesheets that can be read within a bound of memory, the first 20,000 states of each, or those that
/// some seconds suffice for:
/// `cargo test --release --test rules batch -- --ignored`.
#[test]
#[ignore = "takes minutes"]
fn public_games_agree() {
    let Some(folder) = corpus() else { return };
    let (mut compared, mut states) = (0, 0);
    for file in rulesheets(&folder) {
        let text = std::fs::read(&file).unwrap();
        let source = game::diagnostic::Source::new(file.to_string_lossy(), &text);
        let (Some(program), _) = game::rules::gdl::program(&source) else { continue };
        let options = game::ground::GroundOptions::default();
        let Ok(grounding) = game::ground::ground(&program, &Limits::new(2 << 30), &options) else {
            continue;
        };
        let first = first_states(&grounding.game, 20_000);
        let name = file.file_name().unwrap().to_string_lossy();
        println!("{name}: {} states", first.len());
        compare_states(&name, &grounding.game, &Layout::of_all(&grounding.game), &first);
        compared += 1;
        states += first.len();
    }
    println!("{compared} games, {states} states");
    assert!(compared > 150, "{compared}");
}
