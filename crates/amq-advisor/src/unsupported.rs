//! Alternatives for needs that no filter of a single set meets, with their size for a workload.

use crate::exact::sorted_bytes;
use crate::numbers::{Bytes, Number, Rate, Rounded};
use crate::size::{MOST_VALUE_BITS, budget};
use crate::{DEFAULT_FPR, Need, Workload};
use amq::interleaved::InterleavedParams;
use amq::{
    BlockedBloomFilter, Budget, Goal, InterleavedBloomFilter, PlanError, PlanFilter, RibbonFilter,
};
use amq_ribbon::RibbonParams;

/// The fewest sets for which an interleaved filter pays off.
const MANY_SETS: u64 = 10;

/// An alternative for a need that no filter of a single set meets.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Instead {
    /// The need.
    pub need: Need,
    /// The rest of a sentence that begins with "no filter of this family" or "of a single set".
    pub wanted: &'static str,
    /// The alternative for this workload.
    pub take: String,
    /// Its bytes, if they can be computed.
    pub bytes: Option<u64>,
}

/// The needs of a workload that no filter of this family meets.
pub(crate) fn needs(workload: &Workload) -> Vec<Instead> {
    let instead = |&need: &Need| match need {
        Need::Range => Some(range(workload)),
        Need::Reconcile => Some(reconcile(workload)),
        Need::WhichSet => Some(which_set(workload)),
        _ => None,
    };
    workload.needs.iter().filter_map(instead).collect()
}

fn range(workload: &Workload) -> Instead {
    let list = sorted_bytes(workload);
    let filters = match workload.has(Need::Exact) {
        true => "",
        false => "a range filter, such as SuRF, Grafite or Rosetta; or ",
    };
    let take = format!(
        "{filters}the keys in a sorted list, {} here. If only blocks of a file are to be skipped, the \
         least and the greatest key of each are enough; if the keys are ranges or prefixes and queries \
         are points, take sorted intervals or a trie",
        Bytes(list)
    );
    let wanted = "tells whether any key lies in a range";
    Instead { need: Need::Range, wanted, take, bytes: Some(list) }
}

fn reconcile(workload: &Workload) -> Instead {
    let bytes = workload.changes.map(|changes| changes.saturating_mul(8));
    let take = match (workload.changes, bytes) {
        (Some(changes), Some(bytes)) => format!(
            "minisketch, planned for the keys that differ ({}): it sends {}, 64 bits for each, and \
             decodes in time that grows with the square; or an invertible Bloom lookup table \
             (IBLT), some {}, which decodes in linear time",
            Number(changes),
            Bytes(bytes),
            // Some 1.5 cells per key, each with a sum of keys, a sum of hashes, and a count.
            Bytes(changes.saturating_mul(30))
        ),
        _ => "an invertible Bloom lookup table (IBLT) or minisketch, whose bytes grow with the \
              difference and not with the sets: name the most keys that differ (`--changes`)"
            .into(),
    };
    let wanted = "finds the keys that two sets do not share";
    Instead { need: Need::Reconcile, wanted, take, bytes }
}

fn which_set(workload: &Workload) -> Instead {
    let (take, bytes) = match (workload.filters, workload.has(Need::Exact)) {
        (_, true) => ("an inverted index: a hash map from each key to its sets".into(), None),
        (1, _) => (
            "`InterleavedBloomFilter`, or `RibbonMap` if each key is in one set only: name the \
             number of sets (`--filters`) for their sizes"
                .into(),
            None,
        ),
        _ => match of_sets(workload) {
            Ok((take, bytes)) => (take, Some(bytes)),
            Err(error) => (format!("other numbers: {error}"), None),
        },
    };
    let wanted = "says which of many sets may hold a key";
    Instead { need: Need::WhichSet, wanted, take, bytes }
}

/// The structure for several sets, and its bytes.
fn of_sets(workload: &Workload) -> Result<(String, u64), PlanError> {
    let (sets, keys) = (workload.filters, workload.keys.planned());
    let mut goal = Goal::new(keys, budget(workload));
    let (name, bytes, fpr) = match sets < MANY_SETS {
        true => {
            let one = BlockedBloomFilter::plan(goal)?;
            let name = "a `BlockedBloomFilter` for each, asked one after the other";
            (name, one.bytes.saturating_mul(sets), one.expected_fpr)
        }
        false => {
            if let Budget::Bytes(bytes) = &mut goal.budget {
                // Includes the padding of rows.
                let padded = InterleavedParams::new(sets, 1).row_bytes() * 8;
                *bytes = (u128::from(*bytes) * u128::from(sets) / u128::from(padded)) as u64;
            }
            let all = InterleavedBloomFilter::plan(sets, goal)?;
            let name = "`InterleavedBloomFilter`, which asks all in one lookup";
            (name, all.bytes, all.expected_fpr)
        }
    };
    let all_keys = keys as f64 * sets as f64;
    let bits = |bytes: u64| Rounded(bytes as f64 * 8.0 / all_keys);
    let wrong = Rounded(fpr * (sets - 1) as f64);
    let of = format!("{} sets of {} keys", Number(sets), Number(keys));
    let allowed = workload.allowed(keys).map(|each| each.saturating_mul(sets));
    let more = match allowed.filter(|&allowed| bytes > allowed) {
        Some(allowed) => format!(" (more than the {} allowed)", Bytes(allowed)),
        None => String::new(),
    };
    let mut take = format!(
        "{name}: {}{more} for {of}, {} bits per key, and {wrong} wrong sets in an answer at {}",
        Bytes(bytes),
        bits(bytes),
        Rate(fpr)
    );
    // The number of the set, and the check bits that the rate requires.
    let set_bits = u64::BITS - (sets - 1).leading_zeros();
    let check_bits = libm::ceil(-libm::log2(workload.fpr.unwrap_or(DEFAULT_FPR))) as u32;
    let value_bits = set_bits.saturating_add(check_bits);
    if value_bits <= MOST_VALUE_BITS {
        let map = RibbonFilter::plan_params(RibbonParams::new(value_bits, 0), keys * sets)?;
        take += &format!(
            ". If each key is in one set only and all are known beforehand, `RibbonMap` from key to \
             set: {}, {} bits per key, {set_bits} of them for the set and {check_bits} to check the \
             key, and one candidate at most",
            Bytes(map.bytes),
            bits(map.bytes)
        );
    }
    Ok((take, bytes))
}
