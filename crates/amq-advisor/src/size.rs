//! The size of a structure for a workload, or the demand that it fails.

use crate::exact::hash_table;
use crate::numbers::{Bytes, Number, Rate};
pub(super) use crate::plan::Size;
use crate::plan::{of_kind, unplanned};
use crate::{DEFAULT_FPR, Demand, Need, Structure, Workload};
use alloc::format;
use alloc::string::{String, ToString};
use amq::{Budget, FilterKind, Goal, PlanError, PlanFilter};

/// Bits of a counter of this family, and the most copies that one tells apart: it sticks at 15.
const COUNTER_BITS: u64 = 4;
pub(super) const MOST_COUNTED: u32 = 14;

/// Bits of the longest values of a map.
const MOST_VALUE_BITS: u32 = 32;

/// Why a structure has no size: the demand it fails, and a sentence.
pub(super) type Failure = (Demand, String);

/// What the structure takes for this workload, within a budget. The workload must be one it is able
/// to serve.
pub(super) fn size(
    structure: Structure,
    budget: Budget,
    workload: &Workload,
) -> Result<Size, Failure> {
    let keys = entries(structure, workload);
    let goal = Goal::new(keys, budget);
    let planned = match structure {
        Structure::Map => return map(keys, budget, workload),
        Structure::AtomicBloom => of_kind(FilterKind::Bloom, goal, workload),
        Structure::AtomicBlockedBloom => of_kind(FilterKind::BlockedBloom, goal, workload),
        Structure::Sharded(kind) => sharded(goal, workload, |shard| of_kind(kind, shard, workload)),
        Structure::ShardedRolling(kind) => {
            sharded(goal, workload, |shard| rolling(kind, shard, workload))
        }
        Structure::Rolling(kind) | Structure::Periods(kind) => rolling(kind, goal, workload),
        Structure::Filter(kind) => of_kind(kind, goal, workload),
        _ => return Err((Demand::Keys(workload.keys), "is not a filter".into())),
    };
    let mut size = planned.map_err(|error| failure(&error, workload))?;
    // Per entry so far.
    let copies = keys as f64 / workload.keys.planned() as f64;
    size.grown = size.grown.map(|growth| growth.times(copies));
    check(&size, workload).map(|()| size)
}

/// Keys, or copies of keys where each has a slot of its own.
fn entries(structure: Structure, workload: &Workload) -> u64 {
    let keys = workload.keys.planned();
    match workload.stored_copies() {
        copies if structure.keeps_copies() && copies > 1.0 => {
            libm::ceil(keys as f64 * copies) as u64
        }
        _ => keys,
    }
}

/// The rate if there is one, else the size.
pub(super) fn budget(workload: &Workload) -> Budget {
    match (workload.fpr, workload.allowed(workload.keys.planned())) {
        (Some(fpr), _) => Budget::Fpr(fpr),
        (None, Some(bytes)) => Budget::Bytes(bytes),
        (None, None) => Budget::Fpr(DEFAULT_FPR),
    }
}

/// Number of shards: four for each thread, so that two of them seldom want the same lock.
pub(super) fn shards(workload: &Workload) -> u64 {
    let shards = u64::from(workload.threads) * 4;
    shards.next_power_of_two().min(1 << 15)
}

#[cfg(feature = "std")]
pub(super) use amq::sharded::shard_keys;

/// There are no shards without the standard library.
#[cfg(not(feature = "std"))]
pub(super) const fn shard_keys(keys: u64, _: u64) -> u64 {
    keys
}

/// As `Sharded` plans it.
#[cfg(feature = "std")]
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
    let size = plan(Goal::new(shard_keys(goal.keys, shards), budget))?;
    Ok(Size {
        keys: goal.keys,
        bytes: size.bytes.saturating_mul(shards),
        build_bytes: size.build_bytes.saturating_mul(shards),
        ..size
    })
}

/// There are no locks without the standard library.
#[cfg(not(feature = "std"))]
fn sharded(
    goal: Goal,
    _: &Workload,
    _: impl Fn(Goal) -> Result<Size, PlanError>,
) -> Result<Size, PlanError> {
    Err(unplanned(goal))
}

/// As `Rolling` plans it.
fn rolling(kind: FilterKind, goal: Goal, workload: &Workload) -> Result<Size, PlanError> {
    let generations = workload.generations().unwrap_or(1) as usize;
    macro_rules! plan {
        (; $($feature:literal $name:ident: $module:ident::$type:ident [$($can:ident)*];)*) => {
            match kind {
                $(FilterKind::$name => amq::kinds!(can insert in [$($can)*] {
                    let plan = amq::rolling::Rolling::<amq::$type>::plan(goal, generations)?;
                    Ok((plan.bytes, plan.expected_fpr))
                } else {
                    Err(unplanned(goal))
                }),)*
                _ => Err(unplanned(goal)),
            }
        };
    }
    let (bytes, fpr) = amq::kinds!(plan)?;
    Ok(Size { keys: goal.keys, bytes, build_bytes: bytes, fpr, grown: None })
}

/// A map of values, with bits that check the key where errors matter.
fn map(keys: u64, budget: Budget, workload: &Workload) -> Result<Size, Failure> {
    let bits = workload.value_bits().unwrap_or(1);
    let errs = workload.fpr.is_some() || workload.false_positive_ns.is_some();
    // A float-to-integer cast saturates, as it should here.
    let check_bits = match budget {
        Budget::Fpr(fpr) if errs => libm::ceil(-libm::log2(fpr)) as u32,
        _ => 0,
    };
    if let (Some(fpr), true) = (workload.fpr, check_bits > MOST_VALUE_BITS - bits) {
        let left = MOST_VALUE_BITS - bits;
        let reason = format!(
            "holds {MOST_VALUE_BITS} bits at most: the value leaves {left} of them to check the key, \
             and a rate of {} takes {check_bits}",
            Rate(fpr)
        );
        return Err((Demand::Fpr(fpr), reason));
    }
    let params = amq_ribbon::RibbonParams::new(bits.saturating_add(check_bits), 0);
    let plan = amq::RibbonFilter::plan_params(params, keys);
    let plan = plan.map_err(|error| failure(&error, workload))?;
    let (bytes, build_bytes) = (plan.bytes, plan.build_bytes);
    let fpr = libm::exp2(-f64::from(check_bits));
    let size = Size { keys, bytes, build_bytes, fpr, grown: None };
    check(&size, workload).map(|()| size)
}

/// The rate of a filter planned for a goal, once it holds twice the keys; `None` if it refuses
/// them.
pub(super) fn with_twice_the_keys(kind: FilterKind, goal: Goal) -> Option<f64> {
    fn twice<F: PlanFilter>(goal: Goal) -> Option<f64> {
        let plan = F::plan(goal).ok()?;
        let keys = goal.keys.checked_mul(2)?;
        Some(F::predicted_fpr(&plan.params, keys).mean)
    }
    macro_rules! of_kind {
        (; $($feature:literal $name:ident: $module:ident::$type:ident [$($can:ident)*];)*) => {
            match kind {
                $(FilterKind::$name => {
                    amq::kinds!(can never_full in [$($can)*] { twice::<amq::$type>(goal) } else { None })
                })*
                _ => None,
            }
        };
    }
    amq::kinds!(of_kind)
}

/// A filter that says yes to a larger share of the absent keys is useless.
pub(super) const USELESS: f64 = 0.9;

/// A filter for a rate below the first that takes more than so many times the bytes of the keys
/// themselves is useless, too.
const LOW_FPR: f64 = 1e-6;
const USELESS_TIMES: u64 = 16;

/// Checks a limit on the size beside the rate, and whether the rate of a size is worth a query, or
/// the size of a rate its bytes.
fn check(size: &Size, workload: &Workload) -> Result<(), Failure> {
    if workload.fpr.is_none() && workload.value_bits().is_none() && size.fpr > USELESS {
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
    if let Some(most) = workload.build_bytes.filter(|&most| size.build_bytes > most) {
        let (needed, allowed) = (Bytes(size.build_bytes), Bytes(most));
        let reason = format!("needs {needed} while it is built, and {allowed} are allowed");
        return Err((Demand::BuildBytes(most), reason));
    }
    if let (Some(limit), Some(_)) = (workload.limit(), size.grown) {
        return Err((limit, "grows without a bound: no number of bytes is enough for ever".into()));
    }
    let (keys, taken) = (workload.keys.planned(), size.most_bytes(workload.keys.planned()));
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
    let reason = format!("needs {needed} for {goal}, and {allowed} are allowed{each}");
    Err((of_size(workload), reason))
}

/// The demand that limits the size.
fn of_size(workload: &Workload) -> Demand {
    let bits = workload.bits_per_key.map(Demand::BitsPerKey);
    workload.limit().or(bits).unwrap_or(Demand::Keys(workload.keys))
}

/// The demand that a variant's refusal to plan is about.
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

/// A count-min sketch: counters as a counting Bloom filter has them, but wider.
pub(super) struct Counters {
    /// Bits of a counter.
    pub(super) bits: u64,
    pub(super) size: Size,
}

/// The sketch for counts that no counter of this family holds; `None` if one does, or if a sketch
/// cannot do what else is needed.
pub(super) fn counters(workload: &Workload) -> Option<Counters> {
    let does = |need: &Need| {
        matches!(
            need,
            Need::Count { .. } | Need::Forget { .. } | Need::Merge | Need::Remove | Need::Beyond(_)
        )
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
        Some(_) => rolling(FilterKind::Counting, goal, workload),
        None => of_kind(FilterKind::Counting, goal, workload),
    };
    let size = size.ok()?;
    let bytes = size.bytes.saturating_mul(times);
    let size = Size { bytes, build_bytes: bytes, ..size };
    check(&size, workload).is_ok().then_some(Counters { bits, size })
}
