//! The reasons why a program has no propositional form.

use crate::diagnostic::Diagnostic;
use crate::reward::NoReward;
use crate::rules::costs::NoCost;
use crate::syntax::Span;
use base::limits::LimitReached;

/// The reason for the early end of an evaluation: an error, or a rule of the program over its budget that can be
/// evaluated in another way.
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    pub relation: String,
    /// The variable that the rule has in place of the argument, with its `?`.
    pub argument: String,
    pub values: usize,
    pub atoms: usize,
}

impl Cause {
    fn advice(&self) -> String {
        let Cause { relation, argument, .. } = self;
        format!(
            "bind {argument} by conditions before {relation} wherever it is used, for atoms are made for what is asked only; \
             or take {argument} out of {relation}, or split {relation} into relations of fewer arguments"
        )
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroundError {
    /// More instances, atoms, join steps or memory than permitted; `head`: that of the rule with the most instances.
    #[error("{reason}; most instances come from the rule for {head}: {instances}{}", cause_text(.cause))]
    Explosion { reason: LimitReached, head: String, span: Span, instances: u64, cause: Option<Box<Cause>> },
    #[error(transparent)]
    Limit(#[from] LimitReached),
    #[error("a variable of the rule for {head} occurs in no positive literal of its body")]
    Unsafe { head: String, span: Span },
    #[error("{head} must not depend on the state")]
    StateDependent { head: String, span: Span },
    #[error("goal value {value}: {refused}")]
    GoalValue { value: String, refused: NoReward, span: Span },
    #[error("the move {action} has no cost: {}", cost_text(.reason))]
    Cost { action: String, reason: NoCost },
    #[error("{atom} depends on its own negation")]
    Unstratified { atom: String, span: Span },
    #[error("terms nest without end: look at the rule for {head}")]
    EndlessTerms { head: String, span: Span },
}

fn cause_text(cause: &Option<Box<Cause>>) -> String {
    cause.as_ref().map_or(String::new(), |cause| {
        let Cause { relation, argument, values, atoms } = cause.as_ref();
        format!("; {argument} takes {values} values in {atoms} atoms of {relation}")
    })
}

fn cost_text(reason: &NoCost) -> String {
    match reason {
        NoCost::Unknown { function, .. } => format!("`:init` does not say the value of {function}"),
        NoCost::TooLarge { .. } => format!("it is larger than {}", u64::MAX),
    }
}

impl GroundError {
    /// The finding to report on the rules; `None` if a limit was reached that no single rule causes.
    pub fn finding(&self) -> Option<Diagnostic> {
        let (code, span) = match *self {
            GroundError::Limit(_) => return None,
            GroundError::Explosion { ref reason, .. } if reason.ends_all() => return None,
            GroundError::Explosion { span, .. } => ("explosion", span),
            GroundError::Unsafe { span, .. } => ("unsafe-variable", span),
            GroundError::StateDependent { span, .. } => ("state-dependent", span),
            GroundError::GoalValue { span, .. } => ("goal-value", span),
            GroundError::Cost { reason: NoCost::Unknown { span, .. }, .. } => ("missing-cost", span),
            GroundError::Cost { reason: NoCost::TooLarge { span }, .. } => ("large-cost", span),
            GroundError::Unstratified { span, .. } => ("unstratified", span),
            GroundError::EndlessTerms { span, .. } => ("endless-terms", span),
        };
        let finding = Diagnostic::error(code, span, self.to_string());
        Some(match self {
            GroundError::Explosion { reason, cause, .. } => {
                let of_memory = matches!(reason.reason(), LimitReached::Memory { .. });
                let more = of_memory.then(|| "give more with --memory".to_owned());
                let advice = more.into_iter().chain(cause.as_ref().map(|cause| cause.advice()));
                let advice = advice.reduce(|more, other| format!("{more}; or {other}"));
                advice.into_iter().fold(finding, Diagnostic::with_advice)
            }
            GroundError::GoalValue { refused, .. } => finding.with_advice(refused.advice()),
            GroundError::Cost { reason: NoCost::Unknown { function, .. }, .. } => {
                finding.with_advice(format!("add its value to `:init`: `(= {function} 1)`"))
            }
            GroundError::Cost { reason: NoCost::TooLarge { .. }, .. } => {
                finding.with_advice("costs that are all divided by one number have the same cheapest plans")
            }
            GroundError::EndlessTerms { .. } => finding.with_advice(
                "each term gives rise to a larger one: list what can follow as facts, such as `(succ 1 2)`, up to the largest, and let the rule \
                 ask for these facts",
            ),
            _ => finding,
        })
    }

    /// Whether a bound on size or work was reached, which does not mean that the rules are wrong.
    pub fn is_limit(&self) -> bool {
        matches!(self, GroundError::Limit(_) | GroundError::Explosion { .. })
    }
}
