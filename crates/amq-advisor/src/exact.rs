//! What holds the keys themselves, and so never errs: to take, or to compare a filter with.

use crate::{Need, Structure, Workload};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Keys of a sorted array that also changes: half of them move for each.
const FEW: u64 = 256;

/// Whether nothing comes or goes.
fn is_fixed(workload: &Workload) -> bool {
    workload.built_once && !workload.needs_remove()
}

/// What can hold the keys, with its bytes; the smallest first.
pub(super) fn all(workload: &Workload) -> Vec<(Structure, u64)> {
    let mut all = vec![(Structure::exact(workload), hash_table(workload))];
    all.extend(bitmap(workload).map(|bytes| (Structure::Bitmap, bytes)));
    if is_fixed(workload) {
        all.push((Structure::SortedList, sorted_bytes(workload)));
    } else if workload.keys.planned() <= FEW && (!workload.grows() || workload.is_bounded_growth())
    {
        all.push((Structure::SortedList, array_bytes(workload)));
    }
    all.sort_by_key(|&(_, bytes)| bytes);
    all
}

/// Bytes of the standard library's hash table: a power of two of buckets, at most 7/8 of them
/// taken, with a byte of control for each and a group of 16 more.
pub(super) fn hash_table(workload: &Workload) -> u64 {
    let keys = workload.keys.planned();
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
    let key = workload.key_bytes;
    let beside = workload.beside_bits().div_ceil(8);
    let beside = if beside == 0 { 0 } else { u64::from(beside).next_power_of_two() };
    let is_integer = key.is_power_of_two() && key <= 8;
    let align = beside.max(if is_integer { key } else { 1 });
    key.saturating_add(beside).checked_next_multiple_of(align).unwrap_or(u64::MAX)
}

/// Bytes of a bitmap of all integers there can be, or of a roaring one: of each 65,536 integers
/// that have a key among them, two bytes for each key or a bitmap, whichever is smaller, and eight
/// more. `None` if the keys are no integers, or one of them needs more than to be in.
fn bitmap(workload: &Workload) -> Option<u64> {
    let below = workload.universe().filter(|_| workload.beside_bits() == 0)?;
    let keys = workload.keys.planned().max(1);
    let chunks = below.div_ceil(1 << 16).clamp(1, keys);
    let each = keys.div_ceil(chunks).saturating_mul(2).min(1 << 13);
    Some(below.div_ceil(8).min(chunks.saturating_mul(each + 8)))
}

/// Whether the keys are integers of 64 bits: short ones can be read as such.
pub(super) fn are_integers(workload: &Workload) -> bool {
    workload.below.is_some() || workload.key_bytes <= 8
}

/// Bytes of the sorted keys, with what belongs to them in the same order: of integers in an
/// Elias-Fano list, the low bits as they are and two more for the high ones of all before; of
/// others in an array.
pub(super) fn sorted_bytes(workload: &Workload) -> u64 {
    let keys = workload.keys.planned();
    let of = workload.universe().map_or(64.0, |below| libm::log2(below as f64));
    let bits = match are_integers(workload) {
        true => (of - libm::log2(keys as f64)).max(0.0) + 2.0,
        false => workload.key_bytes as f64 * 8.0,
    };
    libm::ceil(keys as f64 * (bits + f64::from(workload.beside_bits())) / 8.0) as u64
}

/// Bytes of the sorted keys as they are, with what belongs to each.
fn array_bytes(workload: &Workload) -> u64 {
    let each = workload.key_bytes.saturating_add(u64::from(workload.beside_bits().div_ceil(8)));
    workload.keys.planned().saturating_mul(each)
}

/// What it is called in a sentence.
pub(super) fn form(structure: Structure, workload: &Workload) -> String {
    let beside = match (workload.counts(), workload.is_filtered()) {
        (true, _) => " and an array of the counts",
        (_, false) => " and an array of the values",
        _ if workload.generations().is_some() => " and an array of their times",
        _ => "",
    };
    match structure {
        Structure::SortedList if is_fixed(workload) && workload.below.is_some() => {
            format!("a sorted Elias-Fano list{beside}")
        }
        Structure::SortedList if is_fixed(workload) && are_integers(workload) => format!(
            "a sorted Elias-Fano list{beside}, each key read as an integer of {} bytes",
            workload.key_bytes
        ),
        Structure::SortedList => {
            format!("a sorted array of keys of {} bytes{beside}", workload.key_bytes)
        }
        Structure::Bitmap => "a roaring bitmap".into(),
        Structure::ExactMap => "a hash map".into(),
        _ => "a hash set".into(),
    }
}

/// Whether so many bytes are allowed.
pub(super) fn fits(bytes: u64, workload: &Workload) -> bool {
    let allowed = workload.allowed(workload.keys.planned());
    [allowed, workload.build_bytes].iter().flatten().all(|&most| bytes <= most)
}

/// Whether so many bytes of keys can be what the workload asks for, in place of a filter unless
/// nothing else is asked for. To forget by time, there is a set for each generation.
pub(super) fn serves(structure: Structure, bytes: u64, workload: &Workload) -> bool {
    let is_open = workload.grows() && !workload.is_bounded_growth();
    let in_memory = matches!(structure, Structure::ExactSet | Structure::ExactMap);
    let is_file = !(in_memory && workload.has(Need::Files));
    fits(bytes, workload) && (workload.is_exact() || !is_open && is_file)
}
