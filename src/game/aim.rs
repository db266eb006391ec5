//! What the only player of a game plays for, so that a planning task without a plan and dead ends are told apart from
//! play that is merely long.

/// The aim of the only player of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aim {
    /// The best reward that can be reached from the start or, where that is not above 0, the highest that the rules name.
    pub reward: u8,
    /// The rules name no other reward above 0: to get it is to reach the goal.
    pub single: bool,
    /// It can be reached from the start.
    pub reachable: bool,
}

impl Aim {
    /// From the rewards that the rules name and the value of the start (`None`: endless play). There is no aim where no
    /// reward is above 0.
    pub fn new(named: &[u8], start: Option<u8>) -> Option<Aim> {
        let reachable = start.filter(|&best| best > 0);
        let reward = reachable.or(named.iter().copied().max()).filter(|&reward| reward > 0)?;
        let mut above = named.iter().filter(|&&named| named > 0).peekable();
        let single = above.peek().is_some() && above.all(|&named| named == reward);
        Some(Aim { reward, single, reachable: reachable.is_some() })
    }

    /// Whether a state with this value (of one role; `None`: endless play) is a dead end: the aim can't be reached from it.
    pub fn is_missed(self, value: Option<&[u8]>) -> bool {
        value.is_none_or(|rewards| rewards[0] < self.reward)
    }

    /// That it can't be reached, in words.
    pub fn out_of_reach(self) -> String {
        match self {
            Aim { single: true, .. } => "the goal can't be reached".to_owned(),
            Aim { reachable: true, reward, .. } => format!("{reward}, the best from the start, can't be reached"),
            Aim { reachable: false, .. } => "no reward above 0 can be reached".to_owned(),
        }
    }

    /// The same of the start, of which it is what there is to tell; `None` where the aim can be reached.
    pub fn no_plan(self) -> Option<String> {
        (!self.reachable).then(|| format!("{}: there is no plan", self.out_of_reach()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_aim_is_what_can_be_reached_or_else_what_the_rules_name() {
        let aim = |reward, single, reachable| Some(Aim { reward, single, reachable });
        assert_eq!(Aim::new(&[0, 100], Some(100)), aim(100, true, true));
        assert_eq!(Aim::new(&[0, 100], Some(0)), aim(100, true, false));
        assert_eq!(Aim::new(&[0, 100], None), aim(100, true, false));
        assert_eq!(Aim::new(&[0, 50, 100], Some(50)), aim(50, false, true));
        assert_eq!(Aim::new(&[0, 50, 100], None), aim(100, false, false));
        // Rewards that are computed are not named.
        assert_eq!(Aim::new(&[], Some(30)), aim(30, false, true));
        assert_eq!((Aim::new(&[], None), Aim::new(&[0], Some(0))), (None, None));
    }
}
