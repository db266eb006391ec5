//! Memory of the process: its peak, and its return to the system.

use base::machine;

/// The peak memory of the process in bytes; 0 if the system does not report it.
pub fn peak() -> u64 {
    machine::peak_memory().unwrap_or(0)
}

/// From now on, freed blocks of at least a mebibyte return to the system. Otherwise, after a few large blocks, the
/// allocator would keep tens of mebibytes that no account of memory contains.
pub fn give_back_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: sets a parameter of the allocator, before any other thread runs.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
}

/// Returns freed memory to the system, because the allocator would keep that of the first stages.
pub fn give_back_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: changes nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}
