//! A shard behind its lock, and the shards that this thread visits.

use core::mem::ManuallyDrop;
use std::cell::RefCell;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::thread_local;
use std::vec::Vec;

thread_local! {
    /// The shards that this thread visits, by address. A shard does not move while it is visited.
    ///
    /// Without a destructor, so that destructors of other thread-locals can use a filter. It holds
    /// no memory while nothing is visited.
    static VISITED: ManuallyDrop<RefCell<Vec<usize>>> =
        const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

/// A shard on separate cache lines, since every query writes to its lock.
///
/// Its filter is consistent whenever the lock is released, also by a panic: operations of filters
/// do not panic.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Shard<F>(RwLock<F>);

impl<F> Shard<F> {
    pub(super) const fn new(filter: F) -> Self {
        Self(RwLock::new(filter))
    }

    /// The filter, for a query; `None` if this thread visits it, and would wait for itself.
    #[inline]
    pub(super) fn read(&self) -> Option<RwLockReadGuard<'_, F>> {
        match self.0.try_read() {
            Ok(filter) => Some(filter),
            Err(TryLockError::Poisoned(filter)) => Some(filter.into_inner()),
            Err(TryLockError::WouldBlock) => self.wait(RwLock::read),
        }
    }

    /// The filter, mutably; `None` if this thread visits it.
    #[inline]
    pub(super) fn write(&self) -> Option<RwLockWriteGuard<'_, F>> {
        match self.0.try_write() {
            Ok(filter) => Some(filter),
            Err(TryLockError::Poisoned(filter)) => Some(filter.into_inner()),
            Err(TryLockError::WouldBlock) => self.wait(RwLock::write),
        }
    }

    /// Waits for the lock, unless this thread holds it.
    #[cold]
    fn wait<'a, G>(
        &'a self,
        lock: impl FnOnce(&'a RwLock<F>) -> Result<G, PoisonError<G>>,
    ) -> Option<G> {
        (!self.is_visited()).then(|| lock(&self.0).unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether this thread visits it.
    pub(super) fn is_visited(&self) -> bool {
        VISITED.with(|visited| visited.borrow().contains(&self.address()))
    }

    fn address(&self) -> usize {
        core::ptr::from_ref(self).addr()
    }

    /// Locks the filter for `visit`, which must not wait for this shard. `false` if this thread
    /// already visits it.
    pub(super) fn visit(&self, visit: impl FnOnce(&mut F)) -> bool {
        /// Ends the visit, also by a panic.
        struct Visit;
        impl Drop for Visit {
            fn drop(&mut self) {
                VISITED.with(|visited| {
                    let mut visited = visited.borrow_mut();
                    visited.pop();
                    if visited.is_empty() {
                        *visited = Vec::new();
                    }
                });
            }
        }
        let Some(mut filter) = self.write() else {
            return false;
        };
        VISITED.with(|visited| visited.borrow_mut().push(self.address()));
        let _ends = Visit;
        visit(&mut filter);
        true
    }

    /// The filter, by an exclusive reference.
    #[inline]
    pub(super) fn exclusive(&mut self) -> &mut F {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn into_inner(self) -> F {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
