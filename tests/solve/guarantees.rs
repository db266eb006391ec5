//! What roles can force against all others together, and where ties decide, against brute force: by every engine and algorithm, in folders that are
//! opened again, verified and gone on with; and what is published of Nim for three players.

use crate::common::explicit::{self, Exploration, guarantee, states_by_layer};
use crate::common::sample::{
    random_cyclic_game, random_cyclic_game_of_many, random_game, random_game_of_many, random_graph_with_ties,
};
use crate::common::{random_games, shipped};
use api::verify::{Claim, How};
use game::propositional::RoleId;
use ggsolve::session::RunReport;
use ggsolve::{
    Algorithm, Destination, ErrorKind, Limits, OpponentModel, Position, Session, Solution, SolveOptions, Source,
    VerifyOptions,
};
use kernel::Way;
use num_bigint::BigUint;
use solving::solve::{EngineChoice, ExpansionChoice};
use solving::store::{Manifest, guarantee_folder};
use std::collections::BTreeMap;
use std::path::Path;
use tempfile::TempDir;

/// Ways through the solver.
const ENGINES: [(ExpansionChoice, EngineChoice, Option<Way>); 5] = [
    (ExpansionChoice::Auto, EngineChoice::Auto, None),
    (ExpansionChoice::Relations, EngineChoice::Symbolic, None),
    (ExpansionChoice::States, EngineChoice::Auto, None),
    (ExpansionChoice::Relations, EngineChoice::Hybrid, Some(Way::Program)),
    (ExpansionChoice::Both, EngineChoice::Auto, None),
];

/// The values under a model and what each role can force, by state.
struct Expected {
    exploration: Exploration,
    values: Vec<Option<Vec<u8>>>,
    guarantees: Vec<Vec<Option<u8>>>,
    /// By layer; where layers do not end, by distance.
    layers: Vec<Vec<explicit::StateId>>,
    /// States, each in each of these, where the mover has another move to a value of the same criterion.
    ties: u64,
}

fn expected(name: &str, text: &str, model: OpponentModel, roles: usize, global: bool) -> Option<Expected> {
    let game = crate::common::game(&crate::common::program(name, text.as_bytes()));
    let solution = explicit::retrograde(&game, model, 20_000).ok()?;
    let guarantees = (0..roles as u32).map(|role| guarantee(&solution.exploration, RoleId(role))).collect();
    let layers = if global {
        let last = *solution.distances.iter().max().expect("there is a state");
        let at =
            |distance| solution.exploration.ids().filter(|id| solution.distances[id.index()] == distance).collect();
        (0..=last).map(at).collect()
    } else {
        states_by_layer(&solution.exploration)
    };
    let (exploration, values) = (solution.exploration, solution.values);
    let decided = |id: &&explicit::StateId| {
        let Some(mover) = exploration.mover(**id) else { return false };
        let nothing = vec![0; roles];
        let criterion = |value: &Option<Vec<u8>>| model.criterion(mover.index(), value.as_deref().unwrap_or(&nothing));
        let own = &values[id.index()];
        let mut after = exploration.successors(**id).iter().map(|next| &values[next.index()]);
        after.any(|value| value != own && criterion(value) == criterion(own))
    };
    let ties = layers.iter().flatten().filter(decided).count() as u64;
    Some(Expected { values, exploration, guarantees, layers, ties })
}

/// Every state's guarantees as they are read from a folder, and the buckets of the report.
fn compare(name: &str, expected: &Expected, report: &RunReport, solution: &Solution) {
    assert_eq!(report.ties, Some(expected.ties.into()), "{name}: ties");
    for (layer, ids) in expected.layers.iter().enumerate() {
        for &id in ids {
            let state = expected.exploration.state(id).clone();
            let value = expected.values[id.index()].as_deref();
            let found = solution.guarantees(&Position { layer: layer as u32, state }, value).unwrap();
            assert_eq!(found.len(), expected.guarantees.len(), "{name}");
            for ((role, found), expected) in found.values().enumerate().zip(&expected.guarantees) {
                let own = expected[id.index()];
                assert_eq!((found.value, found.forced), (own, own == value.map(|v| v[role])), "{name}: role {role}");
            }
        }
    }
    for (role, (found, own)) in report.guarantees.values().zip(&expected.guarantees).enumerate() {
        let mut buckets: BTreeMap<Option<Vec<u8>>, BigUint> = BTreeMap::new();
        let mut forced = BigUint::ZERO;
        for id in expected.layers.iter().flatten() {
            let reward = own[id.index()];
            *buckets.entry(reward.map(|reward| vec![reward])).or_default() += 1u32;
            forced += u32::from(reward == expected.values[id.index()].as_ref().map(|value| value[role]));
        }
        let open = buckets.values().sum::<BigUint>() - &forced;
        assert_eq!(found.value, own[0], "{name}: role {role}");
        assert_eq!((&found.forced, &found.open), (&Some(forced), &Some(open)), "{name}: role {role}");
        let found: BTreeMap<_, _> =
            found.buckets.iter().map(|bucket| (bucket.rewards.clone(), bucket.states.clone())).collect();
        assert_eq!(found, buckets, "{name}: role {role}");
    }
}

fn session() -> Session {
    Session::new(Limits::new(4 << 30))
}

/// Solves into a new folder.
fn solved(text: &str, options: &SolveOptions, scene: &TempDir) -> Option<RunReport> {
    let session = session();
    let rules = session.load(Source::new("game", text.as_bytes()));
    let destination = Destination::Folder { folder: scene.path().join("solution"), force: false };
    session.solve(&rules, options, &destination).ok()
}

fn verified(folder: &Path) {
    let report = session().verify(folder, None, &VerifyOptions { full: true, ..VerifyOptions::default() }).unwrap();
    assert!(report.ok && report.complete && !report.guarantees.is_empty(), "{report}");
    assert!(
        report.guarantees.values().all(|shown| shown.iter().any(|found| found == (Claim::Forced, How::Proved))),
        "{report}"
    );
}

/// A count in a manifest.
type Count = fn(&mut Manifest) -> &mut Option<BigUint>;

/// Counts of ties and of what is forced that are not those of the values are found, where every state is looked at.
fn finds_wrong_counts(folder: &Path) {
    let how = |options: &VerifyOptions, claim: Claim| -> How {
        let report = session().verify(folder, None, options).unwrap();
        assert!(report.ok, "{report}");
        let shown = report.claims.iter().chain(report.guarantees.values().flat_map(|shown| shown.iter()));
        shown.filter(|(other, _)| *other == claim).map(|(_, how)| how).max().expect("it was counted")
    };
    let (all, some) = (
        VerifyOptions::default(),
        VerifyOptions { exhaustive: 0, samples: 20, samples_by_value: 5, ..VerifyOptions::default() },
    );
    assert_eq!((how(&all, Claim::Ties), how(&all, Claim::Forced)), (How::Proved, How::Proved));
    // Values of layers are compared without the rules.
    let by_layers = !Manifest::load(folder).unwrap().is_global();
    let forced = if by_layers { How::Proved } else { How::Open };
    assert_eq!((how(&some, Claim::Ties), how(&some, Claim::Forced)), (How::Open, forced));
    let own = guarantee_folder(folder, 0);
    let counts: [(&Path, Count, &str); 2] = [
        (folder, |manifest| &mut manifest.ties, "states in which a tie decides"),
        (&own, |manifest| &mut manifest.forced, "states from which it can force what it gets"),
    ];
    for (folder_of, field, told) in counts {
        let right = Manifest::load(folder_of).unwrap();
        let mut wrong = right.clone();
        *field(&mut wrong).as_mut().expect("it was counted") += 1u32;
        wrong.save(folder_of).unwrap();
        let report = session().verify(folder, None, &VerifyOptions::default()).unwrap();
        assert!(report.findings.len() == 1 && report.findings[0].message.contains(told), "{report}");
        right.save(folder_of).unwrap();
    }
}

/// By one way through the solver; false if the solver refuses the game.
fn check(name: &str, text: &str, seed: u64, algorithm: Option<Algorithm>) -> bool {
    let (expansion, engine, way) = ENGINES[(seed % ENGINES.len() as u64) as usize];
    let opponent_model = OpponentModel::ALL[(seed / 5 % 2) as usize];
    let name = format!("{name}, {algorithm:?}, {expansion:?}, {engine:?}, {}", opponent_model.name());
    let all = vec!["all".to_owned()];
    let options = SolveOptions {
        opponent_model,
        guarantees: all,
        ties: true,
        expansion,
        engine,
        way,
        algorithm,
        ..SolveOptions::default()
    };
    let scene = tempfile::tempdir().unwrap();
    let Some(report) = solved(text, &options, &scene) else { return false };
    let global = report.algorithm == Algorithm::Global;
    let expected = expected(&name, text, opponent_model, report.roles.len(), global).expect("it was solved");
    let folder = scene.path().join("solution");
    compare(&name, &expected, &report, &session().open(&folder).unwrap());
    verified(&folder);
    finds_wrong_counts(&folder);
    let again = solved(text, &options, &scene).unwrap();
    assert!(again.from_disk, "{name}");
    assert_eq!(again.guarantees, report.guarantees, "{name}");
    true
}

#[test]
fn guarantees_of_random_games_are_those_of_brute_force() {
    let mut solved = 0;
    for seed in 0..random_games(20) {
        let text = if seed % 3 == 0 { random_game(seed, None) } else { random_game_of_many(seed, None) };
        let algorithm = (seed % 4 == 3).then_some(Algorithm::Global);
        solved += u64::from(check(&format!("random game {seed}"), &text, seed, algorithm));
    }
    assert!(solved * 2 > random_games(20), "{solved}");
}

#[test]
fn guarantees_of_games_that_may_go_on_for_ever_are_those_of_brute_force() {
    let mut solved = 0;
    for seed in 0..random_games(12) {
        let text = if seed % 2 == 0 { random_cyclic_game(seed) } else { random_cyclic_game_of_many(seed) };
        solved += u64::from(check(&format!("cyclic random game {seed}"), &text, seed, None));
    }
    assert!(solved > 0);
}

/// A mover may settle for a value before another move turns out to give it as much, and others less.
#[test]
fn ties_of_games_that_go_round_are_those_of_brute_force() {
    let mut unlike = 0;
    for seed in 0..random_games(200) {
        let text = random_graph_with_ties(seed);
        let opponent_model = OpponentModel::ALL[(seed % 2) as usize];
        let scene = tempfile::tempdir().unwrap();
        let algorithm = Some(Algorithm::Global);
        let options = SolveOptions { opponent_model, ties: true, algorithm, ..SolveOptions::default() };
        let Some(report) = solved(&text, &options, &scene) else { continue };
        let name = format!("graph {seed}, {}", opponent_model.name());
        let expected = expected(&name, &text, opponent_model, report.roles.len(), true).expect("it was solved");
        assert_eq!(report.ties, Some(expected.ties.into()), "{name}");
        let verified = session().verify(&scene.path().join("solution"), None, &VerifyOptions::default()).unwrap();
        assert!(
            verified.ok && verified.claims.iter().any(|found| found == (Claim::Ties, How::Proved)),
            "{name}: {verified}"
        );
        unlike += expected.ties;
    }
    assert!(unlike > 0);
}

/// A run that is stopped between two layers of a guarantee goes on there, and comes to the same.
#[test]
fn guarantees_go_on_from_what_is_stored() {
    use ggsolve::{Event, Listener};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Stop(Arc<Limits>, AtomicUsize);
    impl Listener for Stop {
        fn event(&self, event: &Event) {
            if let Event::LayerFinished { .. } = event
                && self.1.fetch_sub(1, Ordering::SeqCst) == 1
            {
                self.0.interrupt();
            }
        }
    }

    let text = std::fs::read_to_string(shipped("nim3.gdl")).unwrap();
    let options = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let scene = tempfile::tempdir().unwrap();
    let whole = solved(&text, &options, &scene).unwrap();
    let other = tempfile::tempdir().unwrap();
    let destination = Destination::Folder { folder: other.path().join("solution"), force: false };
    let mut stops = 0;
    let layers = whole.layers.len();
    // In the values of the solution, of the first guarantee, of the last one.
    for after in [layers + 3, layers, layers + 4] {
        let limits = Arc::new(Limits::new(4 << 30));
        let stop = Arc::new(Stop(limits.clone(), AtomicUsize::new(after)));
        let session = Session::with(limits, stop);
        let rules = session.load(Source::new("game", text.as_bytes()));
        stops += u32::from(session.solve(&rules, &options, &destination).is_err());
    }
    assert!(stops >= 2, "{stops}");
    let gone_on = solved(&text, &options, &other).unwrap();
    assert_eq!((&gone_on.guarantees, &gone_on.buckets), (&whole.guarantees, &whole.buckets));
    verified(&other.path().join("solution"));
}

/// A run that adds guarantees to a finished solution is one of its runs, and its time counts.
#[test]
fn runs_that_make_guarantees_are_recorded() {
    let text = std::fs::read_to_string(shipped("nim3.gdl")).unwrap();
    let scene = tempfile::tempdir().unwrap();
    let [plain, one, all] = ["", "all", "all"].map(|roles| {
        let guarantees = if roles.is_empty() { Vec::new() } else { vec![roles.to_owned()] };
        solved(&text, &SolveOptions { guarantees, ..SolveOptions::default() }, &scene).unwrap()
    });
    let counts = [&plain, &one, &all].map(|report| (report.runs.len(), report.from_disk));
    assert_eq!(counts, [(1, false), (2, false), (2, true)]);
    let total = |report: &RunReport| report.time_s.0.as_ref().unwrap()["total"].as_f64();
    assert!(total(&plain) < total(&one) && total(&one) == total(&all));
    assert!(one.runs[1].finished && one.runs[1].options["guarantee"] == "all", "{:?}", one.runs[1]);
    verified(&scene.path().join("solution"));
    // With the solution itself it is one run.
    let other = tempfile::tempdir().unwrap();
    let options = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    assert_eq!(solved(&text, &options, &other).unwrap().runs.len(), 1);
    assert_eq!(solved(&text, &options, &other).unwrap().runs.len(), 1);
}

#[test]
fn what_is_not_stored_is_the_same() {
    let session = session();
    let rules = session.load_file(&shipped("tictactoe.gdl")).unwrap();
    let options = SolveOptions { guarantees: vec!["oplayer".to_owned()], ..SolveOptions::default() };
    let report = session.solve(&rules, &options, &Destination::Nowhere("the test".to_owned())).unwrap();
    // Of a zero-sum game of two, everything is forced.
    let found = &report.guarantees["oplayer"];
    assert_eq!((found.value, &found.forced, &found.open), (Some(50), &Some(5478u32.into()), &Some(0u32.into())));
    let own = |bucket: &solving::solve::Bucket| (bucket.rewards.as_ref().map(|r| vec![r[1]]), bucket.states.clone());
    let mut expected: Vec<_> = report.buckets.iter().flatten().map(own).collect();
    expected.sort();
    let buckets: Vec<_> = found.buckets.iter().map(|bucket| (bucket.rewards.clone(), bucket.states.clone())).collect();
    assert_eq!(buckets, expected);
    let unknown = SolveOptions { guarantees: vec!["nobody".to_owned()], ..SolveOptions::default() };
    let refused = session.solve(&rules, &unknown, &Destination::Nowhere("the test".to_owned())).unwrap_err();
    assert!(refused.to_string().contains("xplayer, oplayer"), "{refused}");
}

/// The heaps of a position of Nim.
fn heaps(state: &[String]) -> Vec<u32> {
    let heap = |fluent: &String| {
        let words = fluent.strip_prefix("(heap ")?.strip_suffix(')')?;
        words.split(' ').nth(1)?.parse().ok()
    };
    state.iter().filter_map(heap).collect()
}

/// S.-Y. R. Li, "N-person Nim and N-person Moore's games", International Journal of Game Theory 7, 1978: where each player
/// is paid by how lately it moved, the player in turn gets nothing exactly if the binary digits of the heaps add up to 0
/// modulo the number of players in every place.
#[test]
fn nim_of_three_players_is_lost_where_the_digits_add_up_to_multiples_of_three() {
    let text = common_generate("nim3 ranked 5 4 3");
    let session = session();
    let rules = session.load(Source::new("nim", text.as_bytes()));
    let solution = session.solution(&rules, &SolveOptions::default()).unwrap();
    let roles = ["first", "second", "third"];
    let (mut lost, mut all) = (0, 0);
    let mut layer = vec![solution.start()];
    while !layer.is_empty() {
        let mut next: Vec<Position> = Vec::new();
        for position in &layer {
            let query = solution.query(position, None).unwrap();
            if query.terminal {
                continue;
            }
            let heaps = heaps(&query.state);
            let zero = (0..3).all(|bit| heaps.iter().map(|heap| heap >> bit & 1).sum::<u32>() % 3 == 0);
            let mover = roles.iter().position(|role| query.state.contains(&format!("(control {role})"))).unwrap();
            assert_eq!(query.value.as_ref().unwrap()[mover] == 0, zero, "{heaps:?}");
            lost += u32::from(zero);
            all += 1;
            for option in &query.moves {
                let after = solution.step(position, &option.action).unwrap();
                if !next.contains(&after) {
                    next.push(after);
                }
            }
        }
        layer = next;
    }
    assert!(lost > 0 && all > 100 * lost / 10, "{lost} of {all}");
}

/// D. E. Loeb, "Stable winning coalitions", Games of No Chance, 1996: from heaps of 1 and 2 no player can force the last
/// move alone; J. Propp, "Three-player impartial games", Theoretical Computer Science 233, 2000: of n heaps of one match the
/// player who takes the last one is known, and one heap is won by who is in turn.
#[test]
fn nobody_can_force_the_last_move_from_heaps_of_one_and_two() {
    for (heaps, forces) in [
        ("1 2", [false; 3]),
        ("1", [true, false, false]),
        ("7", [true, false, false]),
        ("1 1", [false, true, false]),
        ("1 1 1", [false, false, true]),
        ("1 1 1 1", [true, false, false]),
    ] {
        let session = session();
        let text = common_generate(&format!("nim3 last {heaps}"));
        let rules = session.load(Source::new("nim", text.as_bytes()));
        let options = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
        let report = session.solve(&rules, &options, &Destination::Nowhere("the test".to_owned())).unwrap();
        let found: Vec<bool> = report.guarantees.values().map(|found| found.value == Some(100)).collect();
        assert_eq!(found, forces, "heaps of {heaps}");
    }
}

/// The rulesheet that the generator prints.
fn common_generate(arguments: &str) -> String {
    let mut command = assert_cmd::Command::cargo_bin("ggsolve").unwrap();
    let output = command.arg("generate").args(arguments.split(' ')).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_guarantee_of_another_role_is_damage_to_all_who_read_it() {
    let text = std::fs::read_to_string(shipped("nim3.gdl")).unwrap();
    let options = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let scene = tempfile::tempdir().unwrap();
    solved(&text, &options, &scene).unwrap();
    let folder = scene.path().join("solution");
    let [first, second] = ["guarantee-0", "guarantee-1"].map(|name| folder.join(name));
    std::fs::remove_dir_all(&second).unwrap();
    std::fs::create_dir(&second).unwrap();
    for file in std::fs::read_dir(&first).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), second.join(file.file_name())).unwrap();
    }
    let session = session();
    let rules = session.load(Source::new("game", text.as_bytes()));
    let destination = Destination::Folder { folder: folder.clone(), force: false };
    let of_others = [
        session.verify(&folder, None, &VerifyOptions::default()).map(drop),
        session.solve(&rules, &options, &destination).map(drop),
        session.report(&folder).map(drop),
    ];
    for wrong in of_others {
        let error = wrong.unwrap_err();
        assert!(error.to_string().contains("not a guarantee of the solution that it lies beside"), "{error}");
        assert_eq!(error.kind(), ErrorKind::Solution, "{error}");
    }
}
