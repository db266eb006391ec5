//! The claims of a solution, and how far a verification showed each of them.

use serde::Serialize;
use std::collections::BTreeMap;

/// A claim of a solution that a verification checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// Every file has the checksum in the manifest.
    Checksums,
    /// The number of states of every layer.
    LayerStates,
    /// The number of states of every layer with each value.
    Buckets,
    /// In every state, either play is over and each role has one reward, or at most one role has a choice.
    Turns,
    /// In every state, either play is over and each player has one reward, or all roles have a move. Also the numbers
    /// of states in which chance moves, or several players choose.
    Choices,
    /// Every successor lies in the next layer.
    Successors,
    /// Every successor lies in the next layer or an earlier one.
    #[serde(rename = "successors_within")]
    Within,
    /// Every state of a layer is a successor of a state of the layer before.
    #[serde(rename = "no_other_states")]
    NoOthers,
    /// Every value is that of a terminal state, or the best one of the successors or one for which the mover settled.
    Values,
    /// Every exact value is the rewards of a terminal state, or follows from the values of the successors.
    ExactValues,
    /// There is no single value, if that is claimed: the play that shows it leads to a state in which no value follows.
    NoValue,
    /// Values follow from the rounds in which states were settled, so that no value rests on itself.
    Rounds,
    /// Every state's number of plies to the end.
    Distances,
    /// The number of terminal states of every layer.
    #[serde(rename = "terminal_states_of_layers")]
    Terminal,
    /// In one-player games and with distances: the number of terminal states of every layer with each reward.
    #[serde(rename = "ends_of_layers")]
    Ends,
    /// Whether the choice alternates between roles.
    Alternating,
    /// The number of states in which a tie decides between rewards of others, if it was counted.
    Ties,
    /// The number of states in which another move is worth more to the mover than the value, if it was counted.
    NotBest,
    /// No state lies in two layers.
    #[serde(rename = "disjoint_layers")]
    Disjoint,
    /// The number of distinct states.
    #[serde(rename = "states")]
    DistinctStates,
    /// The number of distinct terminal states.
    #[serde(rename = "terminal_states")]
    DistinctTerminal,
    /// Positions that a symmetry maps onto each other have the same value.
    Symmetric,
    /// The distances in the book.
    Book,
    /// In a guarantee: the number of states in which the role can force its reward in the solution.
    Forced,
}

/// How far a claim was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// For all states.
    Proved,
    /// On random states of some layers, and on all states of the other layers.
    Sampled,
    /// Not shown, because that would take too much memory, or a check of all states.
    Open,
}

impl Claim {
    /// The claim in words.
    pub fn text(self) -> &'static str {
        match self {
            Claim::Checksums => "every file is as it was written",
            Claim::LayerStates => "the number of states of every layer",
            Claim::Buckets => "how many states of every layer have each value",
            Claim::Turns => "whose turn it is: one role has a choice, or none",
            Claim::Choices => "who chooses: chance, one player, several, or nobody",
            Claim::Successors => "every successor lies in the next layer",
            Claim::Within => "every successor lies in the next layer or an earlier one",
            Claim::NoOthers => "every state of a layer is a successor of one of the layer before",
            Claim::Values => {
                "every value is that of the goals, of the best successor, or of one that the mover settled for"
            }
            Claim::ExactValues => {
                "every value is that of the goals, or a mean, the best one, or that of a matrix by mixtures that no move beats"
            }
            Claim::NoValue => "there is no single value, as the state that the play leads to has none",
            Claim::Rounds => "values follow from the rounds in which states were settled, so that none rests on itself",
            Claim::Distances => "the plies to the end of every state",
            Claim::Terminal => "the number of terminal states of every layer",
            Claim::Ends => "how many terminal states of every layer have which reward",
            Claim::Alternating => "whether the roles have the choice in turn",
            Claim::Ties => "in how many states a tie decides between rewards of others",
            Claim::NotBest => "in how many states another move is worth more to the mover than the value",
            Claim::Disjoint => "no state lies in two layers",
            Claim::DistinctStates => "the number of distinct states",
            Claim::DistinctTerminal => "the number of distinct terminal states",
            Claim::Symmetric => "positions that a symmetry of the game maps onto each other are worth the same",
            Claim::Book => "the distances of the book",
            Claim::Forced => "in how many states the role can force what it gets",
        }
    }
}

/// By claim: the least of the extents to which its parts were shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Claims(BTreeMap<Claim, How>);

impl Claims {
    /// Records how far a part of a claim was shown.
    pub fn add(&mut self, claim: Claim, how: How) {
        let entry = self.0.entry(claim).or_insert(how);
        *entry = how.max(*entry);
    }

    /// How far a claim was shown; `None` if it was not checked.
    pub fn of(&self, claim: Claim) -> Option<How> {
        self.0.get(&claim).copied()
    }

    /// All claims, each with its extent.
    pub fn iter(&self) -> impl Iterator<Item = (Claim, How)> + '_ {
        self.0.iter().map(|(claim, how)| (*claim, *how))
    }
}
