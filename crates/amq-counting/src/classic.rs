//! The classic layout: a key's counters are anywhere in the table.

use crate::counters::{self, MAX, PER_WORD, get, lowered, place, raised};
use crate::layout::sealed::Operations;
use crate::{Counting, CountingParams, Layout, theory::classic as theory};
use amq_bloom::probing::partition::Hashes;
use amq_bloom::probing::partition::places::{self, Place};
use amq_bloom::probing::{ProbeTable, Probes};
use amq_bloom::{BloomFilter, BloomParams};
use amq_core::internal::{Entry, Opened};
use amq_core::prefetch::prefetch;
use amq_core::{
    BuildError, Bytes, DecodeError, FilterKind, Goal, KeyHash, MergeError, Plan, PlanError,
    PredictedFpr, Table,
};

/// A key's counters are anywhere in the table, like its bits in a classic Bloom filter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Classic;

impl Layout for Classic {
    const KIND: FilterKind = FilterKind::Counting;
    const NAME: &'static str = "CountingBloomFilter";
}

impl Operations for Classic {
    type Params = CountingParams;

    fn check(params: CountingParams) -> Result<(), PlanError> {
        params.check()
    }

    fn check_same(ours: CountingParams, theirs: CountingParams) -> Result<(), MergeError> {
        MergeError::check("counters", ours.counters, theirs.counters)?;
        MergeError::check("probes", ours.probes.into(), theirs.probes.into())
    }

    fn counters(params: CountingParams) -> u64 {
        params.counters
    }

    fn probes(params: CountingParams) -> u32 {
        params.probes
    }

    fn entry(params: CountingParams) -> Entry {
        [params.counters, params.probes.into(), 0, 0, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<CountingParams, DecodeError> {
        let [counters, probes] = opened.only_entry()?;
        Ok(CountingParams::new(counters, Opened::narrow("probes", probes)?))
    }

    fn plan(goal: Goal) -> Result<Plan<CountingParams>, PlanError> {
        theory::plan(goal)
    }

    fn plan_params(params: CountingParams, keys: u64) -> Result<Plan<CountingParams>, PlanError> {
        theory::plan_params(params, keys)
    }

    fn predicted_fpr(params: &CountingParams, keys: u64) -> PredictedFpr {
        theory::fpr(params, keys)
    }

    fn fpr_of_table(_: &[u8], params: CountingParams, fill: f64) -> f64 {
        theory::fpr_of_table(params.counters, params.probes, fill)
    }

    fn keys_of_fill(params: CountingParams, fill: f64) -> f64 {
        theory::keys_of_fill(params.counters, params.probes, fill)
    }

    #[inline(always)]
    fn contains(table: &[u8], params: CountingParams, hash: KeyHash) -> bool {
        Counters { words: table.as_chunks().0, params }.contains(hash)
    }

    #[inline]
    fn contains_each(
        table: &[u8],
        params: CountingParams,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) {
        Counters { words: table.as_chunks().0, params }.contains_each(hashes, answers);
    }

    #[inline]
    fn count(table: &[u8], params: CountingParams, hash: KeyHash) -> u64 {
        let words = table.as_chunks().0;
        let mut places = Probes::new(hash, params.counters);
        let counters = (0..params.probes).map(|_| {
            let (word, shift) = place(places.next_place());
            get(u64::from_le_bytes(words[word]), shift)
        });
        counters.fold(MAX, u64::min)
    }

    #[inline(always)]
    fn insert(table: &mut [u8], params: CountingParams, hash: KeyHash) -> bool {
        Counter::set_all(table.as_chunks_mut().0, params.counters, params.probes, hash)
    }

    #[inline]
    fn insert_many(
        table: &mut [u8],
        CountingParams { counters, probes }: CountingParams,
        len: &mut u64,
        hashes: Hashes<'_>,
    ) -> u64 {
        places::insert::<Counter>(table.as_chunks_mut().0, (counters, probes), len, hashes)
    }

    // With several callers the compiler would not inline it by itself.
    #[inline(always)]
    fn remove(table: &mut [u8], params: CountingParams, hash: KeyHash) -> bool {
        let words = table.as_chunks_mut().0;
        let probes = || Probes::new(hash, params.counters);
        // Refuses most absent keys by one branch, before anything changes.
        let (counters, mut places) = (Counters { words, params }, probes());
        let first = (0..params.probes.min(FIRST)).map(|_| counters.is_set(places.next_place()));
        if first.fold(1, |all, is_set| all & is_set) == 0 {
            return false;
        }
        let mut places = probes();
        for lowered_so_far in 0..params.probes {
            let (word, shift) = place(places.next_place());
            let old = u64::from_le_bytes(words[word]);
            if get(old, shift) == 0 {
                // The key is absent, or two of its probes share this counter, which only another
                // key had raised, once. A counter that was just lowered is not saturated, so
                // raising it again undoes the change.
                Counter::set_all(words, params.counters, lowered_so_far, hash);
                return false;
            }
            words[word] = lowered(old, shift).to_le_bytes();
        }
        true
    }
}

/// Counters that a removal tests before it lowers any. One absent key in eight passes three.
const FIRST: u32 = 3;

/// A counter of a table: setting it raises it.
struct Counter;

impl Place for Counter {
    const COUNTS_COPIES: bool = true;
    const WORD: u32 = PER_WORD.ilog2();

    #[inline(always)]
    fn set(words: &mut [[u8; 8]], counter: u64) -> bool {
        let (word, shift) = place(counter);
        let old = u64::from_le_bytes(words[word]);
        words[word] = raised(old, shift).to_le_bytes();
        get(old, shift) == 0
    }
}

/// The counters of a table as lookups use them: zero or not.
#[derive(Clone, Copy)]
struct Counters<'a> {
    words: &'a [[u8; 8]],
    params: CountingParams,
}

impl ProbeTable for Counters<'_> {
    #[inline(always)]
    fn places(&self) -> u64 {
        self.params.counters
    }

    #[inline(always)]
    fn probes(&self) -> u32 {
        self.params.probes
    }

    #[inline(always)]
    fn bytes(&self) -> usize {
        size_of_val(self.words)
    }

    #[inline(always)]
    fn is_set(&self, counter: u64) -> u64 {
        let (word, shift) = place(counter);
        u64::from(get(u64::from_le_bytes(self.words[word]), shift) != 0)
    }

    #[inline(always)]
    fn prefetch(&self, counter: u64) {
        prefetch(self.words, place(counter).0);
    }
}

impl<B: Bytes> Counting<Classic, B> {
    /// The plain Bloom filter with the same answers in a quarter of the space: one bit for each
    /// counter above zero.
    ///
    /// Use it to ship a filter that will only be queried. [`len`](Self::len) stays the same.
    ///
    /// ```
    /// use amq_counting::{CountingBloomFilter, Filter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut blocked = CountingBloomFilter::new(Goal::fpr(10_000, 0.01))?;
    /// blocked.insert("mallory");
    /// let shipped = blocked.to_bloom()?;
    /// assert!(shipped.contains("mallory"));
    /// assert_eq!(shipped.size_in_bytes() * 4, blocked.size_in_bytes());
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_bloom(&self) -> Result<BloomFilter, BuildError> {
        let params = BloomParams::new(self.params.counters, self.params.probes);
        let mut table = Table::zeroed(params.bits.div_ceil(64) * 8)?;
        for (bits, counts) in table.chunks_exact_mut(8).zip(self.as_bytes().chunks(32)) {
            let mut word = 0;
            for (quarter, count) in counters::words(counts).enumerate() {
                word |= counters::bits(count) << (16 * quarter);
            }
            bits.copy_from_slice(&word.to_le_bytes());
        }
        let parts = self.header.parts(params, self.len);
        Ok(BloomFilter::from_table_unchecked(table, parts)?)
    }
}
