//! Compiles relations that do not depend on the state to diagrams of their rows ([`super::rows`]), from their rules and
//! the atoms of the relations in these rules. The arguments of a use are substituted into the rules, so each use has
//! its own diagram, over the levels of the rule that contains the use.

use super::join::Store;
use super::rows::{Diagrams, Level, Rows, Unfit};
use super::term::TermId;
use crate::rules::{Atom, Literal, PredicateId, Rule, Term};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Argument {
    Level(Level),
    Term(TermId),
}

/// For each variable of a rule, the level or term that it stands for, if known.
type Bindings = Vec<Option<Argument>>;

/// Bound on the levels of a rule, and thereby on recursion.
const LEVELS: Level = 1 << 10;

pub struct Compiler<'a> {
    pub rules: &'a [Rule],
    /// The relations to compile; none of them depends on itself.
    pub folded: &'a IndexSet<PredicateId>,
    /// The atoms of all relations on which the relations of `folded` depend.
    pub store: Store,
    pub diagrams: Diagrams,
    pub free: Level,
    pub known: FxHashMap<(PredicateId, Vec<Argument>), Rows>,
}

impl Compiler<'_> {
    /// The rows of a condition on a relation; variables without a binding get new levels.
    pub fn atom(&mut self, atom: &Atom, bindings: &mut Bindings) -> Result<Rows, Unfit> {
        let arguments =
            atom.arguments.iter().map(|term| self.argument(term, bindings)).collect::<Result<Vec<_>, _>>()?;
        let key = (atom.predicate, arguments);
        if let Some(&rows) = self.known.get(&key) {
            return Ok(rows);
        }
        let rows = if self.folded.contains(&atom.predicate) {
            let mut rules = self.rules.iter().filter(|rule| rule.head.predicate == atom.predicate);
            rules.try_fold(Rows::NONE, |all, rule| {
                let rows = self.rule(rule, &key.1)?;
                self.diagrams.unite(all, rows)
            })?
        } else {
            self.atoms(atom.predicate, &key.1)?
        };
        self.known.insert(key, rows);
        Ok(rows)
    }

    fn argument(&mut self, term: &Term, bindings: &mut Bindings) -> Result<Argument, Unfit> {
        match term {
            Term::Constant(symbol) => Ok(Argument::Term(self.store.terms.constant(*symbol))),
            Term::Function(..) => Err(Unfit),
            Term::Variable(variable) => match bindings[variable.0 as usize] {
                Some(argument) => Ok(argument),
                None if self.free == LEVELS => Err(Unfit),
                None => {
                    self.free += 1;
                    Ok(*bindings[variable.0 as usize].insert(Argument::Level(self.free - 1)))
                }
            },
        }
    }

    fn atoms(&mut self, predicate: PredicateId, arguments: &[Argument]) -> Result<Rows, Unfit> {
        let level = |argument: &Argument| match argument {
            Argument::Level(level) => Some(*level),
            Argument::Term(_) => None,
        };
        let mut levels: Vec<Level> = arguments.iter().filter_map(level).collect();
        levels.sort_unstable();
        levels.dedup();
        let mut rows = Vec::new();
        for &atom in self.store.atoms.extent(predicate) {
            let mut row = vec![None; levels.len()];
            let fits = arguments.iter().zip(self.store.atoms.arguments(atom)).all(|(argument, &term)| match argument {
                Argument::Term(wanted) => *wanted == term,
                Argument::Level(level) => {
                    let place = levels.binary_search(level).expect("it is one of the levels");
                    *row[place].get_or_insert(term) == term
                }
            });
            rows.extend(fits.then(|| row.into_iter().flatten().collect::<Vec<_>>()));
        }
        rows.sort_unstable();
        rows.dedup();
        self.diagrams.listed(&levels, &rows)
    }

    fn rule(&mut self, rule: &Rule, arguments: &[Argument]) -> Result<Rows, Unfit> {
        let mut bindings: Bindings = vec![None; rule.variables.len()];
        let own = self.free;
        let mut rows = Rows::UNIT;
        for (term, &wanted) in rule.head.arguments.iter().zip(arguments) {
            if let Term::Variable(variable) = term
                && bindings[variable.0 as usize].is_none()
            {
                bindings[variable.0 as usize] = Some(wanted);
                continue;
            }
            let given = self.argument(term, &mut bindings)?;
            match (given, wanted) {
                _ if given == wanted => {}
                (Argument::Term(_), Argument::Term(_)) => return Ok(Rows::NONE),
                (Argument::Level(level), Argument::Term(term)) | (Argument::Term(term), Argument::Level(level)) => {
                    let same = self.diagrams.listed(&[level], &[vec![term]])?;
                    rows = self.diagrams.join(rows, same)?;
                }
                (Argument::Level(_), Argument::Level(_)) => return Err(Unfit),
            }
        }
        for literal in &rule.body {
            if let Literal::Positive(atom) = literal {
                let more = self.atom(atom, &mut bindings)?;
                rows = self.diagrams.join(rows, more)?;
            }
        }
        for literal in &rule.body {
            let others = match literal {
                Literal::Positive(_) => continue,
                Literal::Negative(atom) => self.atom(atom, &mut bindings)?,
                Literal::Distinct(left, right, _) => {
                    let (left, right) = (self.argument(left, &mut bindings)?, self.argument(right, &mut bindings)?);
                    self.equal(left, right, rows)?
                }
            };
            rows = self.diagrams.without(rows, others)?;
        }
        let inner = own..std::mem::replace(&mut self.free, own);
        inner.rev().try_fold(rows, |rows, level| self.diagrams.project(rows, level))
    }

    /// The rows in which two arguments are equal. Of two levels, `left` takes only terms that it has in `rows`.
    fn equal(&mut self, left: Argument, right: Argument, rows: Rows) -> Result<Rows, Unfit> {
        match (left, right) {
            _ if left == right => Ok(Rows::UNIT),
            (Argument::Term(_), Argument::Term(_)) => Ok(Rows::NONE),
            (Argument::Level(level), Argument::Term(term)) | (Argument::Term(term), Argument::Level(level)) => {
                self.diagrams.listed(&[level], &[vec![term]])
            }
            (Argument::Level(left), Argument::Level(right)) => {
                let below = self.diagrams.below_of(rows).into_iter();
                let below = below.filter(|&rows| self.diagrams.level(rows) == left);
                let terms = below.flat_map(|rows| self.diagrams.branches(rows).iter().map(|branch| branch.0));
                let mut equal: Vec<Vec<TermId>> = terms.map(|term| vec![term; 2]).collect();
                equal.sort_unstable();
                equal.dedup();
                self.diagrams.listed(&[left.min(right), left.max(right)], &equal)
            }
        }
    }
}
