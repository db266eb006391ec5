//! The notation of `examples/subtraction`: games in it against brute force over heights of piles, mistakes at their
//! place, and stored solutions that any program can open.

#[path = "../../examples/subtraction/notation.rs"]
mod notation;

use ggsolve::{Destination, Error, Limits, Rules, Session, Solution, SolveOptions, Source, VerifyOptions};
use notation::Subtraction;
use std::collections::BTreeMap;

fn load(session: &Session, text: &str) -> Rules {
    session.load_with(Source::new("games/piles.sub", text.as_bytes()), &Subtraction)
}

fn session() -> Session {
    Session::new(Limits::new(1 << 30))
}

/// A game by its numbers.
struct Piles {
    heights: Vec<u32>,
    takes: Vec<u32>,
    wins: bool,
}

impl Piles {
    fn text(&self) -> String {
        let piles: String =
            self.heights.iter().enumerate().map(|(at, height)| format!("pile p{at} {height}\n")).collect();
        let takes: Vec<String> = self.takes.iter().map(u32::to_string).collect();
        let last = if self.wins { "wins" } else { "loses" };
        format!("# a game\nplayers ann bob\n{piles}take {} # each\n\nlast {last}\n", takes.join(" "))
    }

    /// The heights after each move, with the move.
    fn moves(&self, heights: &[u32]) -> Vec<(String, Vec<u32>)> {
        let mut moves = Vec::new();
        for (pile, &height) in heights.iter().enumerate() {
            for &take in self.takes.iter().filter(|&&take| take <= height) {
                let mut after = heights.to_vec();
                after[pile] -= take;
                moves.push((format!("(take p{pile} {take})"), after));
            }
        }
        moves
    }

    /// Whether the one who is to move wins, for all heights that can be reached from these.
    fn wins(&self, heights: &[u32], known: &mut BTreeMap<Vec<u32>, bool>) -> bool {
        if let Some(&wins) = known.get(heights) {
            return wins;
        }
        // All are looked at, for all positions are compared. Who cannot move has not taken last.
        let after: Vec<bool> = self.moves(heights).iter().map(|(_, after)| self.wins(after, known)).collect();
        let wins = if after.is_empty() { !self.wins } else { after.contains(&false) };
        known.insert(heights.to_vec(), wins);
        wins
    }

    fn compare(&self, solution: &Solution) -> usize {
        let mut known = BTreeMap::new();
        self.wins(&self.heights, &mut known);
        let (mut open, mut seen) = (vec![(solution.start(), self.heights.clone(), true)], 0);
        let mut visited = std::collections::BTreeSet::new();
        while let Some((position, heights, ann)) = open.pop() {
            if !visited.insert((heights.clone(), ann)) {
                continue;
            }
            seen += 1;
            let query = solution.query(&position, None).unwrap();
            let value = if known[&heights] == ann { vec![100, 0] } else { vec![0, 100] };
            assert_eq!(query.value, Some(value), "{heights:?} {ann} of {}", self.text());
            let moves = self.moves(&heights);
            let mut actions: Vec<&str> = query.moves.iter().map(|found| found.action.as_str()).collect();
            let mut expected: Vec<&str> = moves.iter().map(|(action, _)| action.as_str()).collect();
            actions.sort_unstable();
            expected.sort_unstable();
            assert_eq!(actions, expected);
            open.extend(
                moves.into_iter().map(|(action, after)| (solution.step(&position, &action).unwrap(), after, !ann)),
            );
        }
        seen
    }
}

#[test]
fn games_of_another_notation_have_the_values_of_brute_force() {
    let game = |heights: &[u32], takes: &[u32], wins| Piles { heights: heights.to_vec(), takes: takes.to_vec(), wins };
    let games = [
        game(&[7], &[1, 2, 3], true),
        game(&[2, 3, 3], &[1, 2, 3], false),
        game(&[9, 4], &[2, 3], true),
        game(&[1], &[5], false),
    ];
    let session = session();
    let seen = games.map(|game| {
        let solution =
            session.solution(&load(&session, &game.text()), &SolveOptions::default()).expect("a game that is right");
        game.compare(&solution)
    });
    assert!(seen[1] > 48, "positions: {seen:?}");
}

#[test]
fn mistakes_are_told_where_they_stand() {
    let session = session();
    let told = |text: &str| {
        let Err(Error::Rules(findings)) = session.ground(&load(&session, text)) else { panic!("{text} is right") };
        findings.diagnostics.iter().map(|found| (found.code, found.line, found.column)).collect::<Vec<_>>()
    };
    let text = "players ann bob\npile p) 3\ntake 0\nlast wins";
    assert_eq!(told(text), [("subtraction", 2, 6), ("subtraction", 3, 6)]);
    assert_eq!(told("pile p 3\ntake 1\nlast wins")[0], ("subtraction", 1, 1));
    // GDL itself finds that nothing is ever taken.
    let findings = load(&session, "players ann bob\n\npile p 3\nlast wins").findings();
    assert!(findings.diagnostics.iter().all(|found| found.line == 4), "{findings:?}");
    assert!(!findings.diagnostics.is_empty());
}

#[test]
fn stored_solutions_need_the_notation_no_more() {
    let session = session();
    let game = Piles { heights: vec![5, 3], takes: vec![1, 2], wins: true };
    let scene = tempfile::tempdir().unwrap();
    let folder = scene.path().join("piles.ggs");
    let destination = Destination::Folder { folder: folder.clone(), force: false };
    let rules = load(&session, &game.text());
    let first = session.solve(&rules, &SolveOptions::default(), &destination).unwrap();
    assert_eq!((first.game.as_str(), first.from_disk), ("piles", false));
    let again = session.solve(&rules, &SolveOptions::default(), &destination).unwrap();
    assert!(again.from_disk);
    game.compare(&session.open(&folder).unwrap());
    let verified = session.verify(&folder, Some(&rules), &VerifyOptions::default()).unwrap();
    assert!(verified.ok, "{verified}");
    assert!(session.verify(&folder, None, &VerifyOptions::default()).unwrap().ok);
}
