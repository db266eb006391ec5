//! Answers on games with chance and choices at the same time: what is asked of a position, matches against the solution,
//! and judged ones.

use ggsolve::{Destination, Session, SolveOptions, Source};
use solving::solution::{ExactSolution, ReadError};
use std::path::Path;

fn solve(text: &str, options: &SolveOptions, folder: &Path) -> ExactSolution {
    let session = Session::default();
    let rules = session.load(Source::new("mixed.gdl", text.as_bytes()));
    session.solve(&rules, options, &Destination::Folder { folder: folder.to_owned(), force: false }).unwrap();
    ExactSolution::open(folder, &ggsolve::Limits::unlimited()).unwrap()
}

const PENNIES: &str = "(role even) (role odd) (init (at start)) (init (round 1))
    (<= (legal ?r heads) (role ?r)) (<= (legal ?r tails) (role ?r))
    (<= same (does even ?m) (does odd ?m))
    (<= (next (at won)) same (does even heads)) (<= (next (at half)) same (does even tails))
    (<= (next (at lost)) (not same))
    (<= terminal (not (true (at start))))
    (<= (goal even 100) (true (at won))) (<= (goal even 60) (true (at half))) (<= (goal even 0) (true (at lost)))
    (<= (goal odd 0) (true (at won))) (<= (goal odd 40) (true (at half))) (<= (goal odd 100) (true (at lost)))";

const DILEMMA: &str = "(role ann) (role bob) (init (at start)) (mood kind) (mood hard)
    (<= (legal ?r (be ?m)) (role ?r) (mood ?m))
    (<= (next (at (end ?a ?b))) (does ann (be ?a)) (does bob (be ?b)))
    (<= terminal (true (at (end ?a ?b))))
    (pays kind kind 60) (pays kind hard 0) (pays hard kind 100) (pays hard hard 20)
    (<= (goal ann ?r) (true (at (end ?a ?b))) (pays ?a ?b ?r))
    (<= (goal bob ?r) (true (at (end ?a ?b))) (pays ?b ?a ?r))";

/// Where there is no single value, each move has what the roles can force after it.
#[test]
fn moves_have_what_roles_can_force_after_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dilemma.ggs");
    let options = SolveOptions { guarantees: vec!["all".to_owned()], ..SolveOptions::default() };
    let solution = solve(DILEMMA, &options, &path);
    let query = solution.query(&solution.start()).unwrap();
    let pays = |mine: &str, other: &str| match (mine, other) {
        ("(be kind)", "(be kind)") => 60,
        ("(be kind)", _) => 0,
        (_, "(be kind)") => 100,
        _ => 20,
    };
    assert_eq!(query.moves.len(), 4);
    for option in &query.moves {
        let [ann, bob] = [&option.joint[0], &option.joint[1]];
        let forced: Vec<i64> = option.guarantees.values().map(|forced| forced.value.to_i64().unwrap()).collect();
        assert_eq!(forced, [pays(ann, bob), pays(bob, ann)]);
        assert!(option.value.is_none() && !option.optimal);
    }
    let text = query.to_string();
    assert!(text.contains("ann forces  bob forces") && !text.contains(" - "), "{text}");
    assert!(text.contains("((be kind) (be hard))           0         100"), "{text}");
}

/// A question for a position with many joint moves is within the limits.
#[test]
fn questions_ask_the_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pennies.ggs");
    let solution = solve(PENNIES, &SolveOptions::default(), &path);
    let interrupted = ggsolve::Limits::unlimited();
    interrupted.interrupt();
    for limits in [ggsolve::Limits::new(1 << 10), interrupted] {
        let asked = solution.query_within(&solution.start(), &limits);
        assert!(matches!(asked, Err(ReadError::Limit(_))), "{asked:?}");
        assert!(matches!(solution.assess(&solution.start(), &limits), Err(ReadError::Limit(_))));
        assert_eq!(limits.used(), 0);
    }
}
