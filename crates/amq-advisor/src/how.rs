//! How to use what was chosen: for copies that are counted, growth, builds larger than memory, and
//! keys that strangers choose.

use crate::consider::{smallest, smallest_of};
use crate::numbers::{Bytes, Number, Rate};
use crate::size::{MOST_COUNTED, budget};
use crate::{Answer, Choice, Demand, First, KeysBy, Need, Structure, Times, Workload, plan, size};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use amq::{AnyFilter, Budget, FilterKind, Goal};

/// The notes on it, where `filter` is the first filter, if one is worth it.
pub(super) fn notes(
    answer: &Answer,
    filter: Option<&Choice>,
    workload: &Workload,
    times: &Times,
) -> impl Iterator<Item = String> {
    let all = [
        filter.and_then(|_| split(answer, workload, times)),
        counting(answer, workload),
        filter.and_then(|it| growing(it, answer, workload)),
        filter.and_then(|_| lookups(answer, workload)),
        changing(workload, times),
        strangers(answer, filter.is_some(), workload),
    ];
    all.into_iter().flatten()
}

/// The most copies that a cascade counts in fewer bits than counters of four.
const MOST_IN_CASCADE: u32 = 4;

/// What copies take that are counted, and what takes any number of them.
fn counting(answer: &Answer, workload: &Workload) -> Option<String> {
    let (most, copies) = (workload.most_copies()?, workload.stored_copies());
    let given = match copies < f64::from(most) {
        true => "on average",
        false => "the most that are counted",
    };
    let slots = answer.filters().find(|it| it.structure.keeps_copies());
    let mut text = slots.map_or_else(String::new, |it| {
        let (it, each) = (it.structure, if copies == 1.0 { "copy" } else { "copies" });
        format!(
            "Planned for {copies} {each} of each key, {given}: in a {it} filter each copy takes a \
             slot. Query the count first, and insert a key only while it is below {most}: further \
             copies would take the slots of other keys."
        )
    });
    let is_plain = workload.generations().is_none() && !workload.is_shared() && !workload.grows();
    let keys = workload.keys.planned();
    if let (Budget::Fpr(fpr), true) = (budget(workload), is_plain && most <= MOST_COUNTED) {
        let planned = |kind| AnyFilter::plan(kind, Goal::fpr(keys, fpr)).ok();
        let bits = |bytes: u64| bytes as f64 * 8.0 / keys as f64;
        if let Some(counters) = planned(FilterKind::Counting) {
            text += &format!(
                " A counting Bloom filter takes any number of copies, in {:.1} bits per key; its \
                 4-bit counters stick at 15.",
                bits(counters.bytes)
            );
        }
        let alone = workload.needs.len() == 1 && (2..=MOST_IN_CASCADE).contains(&most);
        if let Some(bloom) = planned(FilterKind::Bloom).filter(|_| alone) {
            let one = bits(bloom.bytes);
            text += &format!(
                " So does a cascade of {most} Bloom filters, for the keys seen once, twice and so \
                 on, where each copy goes into the first filter that denies its key: {copies} x \
                 {one:.1} = {:.1} bits per key, {}{}; each has a rate of {}.",
                one * copies,
                Bytes((bloom.bytes as f64 * copies) as u64),
                if workload.copies.is_none() { ", or less if few keys repeat" } else { "" },
                Rate(bloom.expected_fpr)
            );
            text += &match most {
                2 => format!(
                    " To pass on only what comes again, one Bloom filter of all keys is enough, \
                     {one:.1} bits per key: what it has already goes to an exact table."
                ),
                _ => String::new(),
            };
        }
    }
    let quotient = Structure::Filter(FilterKind::Quotient);
    let is_often = copies > 4.0 && most > MOST_COUNTED;
    if let Some(it) = answer.filters().find(|it| is_often && it.structure == quotient) {
        text += &format!(
            " A counting quotient filter with variable-length counters (Pandey et al. 2017), which \
             this family lacks, takes three or four slots per key: {} at most.",
            Bytes((4.0 * it.bytes as f64 / copies) as u64)
        );
    }
    Some(text.trim_start().into()).filter(|text: &String| !text.is_empty())
}

/// How one that grows to a bound begins.
fn growing(choice: &Choice, answer: &Answer, workload: &Workload) -> Option<String> {
    let (kind, goal) = (choice.structure.kind()?, choice.goal?);
    let fpr = if let Budget::Fpr(fpr) = goal.budget { fpr } else { choice.fpr };
    let (it, keys, made, build) = match choice.structure {
        Structure::Sharded(_) => {
            let shards = size::shards(workload);
            let it = format!("Each of the {shards} shards");
            let keys = size::shard_keys(goal.keys, shards);
            (it, keys, ", for `Sharded::from_shards_unchecked`,", "")
        }
        _ => ("It".into(), goal.keys, "", " `amq build` makes it in full size at once."),
    };
    let (first, all) = (plan::first_keys(keys), Bytes(choice.bytes));
    let room = Number(first);
    let few = Some(format!("For so few keys, growing saves little: `plan` the full size, {all}."));
    let text = match kind {
        FilterKind::Quotient => {
            let plan = amq::QuotientFilter::plan_growing(Goal::fpr(keys, fpr), first).ok()?;
            if plan.params.bytes().saturating_mul(4) > choice.bytes {
                return few.filter(|_| workload.is_bounded_growth());
            }
            let small = Bytes(plan.params.bytes());
            let is_staged = |it: &&Choice| it.structure.kind() == Some(FilterKind::Scalable);
            let stages = answer.filters().find(is_staged).map_or_else(String::new, |it| {
                format!(
                    " A scalable filter adds a stage instead, in {:.1} bits per key.",
                    it.bits_per_key
                )
            });
            format!(
                "{it} begins with {small}, room for {room} keys, by \
                 `QuotientFilter::plan_growing(Goal::fpr({keys}, {fpr}), {first})`{made} and \
                 doubles, up to {all} in all; at each doubling, one insert waits until all keys \
                 have moved.{stages}{build}"
            )
        }
        FilterKind::Scalable | FilterKind::ScalableBlocked if first < 2 => few?,
        FilterKind::Scalable | FilterKind::ScalableBlocked => format!(
            "{it} begins with a stage for {room} keys, and each further stage is for 4 times as many, \
             up to {all} in all: `ScalableParams` sets the first stage, the growth and the bound."
        ),
        _ => return None,
    };
    workload.is_bounded_growth().then_some(text)
}

/// Bytes that many a machine has not got to build a filter.
pub(super) const LARGE: u64 = 64 << 30;

/// Into how many parts a build is split that takes more memory than there is: of the first, or of
/// the quickest that would be about the smallest.
fn split(answer: &Answer, workload: &Workload, times: &Times) -> Option<String> {
    let free = Workload { build_bytes: None, ..workload.clone() };
    let refused = answer.rejections.iter();
    let refused = refused.filter(|it| matches!(it.demand, Demand::BuildBytes(_)));
    let freed = refused.filter_map(|it| smallest(it.structure, &free, times).ok());
    let first = answer.filters().next().filter(|_| workload.built_once)?;
    let it = smallest_of(freed.chain([first.clone()]), workload)?;
    let parts = it.build_bytes.div_ceil(workload.build_bytes.unwrap_or(LARGE));
    (parts > 1).then(|| {
        format!(
            "Building a {} filter, {:.2} bits per key, in one piece takes {}. Split the keys by hash \
             into {parts} parts, each a filter of its own (`KeyHash::shard`): built one after the \
             other, they take {} at most.",
            it.structure,
            it.bits_per_key,
            Bytes(it.build_bytes),
            Bytes(it.build_bytes.div_ceil(parts))
        )
    })
}

/// Cache lines that a lookup reads at most, and how they lie.
fn lines(choice: &Choice) -> Option<(u64, &'static str)> {
    // Rows of 64 bits take 16 bytes for each column, in two blocks.
    let columns = libm::ceil(-libm::log2(choice.fpr)) as u64;
    let window = |bytes: u64| (bytes * columns).div_ceil(64) + 1;
    Some(match choice.structure.kind()? {
        FilterKind::Bloom => {
            (amq::BloomFilter::plan(choice.goal?).ok()?.params.probes.into(), " far apart")
        }
        FilterKind::BlockedBloom | FilterKind::WideBlockedBloom => (1, ""),
        FilterKind::Fuse => (3, " far apart"),
        FilterKind::Cuckoo | FilterKind::WindowedCuckoo => (4, " in two pairs"),
        FilterKind::Ribbon => (window(16), " adjacent, and one of thresholds, in each layer"),
        _ => return None,
    })
}

/// What bounds the tail of lookups, where it is asked for.
fn lookups(answer: &Answer, workload: &Workload) -> Option<String> {
    let said = |it: &Choice| lines(it).map(|(most, lie)| format!("{} {most}{lie}", it.structure));
    let said: Vec<String> = answer.filters().filter_map(said).take(4).collect();
    (workload.spares() == First::Tail && workload.built_once && !said.is_empty()).then(|| {
        format!(
            "Tails of lookups were not measured. A lookup reads at most this many cache lines: {}. \
             In a table larger than the caches, each line is an access to memory, and so is each \
             page without huge pages.",
            said.join(", ")
        )
    })
}

/// How values that change are kept in few bits.
fn changing(workload: &Workload, times: &Times) -> Option<String> {
    if workload.is_filtered() || workload.built_once && workload.changes.is_none() {
        return None;
    }
    let pairs = Workload::new(workload.keys).built_once();
    let pairs = pairs.need(Need::Values { bits: workload.value_bits()? });
    let map = smallest(Structure::Map, &Workload { fpr: workload.fpr, ..pairs }, times).ok()?;
    Some(format!(
        "If few values change, keep all of them in a ribbon map, {} at {:.2} bits per key, and the \
         changed ones in an exact map that is queried first; rebuild the ribbon map now and then.",
        Bytes(map.bytes),
        map.bits_per_key
    ))
}

/// What keys that strangers choose ask for.
fn strangers(answer: &Answer, is_filter: bool, workload: &Workload) -> Option<String> {
    let mut text = String::new();
    if matches!(answer.best().structure, Structure::ExactSet | Structure::ExactMap) {
        text += "Rust's `HashSet` and `HashMap` hash with SipHash under random keys, so strangers \
                 cannot cause collisions. ";
    }
    if is_filter {
        text += "Strangers can prepare keys that collide: wrap the filter in `Keyed`, which hashes \
                 with SipHash under a secret key (`amq build --key-file`); a secret seed is faster \
                 but weaker, since XXH3 is not a pseudorandom function. If a yes grants something, a \
                 filter alone must not decide: whoever tries enough keys finds false positives and \
                 can repeat them, so keep those that are found in an exact set.";
        text += if workload.built_once {
            ""
        } else {
            " A secret key does not stop strangers from filling the filter."
        };
        text += match workload.needs_remove() {
            true => " Let strangers remove only what an exact set behind the filter holds.",
            false => "",
        };
        text += " A filter hides no keys: whoever can query it can try every possible key.";
        text += " SECURITY.md says what chosen keys do to each filter.";
    }
    let is_asked = workload.keys_by == KeysBy::Strangers && !text.is_empty();
    is_asked.then(|| text.trim_end().into())
}
