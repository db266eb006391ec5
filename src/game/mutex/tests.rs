use super::*;
use crate::explicit::explore;
use crate::propositional::GroupKind;
use crate::sample::handmade::{counter, lines, nim};

fn names(game: &Game, groups: &[Group]) -> Vec<(GroupKind, Vec<String>)> {
    let name = |group: &Group| group.fluents.iter().map(|id| game.fluents[id.index()].to_string()).collect();
    groups.iter().map(|group| (group.kind, name(group))).collect()
}

fn found(game: &Game) -> Vec<Group> {
    groups(game, &Effort::default(), &Limits::unlimited()).unwrap()
}

/// No reachable state contradicts a group, and every fluent is in one group.
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
