//! The needs that the answer covers, and the rule for each.

use crate::contender::{Ability, Family};
use crate::record::Workload;
use crate::render::data::Data;
use crate::render::entry::Entry;
use crate::render::number::asked;

/// The quantity to minimise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum By {
    /// Bits per key.
    Space,
    /// Time of a workload.
    Time(Workload),
}

/// One row: a need, its candidates, and what decides among them.
pub(super) struct Need {
    /// The need in a user's words.
    pub(super) need: String,
    /// The rate to be kept.
    pub(super) rate: Option<f64>,
    /// The candidates.
    pub(super) fits: fn(&Entry<'_>) -> bool,
    /// What decides.
    pub(super) by: By,
    /// A remark after the numbers.
    pub(super) also: &'static str,
}

/// All needs, whether or not the records have an answer.
pub(super) fn needs(data: &Data) -> Vec<Need> {
    let rate = data.main_rate();
    let need = |need: &str, fits: fn(&Entry<'_>) -> bool, by: By| Need {
        need: need.to_owned(),
        rate,
        fits,
        by,
        also: "",
    };
    let query = By::Time(Workload::Query50);
    let mut needs = vec![
        need("Keys inserted one by one; least memory", inserts, By::Space),
        need("Keys inserted one by one; fastest queries", inserts, query),
        need(
            "All keys known in advance; least memory",
            |entry| !entry.is_exact(),
            By::Space,
        ),
        need(
            "Fastest queries, however it is built",
            |entry| !entry.is_exact(),
            query,
        ),
        need(
            "Fastest when most queries are for absent keys",
            |entry| !entry.is_exact(),
            By::Time(Workload::Query0),
        ),
        need(
            "Many queries at once",
            |entry| !entry.is_exact(),
            By::Time(Workload::Batch50),
        ),
        need(
            "Rebuilt often; fastest build",
            |entry| !entry.is_exact(),
            By::Time(Workload::Build),
        ),
        Need {
            also: "timed on one thread only",
            ..need(
                "Inserts from several threads; fastest queries",
                |entry| entry.can(Ability::ConcurrentInsert) && !entry.is_exact(),
                query,
            )
        },
    ];
    let lowest = data
        .main_set()
        .zip(data.main_size())
        .and_then(|(set, keys)| data.rates(set, keys).last().copied());
    if lowest != rate
        && let Some(lowest) = lowest
    {
        for (name, by) in [("least memory", By::Space), ("quickest queries", query)] {
            needs.push(Need {
                rate: Some(lowest),
                ..need(&format!("A rate of {}; {name}", asked(lowest)), inserts, by)
            });
        }
    }
    needs.extend([
        need("Keys are removed; least memory", removes, By::Space),
        need(
            "Keys are removed; fastest removals",
            removes,
            By::Time(Workload::Remove),
        ),
        Need {
            also: FEW_COPIES,
            ..need(
                "Copies of keys are counted; least memory",
                counts,
                By::Space,
            )
        },
        Need {
            also: FEW_COPIES,
            ..need(
                "Copies of keys are counted and removed, and filters merged; least memory",
                |entry| counts(entry) && removes(entry) && entry.can(Ability::Merge),
                By::Space,
            )
        },
    ]);
    needs
}

const FEW_COPIES: &str =
    "cuckoo filters have no room for many copies of a key and are not considered";

/// A cuckoo filter counts too, but only up to the slots of two buckets.
fn counts(entry: &Entry<'_>) -> bool {
    entry.can(Ability::Count) && entry.facts.family != Family::Cuckoo && !entry.is_exact()
}

fn inserts(entry: &Entry<'_>) -> bool {
    entry.can(Ability::Insert) && !entry.is_exact()
}

/// A filter that fails at removal is no candidate.
fn removes(entry: &Entry<'_>) -> bool {
    let is_good = entry.failure(Workload::Remove).is_none();
    entry.can(Ability::Remove) && is_good && !entry.is_exact()
}
