//! The size of a structure for a workload, from the variants' plans, or the demand that it fails to
//! meet.

use crate::exact::hash_table;
use crate::growth::DOUBLINGS;
use crate::numbers::{Bytes, Number, Rate};
use crate::tolerances::USELESS_FPR;
use crate::{DEFAULT_FPR, Demand, Growth, Keys, Need, Structure, Workload};
use amq::sharded::shard_keys;
use amq::{AnyFilter, Budget, FilterKind, Goal, PlanError, PlanFilter};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Bits of a counter of this family, and the highest count that it distinguishes: it saturates at
/// 15.
const COUNTER_BITS: u64 = 4;
pub(crate) const MOST_COUNTED: u32 = 14;

/// The most bits of a map's values.
pub(crate) const MOST_VALUE_BITS: u32 = 32;

/// A filter for a rate below `LOW_FPR` that takes more than `USELESS_TIMES` times the bytes of the
/// keys themselves is useless.
const LOW_FPR: f64 = 1e-6;
const USELESS_TIMES: u64 = 16;

/// Why a structure has no size: the demand that it fails to meet, and a sentence.
pub(crate) type Failure = (Demand, String);

/// Bytes and rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Size {
    /// The number of keys (or of copies) that it has room for.
    pub(crate) keys: u64,
    pub(crate) bytes: u64,
    pub(crate) build_bytes: u64,
    pub(crate) fpr: f64,
    /// Bits per key of the workload while it grows without a bound.
    pub(crate) grown: Option<Growth>,
}

impl Size {
    /// A fixed size, which is also the peak while it is filled.
    const fn fixed(keys: u64, bytes: u64, fpr: f64) -> Self {
        Self { keys, bytes, build_bytes: bytes, fpr, grown: None }
    }

    /// The most bytes, with this many keys of the workload.
    fn most_bytes(&self, keys: u64) -> u64 {
        self.grown.map_or(self.bytes, |growth| (growth.most * keys as f64 / 8.0) as u64)
    }
}

/// The requested rate if there is one, else the size.
pub(crate) fn budget(workload: &Workload) -> Budget {
    match (workload.fpr, workload.allowed(workload.keys.planned())) {
        (Some(fpr), _) => Budget::Fpr(fpr),
        (None, Some(bytes)) => Budget::Bytes(bytes),
        (None, None) => Budget::Fpr(DEFAULT_FPR),
    }
}

/// The size of the structure for this workload, within a budget. It must have the abilities that
/// the workload needs.
pub(crate) fn size(
    structure: Structure,
    budget: Budget,
    workload: &Workload,
) -> Result<Size, Failure> {
    let keys = entries(structure, workload);
    let goal = Goal::new(keys, budget);
    let planned = match structure {
        Structure::Map => return map(keys, budget, workload),
        Structure::Sharded(kind) => sharded(goal, workload, |shard| of_kind(kind, shard, workload)),
        Structure::ShardedPeriods(kind) => {
            sharded(goal, workload, |shard| generations(kind, shard, workload))
        }
        Structure::Periods(kind) => generations(kind, goal, workload),
        // Generations that grow have no bound of their own.
        Structure::Rolling(kind) | Structure::ShardedRolling(kind) => {
            let start = if workload.grows_to_bound() { first_keys(keys) } else { keys };
            let goal = Goal::new(start, budget);
            let keys = if workload.grows() { Keys::Unknown { start } } else { workload.keys };
            let open = Workload { keys, ..workload.clone() };
            match structure.is_sharded() {
                true => sharded(goal, &open, |shard| generations(kind, shard, &open)),
                false => generations(kind, goal, &open),
            }
        }
        Structure::Filter(kind) | Structure::Atomic(kind) => of_kind(kind, goal, workload),
        _ => return Err((Demand::Keys(workload.keys), "is not a filter".into())),
    };
    let mut size = planned.map_err(|error| failure(&error, workload))?;
    // So far it is per entry.
    let copies = keys as f64 / workload.keys.planned() as f64;
    size.grown = size.grown.map(|growth| growth.times(copies));
    check(&size, workload).map(|()| size)
}

/// The number of keys, or of copies if each has a slot of its own.
fn entries(structure: Structure, workload: &Workload) -> u64 {
    let copies = if structure.keeps_copies() { workload.stored_copies() } else { 1.0 };
    match workload.keys.planned() {
        keys if copies > 1.0 => libm::ceil(keys as f64 * copies) as u64,
        keys => keys,
    }
}

/// What a size depends on: the kind, the keys, the budget, whether it grows and is built at once,
/// and the bound on its keys.
type Of = (&'static str, u64, [u64; 2], [bool; 2], Option<u64>);
type Sizes = BTreeMap<Of, Result<Size, PlanError>>;

/// Sizes that are remembered, at most: two or three answers ask for that many.
const REMEMBERED: usize = 2000;

thread_local! {
    /// Sizes by what they depend on. To rank by time, to find a conflict and to answer the next
    /// workload ask for many of them again, and planning is most of an answer's time.
    static SIZES: RefCell<Sizes> = const { RefCell::new(Sizes::new()) };
}

/// A filter of this kind: of fixed size, or growing if the workload grows.
fn of_kind(kind: FilterKind, goal: Goal, workload: &Workload) -> Result<Size, PlanError> {
    let budget = match goal.budget {
        Budget::Fpr(fpr) => [0, fpr.to_bits()],
        Budget::BitsPerKey(bits) => [1, bits.to_bits()],
        Budget::Bytes(bytes) => [2, bytes],
    };
    let how = [workload.grows(), workload.built_once];
    let of = (kind.id(), goal.keys, budget, how, workload.bound());
    if let Some(size) = SIZES.with_borrow(|sizes| sizes.get(&of).copied()) {
        return size;
    }
    let size = planned_or_growing(kind, goal, workload);
    SIZES.with_borrow_mut(|sizes| {
        if sizes.len() >= REMEMBERED {
            sizes.clear();
        }
        sizes.insert(of, size);
    });
    size
}

fn planned_or_growing(
    kind: FilterKind,
    goal: Goal,
    workload: &Workload,
) -> Result<Size, PlanError> {
    match (workload.grows(), goal.budget) {
        (false, _) => planned(kind, goal, workload),
        (true, Budget::Fpr(fpr)) => growing(kind, goal.keys, fpr, workload),
        (true, _) => {
            let (keys, bytes) = (goal.keys, goal.max_bits() / 8);
            let at = |steps: u64| growing(kind, keys, rate_of(steps), workload);
            let fits = |steps: u64| at(steps).ok().filter(|it| it.most_bytes(keys) <= bytes);
            let lowest = amq_core::numeric::last_true(1, 64 * STEPS, |steps| fits(steps).is_some());
            match fits(lowest) {
                Some(size) => Ok(size),
                None => Err(PlanError::Bytes { bytes, min: at(1)?.most_bytes(keys) }),
            }
        }
    }
}

/// Rates tried per halving in the search for the lowest rate that fits a size.
const STEPS: u64 = 8;

fn rate_of(steps: u64) -> f64 {
    libm::exp2(-(steps as f64) / STEPS as f64)
}

/// A filter of fixed size.
fn planned(kind: FilterKind, goal: Goal, workload: &Workload) -> Result<Size, PlanError> {
    let plan = AnyFilter::plan(kind, goal)?;
    // The plan's peak is for building from all keys at once; filling one by one has none.
    let build_bytes = if workload.built_once { plan.build_bytes } else { plan.bytes };
    Ok(Size { build_bytes, ..Size::fixed(goal.keys, plan.bytes, plan.expected_fpr) })
}

/// The initial capacity of a filter that grows to a bound.
pub(crate) fn first_keys(bound: u64) -> u64 {
    (bound >> DOUBLINGS).max(1)
}

/// A filter that starts small and grows.
fn growing(kind: FilterKind, keys: u64, fpr: f64, workload: &Workload) -> Result<Size, PlanError> {
    let goal = Goal::new(keys, Budget::Fpr(fpr));
    let bound = workload.bound().map(|bound| bound.min(keys));
    // While a table doubles, the old and the new one are in memory.
    let doubling = |bytes: u64, fpr| Size {
        build_bytes: bytes.saturating_add(bytes / 2),
        ..Size::fixed(keys, bytes, fpr)
    };
    match kind {
        FilterKind::Quotient => {
            let plan = amq::QuotientFilter::plan_growing(goal, first_keys(keys))?;
            Ok(doubling(plan.bytes, plan.expected_fpr))
        }
        FilterKind::ExpandableQuotient => {
            let plan = amq::ExpandableQuotientFilter::plan(goal)?;
            let sizes = amq_quotient::theory::expandable::sizes(&plan.params);
            let grown = if bound.is_some() { None } else { Some(Growth::over(sizes)?) };
            // The rate that it approaches as it grows.
            Ok(Size { grown, ..doubling(plan.bytes, fpr) })
        }
        FilterKind::Scalable => scalable::<amq_bloom::BloomFilter>(keys, fpr, bound),
        FilterKind::ScalableBlocked => scalable::<amq_bloom::BlockedBloomFilter>(keys, fpr, bound),
        // A filter that grows by itself.
        _ => planned(kind, goal, workload),
    }
}

fn scalable<S: amq_scalable::OwnedStage>(
    keys: u64,
    fpr: f64,
    bound: Option<u64>,
) -> Result<Size, PlanError> {
    use amq_scalable::{ScalableParams, theory};

    let params = match bound {
        Some(bound) => {
            ScalableParams::new(first_keys(bound), fpr).with_growth(4).with_max_keys(bound)
        }
        None => ScalableParams::new(keys, fpr),
    };
    let plan = theory::plan_params::<S>(params, keys)?;
    Ok(match bound {
        Some(_) => Size::fixed(keys, plan.bytes, plan.expected_fpr),
        // The rate that it approaches as it grows.
        None => Size {
            grown: Some(Growth::over(theory::sizes::<S>(&params))?),
            ..Size::fixed(keys, plan.bytes, fpr)
        },
    })
}

/// The number of shards: four per thread, so that threads rarely contend for a lock.
pub(crate) fn shards(workload: &Workload) -> u64 {
    let shards = u64::from(workload.threads) * 4;
    shards.next_power_of_two().min(1 << 15)
}

/// The number of filters that the structure consists of, and about how many bytes they take beside
/// their tables: their own fields, and what the allocation of a table is rounded up by.
pub(crate) fn parts(structure: Structure, workload: &Workload) -> (u64, u64) {
    use FilterKind::{
        Cuckoo, ExpandableQuotient, Quotient, Scalable, ScalableBlocked, WindowedCuckoo,
    };
    let shards = if structure.is_sharded() { shards(workload) } else { 1 };
    let generations = if structure.forgets() { workload.generations().unwrap_or(1) } else { 1 };
    let each = match structure.kind() {
        Some(Scalable | ScalableBlocked) => 450,
        Some(Quotient | ExpandableQuotient) => 300,
        Some(Cuckoo | WindowedCuckoo) => 250,
        _ => 180,
    };
    let parts = shards.saturating_mul(generations.into());
    (parts, parts.saturating_mul(each))
}

/// The keys that each of `Sharded`'s shards has room for.
pub(crate) fn of_shard(keys: u64, workload: &Workload) -> u64 {
    shard_keys(keys, shards(workload) as usize)
}

/// As `Sharded` plans it.
fn sharded(
    goal: Goal,
    workload: &Workload,
    plan: impl Fn(Goal) -> Result<Size, PlanError>,
) -> Result<Size, PlanError> {
    let shards = shards(workload);
    let budget = match goal.budget {
        Budget::Bytes(bytes) => Budget::Bytes(bytes / shards),
        other => other,
    };
    // Each generation has room for chance.
    let generations = u64::from(workload.generations().unwrap_or(1));
    let keys = of_shard(goal.keys.div_ceil(generations), workload).saturating_mul(generations);
    let size = plan(Goal::new(keys, budget))?;
    Ok(Size {
        keys: goal.keys,
        bytes: size.bytes.saturating_mul(shards),
        build_bytes: size.build_bytes.saturating_mul(shards),
        ..size
    })
}

/// The goal of each generation, as `Rolling` plans it: its part of the keys, bytes and rate.
pub(crate) fn of_generation(goal: Goal, workload: &Workload) -> Goal {
    let count = u64::from(workload.generations().unwrap_or(1));
    let budget = match goal.budget {
        Budget::Fpr(fpr) => Budget::Fpr(-libm::expm1(libm::log1p(-fpr) / count as f64)),
        _ => Budget::Bytes(goal.max_bits() / 8 / count),
    };
    Goal::new(goal.keys.div_ceil(count), budget)
}

/// All generations together.
fn generations(kind: FilterKind, goal: Goal, workload: &Workload) -> Result<Size, PlanError> {
    let count = u64::from(workload.generations().unwrap_or(1));
    let together = |fpr: f64| -libm::expm1(libm::log1p(-fpr) * count as f64);
    let all = |bytes: u64| bytes.saturating_mul(count);
    let each = of_kind(kind, of_generation(goal, workload), workload);
    let each = each.map_err(|error| match error {
        PlanError::Bytes { bytes, min } => PlanError::Bytes { bytes: all(bytes), min: all(min) },
        PlanError::FprUnreachable { fpr, lowest, keys } => {
            PlanError::FprUnreachable { fpr: together(fpr), lowest: together(lowest), keys }
        }
        other => other,
    })?;
    Ok(Size {
        keys: goal.keys,
        bytes: all(each.bytes),
        build_bytes: all(each.build_bytes),
        fpr: together(each.fpr),
        grown: each.grown,
    })
}

/// A map of values, with bits that check the key where errors matter.
fn map(keys: u64, budget: Budget, workload: &Workload) -> Result<Size, Failure> {
    let bits = workload.value_bits().unwrap_or(1);
    let errs = workload.fpr.is_some() || workload.false_positive_ns.is_some();
    // The cast saturates, as intended.
    let check_bits = match budget {
        Budget::Fpr(fpr) if errs => libm::ceil(-libm::log2(fpr)) as u32,
        _ => 0,
    };
    if let (Some(fpr), true) = (workload.fpr, check_bits > MOST_VALUE_BITS - bits) {
        let reason = format!(
            "holds {MOST_VALUE_BITS} bits at most: the value leaves {} of them to check the key, \
             and a rate of {} takes {check_bits}",
            MOST_VALUE_BITS - bits,
            Rate(fpr)
        );
        return Err((Demand::Fpr(fpr), reason));
    }
    let params = amq_ribbon::RibbonParams::new(bits.saturating_add(check_bits), 0);
    let plan = amq::RibbonFilter::plan_params(params, keys);
    let plan = plan.map_err(|error| failure(&error, workload))?;
    let fpr = libm::exp2(-f64::from(check_bits));
    let size = Size { build_bytes: plan.build_bytes, ..Size::fixed(keys, plan.bytes, fpr) };
    check(&size, workload).map(|()| size)
}

/// The rate of a filter planned for a goal that holds twice the keys; `None` if it refuses them.
pub(crate) fn rate_with_twice_the_keys(kind: FilterKind, goal: Goal) -> Option<f64> {
    fn twice<F: PlanFilter>(goal: Goal) -> Option<f64> {
        let plan = F::plan(goal).ok()?;
        Some(F::predicted_fpr(&plan.params, goal.keys.checked_mul(2)?).mean)
    }
    match kind {
        FilterKind::Bloom => twice::<amq::BloomFilter>(goal),
        FilterKind::BlockedBloom => twice::<amq::BlockedBloomFilter>(goal),
        FilterKind::WideBlockedBloom => twice::<amq::WideBlockedBloomFilter>(goal),
        FilterKind::Counting => twice::<amq::CountingBloomFilter>(goal),
        FilterKind::BlockedCounting => twice::<amq::BlockedCountingBloomFilter>(goal),
        _ => None,
    }
}

/// Checks the size limit, if there is also a rate, and whether the rate at a size, or the size at a
/// rate, is useful.
fn check(size: &Size, workload: &Workload) -> Result<(), Failure> {
    let is_filter = workload.value_bits().is_none();
    if workload.fpr.is_none() && is_filter && size.fpr > USELESS_FPR {
        let reason = format!("would say yes to {} of absent keys at this size", Rate(size.fpr));
        return Err((of_size(workload), reason));
    }
    let set = hash_table(workload);
    let is_large = size.bytes / USELESS_TIMES > set;
    if let Some(fpr) = workload.fpr.filter(|&fpr| fpr < LOW_FPR && is_large) {
        let (taken, set) = (Bytes(size.bytes), Bytes(set));
        let reason = format!("would take {taken}, where an exact set of the keys takes {set}");
        return Err((Demand::Fpr(fpr), reason));
    }
    if let (Some(limit), Some(_)) = (workload.limit(), size.grown) {
        return Err((limit, "grows without a bound: no number of bytes is enough for ever".into()));
    }
    let keys = workload.keys.planned();
    let taken = size.most_bytes(keys);
    let Some(allowed) = workload.allowed(keys).filter(|&allowed| taken > allowed) else {
        return Ok(());
    };
    let goal = match workload.value_bits() {
        Some(bits) => format!("values of {bits} bits"),
        None => Rate(workload.fpr.unwrap_or(DEFAULT_FPR)).to_string(),
    };
    let bits = taken as f64 * 8.0 / keys as f64;
    if let Some(most) = workload.bits_per_key.filter(|&most| bits > most) {
        let reason = format!("needs {bits:.2} bits per key for {goal}, and {most} are allowed");
        return Err((Demand::BitsPerKey(most), reason));
    }
    let (needed, allowed) = (Bytes(taken), Bytes(allowed));
    let each = if workload.filters > 1 { " for each filter" } else { "" };
    Err((of_size(workload), format!("needs {needed} for {goal}, and {allowed} are allowed{each}")))
}

/// The demand that limits the size.
fn of_size(workload: &Workload) -> Demand {
    let bits = workload.bits_per_key.map(Demand::BitsPerKey);
    workload.limit().or(bits).unwrap_or(Demand::Keys(workload.keys))
}

/// The demand that an error of planning is about.
fn failure(error: &PlanError, workload: &Workload) -> Failure {
    let keys = Demand::Keys(workload.keys);
    let fpr = workload.fpr.map_or(keys, Demand::Fpr);
    match error {
        PlanError::FprUnreachable { lowest, .. } => {
            (fpr, format!("errs on {} at least, however large it is", Rate(*lowest)))
        }
        PlanError::Fpr { .. } | PlanError::FprBelowHashFloor { .. } => (fpr, error.to_string()),
        PlanError::Bytes { min, .. } => {
            let (least, planned) = (Bytes(*min), Number(workload.keys.planned()));
            (of_size(workload), format!("takes {least} at least for {planned} keys"))
        }
        PlanError::BitsPerKey { .. } | PlanError::FewKeys { .. } => {
            (of_size(workload), error.to_string())
        }
        _ => (keys, error.to_string()),
    }
}

/// A count-min sketch, for higher counts than the counters of this family hold: the bits of a
/// counter, and the size, computed as for a counting Bloom filter with wider counters. `None` if a
/// filter suffices, or if a sketch does not meet the other needs.
pub(crate) fn sketch(workload: &Workload) -> Option<(u64, Size)> {
    let does = |need: &Need| {
        matches!(need, Need::Count { .. } | Need::Forget { .. } | Need::Merge | Need::Remove)
    };
    let most = u64::from(workload.most_copies().filter(|&most| most > MOST_COUNTED)?);
    if workload.grows() || !workload.needs.iter().all(does) {
        return None;
    }
    let bits = [8, 16, 32].into_iter().find(|&bits| most < 1 << bits)?;
    let times = bits / COUNTER_BITS;
    let narrow = match budget(workload) {
        Budget::Bytes(bytes) => Budget::Bytes(bytes / times),
        other => other,
    };
    let goal = Goal::new(workload.keys.planned(), narrow);
    let size = match workload.generations() {
        Some(_) => generations(FilterKind::Counting, goal, workload),
        None => of_kind(FilterKind::Counting, goal, workload),
    };
    let size = size.ok()?;
    let size = Size::fixed(size.keys, size.bytes.saturating_mul(times), size.fpr);
    check(&size, workload).is_ok().then_some((bits, size))
}
