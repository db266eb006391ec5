//! Splits conditions of moves whose diagrams are too large.
//!
//! Such a condition becomes cases, one of which must hold. A case has a part with a small diagram, which a relation
//! reads, and possibly a part that stays *apart*: a formula that selects the states to which the relation is applied
//! (see [`super::residual`]). A disjunction has the cases of its parts; cases with the same part apart are united. A
//! conjunction keeps its small parts together as long as their diagram stays small. Cost: a few nodes of the graph for
//! each case.

use super::formulas::Formulas;
use crate::bdd::{Bdd, TooLarge};
use crate::propositional::{Graph, Node, NodeId};

/// Bound on the cases of a condition.
const CASES: usize = 8;
/// Bound on the depth of connectives that are split to find cases.
const DEPTH: usize = 4;
/// Bound on the nodes of the diagram of the part that all cases of a conjunction share.
const SMALL: usize = 128;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// The small part, as a node of the graph.
    pub guard: NodeId,
    /// The diagram of `guard`.
    pub bdd: Bdd,
    pub apart: Option<NodeId>,
}

/// Finds the cases of conditions. New nodes are added to `graph`, which extends the graph of the formulas.
pub struct Guards<'a, 'b> {
    pub formulas: &'a mut Formulas<'b>,
    pub graph: &'a mut Graph,
}

impl Guards<'_, '_> {
    /// The cases of a condition; none if it never holds. A small condition is its own single case.
    pub fn cases(&mut self, condition: NodeId) -> Result<Vec<Case>, TooLarge> {
        self.split(condition, true, DEPTH)
    }

    /// The diagram of the disjunction of the cases' guards, which the condition implies; `None` if it is too large.
    pub fn without_apart(&mut self, cases: &[Case]) -> Result<Option<Bdd>, TooLarge> {
        let room = self.formulas.room;
        let manager = &mut self.formulas.manager;
        manager.within(room, |manager| cases.iter().try_fold(Bdd::FALSE, |any, case| manager.or(case.bdd, any)))
    }

    fn split(&mut self, node: NodeId, positive: bool, depth: usize) -> Result<Vec<Case>, TooLarge> {
        if let Some(bdd) = self.formulas.small(node)? {
            let bdd = if positive { bdd } else { self.formulas.manager.not(bdd)? };
            let whole = Case { guard: self.signed(node, positive), bdd, apart: None };
            return Ok(if bdd == Bdd::FALSE { Vec::new() } else { vec![whole] });
        }
        let Some(deeper) = depth.checked_sub(1) else { return Ok(vec![self.all_apart(node, positive)]) };
        let shape = self.graph.node(node).clone();
        if let Node::Not(child) = shape {
            return self.split(child, !positive, deeper);
        }
        let parts: Vec<NodeId> = shape.children().to_vec();
        match matches!(shape, Node::Or(_)) == positive {
            true => self.either(node, &parts, positive, deeper),
            false => self.both(&parts, positive, deeper),
        }
    }

    fn signed(&mut self, node: NodeId, positive: bool) -> NodeId {
        if positive { node } else { self.graph.not(node) }
    }

    fn all_apart(&mut self, node: NodeId, positive: bool) -> Case {
        Case { guard: NodeId::TRUE, bdd: Bdd::TRUE, apart: Some(self.signed(node, positive)) }
    }

    fn either(&mut self, node: NodeId, parts: &[NodeId], positive: bool, depth: usize) -> Result<Vec<Case>, TooLarge> {
        let mut cases: Vec<Case> = Vec::new();
        for &part in parts {
            for case in self.split(part, positive, depth)? {
                let like = cases.iter().position(|known| known.apart == case.apart);
                let known = like.map(|place| cases[place]);
                let united = known.map_or(Ok(None), |known| self.united(&[known, case]))?;
                match (like, united) {
                    (Some(place), Some((guard, bdd))) => cases[place] = Case { guard, bdd, ..case },
                    _ => cases.push(case),
                }
            }
        }
        if cases.len() <= CASES {
            return Ok(cases);
        }
        let whole = self.all_apart(node, positive);
        Ok(vec![self.united(&cases)?.map_or(whole, |(guard, bdd)| Case { guard, bdd, ..whole })])
    }

    /// The disjunction of the guards of the cases, with its diagram; `None` if the diagram is too large.
    fn united(&mut self, cases: &[Case]) -> Result<Option<(NodeId, Bdd)>, TooLarge> {
        let Some(bdd) = self.without_apart(cases)? else { return Ok(None) };
        Ok(Some((self.graph.or(cases.iter().map(|case| case.guard)), bdd)))
    }

    /// The cases of a conjunction: those of its only large part, each with the small parts, if diagrams stay small;
    /// otherwise a single case with the large parts apart.
    fn both(&mut self, parts: &[NodeId], positive: bool, depth: usize) -> Result<Vec<Case>, TooLarge> {
        let mut common = Case { guard: NodeId::TRUE, bdd: Bdd::TRUE, apart: None };
        let (mut small, mut large) = (Vec::new(), Vec::new());
        for &part in parts {
            match self.formulas.small(part)? {
                Some(bdd) => {
                    let bdd = if positive { bdd } else { self.formulas.manager.not(bdd)? };
                    small.push((self.formulas.manager.size(bdd), part, bdd));
                }
                None => large.push(part),
            }
        }
        // If no part is large by itself, the relation reads only parts that are conjunctions of literals.
        let only_literals = large.is_empty();
        small.sort_unstable();
        for (_, part, bdd) in small {
            let case = Case { guard: self.signed(part, positive), bdd, apart: None };
            let worth = !only_literals || self.formulas.manager.is_cube(bdd);
            let with = if worth { self.with(&common, &case)? } else { None };
            match with.filter(|with| self.formulas.manager.size(with.bdd) <= SMALL) {
                Some(with) => common = with,
                None => large.push(part),
            }
        }
        if common.bdd == Bdd::FALSE {
            return Ok(Vec::new());
        }
        if let [only] = large[..] {
            let cases = self.split(only, positive, depth)?;
            let with = cases.iter().map(|case| self.with(&common, case)).collect::<Result<Option<Vec<_>>, _>>()?;
            if let Some(mut cases) = with {
                cases.retain(|case| case.bdd != Bdd::FALSE);
                return Ok(cases);
            }
        }
        let apart: Vec<NodeId> = large.into_iter().map(|part| self.signed(part, positive)).collect();
        Ok(vec![Case { apart: Some(self.graph.and(apart)), ..common }])
    }

    /// The conjunction of two cases; only the second may have a part apart. `None` if its diagram is too large.
    fn with(&mut self, common: &Case, case: &Case) -> Result<Option<Case>, TooLarge> {
        let room = self.formulas.room;
        let both = self.formulas.manager.within(room, |manager| manager.and(common.bdd, case.bdd))?;
        let Some(bdd) = both else { return Ok(None) };
        Ok(Some(Case { guard: self.graph.and([common.guard, case.guard]), bdd, apart: case.apart }))
    }
}
