//! The advisor for the report's page: a WebAssembly module that runs in the browser.
//!
//! `.ci/page build` builds it and writes `advisor.wasm` beside this crate's manifest. The renderer
//! embeds that file in the page, so drawing needs no WebAssembly compiler.
//!
//! A question is the options of `amq choose` as a query string: `keys=1000000&fpr=0.01&static`.
//! Numbers have no units: rates and shares below 1, times in nanoseconds, sizes in bytes.
//! [`answer`] describes the lines of the answer.

mod answer;
mod question;

pub use answer::answer;
pub use question::{Refused, answered, workload};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The buffer shared with the page: the question, then its answer.
static TEXT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn text() -> MutexGuard<'static, Vec<u8>> {
    TEXT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a question of this many bytes, and returns its address.
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

/// The address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn told() -> *const u8 {
    text().as_ptr()
}
