//! What makes a description a game: names, types, roles, gains, stratification; one check a file.
//!
//! Each check is linear in the size of the text, up to the number of types, which is bounded.

mod conditions;
mod game;
mod requirements;
mod stratification;
mod types;
mod vocabulary;

use super::ast::Description;
use crate::diagnostic::Diagnostic;
pub use game::{CONTROL, Owner, owner, role_of_gain};
pub use types::{TypeId, Types};
pub use vocabulary::Vocabulary;

/// Runs all checks and gives the names that the description declares. `complete` tells that every expression could
/// be read: only then is it worth saying that something is missing.
pub fn description(description: &Description, complete: bool, diagnostics: &mut Vec<Diagnostic>) -> Vocabulary {
    let vocabulary = Vocabulary::new(description, complete, diagnostics);
    conditions::check(description, &vocabulary, complete, diagnostics);
    game::check(description, &vocabulary, complete, diagnostics);
    stratification::check(description, diagnostics);
    requirements::check(description, diagnostics);
    vocabulary
}
