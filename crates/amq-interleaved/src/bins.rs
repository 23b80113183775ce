//! Sets of bins: the answers of a filter.

use alloc::vec;
use alloc::vec::Vec;
use core::{fmt, slice};

/// A set of bins: those that may hold a key.
///
/// `W` holds the words: [`BinWords`], or a part of a buffer, `&[u64]`. Bin i is bit i mod 64 of
/// word i / 64.
///
/// ```
/// use amq_interleaved::{Goal, InterleavedBloomFilter};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut filter = InterleavedBloomFilter::new(100, Goal::fpr(1000, 1e-6))?;
/// filter.insert(3, "key")?;
/// filter.insert(70, "key")?;
/// let bins = filter.bins("key");
/// assert!(bins.iter().eq([3, 70]));
/// assert!(bins.contains(70) && !bins.contains(71));
/// assert_eq!((bins.count(), bins.is_empty()), (2, false));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Bins<W = BinWords> {
    bins: u64,
    words: W,
}

/// The words of a set of bins: up to sixteen, of 1,024 bins, in place, more on the heap.
#[derive(Clone)]
pub struct BinWords(Words);

/// The most words in place. An allocation takes as long as half a lookup: while one runs, the
/// processor does not begin the next lookup.
const FEW: usize = 16;

#[derive(Clone)]
enum Words {
    One(u64),
    Few([u64; FEW], usize),
    Many(Vec<u64>),
}

impl AsRef<[u64]> for BinWords {
    #[inline]
    fn as_ref(&self) -> &[u64] {
        match &self.0 {
            Words::One(word) => slice::from_ref(word),
            Words::Few(words, len) => &words[..*len],
            Words::Many(words) => words,
        }
    }
}

impl AsMut<[u64]> for BinWords {
    #[inline]
    fn as_mut(&mut self) -> &mut [u64] {
        match &mut self.0 {
            Words::One(word) => slice::from_mut(word),
            Words::Few(words, len) => &mut words[..*len],
            Words::Many(words) => words,
        }
    }
}

impl fmt::Debug for BinWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().fmt(f)
    }
}

impl Bins {
    /// No bin, of this many.
    #[inline]
    pub(crate) fn new(bins: u64) -> Self {
        let words = match bins.div_ceil(64) as usize {
            1 => Words::One(0),
            few @ ..=FEW => Words::Few([0; FEW], few),
            many => Words::Many(vec![0; many]),
        };
        Self { bins, words: BinWords(words) }
    }

    #[inline]
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        self.words.as_mut()
    }
}

/// None of no bins: for [`bins_into`](crate::InterleavedBloomFilter::bins_into).
impl Default for Bins {
    fn default() -> Self {
        Self::new(0)
    }
}

impl<W: AsRef<[u64]>> Bins<W> {
    /// The answer in these words, a bit for each of `bins` bins.
    #[inline]
    pub(crate) const fn of(bins: u64, words: W) -> Self {
        Self { bins, words }
    }

    /// Its bins, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.words().iter().enumerate();
        words.flat_map(|(index, &word)| {
            let mut rest = word;
            core::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest.wrapping_sub(1);
                (bit < 64).then_some(64 * index + bit)
            })
        })
    }

    /// Whether this bin is among them; `false` for a bin that the filter does not have.
    #[inline]
    #[must_use]
    pub fn contains(&self, bin: usize) -> bool {
        self.words().get(bin / 64).is_some_and(|word| word >> (bin % 64) & 1 == 1)
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.words().iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether there are none: the key is in no bin.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words().iter().all(|&word| word == 0)
    }

    /// The number of the filter's bins.
    #[must_use]
    pub const fn bin_count(&self) -> u64 {
        self.bins
    }

    /// As words: bin i is bit i mod 64 of word i / 64.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u64] {
        self.words.as_ref()
    }
}

impl<W: AsRef<[u64]>, V: AsRef<[u64]>> PartialEq<Bins<V>> for Bins<W> {
    fn eq(&self, other: &Bins<V>) -> bool {
        self.bins == other.bins && self.words() == other.words()
    }
}

impl<W: AsRef<[u64]>> Eq for Bins<W> {}

/// The bins in it.
impl<W: AsRef<[u64]>> fmt::Debug for Bins<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
