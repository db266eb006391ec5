//! What makes a description a game: names, types, roles, gains, stratification; one check a file.
//!
//! Each check is linear in the size of the text, up to the number of types, which is bounded.

mod conditions;
mod costs;
mod game;
mod requirements;
mod stratification;
mod types;
mod vocabulary;

use super::ast::Description;
use crate::diagnostic::Diagnostic;
pub use game::{Owner, owner, role_of_gain};
pub use types::{TypeId, union};
pub use vocabulary::Vocabulary;

/// Runs all checks and gives the names that the description declares. `complete` tells that every expression could
/// be read: only then is it worth saying that something is missing.
pub fn description(description: &Description, complete: bool, diagnostics: &mut Vec<Diagnostic>) -> Vocabulary {
    // Half a game lacks the names of the other half.
    let whole = complete && !description.domains.is_empty() && !description.problems.is_empty();
    let vocabulary = Vocabulary::new(description, whole, diagnostics);
    conditions::check(description, &vocabulary, whole, diagnostics);
    costs::check(description, diagnostics);
    game::check(description, &vocabulary, complete, diagnostics);
    stratification::check(description, diagnostics);
    requirements::check(description, diagnostics);
    vocabulary
}
