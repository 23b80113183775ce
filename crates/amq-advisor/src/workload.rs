//! The description of a workload.

use crate::Need;
use crate::error::ChooseError;
use crate::numbers::{Bytes, Number};

/// The rate if neither a rate nor a size is given.
pub const DEFAULT_FPR: f64 = 0.01;

/// The most keys of all filters together: sizes have 64 bits.
const MOST_KEYS: u64 = 1 << 60;

/// The number of distinct keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Keys {
    /// At most this number.
    AtMost(u64),
    /// Unknown: the filter starts with room for `start` keys and grows.
    Unknown {
        /// Keys expected at the start.
        start: u64,
    },
}

impl Keys {
    /// The number of keys that a filter is planned for.
    #[must_use]
    pub const fn planned(self) -> u64 {
        match self {
            Self::AtMost(keys) | Self::Unknown { start: keys } => keys,
        }
    }
}

/// What to minimise first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum First {
    /// Memory: the fewest bits that meet the rate.
    Memory,
    /// Time: the fewest nanoseconds within the allowed size, or within
    /// [`TIME_MAY_TAKE`](crate::TIME_MAY_TAKE) times the fewest bits if no size is given.
    Time,
    /// The tail: the lowest 99.9th percentile of insert times, within the same size as for time.
    /// For structures built from all keys at once, time.
    Tail,
}

/// Who chooses the keys that are inserted and queried.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum KeysBy {
    /// People and programs without malice.
    #[default]
    Trusted,
    /// Anyone.
    Strangers,
}

/// A workload: what a filter is needed for. Everything but the number of keys is optional.
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
#[must_use]
pub struct Workload {
    pub(crate) keys: Keys,
    pub(crate) fpr: Option<f64>,
    pub(crate) bits_per_key: Option<f64>,
    pub(crate) bytes: Option<u64>,
    pub(crate) built_once: bool,
    pub(crate) needs: Vec<Need>,
    pub(crate) copies: Option<f64>,
    pub(crate) absent: f64,
    pub(crate) threads: u32,
    pub(crate) keys_by: KeysBy,
    pub(crate) false_positive_ns: Option<f64>,
    pub(crate) lookup_ns: f64,
    pub(crate) queries_per_key: f64,
    pub(crate) key_bytes: u64,
    pub(crate) first: Option<First>,
    pub(crate) changes: Option<u64>,
    pub(crate) below: Option<u64>,
    pub(crate) filters: u64,
}

/// The builder methods.
impl Workload {
    /// A workload of this many keys, inserted one by one, where half of the queries are for absent
    /// keys. If neither a rate nor a size is given, the rate is [`DEFAULT_FPR`].
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
            changes: None,
            below: None,
            filters: 1,
        }
    }

    /// A false-positive rate of at most `fpr`.
    pub fn with_fpr(self, fpr: f64) -> Self {
        Self { fpr: Some(fpr), ..self }
    }

    /// At most this many bits per planned key.
    pub fn with_bits_per_key(self, bits_per_key: f64) -> Self {
        Self { bits_per_key: Some(bits_per_key), ..self }
    }

    /// At most this many bytes in total, for the tables of all [`filters`](Self::with_filters).
    pub fn with_bytes(self, bytes: u64) -> Self {
        Self { bytes: Some(bytes), ..self }
    }

    /// How often a key is inserted, on average. With [`Need::Count`] copies are stored, up to the
    /// highest count, and take space in filters that store fingerprints; without a mean, every key
    /// is assumed to have the highest count. With [`Need::Merge`] it is the number of parts that
    /// contain a key. Otherwise repeated keys are assumed to be skipped by `insert_unique`.
    /// Default: 1.
    pub fn with_copies(self, copies: f64) -> Self {
        Self { copies: Some(copies), ..self }
    }

    /// What to minimise first. Default: time if a false positive has a cost, memory otherwise.
    pub fn with_first(self, first: First) -> Self {
        Self { first: Some(first), ..self }
    }

    /// The number of keys (or of their values) that change from one version to the next. For a set
    /// that is sent to others, the answer compares sending the filter with sending the changes.
    pub fn with_changes(self, changes: u64) -> Self {
        Self { changes: Some(changes), ..self }
    }

    /// The keys are integers below this: a bitmap of them is exact, and may be smaller.
    pub fn with_integers_below(self, below: u64) -> Self {
        Self { below: Some(below), ..self }
    }

    /// The number of filters, each with that many keys; with [`Need::Merge`], that is the number of
    /// keys of their union. Sizes in the answer are those of one filter. Default: 1.
    pub fn with_filters(self, filters: u64) -> Self {
        Self { filters, ..self }
    }

    /// The share of queries for absent keys, from 0 to 1. Default: 0.5.
    pub fn with_absent(self, absent: f64) -> Self {
        Self { absent, ..self }
    }

    /// The number of threads that use the filter concurrently. Default: 1.
    pub fn with_threads(self, threads: u32) -> Self {
        Self { threads, ..self }
    }

    /// Who chooses the keys. Default: trusted.
    pub fn with_keys_by(self, keys_by: KeysBy) -> Self {
        Self { keys_by, ..self }
    }

    /// The cost of a false positive in nanoseconds: of a lookup that finds nothing.
    pub fn with_false_positive_ns(self, ns: f64) -> Self {
        Self { false_positive_ns: Some(ns), ..self }
    }

    /// The cost of looking up a present key, in nanoseconds. Every filter lets it through, so it
    /// does not change the ranking, only the totals. Default: 0.
    pub fn with_lookup_ns(self, lookup_ns: f64) -> Self {
        Self { lookup_ns, ..self }
    }

    /// The number of queries per insert, which share the cost of inserting a key, and of removing
    /// it if needed. Default: 1.
    pub fn with_queries_per_key(self, queries_per_key: f64) -> Self {
        Self { queries_per_key, ..self }
    }

    /// Bytes of a key, for exact sets and for hashing. Integers below a bound take no more than
    /// their type. Default: 8.
    pub fn with_key_bytes(self, key_bytes: u64) -> Self {
        Self { key_bytes, ..self }
    }

    /// All keys are known when the filter is built, and none is added later.
    pub fn built_once(self) -> Self {
        Self { built_once: true, ..self }
    }

    /// Adds a need. If it has a number, that replaces an earlier one.
    pub fn need(mut self, need: Need) -> Self {
        let of = core::mem::discriminant::<Need>;
        self.needs.retain(|kept| of(kept) != of(&need));
        self.needs.push(need);
        self
    }

    /// The number of keys.
    #[must_use]
    pub const fn keys(&self) -> Keys {
        self.keys
    }

    /// The needs, in the order given.
    #[must_use]
    pub fn needs(&self) -> &[Need] {
        &self.needs
    }
}

/// Properties derived from the description.
impl Workload {
    pub(crate) fn has(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    pub(crate) fn by_strangers(&self) -> bool {
        self.keys_by == KeysBy::Strangers
    }

    pub(crate) fn counts(&self) -> bool {
        self.most_copies().is_some()
    }

    pub(crate) fn value_bits(&self) -> Option<u32> {
        self.needs
            .iter()
            .find_map(|it| if let Need::Values { bits } = it { Some(*bits) } else { None })
    }

    /// The highest count of a key to distinguish.
    pub(crate) fn most_copies(&self) -> Option<u32> {
        self.needs
            .iter()
            .find_map(|it| if let Need::Count { most } = it { Some(*most) } else { None })
    }

    /// The generations, if it must forget by time.
    pub(crate) fn generations(&self) -> Option<u32> {
        self.needs.iter().find_map(|need| match need {
            Need::Forget { generations } => Some(*generations),
            _ => None,
        })
    }

    /// The number of copies of a key that are stored, if a filter keeps copies: those that are
    /// counted, or one from each merged part.
    pub(crate) fn stored_copies(&self) -> f64 {
        match (self.most_copies().map(f64::from), self.copies) {
            (Some(most), mean) => mean.unwrap_or(most).min(most),
            (None, Some(mean)) if self.has(Need::Merge) => mean,
            (None, _) => 1.0,
        }
    }

    /// Bits stored beside a key: its value, its count, or the generation of its insertion.
    pub(crate) fn bits_beside_key(&self) -> u32 {
        let bits = |most: u32| u32::BITS - most.leading_zeros();
        let [count, time] = [self.most_copies(), self.generations()].map(|it| it.map_or(0, bits));
        self.value_bits().unwrap_or(0) + count + time
    }

    /// The number of possible keys: integers below a bound, or all keys of a few bytes.
    pub(crate) fn universe(&self) -> Option<u64> {
        let short = (self.key_bytes < 8).then(|| 1 << (8 * self.key_bytes));
        self.below.into_iter().chain(short).min()
    }

    /// Bytes of a stored key: an integer takes those of the smallest type that holds it.
    pub(crate) fn kept_key_bytes(&self) -> u64 {
        let integer =
            |below: u64| u64::from((below.max(2) - 1).ilog2() / 8 + 1).next_power_of_two();
        self.below.map_or(self.key_bytes, |below| self.key_bytes.min(integer(below)))
    }

    /// Whether a rate matters but is not given.
    pub(crate) fn needs_a_rate(&self) -> bool {
        self.fpr.is_none() && self.value_bits().is_none() && !self.has(Need::Exact)
    }

    /// Whether a rate matters but neither a rate nor a cost of false positives is given.
    pub(crate) fn needs_a_useful_rate(&self) -> bool {
        self.needs_a_rate() && self.false_positive_ns.is_none()
    }

    pub(crate) fn spares(&self) -> First {
        let named = if self.false_positive_ns.is_some() { First::Time } else { First::Memory };
        self.first.unwrap_or(named)
    }

    /// Whether the filter must grow.
    pub(crate) fn grows(&self) -> bool {
        // Searching for a conflict also tries workloads that are built at once.
        self.bound().is_none() && !self.built_once || self.has(Need::Grow)
    }

    /// The maximum number of keys, if known.
    pub(crate) fn bound(&self) -> Option<u64> {
        Some(self.keys.planned()).filter(|_| !matches!(self.keys, Keys::Unknown { .. }))
    }

    pub(crate) fn grows_without_bound(&self) -> bool {
        self.grows() && self.bound().is_none()
    }

    pub(crate) fn grows_to_bound(&self) -> bool {
        self.grows() && self.bound().is_some()
    }

    /// The most bytes allowed for a filter of this many keys; `None` if there is no limit.
    pub(crate) fn allowed(&self, keys: u64) -> Option<u64> {
        // The cast saturates, as intended.
        let of_bits = self.bits_per_key.map(|bits| (keys as f64 * bits / 8.0) as u64);
        self.bytes.map(|bytes| bytes / self.filters).into_iter().chain(of_bits).min()
    }
}

/// The first part of the contradiction with `built_once`.
const BUILT_ONCE: &str = "keys that are all known when the filter is built (static)";

impl Workload {
    /// Checks for invalid numbers and contradictions, as [`choose`](crate::choose) does before it
    /// plans.
    pub fn check(&self) -> Result<(), ChooseError> {
        self.check_numbers()?;
        self.check_sizes()?;
        let pairs = [
            (self.bound().is_none(), "a number of keys that is not known"),
            (self.has(Need::Grow), "growing"),
            (self.generations().is_some(), "forgetting by time"),
        ];
        match pairs.into_iter().find(|(is_so, _)| *is_so && self.built_once) {
            Some((_, second)) => Err(ChooseError::Contradiction {
                first: BUILT_ONCE.into(),
                second: second.into(),
                way: "leave out one of them",
            }),
            None => Ok(()),
        }
    }

    fn check_numbers(&self) -> Result<(), ChooseError> {
        let least = |least| ([least, f64::INFINITY], false);
        let (more, share) = (([0.0, f64::INFINITY], true), ([0.0, 1.0], false));
        let filters = (MOST_KEYS / self.keys.planned().max(1)).max(1);
        let numbers = [
            ("keys", self.keys.planned() as f64, least(1.0)),
            ("fpr", self.fpr.unwrap_or(0.5), ([0.0, 1.0], true)),
            ("bytes", self.bytes.unwrap_or(1) as f64, least(1.0)),
            ("bits_per_key", self.bits_per_key.unwrap_or(1.0), more),
            ("queries_per_key", self.queries_per_key, more),
            ("absent", self.absent, share),
            ("copies", self.copies.unwrap_or(1.0), least(1.0)),
            ("threads", f64::from(self.threads), least(1.0)),
            ("key_bytes", self.key_bytes as f64, least(1.0)),
            ("filters", self.filters as f64, ([1.0, filters as f64], false)),
            ("false_positive_ns", self.false_positive_ns.unwrap_or(0.0), least(0.0)),
            ("lookup_ns", self.lookup_ns, least(0.0)),
            ("bits", self.value_bits().unwrap_or(1).into(), ([1.0, 32.0], false)),
            ("generations", self.generations().unwrap_or(2).into(), ([2.0, 4096.0], false)),
            ("most", self.most_copies().unwrap_or(1).into(), least(1.0)),
        ];
        for (name, value, ([min, max], open)) in numbers {
            let is_in =
                if open { min < value && value < max } else { (min..=max).contains(&value) };
            if !is_in || !value.is_finite() {
                return Err(ChooseError::Invalid { name, value, min, max, open });
            }
        }
        Ok(())
    }

    /// Refuses more keys, or more changed keys, than are possible.
    fn check_sizes(&self) -> Result<(), ChooseError> {
        let keys = self.keys.planned();
        if let Some(most) = self.universe().filter(|&most| keys > most) {
            let first = format!("{} different keys", Number(keys));
            let (second, way) = match self.below {
                Some(below) if below == most => (
                    format!("integers below {}", Number(most)),
                    "raise that bound, or name fewer keys",
                ),
                _ => (
                    format!("the {} of {}", Number(most), Bytes(self.key_bytes)),
                    "name fewer keys, or longer ones",
                ),
            };
            return Err(ChooseError::Contradiction { first, second, way });
        }
        match (self.changes, self.bound()) {
            (Some(changes), Some(keys)) if changes / 2 > keys => {
                let [changes, most, keys] =
                    [changes, keys.saturating_mul(2), keys].map(|it| Number(it).to_string());
                Err(ChooseError::Contradiction {
                    first: format!("{changes} changed keys"),
                    second: format!("sets of {keys} keys, which differ in {most} at most"),
                    way: "name fewer changes, or more keys",
                })
            }
            _ => Ok(()),
        }
    }
}
