//! A lock that costs nothing where the interpreter's own does its work.
//!
//! A call that holds the interpreter's global lock from its beginning to its end is alone with all
//! others that do, and needs no lock of ours. It needs one against threads that have let go of the
//! interpreter to work on an array. So these say so first ([`Guarded::shared`]), while they still
//! hold it; as long as there is one of them, everybody takes the lock. An atomic operation is as
//! dear as the rest of a query.
//!
//! Free-threaded interpreters have no such lock: there everybody takes ours, always.
#![allow(unsafe_code, reason = "the interpreter's lock is known to nobody but us")]

use pyo3::Python;
use pyo3::sync::RwLockExt;
use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// Whether a thread that holds the interpreter is alone with it.
const GLOBAL_LOCK: bool = cfg!(not(Py_GIL_DISABLED));

/// A value that threads use with the interpreter and without.
pub(crate) struct Guarded<T> {
    /// Threads that may use it without the interpreter. Grows only with it.
    shared: AtomicUsize,
    /// A thread uses it by the interpreter's lock alone.
    direct: AtomicBool,
    lock: RwLock<()>,
    value: UnsafeCell<T>,
}

// SAFETY: references to the value are made in `Direct` and `Locked` alone, where these say why no
// other thread has one that conflicts.
unsafe impl<T: Send + Sync> Sync for Guarded<T> {}

/// The value by the interpreter's lock alone: of a thread that holds it, and does not let go of it
/// before this is dropped. Should it, the next one to come finds `direct` set, and panics.
struct Direct<'a>(&'a AtomicBool);

impl Drop for Direct<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// How the value is held: all is there for its drop.
#[allow(dead_code, reason = "dropping is a use")]
enum Held<'a, T, Guard> {
    Direct(Direct<'a>),
    /// A thread with the interpreter shares the value as well, to keep the direct way shut.
    Locked(Guard, Option<Shared<'a, T>>),
}

/// The value, to be read.
pub(crate) struct Read<'a, T> {
    value: *const T,
    _held: Held<'a, T, RwLockReadGuard<'a, ()>>,
}

/// The value, to be changed.
pub(crate) struct Write<'a, T> {
    value: *mut T,
    _held: Held<'a, T, RwLockWriteGuard<'a, ()>>,
}

/// The right to use the value without the interpreter, until this is dropped.
pub(crate) struct Shared<'a, T>(&'a Guarded<T>);

impl<T> Guarded<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self {
            shared: AtomicUsize::new(0),
            direct: AtomicBool::new(false),
            lock: RwLock::new(()),
            value: UnsafeCell::new(value),
        }
    }

    /// Holds the value by the interpreter's lock, if that is enough.
    #[inline]
    fn direct(&self, _: Python<'_>) -> Option<Direct<'_>> {
        if !GLOBAL_LOCK || self.shared.load(Ordering::Acquire) > 0 {
            return None;
        }
        self.expect_undisturbed();
        self.direct.store(true, Ordering::Relaxed);
        Some(Direct(&self.direct))
    }

    #[inline]
    fn expect_undisturbed(&self) {
        assert!(!self.direct.load(Ordering::Acquire), "the interpreter was let go of");
    }

    /// The value, once nobody changes it. The interpreter is let go of while this waits.
    #[inline]
    pub(crate) fn read(&self, py: Python<'_>) -> Read<'_, T> {
        match self.direct(py) {
            Some(direct) => Read { value: self.value.get(), _held: Held::Direct(direct) },
            None => self.read_locked(py),
        }
    }

    fn read_locked(&self, py: Python<'_>) -> Read<'_, T> {
        let shared = GLOBAL_LOCK.then(|| self.shared(py));
        let guard = match self.lock.try_read() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
            Err(TryLockError::WouldBlock) => {
                self.lock.read_py_attached(py).unwrap_or_else(PoisonError::into_inner)
            }
        };
        Read { value: self.value.get(), _held: Held::Locked(guard, shared) }
    }

    /// The value, once nobody uses it. The interpreter is let go of while this waits.
    #[inline]
    pub(crate) fn write(&self, py: Python<'_>) -> Write<'_, T> {
        match self.direct(py) {
            Some(direct) => Write { value: self.value.get(), _held: Held::Direct(direct) },
            None => self.write_locked(py),
        }
    }

    fn write_locked(&self, py: Python<'_>) -> Write<'_, T> {
        let shared = GLOBAL_LOCK.then(|| self.shared(py));
        let guard = match self.lock.try_write() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
            Err(TryLockError::WouldBlock) => {
                self.lock.write_py_attached(py).unwrap_or_else(PoisonError::into_inner)
            }
        };
        Write { value: self.value.get(), _held: Held::Locked(guard, shared) }
    }

    /// To be asked for while the interpreter is held, and used when it is let go of.
    pub(crate) fn shared(&self, _: Python<'_>) -> Shared<'_, T> {
        self.expect_undisturbed();
        self.shared.fetch_add(1, Ordering::AcqRel);
        Shared(self)
    }
}

impl<T> Shared<'_, T> {
    /// The value, once nobody changes it.
    pub(crate) fn read(&self) -> Read<'_, T> {
        let guard = self.0.lock.read().unwrap_or_else(PoisonError::into_inner);
        Read { value: self.0.value.get(), _held: Held::Locked(guard, None) }
    }

    /// The value, once nobody uses it.
    pub(crate) fn write(&self) -> Write<'_, T> {
        let guard = self.0.lock.write().unwrap_or_else(PoisonError::into_inner);
        Write { value: self.0.value.get(), _held: Held::Locked(guard, None) }
    }
}

impl<T> Drop for Shared<'_, T> {
    fn drop(&mut self) {
        self.0.shared.fetch_sub(1, Ordering::Release);
    }
}

impl<T> Deref for Read<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: as `Write::deref_mut`, but for other readers.
        unsafe { &*self.value }
    }
}

impl<T> Deref for Write<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: as below.
        unsafe { &*self.value }
    }
}

impl<T> DerefMut for Write<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: nobody else has a reference. Who is held directly came with the interpreter's
        // lock, when nobody shared the value, found `direct` unset, and set it: whoever else holds
        // the interpreter before it is unset again finds it set, and panics before anything is
        // made of the value. Who is held by the lock excludes all others that are, and has a
        // `Shared` or is made of one, which keeps the direct way shut.
        unsafe { &mut *self.value }
    }
}

impl<T: fmt::Debug> fmt::Debug for Guarded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded").field("shared", &self.shared).finish_non_exhaustive()
    }
}
