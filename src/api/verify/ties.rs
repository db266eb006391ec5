//! The states in which a tie decides: some move gives the mover as much as the value of the state, but gives other
//! roles different rewards. They are counted if every state is checked. Otherwise the stored number must be possible.

use super::claims::{Claim, Claims, How};
use super::{Findings, Verification};
use game::reward::OpponentModel;
use num_bigint::BigUint;
use solving::solution::Stored;
use solving::store::Manifest;

pub const WHAT: &str = "states in which a tie decides";

/// Decides whether only a tie distinguishes two values.
#[derive(Debug)]
pub struct Alike {
    /// By value id: the index of its rewards; `None` if it has none.
    rewards: Vec<Option<usize>>,
    /// By role and index of rewards: the numbers that the role maximises first.
    criteria: Vec<Vec<(i32, i32)>>,
}

impl Alike {
    /// The rewards of a solution by layers. `None` if the solution has no number of ties.
    pub fn new(stored: &Stored) -> Option<Alike> {
        stored.manifest.ties.as_ref()?;
        let endings = stored.endings();
        let of = |role| endings.all_rewards().iter().map(|rewards| stored.model().criterion(role, rewards)).collect();
        Some(Alike {
            rewards: (0..=endings.count() as u32).map(|id| endings.index(id)).collect(),
            criteria: (0..stored.game.roles.len()).map(of).collect(),
        })
    }

    /// Whether the rewards of two value ids are equal in the numbers that the mover maximises first.
    pub fn tie(&self, mover: usize, left: u32, right: u32) -> bool {
        let index = |id: u32| self.rewards.get(id as usize).copied().flatten();
        match (index(left), index(right)) {
            (Some(left), Some(right)) => left != right && self.criteria[mover][left] == self.criteria[mover][right],
            _ => false,
        }
    }
}

/// As [`Alike::tie`], for rewards; `None` is endless play, in which every role gets 0.
pub fn tie(model: OpponentModel, roles: usize, mover: usize, [left, right]: [Option<&[u8]>; 2]) -> bool {
    let nothing = vec![0; roles];
    let [left, right] = [left, right].map(|value| value.unwrap_or(&nothing));
    left != right && model.criterion(mover, left) == model.criterion(mover, right)
}

#[derive(Debug, Default)]
pub struct Ties {
    counted: BigUint,
    /// Number of states in layers that were not checked completely.
    open: BigUint,
}

impl Ties {
    /// Adds a layer. `ties`: the number of its states in which a tie decides; `None` if not every state was checked.
    pub fn layer(&mut self, states: &BigUint, ties: Option<u64>) {
        match ties {
            Some(ties) => self.counted += ties,
            None => self.open += states,
        }
    }

    pub fn end(self, manifest: &Manifest, claims: &mut Claims, result: &mut Verification) {
        let Some(told) = &manifest.ties else { return };
        let Ties { counted, open } = self;
        let all = open == BigUint::ZERO;
        claims.add(Claim::Ties, if all { How::Proved } else { How::Open });
        let most = &counted + &open;
        if *told < counted || *told > most {
            let found = if all { counted.to_string() } else { format!("{counted} to {most}") };
            let mut findings = Findings::new("manifest.json".to_owned());
            findings.add(|| wrong(told, WHAT, &found));
            findings.end(result);
        }
    }
}

pub fn wrong(told: &BigUint, what: &str, found: &str) -> String {
    format!("the manifest has {told} {what}, there are {found}")
}
