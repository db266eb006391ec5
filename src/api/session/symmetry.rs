//! The symmetries of a game as plain data: generators and the order of their group.

use base::limits::{LimitReached, Limits};
use game::interpreter::State;
use game::propositional::{Game, MoveId};
use game::symmetry::{Effort, Kept, Permutation, Rules, Symmetries};
use num_bigint::BigUint;
use serde::Serialize;
use solving::store::manifest::integer;

/// The symmetries of a game.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SymmetryReport {
    /// The symmetries that keep the initial state.
    #[serde(flatten)]
    pub of_game: SymmetryGroup,
    /// The symmetries of the rules, which need not keep the initial state.
    pub of_rules: SymmetryGroup,
}

/// A group of permutations of fluents, moves and roles that leave the rules as they are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SymmetryGroup {
    /// Number of permutations, including the identity.
    #[serde(with = "integer")]
    pub order: BigUint,
    /// Whether the search found all symmetries of the formulas; otherwise it was given up.
    pub complete: bool,
    /// Permutations from which all others follow.
    pub generators: Vec<Generator>,
}

/// A permutation, by its cycles.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Generator {
    /// The cycles of fluents.
    pub fluents: Vec<Vec<String>>,
    /// Moves are written `(does ROLE MOVE)`.
    pub moves: Vec<Vec<String>>,
    /// The cycles of roles.
    pub roles: Vec<Vec<String>>,
}

impl SymmetryReport {
    /// Searches with the usual effort. If memory does not suffice, the report says so and has no symmetries.
    pub(super) fn new(game: &Game, limits: &Limits) -> Result<SymmetryReport, LimitReached> {
        let initial = State::from_flags(&game.init);
        let of_state = Kept { state: Some(&initial), roles: false };
        let found = Rules::new(game, limits).and_then(|rules| {
            let group = |kept| Ok(SymmetryGroup::new(game, &rules.symmetries(kept, &Effort::default(), limits)?));
            let of_rules = group(Kept::default())?;
            // Symmetries of the game are symmetries of the rules, too.
            let none = of_rules.complete && of_rules.generators.is_empty();
            let of_game = if none { of_rules.clone() } else { group(of_state)? };
            Ok(SymmetryReport { of_game, of_rules })
        });
        match found {
            Err(limit) if !limit.ends_all() => {
                tracing::warn!("symmetries are not known: {limit}");
                let unknown = SymmetryGroup { order: 1u32.into(), complete: false, generators: Vec::new() };
                Ok(SymmetryReport { of_game: unknown.clone(), of_rules: unknown })
            }
            found => found,
        }
    }
}

impl SymmetryGroup {
    fn new(game: &Game, found: &Symmetries) -> SymmetryGroup {
        let generators = found.generators.iter().map(|generator| Generator::new(game, generator)).collect();
        SymmetryGroup { order: found.order(), complete: found.complete, generators }
    }
}

impl Generator {
    fn new(game: &Game, permutation: &Permutation) -> Generator {
        fn named<T: Copy>(cycles: Vec<Vec<T>>, name: impl Fn(T) -> String) -> Vec<Vec<String>> {
            cycles.iter().map(|cycle| cycle.iter().map(|&id| name(id)).collect()).collect()
        }
        let action = |id: MoveId| {
            let action = &game.moves[id.index()];
            format!("(does {} {})", game.roles[action.role.index()], action.term)
        };
        Generator {
            fluents: named(permutation.fluent_cycles(), |id| game.fluents[id.index()].to_string()),
            moves: named(permutation.move_cycles(), action),
            roles: named(permutation.role_cycles(), |id| game.roles[id.index()].to_string()),
        }
    }
}
