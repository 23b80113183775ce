//! The threads that sort and insert.

use amq_core::internal::Cpu;
use rayon::ThreadPoolBuilder;

/// Number of threads that may: rayon tells it, of its pool that this thread belongs to or of its
/// global one.
pub(super) fn threads() -> usize {
    let in_pool = rayon::current_thread_index().is_some();
    match in_pool || Cpu::has_threads(|| ThreadPoolBuilder::new().build_global()) {
        true => rayon::current_num_threads().clamp(1, MOST),
        false => 1,
    }
}

/// More threads would only wait for memory.
const MOST: usize = 32;
