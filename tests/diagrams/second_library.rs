//! The kernel against OxiDD's zero-suppressed diagrams: layers of random games too large for explicit sets, their
//! algebra, numbers of elements and, as both are canonical, of nodes.

use base::limits::Limits;
use kernel::{
    Context, Diagram, IDENTITY, Level, NONE, Node, RelationId, Relations, difference, image, intersection, union,
};
use oxidd::util::{SatCountCache, num::Saturating};
use oxidd::zbdd::{ZBDDFunction, ZBDDManagerRef};
use oxidd::{BooleanFunction, BooleanVecSet, Function, Manager, ManagerRef};
use proptest::prelude::*;
use std::sync::Arc;

const LEVELS: u32 = 18;

/// A move: levels with their values before and after.
type Move = Vec<(u32, bool, bool)>;

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let literal = (0..LEVELS, any::<bool>(), any::<bool>());
    let one = prop::collection::vec(literal, 1..5).prop_map(|mut literals| {
        literals.sort_unstable();
        literals.dedup_by_key(|literal| literal.0);
        literals
    });
    prop::collection::vec(one, 1..14)
}

fn relation(store: &mut Relations, literals: &Move) -> RelationId {
    literals.iter().rev().fold(IDENTITY, |below, &(level, before, after)| {
        let mut t = [NONE; 4];
        t[2 * usize::from(before) + usize::from(after)] = below;
        store.make(Level::new(level), t)
    })
}

/// The image under one move by the other library's operations.
fn moved(set: &ZBDDFunction, literals: &Move) -> ZBDDFunction {
    literals.iter().fold(set.clone(), |set, &(level, before, after)| {
        let without = if before { set.subset1(level).unwrap() } else { set.subset0(level).unwrap() };
        if after { without.change(level).unwrap() } else { without }
    })
}

fn single(manager: &ZBDDManagerRef, assignment: &[bool]) -> ZBDDFunction {
    let base = manager.with_manager_shared(|manager| ZBDDFunction::base(manager));
    let set = (0..LEVELS).filter(|&level| assignment[level as usize]);
    set.fold(base, |set, level| set.change(level).unwrap())
}

/// Inner nodes and the terminals they lead to.
fn nodes(diagram: &Diagram) -> usize {
    let leads = |terminal| {
        diagram.root() == terminal || diagram.node_ids().any(|node| diagram.children(node).contains(&terminal))
    };
    diagram.node_count() as usize + usize::from(leads(Node::ZERO)) + usize::from(leads(Node::ONE))
}

fn same(ours: &Diagram, theirs: &ZBDDFunction) -> Result<(), TestCaseError> {
    let mut cache: SatCountCache<Saturating<u64>, rustc_hash::FxBuildHasher> = SatCountCache::default();
    let context = Context::new(Arc::new(Limits::unlimited()), 1);
    prop_assert_eq!(ours.count(&context), Ok(theirs.sat_count(LEVELS, &mut cache).0.into()));
    prop_assert_eq!(nodes(ours), theirs.node_count());
    if let Some(element) = ours.pick(1) {
        prop_assert!(theirs.eval(element.iter().enumerate().map(|(level, &bit)| (level as u32, bit))));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn layers_and_their_algebra(
        all in moves(),
        start in prop::collection::vec(any::<bool>(), LEVELS as usize),
        threads in 1_usize..3,
    ) {
        let context = Context::new(Arc::new(Limits::unlimited()), threads).with(|manner| manner.shared_from = Some(16));
        let manager = oxidd::zbdd::new_manager(1 << 20, 1 << 18, 1);
        manager.with_manager_exclusive(|manager| manager.add_vars(LEVELS));
        let mut store = Relations::new();
        let roots: Vec<RelationId> = all.iter().map(|literals| relation(&mut store, literals)).collect();
        let mut layer = Diagram::single(LEVELS, &start);
        let mut theirs = single(&manager, &start);
        let (mut seen, mut theirs_seen) = (union(&[&layer], &context).unwrap(), theirs.clone());
        for _ in 0..8 {
            same(&layer, &theirs)?;
            let next = image(&layer, &store, &roots, &context).unwrap();
            let empty = manager.with_manager_shared(|manager| ZBDDFunction::empty(manager));
            let theirs_next = all.iter().fold(empty, |set, one| set.union(&moved(&theirs, one)).unwrap());
            same(&next, &theirs_next)?;
            same(&intersection(&next, &seen, &context).unwrap(), &theirs_next.intsec(&theirs_seen).unwrap())?;
            layer = union(&[&next, &layer], &context).unwrap();
            theirs = theirs_next.union(&theirs).unwrap();
            same(&difference(&layer, &seen, &context).unwrap(), &theirs.diff(&theirs_seen).unwrap())?;
            seen = union(&[&seen, &layer, &next], &context).unwrap();
            theirs_seen = theirs_seen.union(&theirs).unwrap();
            same(&seen, &theirs_seen)?;
        }
    }
}
