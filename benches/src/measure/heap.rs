//! Keeps freed memory for the next filter, so that no build waits for fresh pages.
//!
//! By default, the C library returns large blocks to the system or not, depending on its state, and
//! with fresh pages a build took up to a fifth longer.

#![allow(unsafe_code)]

/// Tells the C library, if it is glibc, to keep freed memory.
pub(super) fn keep() {
    // Larger blocks are always mapped: the library's limit.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    for (what, bytes) in [(libc::M_MMAP_THRESHOLD, 32 << 20), (libc::M_TRIM_THRESHOLD, i32::MAX)] {
        // SAFETY: `mallopt` takes two numbers, and may be called at any time.
        unsafe { libc::mallopt(what, bytes) };
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;
    use std::fs;
    use std::hint::black_box;

    #[test]
    fn a_block_freed_is_used_again_without_new_pages() {
        keep();
        // The pages that this thread had to wait for: the eighth number after its name.
        let faults = || -> u64 {
            let all = fs::read_to_string("/proc/thread-self/stat").unwrap();
            all.rsplit_once(") ").unwrap().1.split(' ').nth(7).unwrap().parse().unwrap()
        };
        let [first, again] = [(); 2].map(|()| {
            let before = faults();
            drop(black_box(vec![1u8; 16 << 20]));
            faults() - before
        });
        assert!(again < 100, "{first} pages, then {again}");
    }
}
