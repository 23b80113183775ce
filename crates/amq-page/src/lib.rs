//! The advisor for the report's page: a WebAssembly module that answers in the reader's browser.
//!
//! It is built by `.ci/page build`, which writes `advisor.wasm` beside this crate's manifest. The
//! renderer puts that file into the page, so that drawing needs no compiler for WebAssembly.
//!
//! A question is the options of `amq choose` as a query: `keys=1000000&fpr=0.01&static`. Numbers
//! are plain: rates and shares below 1, times in nanoseconds, sizes in bytes. [`answer`] describes
//! the lines that come back.

mod answer;
mod question;

pub use answer::answer;
pub use question::{Refused, answered, workload};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The question, and then its answer: what the page and the module pass to each other.
static TEXT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn text() -> MutexGuard<'static, Vec<u8>> {
    TEXT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a question of this many bytes, and returns where to write it.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut text = text();
    text.clear();
    text.resize(bytes, 0);
    text.as_mut_ptr()
}

/// Answers the question; returns the number of bytes of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    let mut text = text();
    *text = answer(&String::from_utf8_lossy(&text)).into_bytes();
    text.len()
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn told() -> *const u8 {
    text().as_ptr()
}
