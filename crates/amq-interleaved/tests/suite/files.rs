//! Golden files, and forgeries that only this kind can have.

use amq_conformance::files::{committed, mend};
use amq_interleaved::{DecodeError, FilterFile, Goal, InterleavedBloomFilter, LoadOptions};

/// Keys from 0 on, dealt out to the bins in turn.
fn golden(bins: usize, keys: u64, seed: u64) -> InterleavedBloomFilter {
    let goal = Goal::fpr((keys / bins as u64).max(1), 0.01);
    let mut filter = InterleavedBloomFilter::with_seed(bins as u64, goal, seed).unwrap();
    for key in 0..keys {
        filter.insert((key % bins as u64) as usize, &key).unwrap();
    }
    filter
}

#[test]
fn golden_files_are_read_and_written_as_ever() {
    for (state, bins, keys, seed, names) in [
        ("empty", 1, 0, 0, false),
        ("one", 1, 1, 0, false),
        ("few", 3, 300, 7, true),
        ("padded", 65, 650, 0, true),
        ("lines", 513, 1026, 7, false),
    ] {
        let mut filter = golden(bins, keys, seed);
        if names {
            filter.set_names((0..bins).map(|bin| format!("bin {bin}"))).unwrap();
        }
        let mut positives = Vec::new();
        for key in 1_000_000..1_100_000u64 {
            if positives.len() < 20 && !filter.bins(&key).is_empty() {
                positives.push(key.to_string());
            }
        }
        let record = format!(
            "seed: {seed}\nkeys: 0..{keys}\nbins: key mod {bins}\nnames: {}\nfalse positives from \
             1000000 on: {}\n",
            if names { "bin 0, bin 1 and so on" } else { "none" },
            positives.join(" ")
        );
        let (root, name) = (env!("CARGO_MANIFEST_DIR"), format!("interleaved-{state}"));
        let bytes = filter.to_bytes().unwrap();
        committed(root, &name, &bytes, &record);
        let read = InterleavedBloomFilter::from_bytes(&bytes).unwrap();
        assert!(read == filter && read.seed() == seed);
        let bin = |key: u64| (key % bins as u64) as usize;
        assert!((0..keys).all(|key| read.bins(&key).contains(bin(key))));
    }
}

/// Where the sections of a file lie.
fn section(file: &[u8], index: usize) -> std::ops::Range<usize> {
    let number = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    let (payload, row) = (192 + number(136), 192 + 64 * (1 + index));
    payload + number(row)..payload + number(row) + number(row + 8)
}

#[test]
fn a_forged_bit_past_the_last_bin_is_refused() {
    for bins in [1, 63, 65, 513, 1000] {
        let filter = golden(bins, 2000, 0);
        let file = filter.to_bytes().unwrap();
        let table = section(&file, 0);
        let row = filter.params().row_bytes() as usize;
        for (line, bit) in [(0, bins), (255, bins), (3, 8 * row - 1)] {
            let mut forged = file.clone();
            forged[table.start + line * row + bit / 8] |= 1 << (bit % 8);
            mend(&mut forged);
            let refused = InterleavedBloomFilter::from_bytes(&forged).unwrap_err();
            assert_eq!(refused, DecodeError::Structure { what: "bits past the last bin" });
            // Not looked at, it is in no answer.
            let view = LoadOptions::new().unchecked_payload();
            let view = view.view::<InterleavedBloomFilter>(&forged).unwrap();
            assert!((0..2000u64).all(|key| view.bins(&key).iter().all(|bin| bin < bins)));
        }
    }
    // Of whole words there is none.
    assert!(InterleavedBloomFilter::from_bytes(&golden(64, 10, 0).to_bytes().unwrap()).is_ok());
}

#[test]
fn names_that_are_no_text_or_overlap_are_refused() {
    let mut filter = golden(3, 300, 0);
    filter.set_names(["é", "b", "c"]).unwrap();
    let file = filter.to_bytes().unwrap();
    let (rows, names) = (section(&file, 1), section(&file, 2));
    assert_eq!(names.len(), 4);
    let end = |bin: usize| rows.start + 16 * bin + 8;
    // An end within a letter, before the start, past the text, at the end of memory; and bytes left
    // over, and a byte that is in no text.
    let name = DecodeError::Structure { what: "a name of a bin" };
    let rest = DecodeError::Structure { what: "bytes past the last name" };
    for (at, value, wanted) in [
        (end(0), 1, name),
        (end(1), 1, name),
        (end(2), 5, name),
        (end(1), u64::MAX, name),
        (end(2), 3, rest),
        (names.start, 0xFF, name),
    ] {
        let mut forged = file.clone();
        let bytes = if at == names.start { 1 } else { 8 };
        forged[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        mend(&mut forged);
        assert_eq!(InterleavedBloomFilter::from_bytes(&forged).unwrap_err(), wanted);
        let view = LoadOptions::new().unchecked_payload();
        let view = view.view::<InterleavedBloomFilter>(&forged).unwrap();
        assert!((0..4).all(|bin| view.name(bin).len() <= 4));
    }
}

#[test]
fn a_number_of_keys_other_than_that_of_the_bins_is_refused() {
    let file = golden(3, 300, 0).to_bytes().unwrap();
    let mut forged = file.clone();
    forged[24..32].copy_from_slice(&7u64.to_le_bytes());
    mend(&mut forged);
    let refused = InterleavedBloomFilter::from_bytes(&forged).unwrap_err();
    assert_eq!(refused, DecodeError::Geometry { field: "keys", value: 7 });
    // Saturated, as a file says it.
    let mut filter = golden(3, 0, 0);
    let single = amq_interleaved::BlockedBloomFilter::new(Goal::fpr(1, 0.01)).unwrap();
    let parts = single.parts().with_len(u64::MAX);
    let single =
        amq_interleaved::BlockedBloomFilter::from_table_unchecked(single.as_bytes(), parts);
    filter.set_bin(0, single.as_ref().unwrap()).unwrap();
    filter.set_bin(2, &single.unwrap()).unwrap();
    assert_eq!(filter.len(), u64::MAX);
    assert!(InterleavedBloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap() == filter);
}

#[test]
#[cfg(feature = "serde")]
fn a_filter_is_a_value_of_serde() {
    let filter = golden(3, 300, 0);
    let json = serde_json::to_string(&filter).unwrap();
    assert!(serde_json::from_str::<InterleavedBloomFilter>(&json).unwrap() == filter);
}
