//! The limits of a run as values: bounds on memory, disk space and time, and interruption.
//!
//! Every stage that can grow takes `&Limits`, asks before it grows, and returns [`LimitReached`] instead of aborting.
//! The large data structures (diagrams, request tables, atom tables), which make up a run's memory, reserve their
//! bytes.

use serde::{Deserialize, Serialize};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The reason why a stage stopped before its end. All earlier results stay valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum LimitReached {
    /// The next allocation would exceed the memory bound, or the system refuses it; in bytes.
    #[error("{}", memory_text(*.wanted, *.used, *.limit))]
    Memory { wanted: u64, used: u64, limit: u64 },
    /// Files would exceed the bound on disk space, in bytes. `derived`: the bound follows from the free space.
    #[error("disk limit reached: {wanted} more bytes needed for files, {used} of {limit} in use{}", derived_text(*.derived))]
    Disk { wanted: u64, used: u64, limit: u64, derived: bool },
    /// A temporary file cannot be written or read: the disk is full, for example.
    #[error("temporary files in {folder}: {reason}")]
    Scratch { folder: String, reason: String },
    #[error("time limit reached: {} s", .limit.as_secs_f64())]
    Time { limit: Duration },
    /// The user or the system asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The size of one structure would exceed its bound; `what`: what the bound counts.
    #[error("limit reached: {what} exceeds {limit}")]
    Size { what: String, limit: u64 },
    /// A sweep that may be given up needs more words of keys than its bound.
    #[error("limit reached: a sweep has more than {limit} words of keys")]
    Work { limit: u64 },
    /// Another of several processes cannot be reached.
    #[error("another process: {reason}")]
    Unreachable { reason: String },
    /// Another limit, with the activity during which it was reached.
    #[error("{limit}; {what}")]
    During { what: String, limit: Box<LimitReached> },
}

fn memory_text(wanted: u64, used: u64, limit: u64) -> String {
    match used.saturating_add(wanted) > limit {
        true => format!("memory limit reached: {wanted} more bytes needed, {used} of {limit} in use"),
        false => {
            format!("the system refuses {wanted} more bytes of memory, with {used} of the limit of {limit} in use")
        }
    }
}

fn derived_text(derived: bool) -> &'static str {
    if derived { ", a share of what the file system had free" } else { "" }
}

impl LimitReached {
    /// The limit without the activity during which it was reached.
    pub fn reason(&self) -> &LimitReached {
        match self {
            LimitReached::During { limit, .. } => limit.reason(),
            limit => limit,
        }
    }

    /// Whether another method, or the same one with less to do, may be within the limit.
    pub fn is_want_of_room(&self) -> bool {
        matches!(self.reason(), LimitReached::Memory { .. } | LimitReached::Size { .. })
    }

    /// Whether the whole run must end, because no other method can avoid this limit.
    pub fn ends_all(&self) -> bool {
        matches!(self.reason(), LimitReached::Interrupted | LimitReached::Time { .. })
    }

    /// The limit because of which an operation on a file failed; any other error unchanged.
    pub fn of(error: std::io::Error) -> Result<LimitReached, std::io::Error> {
        error.downcast()
    }

    /// This limit with the activity during which it was reached; unchanged if it is an interruption or has an activity.
    pub fn during(self, what: impl FnOnce() -> String) -> LimitReached {
        match self {
            LimitReached::Interrupted | LimitReached::During { .. } => self,
            limit => LimitReached::During { what: what(), limit: Box::new(limit) },
        }
    }
}

/// An error of files for a limit that writing them reached. [`LimitReached::of`] takes the limit out again.
impl From<LimitReached> for std::io::Error {
    fn from(limit: LimitReached) -> Self {
        std::io::Error::other(limit)
    }
}

/// The limits of one run, shared by reference among threads.
#[derive(Debug)]
pub struct Limits {
    memory: u64,
    used: AtomicU64,
    peak: AtomicU64,
    disk: AtomicU64,
    disk_derived: AtomicBool,
    disk_used: AtomicU64,
    interrupted: AtomicBool,
    /// The duration that a run may take, and the end of that time.
    time: Option<(Duration, Instant)>,
}

impl Limits {
    /// Limits with a bound on reserved memory in bytes (`u64::MAX`: none).
    pub fn new(memory: u64) -> Self {
        Limits {
            memory,
            used: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            disk: AtomicU64::new(u64::MAX),
            disk_derived: AtomicBool::new(false),
            disk_used: AtomicU64::new(0),
            interrupted: AtomicBool::new(false),
            time: None,
        }
    }

    /// Adds a bound on the wall-clock time from now on. A bound beyond the range of the clock has no effect.
    pub fn with_time(self, time: Duration) -> Self {
        Limits { time: Instant::now().checked_add(time).map(|end| (time, end)), ..self }
    }

    /// Adds a bound on the bytes of files: of written solutions, and of temporary files.
    pub fn with_disk(self, disk: u64) -> Self {
        Limits { disk: AtomicU64::new(disk), ..self }
    }

    /// Sets a bound on the bytes of files that follows from the free space, unless a bound is set already.
    pub fn bound_disk(&self, disk: u64) {
        let bounded = self.disk.compare_exchange(u64::MAX, disk, Ordering::Relaxed, Ordering::Relaxed);
        self.disk_derived.fetch_or(bounded.is_ok(), Ordering::Relaxed);
    }

    /// The bound on the bytes of files (`u64::MAX`: none).
    pub fn disk(&self) -> u64 {
        self.disk.load(Ordering::Relaxed)
    }

    pub fn disk_used(&self) -> u64 {
        self.disk_used.load(Ordering::Relaxed)
    }

    /// As [`Limits::reserve`], for files.
    pub fn reserve_disk(&self, bytes: u64) -> Result<(), LimitReached> {
        let within = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= self.disk());
        let Err(used) = self.disk_used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within) else {
            return Ok(());
        };
        let derived = self.disk_derived.load(Ordering::Relaxed);
        Err(LimitReached::Disk { wanted: bytes, used, limit: self.disk(), derived })
    }

    pub fn release_disk(&self, bytes: u64) {
        self.disk_used.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub fn unlimited() -> Self {
        Limits::new(u64::MAX)
    }

    pub fn memory(&self) -> u64 {
        self.memory
    }

    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Largest number of bytes ever reserved at once.
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// Forgets the earlier peak: the peak is that of the bytes from now on.
    pub fn restart_peak(&self) {
        self.peak.store(self.used(), Ordering::Relaxed);
    }

    /// Bytes that may still be reserved.
    pub fn free(&self) -> u64 {
        self.memory.saturating_sub(self.used())
    }

    /// Reserves `bytes`, or returns the reason for a refusal. A refused request takes nothing from concurrent ones.
    /// Call [`Limits::release`] in the end.
    pub fn reserve(&self, bytes: u64) -> Result<(), LimitReached> {
        let within = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= self.memory);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, within) {
            Ok(before) => {
                self.peak.fetch_max(before + bytes, Ordering::Relaxed);
                Ok(())
            }
            Err(used) => Err(LimitReached::Memory { wanted: bytes, used, limit: self.memory }),
        }
    }

    pub fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// As [`Limits::reserve`]; the bytes are released when the result is dropped.
    pub fn hold(&self, bytes: u64) -> Result<Reserved<'_>, LimitReached> {
        self.reserve(bytes)?;
        Ok(Reserved { limits: self, bytes })
    }

    /// Asks every stage to stop at its next check. Safe to call from a signal-handling thread.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Fails once [`Limits::interrupt`] was called or the time is up.
    pub fn check(&self) -> Result<(), LimitReached> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(LimitReached::Interrupted);
        }
        match self.time {
            Some((limit, end)) if Instant::now() >= end => Err(LimitReached::Time { limit }),
            _ => Ok(()),
        }
    }
}

/// Bytes that are released on drop.
#[derive(Debug)]
pub struct Reserved<'a> {
    limits: &'a Limits,
    bytes: u64,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.limits.release(self.bytes);
    }
}

/// Bytes of a size such as `512M`, `8G`, `1.5GiB` or `4096` (bytes); units are powers of 1024.
pub fn parse_size(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return None,
    };
    let size = number.parse::<f64>().ok()? * (1u64 << shift) as f64;
    (1.0..2f64.powi(63)).contains(&size).then_some(size as u64)
}

/// Bytes of a hash table of the standard library (or of `rustc_hash`) for `entries` entries of `entry` bytes each. The
/// number of slots is a power of two; at least an eighth of them stays empty, and each takes an additional byte.
pub fn table_bytes(entries: usize, entry: usize) -> usize {
    if entries == 0 { 0 } else { (entries * 8).div_ceil(7).max(4).next_power_of_two() * (entry + 1) }
}

/// The reservation of one growing structure, often more than it needs, so that it seldom changes. Released on drop.
#[derive(Debug)]
pub struct Account<L: Deref<Target = Limits> = Arc<Limits>> {
    limits: L,
    reserved: u64,
}

/// [`Account::grow_to`] tries to reserve `1 / AHEAD` of the need more, from [`LEAST_AHEAD`] to [`MOST_AHEAD`] bytes.
const AHEAD: u64 = 8;
const LEAST_AHEAD: u64 = 1 << 12;
const MOST_AHEAD: u64 = 1 << 20;

impl<L: Deref<Target = Limits> + Clone> Account<L> {
    pub fn new(limits: &L) -> Account<L> {
        Account { limits: limits.clone(), reserved: 0 }
    }

    /// Changes the reservation to exactly this number of bytes.
    pub fn set(&mut self, bytes: u64) -> Result<(), LimitReached> {
        if bytes > self.reserved {
            self.limits.reserve(bytes - self.reserved)?;
            self.reserved = bytes;
        } else {
            self.shrink_to(bytes);
        }
        Ok(())
    }

    pub fn add(&mut self, bytes: u64) -> Result<(), LimitReached> {
        self.limits.reserve(bytes)?;
        self.reserved += bytes;
        Ok(())
    }

    pub fn check(&self) -> Result<(), LimitReached> {
        self.limits.check()
    }

    /// Raises the reservation to at least this number of bytes. A refusal changes nothing.
    #[inline]
    pub fn grow_to(&mut self, bytes: u64) -> Result<(), LimitReached> {
        if bytes <= self.reserved { Ok(()) } else { self.grow(bytes) }
    }

    #[cold]
    fn grow(&mut self, bytes: u64) -> Result<(), LimitReached> {
        let more = bytes - self.reserved;
        let ahead = (bytes / AHEAD).clamp(LEAST_AHEAD, MOST_AHEAD);
        let taken = match self.limits.reserve(more.saturating_add(ahead)) {
            Ok(()) => more + ahead,
            Err(_) => {
                self.limits.reserve(more)?;
                more
            }
        };
        self.reserved += taken;
        Ok(())
    }

    /// As [`Account::grow_to`], but also releases bytes if far more than needed are reserved.
    pub fn fit(&mut self, bytes: u64) -> Result<(), LimitReached> {
        let ahead = (bytes / AHEAD).clamp(LEAST_AHEAD, MOST_AHEAD);
        if self.reserved.saturating_sub(bytes) > 2 * ahead {
            self.shrink_to(bytes + ahead);
        }
        self.grow_to(bytes)
    }

    /// Releases all but this number of bytes.
    pub fn shrink_to(&mut self, bytes: u64) {
        let less = self.reserved.saturating_sub(bytes);
        self.limits.release(less);
        self.reserved -= less;
    }

    pub fn reserved(&self) -> u64 {
        self.reserved
    }
}

impl<L: Deref<Target = Limits>> Drop for Account<L> {
    fn drop(&mut self) {
        self.limits.release(self.reserved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A large request that is refused over and over must never make a small one fail that fits.
    #[test]
    fn a_refused_request_takes_nothing_from_others() {
        let limits = Limits::new(1000);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    assert!(limits.reserve(1001).is_err());
                }
            });
            for _ in 0..200_000 {
                limits.reserve(10).expect("there is room for it");
                limits.release(10);
            }
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(limits.used(), 0);
        assert!(limits.peak() <= 10);
    }

    #[test]
    fn sums_beyond_64_bits_are_refused() {
        let limits = Limits::unlimited();
        limits.reserve(u64::MAX - 1).unwrap();
        assert!(limits.reserve(2).is_err());
        assert_eq!(limits.used(), u64::MAX - 1);
    }

    #[test]
    fn an_account_grows_up_to_the_bound_and_gives_all_back() {
        let limits = Arc::new(Limits::new(100_000));
        let mut account = Account::new(&limits);
        account.grow_to(80_000).unwrap();
        assert!((80_000..=100_000).contains(&limits.used()));
        account.grow_to(100_000).unwrap();
        assert!(account.grow_to(100_001).is_err());
        assert_eq!((account.reserved(), limits.used()), (100_000, 100_000));
        account.fit(90_000).unwrap();
        assert_eq!(limits.used(), 100_000, "a little more than is needed is kept");
        account.fit(20_000).unwrap();
        assert!((20_000..30_000).contains(&limits.used()));
        assert!(account.fit(100_001).is_err());
        account.shrink_to(10);
        assert_eq!(limits.used(), 10);
        drop(account);
        assert_eq!(limits.used(), 0);
    }

    #[test]
    fn reserve_is_refused_beyond_the_bound_and_leaves_the_account_unchanged() {
        let limits = Limits::new(100);
        limits.reserve(60).unwrap();
        assert_eq!(limits.reserve(50), Err(LimitReached::Memory { wanted: 50, used: 60, limit: 100 }));
        assert_eq!(limits.used(), 60);
        limits.release(60);
        limits.reserve(100).unwrap();
        assert_eq!(limits.peak(), 100);
    }

    #[test]
    fn a_bound_of_files_tells_whether_it_was_asked_for() {
        for (limits, derived) in [(Limits::unlimited(), true), (Limits::unlimited().with_disk(10), false)] {
            limits.bound_disk(10);
            let refused = limits.reserve_disk(11).unwrap_err();
            assert_eq!(refused, LimitReached::Disk { wanted: 11, used: 0, limit: 10, derived });
            assert_eq!(refused.to_string().contains("the file system had free"), derived, "{refused}");
        }
    }

    #[test]
    fn interrupt_is_seen_by_check() {
        let limits = Limits::unlimited();
        assert_eq!(limits.check(), Ok(()));
        limits.interrupt();
        assert_eq!(limits.check(), Err(LimitReached::Interrupted));
    }

    #[test]
    fn the_end_of_the_time_is_seen_by_check() {
        let none = Duration::ZERO;
        let limits = Limits::unlimited().with_time(none);
        assert_eq!(limits.check(), Err(LimitReached::Time { limit: none }));
        assert!(LimitReached::Time { limit: none }.during(|| "a stage".to_owned()).ends_all());
        limits.interrupt();
        assert_eq!(limits.check(), Err(LimitReached::Interrupted));
        for long in [Duration::from_secs(3600), Duration::MAX] {
            assert_eq!(Limits::unlimited().with_time(long).check(), Ok(()));
        }
    }

    #[test]
    fn sizes_are_numbers_with_a_binary_unit() {
        assert_eq!(parse_size("4096"), Some(4096));
        assert_eq!(parse_size("512M"), Some(512 << 20));
        assert_eq!(parse_size("8G"), parse_size("8 gib"));
        assert_eq!(parse_size("1.5k"), Some(1536));
        for text in ["", "M", "0", "-1", "1X", "1.2.3G", "1e9", "99999999T", "nan"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }
}
