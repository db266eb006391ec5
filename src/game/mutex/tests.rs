use super::invariant::Bound;
use super::*;
use crate::diagnostic::Source;
use crate::explicit::explore;
use crate::ground::{GroundOptions, ground};
use crate::proof::{Answer, Encoding};
use crate::propositional::GroupKind;
use crate::rules::gdl;
use crate::sample::handmade::{counter, lines, nim};

fn names(game: &Game, groups: &[Group]) -> Vec<(GroupKind, Vec<String>)> {
    let name = |group: &Group| group.fluents.iter().map(|id| game.fluents[id.index()].to_string()).collect();
    groups.iter().map(|group| (group.kind, name(group))).collect()
}

fn found(game: &Game) -> Vec<Group> {
    groups(game, &Effort::default(), &Limits::unlimited()).unwrap()
}

fn check(game: &Game, groups: &[Group]) {
    let exploration = explore(game, 100_000).unwrap();
    for id in exploration.ids() {
        for group in groups {
            let holding = group.fluents.iter().filter(|fluent| exploration.state(id).contains(**fluent)).count();
            assert!(holding == 1 || holding == 0 && group.kind == GroupKind::AtMostOne, "{group:?}");
        }
    }
    let mut covered: Vec<_> = groups.iter().flat_map(|group| group.fluents.clone()).collect();
    covered.sort_unstable();
    assert_eq!(covered, game.fluent_ids().collect::<Vec<_>>());
}

#[test]
fn tic_tac_toe_has_a_group_for_each_cell_and_one_for_control() {
    let game = lines(3, 3, 3);
    let groups = found(&game);
    check(&game, &groups);
    assert_eq!(groups.len(), 10);
    assert!(groups.iter().all(|group| group.kind == GroupKind::ExactlyOne));
    assert_eq!(groups[0].fluents.len(), 3);
    assert_eq!(names(&game, &groups)[9].1, ["(control x)", "(control o)"]);
}

#[test]
fn a_heap_is_one_group() {
    let game = nim(12, 3);
    let groups = found(&game);
    check(&game, &groups);
    let sizes: Vec<_> = groups.iter().map(|group| (group.kind, group.fluents.len())).collect();
    assert_eq!(sizes, [(GroupKind::ExactlyOne, 13), (GroupKind::ExactlyOne, 2)]);
}

#[test]
fn a_lone_flag_is_a_group_by_itself() {
    for cyclic in [false, true] {
        let game = counter(9, cyclic);
        let groups = found(&game);
        check(&game, &groups);
        assert_eq!(names(&game, &groups).last(), Some(&(GroupKind::AtMostOne, vec!["flag".to_owned()])));
    }
}

#[test]
fn spent_effort_leaves_valid_groups() {
    let game = lines(3, 3, 3);
    for work in [0, 10, 1_000, 10_000, 100_000] {
        check(&game, &groups(&game, &Effort { work, ..Effort::default() }, &Limits::unlimited()).unwrap());
    }
    let alone = groups(&game, &Effort { edges: 10, ..Effort::default() }, &Limits::unlimited()).unwrap();
    assert_eq!(alone.len(), game.fluents.len());
}

#[test]
fn the_same_game_has_the_same_groups_again() {
    let game = lines(4, 3, 3);
    assert_eq!(found(&game), found(&game));
}

/// Whether all claims hold at first, and after every step from a state in which all of them hold.
fn are_inductive(game: &Game, claims: &[Invariant]) -> bool {
    let limits = Limits::unlimited();
    let mut encoding = Encoding::new(game, &limits);
    let mut assumed = vec![encoding.step()];
    assumed.extend(claims.iter().map(|claim| claim.bound.assumed(&mut encoding, &claim.members)));
    claims.iter().all(|Invariant { members, bound }| {
        let holding = members.iter().filter(|id| game.init[id.index()]).count();
        let nodes: Vec<_> = members.iter().map(|id| game.next[id.index()]).collect();
        let after = encoding.nodes(&nodes);
        let (at_first, fails) = match bound {
            Bound::AtMostOne => (holding <= 1, vec![encoding.sat.at_least_two(&after)]),
            Bound::AtLeastOne => (holding >= 1, after.iter().map(|&member| !member).collect()),
        };
        let question: Vec<_> = assumed.iter().copied().chain(fails).collect();
        at_first && encoding.sat.solve(&question, 1_000_000) == Ok(Answer::Unsatisfiable)
    })
}

#[test]
fn what_is_kept_is_proved_from_what_is_kept() {
    for game in [lines(3, 3, 3), nim(12, 3), counter(9, false), counter(9, true)] {
        // One state of play contradicts little, so most candidates are false.
        let efforts = [(200, 60_000_000, 2_000), (1, 60_000_000, 2_000), (1, 20_000, 2_000), (2, 0, 2_000)];
        let few = [3, 10, 30, 100, 300].map(|conflicts| (1, 60_000_000, conflicts));
        for (steps, work, conflicts) in efforts.into_iter().chain(few) {
            let effort = Effort { steps, work, conflicts, ..Effort::default() };
            let (claims, _) = invariants(&game, &effort, &Limits::unlimited()).unwrap();
            assert!(are_inductive(&game, &claims), "{steps} steps, work {work}, {conflicts} conflicts: {claims:?}");
            check(&game, &cover::cover(&game, &claims));
        }
    }
}

#[test]
fn covers_are_those_of_what_they_take() {
    let (mut left, limits) = (0, Limits::unlimited());
    for game in [lines(3, 3, 3), lines(4, 3, 3), nim(12, 3), counter(9, true)] {
        for steps in [1, 3, 200] {
            let play = (steps, usize::MAX);
            let samples = simulate::Samples::new(&game, &Interpreter::new(&game), play, 1, &limits).unwrap();
            let claims = candidates::claims(&game, &samples, &limits).unwrap();
            let mut places = cover::taken(&game, &claims.iter().collect::<Vec<_>>());
            places.sort_unstable();
            places.dedup();
            let taken: Vec<Invariant> = places.iter().map(|&place| claims[place].clone()).collect();
            left += claims.len() - taken.len();
            assert_eq!(cover::cover(&game, &taken), cover::cover(&game, &claims));
        }
    }
    assert!(left > 0, "some claims are not taken");
}

/// The orders of five cards, of which a move turns the first ones. `broken`: one turn makes two orders of one.
fn turned_cards(broken: bool) -> Game {
    let cards = ["?a", "?b", "?c", "?d", "?e"];
    let mut text = String::from(
        "(role r) (init (order 2 4 1 5 3)) (init (step 0)) (<= (legal r (turn ?n)) (card ?n))
         (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 7))) (goal r 100)",
    );
    (1..=5).for_each(|card| text += &format!("(card {card})"));
    (0..7).for_each(|step| text += &format!("(succ {step} {})", step + 1));
    for turned in 1..=5 {
        let (first, last) = cards.split_at(turned);
        let before = [first.iter().rev().copied().collect::<Vec<_>>(), last.to_vec()].concat();
        let rule = |after: &[&str]| {
            format!(
                "(<= (next (order {})) (does r (turn {turned})) (true (order {})))",
                after.join(" "),
                before.join(" ")
            )
        };
        text += &rule(&cards);
        if broken && turned == 4 {
            text += &rule(&["?b", "?a", "?c", "?d", "?e"]);
        }
    }
    let program = gdl::program(&Source::new("cards", text.as_bytes())).0.unwrap();
    ground(&program, &Limits::unlimited(), &GroundOptions::default()).unwrap().game
}

#[test]
fn orders_of_many_things_are_one_group_and_proved_from_single_rules() {
    let (game, broken) = (turned_cards(false), turned_cards(true));
    let members = |game: &Game| -> Vec<_> {
        game.fluent_ids().filter(|id| game.fluents[id.index()].to_string().starts_with("(order")).collect()
    };
    assert_eq!(members(&game).len(), 120);
    for bound in [Bound::AtMostOne, Bound::AtLeastOne] {
        let claim = |members: &[_]| Invariant { members: members.to_vec(), bound };
        assert!(exchange::keeps(&game, &claim(&members(&game))), "{bound:?}");
        assert!(
            !exchange::keeps(&game, &claim(&members(&game)[1..])),
            "{bound:?}: a member comes from another fluent, or goes to one"
        );
        assert_eq!(exchange::keeps(&broken, &claim(&members(&broken))), bound == Bound::AtLeastOne, "{bound:?}");
    }
    let groups = found(&game);
    check(&game, &groups);
    let sizes: Vec<_> = groups.iter().map(|group| (group.kind, group.fluents.len())).collect();
    assert_eq!(sizes, [(GroupKind::ExactlyOne, 120), (GroupKind::ExactlyOne, 8)]);
    check(&broken, &found(&broken));
}
