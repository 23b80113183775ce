//! The threads that sort and insert.

/// Number of threads that may.
pub(super) fn threads() -> usize {
    match rayon::current_thread_index().is_some() || has_pool() {
        true => rayon::current_num_threads().clamp(1, MOST),
        false => 1,
    }
}

/// More threads would only wait for memory.
const MOST: usize = 32;

/// Whether there are threads. A system can refuse them, and rayon would panic.
fn has_pool() -> bool {
    static HAS: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    let refused = |error: rayon::ThreadPoolBuildError| core::error::Error::source(&error).is_some();
    // Its only other error is that the pool exists already.
    *HAS.get_or_init(|| !rayon::ThreadPoolBuilder::new().build_global().is_err_and(refused))
}
