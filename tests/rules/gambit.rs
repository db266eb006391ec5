//! Files for Gambit: trees of turn-taking games have the value that brute force finds, and small games are written as
//! Gambit has them. That it reads them itself is held by `python/tests/test_exact.py`.

use crate::common::explicit;
use crate::common::sample::random_game;
use api::translate::{TranslateError, gambit};
use base::limits::{LimitReached, Limits};
use game::propositional::{Game, GroundTerm};
use game::reward::OpponentModel;

fn tree(game: &Game) -> Result<String, TranslateError> {
    gambit::text(game, gambit::Form::Tree, &Limits::unlimited())
}

fn table(game: &Game) -> Result<String, TranslateError> {
    gambit::text(game, gambit::Form::Table, &Limits::unlimited())
}

fn game(rules: &str) -> Game {
    crate::common::game(&crate::common::program("game", rules.as_bytes()))
}

/// The words between the last braces of a line, and how many names are between the first.
fn braces(line: &str) -> (usize, Vec<u8>) {
    let inner = line.rsplit_once('{').unwrap().1.split_once('}').unwrap().0;
    (inner.matches('"').count() / 2, inner.split_whitespace().filter_map(|word| word.parse().ok()).collect())
}

/// What the tree is worth if each player takes the highest own reward, and of equal ones the lowest of the other.
fn value<'a>(lines: &mut impl Iterator<Item = &'a str>, sets: &mut Vec<(usize, usize)>) -> Vec<u8> {
    let line = lines.next().expect("every node has its children");
    let (actions, rewards) = braces(line);
    if line.starts_with('t') {
        return rewards;
    }
    let words: Vec<usize> = line.split(' ').skip(2).take(2).map(|word| word.parse().unwrap()).collect();
    let player = words[0] - 1;
    sets.push((player, words[1]));
    let children: Vec<Vec<u8>> = (0..actions).map(|_| value(lines, sets)).collect();
    children.into_iter().max_by_key(|value| (value[player], 255 - value[1 - player])).expect("a move")
}

fn assert_value(name: &str, game: &Game) {
    let text = tree(game).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("EFG 2 R \""), "{text}");
    let mut sets = Vec::new();
    let found = value(&mut lines, &mut sets);
    assert_eq!(lines.next(), None, "{name}");
    let solution = explicit::solve(game, OpponentModel::MaxOwn, 100_000).unwrap();
    assert_eq!(found, solution.initial_value(), "{name}");
    // Each choice is known to who makes it, and the sets of a player are counted from 1 on.
    for player in 0..2 {
        let own: Vec<usize> = sets.iter().filter(|set| set.0 == player).map(|set| set.1).collect();
        assert!(own.iter().copied().eq(1..=own.len()), "{name}: {own:?}");
    }
}

#[test]
fn trees_of_turn_taking_games_have_their_values() {
    for file in ["clobber_1x6.gdl", "nim3.gdl"] {
        let game = crate::common::ground_file(&crate::common::shipped(file));
        if game.roles.len() == 2 {
            assert_value(file, &game);
        }
    }
    let mut trees = 0;
    for seed in 0..80 {
        let game = game(&random_game(seed, None));
        let small = game.roles.len() == 2 && tree(&game).is_ok_and(|text| text.lines().count() < 50_000);
        if small {
            assert_value(&format!("random game {seed}"), &game);
            trees += 1;
        }
    }
    assert!(trees > 10, "{trees}");
}

/// Two throw a coin each, or one of them does.
const COINS: &str = "(role a) (role b) (role nature) (init (ply 1)) (side heads) (side tails)
    (<= (legal a (show ?s)) (true (ply 1)) (side ?s)) (<= (legal b (show ?s)) (true (ply 1)) (side ?s))
    (<= (legal nature (show ?s)) (true (ply 1)) (side ?s))
    (<= (next (shown ?r ?s)) (does ?r (show ?s))) (<= (next (ply 2)) (true (ply 1)))
    (<= terminal (true (ply 2))) (goal nature 0)
    (<= same (true (shown a ?s)) (true (shown b ?s)) (true (shown nature ?s)))
    (<= (goal a 100) same) (<= (goal b 0) same) (<= (goal a 0) (not same)) (<= (goal b 100) (not same))";

#[test]
fn joint_choices_share_information_sets_and_chance_comes_last() {
    let mut coins = game(COINS);
    coins.roles[2] = GroundTerm { name: "random".to_owned(), arguments: Vec::new() };
    coins.has_chance = true;
    let text = tree(&coins).unwrap();
    let heads = "p \"\" 2 1 \"\" { \"(show heads)\" \"(show tails)\" } 0\nc \"\" 1 \"\" { \"(show heads)\" 1/2 \"(show tails)\" 1/2 } 0\n\
                 t \"\" 1 \"\" { 100 0 }\nt \"\" 2 \"\" { 0 100 }\n";
    let start = format!(
        "EFG 2 R \"game\" {{ \"a\" \"b\" }}\np \"\" 1 1 \"\" {{ \"(show heads)\" \"(show tails)\" }} 0\n{heads}"
    );
    assert!(text.starts_with(&start), "{text}");
    assert_eq!((text.lines().count(), text.matches("p \"\" 2 1 ").count(), text.matches("\nc ").count()), (16, 2, 4));
    // The first player's choices change fastest.
    let expected = "NFG 1 R \"game\" { \"a\" \"b\" }\n\
                    { { \"(show heads)\" \"(show tails)\" } { \"(show heads)\" \"(show tails)\" } }\n\n\
                    50 50\n0 100\n0 100\n50 50\n";
    assert_eq!(table(&coins).unwrap(), expected);
    let seek = crate::common::ground_file(&crate::common::shipped("hide_and_seek.gdl"));
    assert!(table(&seek).unwrap().ends_with("100 0\n0 100\n0 100\n0 100\n50 50\n0 100\n0 100\n0 100\n25 75\n"));
}

#[test]
fn what_is_too_large_or_no_table_is_refused() {
    let file = |name: &str| crate::common::ground_file(&crate::common::shipped(name));
    let large = Err(TranslateError::Limit(LimitReached::Size {
        what: "the number of nodes of the game's tree".to_owned(),
        limit: 1_000_000,
    }));
    assert_eq!(tree(&file("connect4_4x4.gdl")), large);
    assert!(
        matches!(table(&file("tictactoe.gdl")), Err(TranslateError::Refused(refusal)) if refusal.code == "no-table")
    );
    let limits = Limits::unlimited();
    limits.interrupt();
    let interrupted = gambit::text(&file("tictactoe.gdl"), gambit::Form::Tree, &limits);
    assert_eq!(interrupted, Err(TranslateError::Limit(LimitReached::Interrupted)));
    let stuck =
        game("(role a) (init s) (<= (legal a x) (true s)) (<= (next t) (true s)) (<= terminal (true u)) (goal a 0)");
    assert!(matches!(tree(&stuck), Err(TranslateError::Refused(refusal)) if refusal.code == "no-legal-move"));
}

#[test]
fn play_without_an_end_has_no_tree() {
    let rules = |moves: &str| {
        game(&format!(
            "(role a) (init (at 0)) (follows 0 1) (follows 1 2) (<= terminal (true (at 3))) (goal a 50)
             (<= (legal a on) (true (at ?x))) {moves}
             (<= (next (at ?y)) (does a on) (true (at ?x)) (follows ?x ?y)) (<= (next (at 3)) (does a off))"
        ))
    };
    let on = |times: usize| vec!["on".to_owned(); times];
    let Err(TranslateError::Refused(refusal)) = tree(&rules("")) else { panic!("play goes nowhere") };
    assert_eq!((refusal.code, refusal.path), ("no-legal-move", on(3)));
    let (free, forced) = (rules("(follows 2 1) (<= (legal a off) (true (at ?x)))"), rules("(follows 2 1)"));
    for written in [tree(&free), tree(&forced), table(&forced)] {
        let Err(TranslateError::Refused(refusal)) = written else { panic!("{written:?}") };
        assert_eq!((refusal.code, refusal.state.as_slice()), ("cyclic", &["(at 1)".to_owned()][..]));
        assert_eq!((refusal.path, refusal.cycle), (on(1), on(2)));
    }
}
