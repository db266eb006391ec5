//! Sweeps of the forward pass that all processes make together: images and selections.

use super::super::SolveError;
use super::message::{Signal, of_words, to_words};
use super::{Link, Team, tell};
use base::limits::LimitReached;
use kernel::{Automaton, Context, Diagram, Exchange, RelationId, Relations};
use std::cell::Cell;
use std::io;
use std::sync::Arc;

/// A link for the exchanges of sweeps. The last word of a message says whether the other words are a limit, as JSON.
struct Abreast(Arc<dyn Link>);

const GOES_ON: u32 = 0;

impl Exchange for Abreast {
    fn size(&self) -> usize {
        self.0.size()
    }

    fn number(&self) -> usize {
        self.0.number()
    }

    fn exchange(&self, messages: Result<Vec<Vec<u32>>, LimitReached>) -> Result<Vec<Vec<u32>>, LimitReached> {
        let messages = match messages {
            Ok(mut messages) => {
                messages.iter_mut().for_each(|message| message.push(GOES_ON));
                messages
            }
            Err(limit) => {
                let text = serde_json::to_vec(&limit).expect("a limit has only what JSON has");
                let mut message: Vec<u32> = text.into_iter().map(u32::from).collect();
                message.push(GOES_ON + 1);
                vec![message; self.size()]
            }
        };
        let unreachable = |reason: String| LimitReached::Unreachable { reason };
        let mut messages = self.0.exchange(messages).map_err(|error| unreachable(error.to_string()))?;
        let limit = |message: &[u32]| {
            let text: Vec<u8> = message.iter().map(|&byte| byte as u8).collect();
            serde_json::from_slice(&text).unwrap_or_else(|error| unreachable(error.to_string()))
        };
        for (process, message) in messages.iter_mut().enumerate() {
            match message.pop() {
                Some(GOES_ON) => {}
                _ if process == self.number() => return Err(limit(message)),
                _ => return Err(limit(message).during(|| format!("process {process}"))),
            }
        }
        Ok(messages)
    }
}

/// The context of sweeps that all processes of a link make together.
pub fn together(link: &Arc<dyn Link>, context: &Context) -> Context {
    context.with_peers(Arc::new(Abreast(Arc::clone(link))))
}

/// Takes part in an image of process 0, which learns of every limit itself.
pub fn image(link: &dyn Link, context: &Context) -> io::Result<()> {
    let message = link.broadcast(Vec::new())?;
    let (relations, roots) =
        Relations::from_words(&to_words(&message)).ok_or_else(|| io::Error::other("moves that are no relations"))?;
    ended(kernel::image_together(None, &relations, &roots, context).map(drop))
}

/// As [`image`], for a selection.
pub fn select(context: &Context) -> io::Result<()> {
    ended(kernel::help_to_select(context))
}

fn ended(result: Result<(), LimitReached>) -> io::Result<()> {
    match result {
        Err(LimitReached::Unreachable { reason }) => Err(io::Error::other(reason)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The sweeps of process 0 in which all processes take part.
pub struct Sweeps {
    link: Arc<dyn Link>,
    context: Context,
    /// Process 0 alone sweeps over sets with fewer nodes.
    least: u64,
    /// Process 0 alone sweeps over sets with at least this number of nodes, because some process lacked memory for a
    /// set of that size.
    most: Cell<u64>,
}

impl Sweeps {
    /// `None` if the team has only one process.
    pub fn of(team: &Team, context: &Context) -> Option<Sweeps> {
        let members = team.members.as_ref()?;
        let context = together(&members.link, context);
        Some(Sweeps { link: Arc::clone(&members.link), context, least: members.least_nodes, most: Cell::new(u64::MAX) })
    }

    /// The image of a set; `None` if process 0 should make it alone. A process that lacks memory or disk leaves it to
    /// process 0, which may have more, and moves what does not fit into memory to disk.
    pub fn image(
        &self,
        set: &Diagram,
        relations: &Relations,
        roots: &[RelationId],
    ) -> Result<Option<Diagram>, SolveError> {
        if !self.begin(set, || Signal::Image)? {
            return Ok(None);
        }
        let moves = of_words(relations.to_words(roots));
        self.link.broadcast(moves).map_err(|error| SolveError::process(0, error))?;
        self.end(set, kernel::image_together(Some(set), relations, roots, &self.context))
    }

    /// The elements that an automaton accepts; `None` as for [`Sweeps::image`].
    pub fn select(&self, set: &Diagram, automaton: &impl Automaton, start: u32) -> Result<Option<Diagram>, SolveError> {
        if !self.begin(set, || Signal::Select)? {
            return Ok(None);
        }
        self.end(set, kernel::select_together(Some((set, automaton, start)), &self.context))
    }

    /// Calls the other processes to a sweep over a set; false if process 0 should make it alone.
    fn begin(&self, set: &Diagram, signal: impl Fn() -> Signal) -> Result<bool, SolveError> {
        if !(self.least..self.most.get()).contains(&set.node_count()) {
            return Ok(false);
        }
        tell(&*self.link, |_| signal())?;
        Ok(true)
    }

    fn end(&self, set: &Diagram, result: Result<Option<Diagram>, LimitReached>) -> Result<Option<Diagram>, SolveError> {
        match result {
            Ok(found) => Ok(found),
            Err(limit) => match limit.reason() {
                LimitReached::Memory { .. } | LimitReached::Disk { .. } | LimitReached::Size { .. } => {
                    self.most.set(set.node_count());
                    Ok(None)
                }
                _ => Err(limit.into()),
            },
        }
    }
}
