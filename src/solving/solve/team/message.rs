//! What processes tell each other: short messages as JSON, and one that carries diagrams as bytes.

use super::super::SolveError;
use crate::store::{PartialSum, Stopped, StoredFile};
use base::limits::{Account, LimitReached, Limits};
use kernel::{Context, Diagram, Layout, Preferences, RelationId, Relations, UnpackError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// What process 0 tells another one.
#[derive(Debug, Serialize, Deserialize)]
pub enum Signal {
    /// A task of so many bytes is there. Answered by [`Reply::Ready`] once there is memory for it.
    Task {
        bytes: u64,
    },
    /// The task follows by broadcast, and then ranges of it until there are [no more](Signal::Done).
    Take,
    /// A range of the task, by number, for this process alone. Answered by a [`Reply`].
    Range {
        range: usize,
    },
    /// No more ranges of the task.
    Done,
    /// Make blocks of the values of the last task, of which these occur in the layer. Answered by [`Reply::Packed`].
    Pack {
        values: Vec<u32>,
    },
    /// Write those of each range to a file, from a position on. Answered by [`Reply::Written`].
    Write {
        file: PathBuf,
        positions: Vec<u64>,
    },
    /// Add those of a range, by its number among those of the process, to a sum. Answered by [`Reply::Summed`].
    Sum {
        range: usize,
        sum: Box<PartialSum>,
    },
    /// The last task is off, or its values are not needed any more. Not answered.
    Forget,
    End,
}

/// A layer that is to be solved, or what is told of it to all processes.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    /// All ranks of the layer in order, in blocks of the stored form.
    pub ranks: Vec<Range<u64>>,
    /// More configurations than this are too many, all ranges together.
    pub configurations: u64,
    pub preferences: (Vec<Vec<u32>>, Vec<u32>),
    /// The states of the next layer, and its values.
    pub next: StoredFile,
    pub after: StoredFile,
    /// If the values are a diagram: those that occur, in the first mover's order.
    pub order: Vec<u32>,
    /// The layer with its terminals: levels, nodes, root of the packed diagram.
    labels: (u32, u64, u32),
    /// Bytes of the packed diagram and of the relations.
    bytes: [usize; 2],
}

/// What a process has to say at the beginning, or of a range.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// It serves from now on.
    Ready,
    Solved(Report),
    DeadEnd,
    TooLarge,
    /// By range: bytes of its blocks.
    Packed(Vec<u64>),
    /// And synced.
    Written,
    /// How long each block of the range is.
    Summed {
        lengths: Vec<u32>,
        sum: Box<PartialSum>,
    },
    Limit(LimitReached),
    /// A file that cannot be read, for example.
    Failed(String),
}

/// How much a range is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub states: u64,
    /// Of its programs.
    pub configurations: u64,
}

/// What a range took, or several together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// By index of the values that the layer's states may have: how many states have it.
    pub counts: Vec<u64>,
    pub piece: Piece,
    /// How many programs there were, and the bytes of their code.
    pub programs: u64,
    pub code: u64,
    /// States of the next layer whose values were read, and all that it has.
    pub read: u64,
    pub next: u64,
    /// Nanoseconds of wall-clock time spent building programs, reading values and executing.
    pub build: u64,
    pub load: u64,
    pub run: u64,
}

/// Something that is told as JSON.
pub trait Message: Serialize + DeserializeOwned {
    fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a message has only what JSON has")
    }

    fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        serde_json::from_slice(bytes).map_err(io::Error::other)
    }
}

impl Message for Signal {}
impl Message for Reply {}
impl Message for Task {}

impl Signal {
    /// See [`Message::to_bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        Message::to_bytes(self)
    }
}

impl Task {
    /// A message with a task, the layer and the moves: the length of the task in eight bytes, the task, and the others. With
    /// its memory.
    #[allow(clippy::too_many_arguments)]
    pub fn message(
        ranks: Vec<Range<u64>>,
        configurations: u64,
        preferences: &Preferences,
        [next, after]: [StoredFile; 2],
        order: Vec<u32>,
        labels: &Diagram,
        (relations, roots): (&Relations, &[RelationId]),
        context: &Context,
    ) -> Result<(Vec<u8>, Account), LimitReached> {
        let packed = labels.pack(context)?;
        let words = relations.to_words(roots);
        let task = Task {
            ranks,
            configurations,
            preferences: (preferences.ranks.clone(), preferences.terminals.clone()),
            next,
            after,
            order,
            labels: (packed.levels(), packed.node_count(), packed.root()),
            bytes: [packed.size() as usize, 4 * words.len()],
        };
        let head = Message::to_bytes(&task);
        let size = 8 + head.len() + task.bytes.iter().sum::<usize>();
        let mut account = Account::new(context.limits());
        account.set(size as u64)?;
        let mut message = Vec::with_capacity(size);
        message.extend((head.len() as u64).to_le_bytes());
        message.extend(head);
        packed.write_to(&mut message).expect("memory can be written");
        message.extend(words.into_iter().flat_map(u32::to_le_bytes));
        Ok((message, account))
    }

    /// The task, the layer with its terminals and the moves with their roots.
    pub fn read(message: &[u8], limits: &Arc<Limits>) -> Result<(Task, Layer), TaskError> {
        let (task, rest) = Task::split(message)?;
        let cut = || io::Error::other("a task that is cut short");
        let (packed, words) = rest.split_at_checked(task.bytes[0]).ok_or_else(cut)?;
        let (levels, nodes, root) = task.labels;
        let labels = Diagram::unpack(packed, &Layout::new(packed, levels, nodes, root)?, limits)?;
        let words: Vec<u32> =
            words.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        let moves = Relations::from_words(&words).ok_or_else(|| io::Error::other("moves that are no relations"))?;
        Ok((task, Layer { labels, moves }))
    }

    /// The task alone.
    pub fn head(message: &[u8]) -> io::Result<Task> {
        Ok(Task::split(message)?.0)
    }

    /// The task, and what follows it.
    fn split(message: &[u8]) -> io::Result<(Task, &[u8])> {
        let cut = || io::Error::other("a task that is cut short");
        let (length, rest) = message.split_first_chunk::<8>().ok_or_else(cut)?;
        let (head, rest) = rest.split_at_checked(u64::from_le_bytes(*length) as usize).ok_or_else(cut)?;
        Ok((Message::from_bytes(head)?, rest))
    }

    pub fn preferences(&self) -> Preferences {
        let (ranks, terminals) = self.preferences.clone();
        Preferences { ranks, terminals }
    }
}

impl From<Stopped> for Reply {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Limit(limit) => Reply::Limit(limit),
            Stopped::Failed(error) => Reply::Failed(error.to_string()),
        }
    }
}

/// A layer with its terminals, and the moves.
pub struct Layer {
    pub labels: Diagram,
    pub moves: (Relations, Vec<RelationId>),
}

/// Why a task cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    #[error(transparent)]
    Message(#[from] io::Error),
}

impl From<TaskError> for SolveError {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::Unpack(UnpackError::Limit(limit)) => limit.into(),
            other => SolveError::process(0, other),
        }
    }
}
