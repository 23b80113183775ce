//! Tables of bits or counters, of which a key has a few anywhere.

use super::bulk::{self, FEW, News, Partition};
use super::{Hashes, Page, Sorter};
use crate::probing::Probes;
use amq_core::KeyHash;
use core::marker::PhantomData;

/// What a table has at each of its places.
pub trait Place: Sync {
    /// Whether the filter counts every copy of a key, or only keys that were new.
    const COUNTS_COPIES: bool;

    /// `log2` of the places in a word.
    const WORD: u32;

    /// Sets a place; returns whether it was zero.
    fn set(words: &mut [[u8; 8]], place: u64) -> bool;

    /// Sets the first `probes` places of a key in a table of `places`; returns whether any was
    /// zero.
    #[inline(always)]
    fn set_all(words: &mut [[u8; 8]], places: u64, probes: u32, hash: KeyHash) -> bool {
        let mut of_key = Probes::new(hash, places);
        let mut new = false;
        for _ in 0..probes {
            new |= Self::set(words, of_key.next_place());
        }
        new
    }
}

/// A place within its range, and how many keys there are between its own and that of the item
/// before, in one integer: the place in the lower bits.
pub(super) trait Item: Copy + Default + Send + Sync + Into<u64> {
    /// Number of bits.
    const BITS: u32 = 8 * size_of::<Self>() as u32;

    /// Packs.
    fn new(bits: u64) -> Self;
}

impl Item for u32 {
    #[inline(always)]
    fn new(bits: u64) -> Self {
        bits as Self
    }
}

impl Item for u64 {
    #[inline(always)]
    fn new(bits: u64) -> Self {
        bits
    }
}

/// A table of places, by ranges.
#[derive(Debug)]
pub(super) struct Places<P, I> {
    places: u64,
    probes: u32,
    /// `log2` of the places in a range.
    shift: u32,
    of: PhantomData<fn(P, I)>,
}

/// Inserts hashes into a table of `places`, `probes` for each key; returns how many were new. `len`
/// is the filter's number of keys.
#[inline]
pub fn insert<P: Place>(
    words: &mut [[u8; 8]],
    (places, probes): (u64, u32),
    len: &mut u64,
    hashes: Hashes<'_>,
) -> u64 {
    let short = Places::<P, u32>::new(places, probes);
    match short.fits() {
        true => bulk::insert(&short, words, len, hashes),
        false => bulk::insert(&Places::<P, u64>::new(places, probes), words, len, hashes),
    }
}

impl<P: Place, I: Item> Places<P, I> {
    /// The ranges of so many places, and of so many probes for each key.
    #[inline]
    pub(super) fn new(places: u64, probes: u32) -> Self {
        let bytes = super::range_bytes((places >> P::WORD).saturating_mul(8), super::RANGES);
        Self { places, probes, shift: bytes.ilog2() - 3 + P::WORD, of: PhantomData }
    }

    /// Whether items have room enough for what is between two keys of a range: there are
    /// `ranges / probes` of them on average, and more than 16 times as many nearly never.
    pub(super) fn fits(&self) -> bool {
        let ranges = self.places >> self.shift;
        self.shift < I::BITS && ranges / u64::from(self.probes) < 1 << (I::BITS - self.shift) >> 4
    }

    /// The greatest distance of keys that an item can tell.
    #[inline(always)]
    fn most(&self) -> u32 {
        (u64::MAX >> (64 - (I::BITS - self.shift).min(32))) as u32
    }
}

impl<P: Place, I: Item> Partition for Places<P, I> {
    type Element = [u8; 8];
    type Item = I;
    const COUNTS_COPIES: bool = P::COUNTS_COPIES;
    const BY_NUMBER: bool = true;

    fn range(&self) -> usize {
        1 << (self.shift - P::WORD)
    }

    #[inline(always)]
    fn items(&self) -> usize {
        self.probes as usize
    }

    fn few(&self) -> usize {
        FEW.min(self.most() as usize)
    }

    fn sort(&self, hashes: &[KeyHash], sorter: &mut Sorter<'_, I>) {
        crate::simd::with_bits(|| {
            let (shift, most, probes) = (self.shift, self.most(), self.probes);
            let within = (1 << shift) - 1;
            for (key, &hash) in (sorter.key..).zip(hashes) {
                let mut places = Probes::new(hash, self.places);
                for _ in 0..probes {
                    let place = places.next_place();
                    sorter.push_after((place >> shift) as usize, key, most, |distance| {
                        I::new(place & within | u64::from(distance) << shift)
                    });
                }
            }
        });
    }

    fn insert<'p>(
        &self,
        part: &mut [[u8; 8]],
        _: usize,
        _: bool,
        pages: impl Iterator<Item = Page<'p, I>>,
        news: &mut News,
    ) where
        I: 'p,
    {
        let flags = &mut news.flags[..];
        let (shift, within) = (self.shift, (1 << self.shift) - 1);
        for page in pages {
            // A page at a time: a short loop keeps all in registers.
            crate::simd::with_bits(|| {
                let mut key = page.key;
                for item in page.items {
                    let bits: u64 = (*item).into();
                    key += (bits >> shift) as usize;
                    let new = P::set(part, bits & within);
                    flags[key / 64] |= u64::from(new) << (key % 64);
                }
            });
        }
    }

    #[inline(always)]
    fn insert_each(&self, table: &mut [[u8; 8]], hashes: &[KeyHash]) -> u64 {
        let mut new = 0;
        for &hash in hashes {
            new += u64::from(P::set_all(table, self.places, self.probes, hash));
        }
        new
    }
}
