//! Every operation on a filter that was read.

use crate::extras::{inspect, rearrange};
use crate::subject::{can, encode, try_merge};
use crate::{Aligned, ask, hashes};
use amq::{AnyFilter, AnyView, Bytes, Filter, FilterFile, RibbonMap};
use amq_interleaved::InterleavedBloomFilter;

/// Runs every operation on the filter read from `file`.
pub fn on_any(filter: AnyFilter, file: &[u8]) {
    stored(&filter, file);
    if can(&filter).insert {
        changes(filter);
    }
}

/// The encoding is canonical, and a view of it gives the same answers.
fn stored(filter: &AnyFilter, file: &[u8]) {
    assert!(encode(filter) == file, "{filter:?} is written otherwise than it was read");
    is_a_file(filter);
}

/// Writing and reading the filter returns an equal one.
fn is_a_file(filter: &AnyFilter) {
    let bytes = encode(filter);
    let again = AnyFilter::from_bytes(&bytes).unwrap_or_else(|error| panic!("{filter:?}: {error}"));
    assert!(again == *filter, "{filter:?} is read otherwise than it was written");
    let aligned = Aligned::new(&bytes);
    let view = AnyFilter::view(aligned.get()).unwrap_or_else(|error| panic!("{filter:?}: {error}"));
    assert_eq!(ask(&view), ask(filter));
}

fn changes(filter: AnyFilter) {
    inspect(&filter);
    inserts(filter.clone());
    removes(filter.clone());
    merges(&filter, &filter);
    for how in 0..4 {
        let before = ask(&filter);
        let mut other = filter.clone();
        rearrange(&mut other, how);
        for (after, before) in ask(&other).into_iter().zip(before) {
            assert!(after || !before, "a key was lost by rearranging");
        }
        is_a_file(&other);
        inspect(&other);
    }
    let mut cleared = filter.clone();
    cleared.clear().expect("what inserts is emptied");
    assert_eq!(cleared.len(), 0);
    assert!(ask(&cleared).iter().all(|&answer| !answer));
    is_a_file(&cleared);
    inserts(cleared.clone());
    // An empty filter of the same geometry is valid.
    let _ = cleared.insert_batch(&hashes()[..20]);
    merges(&filter, &cleared);
    merges(&cleared, &filter);
}

fn inserts(mut filter: AnyFilter) {
    for hash in hashes() {
        let before = filter.clone();
        match filter.insert_hash(hash) {
            Ok(_) => assert!(filter.contains_hash(hash), "an inserted key is denied"),
            Err(_) => assert!(filter == before, "a refused insert changed the filter"),
        }
    }
    is_a_file(&filter);
    inspect(&filter);
    removes(filter);
}

fn removes(mut filter: AnyFilter) {
    if !can(&filter).remove {
        return;
    }
    for hash in hashes() {
        let before = filter.clone();
        let there = filter.contains_hash(hash);
        if filter.remove_hash(hash).expect("it removes") {
            assert!(there, "an absent key was removed");
        } else {
            assert!(filter == before, "removing an absent key changed the filter");
        }
    }
    is_a_file(&filter);
    inspect(&filter);
}

fn merges(one: &AnyFilter, other: &AnyFilter) {
    let mut both = one.clone();
    if !try_merge(&mut both, other) {
        return;
    }
    let before = ask(one).into_iter().zip(ask(other));
    for (after, (one, other)) in ask(&both).into_iter().zip(before) {
        assert!(after || !one && !other, "a key was lost by a merge");
    }
    is_a_file(&both);
    inspect(&both);
}

/// Runs every operation on a map.
pub fn on_map(map: &RibbonMap, file: &[u8]) {
    assert!(map.to_bytes().is_ok_and(|bytes| bytes == file));
    let hashes = hashes();
    let single: Vec<u32> = hashes.iter().map(|&hash| map.get_hash(hash)).collect();
    let mut batch = vec![0; hashes.len()];
    map.get_batch(&hashes, &mut batch).expect("as many values as hashes");
    assert_eq!(batch, single);
    assert!(single.iter().all(|&value| u64::from(value) >> map.value_bits() == 0));
}

/// Runs every operation on an interleaved filter.
pub fn on_bins(mut bins: InterleavedBloomFilter, file: &[u8]) {
    assert!(bins.to_bytes().is_ok_and(|bytes| bytes == file));
    on_bins_view(&InterleavedBloomFilter::view(file).expect("a view of what was read"));
    // The number of bins is bounded by the file's length.
    let last = bins.bin_count() as usize - 1;
    let single = bins.bin(last).expect("there is such a bin");
    bins.clear_bin(last).expect("there is such a bin");
    assert!(bins.bin(last).is_ok_and(|bin| bin.is_empty() && bin.count_ones() == 0));
    bins.set_bin(last, &single).expect("a bin of the same size");
    assert!(bins.to_bytes().is_ok_and(|bytes| bytes == file));
    assert!(bins.insert_batch(last, &hashes()).is_ok());
    assert!(hashes().iter().all(|&hash| bins.bins_hash(hash).contains(last)));
    let more = bins.add_bin("one more").expect("memory for a bin");
    assert_eq!((bins.name(more), bins.bin_len(more)), ("one more", 0));
    let bytes = bins.to_bytes().expect("memory for the file");
    assert!(InterleavedBloomFilter::from_bytes(&bytes).is_ok_and(|again| again == bins));
}

/// Queries bins in every way; the answers must agree, and name existing bins.
pub fn on_bins_view<B: Bytes>(view: &InterleavedBloomFilter<B>) {
    let hashes = hashes();
    let words = view.words();
    let mut answers = vec![0; words * hashes.len()];
    view.bins_batch(&hashes, &mut answers).expect("room for the answers");
    for (hash, answer) in hashes.into_iter().zip(answers.chunks(words)) {
        let bins = view.bins_hash(hash);
        assert_eq!(bins.words(), answer);
        assert!(bins.iter().all(|bin| (bin as u64) < view.bin_count()));
        bins.iter().for_each(|bin| assert!(view.name(bin).len() < 1 << 20));
    }
    let _ = view.counts(&[1u64, 2, 3]);
    assert!(view.expected_fpr(0).is_ok_and(|rate| (0.0..=1.0).contains(&rate)));
}

/// Queries a view with an unchecked payload: any answer is allowed, but every call must return.
pub fn on_view(view: &AnyView<'_>) {
    drop(ask(view));
    if let Ok(counts) = view.as_count() {
        for hash in hashes() {
            let _ = counts.count_hash(hash);
        }
    }
    match view {
        AnyView::Quotient(view) => {
            let _ = view.validate();
            let listed = view.iter().take(100_000).count() as u64;
            assert!(listed <= view.len());
        }
        AnyView::ExpandableQuotient(view) => {
            let _ = view.validate();
            let _ = view.iter().take(100_000).count();
        }
        AnyView::Cuckoo(view) => assert!(view.fingerprints().count() as u64 <= view.slots()),
        AnyView::WindowedCuckoo(view) => {
            assert!(view.fingerprints().count() as u64 <= view.slots());
        }
        _ => {}
    }
}
