//! The operations of each type, called as by a user.
//!
//! There are 50,000 keys, and filters are planned for them at 1 %.
#![allow(clippy::unwrap_used, reason = "an operation that fails ends the program")]

use amq::bloom::{AtomicBlockedBloomFilter, AtomicBloomFilter};
use amq::{
    AnyFilter, BlockedBloomFilter, BlockedCountingBloomFilter, BloomFilter, BuildError, Count,
    CountingBloomFilter, CuckooFilter, DEFAULT_SEED, DecodeError, ExpandableQuotientFilter, Filter,
    FilterExt, FilterFile, FilterKind, FuseFilter, Goal, Key, KeyHash, QuotientFilter,
    RibbonFilter, RibbonMap, ScalableBlockedBloomFilter, ScalableBloomFilter,
    WideBlockedBloomFilter, WindowedCuckooFilter,
};
use std::fmt::Debug;
use std::hint::black_box;
use std::mem::forget;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

pub(crate) const KEYS: usize = 50_000;
/// Strings of 8 bytes, and the integers of the same bytes, which are the same keys.
struct Keys {
    texts: Vec<String>,
    integers: Vec<u64>,
}

impl Keys {
    fn from(first: usize) -> Self {
        let text = |i: usize| format!("{:08x}", (i as u32).wrapping_mul(0x9e37_79b1));
        let texts: Vec<String> = (first..first + KEYS).map(text).collect();
        let integer = |text: &String| u64::from_le_bytes(text.as_bytes().try_into().unwrap());
        let integers = texts.iter().map(integer).collect();
        Self { texts, integers }
    }
}

static PRESENT: LazyLock<Keys> = LazyLock::new(|| Keys::from(0));
static ABSENT: LazyLock<Keys> = LazyLock::new(|| Keys::from(KEYS));
static HASHES: LazyLock<Vec<KeyHash>> =
    LazyLock::new(|| present().iter().map(|key| key.key_hash(DEFAULT_SEED)).collect());

const GOAL: Goal = Goal::fpr(KEYS as u64, 0.01);
pub(crate) const ONE: RangeInclusive<usize> = 1..=1;
const ALL: RangeInclusive<usize> = KEYS..=KEYS;
const FEW: RangeInclusive<usize> = 0..=KEYS / 20;

fn present() -> &'static [u64] {
    &PRESENT.integers
}

/// A filter of the keys that are present.
fn filled<F, E: Debug, R>(
    new: impl Fn(Goal) -> Result<F, E>,
    insert: impl Fn(&mut F, &u64) -> R,
) -> F {
    let mut filter = new(GOAL).unwrap();
    for key in present() {
        insert(&mut filter, key);
    }
    filter
}

/// An operation that is ready to run once, and its allowed results: the number of keys inserted,
/// found and so on, or 1 for an operation on a whole filter.
pub(crate) struct Prepared {
    pub(crate) run: Box<dyn FnMut() -> usize>,
    pub(crate) may_return: RangeInclusive<usize>,
}

/// The names of all operations, and the selected one.
#[derive(Default)]
pub(crate) struct Operations {
    wanted: Option<String>,
    pub(crate) names: Vec<String>,
    pub(crate) found: Option<Prepared>,
}

impl Operations {
    fn add<R: FnMut() -> usize + 'static>(
        &mut self,
        [kind, operation]: [&str; 2],
        may_return: RangeInclusive<usize>,
        prepare: impl FnOnce() -> R,
    ) {
        let name = format!("{kind}/{operation}");
        if self.wanted.as_ref() == Some(&name) {
            self.found = Some(Prepared { run: Box::new(prepare()), may_return });
        }
        self.names.push(name);
    }

    /// Makes a filter. Freeing it is not counted.
    fn make<F, E: Debug>(
        &mut self,
        name: [&str; 2],
        returns: usize,
        make: impl Fn() -> Result<F, E> + 'static,
    ) {
        self.add(name, returns..=returns, || {
            LazyLock::force(&PRESENT);
            move || {
                forget(black_box(make().unwrap()));
                returns
            }
        });
    }

    /// Does something with each key.
    fn each<F: 'static, K: 'static>(
        &mut self,
        name: [&str; 2],
        may_return: RangeInclusive<usize>,
        filter: impl Fn() -> F,
        keys: fn() -> &'static [K],
        act: impl Fn(&mut F, &K) -> bool + 'static,
    ) {
        self.add(name, may_return, || {
            let (mut filter, keys) = (filter(), keys());
            move || keys.iter().filter(|key| act(&mut filter, key)).count()
        });
    }

    fn fill<F: 'static, E: Debug + 'static, R>(
        &mut self,
        kind: &str,
        new: impl Fn(Goal) -> Result<F, E> + Copy + 'static,
        insert: impl Fn(&mut F, &u64) -> R + 'static,
    ) {
        self.make([kind, "new"], 1, move || new(GOAL));
        let empty = || new(GOAL).unwrap();
        self.each([kind, "insert"], ALL, empty, present, move |filter, key| {
            black_box(insert(filter, key));
            true
        });
    }

    fn ask<F: 'static, E: Debug>(
        &mut self,
        kind: &str,
        full: impl Fn() -> F,
        contains: impl Fn(&F, &u64) -> bool + Copy + 'static,
        contains_str: impl Fn(&F, &str) -> bool + Copy + 'static,
        contains_keys: impl Fn(&F, &[u64], &mut [bool]) -> Result<(), E> + 'static,
    ) {
        let ask = move |filter: &mut F, key: &u64| contains(filter, key);
        self.each([kind, "contains_hit"], ALL, &full, present, ask);
        self.each([kind, "contains_miss"], FEW, &full, || &ABSENT.integers, ask);
        let ask = move |filter: &mut F, key: &String| contains_str(filter, key);
        self.each([kind, "contains_str_hit"], ALL, &full, || &PRESENT.texts, ask);
        self.each([kind, "contains_str_miss"], FEW, &full, || &ABSENT.texts, ask);
        self.add([kind, "contains_keys"], KEYS / 2..=KEYS / 2 + KEYS / 20, || {
            let pairs = PRESENT.integers.iter().zip(&ABSENT.integers);
            let keys: Vec<u64> = pairs.flat_map(|(a, b)| [*a, *b]).take(KEYS).collect();
            let (filter, mut answers) = (full(), vec![false; KEYS]);
            move || {
                contains_keys(&filter, &keys, &mut answers).unwrap();
                answers.iter().filter(|answer| **answer).count()
            }
        });
    }

    fn remove<F: 'static>(
        &mut self,
        kind: &str,
        full: impl Fn() -> F,
        remove: impl Fn(&mut F, &u64) -> bool + 'static,
        count: impl Fn(&F, &u64) -> Count + 'static,
    ) {
        self.each([kind, "remove"], ALL, &full, present, remove);
        let is_counted = move |filter: &mut F, key: &u64| count(filter, key).estimate > 0;
        self.each([kind, "count"], ALL, &full, present, is_counted);
    }

    fn file<F: 'static>(
        &mut self,
        kind: &str,
        full: impl Fn() -> F,
        to_bytes: impl Fn(&F) -> Result<Vec<u8>, BuildError>,
        from_bytes: impl Fn(&[u8]) -> Result<F, DecodeError> + 'static,
        view: impl Fn(&[u8]) -> bool + 'static,
    ) {
        self.add([kind, "from_bytes"], ONE, || {
            let bytes = to_bytes(&full()).unwrap();
            move || {
                forget(black_box(from_bytes(&bytes).unwrap()));
                1
            }
        });
        self.add([kind, "view"], ONE, || {
            // Some views need their bytes aligned.
            let bytes = to_bytes(&full()).unwrap();
            let mut buffer = vec![0; bytes.len() + 64];
            let start = buffer.as_ptr().align_offset(64);
            buffer[start..start + bytes.len()].copy_from_slice(&bytes);
            move || usize::from(view(&buffer[start..start + bytes.len()]))
        });
    }

    /// All operations; prepares the selected one.
    pub(crate) fn all(wanted: Option<&str>) -> Self {
        let mut all = Self { wanted: wanted.map(str::to_owned), ..Self::default() };
        for kind in KINDS {
            kind(&mut all);
        }
        all
    }
}

const KINDS: [fn(&mut Operations); 17] = [
    bloom,
    blocked_bloom,
    wide_blocked_bloom,
    atomic_bloom,
    atomic_blocked_bloom,
    counting,
    blocked_counting,
    scalable,
    scalable_blocked,
    cuckoo,
    windowed_cuckoo,
    quotient,
    expandable_quotient,
    ribbon,
    fuse,
    ribbon_map,
    any_cuckoo,
];

fn bloom(all: &mut Operations) {
    type F = BloomFilter;
    let (kind, full) = ("BloomFilter", || filled(F::new, F::insert));
    all.fill(kind, F::new, F::insert);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| F::view(b).is_ok());
}

fn blocked_bloom(all: &mut Operations) {
    type F = BlockedBloomFilter;
    let (kind, full) = ("BlockedBloomFilter", || filled(F::new, F::insert));
    all.fill(kind, F::new, F::insert);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| F::view(b).is_ok());
}

fn wide_blocked_bloom(all: &mut Operations) {
    type F = WideBlockedBloomFilter;
    let (kind, full) = ("WideBlockedBloomFilter", || filled(F::new, F::insert));
    all.fill(kind, F::new, F::insert);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| F::view(b).is_ok());
}

fn atomic_bloom(all: &mut Operations) {
    type F = AtomicBloomFilter;
    let (kind, full) = ("AtomicBloomFilter", || filled(F::new, |f, k| f.insert(k)));
    all.fill(kind, F::new, |f, k| f.insert(k));
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
}

fn atomic_blocked_bloom(all: &mut Operations) {
    type F = AtomicBlockedBloomFilter;
    let (kind, full) = ("AtomicBlockedBloomFilter", || filled(F::new, |f, k| f.insert(k)));
    all.fill(kind, F::new, |f, k| f.insert(k));
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
}

fn counting(all: &mut Operations) {
    type F = CountingBloomFilter;
    let (kind, full) = ("CountingBloomFilter", || filled(F::new, F::insert));
    all.fill(kind, F::new, F::insert);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.remove(kind, full, F::remove, F::count);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| F::view(b).is_ok());
}

fn blocked_counting(all: &mut Operations) {
    type F = BlockedCountingBloomFilter;
    let (kind, full) = ("BlockedCountingBloomFilter", || filled(F::new, F::insert));
    all.fill(kind, F::new, F::insert);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.remove(kind, full, F::remove, F::count);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| F::view(b).is_ok());
}

fn scalable(all: &mut Operations) {
    type F = ScalableBloomFilter;
    let (kind, full) = ("ScalableBloomFilter", || filled(F::new, F::insert));
    all.fill(kind, F::new, F::insert);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| F::view(b).is_ok());
}

fn scalable_blocked(all: &mut Operations) {
    type F = ScalableBlockedBloomFilter;
    let (kind, full) = ("ScalableBlockedBloomFilter", || filled(F::new, F::insert));
    all.fill(kind, F::new, F::insert);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| F::view(b).is_ok());
}

fn cuckoo(all: &mut Operations) {
    type F = CuckooFilter;
    let (kind, full) = ("CuckooFilter", || filled(F::new, F::insert));
    all.fill(kind, F::new, F::insert);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.remove(kind, full, F::remove, F::count);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| CuckooFilter::view(b).is_ok());
}

fn windowed_cuckoo(all: &mut Operations) {
    type F = WindowedCuckooFilter;
    let (kind, full) = ("WindowedCuckooFilter", || filled(F::new, F::insert));
    all.fill(kind, F::new, F::insert);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.remove(kind, full, F::remove, F::count);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| WindowedCuckooFilter::view(b).is_ok());
}

fn quotient(all: &mut Operations) {
    type F = QuotientFilter;
    let (kind, full) = ("QuotientFilter", || filled(F::new, F::insert));
    all.fill(kind, F::new, F::insert);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.remove(kind, full, F::remove, F::count);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| F::view(b).is_ok());
}

fn expandable_quotient(all: &mut Operations) {
    type F = ExpandableQuotientFilter;
    let (kind, full) = ("ExpandableQuotientFilter", || filled(F::new, F::insert));
    all.fill(kind, F::new, F::insert);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.remove(kind, full, F::remove, F::count);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| F::view(b).is_ok());
}

fn ribbon(all: &mut Operations) {
    type F = RibbonFilter;
    let (kind, build) = ("RibbonFilter", || F::build(GOAL, present()));
    let full = || build().unwrap();
    all.make([kind, "build"], KEYS, build);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| RibbonFilter::view(b).is_ok());
}

fn fuse(all: &mut Operations) {
    type F = FuseFilter;
    let (kind, build) = ("FuseFilter", || F::build(GOAL, present()));
    let full = || build().unwrap();
    all.make([kind, "build"], KEYS, build);
    all.ask(kind, full, F::contains, F::contains, F::contains_keys);
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| F::view(b).is_ok());
}

fn ribbon_map(all: &mut Operations) {
    type F = RibbonMap;
    let value = |key: &u64| *key as u32 & 255;
    let build = move || F::build(8, present().iter().map(|key| (key, value(key))));
    let (kind, full) = ("RibbonMap", move || build().unwrap());
    all.make([kind, "build"], KEYS, build);
    all.each([kind, "get"], ALL, full, present, move |map, key| map.get(key) == value(key));
    all.file(kind, full, F::to_bytes, F::from_bytes, |b| RibbonMap::view(b).is_ok());
}

/// What choosing the kind at run time adds.
fn any_cuckoo(all: &mut Operations) {
    let (kind, new) = ("AnyFilter/cuckoo", |goal| AnyFilter::new(FilterKind::Cuckoo, goal));
    let full = move || filled(new, |filter, key| filter.insert(key));
    let has = |filter: &mut AnyFilter, hash: &KeyHash| filter.contains_hash(*hash);
    all.each([kind, "contains_hash"], ALL, full, || &HASHES, has);
    let empty = move || new(GOAL).unwrap();
    all.each([kind, "insert"], ALL, empty, present, |filter, key| {
        black_box(filter.insert(key)).is_ok()
    });
    all.each([kind, "remove"], ALL, full, present, |filter, key| filter.remove(key).unwrap());
}
