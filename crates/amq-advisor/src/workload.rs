//! What a filter is wanted for.

use crate::Need;
use crate::error::ChooseError;
use crate::numbers::{Bytes, Number};

/// The rate planned for where neither a rate nor a size is asked for.
pub const DEFAULT_FPR: f64 = 0.01;

/// The most keys of all filters together: sizes have 64 bits.
const MOST_KEYS: u64 = 1 << 60;

/// How many distinct keys there will be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Keys {
    /// This number, or at most this number.
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
            Self::AtMost(keys) | Self::Unknown { start: keys } => keys,
        }
    }
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
    /// for time. For what is built from all keys at once, time.
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

/// The description, one word at a time.
impl Workload {
    /// This many keys, inserted one by one, and asked for half of the time. If neither a rate nor
    /// a size is given, the rate is [`DEFAULT_FPR`].
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

    /// At most this many bytes, in the tables of all [`filters`](Self::with_filters) together.
    pub fn with_bytes(self, bytes: u64) -> Self {
        Self { bytes: Some(bytes), ..self }
    }

    /// How often a key is inserted, on average. With [`Need::Count`] each copy is kept, up to the
    /// most that are counted, and takes room in filters that store fingerprints; if no mean is
    /// given, there is room for as many of every key. With [`Need::Merge`] it is the number of
    /// parts that hold a key. Otherwise a key that comes again is not stored again, by
    /// `insert_unique`. Default 1.
    pub fn with_copies(self, copies: f64) -> Self {
        Self { copies: Some(copies), ..self }
    }

    /// What to spare first. Default: time if a false positive has a cost, memory otherwise.
    pub fn with_first(self, first: First) -> Self {
        Self { first: Some(first), ..self }
    }

    /// The keys (or their values) that change from one edition to the next. For a set that is sent
    /// to others, the answer compares sending the filter with sending the changes.
    pub fn with_changes(self, changes: u64) -> Self {
        Self { changes: Some(changes), ..self }
    }

    /// The keys are integers below this: a bitmap of them is exact, and may be smaller.
    pub fn with_integers_below(self, below: u64) -> Self {
        Self { below: Some(below), ..self }
    }

    /// The number of filters, each of that many keys; with [`Need::Merge`], of the keys of their
    /// union. Sizes in the answer are those of one. Default 1.
    pub fn with_filters(self, filters: u64) -> Self {
        Self { filters, ..self }
    }

    /// Share of queries for keys that are not in, from 0 to 1. Default 0.5.
    pub fn with_absent(self, absent: f64) -> Self {
        Self { absent, ..self }
    }

    /// Number of threads that use the filter at once. Default 1.
    pub fn with_threads(self, threads: u32) -> Self {
        Self { threads, ..self }
    }

    /// Who chooses the keys. Default: trusted.
    pub fn with_keys_by(self, keys_by: KeysBy) -> Self {
        Self { keys_by, ..self }
    }

    /// What a false positive costs, in nanoseconds: the lookup that finds nothing.
    pub fn with_false_positive_ns(self, ns: f64) -> Self {
        Self { false_positive_ns: Some(ns), ..self }
    }

    /// What the lookup of a key that is there costs, in nanoseconds. Every filter lets it through,
    /// so it changes no ranking; it is part of the totals. Default 0.
    pub fn with_lookup_ns(self, lookup_ns: f64) -> Self {
        Self { lookup_ns, ..self }
    }

    /// Number of queries for each insert: how many share the cost of inserting a key, and of
    /// removing it where that is needed. Default 1.
    pub fn with_queries_per_key(self, queries_per_key: f64) -> Self {
        Self { queries_per_key, ..self }
    }

    /// Bytes of a key: in an exact set, and to hash. Integers below a bound take no more than their
    /// type. Default 8.
    pub fn with_key_bytes(self, key_bytes: u64) -> Self {
        Self { key_bytes, ..self }
    }

    /// All keys are known when the filter is made, and none is added later.
    pub fn built_once(self) -> Self {
        Self { built_once: true, ..self }
    }

    /// The filter must be able to do this, too. A number replaces an earlier one.
    pub fn need(mut self, need: Need) -> Self {
        let of = core::mem::discriminant::<Need>;
        self.needs.retain(|kept| of(kept) != of(&need));
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
}

/// What follows from the description.
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

    /// The most copies of a key that are to be told apart.
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

    /// Copies of a key that are stored, where a filter keeps them: those that are counted, or one
    /// from each part that is merged.
    pub(crate) fn stored_copies(&self) -> f64 {
        match (self.most_copies().map(f64::from), self.copies) {
            (Some(most), mean) => mean.unwrap_or(most).min(most),
            (None, Some(mean)) if self.has(Need::Merge) => mean,
            (None, _) => 1.0,
        }
    }

    /// Bits of what belongs to a key: its value, its count, the generation that it came in.
    pub(crate) fn bits_beside_key(&self) -> u32 {
        let bits = |most: u32| u32::BITS - most.leading_zeros();
        let [count, time] = [self.most_copies(), self.generations()].map(|it| it.map_or(0, bits));
        self.value_bits().unwrap_or(0) + count + time
    }

    /// How many keys there can be: integers below a number, or all of a few bytes.
    pub(crate) fn universe(&self) -> Option<u64> {
        let short = (self.key_bytes < 8).then(|| 1 << (8 * self.key_bytes));
        self.below.into_iter().chain(short).min()
    }

    /// Bytes of a key that is kept: an integer takes those of the shortest type that holds it.
    pub(crate) fn kept_key_bytes(&self) -> u64 {
        let integer =
            |below: u64| u64::from((below.max(2) - 1).ilog2() / 8 + 1).next_power_of_two();
        self.below.map_or(self.key_bytes, |below| self.key_bytes.min(integer(below)))
    }

    /// Whether a rate matters that nobody named.
    pub(crate) fn needs_a_rate(&self) -> bool {
        self.fpr.is_none() && self.value_bits().is_none() && !self.has(Need::Exact)
    }

    /// Whether a rate matters that nobody named, and that no cost weighs.
    pub(crate) fn needs_a_useful_rate(&self) -> bool {
        self.needs_a_rate() && self.false_positive_ns.is_none()
    }

    pub(crate) fn spares(&self) -> First {
        let named = if self.false_positive_ns.is_some() { First::Time } else { First::Memory };
        self.first.unwrap_or(named)
    }

    /// Whether the filter must grow.
    pub(crate) fn grows(&self) -> bool {
        // A conflict is looked for in filters that are built at once, too.
        self.bound().is_none() && !self.built_once || self.has(Need::Grow)
    }

    /// The most keys there will be, if that is known.
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
        // A float-to-integer cast saturates, as it should here.
        let of_bits = self.bits_per_key.map(|bits| (keys as f64 * bits / 8.0) as u64);
        self.bytes.map(|bytes| bytes / self.filters).into_iter().chain(of_bits).min()
    }
}

/// What all keys known beforehand contradict.
const BUILT_ONCE: &str = "keys that are all known when the filter is built (static)";

impl Workload {
    /// Refuses what no workload can be, as [`choose`](crate::choose) does before it plans.
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

    /// Refuses more keys, or more changed ones, than there can be.
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
