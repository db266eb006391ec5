//! The rules together with the values: the role to move, the legal moves, and the value after each move.

use super::remembered::Remembered;
use super::{Among, Board, Position, ReadError, Stored, Values, Worth};
use crate::store::{Book, Manifest};
use base::limits::Limits;
use base::random::Random;
use base::scratch::TemporaryFolder;
use game::aim::Aim;
use game::interpreter::{Interpreter, JointMove, Ply, Situation, State, Turn};
use game::propositional::{Game, GroundTerm, Group, Literal, MoveId, RoleId};
use game::reward::{OpponentModel, shortens};
use game::symmetry::Rules;
use indexmap::IndexMap;
use num_bigint::BigUint;
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

/// Bound on the memory of all searches for symmetries, groups and distances at a time, unless [`Solution::within`] sets
/// others.
const SEARCHES: u64 = 1 << 30;

/// A solved game that answers questions about positions. Threads share it; after opening, only caches change.
pub struct Solution {
    game: Arc<Game>,
    model: OpponentModel,
    values: Arc<dyn Values>,
    guarantees: Vec<(RoleId, Arc<dyn Values>)>,
    interpreter: Interpreter,
    board: Option<Board>,
    fluent_names: Vec<String>,
    constant: Vec<String>,
    move_names: Vec<String>,
    rewards: Vec<u8>,
    aim: OnceLock<Option<Aim>>,
    /// See [`Solution::alike`]; `None` if no symmetries of the rules are known.
    pub(super) symmetric: OnceLock<Option<Rules>>,
    pub(super) alike: Remembered,
    /// Groups of fluents of which at most one holds, computed on first use.
    pub(super) groups: Mutex<Option<Arc<[Group]>>>,
    /// Bound the memory of searches for symmetries, groups and distances.
    pub(super) limits: Arc<Limits>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    pub position: Position,
    pub turn: Turn,
    /// For each role, the reward under best play; `None` for endless play.
    pub value: Option<Vec<u8>>,
    /// Plies to the end, if they are stored and play ends.
    pub plies: Option<u32>,
    pub aim: Option<Aim>,
    /// The mover's legal moves; in a forced position only the shown move; none if play is over.
    pub moves: Vec<MoveValue>,
}

impl Assessment {
    pub fn to_move(&self) -> Option<RoleId> {
        self.moves.first().map(|option| option.role)
    }

    /// Whether another move is worth more to the mover than the value, which is no equilibrium then: the mover settled
    /// for it when nothing else was settled.
    pub fn is_not_best(&self) -> bool {
        self.moves.iter().any(|option| option.is_worth_more)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Guarantee {
    /// The reward that the role can force against all others together; `None` if they can make play endless.
    pub value: Option<u8>,
    /// Whether `value` is the reward that the role gets if each role plays for itself.
    pub forced: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveValue {
    /// The role that has a choice or, in a forced position, whose move has an effect.
    pub role: RoleId,
    pub action: MoveId,
    /// The moves of the roles; all roles but the mover have a single move.
    pub joint: JointMove,
    pub successor: State,
    /// For each role, the reward under best play after the move; `None` if play is endless or the move is `unsettled`.
    pub value: Option<Vec<u8>>,
    /// Whether the state after the move has no value yet, because the solution is unfinished.
    pub unsettled: bool,
    /// Plies to the end by this move, including the move, if they are stored and play ends after it.
    pub plies: Option<u32>,
    /// Whether the move leads to the value of the position; in a layered solution, no move is better for the mover.
    pub keeps_value: bool,
    /// Whether the move keeps the value and, if distances are stored, is best by distance. If distances are not stored
    /// and states can repeat, the state after the move was settled in an earlier round (unless play is endless), so
    /// that optimal moves lead to an end.
    pub optimal: bool,
    /// Whether the move is worth more to the mover than the value of the position; see [`Assessment::is_not_best`].
    pub is_worth_more: bool,
}

impl Solution {
    pub fn new(game: Arc<Game>, model: OpponentModel, values: Arc<dyn Values>) -> Self {
        Solution::with_constant(game, &[], model, values)
    }

    pub(super) fn with_constant(
        game: Arc<Game>,
        constant: &[GroundTerm],
        model: OpponentModel,
        values: Arc<dyn Values>,
    ) -> Self {
        Solution {
            interpreter: Interpreter::new(&game),
            board: Board::new(&game, constant),
            constant: constant.iter().map(ToString::to_string).collect(),
            fluent_names: game.fluents.iter().map(ToString::to_string).collect(),
            move_names: game.moves.iter().map(|action| action.term.to_string()).collect(),
            rewards: game.goals.iter().flatten().map(|&(reward, _)| reward).collect(),
            aim: OnceLock::new(),
            game,
            model,
            values,
            guarantees: Vec::new(),
            symmetric: OnceLock::new(),
            alike: Remembered::default(),
            groups: Mutex::new(None),
            limits: Arc::new(Limits::new(SEARCHES)),
        }
    }

    /// Opens a folder. The solution may be unfinished. `limits` bound the grounding of its rules.
    pub fn open(folder: &Path, limits: &Limits) -> Result<Self, ReadError> {
        Solution::with_guarantees(Stored::open(folder, limits)?)
    }

    /// As [`Solution::open`], for a folder inside a temporary folder, which is removed when the solution is dropped.
    pub fn temporary(around: TemporaryFolder, folder: &Path, limits: &Limits) -> Result<Self, ReadError> {
        Solution::with_guarantees(Stored::temporary(around, folder, limits)?)
    }

    /// Counts the memory of searches for symmetries, groups and distances against these limits, unless they get others.
    pub fn within(self, limits: &Arc<Limits>) -> Self {
        Solution { limits: Arc::clone(limits), ..self }
    }

    /// The limits of searches that get no others.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The solution of an open folder, without guarantees.
    pub fn of(stored: Stored) -> Self {
        Solution::of_shared(Arc::new(stored))
    }

    pub(super) fn of_shared(stored: Arc<Stored>) -> Self {
        let (game, constant) = (Arc::clone(&stored.game), stored.constant.clone());
        let rewards = stored.rewards.clone();
        let model = stored.model();
        Solution { rewards, ..Solution::with_constant(game, &constant, model, stored) }
    }

    /// As [`Solution::of`], with the guarantees in the same folder. A solution with exact values is an error.
    fn with_guarantees(stored: Stored) -> Result<Self, ReadError> {
        if stored.manifest.is_exact() {
            return Err(ReadError::Exact);
        }
        let mut guarantees: Vec<(RoleId, Arc<dyn Values>)> = Vec::new();
        for role in stored.game.role_ids() {
            if let Some(own) = stored.guarantee(role)? {
                guarantees.push((role, Arc::new(own)));
            }
        }
        Ok(Solution { guarantees, ..Solution::of(stored) })
    }

    /// The stored guarantees, by displayed role. `value`: the value of the position if each role plays for itself.
    pub fn guarantees(
        &self,
        position: &Position,
        value: Option<&[u8]>,
    ) -> Result<IndexMap<String, Guarantee>, ReadError> {
        let mut found = IndexMap::new();
        for (role, values) in &self.guarantees {
            let layer = position.layer;
            let worth = values.worth(layer, &position.state)?.ok_or_else(|| {
                ReadError::Damaged(format!("layer {layer} of a guarantee lacks a state that can be reached"))
            })?;
            let of = |rewards: Option<&[u8]>| rewards.map(|rewards| rewards[role.index()]);
            let own = of(worth.value);
            found.insert(self.role_name(*role), Guarantee { value: own, forced: own == of(value) });
        }
        Ok(found)
    }

    pub fn stored_guarantees(&self) -> impl Iterator<Item = (RoleId, &Manifest)> {
        self.guarantees.iter().filter_map(|(role, values)| Some((*role, &values.stored()?.manifest)))
    }

    pub(super) fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    pub fn game(&self) -> &Game {
        &self.game
    }

    pub fn roles(&self) -> Vec<String> {
        self.game.roles.iter().map(ToString::to_string).collect()
    }

    /// The board of the game; `None` if its fluents do not look like a board.
    pub fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    /// `None` if the solution is in no folder.
    pub fn manifest(&self) -> Option<&Manifest> {
        self.values.stored().map(|stored| &stored.manifest)
    }

    pub fn book(&self) -> Option<&Book> {
        self.values.stored()?.book.as_ref()
    }

    pub fn booked(&self) -> impl Iterator<Item = (State, u32)> + '_ {
        let records = self.book().into_iter().flat_map(Book::records);
        records.filter_map(|(key, plies)| Some((self.values.stored()?.booked_state(key)?, plies)))
    }

    pub fn book_key(&self, state: &State) -> Result<Vec<u8>, ReadError> {
        let key = self.values.stored().and_then(|stored| stored.book_key(state));
        key.ok_or_else(|| ReadError::Damaged("the variables do not tell a state that can be reached".to_owned()))
    }

    pub fn model(&self) -> OpponentModel {
        self.model
    }

    pub fn values(&self) -> &dyn Values {
        &*self.values
    }

    pub fn fluent_names(&self) -> &[String] {
        &self.fluent_names
    }

    pub fn constant(&self) -> &[String] {
        &self.constant
    }

    /// All fluents that hold in a state, as displayed, in the order of their texts.
    pub fn state_names(&self, state: &State) -> Vec<String> {
        let mut names = state.names(&self.game);
        names.extend_from_slice(&self.constant);
        names.sort_unstable();
        names
    }

    pub fn move_name(&self, action: MoveId) -> &str {
        &self.move_names[action.index()]
    }

    pub fn joint_names(&self, joint: &[MoveId]) -> Vec<String> {
        joint.iter().map(|&action| self.move_name(action).to_owned()).collect()
    }

    pub fn role_name(&self, role: RoleId) -> String {
        self.game.roles[role.index()].to_string()
    }

    pub fn start(&self) -> Position {
        Position { layer: 0, state: self.interpreter.initial() }
    }

    /// Number of the selected states of a layer. It is an error if there are none.
    pub fn states_among(&self, layer: u32, among: Among) -> Result<BigUint, ReadError> {
        self.values.states_among(layer, among)
    }

    /// A random position among the selected ones of a layer; all have the same probability. The data for drawing,
    /// within `limits`, is kept for the layers and values that were drawn from last.
    ///
    /// ```
    /// # use ggsolve::{Among, Limits, Random, Session, SolveOptions};
    /// # use std::{path::Path, sync::Arc};
    /// # let session = Session::default();
    /// # let rules = session.load_file(Path::new("../../games/tictactoe.gdl"))?;
    /// let solution = session.solution(&rules, &SolveOptions::default())?;
    /// let (limits, mut random) = (Arc::new(Limits::new(1 << 30)), Random::new(1));
    /// let drawn = solution.sample(4, Among::Value(Some(&[0, 100])), &mut random, &limits)?;
    /// assert_eq!(solution.query(&drawn, None)?.value, Some(vec![0, 100]));
    /// # Ok::<(), ggsolve::Error>(())
    /// ```
    pub fn sample(
        &self,
        layer: u32,
        among: Among,
        random: &mut Random,
        limits: &Arc<Limits>,
    ) -> Result<Position, ReadError> {
        Ok(Position { layer, state: self.values.draw(layer, among, random, limits)? })
    }

    /// Calls `visit` with each position of a layer, until it fails. Loads the diagram, within `limits`.
    pub fn each_position<E: From<ReadError>>(
        &self,
        layer: u32,
        limits: &Arc<Limits>,
        mut visit: impl FnMut(Position) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut visited = Ok(());
        self.values.each(layer, limits, &mut |state| {
            visited = visit(Position { layer, state });
            if visited.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        visited
    }

    /// The legal moves and the mover. An ill-formed state is an error, because no solution contains one.
    pub fn situation(&self, position: &Position) -> Result<(Situation, Turn), ReadError> {
        let situation = self.interpreter.situation(&position.state);
        let turn = turn(&situation, position.layer)?;
        Ok((situation, turn))
    }

    /// As [`Solution::situation`], for several states of a layer at once, without the moves.
    pub(super) fn turns(&self, layer: u32, states: &[&State]) -> Result<Vec<Turn>, ReadError> {
        let mut situations = Vec::with_capacity(states.len());
        self.interpreter.situations(states, &mut situations);
        situations.iter().map(|situation| turn(situation, layer)).collect()
    }

    pub fn ply(&self, position: &Position, situation: &Situation, joint: JointMove) -> Ply {
        self.interpreter.ply(self.game(), &position.state, situation, joint)
    }

    /// By role: the literals that tell that it is its turn ([`Interpreter::turns`]).
    pub fn turn_literals(&self) -> &[Vec<Literal>] {
        self.interpreter.turns(self.game())
    }

    pub fn after(&self, position: &Position, joint: &[MoveId]) -> Position {
        Position { layer: position.layer + 1, state: self.interpreter.successor(&position.state, joint) }
    }

    /// It is an error if a reachable state has no value.
    pub fn worth(&self, position: &Position) -> Result<Worth<'_>, ReadError> {
        let layer = position.layer;
        let worth = self.values.worth(layer, &position.state)?;
        worth.ok_or_else(|| ReadError::Damaged(format!("layer {layer} lacks a state that can be reached")))
    }

    /// `None` if there are several roles, no reward is above 0, or the start has no value yet.
    pub fn aim(&self) -> Result<Option<Aim>, ReadError> {
        if self.game.roles.len() != 1 {
            return Ok(None);
        }
        if let Some(aim) = self.aim.get() {
            return Ok(*aim);
        }
        match self.worth(&self.start()) {
            Ok(worth) => {
                let aim = Aim::new(&self.rewards, worth.value.map(|rewards| rewards[0]));
                Ok(*self.aim.get_or_init(|| aim))
            }
            Err(ReadError::Unfinished { .. } | ReadError::Unsettled { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub fn rank(&self, role: RoleId, value: Option<&[u8]>) -> impl Ord + use<> {
        self.model.rank_or_endless(role.index(), self.game.roles.len(), value)
    }

    /// The value of a position and of every legal move. Fails if they contradict each other or one is unknown.
    pub fn assess(&self, position: &Position) -> Result<Assessment, ReadError> {
        let assessed = self.assess_so_far(position)?;
        self.all_settled(&assessed.moves)?;
        Ok(assessed)
    }

    /// As [`Solution::assess`], where moves may be unsettled.
    pub(super) fn assess_so_far(&self, position: &Position) -> Result<Assessment, ReadError> {
        let Worth { value, plies, .. } = self.worth(position)?;
        let value = value.map(<[u8]>::to_vec);
        let (turn, moves) = self.moves_so_far(position)?;
        let best = moves.iter().find(|option| option.optimal);
        if !moves.is_empty() && best.is_none_or(|best| best.value != value) {
            let layer = position.layer;
            return Err(ReadError::Damaged(format!("a value in layer {layer} is not that of the best successor")));
        }
        Ok(Assessment { position: position.clone(), turn, value, plies, aim: self.aim()?, moves })
    }

    fn all_settled(&self, moves: &[MoveValue]) -> Result<(), ReadError> {
        let rounds = self.manifest().and_then(|manifest| manifest.settled.as_ref()).map_or(0, |settled| settled.rounds);
        let unsettled = moves.iter().any(|option| option.unsettled);
        if unsettled { Err(ReadError::Unsettled { rounds }) } else { Ok(()) }
    }

    pub(super) fn moves(&self, position: &Position) -> Result<(Turn, Vec<MoveValue>), ReadError> {
        let (turn, moves) = self.moves_so_far(position)?;
        self.all_settled(&moves)?;
        Ok((turn, moves))
    }

    fn moves_so_far(&self, position: &Position) -> Result<(Turn, Vec<MoveValue>), ReadError> {
        let (situation, turn) = self.situation(position)?;
        if turn == Turn::Terminal {
            return Ok((turn, Vec::new()));
        }
        let own = if self.values.by_rounds() { Some(self.worth(position)?) } else { None };
        let joints: Vec<JointMove> = situation.joint_moves().collect();
        let pairs: Vec<_> = joints.iter().map(|joint| (&position.state, joint.as_slice())).collect();
        let mut successors = Vec::with_capacity(pairs.len());
        self.interpreter.successors(&pairs, &mut successors);
        let mut moves = Vec::with_capacity(joints.len());
        for (joint, state) in joints.into_iter().zip(successors) {
            let successor = Position { layer: position.layer + 1, state };
            let worth = match self.worth(&successor) {
                Err(ReadError::Unsettled { .. }) => None,
                worth => Some(worth?),
            };
            let value = worth.and_then(|worth| worth.value);
            let leads_on = |own: Worth| own.value.is_none() || worth.is_some_and(|worth| worth.round < own.round);
            let ply = self.interpreter.ply(self.game(), &position.state, &situation, joint);
            moves.push(MoveValue {
                role: ply.role,
                action: ply.action(),
                joint: ply.joint,
                successor: successor.state,
                value: value.map(<[u8]>::to_vec),
                unsettled: worth.is_none(),
                plies: worth.and_then(|worth| worth.plies).map(|plies| plies + 1),
                keeps_value: worth.is_some() && own.is_none_or(|own| own.value == value),
                optimal: own.is_none_or(leads_on),
                is_worth_more: false,
            });
        }
        if let (Turn::Mover(role), Some(own)) = (turn, own) {
            let (mover, roles) = (role.index(), self.game.roles.len());
            for option in moves.iter_mut().filter(|option| !option.unsettled) {
                option.is_worth_more = self.model.is_worth_more(mover, roles, option.value.as_deref(), own.value);
            }
        }
        if let (Turn::Mover(role), None) = (turn, own) {
            let rank = |option: &MoveValue| self.rank(role, option.value.as_deref());
            let best = moves.iter().map(rank).max();
            for option in &mut moves {
                option.keeps_value = Some(rank(option)) == best;
            }
        }
        let keeping = || moves.iter().filter(|option| option.keeps_value);
        // A book may have a position without its successors.
        let target = match keeping().map(|option| option.plies).collect::<Option<Vec<u32>>>() {
            None => None,
            Some(_) if own.is_some() => own.and_then(|own| own.plies),
            Some(plies) if self.shortens(turn, keeping().next().and_then(|option| option.value.as_deref())) => {
                plies.into_iter().min()
            }
            Some(plies) => plies.into_iter().max(),
        };
        for option in &mut moves {
            let leads_on = if target.is_some() { option.plies == target } else { option.optimal };
            option.optimal = option.keeps_value && leads_on;
        }
        Ok((turn, moves))
    }

    pub(super) fn shortens(&self, turn: Turn, value: Option<&[u8]>) -> bool {
        match (turn, value) {
            (Turn::Mover(role), Some(value)) => shortens(value, role.index()),
            _ => true,
        }
    }
}

fn turn(situation: &Situation, layer: u32) -> Result<Turn, ReadError> {
    situation.turn().map_err(|violation| ReadError::Damaged(format!("in a state of layer {layer}, {violation}")))
}
