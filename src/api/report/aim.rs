//! Texts on what a single player can reach.

use crate::session::{RunReport, Unreached};
use game::aim::Aim;
use solving::unmet::Unmet;
use solving::words::number::states;
use solving::words::value::outcome_text;

impl RunReport {
    /// The result of best play from the start; `None` if states were only counted.
    pub fn outcome(&self) -> Option<String> {
        let value = self.value.as_ref()?.as_deref();
        Some(start_text(&self.roles, value, self.aim))
    }

    pub(super) fn dead_ends_text(&self) -> Option<String> {
        let aim = self.aim.filter(|aim| aim.reachable)?;
        let number = self.dead_ends.as_ref().filter(|number| **number != 0u32.into())?;
        Some(format!("dead ends: {} from which {}{}", states(number), aim.out_of_reach(), self.by_layer()))
    }

    /// What to add to a number of states that is a sum over the layers; empty if no state lies in two of them.
    pub(super) fn by_layer(&self) -> &'static str {
        if self.layer_states == self.states { "" } else { ", counted in every layer that contains them" }
    }

    /// If no state pays the highest reward: a sentence without its full stop, and the conditions to list after it.
    pub(super) fn unreached_text(&self) -> Option<(String, Vec<String>)> {
        self.unreached.as_ref().map(|unreached| unreached_text(unreached, self.aim.is_some_and(|aim| aim.single)))
    }
}

/// The result of best play from the start, in words.
pub fn start_text(roles: &[String], value: Option<&[u8]>, aim: Option<Aim>) -> String {
    aim.and_then(Aim::no_plan).unwrap_or_else(|| outcome_text(roles, value))
}

fn unreached_text(unreached: &Unreached, single: bool) -> (String, Vec<String>) {
    let Unreached { reward, states: number, by_rules, unmet, .. } = unreached;
    let what = if single { "the goal".to_owned() } else { format!("the reward {reward}") };
    if *by_rules {
        return (format!("The rules exclude {what} in whatever state: `ggsolve check` tells where"), Vec::new());
    }
    let none = format!("None of {} that can be reached has {what}", states(number));
    let Some(Unmet { conditions, never, never_together, paired }) = unmet else { return (none, Vec::new()) };
    if !never.is_empty() {
        let these = if never.len() == 1 { "this condition of it holds" } else { "these conditions of it hold" };
        return (format!("{none}; {these} in none of them"), never.clone());
    }
    let pairs = never_together.iter().map(|[first, second]| format!("{first} with {second}")).collect();
    let how = match never_together.as_slice() {
        [] if *paired => format!("and so do any two, but never all {} together", conditions.len()),
        [] => format!("but never all {} together", conditions.len()),
        _ => "but never together".to_owned(),
    };
    (format!("{none}; each condition of it holds in some of them, {how}"), pairs)
}
