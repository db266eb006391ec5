//! The brute-force solver that the others are compared with, on games whose figures are known.

use crate::common::explicit::{ExplicitError, explore, layers, retrograde, solve};
use crate::common::sample::handmade::{counter, lines, nim};
use game::interpreter::Violation;
use game::propositional::{FluentId, Game, NodeId, RoleId};
use game::reward::OpponentModel;

#[test]
fn tic_tac_toe_has_its_known_layers_and_values() {
    let solution = solve(&lines(3, 3, 3), OpponentModel::MaxOwn, 10_000).unwrap();
    let states: Vec<u64> = solution.layers.iter().map(|(count, _)| count.states).collect();
    let terminal: Vec<u64> = solution.layers.iter().map(|(count, _)| count.terminal).collect();
    assert_eq!(states, [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
    assert_eq!(terminal, [0, 0, 0, 0, 0, 120, 148, 444, 168, 78]);
    assert_eq!(solution.exploration.len(), 5478);
    assert_eq!(solution.exploration.terminal_states(), 958);
    assert_eq!(solution.initial_value(), [50, 50]);
    assert!(solution.disjoint_layers && solution.alternating);
    let layer_three: Vec<_> = solution.layers[3].1.iter().map(|(value, count)| (value.clone(), *count)).collect();
    assert_eq!(layer_three, [(vec![0, 100], 50), (vec![50, 50], 138), (vec![100, 0], 64)]);
}

#[test]
fn nim_is_lost_on_multiples_of_most_plus_one() {
    for heap in 1..20 {
        let solution = solve(&nim(heap, 3), OpponentModel::MaxDiff, 1_000).unwrap();
        let expected = if heap % 4 == 0 { [0, 100] } else { [100, 0] };
        assert_eq!(solution.initial_value(), expected, "{heap} matches");
        assert_eq!(solution.disjoint_layers, heap < 3, "{heap} matches");
    }
}

#[test]
fn layers_count_a_state_once_in_each_layer_it_is_in() {
    // 0 | 1 2' | 2 3' 4' | 3 4', where the flag marks what was reached by a step of two.
    let solution = solve(&counter(3, false), OpponentModel::MaxOwn, 100).unwrap();
    let counts: Vec<(u64, u64)> = solution.layers.iter().map(|(count, _)| (count.states, count.terminal)).collect();
    assert_eq!(counts, [(1, 0), (2, 0), (3, 2), (2, 2)]);
    assert_eq!(solution.exploration.len(), 7);
    assert_eq!(solution.initial_value(), [100]);
}

#[test]
fn endless_play_is_refused_but_explored() {
    let game = counter(3, true);
    assert!(matches!(solve(&game, OpponentModel::MaxOwn, 100), Err(ExplicitError::Cyclic)));
    let exploration = explore(&game, 100).unwrap();
    assert_eq!(exploration.len(), 7);
    assert_eq!(layers(&exploration, 50).len(), 50);
    assert_eq!(exploration.topological_order(), None);
}

#[test]
fn the_bound_on_states_is_kept() {
    assert!(matches!(solve(&lines(3, 3, 3), OpponentModel::MaxOwn, 5477), Err(ExplicitError::Limit(_))));
    assert!(solve(&lines(3, 3, 3), OpponentModel::MaxOwn, 5478).is_ok());
}

/// Tic-tac-toe in which, after the first mark of a corner, both players may mark.
fn impatient() -> Game {
    let mut game = lines(3, 3, 3);
    let corner = game.graph.fluent(FluentId(0));
    for index in 0..game.moves.len() {
        let legal = game.moves[index].legal;
        game.moves[index].legal = game.graph.or([legal, corner]);
    }
    game
}

#[test]
fn a_simultaneous_choice_is_refused_with_a_shortest_path() {
    let game = impatient();
    let Err(ExplicitError::IllFormed(witness)) = solve(&game, OpponentModel::MaxOwn, 100_000) else {
        panic!("accepted");
    };
    assert_eq!(witness.violation, Violation::Simultaneous(RoleId(0), RoleId(1)));
    let path: Vec<Vec<String>> = (witness.path.iter())
        .map(|joint| joint.iter().map(|id| game.moves[id.index()].term.to_string()).collect())
        .collect();
    assert_eq!(path, [["(mark 1 1)", "noop"]]);
    assert!(witness.state.names(&game).contains(&"(cell 1 1 x)".to_owned()));
}

#[test]
fn missing_moves_and_rewards_are_refused() {
    let mut stuck = nim(5, 2);
    stuck.terminal = NodeId::FALSE;
    let result = solve(&stuck, OpponentModel::MaxOwn, 100);
    assert!(
        matches!(result, Err(ExplicitError::IllFormed(witness)) if matches!(witness.violation, Violation::NoMove(_)))
    );

    let mut unrewarded = nim(5, 2);
    unrewarded.goals[1].truncate(1);
    let result = solve(&unrewarded, OpponentModel::MaxOwn, 100);
    let violation = Violation::Goals { role: RoleId(1), rewards: vec![] };
    assert!(
        matches!(result, Err(ExplicitError::IllFormed(witness)) if witness.violation == violation && witness.path.len() == 4)
    );
}

#[test]
fn where_play_ends_retrograde_iteration_is_backward_induction() {
    for game in [lines(3, 3, 3), nim(9, 3), counter(4, false)] {
        for model in OpponentModel::ALL {
            let (backward, retrograde) =
                (solve(&game, model, 10_000).unwrap(), retrograde(&game, model, 10_000).unwrap());
            for id in backward.exploration.ids() {
                assert_eq!(Some(backward.value(id)), retrograde.values[id.index()].as_deref());
            }
        }
    }
}

#[test]
fn who_can_only_wait_for_ever_gets_nothing() {
    let solution = retrograde(&counter(3, true), OpponentModel::MaxOwn, 100).unwrap();
    assert!(solution.values.iter().all(Option::is_none));
}
