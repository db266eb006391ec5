use super::*;
use crate::sample::handmade::lines;
use base::limits::Limits;
use game::mutex;

/// The sets found for each layer, the last layer first, with this number of states at a time.
fn found(at_once: usize) -> Vec<[Diagram; 4]> {
    let (game, limits) = (lines(3, 3, 3), Arc::new(Limits::unlimited()));
    let groups = mutex::groups(&game, &mutex::Effort::default(), &limits).unwrap();
    let order: Vec<usize> = (0..groups.len()).collect();
    let variables = Variables::new(game.fluents.len(), &groups, &vec![None; groups.len()], &order);
    let context = Context::new(limits, 2);
    let states = States { at_once, ..States::new(&game, variables, &context) };
    let mut layers = vec![Diagram::single(states.variables().levels(), states.initial())];
    loop {
        let next = states.successors(layers.last().unwrap()).unwrap();
        if next.is_empty() {
            break;
        }
        layers.push(next);
    }
    assert!(layers.iter().any(|layer| layer.count(&context).unwrap() > BigUint::from(1000u32)));
    let rank =
        |role: usize| std::iter::once(0).chain(states.rewards.iter().map(|of| u32::from(of[role]) + 1)).collect();
    let mut preferences = Preferences::new((0..2).map(rank).collect());
    let end = || Diagram::constant(states.variables().levels(), 0);
    let (mut all, mut after) = (Vec::new(), (end(), end()));
    for layer in layers.into_iter().rev() {
        let values = || states.values(&layer, Some(&after.0), (&after.1).into(), &preferences).unwrap();
        let [values, again] = [values(), values()];
        // Adds a case with one value for all successors, and with a bonus for terminal states.
        preferences.terminals = vec![0, 1, 3, 2];
        let same = Diagram::constant(layer.levels(), 2);
        let first = states.values(&layer, None, (&same).into(), &preferences).unwrap();
        preferences.terminals.clear();
        let ends = states.terminals(&layer).unwrap();
        all.push([again, first, ends, states.predecessors(&layer, &after.0).unwrap()]);
        after = (layer, values);
    }
    all
}

#[test]
fn states_that_are_listed_in_parts_are_worth_the_same() {
    let whole = found(AT_ONCE);
    assert!(whole.iter().flatten().any(|found| found.terminals().len() > 2));
    for at_once in [1000, 77, 5] {
        assert!(found(at_once) == whole, "{at_once} at a time");
    }
}
