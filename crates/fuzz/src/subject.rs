//! The types under test, with what the targets need of them.

use amq::{
    BlockedBloomFilter, BlockedCountingBloomFilter, BloomFilter, BumpedRibbonFilter,
    CountingBloomFilter, CuckooFilter, DecodeError, ExpandableQuotientFilter, Filter, KeyHash,
    NarrowRibbonFilter, QuotientFilter, ReadError, ScalableBlockedBloomFilter, ScalableBloomFilter,
    StandardRibbonFilter, WideBumpedRibbonFilter, WindowedCuckooFilter,
};
use amq::{ClearFilter, Count, CountFilter, InsertFilter, MergeFilter, RemoveFilter};
use core::fmt::Debug;

/// A filter that can be stored.
pub trait Subject: Filter + Clone + PartialEq + Debug {
    /// The file.
    fn encode(&self) -> Vec<u8>;
    /// The filter in a file.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError>;
    /// The first filter of a stream.
    fn read(reader: &mut &[u8]) -> Result<Self, ReadError>;
}

/// A filter that takes keys.
pub trait Changing: Subject + InsertFilter + ClearFilter {
    /// Removes a key, where the type can.
    const REMOVE: Option<fn(&mut Self, KeyHash) -> bool> = None;
    /// Counts a key, where the type can.
    const COUNT: Option<fn(&Self, KeyHash) -> Count> = None;
    /// Whether `len` counts every copy.
    const COPIES: bool = Self::REMOVE.is_some();

    /// Merges `other` into it: all or nothing, and whether it did.
    fn try_merge(&mut self, other: &Self) -> bool;
    /// Whatever else changes the filter but not its keys, chosen by a number.
    fn rearrange(&mut self, _how: u8) {}
    /// Whatever else can be asked.
    fn inspect(&self) {}
}

/// [`Changing::try_merge`] of a type that can.
fn merged<F: Subject + MergeFilter>(filter: &mut F, other: &F) -> bool {
    let before = filter.clone();
    let allowed = filter.can_merge(other);
    let merged = filter.merge(other);
    match merged {
        Ok(()) => assert_eq!(allowed, Ok(())),
        Err(_) => assert!(*filter == before, "a refused merge changed the filter"),
    }
    merged.is_ok()
}

macro_rules! subjects {
    ($($type:ty),*) => {$(
        impl Subject for $type {
            fn encode(&self) -> Vec<u8> {
                let bytes = self.to_bytes().expect("memory for the file");
                assert_eq!(bytes.len() as u64, self.encoded_len());
                bytes
            }
            fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
                Self::from_bytes(bytes)
            }
            fn read(reader: &mut &[u8]) -> Result<Self, ReadError> {
                Self::read_from(reader)
            }
        }
    )*};
}

subjects!(
    BloomFilter,
    BlockedBloomFilter,
    CountingBloomFilter,
    BlockedCountingBloomFilter,
    ScalableBloomFilter,
    ScalableBlockedBloomFilter,
    CuckooFilter,
    WindowedCuckooFilter,
    QuotientFilter,
    ExpandableQuotientFilter,
    StandardRibbonFilter,
    NarrowRibbonFilter,
    BumpedRibbonFilter,
    WideBumpedRibbonFilter
);

/// Calls a function that is generic over [`Subject`] for every type.
macro_rules! for_every_type {
    ($function:ident $arguments:tt) => {
        $crate::subject::for_every_type!(@ $function $arguments
            BloomFilter BlockedBloomFilter CountingBloomFilter BlockedCountingBloomFilter
            ScalableBloomFilter ScalableBlockedBloomFilter CuckooFilter WindowedCuckooFilter
            QuotientFilter ExpandableQuotientFilter StandardRibbonFilter NarrowRibbonFilter BumpedRibbonFilter
            WideBumpedRibbonFilter)
    };
    (@ $function:ident $arguments:tt $($type:ident)*) => {
        $($function::<amq::$type> $arguments;)*
    };
}
pub(crate) use for_every_type;

impl Changing for BloomFilter {
    fn try_merge(&mut self, other: &Self) -> bool {
        merged(self, other)
    }

    fn rearrange(&mut self, how: u8) {
        // Folding halves or thirds the table; keys stay in.
        if let Ok(folded) = self.fold(u64::from(how % 4)) {
            *self = folded;
        }
    }

    fn inspect(&self) {
        assert!((0.0..=1.0).contains(&self.load_factor()));
        assert!(self.estimated_cardinality() >= 0.0);
        assert!(self.estimated_load() >= 0.0);
        let mut same = self.clone();
        assert!(same.intersect(self).is_ok() && same == *self);
        for hash in crate::hashes() {
            assert_eq!(self.contains_hash_unlikely(hash), self.contains_hash(hash));
        }
    }
}

impl Changing for BlockedBloomFilter {
    fn try_merge(&mut self, other: &Self) -> bool {
        merged(self, other)
    }

    fn rearrange(&mut self, how: u8) {
        if let Ok(folded) = self.fold(u64::from(how % 4)) {
            *self = folded;
        }
    }

    fn inspect(&self) {
        assert!((0.0..=1.0).contains(&self.load_factor()));
        assert!(self.estimated_cardinality() >= 0.0);
        assert!(self.estimated_load() >= 0.0);
        let mut same = self.clone();
        assert!(same.intersect(self).is_ok() && same == *self);
    }
}

impl Changing for CountingBloomFilter {
    const REMOVE: Option<fn(&mut Self, KeyHash) -> bool> = Some(RemoveFilter::remove_hash);
    const COUNT: Option<fn(&Self, KeyHash) -> Count> = Some(CountFilter::count_hash);

    fn try_merge(&mut self, other: &Self) -> bool {
        merged(self, other)
    }

    fn inspect(&self) {
        assert!((0.0..=1.0).contains(&self.load_factor()));
        assert!(self.estimated_cardinality() >= 0.0);
        let bloom = self.to_bloom().expect("memory for a quarter of the table");
        for hash in crate::hashes() {
            assert_eq!(bloom.contains_hash(hash), self.contains_hash(hash));
        }
        assert!(BloomFilter::decode(&bloom.encode()).is_ok_and(|again| again == bloom));
    }
}

impl Changing for BlockedCountingBloomFilter {
    const REMOVE: Option<fn(&mut Self, KeyHash) -> bool> = Some(RemoveFilter::remove_hash);
    const COUNT: Option<fn(&Self, KeyHash) -> Count> = Some(CountFilter::count_hash);

    fn try_merge(&mut self, other: &Self) -> bool {
        merged(self, other)
    }

    fn inspect(&self) {
        assert!((0.0..=1.0).contains(&self.load_factor()));
    }
}

macro_rules! scalable {
    ($($type:ty),*) => {$(
        impl Changing for $type {
            fn try_merge(&mut self, other: &Self) -> bool {
                merged(self, other)
            }

            fn inspect(&self) {
                assert_eq!(self.stages().count(), self.stage_count());
                let view = self.view().expect("memory for a list of stages");
                assert_eq!(crate::ask(&view), crate::ask(self));
                // A filter grows by what its table holds, and not by what a file claims.
                let (mut grown, stages) = (self.clone(), self.stage_count());
                let newest = self.stages().last().expect("a stage");
                for hash in crate::hashes() {
                    let _ = grown.insert_hash(hash);
                }
                if grown.stage_count() > stages {
                    assert!(newest.capacity <= newest.bytes.saturating_mul(8), "{newest:?}");
                }
            }
        }
    )*};
}

scalable!(ScalableBloomFilter, ScalableBlockedBloomFilter);

macro_rules! cuckoo {
    ($($type:ty),*) => {$(
        impl Changing for $type {
            const REMOVE: Option<fn(&mut Self, KeyHash) -> bool> = Some(RemoveFilter::remove_hash);
            const COUNT: Option<fn(&Self, KeyHash) -> Count> = Some(CountFilter::count_hash);

            fn try_merge(&mut self, other: &Self) -> bool {
                merged(self, other)
            }

            fn inspect(&self) {
                assert_eq!(self.fingerprints().count() as u64, self.len());
                let Some(fingerprint) = self.fingerprints().next() else { return };
                let mut more = self.clone();
                match more.insert_fingerprint(fingerprint) {
                    Ok(_) => assert_eq!(more.len(), self.len() + 1),
                    Err(_) => assert!(more == *self),
                }
            }
        }
    )*};
}

cuckoo!(CuckooFilter, WindowedCuckooFilter);

impl Changing for QuotientFilter {
    const REMOVE: Option<fn(&mut Self, KeyHash) -> bool> = Some(RemoveFilter::remove_hash);
    const COUNT: Option<fn(&Self, KeyHash) -> Count> = Some(CountFilter::count_hash);

    fn try_merge(&mut self, other: &Self) -> bool {
        merged(self, other)
    }

    fn rearrange(&mut self, how: u8) {
        let before = self.clone();
        let done = match how % 4 {
            0 => self.grow(),
            1 => self.shrink(),
            2 => self.shrink_to_fit().map(drop),
            _ => {
                let slots = self.params().slots;
                let _ = self.allow_growth(slots << (how >> 6));
                return;
            }
        };
        match done {
            Ok(()) => {}
            Err(amq_quotient::ResizeError::OutOfMemory { .. }) => {}
            Err(error) => assert!(*self == before, "{error}"),
        }
    }

    fn inspect(&self) {
        assert_eq!(self.validate(), Ok(()));
        let mut count = 0;
        for hash in self {
            assert!(self.contains_hash(hash));
            count += 1;
        }
        assert_eq!(count, self.len());
        assert!(self.distinct_len() <= self.len());
    }
}

impl Changing for ExpandableQuotientFilter {
    const REMOVE: Option<fn(&mut Self, KeyHash) -> bool> = Some(RemoveFilter::remove_hash);
    const COUNT: Option<fn(&Self, KeyHash) -> Count> = Some(CountFilter::count_hash);

    /// Two filters that grow do not become one.
    fn try_merge(&mut self, _: &Self) -> bool {
        false
    }

    fn rearrange(&mut self, how: u8) {
        let before = self.clone();
        if how.is_multiple_of(2) {
            if let Err(error) = self.grow() {
                assert!(*self == before, "{error}");
            }
        } else {
            let _ = self.allow_growth(u32::from(how >> 3));
        }
    }

    fn inspect(&self) {
        assert_eq!(self.validate(), Ok(()));
        for hash in self.iter() {
            assert!(self.contains_hash(hash));
        }
    }
}
