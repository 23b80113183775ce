//! Memory that a filter leaves is kept for the next: no build waits for pages of the system.
//!
//! Left to itself, the C library gives large blocks back or keeps them as it happens to be filled,
//! and with fresh pages a small filter's build takes a fifth longer.

#![allow(unsafe_code)]

/// Larger blocks always come from the system: the C library's limit.
#[cfg(target_env = "gnu")]
const LARGEST: i32 = 32 << 20;

/// Tells the C library to keep what is freed, if it is one that can be told.
pub fn keep() {
    #[cfg(target_env = "gnu")]
    for (what, bytes) in [(libc::M_MMAP_THRESHOLD, LARGEST), (libc::M_TRIM_THRESHOLD, i32::MAX)] {
        // SAFETY: it takes two numbers, and may be called at any time.
        unsafe { libc::mallopt(what, bytes) };
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;
    use std::fs;
    use std::hint::black_box;

    /// The pages that this thread had to wait for.
    fn faults() -> u64 {
        let all = fs::read_to_string("/proc/thread-self/stat").unwrap();
        let (_, after_the_name) = all.rsplit_once(") ").unwrap();
        after_the_name.split(' ').nth(7).unwrap().parse().unwrap()
    }

    #[test]
    fn a_block_freed_is_used_again_without_new_pages() {
        keep();
        let new_pages = || {
            let before = faults();
            drop(black_box(vec![1u8; 16 << 20]));
            faults() - before
        };
        let (first, again) = (new_pages(), new_pages());
        assert!(again < 100, "{first} pages, then {again}");
    }
}
