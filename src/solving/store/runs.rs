//! Records of the runs that computed a solution. They are the only part of a manifest in which two computations of the
//! same solution differ. The record of the current run is written with every manifest, so that even a killed run leaves
//! its times and its peak memory.

use base::machine;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What can hold states and values.
pub const ENGINES: [&str; 3] = ["symbolic", "explicit", "hybrid"];

pub const TOTAL: &str = "total";

/// A duration, rounded to microseconds; in JSON a number of seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Seconds {
    micros: u64,
}

impl Seconds {
    /// The duration of a number of seconds. A negative number counts as zero.
    pub fn new(seconds: f64) -> Seconds {
        Seconds { micros: (seconds * 1e6).round() as u64 }
    }

    pub fn as_f64(self) -> f64 {
        self.micros as f64 / 1e6
    }
}

impl std::ops::Add for Seconds {
    type Output = Seconds;

    fn add(self, other: Seconds) -> Seconds {
        Seconds { micros: self.micros.saturating_add(other.micros) }
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_f64())
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seconds, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        if !(0.0..1e12).contains(&seconds) {
            return Err(D::Error::custom("a time out of range"));
        }
        Ok(Seconds::new(seconds))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    pub version: String,
    /// The options of the command line, by their names.
    pub options: BTreeMap<String, String>,
    /// The representation of states and values; `None` if the run ended before the choice.
    pub engine: Option<String>,
    pub threads: u64,
    pub memory_limit_bytes: u64,
    /// The time of each stage, and of the whole run.
    pub time_s: BTreeMap<String, Seconds>,
    /// Peak resident memory; `None` on systems that do not report it.
    pub peak_memory_bytes: Option<u64>,
    /// See [`machine::description`].
    pub machine: String,
    pub finished: bool,
}

/// The current run. Clones share the same record.
#[derive(Debug, Clone)]
pub struct Run(Arc<Mutex<Under>>);

#[derive(Debug)]
struct Under {
    record: RunRecord,
    start: Instant,
    stage: Option<(String, Instant)>,
}

impl Run {
    /// A run that starts now. `before`: the duration of earlier stages, which count as part of the run.
    pub fn start(options: BTreeMap<String, String>, threads: usize, memory_limit_bytes: u64, before: Duration) -> Run {
        let record = RunRecord {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options,
            engine: None,
            threads: threads as u64,
            memory_limit_bytes,
            time_s: BTreeMap::new(),
            peak_memory_bytes: None,
            machine: machine::description(),
            finished: false,
        };
        let now = Instant::now();
        Run(Arc::new(Mutex::new(Under { record, start: now.checked_sub(before).unwrap_or(now), stage: None })))
    }

    /// Begins a stage. One that was not finished was given up; it ends here.
    pub fn enter(&self, stage: &str) {
        let mut under = self.under();
        if let Some((given_up, since)) = under.stage.replace((stage.to_owned(), Instant::now())) {
            add(&mut under.record, given_up, since.elapsed().as_secs_f64());
        }
    }

    pub fn add(&self, stage: &str, seconds: f64) {
        let mut under = self.under();
        add(&mut under.record, stage.to_owned(), seconds);
        under.stage = None;
    }

    pub fn set_engine(&self, engine: &str) {
        self.under().record.engine = Some(engine.to_owned());
    }

    pub fn finish(&self) {
        self.under().record.finished = true;
    }

    pub fn record(&self) -> RunRecord {
        let under = self.under();
        let mut record = under.record.clone();
        if let Some((stage, since)) = &under.stage {
            add(&mut record, stage.clone(), since.elapsed().as_secs_f64());
        }
        record.time_s.insert(TOTAL.to_owned(), Seconds::new(under.start.elapsed().as_secs_f64()));
        record.peak_memory_bytes = machine::peak_memory();
        record
    }

    /// A panic while the lock was held leaves the data consistent.
    fn under(&self) -> MutexGuard<'_, Under> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn add(record: &mut RunRecord, stage: String, seconds: f64) {
    let time = record.time_s.entry(stage).or_default();
    *time = *time + Seconds::new(seconds);
}

impl Default for Run {
    /// A run of one thread without options or bounds.
    fn default() -> Self {
        Run::start(BTreeMap::new(), 1, u64::MAX, Duration::ZERO)
    }
}

/// The sum of the times, by stage; `None` if there is no run.
pub fn times(runs: &[RunRecord]) -> Option<BTreeMap<String, Seconds>> {
    let mut sums = BTreeMap::<String, Seconds>::new();
    for (stage, time) in runs.iter().flat_map(|run| &run.time_s) {
        let sum = sums.entry(stage.clone()).or_default();
        *sum = *sum + *time;
    }
    (!runs.is_empty()).then_some(sums)
}

/// The highest peak memory of the runs; `None` if none is known.
pub fn peak(runs: &[RunRecord]) -> Option<u64> {
    runs.iter().filter_map(|run| run.peak_memory_bytes).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_add_up_and_come_back_from_json() {
        let run = Run::default();
        run.add("forward", 0.25);
        run.add("forward", 0.5);
        run.enter("encode");
        std::thread::sleep(Duration::from_millis(2));
        run.enter("backward");
        let record = run.record();
        assert_eq!(record.time_s["forward"].as_f64(), 0.75);
        assert!(record.time_s["encode"].as_f64() >= 0.002, "a stage that is given up counts");
        assert!(record.time_s.contains_key("backward") && record.time_s.contains_key(TOTAL));
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<RunRecord>(&text).unwrap(), record);
        assert!(serde_json::from_str::<Seconds>("-1.0").is_err());
        let sums = times(&[record.clone(), record.clone()]).unwrap();
        assert_eq!(sums["forward"].as_f64(), 1.5);
        assert_eq!(peak(std::slice::from_ref(&record)), record.peak_memory_bytes);
        assert_eq!((times(&[]), peak(&[])), (None, None));
    }
}
