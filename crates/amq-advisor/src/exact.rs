//! Exact structures, which store the keys themselves: as choices, or to compare filters with.

use crate::{Need, Structure, Workload};

/// The most keys of a sorted array that changes: each insert moves half of them.
const FEW: u64 = 256;

/// Overhead of a roaring bitmap in bytes per range of 65,536 integers with a key in it, besides two
/// bytes per key: for 32-bit integers as saved, and for 64-bit integers in memory.
const CHUNK_BYTES: [u64; 2] = [8, 20];

/// Whether keys are neither added nor removed.
fn is_fixed(workload: &Workload) -> bool {
    workload.built_once && !workload.has(Need::Remove)
}

/// The exact structures for the keys, with their bytes, smallest first.
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
/// 7/8 of them full, with a control byte for each and 16 more.
pub(crate) fn hash_table_of(keys: u64, workload: &Workload) -> u64 {
    let buckets = match keys {
        0..=3 => 4,
        4..=7 => 8,
        _ => (keys.saturating_mul(8) / 7).checked_next_power_of_two().unwrap_or(u64::MAX),
    };
    buckets.saturating_mul(entry(workload).saturating_add(1)).saturating_add(16)
}

/// Bytes of an entry in Rust's layout: keys of 1, 2, 4 or 8 bytes are integers, others byte arrays;
/// the value is the smallest integer type that holds it; and the pair is padded to its alignment.
fn entry(workload: &Workload) -> u64 {
    let key = workload.kept_key_bytes();
    let beside = workload.bits_beside_key().div_ceil(8);
    let beside = if beside == 0 { 0 } else { u64::from(beside).next_power_of_two() };
    let is_integer = key.is_power_of_two() && key <= 8;
    let align = beside.max(if is_integer { key } else { 1 });
    key.saturating_add(beside).checked_next_multiple_of(align).unwrap_or(u64::MAX)
}

/// A roaring bitmap: for each range of 65,536 integers with a key in it, two bytes per key or a
/// bitmap, whichever is smaller, plus the overhead per range. For an unknown number of keys, one
/// bit per possible integer. `None` if the keys are not integers, or have values.
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

/// Whether the keys are 64-bit integers; shorter ones can be widened.
pub(crate) fn are_integers(workload: &Workload) -> bool {
    workload.below.is_some() || workload.key_bytes <= 8
}

/// Bytes of the sorted keys, with their values in the same order: integers in an Elias-Fano list,
/// which stores the low bits verbatim and the high bits in about two bits per key; other keys in an
/// array.
pub(crate) fn sorted_bytes(workload: &Workload) -> u64 {
    let keys = workload.keys.planned();
    let of = workload.universe().map_or(64.0, |below| libm::log2(below as f64));
    let bits = match are_integers(workload) {
        true => (of - libm::log2(keys as f64)).max(0.0) + 2.0,
        false => workload.key_bytes as f64 * 8.0,
    };
    libm::ceil(keys as f64 * (bits + f64::from(workload.bits_beside_key())) / 8.0) as u64
}

/// Bytes of an array of the sorted keys, with their values.
fn array_bytes(workload: &Workload) -> u64 {
    let beside = u64::from(workload.bits_beside_key().div_ceil(8));
    workload.keys.planned().saturating_mul(workload.kept_key_bytes().saturating_add(beside))
}

/// Its name in a sentence.
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

/// Whether this exact structure can replace a filter for the workload. To forget by time, there is
/// a set per generation. A bitmap's size is bounded for any number of keys.
pub(crate) fn serves(structure: Structure, bytes: u64, workload: &Workload) -> bool {
    let is_bitmap = matches!(structure, Structure::Bitmap | Structure::LongBitmap);
    let is_open = workload.grows_without_bound() && !is_bitmap;
    let in_memory = matches!(structure, Structure::ExactSet | Structure::ExactMap);
    let is_file = !(in_memory && workload.has(Need::Files));
    fits(bytes, workload) && (workload.has(Need::Exact) || !is_open && is_file)
}
