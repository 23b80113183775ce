//! What does the work that no filter of this family does, with its size for a workload.

use crate::exact::sorted_bytes;
use crate::numbers::{Bytes, Number};
use crate::{Need, Workload};

/// What to take for a need that no filter of this family meets.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Instead {
    /// The need.
    pub need: Need,
    /// The rest of a sentence that begins with "no filter of this family".
    pub wanted: &'static str,
    /// What to take for this workload.
    pub take: String,
    /// Bytes of it, where they can be said.
    pub bytes: Option<u64>,
}

/// What a workload needs that no filter of this family does.
pub(crate) fn needs(workload: &Workload) -> Vec<Instead> {
    let instead = |&need: &Need| match need {
        Need::Range => Some(range(workload)),
        Need::Reconcile => Some(reconcile(workload)),
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
            "minisketch for {} keys that differ: it sends {}, 64 bits for each, and decodes in time \
             that grows with the square; or an invertible Bloom lookup table (IBLT), some {}, which \
             decodes in linear time",
            Number(changes),
            Bytes(bytes),
            // Some 1.5 cells for each: a sum of keys, one of hashes, and a count.
            Bytes(changes.saturating_mul(30))
        ),
        _ => "an invertible Bloom lookup table (IBLT) or minisketch, whose bytes grow with the \
              difference and not with the sets: name the most keys that differ (`--changes`)"
            .into(),
    };
    let wanted = "finds the keys that two sets do not share";
    Instead { need: Need::Reconcile, wanted, take, bytes }
}
