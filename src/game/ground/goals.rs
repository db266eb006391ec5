//! The rewards that goals name, and the goals whose value is no reward.

use super::assemble::Assembler;
use super::atom::AtomId;
use super::error::GroundError;
use super::term::TermId;
use crate::diagnostic::Diagnostic;
use crate::propositional::{Graph, NodeId, RoleId};
use crate::reward::{NoReward, reward};
use crate::rules::{Predicate, Rule, Term};
use crate::syntax::Span;
use rustc_hash::FxHashMap;

/// The most values that a warning lists.
const LISTED: usize = 3;

/// By role: the goals that can hold in relaxed reachable states.
pub struct Goals<T> {
    /// The rewards, ascending, with their atoms or the conditions of these.
    pub paid: Vec<Vec<(u8, T)>>,
    /// The atoms whose values are no rewards, or their conditions. Every role with such an atom has rewards, too.
    pub refused: Vec<Vec<T>>,
}

impl Goals<AtomId> {
    pub fn atoms(&self) -> impl Iterator<Item = AtomId> + '_ {
        let paid = self.paid.iter().flatten().map(|&(_, atom)| atom);
        paid.chain(self.refused.iter().flatten().copied())
    }

    pub fn conditions(&self, node: impl Fn(AtomId) -> NodeId) -> Goals<NodeId> {
        let paid = |goals: &Vec<(u8, AtomId)>| goals.iter().map(|&(value, atom)| (value, node(atom))).collect();
        let refused = |goals: &Vec<AtomId>| goals.iter().map(|&atom| node(atom)).collect();
        Goals { paid: self.paid.iter().map(paid).collect(), refused: self.refused.iter().map(refused).collect() }
    }
}

impl Goals<NodeId> {
    /// By role: the conditions of its rewards. A state in which a refused goal holds pays none.
    pub fn in_graph(self, graph: &mut Graph) -> Vec<Vec<(u8, NodeId)>> {
        let role = |(paid, refused): (Vec<(u8, NodeId)>, Vec<NodeId>)| {
            let any = graph.or(refused);
            let none = graph.not(any);
            paid.into_iter().map(|(value, node)| (value, graph.and([node, none]))).collect()
        };
        self.paid.into_iter().zip(self.refused).map(role).collect()
    }
}

impl Assembler<'_> {
    /// A value that came through a variable and is no reward may belong to states that play never reaches, so it is an
    /// error only if its role has no reward at all, or if it is a reward in another spelling. Values that rules name as
    /// constants were checked earlier.
    pub fn goals(&self, role_of: &FxHashMap<TermId, RoleId>) -> Result<Goals<AtomId>, GroundError> {
        let atoms = &self.evaluation.store.atoms;
        let (mut paid, mut refused) = (vec![Vec::new(); role_of.len()], vec![Vec::new(); role_of.len()]);
        for &atom in self.extent(Predicate::Goal) {
            // A goal of a name that is no role has no meaning; the check of the rules warns of it.
            let Some(role) = role_of.get(&atoms.arguments(atom)[0]) else { continue };
            match self.reward(atom) {
                Ok(number) => paid[role.index()].push((number, atom)),
                Err(NoReward::Value) => refused[role.index()].push(atom),
                Err(spelling) => return Err(self.wrong_goal(atom, spelling)),
            }
        }
        paid.iter_mut().for_each(|goals| goals.sort());
        let without = paid.iter().zip(&refused).find(|(paid, refused)| paid.is_empty() && !refused.is_empty());
        if let Some((_, refused)) = without {
            return Err(self.wrong_goal(refused[0], NoReward::Value));
        }
        Ok(Goals { paid, refused })
    }

    fn wrong_goal(&self, goal: AtomId, refused: NoReward) -> GroundError {
        GroundError::GoalValue { value: self.value(goal), refused, span: self.open_goal() }
    }

    fn reward(&self, goal: AtomId) -> Result<u8, NoReward> {
        let terms = &self.evaluation.store.terms;
        let value = self.evaluation.store.atoms.arguments(goal)[1];
        match terms.arguments(value) {
            [] => reward(self.symbols.name(terms.functor(value))),
            _ => Err(NoReward::Value),
        }
    }

    fn value(&self, goal: AtomId) -> String {
        self.display(self.evaluation.store.atoms.arguments(goal)[1]).to_string()
    }

    /// The first rule for goals with a value that is no constant.
    fn open_goal(&self) -> Span {
        let is_open = |rule: &&Rule| !matches!(rule.head.arguments.get(1), Some(Term::Constant(_)));
        let mut rules = self.program.rules.iter().filter(|rule| Some(rule.head.predicate) == self.id(Predicate::Goal));
        let rule = rules.clone().find(is_open).or_else(|| rules.next());
        rule.expect("an atom is the head of a rule").span
    }

    /// Warns of values that are no rewards, if their conditions can hold. `node`: the condition of an atom.
    pub fn refused_goals(&self, goals: &Goals<AtomId>, node: impl Fn(AtomId) -> NodeId) -> Option<Diagnostic> {
        let possible = goals.refused.iter().flatten().filter(|&&atom| node(atom) != NodeId::FALSE);
        let mut values: Vec<String> = possible.map(|&atom| self.value(atom)).collect();
        values.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        values.dedup();
        let more = match values.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let listed = values.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
        let message = format!("goal values that are no whole numbers from 0 to 100 may be reached: {listed}{more}");
        let advice = "if play ends in a state with one, the game is refused there, as it pays no reward";
        (!values.is_empty()).then(|| Diagnostic::warning("goal-value", self.open_goal(), message).with_advice(advice))
    }
}
