//! Checks that positions that a symmetry maps onto each other have the same value.
//!
//! The symmetries that keep the initial state map each layer onto itself. Each position of random plays is compared
//! with its images under the generators that keep every role. In games of two roles, generators that exchange the roles
//! are used, too, with exchanged rewards.

use super::{Claim, Findings, How, Options, Verification};
use base::limits::Limits;
use base::random::Random;
use game::interpreter::Turn;
use game::symmetry::{Effort, Kept, Permutation, Rules};
use solving::solution::{Position, ReadError, Solution};

/// Number of random plays.
const PLAYS: usize = 200;
/// Bound on the positions of all plays together.
const POSITIONS: usize = 10_000;

/// Compares positions with their images. Does nothing if there are no symmetries, or if some values are missing.
pub fn check(
    solution: &Solution,
    options: &Options,
    limits: &Limits,
    result: &mut Verification,
) -> Result<(), ReadError> {
    if !result.findings.is_empty() || !result.complete {
        return Ok(());
    }
    let start = solution.start();
    let kept = Kept { state: Some(&start.state), roles: solution.game().roles.len() > 2 };
    let found =
        Rules::new(solution.game(), limits).and_then(|rules| rules.symmetries(kept, &Effort::default(), limits));
    let symmetries = match found {
        Err(limit) if !limit.ends_all() => {
            tracing::info!("symmetric positions are not compared: {limit}");
            return Ok(());
        }
        found => found?.generators,
    };
    if symmetries.is_empty() {
        return Ok(());
    }
    let mut findings = Findings::new("symmetric positions".to_owned());
    let mut random = Random::new(options.seed);
    let mut left = POSITIONS;
    for _ in 0..PLAYS {
        let mut position = start.clone();
        loop {
            limits.check()?;
            compare(solution, &position, &symmetries, &mut findings)?;
            let (situation, turn) = solution.situation(&position)?;
            left = left.saturating_sub(1);
            if turn == Turn::Terminal || left == 0 {
                break;
            }
            let Some(joint) = situation.random_joint_move(&mut random) else { break };
            position = solution.after(&position, &joint);
        }
    }
    findings.end(result);
    result.claims.add(Claim::Symmetric, How::Sampled);
    Ok(())
}

fn compare(
    solution: &Solution,
    position: &Position,
    symmetries: &[Permutation],
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let (layer, names) = (position.layer, |state: &game::interpreter::State| state.names(solution.game()).join(" "));
    let value = solution.worth(position)?.value;
    for images in symmetries {
        let image = images.state(&position.state);
        match solution.values().worth(layer, &image)? {
            None => findings
                .add(|| format!("layer {layer} has {} and lacks its image {}", names(&position.state), names(&image))),
            Some(worth) => {
                let expected = value.map(|rewards| images.rewards(rewards));
                if worth.value != expected.as_deref() {
                    findings.add(|| {
                        let (one, other) = (names(&position.state), names(&image));
                        format!(
                            "in layer {layer}, {one} has the value {value:?} and its image {other} the value {:?}",
                            worth.value
                        )
                    });
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute::BruteForce;
    use crate::sample::handmade::lines;
    use game::interpreter::State;
    use game::reward::OpponentModel;
    use num_bigint::BigUint;
    use solving::solution::{Among, Values, Worth};
    use std::ops::ControlFlow;
    use std::sync::Arc;

    /// A solution whose values are right except in one state.
    struct Wrong {
        right: BruteForce,
        state: State,
    }

    impl Values for Wrong {
        fn layers(&self) -> u32 {
            self.right.layers()
        }
        fn contains(&self, layer: u32, state: &State) -> Result<bool, ReadError> {
            self.right.contains(layer, state)
        }
        fn states_among(&self, layer: u32, among: Among) -> Result<BigUint, ReadError> {
            self.right.states_among(layer, among)
        }
        fn draw(
            &self,
            layer: u32,
            among: Among,
            random: &mut Random,
            limits: &Arc<Limits>,
        ) -> Result<State, ReadError> {
            self.right.draw(layer, among, random, limits)
        }
        fn each(
            &self,
            layer: u32,
            limits: &Arc<Limits>,
            visit: &mut dyn FnMut(State) -> ControlFlow<()>,
        ) -> Result<(), ReadError> {
            self.right.each(layer, limits, visit)
        }
        fn worth(&self, layer: u32, state: &State) -> Result<Option<Worth<'_>>, ReadError> {
            let right = self.right.worth(layer, state)?;
            Ok(right.map(|worth| if *state == self.state { Worth { value: Some(&[37, 63]), ..worth } } else { worth }))
        }
    }

    fn verified(solution: &Solution) -> Verification {
        let mut result = Verification { complete: true, ..Verification::default() };
        check(solution, &Options::default(), &Limits::unlimited(), &mut result).unwrap();
        result
    }

    #[test]
    fn a_value_that_is_not_that_of_its_images_is_found() {
        let game = lines(3, 3, 3);
        let right = BruteForce::solution(game.clone(), OpponentModel::MaxOwn);
        let result = verified(&right);
        assert_eq!((result.findings.len(), result.claims.iter().count()), (0, 1));
        // A mark in a corner: about every other play visits this state or an image of it.
        let corner = right.step(&right.start(), "(mark 1 1)").unwrap().state;
        let wrong = Wrong { right: BruteForce::new(&game, OpponentModel::MaxOwn), state: corner };
        let result = verified(&Solution::new(game.into(), OpponentModel::MaxOwn, Arc::new(wrong)));
        assert!(result.findings[0].message.contains("[37, 63]"), "{:?}", result.findings);
    }
}
