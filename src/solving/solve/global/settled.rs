//! The values of all states as an algorithm leaves them: by rank, as a diagram, or both.

use super::super::SolveError;
use super::super::pass::Pass;
use super::passes::Ranked;
use kernel::Diagram;

const FORM: &str = "values are by rank or a diagram";

/// Values by rank become a diagram only on demand, because that takes longer than to count them.
pub struct Settled<'a> {
    pass: &'a Pass<'a>,
    reached: &'a Diagram,
    pub by_rank: Option<Ranked>,
    diagram: Option<Diagram>,
}

impl<'a> Settled<'a> {
    pub fn by_rank(pass: &'a Pass<'a>, reached: &'a Diagram, ranked: Ranked) -> Self {
        Settled { pass, reached, by_rank: Some(ranked), diagram: None }
    }

    pub fn diagram(pass: &'a Pass<'a>, reached: &'a Diagram, values: Diagram) -> Self {
        Settled { pass, reached, by_rank: None, diagram: Some(values) }
    }

    /// All states with their value ids. Values by rank are kept, too.
    pub fn all(&mut self) -> Result<&Diagram, SolveError> {
        let made = match (self.diagram.take(), &self.by_rank) {
            (None, Some(ranked)) => ranked.values(self.reached, self.pass)?,
            (known, _) => known.expect(FORM),
        };
        Ok(self.diagram.insert(made))
    }

    /// As [`Settled::all`]. The tables by rank give their memory back.
    pub fn as_diagram(&mut self) -> Result<&Diagram, SolveError> {
        self.all()?;
        self.by_rank = None;
        self.all()
    }

    /// The ids of all values that occur, and perhaps of more; without endless play.
    pub fn ids(&self, endless: u32) -> Vec<u32> {
        let mut ids = match &self.by_rank {
            Some(ranked) => ranked.ids(),
            None => self.diagram.as_ref().expect(FORM).terminals(),
        };
        ids.retain(|id| (1..endless).contains(id));
        ids
    }
}
