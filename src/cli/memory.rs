//! Memory of the process: what it used, and what it gives back.

use base::machine;

/// The largest resident size of this process so far; 0 where the system does not tell.
pub fn peak() -> u64 {
    machine::peak_memory().unwrap_or(0)
}

/// From now on, blocks of at least a mebibyte are returned to the system when they are freed. Otherwise the allocator
/// would keep tens of mebibytes after a few large ones, which the accounts of memory do not know of.
pub fn give_back_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: sets a parameter of the allocator, before any other thread runs.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
}

/// Returns freed memory to the system. Otherwise the allocator would keep what the stages before the large ones leave.
pub fn give_back_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: changes nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}
