//! Comparison with all permutations of small games, and games whose groups are known.

use super::*;
use crate::interpreter::Interpreter;
use crate::propositional::{FluentId, GroundTerm, Move, MoveId, Node, NodeId, RoleId};
use crate::sample::handmade::{counter, lines, nim, term};
use base::random::Random;
use std::collections::{BTreeMap, BTreeSet};

fn found(game: &Game, kept: Kept) -> Symmetries {
    let limits = Limits::unlimited();
    Rules::new(game, &limits).unwrap().symmetries(kept, &Effort::default(), &limits).unwrap()
}

/// The number of symmetries that keep the initial state, and of all symmetries.
fn orders(game: &Game) -> (BigUint, BigUint) {
    let initial = State::from_flags(&game.init);
    let of_game = found(game, Kept { state: Some(&initial), roles: false });
    let of_rules = found(game, Kept::default());
    assert!(of_game.complete && of_rules.complete);
    (of_game.order(), of_rules.order())
}

/// The text of a formula with its leaves renamed. Comparing texts is a slow and obvious way to compare formulas.
fn text(game: &Game, node: NodeId, images: &Permutation) -> String {
    let inner = |children: &[NodeId]| -> String {
        let mut texts: Vec<String> = children.iter().map(|&child| text(game, child, images)).collect();
        texts.sort_unstable();
        texts.join(" ")
    };
    match game.graph.node(node) {
        Node::False => "false".to_owned(),
        Node::True => "true".to_owned(),
        Node::Fluent(fluent) => format!("f{}", images.fluents[fluent.index()].0),
        Node::Move(action) => format!("m{}", images.moves[action.index()].0),
        Node::Not(child) => format!("(not {})", inner(&[*child])),
        Node::And(children) => format!("(and {})", inner(children)),
        Node::Or(children) => format!("(or {})", inner(children)),
    }
}

fn identity(game: &Game) -> Permutation {
    Permutation {
        fluents: game.fluent_ids().collect(),
        moves: (0..game.moves.len() as u32).map(MoveId).collect(),
        roles: game.role_ids().collect(),
    }
}

fn is_symmetry(game: &Game, images: &Permutation) -> bool {
    let same = identity(game);
    let renamed = |node| text(game, node, images);
    let plain = |node| text(game, node, &same);
    let goals = |role: usize, written: &dyn Fn(NodeId) -> String| -> BTreeMap<u8, String> {
        game.goals[role].iter().map(|&(reward, node)| (reward, written(node))).collect()
    };
    renamed(game.terminal) == plain(game.terminal)
        && (0..game.fluents.len()).all(|f| renamed(game.next[f]) == plain(game.next[images.fluents[f].index()]))
        && (0..game.moves.len()).all(|m| {
            let (one, other) = (&game.moves[m], &game.moves[images.moves[m].index()]);
            renamed(one.legal) == plain(other.legal) && images.roles[one.role.index()] == other.role
        })
        && (0..game.roles.len()).all(|r| goals(r, &renamed) == goals(images.roles[r].index(), &plain))
}

fn permutations(number: u32) -> Vec<Vec<u32>> {
    let Some(last) = number.checked_sub(1) else { return vec![Vec::new()] };
    let with_last = |shorter: Vec<u32>| {
        (0..=shorter.len()).map(move |at| [&shorter[..at], &[last], &shorter[at..]].concat()).collect::<Vec<_>>()
    };
    permutations(last).into_iter().flat_map(with_last).collect()
}

fn all_symmetries(game: &Game, kept: Kept) -> BTreeSet<Permutation> {
    let mut all = BTreeSet::new();
    for fluents in permutations(game.fluents.len() as u32) {
        for moves in permutations(game.moves.len() as u32) {
            for roles in permutations(game.roles.len() as u32) {
                let images = Permutation {
                    fluents: fluents.iter().copied().map(FluentId).collect(),
                    moves: moves.iter().copied().map(MoveId).collect(),
                    roles: roles.iter().copied().map(RoleId).collect(),
                };
                let stays = kept.state.is_none_or(|state| images.state(state) == *state)
                    && (!kept.roles || images.roles == identity(game).roles);
                if stays && is_symmetry(game, &images) {
                    all.insert(images);
                }
            }
        }
    }
    all
}

fn products(game: &Game, generators: &[Permutation]) -> BTreeSet<Permutation> {
    let mut all = BTreeSet::from([identity(game)]);
    let mut open = vec![identity(game)];
    while let Some(one) = open.pop() {
        for other in generators {
            let product = one.then(other);
            if all.insert(product.clone()) {
                open.push(product);
            }
        }
    }
    all
}

/// A game of four fluents and up to four moves. Its formulas tell few things apart.
fn random_game(random: &mut Random) -> Game {
    let mut game = Game { name: "random".to_owned(), ..Game::default() };
    let (roles, moves) = (1 + random.below(2), 2 + random.below(3));
    game.roles = (0..roles).map(|role| term(&format!("r{role}"), &[])).collect();
    game.fluents = (0..4).map(|fluent| term(&format!("f{fluent}"), &[])).collect();
    game.init = (0..4).map(|_| random.chance(50)).collect();
    let leaf = |game: &mut Game, random: &mut Random, moves: usize| {
        let node = match random.below(4 + moves) {
            fluent @ 0..4 => game.graph.fluent(FluentId(fluent as u32)),
            action => game.graph.action(MoveId(action as u32 - 4)),
        };
        if random.chance(20) { game.graph.not(node) } else { node }
    };
    let formula = |game: &mut Game, random: &mut Random, moves: usize| {
        let mut parts: Vec<NodeId> = Vec::new();
        for _ in 0..1 + random.below(2) {
            let inner: Vec<NodeId> = (0..1 + random.below(3)).map(|_| leaf(game, random, moves)).collect();
            parts.push(game.graph.and(inner));
        }
        game.graph.or(parts)
    };
    // Half of the games have one formula in many places, so that there are symmetries to find.
    let alike = random.chance(50);
    let shared = formula(&mut game, random, 0);
    for action in 0..moves {
        let legal = if alike { shared } else { formula(&mut game, random, 0) };
        let role = RoleId((action * roles / moves) as u32);
        game.moves.push(Move {
            role,
            term: GroundTerm { name: format!("m{action}"), arguments: Vec::new() },
            legal,
            cost: 1,
        });
    }
    for fluent in 0..4 {
        let own = game.graph.fluent(FluentId(fluent));
        let own = if random.chance(50) { own } else { formula(&mut game, random, moves) };
        game.next.push(own);
    }
    game.terminal = formula(&mut game, random, 0);
    let not = game.graph.not(game.terminal);
    let terminal = game.terminal;
    game.goals = (0..roles).map(|_| vec![(0, not), (100, terminal)]).collect();
    game
}

#[test]
fn the_generators_make_all_symmetries_of_random_games() {
    let mut random = Random::new(7);
    let (mut several, mut of_roles) = (0, 0);
    for _ in 0..60 {
        let game = random_game(&mut random);
        let initial = State::from_flags(&game.init);
        for kept in [
            Kept::default(),
            Kept { state: Some(&initial), roles: false },
            Kept { state: None, roles: true },
            Kept { state: Some(&initial), roles: true },
        ] {
            let (found, all) = (found(&game, kept), all_symmetries(&game, kept));
            assert!(found.complete);
            assert_eq!(products(&game, &found.generators), all);
            assert_eq!(found.order(), BigUint::from(all.len()));
            for most in [1, 2, 5, 10_000] {
                let some: BTreeSet<Permutation> = found.elements(most).into_iter().collect();
                assert!(some.len() <= most.min(all.len()) && some.is_subset(&all));
                let closed = some.iter().all(|one| some.iter().all(|other| some.contains(&one.then(other))));
                assert!(closed && (some.len() == all.len() || most < 10_000 || all.len() == 1));
            }
            several += usize::from(all.len() > 1);
            of_roles += usize::from(all.iter().any(|images| images.roles != identity(&game).roles));
        }
    }
    assert!(several > 30 && of_roles > 1, "{several} {of_roles}");
}

#[test]
fn symmetries_map_steps_of_play_to_steps_of_play() {
    for game in [lines(3, 3, 3), lines(4, 2, 2), nim(6, 2)] {
        let interpreter = Interpreter::new(&game);
        let generators = found(&game, Kept::default()).generators;
        assert!(!generators.is_empty() || game.name == "nim");
        let mut random = Random::new(3);
        for images in generators.iter().cycle().take(40) {
            let mut state = interpreter.initial();
            loop {
                let (situation, image) = (interpreter.situation(&state), interpreter.situation(&images.state(&state)));
                assert_eq!(situation.terminal, image.terminal);
                let goals: Vec<u8> = situation.goals.iter().map(|goals| goals[0]).collect();
                assert_eq!(images.rewards(&goals), image.goals.iter().map(|goals| goals[0]).collect::<Vec<_>>());
                let Some(joint) = situation.random_joint_move(&mut random) else { break };
                let mut other = joint.clone();
                for (role, action) in joint.iter().enumerate() {
                    let to = images.moves[action.index()];
                    assert!(image.legal[images.roles[role].index()].contains(&to));
                    other[images.roles[role].index()] = to;
                }
                let after = interpreter.successor(&state, &joint);
                assert_eq!(images.state(&after), interpreter.successor(&images.state(&state), &other));
                state = after;
            }
        }
    }
}

#[test]
fn groups_of_boards_and_heaps() {
    let order = |of_game: u32, of_rules: u32| (BigUint::from(of_game), BigUint::from(of_rules));
    // The symmetries of a square; the player who is to move distinguishes the players.
    assert_eq!(orders(&lines(3, 3, 3)), order(8, 16));
    // The two cells of each column lie on the same lines; and there is the mirror.
    assert_eq!(orders(&lines(3, 2, 2)), order(16, 32));
    assert_eq!(orders(&nim(6, 2)), order(1, 2));
    assert_eq!(orders(&counter(6, false)), order(1, 1));
    // Every cell is a whole line, so all cells are alike.
    let (of_game, _) = orders(&lines(5, 1, 1));
    assert_eq!(of_game, BigUint::from(120u32));
}

#[test]
fn what_is_found_until_the_effort_is_spent_is_a_group() {
    let game = lines(4, 4, 4);
    let limits = Limits::unlimited();
    let rules = Rules::new(&game, &limits).unwrap();
    let all = rules.symmetries(Kept::default(), &Effort::default(), &limits).unwrap();
    let (mut given_up, mut part) = (0, 0);
    for least in (0..200).map(|step| step * 2_000) {
        let found =
            rules.symmetries(Kept::default(), &Effort { passes: 0, least, ..Effort::default() }, &limits).unwrap();
        if found.complete {
            assert_eq!(found, all);
            break;
        }
        given_up += 1;
        part += usize::from(!found.generators.is_empty());
        assert_eq!(BigUint::from(products(&game, &found.generators).len()), found.order());
        assert!(found.order() <= all.order());
    }
    assert!(given_up > 0 && part > 0 && given_up < 200, "{given_up} {part}");
}

#[test]
fn a_search_asks_for_memory_and_can_be_interrupted() {
    let game = lines(4, 4, 4);
    assert!(matches!(Rules::new(&game, &Limits::new(1000)), Err(limit) if !limit.ends_all()));
    let limits = Limits::unlimited();
    let rules = Rules::new(&game, &limits).unwrap();
    assert_eq!(limits.used(), 0);
    limits.interrupt();
    let ended = rules.symmetries(Kept::default(), &Effort::default(), &limits);
    assert_eq!(ended, Err(LimitReached::Interrupted));
}
