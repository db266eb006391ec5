//! Why a program has no propositional form.

use crate::limits::LimitReached;
use crate::syntax::Span;

/// Why evaluation does not end: an error, or a rule (of the program) that should be split otherwise.
#[derive(Debug)]
pub enum Failure {
    Error(GroundError),
    Work(usize),
}

impl From<GroundError> for Failure {
    fn from(error: GroundError) -> Self {
        Failure::Error(error)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroundError {
    /// The instances, atoms or nodes outgrew a limit; the rule with the most instances so far.
    #[error("{reason}; most instances come from the rule for {head}: {instances}")]
    Explosion { reason: LimitReached, head: String, span: Span, instances: u64 },
    /// A limit was reached where no rule is to blame.
    #[error(transparent)]
    Limit(#[from] LimitReached),
    /// A variable of the rule is bound by no positive literal.
    #[error("a variable of the rule for {head} occurs in no positive literal of its body")]
    Unsafe { head: String, span: Span },
    /// `init` or `role` depends on the state.
    #[error("{head} must not depend on the state")]
    StateDependent { head: String, span: Span },
    /// A goal value that is not a number from 0 to 100.
    #[error("goal value {value} is not a whole number from 0 to 100")]
    GoalValue { value: String, span: Span },
    /// An atom that depends on its own negation.
    #[error("{atom} depends on its own negation")]
    Unstratified { atom: String },
    /// Terms that grow without end.
    #[error("terms nest without end, most instances come from the rule for {head}")]
    EndlessTerms { head: String, span: Span },
}
