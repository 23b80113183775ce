//! What holds the keys themselves, and so never errs: to take, or to compare a filter with.

use crate::{Need, Structure, Workload};

/// Keys of a sorted array that also changes: half of them move for each.
const FEW: u64 = 256;

/// Bytes that a roaring bitmap has for each 65,536 integers with a key among them, beside two bytes
/// a key: one of 32-bit integers as it is saved, and one of 64-bit integers in memory.
const CHUNK_BYTES: [u64; 2] = [8, 20];

/// Whether nothing comes or goes.
fn is_fixed(workload: &Workload) -> bool {
    workload.built_once && !workload.has(Need::Remove)
}

/// What can hold the keys, with its bytes; the smallest first.
pub(crate) fn all(workload: &Workload) -> Vec<(Structure, u64)> {
    let few = workload.keys.planned() <= FEW && !workload.grows_without_bound();
    let list = match (is_fixed(workload), few) {
        (true, _) => Some(sorted_bytes(workload)),
        (_, true) => Some(array_bytes(workload)),
        _ => None,
    };
    let table = [(Structure::exact(workload), hash_table(workload))];
    let list = list.map(|bytes| (Structure::SortedList, bytes));
    let mut all: Vec<_> = table.into_iter().chain(bitmap(workload)).chain(list).collect();
    all.sort_by_key(|&(_, bytes)| bytes);
    all
}

/// Bytes of the standard library's hash table of all keys.
pub(crate) fn hash_table(workload: &Workload) -> u64 {
    hash_table_of(workload.keys.planned(), workload)
}

/// Bytes of the standard library's hash table of this many keys: a power of two of buckets, at most
/// 7/8 of them taken, with a byte of control for each and a group of 16 more.
pub(crate) fn hash_table_of(keys: u64, workload: &Workload) -> u64 {
    let buckets = match keys {
        0..=3 => 4,
        4..=7 => 8,
        _ => (keys.saturating_mul(8) / 7).checked_next_power_of_two().unwrap_or(u64::MAX),
    };
    buckets.saturating_mul(entry(workload).saturating_add(1)).saturating_add(16)
}

/// Bytes of an entry as Rust lays it out: a key of 1, 2, 4 or 8 bytes is an integer, another an
/// array of bytes; what belongs to it is the next longer integer; and a pair is padded to the
/// alignment of both.
fn entry(workload: &Workload) -> u64 {
    let key = workload.kept_key_bytes();
    let beside = workload.bits_beside_key().div_ceil(8);
    let beside = if beside == 0 { 0 } else { u64::from(beside).next_power_of_two() };
    let is_integer = key.is_power_of_two() && key <= 8;
    let align = beside.max(if is_integer { key } else { 1 });
    key.saturating_add(beside).checked_next_multiple_of(align).unwrap_or(u64::MAX)
}

/// A roaring bitmap: of each 65,536 integers that have a key among them, two bytes for each key or
/// a bitmap, whichever is smaller, and what it has for each such group. Of an unknown number of
/// keys, a bit for each integer there can be. `None` if the keys are no integers, or more belongs
/// to them.
fn bitmap(workload: &Workload) -> Option<(Structure, u64)> {
    let below = workload.universe().filter(|_| workload.bits_beside_key() == 0)?;
    let is_short = below <= 1 << 32;
    let (structure, chunk) = match is_short {
        true => (Structure::Bitmap, CHUNK_BYTES[0]),
        false => (Structure::LongBitmap, CHUNK_BYTES[1]),
    };
    let keys = workload.keys.planned().max(1);
    let chunks = below.div_ceil(1 << 16).clamp(1, keys);
    let each = keys.div_ceil(chunks).saturating_mul(2).min(1 << 13);
    let roaring = chunks.saturating_mul(each + chunk);
    let bits = below.div_ceil(8);
    Some((structure, if workload.grows_without_bound() { bits } else { bits.min(roaring) }))
}

/// Whether the keys are integers of 64 bits: short ones can be read as such.
pub(crate) fn are_integers(workload: &Workload) -> bool {
    workload.below.is_some() || workload.key_bytes <= 8
}

/// Bytes of the sorted keys, with what belongs to them in the same order: of integers in an
/// Elias-Fano list, the low bits as they are and two more for the high ones of all before; of
/// others in an array.
pub(crate) fn sorted_bytes(workload: &Workload) -> u64 {
    let keys = workload.keys.planned();
    let of = workload.universe().map_or(64.0, |below| libm::log2(below as f64));
    let bits = match are_integers(workload) {
        true => (of - libm::log2(keys as f64)).max(0.0) + 2.0,
        false => workload.key_bytes as f64 * 8.0,
    };
    libm::ceil(keys as f64 * (bits + f64::from(workload.bits_beside_key())) / 8.0) as u64
}

/// Bytes of the sorted keys as they are, with what belongs to each.
fn array_bytes(workload: &Workload) -> u64 {
    let beside = u64::from(workload.bits_beside_key().div_ceil(8));
    workload.keys.planned().saturating_mul(workload.kept_key_bytes().saturating_add(beside))
}

/// What it is called in a sentence.
pub(crate) fn form(structure: Structure, workload: &Workload) -> String {
    let beside = match (workload.counts(), workload.value_bits(), workload.generations()) {
        (true, ..) => " and an array of the counts",
        (_, Some(_), _) => " and an array of the values",
        (.., Some(_)) => " and an array of their times",
        _ => "",
    };
    match structure {
        Structure::SortedList if is_fixed(workload) && are_integers(workload) => {
            format!("a sorted Elias-Fano list{beside}")
        }
        Structure::SortedList => {
            format!("a sorted array of keys of {} bytes{beside}", workload.kept_key_bytes())
        }
        Structure::Bitmap | Structure::LongBitmap => "a roaring bitmap".into(),
        Structure::ExactMap => "a hash map".into(),
        _ => "a hash set".into(),
    }
}

/// Whether this many bytes are allowed.
pub(crate) fn fits(bytes: u64, workload: &Workload) -> bool {
    workload.allowed(workload.keys.planned()).is_none_or(|most| bytes <= most)
}

/// Whether the keys in this form can be what the workload asks for, in place of a filter. To forget
/// by time, there is a set for each generation. A bitmap is bounded, however many keys there are.
pub(crate) fn serves(structure: Structure, bytes: u64, workload: &Workload) -> bool {
    let is_bitmap = matches!(structure, Structure::Bitmap | Structure::LongBitmap);
    let is_open = workload.grows_without_bound() && !is_bitmap;
    let in_memory = matches!(structure, Structure::ExactSet | Structure::ExactMap);
    let is_file = !(in_memory && workload.has(Need::Files));
    fits(bytes, workload) && (workload.has(Need::Exact) || !is_open && is_file)
}
