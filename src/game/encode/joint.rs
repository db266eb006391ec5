//! Finds the joint moves: one move of each role, which can be legal together, and the changes by each combination.
//!
//! In a turn-taking game at most one role has a choice, and usually one fluent ("control") decides which. The search
//! for such a fluent includes a proof: if the fluent holds, all roles but one have at most one legal move; if it does
//! not hold, the same is true with another role. The number of combinations is then the sum of the numbers of moves
//! instead of their product.

use super::formulas::Formulas;
use super::guards::{Case, Guards};
use super::partial::PartialEvaluation;
use super::{EncodeError, move_names};
use crate::bdd::{Bdd, TooLarge};
use crate::propositional::{FluentId, Game, Graph, MoveId, NodeId, RoleId};
use base::limits::Account;
use rustc_hash::{FxHashMap, FxHashSet};

const COMBINATIONS: usize = 1 << 22;
const CANDIDATES: usize = 64;
/// Bound on the conditions that stay apart from relations, because an image selects states by each of them.
const CONDITIONS: usize = 64;
/// Bound on the moves that are compared in pairs to prove that no two of them are legal together.
const PAIRWISE: usize = 16;

/// One move of each role that can be legal in the same state. If the conditions of the moves are too large, several
/// consecutive [`Joint`]s are the cases of one joint move.
#[derive(Debug, Clone)]
pub struct Joint {
    pub moves: Vec<MoveId>,
    pub guard: NodeId,
    /// An additional condition that is too large for a relation.
    pub apart: Option<NodeId>,
    /// The fluents that can change, each with its value in the successor as a formula over the fluents of the state.
    pub effects: Vec<(FluentId, NodeId)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnRule {
    /// Fluents are proved to decide. The first of them that holds determines the only role that may have a choice; if
    /// none holds, that role is `otherwise`.
    Fluents { fluents: Vec<(FluentId, RoleId)>, otherwise: RoleId },
    /// The number of legal moves decides, because nothing was proved. The mover is the role other than the first that
    /// has at least two legal moves; if there is none, the first role.
    Counted,
}

#[derive(Debug, Clone)]
pub struct JointMoves {
    pub joints: Vec<Joint>,
    /// Sum of the nodes of all moves' conditions as diagrams; a node that diagrams share counts in each of them.
    pub nodes: usize,
    pub turn: TurnRule,
}

/// New nodes are added to `graph`, which starts as a copy of the graph of the game.
pub fn joint_moves(
    game: &Game,
    formulas: &mut Formulas,
    graph: &mut Graph,
    account: &mut Account,
) -> Result<JointMoves, EncodeError> {
    let known = conditions(game, formulas, graph)?;
    let nodes = known.iter().map(|(bdd, _)| formulas.manager.size(*bdd)).sum();
    let (legal, cases): (Vec<Bdd>, Vec<Vec<Case>>) = known.into_iter().unzip();
    let mut search =
        Search { formulas, legal: &legal, by_role: game.role_ids().map(|r| game.moves_of(r).collect()).collect() };
    let (turn, combinations) = search.turn_and_combinations()?;
    let roles = size_of::<Vec<MoveId>>() + 16 + game.roles.len() * size_of::<MoveId>();
    let mut bytes = combinations.len() * (roles + size_of::<Joint>());

    let evaluation = PartialEvaluation::new(graph);
    let mut joints = Vec::with_capacity(combinations.len());
    let mut conditions = FxHashSet::default();
    for moves in combinations {
        account.check()?;
        let mut memo = FxHashMap::default();
        let mut effects = Vec::new();
        for fluent in game.fluent_ids() {
            let value = evaluation.evaluate(graph, game.next[fluent.index()], &moves, &mut memo);
            if value != graph.fluent(fluent) {
                effects.push((fluent, value));
            }
        }
        for (guard, apart) in together(graph, moves.iter().map(|action| &cases[action.index()][..])) {
            conditions.extend(apart);
            if conditions.len() > CONDITIONS {
                let large = moves.iter().find(|action| cases[action.index()].iter().any(|case| case.apart.is_some()));
                return Err(EncodeError::TooComplex(move_names(game, &[*large.unwrap_or(&moves[0])])));
            }
            bytes += effects.len() * size_of::<(FluentId, NodeId)>();
            account.grow_to((bytes + graph.bytes()) as u64)?;
            joints.push(Joint { moves: moves.clone(), guard, apart, effects: effects.clone() });
        }
    }
    Ok(JointMoves { joints, nodes, turn })
}

/// For each move, the diagram of the disjunction of its cases' guards, and its cases. The diagram may hold in more
/// states than the condition of the move; then less can be proved.
fn conditions(game: &Game, formulas: &mut Formulas, graph: &mut Graph) -> Result<Vec<(Bdd, Vec<Case>)>, EncodeError> {
    let mut known = Vec::with_capacity(game.moves.len());
    for action in &game.moves {
        let mut guards = Guards { formulas: &mut *formulas, graph: &mut *graph };
        let found = guards.cases(action.legal).and_then(|cases| Ok((guards.without_apart(&cases)?, cases)));
        match found {
            Ok((Some(bdd), cases)) => known.push((bdd, cases)),
            Ok((None, _)) | Err(TooLarge::Nodes) => return Err(EncodeError::TooComplex(action.term.to_string())),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(known)
}

/// The combinations of one case for each move: the condition that the relation reads, and the part apart.
fn together<'a>(graph: &mut Graph, moves: impl Iterator<Item = &'a [Case]>) -> Vec<(NodeId, Option<NodeId>)> {
    let mut all = vec![(Vec::new(), Vec::new())];
    for cases in moves {
        let with = |(guards, apart): &(Vec<NodeId>, Vec<NodeId>), case: &Case| {
            ([&guards[..], &[case.guard]].concat(), apart.iter().copied().chain(case.apart).collect())
        };
        all = all.iter().flat_map(|before| cases.iter().map(move |case| with(before, case))).collect();
    }
    let mut both = |(guards, apart): (Vec<NodeId>, Vec<NodeId>)| {
        (graph.and(guards), if apart.is_empty() { None } else { Some(graph.and(apart)) })
    };
    all.into_iter().map(&mut both).collect()
}

/// Some states, given by a condition, and for each role the moves that can be legal there.
type Part = (Bdd, Vec<Vec<MoveId>>);

fn moves((_, moves): &Part) -> usize {
    moves.iter().map(Vec::len).sum()
}

struct Search<'a, 'b> {
    formulas: &'a mut Formulas<'b>,
    legal: &'a [Bdd],
    by_role: Vec<Vec<MoveId>>,
}

impl Search<'_, '_> {
    /// Decides whose turn it is, and finds all combinations of one move per role that can be legal together.
    fn turn_and_combinations(&mut self) -> Result<(TurnRule, Vec<Vec<MoveId>>), EncodeError> {
        let everywhere: Vec<Vec<MoveId>> = self.by_role.clone();
        if let Some(role) = self.only_chooser(&everywhere)? {
            let turn = TurnRule::Fluents { fluents: Vec::new(), otherwise: role };
            return Ok((turn, self.combinations(Bdd::TRUE, &everywhere)?));
        }
        if let Some((turn, parts)) = self.decisions()? {
            let (mut all, mut seen): (Vec<Vec<MoveId>>, FxHashSet<Vec<MoveId>>) = Default::default();
            for (test, moves) in parts {
                let combinations = self.combinations(test, &moves)?;
                let new: Vec<Vec<MoveId>> = combinations.into_iter().filter(|moves| !seen.contains(moves)).collect();
                seen.extend(new.iter().cloned());
                all.extend(new);
            }
            return Ok((turn, all));
        }
        Ok((TurnRule::Counted, self.combinations(Bdd::TRUE, &everywhere)?))
    }

    /// Fluents that decide one after the other whose turn it is, and the parts into which they divide the states;
    /// `None` if none are found. Two roles need one fluent. With more roles, each fluent but the last decides the turn
    /// of one role, and leaves fewer moves to the later fluents.
    fn decisions(&mut self) -> Result<Option<(TurnRule, Vec<Part>)>, EncodeError> {
        let several = self.by_role.len() > 2;
        let candidates = self.candidates();
        let (mut fluents, mut parts) = (Vec::new(), Vec::new());
        let mut rest: Part = (Bdd::TRUE, self.by_role.clone());
        loop {
            let mut found = None;
            for &fluent in &candidates {
                let holds = self.formulas.fluent(fluent)?;
                let fails = self.formulas.manager.not(holds)?;
                let (holds, fails) = (self.part(&rest, holds)?, self.part(&rest, fails)?);
                let (Some(role), otherwise) = (self.only_chooser(&holds.1)?, self.only_chooser(&fails.1)?) else {
                    continue;
                };
                let decides = several && self.has_choice(&holds.1)? && moves(&fails) < moves(&rest);
                if otherwise.is_some() || decides {
                    found = Some(((fluent, role), holds, fails, otherwise));
                    break;
                }
            }
            let Some((fluent, holds, fails, otherwise)) = found else { return Ok(None) };
            fluents.push(fluent);
            parts.push(holds);
            if let Some(otherwise) = otherwise {
                parts.push(fails);
                return Ok(Some((TurnRule::Fluents { fluents, otherwise }, parts)));
            }
            rest = fails;
        }
    }

    fn part(&mut self, (condition, moves): &Part, test: Bdd) -> Result<Part, EncodeError> {
        let condition = self.formulas.manager.and(*condition, test)?;
        Ok((condition, self.compatible(condition, moves)?))
    }

    fn has_choice(&mut self, moves: &[Vec<MoveId>]) -> Result<bool, EncodeError> {
        for moves in moves.iter().filter(|moves| moves.len() > 1) {
            if !self.pairwise_exclusive(moves)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The only role that may have a choice among these moves (given by role), if that can be proved.
    fn only_chooser(&mut self, moves: &[Vec<MoveId>]) -> Result<Option<RoleId>, EncodeError> {
        let mut chooser = None;
        for (role, moves) in moves.iter().enumerate() {
            if moves.len() > 1 && !self.pairwise_exclusive(moves)? {
                if chooser.is_some() {
                    return Ok(None);
                }
                chooser = Some(RoleId(role as u32));
            }
        }
        // If no role ever has a choice, any role may stand for the mover.
        Ok(Some(chooser.unwrap_or(RoleId(0))))
    }

    fn pairwise_exclusive(&mut self, moves: &[MoveId]) -> Result<bool, EncodeError> {
        if moves.len() > PAIRWISE {
            return Ok(false);
        }
        for (index, &first) in moves.iter().enumerate() {
            self.formulas.manager.check()?;
            for &second in &moves[index + 1..] {
                if self.formulas.meet(self.legal[first.index()], self.legal[second.index()])? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn compatible(&mut self, test: Bdd, moves: &[Vec<MoveId>]) -> Result<Vec<Vec<MoveId>>, EncodeError> {
        let mut result = moves.to_vec();
        for moves in &mut result {
            let mut kept = Vec::new();
            for &action in moves.iter() {
                if self.formulas.meet(self.legal[action.index()], test)? {
                    kept.push(action);
                }
            }
            *moves = kept;
        }
        Ok(result)
    }

    /// All combinations of one move per role that can be legal together if `test` holds.
    fn combinations(&mut self, test: Bdd, moves: &[Vec<MoveId>]) -> Result<Vec<Vec<MoveId>>, EncodeError> {
        let product = moves.iter().try_fold(1usize, |product, moves| product.checked_mul(moves.len()));
        if product.is_none_or(|product| product > COMBINATIONS) {
            return Err(EncodeError::TooLarge);
        }
        let mut partial = vec![(Vec::new(), test)];
        for (place, of_role) in moves.iter().enumerate() {
            let mut extended = Vec::new();
            for (chosen, condition) in &partial {
                self.formulas.manager.check()?;
                for &action in of_role {
                    let legal = self.legal[action.index()];
                    if self.formulas.meet(*condition, legal)? {
                        // Nothing asks for the condition of a whole combination.
                        let is_whole = place + 1 == moves.len();
                        let condition =
                            if is_whole { *condition } else { self.formulas.manager.and(*condition, legal)? };
                        let chosen = chosen.iter().copied().chain([action]).collect();
                        extended.push((chosen, condition));
                    }
                }
            }
            partial = extended;
        }
        Ok(partial.into_iter().map(|(moves, _)| moves).collect())
    }

    /// The fluents on which the conditions of most moves depend.
    fn candidates(&self) -> Vec<FluentId> {
        let mut uses: FxHashMap<FluentId, usize> = FxHashMap::default();
        for &legal in self.legal {
            for level in self.formulas.manager.support(legal) {
                *uses.entry(self.formulas.variables.fluent(level)).or_default() += 1;
            }
        }
        let mut fluents: Vec<FluentId> = uses.keys().copied().collect();
        fluents.sort_by_key(|fluent| (std::cmp::Reverse(uses[fluent]), *fluent));
        fluents.truncate(CANDIDATES);
        fluents
    }
}

/// Whether it is proved that no role is the mover both before and after a joint move; false if only one role can be it.
pub fn alternates(joints: &[Joint], turn: &TurnRule, formulas: &mut Formulas) -> Result<bool, TooLarge> {
    let TurnRule::Fluents { fluents, otherwise } = turn else { return Ok(false) };
    let mut roles: Vec<RoleId> = fluents.iter().map(|fluent| fluent.1).chain([*otherwise]).collect();
    roles.sort_unstable();
    roles.dedup();
    if roles.len() < 2 {
        return Ok(false);
    }
    let now = tests(formulas, fluents)?;
    let movers = |formulas: &mut Formulas, tests: &[(Bdd, RoleId)]| -> Result<Vec<Bdd>, TooLarge> {
        roles.iter().map(|&role| decided(formulas, tests, *otherwise, role)).collect()
    };
    let before = movers(formulas, &now)?;
    for joint in joints {
        let mut after = now.clone();
        for ((fluent, _), (test, _)) in fluents.iter().zip(&mut after) {
            if let Some(&(_, value)) = joint.effects.iter().find(|effect| effect.0 == *fluent) {
                let Some(value) = formulas.small(value)? else { return Ok(false) };
                *test = value;
            }
        }
        if after == now {
            return Ok(false);
        }
        let Some(guard) = formulas.small(joint.guard)? else { return Ok(false) };
        let after = movers(formulas, &after)?;
        for (&before, after) in before.iter().zip(after) {
            let stays = formulas.manager.and(before, after)?;
            if formulas.meet(stays, guard)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The condition under which a role is the mover, see [`TurnRule::Fluents`].
pub fn mover_condition(
    formulas: &mut Formulas,
    fluents: &[(FluentId, RoleId)],
    otherwise: RoleId,
    role: RoleId,
) -> Result<Bdd, TooLarge> {
    let tests = tests(formulas, fluents)?;
    decided(formulas, &tests, otherwise, role)
}

fn tests(formulas: &mut Formulas, fluents: &[(FluentId, RoleId)]) -> Result<Vec<(Bdd, RoleId)>, TooLarge> {
    fluents.iter().map(|&(fluent, role)| Ok((formulas.fluent(fluent)?, role))).collect()
}

/// The condition that the first test that holds belongs to `role`, or that no test holds and `role` is `otherwise`.
fn decided(formulas: &mut Formulas, tests: &[(Bdd, RoleId)], otherwise: RoleId, role: RoleId) -> Result<Bdd, TooLarge> {
    let constant = |holds: bool| if holds { Bdd::TRUE } else { Bdd::FALSE };
    let mut condition = constant(otherwise == role);
    for &(test, of) in tests.iter().rev() {
        let fails = formulas.manager.not(test)?;
        condition = formulas.manager.and(fails, condition)?;
        if of == role {
            condition = formulas.manager.or(test, condition)?;
        }
    }
    Ok(condition)
}
