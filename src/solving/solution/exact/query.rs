//! A position with exact values as plain data.

use super::assess::{hold, look};
use super::{ExactAssessment, ExactLine, ExactSolution, Reason, choosing, worth};
use crate::exact::{Value, float, number};
use crate::solution::{Drawing, Position, ReadError};
use base::limits::Limits;
use game::interpreter::Situation;
use game::matrix::Rational;
use game::propositional::{MoveId, RoleId};
use game::reward::OpponentModel;
use indexmap::IndexMap;
use serde::{Serialize, Serializer};

/// A position with its value and moves. Its JSON is the `query` object of the command contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExactQuery {
    pub game: String,
    pub roles: Vec<String>,
    pub opponent_model: OpponentModel,
    pub layer: u32,
    /// The only role that has a choice, `random` for chance; in a forced position, the role whose move has an effect.
    /// `None` if several roles choose or play is over.
    pub to_move: Option<String>,
    pub terminal: bool,
    pub forced: bool,
    /// For each player, the average reward. Where only guarantees are stored, `None` unless play is over.
    pub value: Option<Value>,
    pub value_float: Option<Vec<f64>>,
    /// By role, the stored guarantee: the reward that the role can force against all others together.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub guarantees: IndexMap<String, Forced>,
    pub state: Vec<String>,
    /// If several players choose: by player, the probability of each of its moves.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub strategies: IndexMap<String, Vec<Mixed>>,
    /// If two players choose: by the move of the first and that of the second, the mean value over chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<Vec<Vec<Value>>>,
    /// In the order of the rules; best first if one player chooses alone.
    pub moves: Vec<ExactMove>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<ExactLine>,
    /// If requested: by player that chooses, why its worse moves are worse, in the order of the rules.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub reasons: IndexMap<String, Vec<Reason>>,
    #[serde(skip)]
    pub drawing: Option<Drawing>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mixed {
    #[serde(rename = "move")]
    pub action: String,
    #[serde(flatten)]
    pub probability: Probability,
}

/// A probability. Its JSON is `probability`, a text like `"1/3"` or a whole number, and `probability_float`.
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

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forced {
    #[serde(serialize_with = "number")]
    pub value: Rational,
    pub value_float: f64,
    /// The probability of each move of the role; empty if it has no choice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strategy: Vec<Mixed>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExactMove {
    /// The move of the only role that chooses; if several do, the moves of all roles in brackets: `(rock paper)`.
    #[serde(rename = "move")]
    pub action: String,
    pub role: Option<String>,
    /// The move of each role, chance last.
    pub joint: Vec<String>,
    pub value: Option<Value>,
    pub value_float: Option<Vec<f64>>,
    /// The guarantees after the move, as [`ExactQuery::guarantees`] but without strategies.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub guarantees: IndexMap<String, Forced>,
    #[serde(flatten)]
    pub probability: Option<Probability>,
    /// As `optimal`, under the name that it has in games in turns. Where states repeat, moves that keep the value alone
    /// need not be optimal.
    pub keeps_value: bool,
    /// Whether the strategy of every player that chooses gives its part of the move a positive probability; true if no
    /// player chooses. Without values, it is false. Where states repeat, optimal moves lead to an end.
    pub optimal: bool,
    #[serde(skip)]
    pub after: Position,
}

impl ExactSolution {
    pub fn query(&self, position: &Position) -> Result<ExactQuery, ReadError> {
        self.query_within(position, &Limits::unlimited())
    }

    /// As [`ExactSolution::query`]; `limits` bound memory and time.
    pub fn query_within(&self, position: &Position, limits: &Limits) -> Result<ExactQuery, ReadError> {
        let game = self.solution.game();
        let situation = self.situation(position)?;
        let value = self.known_value(position, &situation)?;
        let choosing: Vec<usize> = choosing(&situation).collect();
        let mut moves = self.moves(position, &situation, &choosing, limits)?;
        let (mut strategies, mut matrix) = (IndexMap::new(), None);
        if value.is_some() && !situation.terminal {
            let values: Vec<&Value> = moves.iter().filter_map(|option| option.value.as_ref()).collect();
            let assessed = self.assessed(position, situation.clone(), &values, limits)?;
            let players: Vec<usize> = assessed.choosing().collect();
            for (option, joint) in moves.iter_mut().zip(situation.joint_moves()) {
                option.optimal =
                    players.iter().all(|&player| assessed.is_best(player, assessed.place(player, joint[player])));
                option.keeps_value = option.optimal || self.manifest().goes_round() && assessed.keeps(&joint);
            }
            if let &[_, second] = players.as_slice() {
                matrix = Some(assessed.after.chunks(situation.legal[second].len()).map(<[Value]>::to_vec).collect());
            }
            for &player in players.iter().filter(|_| players.len() > 1) {
                let mixed = self.mixed(&situation.legal[player], &assessed.strategies[player]);
                strategies.insert(self.role_name(player), mixed);
            }
            if let &[mover] = players.as_slice() {
                self.best_first(&mut moves, &assessed, mover);
            }
        }
        let mut guarantees = IndexMap::new();
        for (role, own) in &self.guarantees {
            let mut forced = Forced::of(*role, worth(own, position)?);
            if situation.legal[role.index()].len() > 1 && !situation.terminal {
                let strategy = self.forcing(own, *role, position, &situation, limits)?;
                forced.strategy = self.mixed(&situation.legal[role.index()], strategy.iter().flatten());
            }
            guarantees.insert(self.role_name(role.index()), forced);
        }
        Ok(ExactQuery {
            game: game.name.clone(),
            roles: game.player_names(),
            opponent_model: self.solution.model(),
            layer: position.layer,
            to_move: match choosing.as_slice() {
                _ if situation.terminal => None,
                [] => moves.first().and_then(|option| option.role.clone()),
                &[role] => Some(self.role_name(role)),
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
            line: None,
            reasons: IndexMap::new(),
            drawing: self.solution.board().map(|board| board.drawing(game, &position.state)),
        })
    }

    /// The value of a position, if it is known. The rules tell that of a terminal state, whatever is stored.
    pub fn known_value(&self, position: &Position, situation: &Situation) -> Result<Option<Value>, ReadError> {
        match self.value(position)? {
            None if situation.terminal => Ok(Some(self.rewards(position, situation)?)),
            value => Ok(value.cloned()),
        }
    }

    /// The rewards of a terminal state.
    fn rewards(&self, position: &Position, situation: &Situation) -> Result<Value, ReadError> {
        let players = self.solution.game().players();
        let rewards: Vec<u8> = situation.goals[..players].iter().flatten().copied().collect();
        if rewards.len() != players {
            return Err(ReadError::Damaged(format!("in a state of layer {}, a role has no reward", position.layer)));
        }
        Ok(Value::of_rewards(&rewards, players))
    }

    fn moves(
        &self,
        position: &Position,
        situation: &Situation,
        choosing: &[usize],
        limits: &Limits,
    ) -> Result<Vec<ExactMove>, ReadError> {
        let game = self.solution.game();
        if situation.terminal {
            return Ok(Vec::new());
        }
        let chance = choosing.last().filter(|&&role| role >= game.players());
        let probability = chance.map(|&role| Rational::new(1.into(), situation.legal[role].len().into()));
        let _held = hold(situation, limits)?;
        let mut found = Vec::with_capacity(situation.joint_move_count());
        for (index, (joint, after)) in self.successors(position, situation).enumerate() {
            look(index, limits)?;
            let value = self.value(&after)?.cloned();
            let (role, action) = self.shown(position, situation, &joint);
            let guarantees = self
                .guarantees
                .iter()
                .map(|(role, own)| Ok((self.role_name(role.index()), Forced::of(*role, worth(own, &after)?))));
            found.push(ExactMove {
                action,
                role: role.map(|role| self.role_name(role)),
                joint: self.solution.joint_names(&joint),
                value_float: value.as_ref().map(Value::floats),
                value,
                guarantees: guarantees.collect::<Result<_, ReadError>>()?,
                probability: probability.clone().map(Probability),
                // Without values, no move is called best.
                keeps_value: self.has_values(),
                optimal: self.has_values(),
                after,
            });
        }
        Ok(found)
    }

    /// Of moves with the same value, those that lead to an end come first.
    fn best_first(&self, moves: &mut Vec<ExactMove>, assessed: &ExactAssessment, mover: usize) {
        let after = &assessed.after;
        let each = moves.len() / after.len();
        let mut order: Vec<usize> = (0..after.len()).collect();
        let best = |place| assessed.is_best(mover, place);
        order.sort_by(|&one, &other| {
            self.rank(mover, &after[other], &after[one]).then_with(|| best(other).cmp(&best(one)))
        });
        *moves = order.into_iter().flat_map(|place| moves[place * each..][..each].to_vec()).collect();
    }

    fn mixed<'p>(&self, legal: &[MoveId], strategy: impl IntoIterator<Item = &'p Rational>) -> Vec<Mixed> {
        let mixed = legal.iter().zip(strategy).map(|(&action, probability)| Mixed {
            action: self.solution.move_name(action).to_owned(),
            probability: Probability(probability.clone()),
        });
        mixed.collect()
    }
}

impl Forced {
    fn of(role: RoleId, value: &Value) -> Forced {
        let number = value.numbers()[role.index()].clone();
        Forced { value_float: float(&number), value: number, strategy: Vec::new() }
    }
}
