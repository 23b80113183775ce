//! What holds the keys themselves, and so never errs: to take, or to compare a filter with.

use crate::{Need, Structure, Workload};
use alloc::vec;
use alloc::vec::Vec;

/// What can hold the keys for this workload, with its bytes; the smallest first.
pub(super) fn all(workload: &Workload) -> Vec<(Structure, u64)> {
    let mut all = vec![(Structure::exact(workload), hash_table(workload))];
    all.extend(bitmap(workload).map(|bytes| (Structure::Bitmap, bytes)));
    if workload.built_once && tells_no_more(workload) {
        all.push((Structure::SortedList, sorted_bytes(workload)));
    }
    all.retain(|&(_, bytes)| serves(bytes, workload));
    all.sort_by_key(|&(_, bytes)| bytes);
    all
}

/// Bytes of the standard library's hash table: a power of two of buckets, at most 7/8 of them
/// taken, with a byte of control for each and a group of 16 more.
pub(super) fn hash_table(workload: &Workload) -> u64 {
    let keys = workload.keys.planned();
    let value = workload.value_bits().map_or(0, |bits| u64::from(bits.div_ceil(8)));
    let count = if workload.counts() { 4 } else { 0 };
    let entry = workload.key_bytes.saturating_add(value).saturating_add(count);
    let buckets = match keys {
        0..=3 => 4,
        4..=7 => 8,
        _ => (keys.saturating_mul(8) / 7).checked_next_power_of_two().unwrap_or(u64::MAX),
    };
    buckets.saturating_mul(entry.saturating_add(1)).saturating_add(16)
}

/// Bytes of a bitmap of all integers there can be, or of a roaring one: of each 65,536 integers
/// that have a key among them, two bytes for each key or a bitmap, whichever is smaller, and eight
/// more. `None` if the keys are
/// no integers, or one of them needs more than to be in.
fn bitmap(workload: &Workload) -> Option<u64> {
    let below = workload.universe().filter(|_| tells_no_more(workload))?;
    let keys = workload.keys.planned().max(1);
    let chunks = below.div_ceil(1 << 16).clamp(1, keys);
    let each = keys.div_ceil(chunks).saturating_mul(2).min(1 << 13);
    Some(below.div_ceil(8).min(chunks.saturating_mul(each + 8)))
}

/// Whether the keys are integers of 64 bits: short ones can be read as such.
pub(super) fn are_integers(workload: &Workload) -> bool {
    workload.below.is_some() || workload.key_bytes <= 8
}

/// Bytes of the sorted keys: of integers in an Elias-Fano list, of others in an array.
pub(super) fn sorted_bytes(workload: &Workload) -> u64 {
    let keys = workload.keys.planned();
    match sorted_bits(workload).filter(|_| are_integers(workload)) {
        Some(bits) => libm::ceil(keys as f64 * bits / 8.0) as u64,
        None => keys.saturating_mul(workload.key_bytes),
    }
}

/// Bits per key of the sorted keys in an Elias-Fano list: the low bits as they are, and two more
/// for the high ones of all before. `None` if a key needs more than to be in.
pub(super) fn sorted_bits(workload: &Workload) -> Option<f64> {
    let keys = libm::log2(workload.keys.planned() as f64);
    tells_no_more(workload).then(|| (universe_bits(workload) - keys).max(0.0) + 2.0)
}

/// Bits of a key on its own, as an integer.
pub(super) fn universe_bits(workload: &Workload) -> f64 {
    workload.universe().map_or(workload.key_bytes as f64 * 8.0, |below| libm::log2(below as f64))
}

/// Whether a key has neither a value nor a count.
fn tells_no_more(workload: &Workload) -> bool {
    workload.value_bits().is_none() && !workload.counts()
}

/// Whether so many bytes of keys can be what the workload asks for. To forget by time, there is a
/// set for each generation.
fn serves(bytes: u64, workload: &Workload) -> bool {
    let allowed = workload.allowed(workload.keys.planned());
    let to_build = workload.build_bytes;
    let fits = [allowed, to_build].iter().flatten().all(|&most| bytes <= most);
    let is_open = workload.grows() && !workload.is_bounded_growth();
    fits && (!is_open || workload.is_exact())
}

/// Whether a set of so many bytes can be taken in place of a filter.
pub(super) fn replaces(structure: Structure, workload: &Workload) -> bool {
    let in_memory = matches!(structure, Structure::ExactSet | Structure::ExactMap);
    !(in_memory && workload.needs.contains(&Need::Files))
}
