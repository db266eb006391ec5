//! Distances where play goes round are the depth to the end of textbook retrograde analysis: on every state of board games
//! and random games, stored by both ways to solve all states at once, and searched for without stored ones.

use crate::common::explicit::{RetrogradeSolution, retrograde};
use crate::common::sample::boards::{chess_ending, dodgem, hare_and_hounds, quixo};
use crate::common::sample::{random_cyclic_game, random_cyclic_game_of_many, random_graph};
use crate::common::stored::{store, subject};
use crate::common::{game, program, random_games};
use api::verify::{self, verify};
use base::limits::Limits;
use game::reward::OpponentModel;
use kernel::{self, Context, Diagram};
use solving::solution::{Distance, DistanceSearch, Position, Solution, Stored};
use solving::solve::{Algorithm, EngineChoice, ExpansionChoice, Silent, SolveOptions};
use solving::store::{ReadSettled, Run, SettledDiagrams, Store};
use std::path::Path;
use std::sync::Arc;

const MOST: usize = 1_000_000;
/// State by state, by diagrams and by rank.
const WAYS: [(ExpansionChoice, EngineChoice); 3] = [
    (ExpansionChoice::States, EngineChoice::Auto),
    (ExpansionChoice::Relations, EngineChoice::Symbolic),
    (ExpansionChoice::Auto, EngineChoice::Hybrid),
];

fn options(
    opponent_model: OpponentModel,
    (expansion, engine): (ExpansionChoice, EngineChoice),
    distances: bool,
) -> SolveOptions {
    let algorithm = Some(Algorithm::Global);
    SolveOptions { opponent_model, expansion, engine, distances, algorithm, threads: 1, ..SolveOptions::default() }
}

fn solved(name: &str, text: &str, folder: &Path, options: &SolveOptions) -> Solution {
    store(text, folder, options, usize::MAX).unwrap_or_else(|error| panic!("{name}: {error}"));
    Solution::open(folder, &Limits::unlimited()).unwrap()
}

fn proved(name: &str, folder: &Path) {
    let found = verify(folder, None, &verify::Options::default(), &Limits::unlimited(), &Silent).unwrap();
    let found: Vec<String> = found.findings.into_iter().map(|finding| finding.message).collect();
    assert_eq!(found, [""; 0], "{name}");
}

/// In how many states movers who could put the end off take the shortest play instead.
fn yielding(expected: &RetrogradeSolution, plies: &[Option<u32>]) -> usize {
    let (exploration, values) = (&expected.exploration, &expected.values);
    let is = |id: &crate::common::explicit::StateId| {
        let (Some(value), Some(mover)) = (&values[id.index()], exploration.mover(*id)) else { return false };
        let next = exploration.successors(*id).iter().filter(|next| values[next.index()].as_ref() == Some(value));
        let most = next.map(|next| plies[next.index()].unwrap() + 1).max();
        value.iter().any(|&other| other > value[mover.index()]) && plies[id.index()] != most
    };
    exploration.ids().filter(is).count()
}

/// Of a game whose distances were right.
struct Compared {
    /// In how many states movers do not put the end off.
    yielding: usize,
    /// Whether states can repeat.
    cyclic: bool,
}

/// Compares all states, and those of which `some` are searched for without stored distances.
fn compare(name: &str, text: &str, model: OpponentModel, some: usize) -> Compared {
    let rules = game(&program("game", text.as_bytes()));
    let expected = retrograde(&rules, model, MOST).unwrap();
    let (plies, exploration) = (expected.plies(), &expected.exploration);
    let scene = tempfile::tempdir().unwrap();
    let position = |id: crate::common::explicit::StateId| Position {
        layer: expected.distances[id.index()],
        state: exploration.state(id).clone(),
    };
    for (way, by) in WAYS.into_iter().enumerate() {
        let folder = scene.path().join(format!("{way}.ggs"));
        let solution = solved(name, text, &folder, &options(model, by, true));
        for id in exploration.ids() {
            let found = solution.worth(&position(id)).unwrap();
            assert_eq!(found.value, expected.values[id.index()].as_deref(), "{name}");
            assert_eq!(found.plies, plies[id.index()], "{name}, way {way}: {:?}", exploration.state(id).names(&rules));
        }
        if way == 0 {
            proved(name, &folder);
        }
        let line = solution.line(&solution.start(), 0, &Limits::unlimited()).unwrap();
        assert!(plies[0].is_none() || (line.exact && Some(line.steps.len() as u32) == plies[0]), "{name}: the line");
    }
    let folder = scene.path().join("without.ggs");
    let solution = solved(name, text, &folder, &options(model, WAYS[0], false));
    let limits = Limits::unlimited();
    let mut search = DistanceSearch::new(MOST, &limits);
    let every = exploration.len().div_ceil(some.max(1)).max(1);
    for id in exploration.ids().step_by(every) {
        let Some(plies) = plies[id.index()] else { continue };
        let found = search.distance(&solution, &position(id)).unwrap();
        assert_eq!(found, Distance { plies, exact: true }, "{name}: {:?}", exploration.state(id).names(&rules));
        // The whole search from the position alone, too.
        for few in [0, 5, MOST] {
            let found = DistanceSearch::new(few, &limits).distance(&solution, &position(id)).unwrap();
            assert!(found.plies <= plies && (!found.exact || found.plies == plies), "{name}: {found:?}, {plies}");
        }
    }
    let line = solution.line(&solution.start(), MOST, &limits).unwrap();
    assert!(plies[0].is_none() || (line.exact && Some(line.steps.len() as u32) == plies[0]), "{name}: the line");
    println!("{name} under {}: {} states, {:?} plies", model.name(), exploration.len(), plies[0]);
    Compared { yielding: yielding(&expected, &plies), cyclic: exploration.topological_order().is_none() }
}

#[test]
fn random_games_have_the_depth_of_retrograde_analysis() {
    let games = random_games(100);
    let (mut yielding, mut cyclic, mut seeds) = (0, 0, 0..2 * games);
    while cyclic < games {
        let seed = seeds.next().expect("most of the games have cycles");
        let model = OpponentModel::ALL[(seed % 2) as usize];
        let kinds = [("game", random_cyclic_game(seed)), ("of many", random_cyclic_game_of_many(seed))];
        for (kind, text) in kinds.into_iter().chain([("graph", random_graph(seed))]) {
            let compared = compare(&format!("{kind} {seed}"), &text, model, usize::MAX);
            yielding += compared.yielding;
            cyclic += u64::from(compared.cyclic);
        }
    }
    println!("{cyclic} games with cycles of {}; {yielding} states where movers yield", 3 * seeds.start);
    assert!(yielding > 10, "some could put the end off and do not: {yielding}");
}

/// A winner may pass without effect: state 1 leads to itself. Found by a search from the first state alone.
const BACK_TO_ITSELF: &str = "(role white) (role black) (init (at 0))
    (edge black 0 1) (edge black 0 2) (edge white 1 1) (edge white 1 3) (edge white 2 4) (edge white 3 6)
    (edge white 4 7) (edge white 6 8) (edge white 7 5) (edge white 8 5) (end 5)
    (<= (legal ?r (go ?y)) (true (at ?x)) (edge ?r ?x ?y))
    (<= (mover ?r) (true (at ?x)) (edge ?r ?x ?y)) (<= (legal ?r wait) (role ?r) (not (mover ?r)))
    (<= (next (at ?y)) (does ?r (go ?y))) (<= terminal (true (at ?x)) (end ?x))
    (<= (goal white 100) (true (at ?x)) (end ?x)) (<= (goal black 0) (true (at ?x)) (end ?x))";

#[test]
fn a_move_back_to_its_position_is_never_on_the_way_to_the_end() {
    for model in OpponentModel::ALL {
        compare("back to itself", BACK_TO_ITSELF, model, usize::MAX);
    }
}

#[test]
fn small_boards_have_the_depth_of_retrograde_analysis() {
    let boards = [
        ("Dodgem", dodgem(3)),
        ("Hare and Hounds", hare_and_hounds()),
        ("a rook", chess_ending(4, false)),
        ("a queen", chess_ending(4, true)),
    ];
    for (name, text) in boards {
        // Two players with opposite rewards never yield.
        let compared = compare(name, &text, OpponentModel::MaxOwn, 1_000);
        assert!(compared.cyclic && compared.yielding == 0, "{name}");
    }
}

#[test]
fn quixo_has_the_depth_of_retrograde_analysis() {
    assert_eq!(compare("Quixo", &quixo(3), OpponentModel::MaxOwn, 2_000).yielding, 0);
}

/// `cargo test --release --test solve depth -- --ignored`
#[test]
#[ignore = "takes half a minute of processor time in release builds"]
fn dodgem_of_four_rows_has_the_depth_of_retrograde_analysis() {
    assert_eq!(compare("Dodgem", &dodgem(4), OpponentModel::MaxOwn, 500).yielding, 0);
}

#[test]
fn a_winning_move_is_best_only_if_no_other_one_wins_sooner() {
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("a.ggs");
    let solution = solved(
        "Dodgem",
        &dodgem(3),
        &folder,
        &options(OpponentModel::MaxOwn, (ExpansionChoice::Auto, EngineChoice::Auto), true),
    );
    let state = ["(car 1 3 r)", "(car 2 1 r)", "(car 3 1 b)", "(car 2 2 b)", "(turn blue)"].map(str::to_owned);
    let query = solution.query(&solution.position(&state).unwrap(), None).unwrap();
    assert_eq!(query.value, Some(vec![0, 100]));
    let winning: Vec<(u32, bool)> = query
        .moves
        .iter()
        .filter(|option| option.keeps_value)
        .map(|option| (option.plies.unwrap(), option.optimal))
        .collect();
    let least = winning.iter().map(|option| option.0).min();
    assert!(winning.len() > 1 && query.plies == least, "{query}");
    assert!(winning.iter().all(|&(plies, best)| best == (Some(plies) == least)), "{query}");
}

/// By state: the shortest play that keeps the value.
fn shortest(expected: &RetrogradeSolution) -> Vec<Option<u32>> {
    let (exploration, values) = (&expected.exploration, &expected.values);
    let mut plies: Vec<Option<u32>> = exploration.ids().map(|id| exploration.terminal(id).then_some(0)).collect();
    for far in 1..=exploration.len() as u32 {
        for id in exploration.ids().filter(|id| values[id.index()].is_some()) {
            let mut next = exploration.successors(id).iter().filter(|next| values[next.index()] == values[id.index()]);
            if plies[id.index()].is_none() && next.any(|next| plies[next.index()] == Some(far - 1)) {
                plies[id.index()] = Some(far);
            }
        }
    }
    plies
}

/// Each state agrees with those after it, but movers who cannot put the end off take the shortest play.
#[test]
fn distances_of_movers_who_wrongly_do_not_put_the_end_off_are_found() {
    let (model, mut planted) = (OpponentModel::MaxOwn, 0);
    for seed in 0..40 {
        let text = random_graph(seed);
        let expected = retrograde(&game(&program("game", text.as_bytes())), model, MOST).unwrap();
        let (plies, shortest) = (expected.plies(), shortest(&expected));
        let yields = |id: &crate::common::explicit::StateId| {
            expected.values[id.index()].as_ref().is_some_and(|value| model.yields(value))
        };
        let wrong: Vec<_> = expected.exploration.ids().filter(yields).collect();
        if wrong.iter().all(|id| plies[id.index()] == shortest[id.index()]) {
            continue;
        }
        let scene = tempfile::tempdir().unwrap();
        let (folder, options) = (scene.path().join("a.ggs"), options(model, WAYS[0], true));
        store(&text, &folder, &options, usize::MAX).unwrap();
        let codec = Stored::open(&folder, &Limits::unlimited()).unwrap().codec;
        let limits = Arc::new(Limits::unlimited());
        let context = Context::new(limits.clone(), 1);
        let mut store =
            Store::open(&folder, subject(&text, &options), &Run::default(), &Limits::unlimited().into()).unwrap();
        let ReadSettled { outcomes, digits, plies: right } = store.archive().unwrap().read_settled(&limits).unwrap();
        let (mut all, record) = (right.unwrap(), store.settled().unwrap().clone());
        for id in wrong {
            let state = Diagram::single(all.levels(), &codec.assignment(expected.exploration.state(id)).unwrap());
            let state = kernel::renamed(&state, |_| shortest[id.index()].unwrap() + 1, &context).unwrap();
            all = kernel::overlay(&all, &state, &context).unwrap();
        }
        let digits: Vec<&Diagram> = digits.iter().collect();
        let (rounds, base, at_once) = (record.rounds, record.base, record.at_once);
        let settled =
            SettledDiagrams { rounds, base, at_once, outcomes: &outcomes, digits: &digits, plies: Some(&all) };
        store.push_settled(settled, &context).unwrap();
        drop(store);
        let found = verify(&folder, None, &verify::Options::default(), &Limits::unlimited(), &Silent).unwrap();
        let told = found.findings.iter().any(|finding| finding.message.contains("cannot put the end off for ever"));
        assert!(told, "game {seed}: {:?}", found.findings);
        planted += 1;
    }
    assert!(planted > 0);
}
