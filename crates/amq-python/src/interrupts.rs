//! How long Ctrl-C waits.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// At most, about. Taking the interpreter back for a moment can cost some milliseconds.
const PATIENCE: Duration = Duration::from_millis(100);

/// Raises what a signal raises, where each number of a loop comes through.
pub(crate) fn now_and_then(py: Python<'_>, number: usize) -> PyResult<()> {
    match number.is_multiple_of(1 << 16) {
        true => py.check_signals(),
        false => Ok(()),
    }
}

/// For work without the interpreter: when it last heard signals.
pub(crate) struct Patience(Instant);

impl Patience {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    /// Raises what a signal raises, such as KeyboardInterrupt. To be called often.
    pub(crate) fn hear(&mut self) -> PyResult<()> {
        if self.0.elapsed() > PATIENCE {
            Python::try_attach(|py| py.check_signals()).unwrap_or_else(|| Err(ended()))?;
            self.0 = Instant::now();
        }
        Ok(())
    }
}

/// For a thread that has nobody left to work for: it does not come back to raise it.
#[cold]
fn ended() -> PyErr {
    PyRuntimeError::new_err("the interpreter has ended")
}

/// Keys that take longer than that, whatever is made of them.
const MANY: usize = 1 << 20;

/// Does work on so many keys, which hears no signals: if they are many, on a thread of its own. If
/// a signal raises something meanwhile, that is raised at once, and the work is dropped when it is
/// done.
pub(crate) fn apart<T: Send + 'static>(
    py: Python<'_>,
    keys: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if keys < MANY {
        return Ok(py.detach(work));
    }
    let (end, done) = mpsc::channel();
    let done = Mutex::new(done);
    thread::Builder::new().spawn(move || end.send(work()))?;
    loop {
        let wait = || done.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE);
        match py.detach(wait) {
            Ok(made) => return Ok(made),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a defect: the work ended without a result"));
            }
        }
    }
}
