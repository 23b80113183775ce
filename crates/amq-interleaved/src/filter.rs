//! The filter.

use crate::labels::Labels;
use crate::query::{and_rows, batch};
use crate::{BinError, Bins, Classes, InterleavedParams, classes, count, fill};
use alloc::vec::Vec;
use amq_bloom::{BlockedBloomFilter, BlockedParams};
use amq_core::internal::Header;
use amq_core::{
    Budget, BuildError, BuildTarget, Bytes, DEFAULT_SEED, Filter, Goal, InsertExt, InsertFilter,
    Inserted, Key, KeyHash, LengthMismatch, Parts, Plan, PlanError, Table, Target, hash_blocks,
};
use core::fmt;
use core::ops::Range;

/// Many equal split-block Bloom filters, the *bins*, of which one lookup says which may hold a key.
///
/// `B` holds the table, the numbers of keys and the names: a [`Table`] each, or borrowed slices for
/// a [view](InterleavedBloomView). See the [crate's documentation](crate) for the picture, the
/// algorithm and the formulas.
///
/// It is no [`Filter`], since it answers for each bin. It is read and written as one, by
/// [`FilterFile`](crate::FilterFile).
#[derive(Clone, PartialEq, Eq)]
pub struct InterleavedBloomFilter<B = Table> {
    pub(crate) header: Header,
    pub(crate) params: InterleavedParams,
    pub(crate) table: B,
    pub(crate) labels: Labels<B>,
}

/// An [`InterleavedBloomFilter`] whose table is borrowed: what
/// [`FilterFile::view`](crate::FilterFile::view) returns.
pub type InterleavedBloomView<'a> = InterleavedBloomFilter<&'a [u8]>;

impl InterleavedBloomFilter {
    /// So many empty bins, with the public [`DEFAULT_SEED`].
    ///
    /// `target` is the [`Goal`] of the largest bin: its number of keys, and the rate or size of one
    /// bin. All bins get its size. It may also be a [`Plan`] of [`BlockedBloomFilter`].
    ///
    /// ```
    /// use amq_interleaved::{Goal, InterleavedBloomFilter};
    ///
    /// let mut days = InterleavedBloomFilter::new(365, Goal::fpr(1000, 0.01))?;
    /// days.insert(17, "203.0.113.7")?;
    /// assert!(days.bins("203.0.113.7").contains(17));
    /// # Ok::<(), amq_interleaved::BinError>(())
    /// ```
    pub fn new(bins: u64, target: impl Into<Target<BlockedParams>>) -> Result<Self, BuildError> {
        Self::with_seed(bins, target, DEFAULT_SEED)
    }

    /// So many empty bins with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(
        bins: u64,
        target: impl Into<Target<BlockedParams>>,
        seed: u64,
    ) -> Result<Self, BuildError> {
        let plan = target.into().plan::<BlockedBloomFilter>()?;
        Self::empty(
            InterleavedParams { bins, blocks: plan.params.blocks },
            Header::new(&plan, seed),
        )
    }

    pub(crate) fn empty(params: InterleavedParams, header: Header) -> Result<Self, BuildError> {
        params.check()?;
        let (table, labels) = (Table::zeroed(params.bytes())?, Labels::new(params.bins)?);
        Ok(Self { header, params, table, labels })
    }

    /// Builds a filter with a bin for each of these sets, with the public [`DEFAULT_SEED`].
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes all bins to the largest set; or the
    /// [`Goal`] or [`Plan`] of a bin, and a set of more keys than planned is an error. Several
    /// times faster than inserting bin by bin. Takes memory for 64 single filters meanwhile.
    ///
    /// ```
    /// use amq_interleaved::{Budget, InterleavedBloomFilter};
    ///
    /// let sets = [vec!["ant", "bee"], vec!["bee", "cat", "dog"], vec![]];
    /// let filter = InterleavedBloomFilter::build(Budget::Fpr(1e-6), &sets)?;
    /// assert!(filter.bins("bee").iter().eq([0, 1]));
    /// # Ok::<(), amq_interleaved::BuildError>(())
    /// ```
    pub fn build<K: Key, S: AsRef<[K]>>(
        target: impl Into<BuildTarget<BlockedParams>>,
        sets: &[S],
    ) -> Result<Self, BuildError> {
        Self::build_with_seed(target, DEFAULT_SEED, sets)
    }

    /// Builds a filter with a seed of your own; see [`build`](Self::build).
    pub fn build_with_seed<K: Key, S: AsRef<[K]>>(
        target: impl Into<BuildTarget<BlockedParams>>,
        seed: u64,
        sets: &[S],
    ) -> Result<Self, BuildError> {
        let (mut filter, plan) = Self::for_largest(target, seed, sets, |keys| keys.as_ref().len())?;
        fill::build(&mut filter, plan, sets, |bin, keys| bin.insert_keys(keys.as_ref()))?;
        Ok(filter)
    }

    /// Builds a filter of keys already hashed with `seed`; see [`build`](Self::build).
    pub fn build_hashes<S: AsRef<[KeyHash]>>(
        target: impl Into<BuildTarget<BlockedParams>>,
        seed: u64,
        sets: &[S],
    ) -> Result<Self, BuildError> {
        let (mut filter, plan) = Self::for_largest(target, seed, sets, |set| set.as_ref().len())?;
        fill::build(&mut filter, plan, sets, |bin, hashes| bin.insert_batch(hashes.as_ref()))?;
        Ok(filter)
    }

    /// [`build`](Self::build) on the threads of a rayon pool, with the same result, byte for byte.
    ///
    /// The pool is the one whose `install` the call is made in, else the global one. Takes memory
    /// for 64 single filters a thread meanwhile, and at most for 512.
    ///
    /// ```
    /// use amq_interleaved::{Budget, InterleavedBloomFilter};
    ///
    /// let sets: Vec<Vec<u64>> = (0..1000).map(|day| (day..day + 300).collect()).collect();
    /// let filter = InterleavedBloomFilter::par_build(Budget::Fpr(0.01), &sets)?;
    /// assert!(filter == InterleavedBloomFilter::build(Budget::Fpr(0.01), &sets)?);
    /// # Ok::<(), amq_interleaved::BuildError>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_build<K: Key, S: AsRef<[K]> + Sync>(
        target: impl Into<BuildTarget<BlockedParams>>,
        sets: &[S],
    ) -> Result<Self, BuildError> {
        Self::par_build_with_seed(target, DEFAULT_SEED, sets)
    }

    /// [`build_with_seed`](Self::build_with_seed) on the threads of a rayon pool; see
    /// [`par_build`](Self::par_build).
    #[cfg(feature = "rayon")]
    pub fn par_build_with_seed<K: Key, S: AsRef<[K]> + Sync>(
        target: impl Into<BuildTarget<BlockedParams>>,
        seed: u64,
        sets: &[S],
    ) -> Result<Self, BuildError> {
        let (mut filter, plan) = Self::for_largest(target, seed, sets, |keys| keys.as_ref().len())?;
        fill::par_build(&mut filter, plan, sets, |bin, keys| bin.insert_keys(keys.as_ref()))?;
        Ok(filter)
    }

    /// [`build_hashes`](Self::build_hashes) on the threads of a rayon pool; see
    /// [`par_build`](Self::par_build).
    #[cfg(feature = "rayon")]
    pub fn par_build_hashes<S: AsRef<[KeyHash]> + Sync>(
        target: impl Into<BuildTarget<BlockedParams>>,
        seed: u64,
        sets: &[S],
    ) -> Result<Self, BuildError> {
        let (mut filter, plan) = Self::for_largest(target, seed, sets, |set| set.as_ref().len())?;
        fill::par_build(&mut filter, plan, sets, |bin, hashes| bin.insert_batch(hashes.as_ref()))?;
        Ok(filter)
    }

    /// An empty filter with a bin for each of these sets, and the plan of a bin: of the largest.
    fn for_largest<S>(
        target: impl Into<BuildTarget<BlockedParams>>,
        seed: u64,
        sets: &[S],
        len: impl Fn(&S) -> usize,
    ) -> Result<(Self, Plan<BlockedParams>), BuildError> {
        let largest = sets.iter().map(len).max().unwrap_or(0);
        let plan = target.into().plan::<BlockedBloomFilter>(largest as u64)?;
        Ok((Self::with_seed(sets.len() as u64, plan, seed)?, plan))
    }

    /// The size, rate and cost of a filter of this many bins. Allocates nothing.
    ///
    /// The plan's number of keys is that of all bins together, each filled as the goal says. Its
    /// rate is that of a single bin: of M bins that do not hold a key, M times the rate are
    /// answered.
    ///
    /// ```
    /// use amq_interleaved::{Goal, InterleavedBloomFilter};
    ///
    /// let plan = InterleavedBloomFilter::plan(1000, Goal::fpr(10_000, 0.01))?;
    /// assert!(plan.expected_fpr < 0.0101);
    /// println!("{plan}"); // bytes, bits per key, rate
    /// # Ok::<(), amq_interleaved::PlanError>(())
    /// ```
    pub fn plan(bins: u64, goal: Goal) -> Result<Plan<InterleavedParams>, PlanError> {
        let bin = BlockedBloomFilter::plan(goal)?;
        let params = InterleavedParams { bins, blocks: bin.params.blocks };
        params.check()?;
        Ok(Plan::new(params, bin.keys.saturating_mul(bins))
            .with_bytes(params.bytes())
            .with_expected_fpr(bin.expected_fpr)
            .with_budget(goal.budget))
    }

    /// Divides sets of these sizes into classes, each of which becomes a filter: the division of
    /// least bytes into one class, into two, and so on up to eight, as far as sizes differ by a
    /// sixteenth or more. A number of classes that takes no fewer bytes than a smaller number is
    /// left out.
    ///
    /// In one filter every bin has the size of the largest. Each further division saves bytes and
    /// costs a lookup more cache lines; both are stated. `budget` is that of a bin. Allocates only
    /// the lists.
    ///
    /// ```
    /// use amq_interleaved::{Budget, InterleavedBloomFilter};
    ///
    /// // A few large sets among many small ones.
    /// let sizes: Vec<u64> = (1..=1000).map(|rank| 1_000_000 / rank).collect();
    /// let divisions = InterleavedBloomFilter::classes(Budget::Fpr(0.01), &sizes)?;
    /// assert_eq!((divisions[0].bytes, divisions[0].lines), (1_347_747_840, 16));
    /// assert!(divisions[3].bytes < divisions[0].bytes / 10);
    /// for division in &divisions {
    ///     println!("{} bytes, {} lines a lookup", division.bytes, division.lines);
    /// }
    /// // The one with four classes.
    /// for class in &divisions[3].classes {
    ///     let mut filter = InterleavedBloomFilter::new(class.sets.len() as u64, class.plan)?;
    ///     filter.set_names(class.sets.iter().map(|set| format!("set {set}")))?;
    /// }
    /// # Ok::<(), amq_interleaved::BinError>(())
    /// ```
    pub fn classes(budget: Budget, sizes: &[u64]) -> Result<Vec<Classes>, PlanError> {
        classes::classes(budget, sizes)
    }

    /// Inserts `key` into a bin. Never refused for lack of room: past the planned number of keys
    /// the bin's rate rises instead.
    ///
    /// Writes to eight cache lines. [`insert_keys`](Self::insert_keys) is faster for many keys, and
    /// [`build`](Self::build) for all bins.
    ///
    /// ```
    /// use amq_interleaved::{BinError, Goal, InterleavedBloomFilter};
    ///
    /// let mut days = InterleavedBloomFilter::new(7, Goal::fpr(1000, 0.01))?;
    /// assert!(days.insert(6, "a key")?.is_new());
    /// assert!(matches!(days.insert(7, "a key"), Err(BinError::NoSuchBin { bin: 7, bins: 7 })));
    /// # Ok::<(), amq_interleaved::BinError>(())
    /// ```
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, bin: usize, key: &K) -> Result<Inserted, BinError> {
        self.insert_hash(bin, key.key_hash(self.header.seed))
    }

    /// Inserts the key with this hash into a bin; see [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&mut self, bin: usize, hash: KeyHash) -> Result<Inserted, BinError> {
        BinError::check_bin(bin, self.params.bins)?;
        let new = fill::insert(&self.params, &mut self.table, bin, hash);
        self.add_keys(bin, u64::from(new));
        Ok(Inserted::from_change(new))
    }

    /// Inserts many keys into a bin and returns how many were new.
    ///
    /// ```
    /// use amq_interleaved::{Goal, InterleavedBloomFilter};
    ///
    /// let mut days = InterleavedBloomFilter::new(7, Goal::fpr(1000, 1e-6))?;
    /// assert_eq!(days.insert_keys(6, &["one", "two", "one"])?, 2);
    /// # Ok::<(), amq_interleaved::BinError>(())
    /// ```
    pub fn insert_keys<K: Key>(&mut self, bin: usize, keys: &[K]) -> Result<u64, BinError> {
        BinError::check_bin(bin, self.params.bins)?;
        if let Some(mut single) = self.single_for(bin, keys.len()) {
            single.insert_keys(keys).map_err(BuildError::from)?;
            return Ok(self.fill_bin(bin, &single));
        }
        let mut next = amq_core::hashes_from(keys, self.header.seed);
        let new = fill::insert_from(&self.params, &mut self.table, bin, keys.len(), &mut next);
        self.add_keys(bin, new);
        Ok(new)
    }

    /// Inserts the keys with these hashes into a bin; see [`insert_keys`](Self::insert_keys).
    pub fn insert_batch(&mut self, bin: usize, hashes: &[KeyHash]) -> Result<u64, BinError> {
        BinError::check_bin(bin, self.params.bins)?;
        if let Some(mut single) = self.single_for(bin, hashes.len()) {
            single.insert_batch(hashes).map_err(BuildError::from)?;
            return Ok(self.fill_bin(bin, &single));
        }
        let mut rest = hashes;
        let mut next = |room: &mut [KeyHash]| {
            let (now, later) = rest.split_at(room.len().min(rest.len()));
            room[..now.len()].copy_from_slice(now);
            rest = later;
            now.len()
        };
        let new = fill::insert_from(&self.params, &mut self.table, bin, hashes.len(), &mut next);
        self.add_keys(bin, new);
        Ok(new)
    }

    /// An empty single filter, if that is the faster way to fill a bin with this many keys: the bin
    /// has none, and most blocks get one. `None` also without memory for it.
    fn single_for(&self, bin: usize, keys: usize) -> Option<BlockedBloomFilter> {
        if self.labels.keys(bin) > 0 || (keys as u64) < self.params.blocks {
            return None;
        }
        let table = Table::zeroed(self.params.blocks * 32).ok()?;
        let parts = Parts::new(self.params.bin(), self.header.seed);
        BlockedBloomFilter::from_table_unchecked(table, parts).ok()
    }

    /// Writes the keys of a single filter into a bin that has none. Returns their number.
    fn fill_bin(&mut self, bin: usize, single: &BlockedBloomFilter) -> u64 {
        fill::add_column(&self.params, &mut self.table, bin, single.as_bytes());
        self.labels.set_keys(bin, single.len());
        single.len()
    }

    fn add_keys(&mut self, bin: usize, new: u64) {
        let keys = self.labels.keys(bin).saturating_add(new);
        self.labels.set_keys(bin, keys);
    }

    /// Adds an empty bin, with a name that may be empty, and returns its number.
    ///
    /// Rows have room for a multiple of 64 bins, above 512 of 512. When that is used up, the table
    /// is copied into one with longer rows.
    ///
    /// ```
    /// use amq_interleaved::{Goal, InterleavedBloomFilter};
    ///
    /// let mut days = InterleavedBloomFilter::new(1, Goal::fpr(1000, 0.01))?;
    /// let tuesday = days.add_bin("Tuesday")?;
    /// days.insert(tuesday, "a key")?;
    /// assert_eq!((tuesday, days.bin_count(), days.name(tuesday)), (1, 2, "Tuesday"));
    /// # Ok::<(), amq_interleaved::BinError>(())
    /// ```
    pub fn add_bin(&mut self, name: &str) -> Result<usize, BinError> {
        let params = InterleavedParams { bins: self.params.bins + 1, ..self.params };
        params.check()?;
        let labels = self.labels.with_one_more(name)?;
        let (old, new) = (self.params.row_bytes() as usize, params.row_bytes() as usize);
        if old != new {
            let mut table = Table::zeroed(params.bytes())?;
            for (to, from) in table.chunks_exact_mut(new).zip(self.table.chunks_exact(old)) {
                to[..old].copy_from_slice(from);
            }
            self.table = table;
        }
        (self.params, self.labels) = (params, labels);
        Ok(params.bins as usize - 1)
    }

    /// Empties a bin. Its name stays.
    ///
    /// ```
    /// use amq_interleaved::{Goal, InterleavedBloomFilter};
    ///
    /// let mut days = InterleavedBloomFilter::new(7, Goal::fpr(1000, 0.01))?;
    /// days.insert(3, "a key")?;
    /// days.clear_bin(3)?;
    /// assert!(days.bins("a key").is_empty());
    /// # Ok::<(), amq_interleaved::BinError>(())
    /// ```
    pub fn clear_bin(&mut self, bin: usize) -> Result<(), BinError> {
        BinError::check_bin(bin, self.params.bins)?;
        for row in self.table.chunks_exact_mut(self.params.row_bytes() as usize) {
            row[bin / 8] &= !(1 << (bin % 8));
        }
        self.labels.set_keys(bin, 0);
        Ok(())
    }

    /// Replaces the content of a bin by that of a single filter, such as one from a Parquet file.
    ///
    /// A filter with a multiple of a bin's blocks is [folded](amq_bloom::Blocked::fold); another
    /// size is refused, and so is another seed. A filter of hashes made elsewhere has the seed 0.
    ///
    /// ```
    /// use amq_interleaved::{BlockedBloomFilter, Goal, InterleavedBloomFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let goal = Goal::fpr(1000, 0.01);
    /// let mut single = BlockedBloomFilter::new(goal)?;
    /// single.insert("a key");
    /// let mut days = InterleavedBloomFilter::new(7, goal)?;
    /// days.set_bin(3, &single)?;
    /// assert!(days.bins("a key").contains(3));
    /// assert!(days.bin(3)? == single);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_bin<C: Bytes>(
        &mut self,
        bin: usize,
        filter: &BlockedBloomFilter<C>,
    ) -> Result<(), BinError> {
        BinError::check_bin(bin, self.params.bins)?;
        if filter.seed() != self.header.seed {
            return Err(BinError::OtherSeed);
        }
        let (theirs, ours) = (filter.params().blocks, self.params.blocks);
        if theirs == ours {
            fill::set_column(&self.params, &mut self.table, bin, filter.as_bytes());
        } else {
            // The only other refusal is one of memory.
            let folded = match theirs.is_multiple_of(ours) {
                true => filter.fold(theirs / ours),
                false => return Err(BinError::Blocks { filter: theirs, bin: ours }),
            };
            let bytes = self.params.blocks * 32;
            let folded = folded.map_err(|_| BuildError::OutOfMemory { bytes })?;
            fill::set_column(&self.params, &mut self.table, bin, folded.as_bytes());
        }
        self.labels.set_keys(bin, filter.len());
        Ok(())
    }

    /// Names the bins. There must be one name for each; a name may be empty.
    ///
    /// ```
    /// use amq_interleaved::{Goal, InterleavedBloomFilter};
    ///
    /// let mut days = InterleavedBloomFilter::new(2, Goal::fpr(1000, 0.01))?;
    /// days.set_names(["Monday", "Tuesday"])?;
    /// assert_eq!(days.name(1), "Tuesday");
    /// # Ok::<(), amq_interleaved::BinError>(())
    /// ```
    pub fn set_names<N: AsRef<str>>(
        &mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<(), BinError> {
        self.labels = self.labels.named(names.into_iter(), self.params.bins)?;
        Ok(())
    }
}

impl<B: Bytes> InterleavedBloomFilter<B> {
    /// The bins that may hold `key`. A bin that holds it is always among them; another one is with
    /// the probability of a false positive.
    ///
    /// ```
    /// use amq_interleaved::{Budget, InterleavedBloomFilter};
    ///
    /// let sets = [[1u64, 2], [2, 3]];
    /// let filter = InterleavedBloomFilter::build(Budget::Fpr(1e-6), &sets)?;
    /// assert!(filter.bins(&2u64).iter().eq([0, 1]));
    /// assert!(filter.bins(&9u64).is_empty());
    /// # Ok::<(), amq_interleaved::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn bins<K: Key + ?Sized>(&self, key: &K) -> Bins {
        self.bins_hash(key.key_hash(self.header.seed))
    }

    /// The bins that may hold the key with this hash.
    #[inline]
    #[must_use]
    pub fn bins_hash(&self, hash: KeyHash) -> Bins {
        let mut answer = Bins::new(self.params.bins);
        self.answer(hash, answer.words_mut());
        answer
    }

    /// [`bins`](Self::bins) into a set that is used again: faster above 1,024 bins, where a new one
    /// is an allocation.
    ///
    /// ```
    /// use amq_interleaved::{Bins, Budget, InterleavedBloomFilter};
    ///
    /// let sets = [[1u64, 2], [2, 3]];
    /// let filter = InterleavedBloomFilter::build(Budget::Fpr(1e-6), &sets)?;
    /// let mut bins = Bins::default();
    /// for key in 1..=3u64 {
    ///     filter.bins_into(&key, &mut bins);
    ///     assert_eq!(bins.count(), if key == 2 { 2 } else { 1 });
    /// }
    /// # Ok::<(), amq_interleaved::BuildError>(())
    /// ```
    #[inline]
    pub fn bins_into<K: Key + ?Sized>(&self, key: &K, bins: &mut Bins) {
        self.bins_hash_into(key.key_hash(self.header.seed), bins);
    }

    /// [`bins_hash`](Self::bins_hash) into a set that is used again; see
    /// [`bins_into`](Self::bins_into).
    #[inline]
    pub fn bins_hash_into(&self, hash: KeyHash, bins: &mut Bins) {
        if bins.bin_count() != self.params.bins {
            *bins = Bins::new(self.params.bins);
        }
        self.answer(hash, bins.words_mut());
    }

    #[inline(always)]
    fn answer(&self, hash: KeyHash, answer: &mut [u64]) {
        and_rows(&self.params, self.table.as_ref(), self.params.rows(hash), answer);
    }

    /// The bins that may hold each of these keys, in order, in a buffer that can be used again.
    /// Faster than key by key where the table is larger than the cache.
    ///
    /// ```
    /// use amq_interleaved::{Budget, InterleavedBloomFilter};
    ///
    /// let sets = [[1u64, 2], [2, 3]];
    /// let filter = InterleavedBloomFilter::build(Budget::Fpr(1e-6), &sets)?;
    /// let mut buffer = Vec::new();
    /// let counts = filter.bins_keys(&[1u64, 2, 9], &mut buffer)?.map(|bins| bins.count());
    /// assert!(counts.eq([1, 2, 0]));
    /// # Ok::<(), amq_interleaved::BuildError>(())
    /// ```
    pub fn bins_keys<'b, K: Key>(
        &self,
        keys: &[K],
        buffer: &'b mut Vec<u64>,
    ) -> Result<impl ExactSizeIterator<Item = Bins<&'b [u64]>> + use<'b, B, K>, BuildError> {
        let (words, bins) = (self.params.words(), self.params.bins);
        let wanted = words.saturating_mul(keys.len());
        buffer.clear();
        amq_core::internal::reserve(buffer, wanted as u64)?;
        buffer.resize(wanted, 0);
        let done = hash_blocks(keys, self.header.seed, |first, hashes| {
            let answers = &mut buffer[first * words..][..hashes.len() * words];
            self.bins_batch(hashes, answers)
        });
        // The buffer has the length that it was given.
        debug_assert!(done.is_ok());
        Ok(buffer.chunks_exact(words).map(move |words| Bins::of(bins, words)))
    }

    /// The bins that may hold the keys with these hashes, in words: the first
    /// [`words`](Self::words) of `answers` for the first hash, and so on.
    pub fn bins_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [u64],
    ) -> Result<(), LengthMismatch> {
        let words = self.params.words();
        // An answer that is cut short is none.
        LengthMismatch::check(hashes.len(), answers.len() / words)?;
        LengthMismatch::check(hashes.len() * words, answers.len())?;
        let table = self.table.as_ref();
        batch(&self.params, table, hashes, |index, hash| {
            let answer = &mut answers[index * words..][..words];
            and_rows(&self.params, table, self.params.rows(hash), answer);
        });
        Ok(())
    }

    /// The bins that may hold every one of these keys; all bins if there are no keys.
    ///
    /// ```
    /// use amq_interleaved::{Budget, InterleavedBloomFilter};
    ///
    /// let sets = [[1u64, 2], [2, 3]];
    /// let filter = InterleavedBloomFilter::build(Budget::Fpr(1e-6), &sets)?;
    /// assert!(filter.bins_of_all(&[2u64, 3]).iter().eq([1]));
    /// # Ok::<(), amq_interleaved::BuildError>(())
    /// ```
    #[must_use]
    pub fn bins_of_all<K: Key>(&self, keys: &[K]) -> Bins {
        let mut all = Bins::new(self.params.bins);
        all.words_mut().fill(u64::MAX);
        if let Some(last) = all.words_mut().last_mut() {
            *last = self.params.last_word();
        }
        self.each(keys, |answer| {
            all.words_mut().iter_mut().zip(answer).for_each(|(all, word)| *all &= word);
        });
        all
    }

    /// The bins that may hold at least `threshold` of these keys. A key that comes twice counts
    /// twice.
    ///
    /// So a sequence is found by its k-mers: a bin that holds it with a few changes holds most of
    /// them.
    ///
    /// ```
    /// use amq_interleaved::{Budget, InterleavedBloomFilter};
    ///
    /// let genomes = ["GATTACATTTGC", "GATTACCTTTGC", "CCCCCCCCCCCC"];
    /// let kmers = genomes.map(|genome| genome.as_bytes().windows(4).collect::<Vec<_>>());
    /// let filter = InterleavedBloomFilter::build(Budget::Fpr(1e-6), &kmers)?;
    /// // Five of the nine k-mers of the first genome are in the second, too.
    /// assert!(filter.at_least(&kmers[0], 5).iter().eq([0, 1]));
    /// assert!(filter.at_least(&kmers[0], 9).iter().eq([0]));
    /// # Ok::<(), amq_interleaved::BuildError>(())
    /// ```
    #[must_use]
    pub fn at_least<K: Key>(&self, keys: &[K], threshold: u64) -> Bins {
        let mut bins = Bins::new(self.params.bins);
        for (bin, count) in self.counts(keys).into_iter().enumerate() {
            bins.words_mut()[bin / 64] |= u64::from(count >= threshold) << (bin % 64);
        }
        bins
    }

    /// For each bin, how many of these keys it may hold.
    ///
    /// ```
    /// use amq_interleaved::{Budget, InterleavedBloomFilter};
    ///
    /// let sets = [vec![1u64, 2], vec![2, 3], vec![]];
    /// let filter = InterleavedBloomFilter::build(Budget::Fpr(1e-6), &sets)?;
    /// assert_eq!(filter.counts(&[2u64, 3]), [1, 2, 0]);
    /// # Ok::<(), amq_interleaved::BuildError>(())
    /// ```
    #[must_use]
    pub fn counts<K: Key>(&self, keys: &[K]) -> Vec<u64> {
        let mut counters = count::Counters::new(self.params.words());
        self.each(keys, |answer| counters.add(answer));
        counters.counts(self.params.bins as usize)
    }

    /// Calls `each` with the answer for each key, in order.
    fn each<K: Key>(&self, keys: &[K], mut each: impl FnMut(&[u64])) {
        let mut answer = Bins::new(self.params.bins);
        let (table, answer) = (self.table.as_ref(), answer.words_mut());
        let done = hash_blocks(keys, self.header.seed, |_, hashes| {
            batch(&self.params, table, hashes, |_, hash| {
                and_rows(&self.params, table, self.params.rows(hash), answer);
                each(answer);
            });
            Ok::<(), LengthMismatch>(())
        });
        debug_assert!(done.is_ok());
    }

    /// A bin as a single filter: equal, bit for bit, to one that was given the bin's keys.
    ///
    /// ```
    /// use amq_interleaved::{BlockedBloomFilter, Goal, InterleavedBloomFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut days = InterleavedBloomFilter::new(7, Goal::fpr(1000, 0.01))?;
    /// days.insert(3, "a key")?;
    /// let mut single = BlockedBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// single.insert("a key");
    /// assert!(days.bin(3)? == single);
    /// # Ok(())
    /// # }
    /// ```
    pub fn bin(&self, bin: usize) -> Result<BlockedBloomFilter, BinError> {
        BinError::check_bin(bin, self.params.bins)?;
        let mut table = Table::zeroed(self.params.blocks * 32)?;
        fill::read_column(&self.params, self.table.as_ref(), bin, &mut table);
        let parts = Parts::new(self.params.bin(), self.header.seed)
            .with_capacity(self.header.capacity)
            .with_len(self.labels.keys(bin));
        Ok(BlockedBloomFilter::from_table_unchecked(table, parts)?)
    }

    /// The false-positive rate of a bin as it is: exact, from its bits. Reads the whole table.
    ///
    /// ```
    /// use amq_interleaved::{Budget, InterleavedBloomFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sets = [(0..1000u64).collect(), vec![]];
    /// let filter = InterleavedBloomFilter::build(Budget::Fpr(0.01), &sets)?;
    /// assert!((0.005..0.02).contains(&filter.expected_fpr(0)?));
    /// assert_eq!(filter.expected_fpr(1)?, 0.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn expected_fpr(&self, bin: usize) -> Result<f64, BinError> {
        Ok(self.bin(bin)?.expected_fpr())
    }

    /// The number of bins.
    #[must_use]
    pub const fn bin_count(&self) -> u64 {
        self.params.bins
    }

    /// The number of keys in a bin, as [`Filter::len`] of a single filter counts them; 0 if there
    /// is no such bin.
    #[must_use]
    pub fn bin_len(&self, bin: usize) -> u64 {
        self.labels.keys(bin)
    }

    /// The name of a bin; empty if it has none, or there is no such bin.
    #[must_use]
    pub fn name(&self, bin: usize) -> &str {
        self.labels.name(bin)
    }

    /// The number of keys in all bins; a key that is in two of them counts twice.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.labels.total()
    }

    /// Whether no bin has a key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of keys that each bin was planned for.
    #[must_use]
    pub const fn capacity(&self) -> u64 {
        self.header.capacity
    }

    /// The seed its keys are hashed with.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.header.seed
    }

    /// The parameters of its table.
    #[must_use]
    pub const fn params(&self) -> InterleavedParams {
        self.params
    }

    /// Words of an answer: a bit for each bin.
    #[must_use]
    pub const fn words(&self) -> usize {
        self.params.words()
    }

    /// Bytes of the table, without the numbers of keys, 16 bytes a bin, and the names.
    #[must_use]
    pub const fn size_in_bytes(&self) -> u64 {
        self.params.bytes()
    }

    /// The bytes of a file of this filter that a lookup of this hash needs; see
    /// [`InterleavedParams::row_range`].
    #[must_use]
    pub fn row_range(&self, hash: KeyHash) -> Range<u64> {
        self.params.row_range(hash)
    }

    /// The bins that may hold the key of this hash, from those bytes; see
    /// [`InterleavedParams::bins_in_row`].
    pub fn bins_in_row(&self, bytes: &[u8], hash: KeyHash) -> Result<Bins, BinError> {
        self.params.bins_in_row(bytes, hash)
    }
}

/// Neither the table, which may be gigabytes, nor the seed, which may be secret.
impl<B: Bytes> fmt::Debug for InterleavedBloomFilter<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InterleavedBloomFilter")
            .field("params", &self.params)
            .field("len", &self.len())
            .field("capacity", &self.header.capacity)
            .finish_non_exhaustive()
    }
}
