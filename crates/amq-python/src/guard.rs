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
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

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

// SAFETY: references to the value are made by `Hold` alone, which says why no other thread has one
// that conflicts.
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

/// The value, for as long as this lives.
pub(crate) struct Hold<'a, T, Guard> {
    value: *mut T,
    _held: Held<'a, T, Guard>,
}

/// The value, to be read.
pub(crate) type Read<'a, T> = Hold<'a, T, RwLockReadGuard<'a, ()>>;

/// The value, to be changed.
pub(crate) type Write<'a, T> = Hold<'a, T, RwLockWriteGuard<'a, ()>>;

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
            Some(direct) => Hold { value: self.value.get(), _held: Held::Direct(direct) },
            None => self.read_locked(py),
        }
    }

    fn read_locked(&self, py: Python<'_>) -> Read<'_, T> {
        let shared = GLOBAL_LOCK.then(|| self.shared(py));
        let guard = self.lock.read_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        Hold { value: self.value.get(), _held: Held::Locked(guard, shared) }
    }

    /// The value, once nobody uses it. The interpreter is let go of while this waits.
    #[inline]
    pub(crate) fn write(&self, py: Python<'_>) -> Write<'_, T> {
        match self.direct(py) {
            Some(direct) => Hold { value: self.value.get(), _held: Held::Direct(direct) },
            None => self.write_locked(py),
        }
    }

    fn write_locked(&self, py: Python<'_>) -> Write<'_, T> {
        let shared = GLOBAL_LOCK.then(|| self.shared(py));
        let guard = self.lock.write_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        Hold { value: self.value.get(), _held: Held::Locked(guard, shared) }
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
        Hold { value: self.0.value.get(), _held: Held::Locked(guard, None) }
    }

    /// The value, once nobody uses it.
    pub(crate) fn write(&self) -> Write<'_, T> {
        let guard = self.0.lock.write().unwrap_or_else(PoisonError::into_inner);
        Hold { value: self.0.value.get(), _held: Held::Locked(guard, None) }
    }
}

impl<T> Drop for Shared<'_, T> {
    fn drop(&mut self) {
        self.0.shared.fetch_sub(1, Ordering::Release);
    }
}

/// Two different values, to be locked at once: in the order of their addresses, so that two threads
/// cannot wait for each other.
pub(crate) struct Both<'a, T> {
    ours: Shared<'a, T>,
    theirs: Shared<'a, T>,
    ours_first: bool,
}

impl<'a, T> Both<'a, T> {
    /// As [`Guarded::shared`]. Of one value twice, the thread would wait for itself.
    pub(crate) fn new(py: Python<'_>, ours: &'a Guarded<T>, theirs: &'a Guarded<T>) -> Self {
        let ours_first = ptr::from_ref(ours) < ptr::from_ref(theirs);
        Self { ours: ours.shared(py), theirs: theirs.shared(py), ours_first }
    }

    /// Reads both.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&T, &T) -> R) -> R {
        if self.ours_first {
            let ours = self.ours.read();
            read(&ours, &self.theirs.read())
        } else {
            let theirs = self.theirs.read();
            read(&self.ours.read(), &theirs)
        }
    }

    /// Changes the first.
    pub(crate) fn change<R>(&self, change: impl FnOnce(&mut T, &T) -> R) -> R {
        if self.ours_first {
            let mut ours = self.ours.write();
            change(&mut ours, &self.theirs.read())
        } else {
            let theirs = self.theirs.read();
            change(&mut self.ours.write(), &theirs)
        }
    }
}

impl<T, Guard> Deref for Hold<'_, T, Guard> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: as `deref_mut`, but for other readers.
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
