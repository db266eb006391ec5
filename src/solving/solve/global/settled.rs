//! The values of all states as an algorithm leaves them: in tables, as a diagram, or both.

use super::super::SolveError;
use super::super::outcome::Bucket;
use super::super::pass::Pass;
use super::super::spool::Spool;
use super::counting::Counting;
use super::passes::Ranked;
use kernel::Diagram;

const FORM: &str = "values are in tables or a diagram";

/// Values of states that are ranked or listed.
pub enum Tables<'a> {
    Ranked(Box<Ranked>),
    Listed(Box<Counting<'a>>),
}

impl Tables<'_> {
    fn values(&self, reached: &Diagram, pass: &Pass) -> Result<Diagram, SolveError> {
        match self {
            Tables::Ranked(ranked) => ranked.values(reached, pass),
            Tables::Listed(counting) => counting.all(),
        }
    }

    /// The buckets of the states by distance from the initial state, without nodes.
    pub fn buckets(&mut self, pass: &Pass, spool: &mut Spool) -> Result<Vec<Vec<Bucket>>, SolveError> {
        match self {
            Tables::Ranked(ranked) => ranked.buckets(pass, spool),
            Tables::Listed(counting) => counting.buckets(),
        }
    }
}

/// Values in tables become a diagram only on demand, because that takes longer than to count them.
pub struct Settled<'a> {
    pass: &'a Pass<'a>,
    reached: &'a Diagram,
    pub tables: Option<Tables<'a>>,
    diagram: Option<Diagram>,
}

impl<'a> Settled<'a> {
    pub fn in_tables(pass: &'a Pass<'a>, reached: &'a Diagram, tables: Tables<'a>) -> Self {
        Settled { pass, reached, tables: Some(tables), diagram: None }
    }

    pub fn diagram(pass: &'a Pass<'a>, reached: &'a Diagram, values: Diagram) -> Self {
        Settled { pass, reached, tables: None, diagram: Some(values) }
    }

    /// All states with their value ids. Tables are kept, too.
    pub fn all(&mut self) -> Result<&Diagram, SolveError> {
        let made = match (self.diagram.take(), &self.tables) {
            (None, Some(tables)) => tables.values(self.reached, self.pass)?,
            (known, _) => known.expect(FORM),
        };
        Ok(self.diagram.insert(made))
    }

    /// As [`Settled::all`]. Tables give their memory back.
    pub fn as_diagram(&mut self) -> Result<&Diagram, SolveError> {
        self.all()?;
        self.tables = None;
        self.all()
    }

    /// The ids of all values that occur, and perhaps of more; without endless play.
    pub fn ids(&self, endless: u32) -> Vec<u32> {
        let mut ids = match &self.tables {
            Some(Tables::Ranked(ranked)) => ranked.ids(),
            Some(Tables::Listed(counting)) => counting.ids(),
            None => self.diagram.as_ref().expect(FORM).terminals(),
        };
        ids.retain(|id| (1..endless).contains(id));
        ids
    }
}
