//! An allocator that counts, and refuses an allocation when asked to, for the laws of memory.
//!
//! It does so only for the thread that asks, so other tests are unaffected.
#![allow(
    unsafe_code,
    reason = "an allocator cannot be written without; all it does is to call the system's"
)]

use core::fmt;
use core::hint::black_box;
use core::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system allocator; for a thread that runs a law it counts allocations and refuses one.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counting;

/// One thread's allocations since it started to count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    /// Allocations, refused ones included.
    pub(super) calls: u64,
    /// The one to refuse.
    refused: u64,
    held: i64,
    pub(crate) peak: i64,
}

const NEW: Account = Account { calls: 0, refused: u64::MAX, held: 0, peak: 0 };

/// Whether the allocations of all threads are counted, and their current and peak bytes.
static ALL: AtomicBool = AtomicBool::new(false);
static ALL_HELD: AtomicIsize = AtomicIsize::new(0);
static ALL_PEAK: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    static ACCOUNT: Cell<Option<Account>> = const { Cell::new(None) };
}

/// Updates the account if this thread counts. `false` if the allocation must be refused.
fn count(bytes: i64) -> bool {
    if ALL.load(Ordering::Relaxed) {
        let bytes = bytes as isize;
        let held = ALL_HELD.fetch_add(bytes, Ordering::Relaxed) + bytes;
        ALL_PEAK.fetch_max(held, Ordering::Relaxed);
    }
    let counted = ACCOUNT.try_with(|account| {
        let Some(mut now) = account.get() else {
            return true;
        };
        let refuse = bytes > 0 && now.calls == now.refused;
        now.calls += u64::from(bytes > 0);
        if !refuse {
            now.held += bytes;
            now.peak = now.peak.max(now.held);
        }
        account.set(Some(now));
        !refuse
    });
    counted.unwrap_or(true)
}

// SAFETY: all calls go to the system allocator unchanged, or return null, which means no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if count(layout.size() as i64) {
            // SAFETY: the caller upholds the same contract.
            unsafe { System.alloc(layout) }
        } else {
            core::ptr::null_mut()
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs `work` and returns what it allocated.
pub(crate) fn counted<R>(refused: u64, work: impl FnOnce() -> R) -> (R, Account) {
    begin(refused);
    let result = work();
    (result, end())
}

#[inline(never)]
fn begin(refused: u64) {
    ACCOUNT.set(Some(Account { refused, ..NEW }));
}

#[inline(never)]
fn end() -> Account {
    ACCOUNT.take().unwrap_or(NEW)
}

/// Runs `work` and returns the most bytes that it held at once.
pub fn peak_of<R>(work: impl FnOnce() -> R) -> (R, u64) {
    counts();
    let (result, account) = counted(u64::MAX, work);
    (result, account.peak.unsigned_abs())
}

/// Runs `work` and returns the most bytes that all threads held at once. No other test may run in
/// this process meanwhile.
pub fn peak_of_all_threads<R>(work: impl FnOnce() -> R) -> (R, u64) {
    counts();
    ALL_HELD.store(0, Ordering::Relaxed);
    ALL_PEAK.store(0, Ordering::Relaxed);
    ALL.store(true, Ordering::SeqCst);
    let result = work();
    ALL.store(false, Ordering::SeqCst);
    (result, ALL_PEAK.load(Ordering::Relaxed).unsigned_abs() as u64)
}

/// Requires that the allocator of this binary counts.
pub(crate) fn counts() {
    let (_, account) = counted(u64::MAX, || black_box(Vec::<u8>::with_capacity(100)));
    let right = account.calls == 1 && account.peak == 100;
    assert!(right, "is `memory::Counting` the global allocator? A list of 100 bytes: {account:?}");
}

/// Whether an error reports a refused allocation: the text of each such variant says so.
pub(super) fn is_out_of_memory(error: &dyn fmt::Debug) -> bool {
    format!("{error:?}").contains("the allocator refused")
}

/// Runs an operation with its first allocation refused, then its second, and so on until none is.
/// Past the hundredth allocation, which repeat earlier ones, steps are 1 % of the number so far: a
/// filter that makes thousands is not built thousands of times. Each run must report that memory
/// ran out, or succeed without that allocation. `check` gets the result of the run, or `None`. (An
/// operation that aborts ends the whole test binary.)
pub fn every_refused_allocation_is_an_error<T, E: fmt::Debug>(
    what: &str,
    mut operation: impl FnMut() -> Result<T, E>,
    mut check: impl FnMut(Option<T>),
) {
    counts();
    let mut refused = 0;
    loop {
        let (result, account) = counted(refused, &mut operation);
        if let Err(error) = &result {
            let right = is_out_of_memory(error) && refused < account.calls;
            assert!(right, "{what}, with allocation {refused} refused: {error:?}");
        }
        check(result.ok());
        if account.calls <= refused {
            break;
        }
        refused += 1 + refused / 100;
    }
}
