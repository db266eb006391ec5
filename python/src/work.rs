//! Runs work that may take long on a separate thread, while the calling thread handles signals and reports events.
//!
//! The work sends its events to a [`Queue`] and never calls Python, so that it does not wait for the interpreter's
//! lock. The calling thread takes the events from the queue, passes them to a Python function, and checks for signals.
//! If the function or a signal handler raises an exception (Ctrl-C does), the work is interrupted; the exception is
//! raised once the work has stopped at its next check.

use crate::failure;
use ggsolve::{Error, Event, Findings, Limits, Listener, Phase, Session};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest time until a signal is noticed.
const TICK: Duration = Duration::from_millis(50);
/// Bytes of the stack of the work's thread: the usual size for the main thread of a process.
const STACK: usize = 8 << 20;
/// Bound on the waiting events. Beyond it, the oldest event that is neither a finding nor a notice is dropped.
const WAITING: usize = 1000;

/// The events of some work, in their order.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    ready: Condvar,
}

#[derive(Default)]
struct Waiting {
    events: VecDeque<Event>,
    done: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for events until `TICK` has passed. Returns the events, and whether no others will come.
    fn take(&self) -> (VecDeque<Event>, bool) {
        let idle = |waiting: &mut Waiting| waiting.events.is_empty() && !waiting.done;
        let waited = self.ready.wait_timeout_while(self.lock(), TICK, idle);
        let (mut waiting, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (std::mem::take(&mut waiting.events), waiting.done)
    }
}

impl Listener for Queue {
    fn event(&self, event: &Event) {
        let mut waiting = self.lock();
        // Among consecutive events about the same work, only the last is useful.
        if let (Event::Work { what, .. }, Some(Event::Work { what: last, .. })) = (event, waiting.events.back())
            && what == last
        {
            waiting.events.pop_back();
        }
        waiting.events.push_back(event.clone());
        if waiting.events.len() > WAITING {
            let idle = waiting.events.iter().position(|event| !matches!(event, Event::Findings(_) | Event::Notice(_)));
            idle.map(|idle| waiting.events.remove(idle));
        }
        self.ready.notify_all();
    }
}

/// On drop, tells the queue that the work is done, even after a panic.
struct End<'a>(&'a Queue);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.lock().done = true;
        self.0.ready.notify_all();
    }
}

/// Runs work within these limits. Calls `notify` for every event, with its kind and, by name, its data.
pub fn done<T: Send>(
    notify: &Bound<'_, PyAny>,
    limits: &Arc<Limits>,
    work: impl FnOnce(&Session) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let py = notify.py();
    let queue = Arc::new(Queue::default());
    let session = Session::with(Arc::clone(limits), Arc::clone(&queue) as _);
    let queue = &*queue;
    let (failure, result) = std::thread::scope(|scope| {
        let work = move || {
            let _end = End(queue);
            work(&session)
        };
        let thread = std::thread::Builder::new().name("ggsolve".to_owned()).stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| PyRuntimeError::new_err(format!("no thread can be started: {error}")))?;
        let mut failure = None;
        loop {
            let (events, done) = py.detach(|| queue.take());
            for event in &events {
                if failure.is_none() {
                    failure = tell(notify, event).err();
                }
            }
            // While the work stops, Python must handle further signals. The first exception is the one that is raised.
            let signal = py.check_signals().err();
            failure = failure.or(signal);
            if failure.is_some() {
                limits.interrupt();
            }
            if done {
                return PyResult::Ok((failure, py.detach(|| thread.join())));
            }
        }
    })?;
    let result = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    match failure {
        Some(failure) => Err(failure),
        None => result.map_err(|error| failure::exception(py, error)),
    }
}

pub fn tell(notify: &Bound<'_, PyAny>, event: &Event) -> PyResult<()> {
    let fields = PyDict::new(notify.py());
    let kind = match event {
        Event::StageStarted(stage) => {
            fields.set_item("stage", stage.name())?;
            "started"
        }
        Event::StageFinished { stage, seconds, detail } => {
            fields.set_item("stage", stage.name())?;
            fields.set_item("seconds", seconds)?;
            fields.set_item("text", detail)?;
            "finished"
        }
        Event::LayerFinished { phase, layer, total, states, nodes, seconds } => {
            let phase = match phase {
                Phase::Forward => "forward",
                Phase::Backward => "backward",
            };
            fields.set_item("stage", phase)?;
            fields.set_item("layer", layer)?;
            fields.set_item("layers", total)?;
            fields.set_item("states", states)?;
            fields.set_item("nodes", nodes)?;
            fields.set_item("seconds", seconds)?;
            "layer"
        }
        Event::Restarted { times } => {
            fields.set_item("times", times)?;
            "restarted"
        }
        Event::Work { what, done, total } => {
            fields.set_item("stage", what)?;
            fields.set_item("done", done)?;
            fields.set_item("total", total)?;
            "work"
        }
        Event::Shared(work) => {
            fields.set_item("text", work.to_string())?;
            "message"
        }
        Event::Message(text) => {
            fields.set_item("text", text)?;
            "message"
        }
        Event::Notice(text) => {
            fields.set_item("text", text)?;
            "notice"
        }
        Event::Findings(Findings { diagnostics, .. }) => {
            fields.set_item("text", json!(diagnostics).to_string())?;
            "findings"
        }
    };
    notify.call((kind,), Some(&fields)).map(drop)
}
