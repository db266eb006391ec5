//! The messages between processes outside of sweeps: short ones as JSON, and one with a diagram and moves as bytes.

use super::super::SolveError;
use super::leader::Assignment;
use crate::store::{PartialSum, StoredFile};
use base::limits::{Account, LimitReached, Limits};
use kernel::{Context, Diagram, Layout, Preferences, RelationId, Relations, UnpackError, Unsolved};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A message of process 0 to another process.
#[derive(Debug, Serialize, Deserialize)]
pub enum Signal {
    /// Announces a task of this many bytes. The answer is [`Reply::Ready`] once there is memory for it.
    Task {
        bytes: u64,
    },
    /// The task follows as a broadcast, then ranges of it until [`Signal::Done`].
    Take,
    /// Solve this range of the task. The answer is a [`Reply`].
    Range {
        range: usize,
    },
    Done,
    /// Pack the values of the last task into blocks; `values` are those that occur in the layer. The answer is
    /// [`Reply::Packed`].
    Pack {
        values: Vec<u32>,
    },
    /// Write the blocks of each range to the file, at its position. The answer is [`Reply::Written`].
    Write {
        file: PathBuf,
        positions: Vec<u64>,
    },
    /// Add the blocks of a range to a checksum; `range` is its index among those of the process. The answer is
    /// [`Reply::Summed`].
    Sum {
        range: usize,
        sum: Box<PartialSum>,
    },
    /// The moves follow as a broadcast; then all processes together make the image of a set. There is no answer.
    Image,
    /// All processes together make a selection from a set. There is no answer.
    Select,
    /// Drop the last task and its values. There is no answer.
    Forget,
    End,
}

/// A layer to be solved; the part of the message that is JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    /// The ranges of ranks, which cover the layer in order, in whole blocks of the stored form.
    pub ranks: Vec<Range<u64>>,
    /// Bound on the configurations of all ranges together.
    pub configurations: u64,
    pub preferences: (Vec<Vec<u32>>, Vec<u32>),
    /// The file of the states of the next layer.
    pub next: StoredFile,
    /// The file of the values of the next layer.
    pub after: StoredFile,
    /// If the values are a diagram: those that occur, in the first mover's order.
    pub order: Vec<u32>,
    /// The packed diagram of the layer with its terminals: its levels, nodes and root.
    labels: (u32, u64, u32),
    /// Bytes of the packed diagram, and of the relations.
    bytes: [usize; 2],
}

/// A message of another process to process 0.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// The process has memory for the task, or has begun to serve.
    Ready,
    Solved(Report),
    Unsolved(Unsolved),
    /// Bytes of the blocks of each range.
    Packed(Vec<u64>),
    /// The blocks are written and synced.
    Written,
    /// The length of each block of the range, and the checksum so far.
    Summed {
        lengths: Vec<u32>,
        sum: Box<PartialSum>,
    },
    Limit(LimitReached),
    /// An error, such as a file that cannot be read.
    Failed(String),
}

/// The size of a range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    pub states: u64,
    /// Number of configurations of the range's programs.
    pub configurations: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Number of states with each value, by index of the values that the layer's states may have.
    pub counts: Vec<u64>,
    pub piece: Piece,
    pub programs: u64,
    /// Bytes of the code of the programs.
    pub code: u64,
    /// Number of states of the next layer whose values were read.
    pub read: u64,
    /// Number of all states of the next layer.
    pub next: u64,
    /// Nanoseconds of wall-clock time for building programs, reading values and executing.
    pub build: u64,
    pub load: u64,
    pub run: u64,
}

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

/// Words as the bytes of a message.
pub fn of_words(words: Vec<u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// The words of a message.
pub fn to_words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

impl Task {
    /// The message of a task: the length of the task in eight bytes, the task as JSON, then the layer and the moves as
    /// bytes. Also returns the reserved memory.
    pub fn message(
        ranks: Vec<Range<u64>>,
        layer: &Assignment,
        context: &Context,
    ) -> Result<(Vec<u8>, Account), LimitReached> {
        let Assignment { labels, moves: (relations, roots), preferences, configurations, .. } = *layer;
        let [next, after] = layer.next.clone();
        let packed = labels.pack(context)?;
        let words = relations.to_words(roots);
        let task = Task {
            ranks,
            configurations,
            preferences: (preferences.ranks.clone(), preferences.terminals.clone()),
            next,
            after,
            order: layer.order.clone(),
            labels: (packed.levels(), packed.node_count(), packed.root()),
            bytes: [packed.size() as usize, 4 * words.len()],
        };
        let head = task.to_bytes();
        let size = 8 + head.len() + task.bytes.iter().sum::<usize>();
        let mut account = Account::new(context.limits());
        account.set(size as u64)?;
        let mut message = Vec::with_capacity(size);
        message.extend((head.len() as u64).to_le_bytes());
        message.extend(head);
        packed.write_to(&mut message).expect("memory can be written");
        message.extend(of_words(words));
        Ok((message, account))
    }

    /// Reads the task, the layer with its terminals, and the moves with their roots.
    pub fn read(message: &[u8], limits: &Arc<Limits>) -> Result<(Task, Layer), SolveError> {
        let failed = |error: io::Error| SolveError::process(0, error);
        let damaged = |error: UnpackError| match error {
            UnpackError::Limit(limit) => limit.into(),
            other => SolveError::process(0, other),
        };
        let (task, rest) = Task::split(message).map_err(failed)?;
        let cut = || failed(io::Error::other("a task that is cut short"));
        let (packed, words) = rest.split_at_checked(task.bytes[0]).ok_or_else(cut)?;
        let (levels, nodes, root) = task.labels;
        let layout = Layout::new(packed, levels, nodes, root).map_err(damaged)?;
        let labels = Diagram::unpack(packed, &layout, limits).map_err(damaged)?;
        let moves = Relations::from_words(&to_words(words));
        let moves = moves.ok_or_else(|| failed(io::Error::other("moves that are no relations")))?;
        Ok((task, Layer { labels, moves }))
    }

    pub fn head(message: &[u8]) -> io::Result<Task> {
        Ok(Task::split(message)?.0)
    }

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

impl From<io::Error> for Reply {
    fn from(error: io::Error) -> Self {
        LimitReached::of(error).map_or_else(|error| Reply::Failed(error.to_string()), Reply::Limit)
    }
}

pub struct Layer {
    pub labels: Diagram,
    pub moves: (Relations, Vec<RelationId>),
}
