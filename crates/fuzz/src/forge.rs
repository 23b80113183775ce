//! Files with a valid envelope and arbitrary geometry and table.

use crate::ask;
use crate::{Aligned, later, parts};
use amq::{AnyFile, AnyFilter, FilterFile, KeyInfo, LoadOptions, RibbonMap};
use amq_core::format::{ENTRY, HEADER, MAGIC};
use amq_interleaved::InterleavedBloomFilter;
use xxhash_rust::xxh3::xxh3_64;

/// Longer inputs are truncated. Files of all kinds and states are shorter.
const MOST: usize = 64 << 10;

/// Repairs the envelope of `bytes`, reads the file, and runs every operation on it.
pub fn forged(bytes: &[u8]) {
    let Some(file) = mended(bytes) else { return };
    let aligned = Aligned::new(&file);
    if let Ok(view) = LoadOptions::new().unchecked_payload().view::<AnyFilter>(aligned.get()) {
        later::on_view(&view);
    }
    let unchecked = LoadOptions::new().unchecked_payload();
    if let Ok(view) = unchecked.view::<InterleavedBloomFilter>(aligned.get()) {
        later::on_bins_view(&view);
    }
    if let Ok(map) = RibbonMap::from_bytes(&file) {
        later::on_map(&map, &file);
    }
    if let Ok(bins) = InterleavedBloomFilter::from_bytes(&file) {
        later::on_bins(bins, &file);
    }
    if file[20] == 0 {
        // Filters of parts do not keep the encoding of keys.
        parts::any_bytes(&file);
    }
    match AnyFile::from_bytes(&file) {
        Ok(AnyFile::Keys(filter, info)) if info == KeyInfo::default() => {
            later::on_any(filter, &file)
        }
        Ok(other) => {
            assert!(other.to_bytes().is_ok_and(|again| again == file), "{other:?}");
            drop(ask(other.filter().into_inner()));
        }
        Err(_) => {}
    }
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

fn put(bytes: &mut [u8], at: usize, number: u64) {
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
}

/// The nearest file with a valid envelope: repairs lengths beyond the bytes, the order of sections,
/// padding and checksums. Keeps kind, revision, hash, encoding of keys, numbers of keys, seed or
/// key (none if the caller hashes the keys; never withheld; no key of zeros), budget, parameters,
/// entries, lengths of sections and payload.
pub fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() < HEADER + ENTRY {
        return None;
    }
    let mut file = bytes[..bytes.len().min(MOST)].to_vec();
    file[..8].copy_from_slice(&MAGIC);
    let hash = file[18].clamp(1, 3);
    // Replaces the invalid 7 by 3.
    let encoding = match file[20] & 7 {
        _ if hash == 2 => 0,
        7 => 3,
        other => other,
    };
    let minor = if hash == 3 || encoding != 0 { 2 } else { 1 };
    file[8..16].copy_from_slice(&[0, 0, minor, 0, HEADER as u8, 0, 0, 0]);
    file[18..24].copy_from_slice(&[hash, 1, encoding, 0, 0, 0]);
    // A seed, nothing, or a key.
    match hash {
        1 => file[48..56].fill(0),
        2 => file[40..56].fill(0),
        // A key of all zeros is refused.
        _ if file[40..56].iter().all(|&byte| byte == 0) => file[40] = 1,
        _ => {}
    }
    file[152..168].fill(0);

    let most_rows = (file.len() - HEADER) / ENTRY;
    let rows = (number(&file, 136) / ENTRY as u64).clamp(1, most_rows as u64) as usize;
    let payload = HEADER + rows * ENTRY;
    let sections = number(&file, HEADER).min(rows as u64 - 1) as usize;
    put(&mut file, HEADER, sections as u64);
    put(&mut file, HEADER + 8, (rows - 1 - sections) as u64);
    file[HEADER + 16..HEADER + ENTRY].fill(0);

    let mut end = 0;
    for row in (1..=sections).map(|row| HEADER + row * ENTRY) {
        let length = number(&file, row + 8).min(MOST as u64) as usize;
        put(&mut file, row, end as u64);
        put(&mut file, row + 8, length as u64);
        file[row + 24..row + ENTRY].fill(0);
        let next = end + length.next_multiple_of(ENTRY);
        // Missing bytes become zeros.
        let needed = payload + next;
        if file.len() < needed && needed <= MOST {
            file.resize(needed, 0);
        }
        if needed <= file.len() {
            file[payload + end + length..needed].fill(0);
        }
        end = next;
    }
    file.resize((payload + end).min(2 * MOST), 0);
    put(&mut file, 136, (rows * ENTRY) as u64);
    let held = (file.len() - payload) as u64;
    put(&mut file, 144, held);
    // Sharded and rolling filters: every section is a file.
    if matches!(file[16], 16 | 17) {
        for row in (1..=sections).map(|row| HEADER + row * ENTRY) {
            let start = payload + number(&file, row) as usize;
            let end = start + number(&file, row + 8) as usize;
            let part = file.get(start..end).and_then(mended);
            if let Some(part) = part.filter(|part| part.len() == end - start) {
                file[start..end].copy_from_slice(&part);
            }
        }
    }
    seal(&mut file, payload);
    Some(file)
}

/// Recomputes the checksums of a file whose payload begins at `payload`.
pub fn seal(file: &mut [u8], payload: usize) {
    let sums = [xxh3_64(&file[payload..]), xxh3_64(&file[HEADER..payload])];
    put(file, 168, sums[0]);
    put(file, 176, sums[1]);
    let sum = xxh3_64(&file[..HEADER - 8]);
    put(file, HEADER - 8, sum);
}
