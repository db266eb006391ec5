//! Processor time of the calling thread.

use std::sync::LazyLock;
use std::time::Instant;

/// Seconds that this thread has spent on a processor, so that other work on the machine does not count.
pub fn clock() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|field| field.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);
