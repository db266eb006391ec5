//! Checks whether a description is a valid game: names, types, roles, gains, stratification. Each check has a file.
//!
//! Each check is linear in the size of the text, up to the number of types, which is bounded.

mod conditions;
pub mod costs;
mod game;
mod requirements;
mod stratification;
mod types;
mod usage;
mod vocabulary;

use super::ast::Description;
use crate::diagnostic::{Diagnostic, has_errors};
pub use game::{Owner, owner, role_of_gain};
pub use stratification::dependencies;
pub use types::{TypeId, union};
pub use vocabulary::Vocabulary;

/// Returns the declared names. If not `complete` (some expression could not be read), nothing is reported as missing.
pub fn description(description: &Description, complete: bool, diagnostics: &mut Vec<Diagnostic>) -> Vocabulary {
    // The names that a missing domain or problem would declare are unknown.
    let whole = complete && !description.domains.is_empty() && !description.problems.is_empty();
    let vocabulary = Vocabulary::new(description, whole, diagnostics);
    conditions::check(description, &vocabulary, whole, diagnostics);
    // The metric is in the problem, and what increases costs in the domain.
    if !description.domains.is_empty() && !description.problems.is_empty() {
        costs::check(description, &vocabulary, complete, diagnostics);
    }
    game::check(description, &vocabulary, complete, diagnostics);
    stratification::check(description, diagnostics);
    // Where something is wrong, a use may be among it.
    if whole && !has_errors(diagnostics) {
        usage::check(description, &vocabulary, diagnostics);
    }
    requirements::check(description, complete && !description.domains.is_empty(), diagnostics);
    vocabulary
}
