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

#[test]
fn managers_that_share_steps_end_together() {
    let (limits, steps) = (Arc::new(Limits::unlimited()), Steps::at_most(3 * AT_ONCE));
    // The sum of two numbers of as many bits each is large if the bits of one are all above those of the other.
    let large = |manager: &mut Manager| -> Result<Bdd, TooLarge> {
        (0..14).try_fold(Bdd::FALSE, |any, bit| {
            let (one, other) = (manager.literal(bit, true)?, manager.literal(14 + bit, true)?);
            let both = manager.and(one, other)?;
            manager.or(any, both)
        })
    };
    let mut managers = [(); 2].map(|()| Manager::new(1 << 20, &limits).with_steps(&steps));
    assert_eq!(managers.each_mut().map(&large), [Err(TooLarge::Steps), Err(TooLarge::Steps)]);
    assert!(large(&mut Manager::new(1 << 20, &limits)).is_ok());
    let mut manager = Manager::new(1 << 20, &limits).with_steps(&Steps::at_most(3 * AT_ONCE));
    assert_eq!(manager.within(100, large), Ok(None), "a want of room is told first");
}

#[test]
fn functions_of_many_levels_need_no_large_stack() {
    let deep = || {
        let limits = Arc::new(Limits::unlimited());
        let mut manager = Manager::new(1 << 20, &limits);
        let mut all = Bdd::TRUE;
        for level in (0..30_000).rev() {
            let literal = manager.literal(level, true).unwrap();
            all = manager.and(literal, all).unwrap();
        }
        let some = manager.not(all).unwrap();
        let substitution = FxHashMap::from_iter([(29_999, Bdd::TRUE)]);
        let composed = manager.compose(some, &substitution, &mut FxHashMap::default()).unwrap();
        [some, composed].map(|f| manager.support(f).len())
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(deep).unwrap();
    assert_eq!(thread.join().unwrap(), [30_000, 29_999]);
}
