//! The aim of a single player: the reward that it tries to reach. It tells whether there is a plan, and which states
//! are dead ends.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aim {
    /// The best reward reachable from the start; if none above 0 is reachable, the highest reward that the rules name.
    pub reward: u8,
    /// Whether the rules name this reward and no other one above 0, so that it is the goal.
    pub single: bool,
    pub reachable: bool,
}

impl Aim {
    /// `start`: the value of the start (`None`: endless play). Returns `None` if no reward among `named` and `start` is
    /// above 0.
    pub fn new(named: &[u8], start: Option<u8>) -> Option<Aim> {
        let reachable = start.filter(|&best| best > 0);
        let reward = reachable.or(named.iter().copied().max()).filter(|&reward| reward > 0)?;
        let mut above = named.iter().filter(|&&named| named > 0).peekable();
        let single = above.peek().is_some() && above.all(|&named| named == reward);
        Some(Aim { reward, single, reachable: reachable.is_some() })
    }

    /// Whether the aim cannot be reached from a state with this value (of one role; `None`: endless play).
    pub fn is_missed(self, value: Option<&[u8]>) -> bool {
        value.is_none_or(|rewards| rewards[0] < self.reward)
    }

    pub fn out_of_reach(self) -> String {
        match self {
            Aim { single: true, .. } => "the goal can't be reached".to_owned(),
            Aim { reachable: true, reward, .. } => format!("{reward}, the best from the start, can't be reached"),
            Aim { reachable: false, .. } => "no reward above 0 can be reached".to_owned(),
        }
    }

    /// The message that the aim cannot be reached from the start; `None` if it can.
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
        assert_eq!(Aim::new(&[], Some(30)), aim(30, false, true));
        assert_eq!((Aim::new(&[], None), Aim::new(&[0], Some(0))), (None, None));
    }
}
