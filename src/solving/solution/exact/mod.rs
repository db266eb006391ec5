//! Answers from a solution with exact values: of games with chance, or in which several players choose at the same time.
//!
//! Mixtures are not stored: those of a position follow from the values after it by the rule that gave it its value.

mod replay;

use super::{Among, Drawing, Position, ReadError, Solution, Stored, terms};
use crate::exact::{Decision, Stage, Value, decide, float, number};
use base::limits::Limits;
use base::random::Random;
use game::interpreter::Situation;
use game::matrix::Rational;
use game::propositional::RoleId;
use game::reward::{OpponentModel, Ranking};
use indexmap::IndexMap;
use num_bigint::BigUint;
use num_traits::Zero;
use serde::{Serialize, Serializer};
use std::path::Path;
use std::sync::Arc;

/// The name of what moves at random, in answers.
const CHANCE: &str = "random";

/// A solution with exact values. It is opened once and shared by threads.
pub struct ExactSolution {
    /// Names, boards and positions; its values are not asked.
    solution: Solution,
    stored: Arc<Stored>,
    /// The stored guarantees, by role.
    guarantees: Vec<(RoleId, Stored)>,
}

/// A position with its value and moves. Its JSON is the `query` object of the command contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExactQuery {
    /// Name of the game.
    pub game: String,
    /// The players.
    pub roles: Vec<String>,
    pub opponent_model: OpponentModel,
    /// Plies from the start.
    pub layer: u32,
    /// The only role that has a choice, `random` where that is chance; in a forced position the role of the move that has an
    /// effect. `None` where several choose, and where play is over.
    pub to_move: Option<String>,
    pub terminal: bool,
    /// No role has a choice.
    pub forced: bool,
    /// By player: what it gets on average. `None` where only what roles can force is known.
    pub value: Option<Value>,
    pub value_float: Option<Vec<f64>>,
    /// By role, if it is stored: what it can force against all others together.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub guarantees: IndexMap<String, Forced>,
    /// The fluents that hold, in the order of their texts.
    pub state: Vec<String>,
    /// Where several players choose: by player, how likely each of its moves is.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub strategies: IndexMap<String, Vec<Mixed>>,
    /// Where two players choose: by the moves of the first and of the second one, the value on average over chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<Vec<Vec<Value>>>,
    /// The joint moves, in the order of the rules; of the only player that chooses, best first.
    pub moves: Vec<ExactMove>,
    /// The state on a board, if it looks like one.
    #[serde(skip)]
    pub drawing: Option<Drawing>,
}

/// How likely a move is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mixed {
    #[serde(rename = "move")]
    pub action: String,
    #[serde(flatten)]
    pub probability: Probability,
}

/// A number, as a text like `"1/3"` if it is not whole, and `probability_float`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probability(pub Rational);

impl Serialize for Probability {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Both<'p> {
            #[serde(serialize_with = "number")]
            probability: &'p Rational,
            probability_float: f64,
        }
        Both { probability: &self.0, probability_float: float(&self.0) }.serialize(serializer)
    }
}

/// What a role can force, and how.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forced {
    #[serde(serialize_with = "number")]
    pub value: Rational,
    pub value_float: f64,
    /// How likely each of its moves is; none where it has no choice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strategy: Vec<Mixed>,
}

/// A joint move and the position after it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExactMove {
    /// The move of the only role that chooses, or of all roles in brackets: `(rock paper)`.
    #[serde(rename = "move")]
    pub action: String,
    /// The role that chooses; `None` if several do.
    pub role: Option<String>,
    /// By role, chance as the last one: the moves of the ply.
    pub joint: Vec<String>,
    /// By player: what it gets on average after it.
    pub value: Option<Value>,
    pub value_float: Option<Vec<f64>>,
    /// The part of chance in it is so likely.
    #[serde(flatten)]
    pub probability: Option<Probability>,
    /// Every player that chooses makes its part of it with a probability above 0.
    pub optimal: bool,
    /// The state after it.
    #[serde(skip)]
    pub after: Position,
}

/// What the players choose from in a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choices {
    /// By player: its moves.
    pub names: Vec<Vec<String>>,
    /// By joint choice, the last player's move changing fastest: what each player gets on average over chance; none where
    /// only what roles can force is known.
    pub after: Vec<Value>,
}

impl ExactSolution {
    /// The solution in a folder, which may be unfinished. `limits` bound the grounding of its rules.
    pub fn open(folder: &Path, limits: &Limits) -> Result<ExactSolution, ReadError> {
        let stored = Stored::open(folder, limits)?;
        let mut guarantees = Vec::new();
        for role in (0..stored.game.players() as u32).map(RoleId) {
            guarantees.extend(stored.guarantee(role)?.map(|own| (role, own)));
        }
        let stored = Arc::new(stored);
        Ok(ExactSolution { solution: Solution::of_shared(Arc::clone(&stored)), stored, guarantees })
    }

    /// What it is a solution of, without values.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// The position that play starts from.
    pub fn start(&self) -> Position {
        self.solution.start()
    }

    /// The position with the fluents of a text.
    pub fn position(&self, text: &str) -> Result<Position, ReadError> {
        self.solution.position(&terms(text)?)
    }

    /// A random position of a layer, all with the same probability.
    pub fn sample(&self, layer: u32, random: &mut Random, limits: &Arc<Limits>) -> Result<Position, ReadError> {
        self.solution.sample(layer, Among::All, random, limits)
    }

    /// Number of states of a layer.
    pub fn states(&self, layer: u32) -> Result<BigUint, ReadError> {
        self.solution.states_among(layer, Among::All)
    }

    /// The value of a position; `None` where only what roles can force is known.
    pub fn value(&self, position: &Position) -> Result<Option<&Value>, ReadError> {
        match self.stored.manifest.opponent_model {
            Some(_) => worth(&self.stored, position).map(Some),
            None => Ok(None),
        }
    }

    /// Everything about a position.
    pub fn query(&self, position: &Position) -> Result<ExactQuery, ReadError> {
        let game = self.solution.game();
        let situation = self.situation(position)?;
        let value = self.value(position)?.cloned();
        let role_name = |role: usize| {
            if role < game.players() { self.solution.role_name(RoleId(role as u32)) } else { CHANCE.to_owned() }
        };
        let choosing: Vec<usize> = choosing(&situation).collect();
        let mut moves = self.moves(position, &situation, &choosing)?;
        let ranking = Ranking::Each(self.solution.model());
        let mut strategies = IndexMap::new();
        let mut matrix = None;
        let players: Vec<usize> = choosing.iter().copied().filter(|&role| role < game.players()).collect();
        if let (Some(value), false) = (&value, situation.terminal) {
            let (choices, after) = self.stage(&situation, &moves);
            let decision = decided(ranking, &choices, &after, value, position)?;
            let probability = |player: usize, action: &str| {
                let place = situation.legal[player].iter().position(|&id| self.solution.move_name(id) == action);
                place.zip(decision.strategies[player].as_ref()).map(|(place, strategy)| &strategy[place])
            };
            for option in &mut moves {
                let likely =
                    |&player: &usize| probability(player, &option.joint[player]).is_none_or(|likely| !likely.is_zero());
                option.optimal = players.iter().all(likely);
            }
            if let &[_, second] = players.as_slice() {
                matrix = Some(after.chunks(situation.legal[second].len()).map(<[Value]>::to_vec).collect());
            }
            for &player in players.iter().filter(|_| players.len() > 1) {
                strategies.insert(role_name(player), self.mixed(&situation, player, &decision));
            }
            if let &[mover] = players.as_slice() {
                self.best_first(&mut moves, &choices, &after, mover, value);
            }
        }
        let mut guarantees = IndexMap::new();
        for (role, own) in &self.guarantees {
            guarantees.insert(role_name(role.index()), self.forced(own, *role, position, &situation)?);
        }
        Ok(ExactQuery {
            game: game.name.clone(),
            roles: game.player_names(),
            opponent_model: self.solution.model(),
            layer: position.layer,
            to_move: match choosing.as_slice() {
                _ if situation.terminal => None,
                [] => moves.first().and_then(|option| option.role.clone()),
                &[role] => Some(role_name(role)),
                _ => None,
            },
            terminal: situation.terminal,
            forced: !situation.terminal && choosing.is_empty(),
            value_float: value.as_ref().map(Value::floats),
            value,
            guarantees,
            state: self.solution.state_names(&position.state),
            strategies,
            matrix,
            moves,
            drawing: self.solution.board().map(|board| board.drawing(game, &position.state)),
        })
    }

    /// The choices of the players in a position, and what each gets on average after each of their joint ones. Of a position
    /// in which play is over there is one, without a name.
    pub fn choices(&self, position: &Position) -> Result<Choices, ReadError> {
        let game = self.solution.game();
        let situation = self.situation(position)?;
        if situation.terminal {
            let value = self.value(position)?.cloned();
            return Ok(Choices {
                names: vec![vec![String::new()]; game.players()],
                after: value.into_iter().collect(),
            });
        }
        let moves = self.moves(position, &situation, &choosing(&situation).collect::<Vec<_>>())?;
        let named = |moves: &Vec<_>| moves.iter().map(|&id| self.solution.move_name(id).to_owned()).collect();
        let names = situation.legal[..game.players()].iter().map(named).collect();
        Ok(Choices { names, after: self.stage(&situation, &moves).1 })
    }

    /// The joint moves of a position, in the order of the rules.
    fn moves(
        &self,
        position: &Position,
        situation: &Situation,
        choosing: &[usize],
    ) -> Result<Vec<ExactMove>, ReadError> {
        let game = self.solution.game();
        if situation.terminal {
            return Ok(Vec::new());
        }
        let chance = choosing.last().filter(|&&role| role >= game.players());
        let probability = chance.map(|&role| Rational::new(1.into(), situation.legal[role].len().into()));
        let mut found = Vec::with_capacity(situation.joint_move_count());
        for (joint, state) in self.solution.interpreter().after(&position.state, situation) {
            let after = Position { layer: position.layer + 1, state };
            let value = self.value(&after)?.cloned();
            let names = self.solution.joint_names(&joint);
            let shown = match choosing {
                [] => Some(self.solution.ply(position, situation, joint.clone()).role.index()),
                &[role] => Some(role),
                _ => None,
            };
            found.push(ExactMove {
                action: shown.map_or_else(|| format!("({})", names.join(" ")), |role| names[role].clone()),
                role: shown.map(|role| self.solution.role_name(RoleId(role as u32))),
                joint: names,
                value_float: value.as_ref().map(Value::floats),
                value,
                probability: probability.clone().map(Probability),
                // What nobody's value is known of is not called best.
                optimal: self.stored.manifest.opponent_model.is_some(),
                after,
            });
        }
        Ok(found)
    }

    /// The numbers of the players' moves, and the values after their joint moves on average over chance.
    fn stage(&self, situation: &Situation, moves: &[ExactMove]) -> (Vec<u32>, Vec<Value>) {
        let values: Vec<&Value> = moves.iter().filter_map(|option| option.value.as_ref()).collect();
        self.stage_of(situation, &values)
    }

    fn stage_of(&self, situation: &Situation, values: &[&Value]) -> (Vec<u32>, Vec<Value>) {
        let players = self.solution.game().players();
        let choices = situation.legal[..players].iter().map(|moves| moves.len() as u32).collect();
        let chance: usize = situation.legal[players..].iter().map(Vec::len).product();
        (choices, values.chunks(chance).map(|values| Value::mean(values.iter().copied())).collect())
    }

    /// Sorts the moves of the only player that chooses by what they are worth, chance apart.
    fn best_first(&self, moves: &mut Vec<ExactMove>, choices: &[u32], after: &[Value], mover: usize, value: &Value) {
        let each = moves.len() / after.len();
        let ranking = Ranking::Each(self.solution.model());
        let mut order: Vec<usize> = (0..after.len()).collect();
        let better = |one: &usize, other: &usize| {
            let pair = [&after[*one], &after[*other]];
            if pair[0] == pair[1] {
                return std::cmp::Ordering::Equal;
            }
            let two: Vec<u32> = (0..choices.len()).map(|player| 1 + u32::from(player == mover)).collect();
            let stage = Stage { choices: &two, after: &pair };
            let decision = decide(ranking, &stage, &Limits::unlimited());
            match decision {
                Ok(decision) if decision.value == *pair[1] => std::cmp::Ordering::Greater,
                _ => std::cmp::Ordering::Less,
            }
        };
        order.sort_by(better);
        let mut sorted = Vec::with_capacity(moves.len());
        for place in order {
            sorted.extend(
                moves[place * each..][..each]
                    .iter()
                    .cloned()
                    .map(|option| ExactMove { optimal: after[place] == *value, ..option }),
            );
        }
        *moves = sorted;
    }

    /// What a role can force, and how.
    fn forced(
        &self,
        own: &Stored,
        role: RoleId,
        position: &Position,
        situation: &Situation,
    ) -> Result<Forced, ReadError> {
        let value = worth(own, position)?;
        let mut strategy = Vec::new();
        if !situation.terminal {
            let layer = position.layer + 1;
            let after = self.solution.interpreter().after(&position.state, situation);
            let after = after.map(|(_, state)| worth(own, &Position { layer, state }));
            let (choices, after) = self.stage_of(situation, &after.collect::<Result<Vec<_>, _>>()?);
            let decision = decided(Ranking::Against(role.index()), &choices, &after, value, position)?;
            strategy = self.mixed(situation, role.index(), &decision);
        }
        let number = value.numbers()[role.index()].clone();
        Ok(Forced { value_float: float(&number), value: number, strategy })
    }

    /// How likely each move of a player is; none where it has no choice.
    fn mixed(&self, situation: &Situation, player: usize, decision: &Decision) -> Vec<Mixed> {
        let strategy = decision.strategies[player].iter().flatten();
        let mixed = situation.legal[player].iter().zip(strategy).map(|(&action, probability)| Mixed {
            action: self.solution.move_name(action).to_owned(),
            probability: Probability(probability.clone()),
        });
        mixed.collect()
    }

    /// The legal moves; an ill-formed state cannot be part of a solution.
    fn situation(&self, position: &Position) -> Result<Situation, ReadError> {
        let situation = self.solution.interpreter().situation(&position.state);
        if !situation.terminal && situation.legal.iter().any(Vec::is_empty) {
            return Err(ReadError::Damaged(format!("in a state of layer {}, a role has no move", position.layer)));
        }
        Ok(situation)
    }
}

/// The value of a position, as it is stored.
fn worth<'s>(stored: &'s Stored, position: &Position) -> Result<&'s Value, ReadError> {
    let layer = position.layer;
    let assignment = stored.codec.assignment(&position.state);
    let value = assignment.map_or(Ok(None), |assignment| stored.exact_worth(layer, &assignment))?;
    value.ok_or_else(|| ReadError::Damaged(format!("layer {layer} lacks a state that can be reached")))
}

/// The decision of a position, which must give it the value that is stored.
fn decided(
    ranking: Ranking,
    choices: &[u32],
    after: &[Value],
    value: &Value,
    position: &Position,
) -> Result<Decision, ReadError> {
    let stage = Stage { choices, after: &after.iter().collect::<Vec<_>>() };
    let decision = decide(ranking, &stage, &Limits::unlimited());
    decision.ok().filter(|decision| decision.value == *value).ok_or_else(|| {
        ReadError::Damaged(format!("a value in layer {} does not follow from those after it", position.layer))
    })
}

/// The roles that have a choice.
fn choosing(situation: &Situation) -> impl Iterator<Item = usize> + '_ {
    let terminal = situation.terminal;
    (0..situation.legal.len()).filter(move |&role| !terminal && situation.legal[role].len() > 1)
}
