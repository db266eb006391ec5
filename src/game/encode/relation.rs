//! Builds joint moves as identity-reduced relations.
//!
//! A relation is built level by level from the guard of a move and the formulas of the new values of the variables that
//! it changes. A node splits by the old value of its level. If the variable may change, each new value is combined with
//! the condition under which the move gives it, and that condition is added to the guard. There are no frame axioms: a
//! level without a node keeps its value. A conditional effect needs no other form, only more nodes.

use super::formulas::Formulas;
use super::joint::Joint;
use super::variables::FluentCode;
use crate::bdd::{Bdd, CONSTANT_LEVEL, TooLarge};
use base::limits::{Account, LimitReached, Limits, table_bytes};
use base::machine::deep;
use kernel::Level;
use kernel::{IDENTITY, NONE, RelationId, RelationNode, Relations};
use rustc_hash::FxHashMap;
use std::sync::Arc;

const NODES: usize = 1 << 19;
/// Bound on the entries (8 bytes each) of all lists of effects in the memo; many pending effects make lists long.
const EFFECTS: usize = 1 << 23;

/// The changed variables from some level on, ascending, each with the formula of its new value.
type Effects = Vec<(u32, Bdd)>;

#[derive(Debug, Clone)]
pub struct Transition {
    pub guard: Bdd,
    pub effects: Effects,
}

/// The diagrams of a joint move, without effects that change nothing; `None` if a diagram is too large.
pub fn transition(formulas: &mut Formulas, joint: &Joint) -> Result<Option<Transition>, TooLarge> {
    let Some(guard) = formulas.small(joint.guard)? else { return Ok(None) };
    let mut effects = Vec::new();
    for &(fluent, node) in &joint.effects {
        let FluentCode::Level(level) = formulas.variables.code(fluent) else { continue };
        let Some(value) = formulas.small(node)? else { return Ok(None) };
        let old = formulas.manager.literal(level, true)?;
        let changed = formulas.manager.xor(old, value)?;
        if formulas.meet(changed, guard)? {
            effects.push((level, value));
        }
    }
    effects.sort_unstable();
    Ok(Some(Transition { guard, effects }))
}

const MEMO_BYTES: usize = size_of::<((Bdd, Effects, u32), RelationId)>();
/// Bytes of the head of an entry's list on the heap.
const HEAD_BYTES: usize = 16;

fn node_bytes(nodes: usize) -> usize {
    2 * nodes * size_of::<RelationNode>() + table_bytes(nodes, size_of::<(RelationNode, RelationId)>())
}

pub struct RelationBuilder {
    /// Relations by guard, effects, and a level. The variables before that level that are still to be read belong to a
    /// group whose true variable was already read; the level is 0 if there is no such group.
    memo: FxHashMap<(Bdd, Effects, u32), RelationId>,
    effects: usize,
    account: Account,
}

impl RelationBuilder {
    /// The memory of the relations is reserved from `limits` as long as the builder lives.
    pub fn new(limits: &Arc<Limits>) -> RelationBuilder {
        RelationBuilder { memo: FxHashMap::default(), effects: 0, account: Account::new(limits) }
    }

    pub fn build(
        &mut self,
        formulas: &mut Formulas,
        relations: &mut Relations,
        transition: &Transition,
    ) -> Result<RelationId, TooLarge> {
        self.node(formulas, relations, transition.guard, transition.effects.clone(), 0)
    }

    /// The recursion goes down at least one level with each call.
    fn node(
        &mut self,
        formulas: &mut Formulas,
        relations: &mut Relations,
        guard: Bdd,
        effects: Effects,
        taken: u32,
    ) -> Result<RelationId, TooLarge> {
        match (guard, effects.is_empty()) {
            (Bdd::FALSE, _) => return Ok(NONE),
            (Bdd::TRUE, true) => return Ok(IDENTITY),
            _ => {}
        }
        let manager = &mut formulas.manager;
        let level =
            effects.iter().map(|&(level, value)| level.min(manager.level(value))).fold(manager.level(guard), u32::min);
        debug_assert_ne!(level, CONSTANT_LEVEL);
        let taken = if level < taken { taken } else { 0 };
        let key = (guard, effects, taken);
        if let Some(&known) = self.memo.get(&key) {
            return Ok(known);
        }
        self.effects += key.1.len();
        if relations.nodes().len() > NODES || self.effects > EFFECTS {
            return Err(TooLarge::Nodes);
        }
        let lists = self.effects * size_of::<(u32, Bdd)>() + self.memo.len() * HEAD_BYTES;
        let memo = table_bytes(self.memo.len() + 1, MEMO_BYTES);
        self.account.grow_to((lists + memo + node_bytes(relations.nodes().len() + 1)) as u64)?;
        let effects = &key.1;
        let mut targets = [NONE; 4];
        for old in [false, true] {
            let guard = formulas.manager.cofactor(guard, level, old);
            if guard == Bdd::FALSE || (old && taken != 0) {
                continue;
            }
            let taken = if old { formulas.variables.block_of(level).levels().end } else { taken };
            let mut below: Effects = effects
                .iter()
                .map(|&(changed, value)| (changed, formulas.manager.cofactor(value, level, old)))
                .collect();
            if below.first().is_some_and(|&(changed, _)| changed == level) {
                let (_, value) = below.remove(0);
                for new in [false, true] {
                    let value = if new { value } else { formulas.manager.not(value)? };
                    let guard = formulas.manager.and(guard, value)?;
                    targets[2 * old as usize + new as usize] =
                        deep(|| self.node(formulas, relations, guard, below.clone(), taken))?;
                }
            } else {
                targets[3 * old as usize] = deep(|| self.node(formulas, relations, guard, below, taken))?;
            }
        }
        let made = relations.make(Level::new(level), targets);
        self.memo.insert(key, made);
        Ok(made)
    }
}

/// Unites pairs of relations if the union is hardly larger than both together. Returns united and remaining relations.
pub fn merged(
    relations: &mut Relations,
    mut parts: Vec<RelationId>,
    limits: &Arc<Limits>,
) -> Result<Vec<RelationId>, LimitReached> {
    let mut account = Account::new(limits);
    let before = relations.nodes().len();
    parts.retain(|&part| part != NONE);
    parts.sort_by_key(|&part| (relations.node(part).level, part));
    parts.dedup();
    let mut lists: Vec<Vec<RelationId>> = parts.into_iter().map(|part| vec![part]).collect();
    while lists.len() > 1 {
        let mut joined = Vec::with_capacity(lists.len().div_ceil(2));
        for pair in lists.chunks(2) {
            limits.check()?;
            joined.push(match pair {
                [left, right] => join(relations, left, right),
                _ => pair.concat(),
            });
            // The memo of a union has about as many entries as the union has new nodes.
            let new = relations.nodes().len() - before;
            account.grow_to(
                (node_bytes(new) + table_bytes(new, size_of::<((RelationId, RelationId), RelationId)>())) as u64,
            )?;
        }
        lists = joined;
    }
    // There is no list if there were no parts, or only empty ones.
    Ok(lists.pop().unwrap_or_default())
}

fn join(relations: &mut Relations, left: &[RelationId], right: &[RelationId]) -> Vec<RelationId> {
    if let ([first], [second]) = (left, right) {
        let apart = relations.size(&[*first, *second]);
        let most = apart + apart / 4 + 16;
        if let Some(united) = relations.union_within(*first, *second, most)
            && relations.size(&[united]) <= most
        {
            return vec![united];
        }
    }
    [left, right].concat()
}
