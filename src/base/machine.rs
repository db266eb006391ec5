//! The machine of a run, and the memory of the process; unknown figures are reported as unknown.

use std::ffi::CString;
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const UNKNOWN_MACHINE: u64 = 8 << 30;
/// Stack that a recursive call may take until the next one asks, and what a thread gets that has less left, in bytes.
const STACK_OF_CALL: usize = 128 << 10;
const MORE_STACK: usize = 4 << 20;

/// Processors that this process may use; `None` if the system does not tell.
pub fn processors() -> Option<usize> {
    std::thread::available_parallelism().ok().map(NonZero::get)
}

/// Calls `work`, on more stack if little is left. For recursion as deep as a game has fluents: a thread has 2 MB of
/// stack by default, and a program may give less to those that call the library.
#[inline]
pub fn deep<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK_OF_CALL, MORE_STACK, work)
}

/// Processor model, cores, memory and operating system in one short string, without the machine's name.
pub fn description() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let model = field(&read("/proc/cpuinfo"), "model name").unwrap_or_else(|| "unknown processor".to_owned());
    let cores = processors().map_or("unknown".to_owned(), |cores| cores.to_string());
    let memory = match kib_field(&read("/proc/meminfo"), "MemTotal:") {
        Some(bytes) => format!("{} MiB", bytes >> 20),
        None => "memory unknown".to_owned(),
    };
    let (system, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{model}, {cores} cores, {memory}, {system} {architecture}")
}

/// Whether this process may use only some of the machine's processors, as launchers of several processes arrange it.
pub fn is_bound() -> bool {
    // SAFETY: a question without arguments that are addresses.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    // If the system does not tell, no binding is assumed.
    let Ok(online) = usize::try_from(online) else { return false };
    processors().is_some_and(|usable| usable < online)
}

/// Free bytes of the file systems of folders, each system counted once; `None` if the system does not report them.
pub fn free_disk_of(folders: &[&Path]) -> Option<u64> {
    let mut systems = Vec::new();
    let mut free = 0u64;
    for folder in folders {
        let system = std::fs::metadata(folder).ok()?.dev();
        if !systems.contains(&system) {
            systems.push(system);
            free = free.saturating_add(free_disk(folder)?);
        }
    }
    Some(free)
}

/// Free bytes of the file system of a folder; `None` if the system does not report them.
pub fn free_disk(folder: &Path) -> Option<u64> {
    let path = CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: zeros are a valid structure of numbers, and the call writes nothing else.
    let told = unsafe {
        let mut told: libc::statvfs = std::mem::zeroed();
        if libc::statvfs(path.as_ptr(), &mut told) != 0 {
            return None;
        }
        told
    };
    #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
    (told.f_bavail as u64).checked_mul(told.f_frsize as u64)
}

/// Seconds of processor time that this process has taken so far, all threads together.
pub fn processor_seconds() -> f64 {
    // SAFETY: zeros are a valid structure of numbers, and the call writes nothing else.
    let time = unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        // The clock of the own process is always there.
        let _ = libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time);
        time
    };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The largest resident size of this process so far; `None` if the system does not report it.
pub fn peak_memory() -> Option<u64> {
    kib_field(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// Usual bound: 80 % of the machine's memory or the cgroup's limit, whichever is less; of 8 GiB if neither is known.
pub fn granted_memory() -> u64 {
    let granted = [total_memory(), cgroup()].into_iter().flatten().min().unwrap_or(UNKNOWN_MACHINE);
    granted / 10 * 8
}

fn total_memory() -> Option<u64> {
    kib_field(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")
}

/// The smallest memory limit of the process' cgroup and the cgroups around it, of version 1 or 2.
fn cgroup() -> Option<u64> {
    let membership = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let limits = membership.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next().unwrap_or(""), fields.next().unwrap_or("/"));
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return Vec::new(),
        };
        let limit = |folder: &Path| {
            let folder = Path::new(root).join(folder.strip_prefix("/").unwrap_or(folder));
            std::fs::read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok()
        };
        Path::new(path).ancestors().filter_map(limit).collect()
    });
    limits.min()
}

/// Bytes of a line such as `MemTotal:  16384 kB`.
fn kib_field(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The text after the colon of a line such as `model name : …`, with single blanks.
fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    let (_, value) = line.split_once(':')?;
    Some(value.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|value| !value.is_empty())
}

/// Asks the processor to load the cache line at an address, which need not be valid.
#[inline(always)]
pub fn prefetch<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint; it never faults.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}

/// As [`prefetch`], for a write to a line that another core may have.
#[inline(always)]
pub fn prefetch_to_write<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint; it never faults, and processors that do not know it do nothing.
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    prefetch(address);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_system_files_are_found() {
        let text = "MemTotal:       16384 kB\nmodel name\t: A  processor (R)\nMemFree: 1 kB\n";
        assert_eq!(kib_field(text, "MemTotal:"), Some(16384 << 10));
        assert_eq!(kib_field(text, "VmHWM:"), None);
        assert_eq!(field(text, "model name").as_deref(), Some("A processor (R)"));
        assert_eq!(field(text, "flags"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_peak_is_known_and_the_machine_told_in_one_line() {
        assert!(peak_memory().is_some_and(|bytes| bytes > 1 << 16));
        assert!(!description().contains('\n'));
    }
}
