//! Compares every operation with truth tables over three variables.

use super::*;

const LEVELS: u32 = 3;

fn assignments() -> impl Iterator<Item = [bool; 3]> {
    (0..8u32).map(|bits| [bits & 1 != 0, bits & 2 != 0, bits & 4 != 0])
}

/// The function whose truth table is `table`, built from minterms.
fn function(manager: &mut Manager, table: u8) -> Bdd {
    let mut f = Bdd::FALSE;
    for (index, assignment) in assignments().enumerate() {
        if table >> index & 1 == 1 {
            let mut term = Bdd::TRUE;
            for level in 0..LEVELS {
                let literal = manager.literal(level, assignment[level as usize]).unwrap();
                term = manager.and(term, literal).unwrap();
            }
            f = manager.or(f, term).unwrap();
        }
    }
    f
}

fn table(manager: &Manager, f: Bdd) -> u8 {
    assignments().enumerate().map(|(index, assignment)| (manager.evaluate(f, &assignment) as u8) << index).sum()
}

fn new_manager(bound: usize) -> Manager {
    Manager::new(bound, &Arc::new(Limits::unlimited()))
}

#[test]
fn all_pairs_of_functions() {
    let mut manager = new_manager(1 << 20);
    let all: Vec<Bdd> = (0..=255).map(|t| function(&mut manager, t)).collect();
    for (x, &f) in all.iter().enumerate() {
        assert_eq!(table(&manager, f), x as u8);
        let not = manager.not(f).unwrap();
        assert_eq!(not, all[255 - x]);
        for (y, &g) in all.iter().enumerate() {
            assert_eq!(manager.and(f, g).unwrap(), all[x & y]);
            assert_eq!(manager.or(f, g).unwrap(), all[x | y]);
            assert_eq!(manager.xor(f, g).unwrap(), all[x ^ y]);
        }
    }
}

#[test]
fn compose_replaces_a_variable() {
    let mut manager = new_manager(1 << 20);
    for t in 0..=255u8 {
        for s in (0..=255u8).step_by(7) {
            let (f, g) = (function(&mut manager, t), function(&mut manager, s));
            let substitution = FxHashMap::from_iter([(1, g)]);
            let composed = manager.compose(f, &substitution, &mut FxHashMap::default()).unwrap();
            for assignment in assignments() {
                let mut replaced = assignment;
                replaced[1] = manager.evaluate(g, &assignment);
                assert_eq!(manager.evaluate(composed, &assignment), manager.evaluate(f, &replaced));
            }
        }
    }
}

#[test]
fn bounds_are_kept() {
    let mut manager = new_manager(4);
    manager.literal(0, true).unwrap();
    manager.literal(1, true).unwrap();
    assert_eq!(manager.literal(2, true), Err(TooLarge::Nodes));
    let mut manager = new_manager(100);
    assert_eq!(
        manager.within(1, |m| {
            m.literal(0, true)?;
            m.literal(1, true)
        }),
        Ok(None)
    );
    assert_eq!(manager.within(1, |m| m.literal(0, true)).map(|f| f.is_some()), Ok(true));
}

#[test]
fn memory_is_accounted_refused_and_given_back() {
    let limits = Arc::new(Limits::new(20_000));
    let mut manager = Manager::new(1 << 20, &limits);
    let mut parity = Bdd::FALSE;
    let refused = (0..1000).find_map(|level| {
        let literal = manager.literal(level, true);
        match literal.and_then(|literal| manager.xor(literal, parity)) {
            Ok(next) => {
                parity = next;
                None
            }
            Err(error) => Some(error),
        }
    });
    assert!(matches!(refused, Some(TooLarge::Limit(limit)) if matches!(*limit, LimitReached::Memory { .. })));
    assert!((5_000..=20_000).contains(&limits.used()), "{}", limits.used());
    let used = limits.used();
    let before = manager.and(parity, Bdd::TRUE);
    manager.drop_results();
    assert!(limits.used() < used && before == Ok(parity));
    drop(manager);
    assert_eq!(limits.used(), 0);
}

#[test]
fn an_interrupted_run_ends_where_a_manager_grows() {
    let limits = Arc::new(Limits::unlimited());
    limits.interrupt();
    let refused = Manager::new(100, &limits).literal(0, true);
    assert_eq!(refused, Err(TooLarge::Limit(Box::new(LimitReached::Interrupted))));
}
