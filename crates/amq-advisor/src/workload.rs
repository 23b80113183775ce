//! What a filter is wanted for.

use crate::Beyond;
use alloc::vec::Vec;

/// The rate planned for where neither a rate nor a size is asked for.
pub const DEFAULT_FPR: f64 = 0.01;

/// How many distinct keys there will be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Keys {
    /// This number, known beforehand.
    Exactly(u64),
    /// Never more than this.
    AtMost(u64),
    /// Nobody knows: room for `start` at first, and growth from there.
    Unknown {
        /// Keys expected at the start.
        start: u64,
    },
}

impl Keys {
    /// The number that a filter is planned for.
    #[must_use]
    pub const fn planned(self) -> u64 {
        match self {
            Self::Exactly(keys) | Self::AtMost(keys) | Self::Unknown { start: keys } => keys,
        }
    }
}

/// Something the filter must be able to do beyond answering.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Need {
    /// Take keys out again.
    Remove,
    /// Tell how often a key was inserted, up to `most` times.
    Count {
        /// The highest count to tell apart.
        most: u32,
    },
    /// List what is in it: hashes, since no filter keeps the keys.
    List,
    /// Absorb another filter: become the union of both.
    Merge,
    /// Begin small, and take more keys without a higher rate: up to the number of keys, or, if that
    /// is [`Keys::Unknown`], which implies it, without end.
    Grow,
    /// Let several threads insert (and remove, if that is needed) at once.
    SharedInsert,
    /// Give a value of this many bits for each key.
    Values {
        /// Bits of a value, 1 to 32.
        bits: u32,
    },
    /// Be saved to a file, loaded, and mapped into memory.
    Files,
    /// Forget by time: of so many generations the oldest is forgotten whenever time moves on. A key
    /// is remembered for all of them but one, at least.
    Forget {
        /// Generations, 2 to 4096.
        generations: u32,
    },
    /// Never err: no filter does, so the answer is the keys themselves.
    Exact,
    /// What no filter of this family does: the error says what does, and in how many bytes.
    Beyond(Beyond),
}

/// What to spare first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum First {
    /// Memory: the fewest bits that keep the rate.
    Memory,
    /// Time: the fewest nanoseconds within the size that is allowed, or within
    /// [`TIME_MAY_TAKE`](crate::TIME_MAY_TAKE) times the fewest bits if none is.
    Time,
    /// The tail: the fewest nanoseconds that one insert in a thousand exceeds, within the size as
    /// for time. Of what is built from all keys at once, the time.
    Tail,
}

/// Who chooses the keys that are inserted and asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum KeysBy {
    /// People and programs without malice.
    #[default]
    Trusted,
    /// Anyone.
    Strangers,
}

/// What a filter is wanted for. Everything but the keys is optional.
///
/// ```
/// use amq_advisor::{Keys, Need, Workload};
///
/// let sessions = Workload::new(Keys::AtMost(1_000_000))
///     .with_fpr(0.001)
///     .need(Need::Remove)
///     .with_absent(0.9);
/// # assert_eq!(sessions.keys(), Keys::AtMost(1_000_000));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Workload {
    pub(super) keys: Keys,
    pub(super) fpr: Option<f64>,
    pub(super) bits_per_key: Option<f64>,
    pub(super) bytes: Option<u64>,
    pub(super) built_once: bool,
    pub(super) needs: Vec<Need>,
    pub(super) copies: Option<f64>,
    pub(super) absent: f64,
    pub(super) threads: u32,
    pub(super) keys_by: KeysBy,
    pub(super) false_positive_ns: Option<f64>,
    pub(super) lookup_ns: f64,
    pub(super) queries_per_key: f64,
    pub(super) key_bytes: u64,
    pub(super) first: Option<First>,
    pub(super) bit_ns: Option<f64>,
    pub(super) build_bytes: Option<u64>,
    pub(super) changes: Option<u64>,
    pub(super) below: Option<u64>,
    pub(super) filters: u64,
}

impl Workload {
    /// This many keys, inserted one by one, and asked for half of the time. If neither a rate nor
    /// a size is given, the rate is [`DEFAULT_FPR`].
    #[must_use]
    pub const fn new(keys: Keys) -> Self {
        Self {
            keys,
            fpr: None,
            bits_per_key: None,
            bytes: None,
            built_once: false,
            needs: Vec::new(),
            copies: None,
            absent: 0.5,
            threads: 1,
            keys_by: KeysBy::Trusted,
            false_positive_ns: None,
            lookup_ns: 0.0,
            queries_per_key: 1.0,
            key_bytes: 8,
            first: None,
            bit_ns: None,
            build_bytes: None,
            changes: None,
            below: None,
            filters: 1,
        }
    }

    /// A false-positive rate of at most `fpr`.
    #[must_use]
    pub const fn with_fpr(mut self, fpr: f64) -> Self {
        self.fpr = Some(fpr);
        self
    }

    /// At most this many bits per planned key.
    #[must_use]
    pub const fn with_bits_per_key(mut self, bits_per_key: f64) -> Self {
        self.bits_per_key = Some(bits_per_key);
        self
    }

    /// At most this many bytes, in all [`filters`](Self::with_filters) together.
    #[must_use]
    pub const fn with_bytes(mut self, bytes: u64) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// How often a key is inserted, on average. With [`Need::Count`] each copy is kept, up to the
    /// most that are counted, and takes room in filters that store fingerprints; if no mean is
    /// given, there is room for as many of every key. With [`Need::Merge`] it is the number of
    /// parts that hold a key. Otherwise a key that comes again is not stored again, by
    /// `insert_unique`. Default 1.
    #[must_use]
    pub const fn with_copies(mut self, copies: f64) -> Self {
        self.copies = Some(copies);
        self
    }

    /// What to spare first. Default: time if a false positive has a cost, memory otherwise.
    #[must_use]
    pub const fn with_first(mut self, first: First) -> Self {
        self.first = Some(first);
        self
    }

    /// What a bit per key is worth, in nanoseconds for each query: the price of memory. Choices are
    /// then ranked by the sum of time and memory, whatever comes first otherwise.
    #[must_use]
    pub const fn with_bit_ns(mut self, bit_ns: f64) -> Self {
        self.bit_ns = Some(bit_ns);
        self
    }

    /// At most this many bytes while one filter is built, the table included.
    #[must_use]
    pub const fn with_build_bytes(mut self, build_bytes: u64) -> Self {
        self.build_bytes = Some(build_bytes);
        self
    }

    /// So many keys change from one edition to the next: added or removed, in a set that is sent to
    /// others each time. The answer compares sending the filter with sending the changes.
    #[must_use]
    pub const fn with_changes(mut self, changes: u64) -> Self {
        self.changes = Some(changes);
        self
    }

    /// The keys are integers below this: a bitmap of them is exact, and may be smaller.
    #[must_use]
    pub const fn with_integers_below(mut self, below: u64) -> Self {
        self.below = Some(below);
        self
    }

    /// There are so many filters, each of that many keys. Sizes in the answer are those of one.
    /// Default 1.
    #[must_use]
    pub const fn with_filters(mut self, filters: u64) -> Self {
        self.filters = filters;
        self
    }

    /// Share of queries for keys that are not in, from 0 to 1. Default 0.5.
    #[must_use]
    pub const fn with_absent(mut self, absent: f64) -> Self {
        self.absent = absent;
        self
    }

    /// Number of threads that use the filter at once. Default 1.
    #[must_use]
    pub const fn with_threads(mut self, threads: u32) -> Self {
        self.threads = threads;
        self
    }

    /// Who chooses the keys. Default: trusted.
    #[must_use]
    pub const fn with_keys_by(mut self, keys_by: KeysBy) -> Self {
        self.keys_by = keys_by;
        self
    }

    /// What a false positive costs, in nanoseconds: the lookup that finds nothing.
    #[must_use]
    pub const fn with_false_positive_ns(mut self, ns: f64) -> Self {
        self.false_positive_ns = Some(ns);
        self
    }

    /// What the lookup of a key that is there costs, in nanoseconds. Every filter lets it through,
    /// so it changes no ranking; it is part of the totals. Default 0.
    #[must_use]
    pub const fn with_lookup_ns(mut self, lookup_ns: f64) -> Self {
        self.lookup_ns = lookup_ns;
        self
    }

    /// Number of queries for each insert: how many share the cost of inserting a key, and of
    /// removing it where that is needed. Default 1.
    #[must_use]
    pub const fn with_queries_per_key(mut self, queries_per_key: f64) -> Self {
        self.queries_per_key = queries_per_key;
        self
    }

    /// Bytes of a key: in an exact set, and to hash. Default 8.
    #[must_use]
    pub const fn with_key_bytes(mut self, key_bytes: u64) -> Self {
        self.key_bytes = key_bytes;
        self
    }

    /// All keys are known when the filter is made, and none is added later.
    #[must_use]
    pub fn built_once(mut self) -> Self {
        self.built_once = true;
        self
    }

    /// The filter must be able to do this, too.
    #[must_use]
    pub fn need(mut self, need: Need) -> Self {
        let of = core::mem::discriminant::<Need>;
        let is_other = |kept: &Need| match need {
            Need::Beyond(_) => *kept != need,
            _ => of(kept) != of(&need),
        };
        self.needs.retain(is_other);
        self.needs.push(need);
        self
    }

    /// The keys.
    #[must_use]
    pub const fn keys(&self) -> Keys {
        self.keys
    }

    /// The needs, in the order given.
    #[must_use]
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }

    pub(super) fn has(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    pub(super) fn needs_remove(&self) -> bool {
        self.has(Need::Remove)
    }

    pub(super) fn is_shared(&self) -> bool {
        self.has(Need::SharedInsert)
    }

    pub(super) fn is_exact(&self) -> bool {
        self.has(Need::Exact)
    }

    pub(super) fn counts(&self) -> bool {
        self.most_copies().is_some()
    }

    /// The number of the first need that has this one.
    fn number(&self, of: impl Fn(Need) -> Option<u32>) -> Option<u32> {
        self.needs.iter().find_map(|&need| of(need))
    }

    pub(super) fn value_bits(&self) -> Option<u32> {
        self.number(|need| if let Need::Values { bits } = need { Some(bits) } else { None })
    }

    /// The most copies of a key that are to be told apart.
    pub(super) fn most_copies(&self) -> Option<u32> {
        self.number(|need| if let Need::Count { most } = need { Some(most) } else { None })
    }

    /// The generations, if it must forget by time.
    pub(super) fn generations(&self) -> Option<u32> {
        self.number(|need| match need {
            Need::Forget { generations } => Some(generations),
            _ => None,
        })
    }

    /// Copies of a key that are stored, where a filter keeps them: those that are counted, or one
    /// from each part that is merged.
    pub(super) fn stored_copies(&self) -> f64 {
        match (self.most_copies().map(f64::from), self.copies) {
            (Some(most), mean) => mean.unwrap_or(most).min(most),
            (None, Some(mean)) if self.has(Need::Merge) => mean,
            (None, _) => 1.0,
        }
    }

    /// Whether filters are merged of parts that share nobody knows how many keys, and do nothing
    /// else that takes a slot for each key.
    pub(super) fn merges_only(&self) -> bool {
        let plain = !self.needs_remove() && !self.has(Need::List) && !self.counts();
        plain && self.copies.is_none()
    }

    /// Bits of what belongs to a key: its value, its count, the generation that it came in.
    pub(super) fn beside_bits(&self) -> u32 {
        let bits = |most: u32| u32::BITS - most.leading_zeros();
        let [count, time] = [self.most_copies(), self.generations()].map(|it| it.map_or(0, bits));
        self.value_bits().unwrap_or(0) + count + time
    }

    /// How many keys there can be: integers below a number, or all of a few bytes.
    pub(super) fn universe(&self) -> Option<u64> {
        let short = (self.key_bytes < 8).then(|| 1 << (8 * self.key_bytes));
        self.below.into_iter().chain(short).min()
    }

    /// Whether it is a filter that is wanted, and not a value for each key.
    pub(super) fn is_filtered(&self) -> bool {
        self.value_bits().is_none()
    }

    /// Whether a rate matters that nobody named.
    pub(super) fn needs_a_rate(&self) -> bool {
        self.fpr.is_none() && self.is_filtered() && !self.is_exact()
    }

    /// Whether a rate matters that nobody named, and that no cost weighs.
    pub(super) fn needs_a_useful_rate(&self) -> bool {
        self.needs_a_rate() && self.false_positive_ns.is_none()
    }

    /// What is spared first.
    pub(super) fn spares(&self) -> First {
        let named = if self.false_positive_ns.is_some() { First::Time } else { First::Memory };
        self.first.unwrap_or(named)
    }

    /// Whether the filter must grow.
    pub(super) fn grows(&self) -> bool {
        // A conflict is looked for in filters that are built at once, too.
        let unknown = matches!(self.keys, Keys::Unknown { .. }) && !self.built_once;
        unknown || self.has(Need::Grow)
    }

    /// The most keys there will be, if that is known.
    pub(super) fn bound(&self) -> Option<u64> {
        Some(self.keys.planned()).filter(|_| !matches!(self.keys, Keys::Unknown { .. }))
    }

    /// Whether it grows to a bound.
    pub(super) fn is_bounded_growth(&self) -> bool {
        self.grows() && self.bound().is_some()
    }

    /// The most bytes allowed for a filter of this many keys; `None` if there is no limit.
    pub(super) fn allowed(&self, keys: u64) -> Option<u64> {
        // A float-to-integer cast saturates, as it should here.
        let of_bits = self.bits_per_key.map(|bits| (keys as f64 * bits / 8.0) as u64);
        match (self.bytes.map(|bytes| bytes / self.filters), of_bits) {
            (Some(bytes), Some(of_bits)) => Some(bytes.min(of_bits)),
            (bytes, of_bits) => bytes.or(of_bits),
        }
    }
}
