//! Operations of single types beyond the shared abilities.

use amq::{
    AnyFilter, BloomFilter, ExpandableQuotientFilter, Filter, FilterFile, InsertFilter,
    QuotientFilter,
};

/// Changes the filter but not its keys, in a way chosen by a number.
pub fn rearrange(filter: &mut AnyFilter, how: u8) {
    let factor = u64::from(how % 4);
    // Folding halves or thirds the table and keeps the keys.
    match filter {
        AnyFilter::Bloom(it) => drop(it.fold(factor).map(|folded| *it = folded)),
        AnyFilter::BlockedBloom(it) => drop(it.fold(factor).map(|folded| *it = folded)),
        AnyFilter::WideBlockedBloom(it) => drop(it.fold(factor).map(|folded| *it = folded)),
        AnyFilter::Quotient(it) => resized(it, how),
        AnyFilter::ExpandableQuotient(it) => grown(it, how),
        _ => {}
    }
}

fn resized(filter: &mut QuotientFilter, how: u8) {
    let before = filter.clone();
    let done = match how % 4 {
        0 => filter.grow(),
        1 => filter.shrink(),
        2 => filter.shrink_to_fit().map(drop),
        _ => {
            let slots = filter.params().slots;
            let _ = filter.allow_growth(slots << (how >> 6));
            return;
        }
    };
    match done {
        Ok(()) => {}
        Err(amq_quotient::ResizeError::OutOfMemory { .. }) => {}
        Err(error) => assert!(*filter == before, "{error}"),
    }
}

fn grown(filter: &mut ExpandableQuotientFilter, how: u8) {
    let before = filter.clone();
    if how.is_multiple_of(2) {
        if let Err(error) = filter.grow() {
            assert!(*filter == before, "{error}");
        }
    } else {
        let _ = filter.allow_growth(u32::from(how >> 3));
    }
}

/// Calls the remaining queries.
pub fn inspect(filter: &AnyFilter) {
    match filter {
        AnyFilter::Bloom(it) => {
            bits(it.load_factor(), it.estimated_cardinality());
            let mut same = it.clone();
            assert!(same.intersect(it).is_ok() && same == *it);
            for hash in crate::hashes() {
                assert_eq!(it.contains_hash_unlikely(hash), it.contains_hash(hash));
            }
        }
        AnyFilter::BlockedBloom(it) => {
            bits(it.load_factor(), it.estimated_cardinality());
            let mut same = it.clone();
            assert!(same.intersect(it).is_ok() && same == *it);
        }
        AnyFilter::WideBlockedBloom(it) => {
            bits(it.load_factor(), it.estimated_cardinality());
            let mut same = it.clone();
            assert!(same.intersect(it).is_ok() && same == *it);
        }
        AnyFilter::Counting(it) => {
            bits(it.load_factor(), it.estimated_cardinality());
            let bloom = it.to_bloom().expect("memory for a quarter of the table");
            for hash in crate::hashes() {
                assert_eq!(bloom.contains_hash(hash), it.contains_hash(hash));
            }
            let file = bloom.to_bytes().expect("memory for the file");
            assert!(BloomFilter::from_bytes(&file).is_ok_and(|again| again == bloom));
        }
        AnyFilter::BlockedCounting(it) => assert!((0.0..=1.0).contains(&it.load_factor())),
        AnyFilter::Scalable(it) => stages(it),
        AnyFilter::ScalableBlocked(it) => stages(it),
        AnyFilter::Cuckoo(it) => fingerprints(it),
        AnyFilter::WindowedCuckoo(it) => fingerprints(it),
        AnyFilter::Quotient(it) => {
            assert_eq!(it.validate(), Ok(()));
            let mut count = 0;
            for hash in it {
                assert!(it.contains_hash(hash));
                count += 1;
            }
            assert_eq!(count, it.len());
            assert!(it.distinct_len() <= it.len());
        }
        AnyFilter::ExpandableQuotient(it) => {
            assert_eq!(it.validate(), Ok(()));
            for hash in it.iter() {
                assert!(it.contains_hash(hash));
            }
        }
        _ => {}
    }
}

fn stages<F: amq::scalable::OwnedStage>(it: &amq::scalable::ScalableFilter<F>) {
    assert_eq!(it.stages().count(), it.stage_count());
    // Growth depends on the keys in the table, not on the file's claims.
    let (mut grown, stages) = (it.clone(), it.stage_count());
    let newest = it.stages().last().expect("a stage");
    for hash in crate::hashes() {
        let _ = grown.insert_hash(hash);
    }
    if grown.stage_count() > stages {
        assert!(newest.capacity <= newest.bytes.saturating_mul(8), "{newest:?}");
    }
}

fn fingerprints<L: amq::cuckoo::Layout>(it: &amq::cuckoo::Cuckoo<L>) {
    assert_eq!(it.fingerprints().count() as u64, it.len());
    let Some(fingerprint) = it.fingerprints().next() else { return };
    let mut more = it.clone();
    match more.insert_fingerprint(fingerprint) {
        Ok(_) => assert_eq!(more.len(), it.len() + 1),
        Err(_) => assert!(more == *it),
    }
}

fn bits(fill_ratio: f64, cardinality: f64) {
    assert!((0.0..=1.0).contains(&fill_ratio));
    assert!(cardinality >= 0.0);
}
