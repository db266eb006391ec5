//! Sizes of memory: as written, as the machine grants them, as the process used them.

use crate::machine;

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

#[cfg(test)]
mod tests {
    use super::*;

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
