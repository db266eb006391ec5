//! The library as programs use it: everything through a session, nothing through files that are not asked for.

use base::limits::Limits;
use game::diagnostic::Source;
use game::propositional::RoleId;
use game::rules::Language;
use ggsolve::play::{Command, Match, Settings, Standing, Told};
use ggsolve::session::{Destination, Error, ErrorKind, Rules, Session};
use serde_json::json;
use solving::solution::{Solution, terms};
use solving::solve::{Event, Listener, SolveOptions};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Two take one or two matches of five in turn; who takes the last one wins.
const MATCHES: &str = "
    (role a) (role b) (init (left 5)) (init (turn a))
    (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0)
    (minus 5 2 3) (minus 4 2 2) (minus 3 2 1) (minus 2 2 0)
    (<= (legal ?r (take ?n)) (true (turn ?r)) (true (left ?m)) (minus ?m ?n ?l))
    (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
    (<= (next (left ?l)) (does ?r (take ?n)) (true (left ?m)) (minus ?m ?n ?l))
    (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
    (<= terminal (true (left 0)))
    (<= (goal a 100) (true (turn b))) (<= (goal a 0) (true (turn a)))
    (<= (goal b 100) (true (turn a))) (<= (goal b 0) (true (turn b)))";

fn load(session: &Session, text: &str) -> Rules {
    session.load(Source::new("matches", text.as_bytes()))
}

fn solved() -> Solution {
    let session = Session::new(Limits::new(1 << 30));
    session.solution(&load(&session, MATCHES), &SolveOptions::default()).expect("a game that can be solved")
}

#[test]
fn what_is_shared_by_threads_can_be() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Session>();
    shared::<Solution>();
    shared::<Rules>();
    shared::<Error>();
    shared::<Match>();
}

#[test]
fn a_text_becomes_a_solution_that_answers() {
    let solution = solved();
    let start = solution.start();
    let query = solution.query(&start, Some(1000)).unwrap();
    assert_eq!((query.value.as_deref(), query.to_move.as_deref()), (Some(&[100, 0][..]), Some("a")));
    assert_eq!(query.distance.map(|distance| (distance.plies, distance.exact)), Some((3, true)));
    let best: Vec<&str> = query.moves.iter().filter(|m| m.optimal).map(|m| m.action.as_str()).collect();
    assert_eq!(best, ["(take 2)"]);
    let steps = solution.replay(&start, &terms("(take 1) (take 1)").unwrap()).unwrap();
    let later = solution.query(&steps[1].successor, None).unwrap();
    assert_eq!((later.value.as_deref(), later.state.join(" ")), (Some(&[0, 100][..]), "(left 3) (turn a)".to_owned()));
    let named = solution.position(&terms("(left 3) (turn a)").unwrap()).unwrap();
    assert_eq!(solution.query(&named, None).unwrap(), later);
    let json = serde_json::to_value(&later).unwrap();
    assert_eq!(json["moves"][0]["joint"], json!(["(take 1)", "wait"]));
    assert!(later.to_string().contains("a win for b, 100 to 0"), "{later}");
}

#[test]
fn threads_share_one_solution() {
    let solution = Arc::new(solved());
    let expected = solution.query(&solution.start(), None).unwrap();
    let ask = || {
        let (solution, expected) = (Arc::clone(&solution), expected.clone());
        std::thread::spawn(move || {
            for _ in 0..100 {
                assert_eq!(solution.query(&solution.start(), None).unwrap(), expected);
            }
        })
    };
    let threads: Vec<_> = (0..8).map(|_| ask()).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn limits_are_those_of_a_session() {
    let (narrow, wide) = (Session::new(Limits::new(1000)), Session::new(Limits::new(1 << 30)));
    let solve = |session: &Session| session.solution(&load(session, MATCHES), &SolveOptions::default()).map(drop);
    assert_eq!(solve(&narrow).unwrap_err().kind(), ErrorKind::Limit);
    wide.clone().limits().interrupt();
    assert_eq!(solve(&wide).unwrap_err().kind(), ErrorKind::Interrupted);
    assert_eq!(solve(&narrow).unwrap_err().kind(), ErrorKind::Limit);
    assert!(solve(&Session::default()).is_ok());
}

#[test]
fn findings_are_values_and_reach_the_listener() {
    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);
    impl Listener for Heard {
        fn event(&self, event: &Event) {
            if let Event::Findings(findings) = event {
                self.0.lock().unwrap().extend(findings.diagnostics.iter().map(|finding| finding.code.to_owned()));
            }
        }
    }
    let heard = Arc::new(Heard::default());
    let session = Session::with(Arc::new(Limits::new(1 << 30)), Arc::clone(&heard) as _);
    let unusual = format!("{MATCHES}\n(<= (never ?x) (true (nothing ?x)))");
    let rules = load(&session, &unusual);
    let report = session
        .solve(&rules, &SolveOptions::default(), &Destination::Nowhere("the test keeps nothing".to_owned()))
        .unwrap();
    let told: Vec<&str> = report.diagnostics.iter().map(|finding| finding.code).collect();
    assert!(told.contains(&"unknown-fluent"), "{told:?}");
    assert_eq!(*heard.0.lock().unwrap(), told);
    let checked = session.check(&rules).unwrap();
    assert_eq!(checked.findings.diagnostics, report.diagnostics);
    assert_eq!(checked.solvable, Some(true));
}

#[test]
fn errors_say_of_what_kind_they_are() {
    let session = Session::default();
    let kind = |text: &str| session.ground(&load(&session, text)).map(drop).unwrap_err().kind();
    assert_eq!(kind("(role"), ErrorKind::Rules);
    let error = session.ground(&load(&session, "(role a")).unwrap_err();
    let Error::Rules(findings) = &error else { panic!("{error:?}") };
    assert_eq!((findings.ok, findings.diagnostics[0].line, findings.diagnostics[0].column), (false, 1, 1));
    assert_eq!(error.document().unwrap()["diagnostics"][0]["code"], "unclosed-parenthesis");
    assert_eq!(session.load_file(Path::new("no/such.gdl")).unwrap_err().kind(), ErrorKind::InputOutput);
    assert_eq!(session.open(Path::new("no/such.ggs")).map(drop).unwrap_err().kind(), ErrorKind::InputOutput);
    let simultaneous = MATCHES.replace("(take ?n)) (true (turn ?r)) (true", "(take ?n)) (role ?r) (true");
    let error = session.solution(&load(&session, &simultaneous), &SolveOptions::default()).map(drop).unwrap_err();
    assert_eq!(
        (error.kind(), error.document().unwrap()["error"]["code"].as_str()),
        (ErrorKind::Rules, Some("not-turn-taking"))
    );
    let solution = solved();
    let position = solution.position(&terms("(left 9)").unwrap()).map_err(Error::from).unwrap_err();
    assert_eq!(position.kind(), ErrorKind::Usage);
}

#[test]
fn translations_are_the_same_game() {
    let session = Session::default();
    let rules = load(&session, MATCHES);
    let gddl = session.translate(&rules, Language::Gddl, false).unwrap();
    let back = session.load(Source::new("matches.gddl", gddl.as_bytes()));
    let destination = Destination::Nowhere("the test keeps nothing".to_owned());
    let [there, back] = [&rules, &back].map(|rules| {
        let report = session.solve(rules, &SolveOptions::default(), &destination).unwrap();
        (report.value, report.layers.iter().map(|layer| layer.states.clone()).collect::<Vec<_>>())
    });
    assert_eq!(there, back);
}

#[test]
fn a_match_is_a_state_machine() {
    let settings = Settings { human: RoleId(1), errors_per_million: 0, seed: 1, nodes: 1000 };
    let (mut game, told) = Match::start(Arc::new(solved()), settings).unwrap();
    let played = |told: &[Told]| {
        told.iter().find_map(|told| if let Told::Played { action, .. } = told { Some(action.clone()) } else { None })
    };
    let standing = |told: &[Told]| {
        told.iter().find_map(|told| if let Told::Position { standing, .. } = told { Some(*standing) } else { None })
    };
    assert_eq!((played(&told).as_deref(), standing(&told)), (Some("(take 2)"), Some(Standing::ToMove)));
    let told = game.answer(&Command::Move("take 1".to_owned())).unwrap();
    assert_eq!((played(&told).as_deref(), standing(&told)), (Some("(take 2)"), Some(Standing::Over)));
    assert_eq!(game.answer(&Command::Move("take 1".to_owned())).unwrap(), [Told::Over]);
    assert_eq!(standing(&game.answer(&Command::Undo).unwrap()), Some(Standing::ToMove));
    assert_eq!(game.answer(&Command::Undo).unwrap(), [Told::NothingToTakeBack]);
    let told = game.answer(&Command::Move("take 9".to_owned())).unwrap();
    assert_eq!(told, [Told::Illegal(vec!["(take 1)".to_owned(), "(take 2)".to_owned()])]);
}

#[test]
fn the_report_of_a_folder_is_that_of_its_run() {
    let session = Session::default();
    let rules = load(&session, &format!("{MATCHES}\n(<= (never ?x) (true (nothing ?x)))"));
    for count_only in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("stored");
        let (options, destination) = (
            SolveOptions { count_only, ..SolveOptions::default() },
            Destination::Folder { folder: folder.clone(), force: false },
        );
        assert_eq!(session.report(&folder).unwrap_err().kind(), ErrorKind::InputOutput, "there is none yet");
        session.solve(&rules, &options, &destination).unwrap();
        let again = session.solve(&rules, &options, &destination).unwrap();
        let mut report = session.report(&folder).unwrap();
        assert!(report.from_disk && !report.diagnostics.is_empty());
        for finding in &mut report.diagnostics {
            assert!(std::mem::replace(&mut finding.file, "matches".to_owned()).ends_with("rules.gdl"));
        }
        assert_eq!(report, again);
    }
}

#[test]
fn a_state_is_given_by_flags_too() {
    let solution = solved();
    let start = solution.start();
    let mut holds = vec![false; solution.fluent_names().len()];
    start.state.fluents().for_each(|fluent| holds[fluent.index()] = true);
    assert_eq!(solution.position_of(&holds).unwrap(), start);
    holds.push(true);
    let error = Error::from(solution.position_of(&holds).unwrap_err());
    assert_eq!((error.kind(), error.to_string().contains("flags")), (ErrorKind::Usage, true));
    assert_eq!(Error::from(solution.position_of(&vec![false; holds.len() - 1]).unwrap_err()).kind(), ErrorKind::Usage);
}

#[test]
fn a_search_for_distances_is_interrupted() {
    let solution = solved();
    let limits = Limits::new(1 << 30);
    let within = |limits: &Limits| solution.query_within(&solution.start(), Some(1000), limits).map_err(Error::from);
    assert_eq!(within(&limits).unwrap(), solution.query(&solution.start(), Some(1000)).unwrap());
    limits.interrupt();
    assert_eq!(within(&limits).unwrap_err().kind(), ErrorKind::Interrupted);
}
