//! Reads bounds and names from the arguments.

use crate::failure::usage;
use crate::work;
use ggsolve::{Event, Limits, Session, parse_size};
use num_bigint::BigInt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::Arc;
use std::time::Duration;

/// The largest number of worker threads, as on the command line.
const MOST_THREADS: u16 = u16::MAX;

/// The limits of some work. Sizes are numbers of bytes, or texts such as `"8G"`.
pub fn limits(memory: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<Limits>> {
    Ok(Arc::new(bounded(memory, None)?))
}

fn bounded(memory: Option<&Bound<'_, PyAny>>, disk: Option<&Bound<'_, PyAny>>) -> PyResult<Limits> {
    let limits = match memory {
        None => Limits::new(Session::default().limits().memory()),
        Some(memory) => Limits::new(size(memory, "memory")?),
    };
    Ok(match disk {
        None => limits,
        Some(disk) => limits.with_disk(size(disk, "disk")?),
    })
}

/// As [`limits`], with a bound on disk space, and on the time from now on, in seconds.
pub fn timed(
    memory: Option<&Bound<'_, PyAny>>,
    disk: Option<&Bound<'_, PyAny>>,
    time: Option<&Bound<'_, PyAny>>,
) -> PyResult<Arc<Limits>> {
    let limits = bounded(memory, disk)?;
    let Some(time) = time else { return Ok(Arc::new(limits)) };
    let seconds: f64 = time.extract().map_err(|_| expected(time, "time", "a number of seconds"))?;
    match seconds > 0.0 {
        // Too many seconds for a duration are no bound.
        true => Ok(Arc::new(limits.with_time(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)))),
        false => Err(usage(time.py(), &format!("time: a positive number of seconds is expected, not {time}"))),
    }
}

/// Notifies the caller if the bound is less than the memory that the process holds already, which it does not count.
pub fn tell_small(notify: &Bound<'_, PyAny>, memory: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let Some(asked) = memory.map(|memory| size(memory, "memory")).transpose()? else { return Ok(()) };
    match resident() {
        Some(held) if held > asked => {
            let [held, asked] = [held, asked].map(|bytes| bytes.div_ceil(1 << 20));
            let text = format!(
                "memory: {asked} MiB bound what is allocated here; the process holds {held} MiB already, which do not count"
            );
            work::tell(notify, &Event::Notice(text))
        }
        _ => Ok(()),
    }
}

/// Bytes of memory that the process holds; `None` if the system does not report them.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Reads a size in bytes from the argument `name`. A number of bytes that is too large for 64 bits is no bound.
fn size(size: &Bound<'_, PyAny>, name: &str) -> PyResult<u64> {
    let none = || usage(size.py(), &format!("{name}: {size} is not a size above 0, such as 4096, '512M' or '8G'"));
    if let Ok(text) = size.cast::<PyString>() {
        return parse_size(text.to_str()?).ok_or_else(none);
    }
    let Ok(bytes) = size.extract::<BigInt>() else {
        return Err(expected(size, name, "an int or a str"));
    };
    match u64::try_from(&bytes) {
        Ok(0) => Err(none()),
        Ok(bytes) => Ok(bytes),
        Err(_) if bytes > BigInt::ZERO => Ok(u64::MAX),
        Err(_) => Err(none()),
    }
}

/// The error for an argument of another type than `kind`.
pub fn expected(argument: &Bound<'_, PyAny>, name: &str, kind: &str) -> PyErr {
    match argument.get_type().name() {
        Ok(found) => PyTypeError::new_err(format!("{name}: {kind} is expected, not {found}")),
        Err(error) => error,
    }
}

/// The number of worker threads: the requested number, or as many as the machine runs at once.
pub fn threads(asked: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let Some(asked) = asked else { return Ok(std::thread::available_parallelism().map_or(1, usize::from)) };
    let Ok(threads) = asked.extract::<BigInt>() else {
        return Err(expected(asked, "threads", "an int"));
    };
    match u16::try_from(&threads) {
        Ok(threads @ 1..=MOST_THREADS) => Ok(threads.into()),
        _ => Err(usage(asked.py(), &format!("threads: a number from 1 to {MOST_THREADS} is expected, not {threads}"))),
    }
}

/// The choice with a name. `what`: what is chosen, for the error.
pub fn named<T: Copy>(
    py: Python<'_>,
    what: &str,
    name: &str,
    all: &[T],
    name_of: fn(T) -> &'static str,
) -> PyResult<T> {
    all.iter().copied().find(|&choice| name_of(choice) == name).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|&choice| name_of(choice)).collect();
        usage(py, &format!("{what}: {name:?} is none of {}", known.join(", ")))
    })
}
