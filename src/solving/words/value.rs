//! Rewards in words.

use game::reward::OpponentModel;
use std::cmp::Ordering;

/// The outcome of a value: `a win for red, 100 to 0`. No verb follows a role, because its name may be a plural.
pub fn outcome_text(roles: &[String], value: Option<&[u8]>) -> String {
    let Some(rewards) = value else { return "play can go on for ever".to_owned() };
    match (roles, rewards) {
        ([role], [reward]) => format!("{reward} at best for {role}"),
        ([a, b], [first, second]) => match first.cmp(second) {
            Ordering::Greater => format!("a win for {a}, {first} to {second}"),
            Ordering::Less => format!("a win for {b}, {second} to {first}"),
            Ordering::Equal => format!("a draw, {first} for {a} and {second} for {b}"),
        },
        _ => {
            let each = roles.iter().zip(rewards).map(|(role, reward)| format!("{reward} for {role}"));
            each.collect::<Vec<_>>().join(", ")
        }
    }
}

/// How movers rank rewards, in parentheses after a space; empty for a single role.
pub fn model_text(roles: &[String], model: OpponentModel) -> &'static str {
    match (roles.len(), model) {
        (1, _) => "",
        (2, OpponentModel::MaxOwn) => " (each player takes the highest own reward, then the opponent's lowest)",
        (2, OpponentModel::MaxDiff) => " (each player takes the largest lead over the opponent)",
        (_, OpponentModel::MaxOwn) => " (each player takes the highest own reward, then the lowest sum of the others')",
        (_, OpponentModel::MaxDiff) => " (each player takes the largest lead over the best of the others)",
    }
}

/// `50/50`, or `endless` for endless play.
pub fn value_text(value: Option<&[u8]>) -> String {
    value.map_or("endless".to_owned(), rewards_text)
}

/// The reward of one role: `50`, or `endless` for endless play.
pub fn reward_text(value: Option<u8>) -> String {
    value.map_or("endless".to_owned(), |reward| reward.to_string())
}

/// The guarantee of a role: `red can force 50`, or `red cannot force an end of play` if the others can make play go on
/// for ever.
pub fn force_text(role: &str, value: Option<u8>) -> String {
    match value {
        Some(reward) => format!("{role} can force {reward}"),
        None => format!("{role} cannot force an end of play"),
    }
}

/// The rewards of all roles: `50/50`.
pub fn rewards_text(rewards: &[u8]) -> String {
    rewards.iter().map(u8::to_string).collect::<Vec<_>>().join("/")
}
