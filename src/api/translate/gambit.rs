//! Writes games in the file formats of Gambit (McKelvey, McLennan, Turocy): the tree of a game (`.efg`), and a table of
//! payoffs (`.nfg`). A table is for a game in which every player chooses once, or for one position of a solved game.
//!
//! The tree has a node for every choice after every line of play, so a state that is reached in several ways occurs
//! several times; play that can come back to a state has no tree. Simultaneous choices become successive ones: an
//! information set hides the earlier choices, and chance comes last. Plies without a choice are left out. Payoffs are
//! the rewards. Time and memory: the number of nodes, which is bounded, times the size of the game.

use super::TranslateError;
use base::limits::{Account, LimitReached, Limits};
use game::interpreter::{Interpreter, JointMove, Situation, State, Violation};
use game::matrix::Rational;
use game::propositional::{Game, MoveId};
use game::refusal::Refusal;
use indexmap::{IndexMap, IndexSet};
use solving::solution::{Choices, ExactSolution, Position, ReadError};
use solving::solve::shown;
use std::fmt::Write;
use std::rc::Rc;

/// Largest number of nodes of a tree, including forced plies, and of payoffs of a table.
const MOST: u64 = 1_000_000;

/// A file format of Gambit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `.efg`, the extensive form.
    Tree,
    /// `.nfg`, the strategic form.
    Table,
}

impl Form {
    /// The format of files with this extension.
    pub fn named(name: &str) -> Option<Form> {
        match name {
            "efg" => Some(Form::Tree),
            "nfg" => Some(Form::Table),
            _ => None,
        }
    }
}

/// A game in this format.
pub fn text(game: &Game, form: Form, limits: &Limits) -> Result<String, TranslateError> {
    match form {
        Form::Tree => tree(game, limits),
        Form::Table => table_of(game, limits),
    }
}

fn quoted(name: impl ToString) -> String {
    format!("\"{}\"", name.to_string().replace('"', "\\\""))
}

fn listed(things: impl IntoIterator<Item = String>) -> String {
    let things: Vec<String> = things.into_iter().collect();
    format!("{{ {} }}", things.join(" "))
}

fn too_large(what: &str) -> TranslateError {
    LimitReached::Size { what: format!("the number of {what}"), limit: MOST }.into()
}

struct Reader<'a> {
    game: &'a Game,
    interpreter: Interpreter,
    players: usize,
    limits: &'a Limits,
    steps: u64,
    /// The states of the current line of play, each with the joint move made in it; the last state has none yet.
    line: IndexMap<State, JointMove>,
}

impl<'a> Reader<'a> {
    fn new(game: &'a Game, limits: &'a Limits) -> Self {
        Reader {
            game,
            interpreter: Interpreter::new(game),
            players: game.players(),
            limits,
            steps: 0,
            line: IndexMap::new(),
        }
    }

    /// Counts a node or a forced ply. Fails if there are more than [`MOST`].
    fn step(&mut self) -> Result<(), TranslateError> {
        self.steps += 1;
        if self.steps > MOST {
            return Err(too_large("nodes of the game's tree"));
        }
        Ok(self.limits.check()?)
    }

    /// The state after a joint move in `state`, up to which the line of play has this length.
    fn after(&mut self, state: &State, length: usize, joint: &JointMove) -> State {
        self.line.truncate(length);
        self.line[length - 1] = joint.clone();
        self.interpreter.successor(state, joint)
    }

    /// Follows forced plies to a state that is terminal or has a choice. Fails if a state of the line repeats.
    fn choice(&mut self, mut state: State) -> Result<(State, Situation), TranslateError> {
        loop {
            self.step()?;
            if let Some(first) = self.line.get_index_of(&state) {
                let mut path = self.interpreter.play_names(self.game, &self.joints(self.line.len()));
                let cycle = path.split_off(first);
                let message = "play can go on for ever: states repeat, so that its tree has no end".to_owned();
                let refusal = Refusal::repeats(message, state.names(self.game), path, cycle);
                return Err(TranslateError::Refused(refusal));
            }
            self.line.insert(state.clone(), JointMove::new());
            let situation = self.interpreter.situation(&state);
            match situation.turn() {
                Err(violation @ (Violation::NoMove(_) | Violation::Goals { .. })) => {
                    let path = self.joints(self.line.len() - 1);
                    let refusal = shown(self.game, &self.interpreter, &violation, &state, &path);
                    return Err(TranslateError::Refused(refusal));
                }
                _ if situation.terminal || situation.joint_move_count() > 1 => return Ok((state, situation)),
                _ => {}
            }
            let joint = situation.joint_moves().next().expect("every role has a move");
            state = self.after(&state, self.line.len(), &joint);
        }
    }

    /// The joint moves made in the first states of the line.
    fn joints(&self, states: usize) -> Vec<JointMove> {
        self.line.values().take(states).cloned().collect()
    }

    fn name(&self, action: MoveId) -> String {
        quoted(&self.game.moves[action.index()].term)
    }

    fn player_names(&self) -> String {
        listed(self.game.roles[..self.players].iter().map(quoted))
    }
}

/// A state with a choice, and by player the number of its information set.
struct Ply {
    state: State,
    situation: Situation,
    sets: Vec<usize>,
    /// Length of the line up to the state.
    length: usize,
}

enum Open {
    State(State),
    /// A choice of the next role. The joint move has the choices of the earlier roles.
    Choices(Rc<Ply>, JointMove),
}

fn tree(game: &Game, limits: &Limits) -> Result<String, TranslateError> {
    let mut reader = Reader::new(game, limits);
    let mut memory = Account::new(&limits);
    let mut text = format!("EFG 2 R {} {}\n", quoted(&game.name), reader.player_names());
    let mut sets = vec![0; game.roles.len()];
    let mut ends = IndexSet::new();
    let mut open = vec![Open::State(reader.interpreter.initial())];
    while let Some(next) = open.pop() {
        let (ply, mut chosen) = match next {
            Open::Choices(ply, chosen) => (ply, chosen),
            Open::State(state) => {
                let (state, situation) = reader.choice(state)?;
                if situation.terminal {
                    let rewards = situation.goals[..reader.players].iter().map(|goals| goals[0].to_string());
                    let (number, _) = ends.insert_full(listed(rewards));
                    let _ = writeln!(text, "t \"\" {} \"\" {}", number + 1, ends[number]);
                    continue;
                }
                for (role, count) in sets.iter_mut().enumerate() {
                    *count += usize::from(situation.legal[role].len() > 1);
                }
                let length = reader.line.len();
                (Rc::new(Ply { state, situation, sets: sets.clone(), length }), JointMove::new())
            }
        };
        let legal = &ply.situation.legal;
        while let Some([only]) = legal.get(chosen.len()).map(Vec::as_slice) {
            chosen.push(*only);
        }
        let role = chosen.len();
        let Some(moves) = legal.get(role) else {
            open.push(Open::State(reader.after(&ply.state, ply.length, &chosen)));
            continue;
        };
        reader.step()?;
        let set = ply.sets[role];
        if role < reader.players {
            let names = listed(moves.iter().map(|action| reader.name(*action)));
            let _ = writeln!(text, "p \"\" {} {set} \"\" {names} 0", role + 1);
        } else {
            let names = listed(moves.iter().map(|action| format!("{} 1/{}", reader.name(*action), moves.len())));
            let _ = writeln!(text, "c \"\" {set} \"\" {names} 0");
        }
        let with = |action: &MoveId| chosen.iter().copied().chain([*action]).collect();
        open.extend(moves.iter().rev().map(|action| Open::Choices(ply.clone(), with(action))));
        memory.grow_to((text.len() + open.len() * size_of::<Open>()) as u64)?;
    }
    Ok(text)
}

/// The table of a game that is over after the first choices.
fn table_of(game: &Game, limits: &Limits) -> Result<String, TranslateError> {
    let mut reader = Reader::new(game, limits);
    let start = reader.interpreter.initial();
    let (state, situation) = reader.choice(start)?;
    let length = reader.line.len();
    if (situation.joint_move_count() as u64).saturating_mul(game.roles.len() as u64) > MOST {
        return Err(too_large("payoffs"));
    }
    let legal = &situation.legal;
    let mut payoffs = Vec::new();
    if situation.terminal {
        payoffs.push(situation.goals.iter().map(|goals| Rational::from_integer(goals[0].into())).collect());
    } else {
        // Chance is the last role, so joint moves that differ only in its move are consecutive.
        let outcomes: usize = legal[reader.players..].iter().map(Vec::len).product();
        let joints: Vec<JointMove> = situation.joint_moves().collect();
        for joints in joints.chunks(outcomes) {
            let mut sum = vec![0_u64; reader.players];
            for joint in joints {
                let successor = reader.after(&state, length, joint);
                let (_, end) = reader.choice(successor)?;
                if !end.terminal {
                    let message = "play goes on after the first choices: the game has a tree, but no table of payoffs";
                    return Err(TranslateError::Refused(Refusal::of_game("no-table", message.to_owned())));
                }
                sum.iter_mut().zip(&end.goals).for_each(|(sum, goals)| *sum += u64::from(goals[0]));
            }
            payoffs.push(sum.into_iter().map(|sum| Rational::new(sum.into(), outcomes.into())).collect());
        }
    }
    let names = |role: usize| match situation.terminal {
        true => vec![quoted("")],
        false => legal[role].iter().map(|action| reader.name(*action)).collect(),
    };
    let strategies: Vec<Vec<String>> = (0..reader.players).map(names).collect();
    Ok(table(&game.name, &reader.player_names(), &strategies, &payoffs))
}

/// The table of one position with exact values. A payoff is the value after a joint choice, averaged over chance.
/// `None` if only guarantees are stored.
pub fn of_position(
    solution: &ExactSolution,
    position: &Position,
    limits: &Limits,
) -> Result<Option<String>, ReadError> {
    let Choices { names, after } = solution.choices(position, limits)?;
    let game = solution.solution().game();
    let strategies: Vec<Vec<String>> = names.iter().map(|names| names.iter().map(quoted).collect()).collect();
    let payoffs: Vec<Vec<Rational>> = after.iter().map(|value| value.numbers().to_vec()).collect();
    let players = listed(game.player_names().iter().map(quoted));
    Ok((!payoffs.is_empty()).then(|| table(&game.name, &players, &strategies, &payoffs)))
}

/// A table as text. `payoffs`: by joint choice, the choices of the last player changing fastest; then by player.
fn table(name: &str, players: &str, strategies: &[Vec<String>], payoffs: &[Vec<Rational>]) -> String {
    let sets = listed(strategies.iter().map(|names| listed(names.iter().cloned())));
    let mut text = format!("NFG 1 R {} {players}\n{sets}\n\n", quoted(name));
    for number in 0..payoffs.len() {
        // In the file, the choices of the first player change fastest.
        let (mut rest, mut place, mut weight) = (number, 0, payoffs.len());
        for names in strategies {
            weight /= names.len();
            place += rest % names.len() * weight;
            rest /= names.len();
        }
        let cells: Vec<String> = payoffs[place].iter().map(Rational::to_string).collect();
        let _ = writeln!(text, "{}", cells.join(" "));
    }
    text
}
