//! Laws of `choose`, on grids: what is easier to give is never given for more.
//!
//! Among choices that tie within 3 % time decides, so the laws speak of the smallest filter, and
//! another one says that the first is never far from it. What is first by time is the law of
//! `records`.

use amq::{Abilities, FilterKind};
use amq_advisor::{Answer, Keys, Need, Structure, Workload, choose};
use std::collections::HashMap;

/// Bytes of the smallest filter; none if there is no answer.
fn smallest(workload: &Workload) -> Option<u64> {
    choose(workload).ok()?.filters().map(|choice| choice.bytes).min()
}

/// The lowest rate; none if there is no answer.
fn lowest(workload: &Workload) -> Option<f64> {
    choose(workload).ok()?.filters().map(|choice| choice.fpr).reduce(f64::min)
}

const NEEDS: [Need; 7] = [
    Need::Remove,
    Need::Count { most: 5 },
    Need::List,
    Need::Merge,
    Need::Grow,
    Need::SharedInsert,
    Need::Files,
];

/// The workload with the needs of a bit mask.
fn with_needs(workload: &Workload, mask: u32) -> Workload {
    let chosen = (0..NEEDS.len()).filter(|index| mask >> index & 1 == 1);
    chosen.fold(workload.clone(), |workload, index| workload.need(NEEDS[index]))
}

/// Kinds of use that the laws hold in: of known, bounded and unknown numbers of keys, built at once
/// or key by key.
fn uses(keys: u64) -> Vec<Workload> {
    let one = |keys| Workload::new(keys).with_copies(1.0);
    let (known, unknown) = (one(Keys::AtMost(keys)), one(Keys::Unknown { start: keys }));
    vec![known.clone(), unknown, known.built_once()]
}

const SIZES: [u64; 4] = [10, 300, 1_000_000, 3_000_000_000];

/// All sets of at most three needs.
fn masks() -> impl Iterator<Item = u32> {
    (0..1u32 << NEEDS.len()).filter(|mask| mask.count_ones() <= 3)
}

/// Calls `law` with what `measure` says of a workload with and without one of its needs.
fn each_drop<T: Copy>(
    base: &Workload,
    measure: impl Fn(&Workload) -> Option<T>,
    mut law: impl FnMut(T, Option<T>, Need),
) {
    let of: HashMap<u32, _> =
        masks().map(|mask| (mask, measure(&with_needs(base, mask)))).collect();
    for (mask, with) in &of {
        for index in (0..NEEDS.len()).filter(|index| mask >> index & 1 == 1) {
            if let Some(with) = with {
                law(*with, of[&(mask & !(1 << index))], NEEDS[index]);
            }
        }
    }
}

#[test]
fn dropping_a_need_never_makes_the_answer_larger() {
    let (mut compared, mut dropped) = (0, 0);
    for base in SIZES.into_iter().flat_map(uses).map(|base| base.with_fpr(0.004)) {
        each_drop(&base, smallest, |with, without, need| {
            let without = without.unwrap_or(u64::MAX);
            assert!(without <= with, "{base:?}: {without} without {need:?}, {with} with it");
            compared += 1;
            dropped += u64::from(without < with);
        });
    }
    assert!(compared > 1000 && dropped > 100, "{compared} {dropped}");
}

#[test]
fn dropping_a_need_never_makes_the_rate_higher() {
    let mut compared = 0;
    for base in [300, 1_000_000].into_iter().flat_map(uses).map(|base| base.with_bits_per_key(18.0))
    {
        each_drop(&base, lowest, |with, without, need| {
            let without = without.unwrap_or(1.0);
            assert!(without <= with, "{base:?}: {without} without {need:?}, {with} with it");
            compared += 1;
        });
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn to_know_all_keys_at_once_never_makes_the_answer_larger() {
    for keys in SIZES {
        let base = Workload::new(Keys::AtMost(keys)).with_fpr(0.004);
        for base in masks().map(|mask| with_needs(&base, mask)) {
            // What grows is never there at once.
            if base.needs().contains(&Need::Grow) {
                continue;
            }
            let (Some(one_by_one), at_once) =
                (smallest(&base), smallest(&base.clone().built_once()))
            else {
                continue;
            };
            assert!(at_once.is_some_and(|bytes| bytes <= one_by_one), "{base:?}");
        }
    }
}

/// Nothing needed; removing, counting, listing, several threads; growing.
const FEW: [u32; 6] = [0, 1 << 0, 1 << 1, 1 << 2, 1 << 5, GROW];
const GROW: u32 = 1 << 4;

#[test]
fn a_higher_rate_never_makes_the_answer_larger() {
    for base in SIZES.into_iter().flat_map(uses) {
        for mask in FEW {
            let base = with_needs(&base, mask);
            // A quotient filter that grows to a bound rounds its last table up to the doublings of
            // its first one: its plan promises to take at most 7 % more for it.
            let is_rounded = mask == GROW && !matches!(base.keys(), Keys::Unknown { .. });
            let rounding = if is_rounded { 1.07 } else { 1.0 };
            let mut last = 0;
            // From a half down to 2^-30, two steps to a halving.
            for half in 2..=60 {
                let fpr = (-f64::from(half) / 2.0).exp2();
                let Some(bytes) = smallest(&base.clone().with_fpr(fpr)) else {
                    break;
                };
                let least = last as f64 / rounding;
                assert!(bytes as f64 >= least, "{base:?}: {bytes} for {fpr}, {last} for more");
                last = last.max(bytes);
            }
        }
    }
}

#[test]
fn more_memory_never_gives_a_worse_rate() {
    for base in [10, 300, 1_000_000].into_iter().flat_map(uses) {
        for mask in FEW {
            let base = with_needs(&base, mask);
            let mut last = 1.0;
            // To plan growth for a size takes many plans.
            let step =
                if mask == GROW || matches!(base.keys(), Keys::Unknown { .. }) { 10 } else { 1 };
            for half in (1..=80).step_by(step) {
                let bits = f64::from(half) / 2.0;
                let Some(fpr) = lowest(&base.clone().with_bits_per_key(bits)) else {
                    continue;
                };
                assert!(fpr <= last, "{base:?}: {fpr} in {bits} bits, {last} in fewer");
                last = fpr;
            }
            // This budget in bytes.
            let bytes = (40 * base.keys().planned()).div_ceil(8);
            let in_bytes = lowest(&base.clone().with_bytes(bytes));
            assert!(in_bytes.is_none_or(|fpr| fpr <= last), "{base:?}");
        }
    }
}

#[test]
fn more_keys_never_take_fewer_bytes() {
    for mask in FEW {
        for fpr in [0.1, 0.000_1] {
            for built_once in [false, mask != GROW] {
                let (mut last, mut keys) = (0, 1);
                while keys < 2_000_000_000 {
                    let base = Workload::new(Keys::AtMost(keys)).with_fpr(fpr);
                    let base = if built_once { base.built_once() } else { base };
                    let bytes = smallest(&with_needs(&base, mask)).unwrap();
                    assert!(bytes >= last, "{keys} keys at {fpr}, needs {mask:b}: {bytes}, {last}");
                    last = bytes;
                    keys += 1 + keys / 7;
                }
            }
        }
    }
}

/// What must hold of each answer, whatever was asked.
fn check(workload: &Workload, answer: &Answer, fpr: Option<f64>, bits: Option<f64>) {
    assert!(!answer.choices.is_empty());
    let smallest = answer.filters().map(|choice| choice.bits_per_key).reduce(f64::min).unwrap();
    let first = answer.filters().next().unwrap();
    if let (Some(fpr), None) = (fpr, answer.without_ns) {
        assert!(first.bits_per_key <= smallest * 1.03, "{workload:?}\n{answer}");
        let mut best = smallest;
        for choice in answer.filters() {
            assert!(choice.fpr <= fpr * (1.0 + 1e-9), "{workload:?}\n{answer}");
            // A later choice is at most 3 % smaller than an earlier one.
            assert!(choice.bits_per_key * 1.03 >= best, "{workload:?}\n{answer}");
            best = best.max(choice.bits_per_key);
        }
    }
    if answer.without_ns.is_some() {
        // Of those no larger.
        let fitting = answer.filters().filter(|other| other.bits_per_key <= first.bits_per_key);
        let cheapest = fitting.filter_map(|choice| choice.cost_ns).reduce(f64::min);
        assert!(first.cost_ns <= cheapest.map(|ns| ns * 1.03), "{workload:?}\n{answer}");
    }
    for choice in answer.filters() {
        // While it grows without a bound, too.
        let most = choice.grown.map_or(choice.bits_per_key, |growth| growth.most);
        assert!(bits.is_none_or(|bits| most <= bits), "{workload:?}\n{answer}");
        assert!(choice.build_bytes >= choice.bytes && !choice.reason.is_empty());
        assert!(
            choice.query_ns.is_none_or(|ns| ns > 0.0) && choice.insert_ns.is_none_or(|ns| ns > 0.0)
        );
        let Some(kind) = choice.structure.kind() else {
            continue;
        };
        let can = Abilities::of(kind);
        for need in workload.needs() {
            let able = match need {
                Need::Remove => can.remove,
                Need::Count { .. } => can.count,
                Need::List => can.list,
                Need::Merge => can.merge,
                Need::Grow => can.grow,
                Need::SharedInsert => !matches!(choice.structure, Structure::Filter(_)),
                _ => true,
            };
            assert!(able, "{need:?} by {kind}: {workload:?}");
        }
    }
    // Every kind is chosen or rejected, none both, none twice.
    for kind in FilterKind::ALL {
        let of_kind = |structure: Structure| {
            [Structure::Filter(kind), Structure::Sharded(kind)].contains(&structure)
        };
        let chosen = answer.choices.iter().filter(|choice| of_kind(choice.structure)).count();
        let rejected = answer.rejections.iter().filter(|one| of_kind(one.structure)).count();
        assert_eq!(chosen + rejected, 1, "{kind}: {workload:?}");
    }
}

#[test]
fn every_answer_keeps_what_was_asked_and_its_own_rule() {
    let mut answered = 0;
    for base in [10, 300, 1_000_000].into_iter().flat_map(uses) {
        for mask in masks() {
            let base = with_needs(&base, mask);
            for (fpr, bits) in [(Some(0.01), None), (None, Some(14.0)), (Some(0.05), Some(20.0))] {
                let mut workload = base.clone();
                workload = fpr.map_or(workload.clone(), |fpr| workload.with_fpr(fpr));
                workload = bits.map_or(workload.clone(), |bits| workload.with_bits_per_key(bits));
                if mask % 3 == 0 {
                    workload = workload.with_false_positive_ns(1000.0).with_absent(0.7);
                }
                if let Ok(answer) = choose(&workload) {
                    check(&workload, &answer, fpr, bits);
                    answered += 1;
                }
            }
        }
    }
    assert!(answered > 900, "{answered}");
}

/// Sizes are remembered from answer to answer.
#[test]
fn an_answer_does_not_depend_on_those_before_it() {
    let bases = [300, 100_000].into_iter().flat_map(uses);
    let needs = FEW.into_iter().chain([GROW | 1]);
    let bases = bases.flat_map(|base| needs.clone().map(move |mask| with_needs(&base, mask)));
    let answer = |workload: &Workload| format!("{:?}", choose(workload));
    for base in bases {
        for workload in [base.clone().with_fpr(0.01), base.with_bits_per_key(20.0)] {
            let alone = std::thread::scope(|threads| threads.spawn(|| answer(&workload)).join());
            assert_eq!(answer(&workload), alone.unwrap(), "{workload:?}");
        }
    }
}
