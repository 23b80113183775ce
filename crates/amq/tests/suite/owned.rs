//! Views that share their bytes, and filters that may be missing. Run under Miri, too: what holds
//! the bytes is written by whoever calls, in safe code, and may be as odd as safe code can be.

use amq::*;
use std::hint::black_box;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const KEYS: u64 = 200;

fn file(kind: FilterKind, first: u64) -> Vec<u8> {
    let keys = first..first + KEYS;
    AnyFilter::build(kind, Budget::Fpr(1e-6), keys).unwrap().to_bytes().unwrap()
}

/// Bytes that begin at a multiple of 64, as those of a map do.
pub(crate) struct Aligned {
    held: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let mut held = vec![0; bytes.len() + 64];
        let start = held.as_ptr().align_offset(64);
        held[start..start + bytes.len()].copy_from_slice(bytes);
        Self { held, start, len: bytes.len() }
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        &self.held[self.start..self.start + self.len]
    }
}

fn holds(filter: &impl Filter, first: u64) -> bool {
    let asked = if cfg!(miri) { 20 } else { KEYS };
    let found = (first..first + asked).all(|key| filter.contains(&key));
    found && (1 << 40..(1 << 40) + asked).all(|key| !filter.contains(&key))
}

/// A table that holds its filter: no lifetime, and it can be moved, boxed and sent.
struct Table {
    filter: AnyFilter<SharedBytes<Aligned>>,
}

#[test]
fn a_view_of_any_kind_is_kept_in_a_struct_and_asked_by_threads() {
    for &kind in AnyFilter::KINDS {
        let bytes = file(kind, 0);
        let wanted = AnyFilter::from_bytes(&bytes).unwrap();
        for filter in [
            AnyFilter::view_shared(Arc::new(Aligned::new(&bytes))),
            LoadOptions::new()
                .unchecked_payload()
                .view_shared::<AnyFilter, _>(Arc::new(Aligned::new(&bytes))),
        ] {
            let table = Table { filter: filter.unwrap() };
            let tables = vec![Box::new(table)];
            assert_eq!(tables[0].filter.stats(), wanted.stats(), "{kind}");
            assert_eq!(format!("{:?}", tables[0].filter), format!("{wanted:?}"), "{kind}");
            let hashes: Vec<KeyHash> = (0..2 * KEYS).map(|key| key.key_hash(0)).collect();
            let mut answers = vec![false; hashes.len()];
            tables[0].filter.contains_batch(&hashes, &mut answers).unwrap();
            assert!(answers[..KEYS as usize].iter().all(|&found| found), "{kind}");
            let tables = &tables;
            std::thread::scope(|scope| {
                let asked = || holds(&tables[0].filter, 0) && tables[0].filter.contains(&7u64);
                let threads = [scope.spawn(asked), scope.spawn(asked)];
                assert!(threads.into_iter().all(|thread| thread.join().unwrap()), "{kind}");
            });
        }
    }
}

/// Returns another slice at each call, once it was opened: shorter, longer, elsewhere.
struct Fickle {
    slices: Vec<Vec<u8>>,
    calls: AtomicUsize,
    /// Calls for which it returns the first.
    steady: AtomicUsize,
}

impl AsRef<[u8]> for Fickle {
    fn as_ref(&self) -> &[u8] {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        match call < self.steady.load(Ordering::Relaxed) {
            true => &self.slices[0],
            false => &self.slices[call % self.slices.len()],
        }
    }
}

/// It may answer anything, or panic as safe code does; under Miri and AddressSanitizer this shows
/// that it does nothing worse.
#[test]
fn bytes_that_change_at_each_call_do_no_harm() {
    for &kind in AnyFilter::KINDS {
        let file = file(kind, 0);
        let half = file[..file.len() / 2].to_vec();
        let longer = [&file[..], &[0xFF; 500]].concat();
        let damaged: Vec<u8> = file.iter().map(|byte| byte ^ 0x55).collect();
        let slices = vec![file.clone(), half, longer, damaged, Vec::new(), file];
        let steady = AtomicUsize::new(usize::MAX);
        let owner = Arc::new(Fickle { slices, calls: AtomicUsize::new(0), steady });
        let filter = AnyFilter::view_shared(Arc::clone(&owner)).unwrap();
        assert!(holds(&filter, 0), "{kind}");
        owner.steady.store(0, Ordering::Relaxed);
        let hashes: Vec<KeyHash> = (0..300u64).map(|key| key.key_hash(0)).collect();
        let ask = |ask: &dyn Fn()| {
            // An answer or a panic.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(ask));
        };
        for _ in 0..if cfg!(miri) { 2 } else { 10 } {
            for &hash in hashes.iter().step_by(if cfg!(miri) { 30 } else { 1 }) {
                ask(&|| {
                    black_box(filter.contains_hash(hash));
                });
            }
            for count in [1, 7, 33, 300] {
                ask(&|| {
                    filter.contains_batch(&hashes[..count], &mut vec![false; count]).unwrap();
                });
            }
            ask(&|| {
                black_box(filter.stats());
            });
        }
        // They change while the filter is opened.
        for steady in 0..if cfg!(miri) { 4 } else { 60 } {
            owner.calls.store(0, Ordering::Relaxed);
            owner.steady.store(steady, Ordering::Relaxed);
            ask(&|| drop(AnyFilter::view_shared(Arc::clone(&owner))));
        }
        owner.steady.store(usize::MAX, Ordering::Relaxed);
        assert!(holds(&filter, 0), "{kind}");
    }
}

/// Counts its drops, and hands out bytes that it owns itself.
struct Counted(Aligned, Arc<AtomicUsize>);

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // Whoever looked at the bytes later would find other ones.
        self.0.held.fill(0xFF);
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn the_bytes_are_dropped_once_with_the_view_or_with_the_refusal() {
    let drops = Arc::new(AtomicUsize::new(0));
    let counted = |bytes: &[u8]| Counted(Aligned::new(bytes), Arc::clone(&drops));
    let good = file(FilterKind::Bloom, 0);
    let filter = AnyFilter::view_shared(Arc::new(counted(&good))).unwrap();
    assert!(holds(&filter, 0) && drops.load(Ordering::Relaxed) == 0);
    drop(filter);
    assert_eq!(drops.load(Ordering::Relaxed), 1);

    let mut damaged = good.clone();
    damaged[good.len() - 1] ^= 1;
    let refused = AnyFilter::view_shared(Arc::new(counted(&damaged))).unwrap_err();
    assert_eq!(refused, DecodeError::Checksum { part: "payload" });
    assert_eq!(drops.load(Ordering::Relaxed), 2);
    let refused = AnyFilter::view_shared(Arc::new(counted(&[]))).unwrap_err();
    assert_eq!(AnyFilter::view(&[]).unwrap_err(), refused);
    // Not looked at, as it was asked for.
    assert!(
        LoadOptions::new()
            .unchecked_payload()
            .view_shared::<AnyFilter, _>(Arc::new(counted(&damaged)))
            .is_ok()
    );
    // At any address.
    let mut held = Aligned::new(&[&good[..], &[0]].concat());
    let (from, to) = (held.start, held.start + good.len());
    held.held.copy_within(from..to, from + 1);
    let odd = Aligned { start: from + 1, len: good.len(), ..held };
    assert!(holds(&AnyFilter::view_shared(Arc::new(odd)).unwrap(), 0));
}

/// An owner that panics leaves nothing half made.
struct Panics;

impl AsRef<[u8]> for Panics {
    fn as_ref(&self) -> &[u8] {
        std::panic::resume_unwind(Box::new("no bytes"))
    }
}

#[test]
fn an_owner_that_panics_is_dropped_and_no_more() {
    let opened = std::panic::catch_unwind(|| AnyFilter::view_shared(Arc::new(Panics)).is_ok());
    assert!(opened.is_err());
}

#[test]
fn without_bytes_or_with_damaged_ones_every_answer_is_maybe() {
    let mut damaged = file(FilterKind::Bloom, 0);
    damaged[70] ^= 1;
    let unmapped = || Err::<Aligned, _>(io::Error::from(io::ErrorKind::PermissionDenied));
    for missing in [open_or_maybe(unmapped()), open_or_maybe(Ok(Aligned::new(&damaged)))] {
        assert!(missing.filter().is_none() && missing.error().is_some());
        assert!((0..1000u64).all(|key| missing.contains(&key)));
        assert!(missing.contains_hash(KeyHash::new(7)));
    }
}

#[test]
fn a_filter_that_is_there_is_asked_through_or_maybe() {
    for &kind in AnyFilter::KINDS {
        let bytes = file(kind, 0);
        let opened = open_or_maybe(Ok(Aligned::new(&bytes)));
        let inside = opened.filter().unwrap();
        assert!(opened.error().is_none() && holds(inside, 0), "{kind}");
        let asked = (0..KEYS).chain(1 << 40..(1 << 40) + KEYS);
        for key in asked.take(if cfg!(miri) { 20 } else { usize::MAX }) {
            assert_eq!(opened.contains(&key), inside.contains(&key), "{kind}");
            let hash = key.key_hash(inside.seed());
            assert_eq!(opened.contains_hash(hash), inside.contains(&key), "{kind}");
        }
    }
}
