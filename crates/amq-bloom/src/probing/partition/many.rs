//! Many keys: by several threads, by one that sorts, or as they come.

use super::bulk::{Bulk, Partition};
#[cfg(feature = "parallel")]
use super::crew::{Plan, Source};
use amq_core::KeyHash;

/// As few keys are inserted as they come.
const MANY: usize = if cfg!(test) { 100 } else { 1 << 16 };

/// Number of keys that are hashed at once by one thread.
const BLOCK: usize = 512;

/// Inserts many hashes and returns how many were new. `len` is the filter's number of keys.
#[inline]
pub(super) fn insert_batch<P: Partition>(
    partition: &P,
    table: &mut [P::Element],
    len: &mut u64,
    hashes: &[KeyHash],
) -> u64 {
    if hashes.len() >= MANY {
        #[cfg(feature = "parallel")]
        if let Some(crew) = Plan::new(partition, table, hashes.len() as u64, true) {
            return crew.insert(partition, table, len, Source::Slice(hashes));
        }
        if let Some(mut bulk) = Bulk::new(partition, table, len, hashes.len() as u64) {
            bulk.insert(hashes);
            return bulk.finish();
        }
    }
    each(partition, table, len, hashes)
}

/// Inserts about `about` hashes, which `next` writes until it writes none; returns how many were
/// new.
pub(super) fn insert_from<P: Partition>(
    partition: &P,
    table: &mut [P::Element],
    len: &mut u64,
    about: u64,
    next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
) -> u64 {
    if about >= MANY as u64 {
        #[cfg(feature = "parallel")]
        if let Some(crew) = Plan::new(partition, table, about, false) {
            return crew.insert(partition, table, len, Source::Next(next));
        }
        if let Some(mut bulk) = Bulk::new(partition, table, len, about) {
            for_each_block(next, |hashes| bulk.insert(hashes));
            return bulk.finish();
        }
    }
    let mut new = 0;
    for_each_block(next, |hashes| new += each(partition, table, len, hashes));
    new
}

/// Calls `act` for the hashes that `next` writes.
#[inline]
fn for_each_block(next: &mut dyn FnMut(&mut [KeyHash]) -> usize, mut act: impl FnMut(&[KeyHash])) {
    let mut hashes = [KeyHash::new(0); BLOCK];
    loop {
        match next(&mut hashes).min(BLOCK) {
            0 => return,
            count => act(&hashes[..count]),
        }
    }
}

#[inline(always)]
fn each<P: Partition>(
    partition: &P,
    table: &mut [P::Element],
    len: &mut u64,
    hashes: &[KeyHash],
) -> u64 {
    let new = partition.insert_each(table, hashes);
    *len = len.saturating_add(partition.counted(hashes.len() as u64, new));
    new
}
