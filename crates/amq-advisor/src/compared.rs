//! Notes on what a filter is worth beside other things: the keys themselves, no filter, and one
//! filter for many sets.

use crate::consider::own;
use crate::exact;
use crate::numbers::{Bytes, Number, Rate};
use crate::size::size;
use crate::{Answer, Choice, Keys, Structure, Workload};
use alloc::format;
use alloc::string::String;
use amq::Budget;

/// What the keys themselves take.
pub(super) fn exact_set(bytes: u64, filter: Option<&Choice>, workload: &Workload) -> String {
    let what = match Structure::exact(workload) {
        Structure::ExactMap if workload.counts() => "map from each key to its count",
        Structure::ExactMap => "map from each key to its value",
        _ => "set of the keys",
    };
    let shown = Bytes(bytes);
    match filter {
        Some(filter) if filter.bytes > 0 => {
            let (times, other) = (bytes as f64 / filter.bytes as f64, filter.structure);
            match times {
                1.0.. => format!(
                    "An exact {what} takes {shown}, {times:.1} times as much as {other}, and never \
                     errs."
                ),
                _ => format!(
                    "An exact {what} takes {shown}, and never errs; the {other} filter takes {:.1} \
                     times that.",
                    1.0 / times
                ),
            }
        }
        _ => format!("An exact {what} takes {shown}, and never errs."),
    }
}

/// Sorted keys are worth naming if they take at most so many times the bits of a filter.
const NEARLY: f64 = 1.2;

/// What the keys take, sorted as integers, where that is about as little as a filter.
pub(super) fn sorted(filter: &Choice, best: &Choice, workload: &Workload) -> Option<String> {
    let listed = exact::sorted_bits(workload)?;
    let (it, bits) = (filter.structure, filter.bits_per_key);
    let is_told = [Structure::Bitmap, Structure::SortedList].contains(&best.structure);
    (!is_told && listed <= bits * NEARLY).then(|| {
        format!(
            "The {it} filter takes {bits:.1} bits per key; sorted, as integers of one length, the keys \
             themselves take {listed:.1} in an Elias-Fano list and {:.0} in an array. Both never \
             err, and are made from all keys at once.",
            libm::ceil(exact::universe_bits(workload))
        )
    })
}

/// From which cost of a lookup on a filter pays; or what it saves, where that is known.
pub(super) fn worth(choice: &Choice, answer: &Answer, workload: &Workload) -> Option<String> {
    let it = choice.structure;
    let spared = workload.absent * (1.0 - choice.fpr);
    let tells_no_more = workload.is_filtered() && !workload.counts();
    if !tells_no_more || spared <= 0.0 || !answer.best().structure.is_filter() {
        return None;
    }
    let rate = Rate(spared);
    Some(match (answer.without_ns, choice.cost_ns?) {
        (Some(without), with) => format!(
            "With the {it} filter a query takes {with:.1} ns in all, without any filter \
             {without:.1}: it spares the lookups of {rate} of the queries."
        ),
        (None, _) => format!(
            "The {it} filter spares {rate} of the queries a lookup in vain, for {:.1} ns each with \
             their share of inserts: it saves time if such a lookup takes more than {:.0} ns.",
            own(choice, workload),
            own(choice, workload) / spared
        ),
    })
}

/// Bytes of a file beside its table, at least: the header, and a directory with a head, a section
/// and its geometry.
const FILE_BYTES: usize = amq::format::HEADER + 3 * amq::format::ENTRY;

/// What a file takes beside a table that has to fit a size.
pub(super) fn file(choice: &Choice, workload: &Workload) -> Option<String> {
    let is_file = matches!(choice.structure, Structure::Filter(_) | Structure::Map);
    (is_file && workload.bytes.is_some() && workload.filters == 1)
        .then(|| format!("The size is that of the table: a file has some {FILE_BYTES} bytes more."))
}

/// What stands beside the tables of many filters, and what one for all would take.
pub(super) fn many(choice: &Choice, workload: &Workload) -> Option<String> {
    let (it, filters) = (choice.structure, workload.filters);
    let budget = choice.goal.filter(|_| filters > 1)?.budget;
    let number = Number(filters);
    let all = Bytes(choice.bytes.saturating_mul(filters));
    let mut text = format!("{number} filters take {all} as tables, {} each.", Bytes(choice.bytes));
    if matches!(it, Structure::Filter(_) | Structure::Map) {
        let bits = FILE_BYTES as f64 * 8.0 / workload.keys.planned() as f64;
        text += &format!(
            " As a file of its own each has {FILE_BYTES} bytes more, which is {bits:.1} bits per key: \
             keep the tables of many in one file."
        );
    }
    text +=
        " With one seed for all, a key is hashed once (`KeyHash`), and each is asked by its hash.";
    let budget = match budget {
        Budget::Bytes(bytes) => Budget::Bytes(bytes.saturating_mul(filters)),
        other => other,
    };
    let keys = workload.keys.planned().saturating_mul(filters);
    let one = Workload { keys: Keys::AtMost(keys), filters: 1, ..workload.clone() };
    if let Some(together) = size(it, budget, &one).ok().filter(|_| choice.grown.is_none()) {
        let (kind, errs) = match it {
            // A map gives some value to every key: it has no rate.
            Structure::Map => ("", " takes".into()),
            _ => (" filter", format!(" errs on {} in", Rate(together.fpr))),
        };
        let bits = together.bytes as f64 * 8.0 / keys as f64;
        text += &format!(
            " If none is sent, merged or dropped on its own, one {it}{kind} of pairs of set and \
             key{errs} {bits:.2} bits per key, without those bytes."
        );
    }
    Some(text)
}
