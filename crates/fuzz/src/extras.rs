//! What single types can do besides what all of their abilities can.

use amq::{
    BlockedBloomFilter, BlockedCountingBloomFilter, BloomFilter, CountingBloomFilter, CuckooFilter,
    ExpandableQuotientFilter, Filter, FilterFile, InsertFilter, QuotientFilter,
    ScalableBlockedBloomFilter, ScalableBloomFilter, WideBlockedBloomFilter, WindowedCuckooFilter,
};
use core::any::Any;

/// Calls the arm of the filter's type, if it has one.
macro_rules! by_type {
    ($filter:ident as $downcast:ident { $($($type:ty)|+ => |$it:ident| $body:expr;)* }) => {
        $($(if let Some($it) = $filter.$downcast::<$type>() {
            return $body;
        })+)*
    };
}

/// Whatever changes the filter but not its keys, chosen by a number.
pub fn rearrange(filter: &mut dyn Any, how: u8) {
    by_type! { filter as downcast_mut {
        // Folding halves or thirds the table; keys stay in.
        BloomFilter => |it| if let Ok(folded) = it.fold(u64::from(how % 4)) {
            *it = folded;
        };
        BlockedBloomFilter => |it| if let Ok(folded) = it.fold(u64::from(how % 4)) {
            *it = folded;
        };
        WideBlockedBloomFilter => |it| if let Ok(folded) = it.fold(u64::from(how % 4)) {
            *it = folded;
        };
        QuotientFilter => |it| resized(it, how);
        ExpandableQuotientFilter => |it| grown(it, how);
    } }
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

/// Whatever else can be asked.
pub fn inspect(filter: &dyn Any) {
    by_type! { filter as downcast_ref {
        BloomFilter => |it| {
            bits(it.load_factor(), it.estimated_cardinality());
            let mut same = it.clone();
            assert!(same.intersect(it).is_ok() && same == *it);
            for hash in crate::hashes() {
                assert_eq!(it.contains_hash_unlikely(hash), it.contains_hash(hash));
            }
        };
        BlockedBloomFilter => |it| {
            bits(it.load_factor(), it.estimated_cardinality());
            let mut same = it.clone();
            assert!(same.intersect(it).is_ok() && same == *it);
        };
        WideBlockedBloomFilter => |it| {
            bits(it.load_factor(), it.estimated_cardinality());
            let mut same = it.clone();
            assert!(same.intersect(it).is_ok() && same == *it);
        };
        CountingBloomFilter => |it| {
            bits(it.load_factor(), it.estimated_cardinality());
            let bloom = it.to_bloom().expect("memory for a quarter of the table");
            for hash in crate::hashes() {
                assert_eq!(bloom.contains_hash(hash), it.contains_hash(hash));
            }
            let file = bloom.to_bytes().expect("memory for the file");
            assert!(BloomFilter::from_bytes(&file).is_ok_and(|again| again == bloom));
        };
        BlockedCountingBloomFilter => |it| assert!((0.0..=1.0).contains(&it.load_factor()));
        ScalableBloomFilter | ScalableBlockedBloomFilter => |it| {
            assert_eq!(it.stages().count(), it.stage_count());
            // A filter grows by what its table holds, and not by what a file claims.
            let (mut grown, stages) = (it.clone(), it.stage_count());
            let newest = it.stages().last().expect("a stage");
            for hash in crate::hashes() {
                let _ = grown.insert_hash(hash);
            }
            if grown.stage_count() > stages {
                assert!(newest.capacity <= newest.bytes.saturating_mul(8), "{newest:?}");
            }
        };
        CuckooFilter | WindowedCuckooFilter => |it| {
            assert_eq!(it.fingerprints().count() as u64, it.len());
            let Some(fingerprint) = it.fingerprints().next() else { return };
            let mut more = it.clone();
            match more.insert_fingerprint(fingerprint) {
                Ok(_) => assert_eq!(more.len(), it.len() + 1),
                Err(_) => assert!(more == *it),
            }
        };
        QuotientFilter => |it| {
            assert_eq!(it.validate(), Ok(()));
            let mut count = 0;
            for hash in it {
                assert!(it.contains_hash(hash));
                count += 1;
            }
            assert_eq!(count, it.len());
            assert!(it.distinct_len() <= it.len());
        };
        ExpandableQuotientFilter => |it| {
            assert_eq!(it.validate(), Ok(()));
            for hash in it.iter() {
                assert!(it.contains_hash(hash));
            }
        };
    } }
}

fn bits(fill_ratio: f64, cardinality: f64) {
    assert!((0.0..=1.0).contains(&fill_ratio));
    assert!(cardinality >= 0.0);
}
