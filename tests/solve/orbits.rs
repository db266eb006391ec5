//! The number of orbits of the reachable states against a list of all of them, each as the least of its images. The
//! symmetries that keep the set of reachable states are those that map each of its states to one of them.

use crate::common::explicit::{Exploration, StateId, explore, states_by_layer};
use crate::common::sample::boards::{hare_and_hounds, quixo, track};
use crate::common::sample::{random_cyclic_game, random_game, random_graph};
use crate::common::{game, program};
use base::limits::Limits;
use base::random::Random;
use game::diagnostic::Source;
use game::interpreter::State;
use game::symmetry::{Effort, Kept, Permutation, Rules};
use ggsolve::session::{Destination, RunReport, Session};
use num_bigint::BigUint;
use solving::solve::SolveOptions;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

fn counted(text: &str, folder: Option<&Path>) -> RunReport {
    let session = Session::new(Limits::new(1 << 30));
    let rules = session.load(Source::new("game", text.as_bytes()));
    let destination = match folder {
        Some(folder) => Destination::Folder { folder: folder.to_owned(), force: false },
        None => Destination::Nowhere("of no use".to_owned()),
    };
    let options = SolveOptions { count_only: true, orbits: true, ..SolveOptions::default() };
    session.solve(&rules, &options, &destination).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The number of orbits of some states under a group.
fn orbits(exploration: &Exploration, states: impl Iterator<Item = StateId>, group: &[Permutation]) -> BigUint {
    let least = |state: &State| group.iter().map(|symmetry| symmetry.state(state)).min().unwrap_or(state.clone());
    states.map(|id| least(exploration.state(id))).collect::<BTreeSet<_>>().len().into()
}

/// The numbers of orbits under two groups and their orders.
#[derive(Debug, PartialEq)]
struct Told {
    /// Orbits under the symmetries that keep the initial state, and the number of these.
    of_start: (BigUint, BigUint),
    /// Orbits under the symmetries that keep the set of reachable states, and the number of these.
    of_states: (BigUint, BigUint),
    /// Number of symmetries of the rules.
    of_rules: usize,
}

fn told(of_start: (u32, u32), of_states: (u32, u32), of_rules: usize) -> Told {
    let numbers = |(orbits, order): (u32, u32)| (orbits.into(), order.into());
    Told { of_start: numbers(of_start), of_states: numbers(of_states), of_rules }
}

impl Told {
    fn moves_the_start(&self) -> bool {
        self.of_start.1 < self.of_states.1
    }
}

/// Compares a game.
fn compare(text: &str) -> Told {
    let game = game(&program("game", text.as_bytes()));
    let exploration = explore(&game, 500_000).expect("a small game");
    let (initial, limits) = (State::from_flags(&game.init), Limits::unlimited());
    let rules = Rules::new(&game, &limits).unwrap();
    let found = |state| {
        let kept = Kept { state, roles: false };
        rules.symmetries(kept, &Effort::default(), &limits).unwrap().elements(usize::MAX)
    };
    let (group, of_rules) = (found(Some(&initial)), found(None));
    let states: BTreeSet<&State> = exploration.ids().map(|id| exploration.state(id)).collect();
    let keeps = |symmetry: &&Permutation| states.iter().all(|state| states.contains(&symmetry.state(state)));
    let keeping: Vec<Permutation> = of_rules.iter().filter(keeps).cloned().collect();

    let report = counted(text, None);
    let told = report.orbits.expect("not too many symmetries");
    assert_eq!(told.orbits, orbits(&exploration, exploration.ids(), &group), "{text}");
    assert_eq!(told.symmetries.order, BigUint::from(group.len().max(1)), "{text}");
    let of_states = told.symmetries.of_states.expect("not too many symmetries of the rules");
    assert_eq!(of_states.orbits, orbits(&exploration, exploration.ids(), &keeping), "{text}");
    assert_eq!(of_states.order, BigUint::from(keeping.len().max(1)), "{text}");
    if report.cycle.is_none() && report.algorithm != solving::solve::Algorithm::Global {
        let layers = states_by_layer(&exploration);
        let expected: Vec<_> = layers.iter().map(|layer| orbits(&exploration, layer.iter().copied(), &group)).collect();
        let found: Vec<_> = report.layers.into_iter().map(|layer| layer.orbits.expect("of each layer")).collect();
        assert_eq!(found, expected, "{text}");
    }
    Told {
        of_start: (told.orbits, told.symmetries.order),
        of_states: (of_states.orbits, of_states.order),
        of_rules: of_rules.len().max(1),
    }
}

#[test]
fn orbits_of_shipped_games_are_those_of_a_list() {
    let of_file = |file: &str| compare(&std::fs::read_to_string(crate::common::shipped(file)).unwrap());
    // The number of essentially different positions of Tic-Tac-Toe is well known. Once the marks are exchanged, the other
    // player would begin.
    assert_eq!(of_file("tictactoe.gdl"), told((765, 8), (765, 8), 16));
    // A lion can lose a move, so play reaches the first position with the other player to move.
    assert_eq!(of_file("dobutsu_chick.gdl"), told((49_578, 2), (24_789, 4), 4));
    // States in several layers; none but the identity; chance; choices at the same time; play that goes round, but not
    // back to the first position with the other player to move.
    for file in [
        "nim4.gdl",
        "clobber_3x4.gdl",
        "tictactoe3.gdl",
        "pig_8.gdl",
        "tictactoe_simultaneous.gdl",
        "morris_three.gdl",
        "dodgem_3.gdl",
    ] {
        of_file(file);
    }
}

#[test]
fn orbits_of_handmade_games_are_those_of_a_list() {
    let texts = [quixo(3), hare_and_hounds(), track(3, 5, true), track(2, 6, false)];
    let symmetries: Vec<_> = texts.iter().map(|text| compare(text).of_start.1).collect();
    assert!(symmetries.iter().filter(|order| **order > 1u32.into()).count() >= 2, "{symmetries:?}");
}

/// Two players in turn move a token on a board without edges, by steps that were drawn, or stop. Every shift of the board
/// is a symmetry of the rules. Some shifts may lead to places that cannot be reached.
fn random_walk(seed: u64) -> String {
    let mut random = Random::new(seed);
    let (columns, rows) = (2 + random.below(4), 2 + random.below(4));
    let mut text = String::from("(role a) (role b) (init (x 0)) (init (y 0)) (init (turn a))\n");
    let steps: Vec<_> = (0..4).map(|_| (random.below(columns), random.below(rows))).collect();
    let own = [&steps[..1 + random.below(2)], if random.chance(50) { &steps[..1] } else { &steps[2..] }];
    for (role, steps) in ["a", "b"].into_iter().zip(own) {
        for (dx, dy) in steps {
            for from in 0..columns {
                let _ = writeln!(text, "(across {role} s{dx}_{dy} {from} {})", (from + dx) % columns);
            }
            for from in 0..rows {
                let _ = writeln!(text, "(along {role} s{dx}_{dy} {from} {})", (from + dy) % rows);
            }
        }
    }
    text + "(other a b) (other b a)
(<= (legal ?r (go ?s)) (true (turn ?r)) (true (x ?i)) (across ?r ?s ?i ?j))
(<= (legal ?r stop) (true (turn ?r)))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (x ?j)) (does ?r (go ?s)) (true (x ?i)) (across ?r ?s ?i ?j))
(<= (next (y ?j)) (does ?r (go ?s)) (true (y ?i)) (along ?r ?s ?i ?j))
(<= (next (x ?i)) (does ?r stop) (true (x ?i)))
(<= (next (y ?i)) (does ?r stop) (true (y ?i)))
(<= (next (turn ?q)) (true (turn ?r)) (other ?r ?q))
(<= (next stopped) (does ?r stop))
(<= terminal (true stopped))
(<= (goal ?r 50) (role ?r))"
}

#[test]
fn orbits_of_random_games_are_those_of_a_list() {
    let (mut symmetric, mut moving, mut leaving) = (0, 0, 0);
    for seed in 0..60 {
        for text in [random_graph(seed), random_game(seed, None), random_cyclic_game(seed), random_walk(seed)] {
            let told = compare(&text);
            symmetric += usize::from(told.of_start.1 > 1u32.into());
            moving += usize::from(told.moves_the_start());
            leaving += usize::from(told.of_states.1 < told.of_rules.into());
        }
    }
    assert!(symmetric >= 5, "{symmetric} games with symmetries");
    assert!(
        moving >= 20 && leaving >= 20,
        "{moving} with some that move the start, {leaving} with some not to be used"
    );
}

/// A player turns two coins together, or stops. Each coin may be turned by a symmetry, and the coins exchanged: that is
/// the group of a square. To turn one coin leaves the reachable states.
const COINS: &str = "(role player) (coin a) (coin b) (side heads tails) (side tails heads)
    (<= (base (lies ?c ?s)) (coin ?c) (side ?s ?t)) (base stopped)
    (input player turn) (input player stop)
    (init (lies a heads)) (init (lies b heads))
    (legal player turn) (legal player stop)
    (<= (next (lies ?c ?t)) (does player turn) (true (lies ?c ?s)) (side ?s ?t))
    (<= (next (lies ?c ?s)) (does player stop) (true (lies ?c ?s)))
    (<= (next stopped) (does player stop))
    (<= terminal (true stopped))
    (goal player 50)";

#[test]
fn symmetries_that_leave_the_reachable_states_are_not_used() {
    // Neither coin may be turned alone, both together may.
    assert_eq!(compare(COINS), told((4, 2), (2, 4), 8));
}

/// Any of 14 coins may be turned by a symmetry of the rules, which are 2¹⁴. A move turns the first coins, so coins cannot
/// be exchanged.
#[test]
fn too_many_symmetries_of_the_rules_leave_those_that_keep_the_start() {
    let mut text = String::from("(role player) (side heads tails) (side tails heads)\n");
    for coin in 0..14 {
        let _ = write!(text, "(init (lies {coin} heads))");
        (0..=coin).for_each(|first| _ = write!(text, " (upto {coin} {first})"));
    }
    text += "(<= (legal player (turn ?k)) (upto ?k ?k)) (legal player stop)
        (<= (turned ?c) (does player (turn ?k)) (upto ?k ?c))
        (<= (next (lies ?c ?t)) (turned ?c) (true (lies ?c ?s)) (side ?s ?t))
        (<= (next (lies ?c ?s)) (true (lies ?c ?s)) (not (turned ?c)))
        (<= (next stopped) (does player stop))
        (<= terminal (true stopped)) (goal player 50)";
    let told = counted(&text, None).orbits.expect("only the identity keeps the initial state");
    assert_eq!((told.orbits, told.symmetries.order), ((1u32 << 15).into(), 1u32.into()));
    assert_eq!(told.symmetries.of_states, None);
}

/// The folder of a solution is enough, and what is stored does not change.
#[test]
fn orbits_of_what_is_stored_are_the_same() {
    let scene = tempfile::tempdir().unwrap();
    let (folder, text) = (scene.path().join("game.ggs"), quixo(3));
    let first = counted(&text, Some(&folder));
    let again = counted(&text, Some(&folder));
    assert!(again.from_disk);
    assert_eq!((&first.orbits, &first.layers), (&again.orbits, &again.layers));
    assert!(first.orbits.is_some_and(|told| told.orbits < first.states));
}
