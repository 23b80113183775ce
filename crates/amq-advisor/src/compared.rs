//! Notes on what a filter is worth beside other things: the keys themselves, no filter, and one
//! filter for many sets.

use crate::by::NEARLY;
use crate::consider::{own, smallest, smallest_of};
use crate::exact;
use crate::numbers::{Bytes, Number, Rate, Rounded};
use crate::{Answer, Choice, First, Keys, Structure, Times, Workload};
use alloc::format;
use alloc::string::String;

/// What the keys themselves take, in the smallest form that the workload admits, and in a hash
/// table if they come one by one.
pub(super) fn exact(answer: &Answer, filter: Option<&Choice>, workload: &Workload) -> String {
    let what = match (workload.counts(), workload.is_filtered()) {
        (true, _) => "map from each key to its count",
        (_, false) => "map from each key to its value",
        _ if workload.generations().is_some() => "map from each key to its last time",
        _ => "set of the keys",
    };
    let form = |it, bytes| format!("{} as {}", Bytes(bytes), exact::form(it, workload));
    let least = &answer.exact[0];
    let mut text = format!("An exact {what} takes {}", form(least.structure, least.bytes));
    let is_table = |it: &&Choice| it.structure == Structure::exact(workload);
    let table = answer.exact.iter().skip(1).find(is_table).filter(|_| !workload.built_once);
    text += &table.map_or_else(String::new, |it| format!(", {}", form(it.structure, it.bytes)));
    if !workload.built_once && workload.below.is_some() {
        let list = Bytes(exact::sorted_bytes(workload));
        text += &format!(", {list} as a sorted Elias-Fano list once all keys are there");
    }
    let is_table = least.structure == Structure::exact(workload) || !workload.built_once;
    if is_table && !exact::are_integers(workload) {
        text += " of arrays (a `String` takes some 40 bytes more)";
    }
    let Some(filter) = filter.filter(|filter| filter.bytes > 0) else {
        return text + ", and never errs.";
    };
    let (times, it) = (least.bytes as f64 / filter.bytes as f64, filter.structure);
    let many = Rounded(times);
    text + &match times {
        NEARLY.. => format!(": {many} times as much as {it}, and never errs."),
        1.0.. if !exact::fits(least.bytes, workload) => {
            format!(": {many} times as much as {it}, and more than you allow.")
        }
        1.0.. => format!(
            ": only {many} times as much as {it}, which errs on {}; the keys never err. Take the \
             keys, unless {} more or the time matters.",
            Rate(filter.fpr),
            Bytes(least.bytes - filter.bytes)
        ),
        _ => {
            format!(", and never errs; the {it} filter takes {} times that.", Rounded(1.0 / times))
        }
    }
}

/// From which cost of a lookup on a filter pays; or what it saves, where that is known.
pub(super) fn worth(choice: &Choice, answer: &Answer, workload: &Workload) -> Option<String> {
    let it = choice.structure;
    let spared = workload.absent * (1.0 - choice.fpr);
    let forgets = workload.generations().is_some();
    let tells_no_more = workload.is_filtered() && !workload.counts() && !forgets;
    if !tells_no_more || spared <= 0.0 || !answer.best().structure.is_filter() {
        return None;
    }
    let (absent, rate) = (Rate(workload.absent), Rate(spared));
    Some(match (answer.without_ns, choice.cost_ns?) {
        (Some(without), with) => format!(
            "With the {it} filter a query takes {} ns in all, without any filter {} ns: it saves the \
             lookup for {rate} of the queries.{}",
            Rounded(with),
            Rounded(without),
            match workload.lookup_ns == 0.0 && workload.absent < 1.0 {
                true => " Lookups of present keys are not counted (`--lookup`).",
                false => "",
            }
        ),
        (None, _) => format!(
            "If {absent} of the queries are for absent keys (`--absent`), the {it} filter answers \
             {rate} of all queries without a lookup. A query takes {} ns, and {} with its share of \
             inserts and removals (`--queries-per-key`): it pays if a lookup takes longer than {} ns.",
            Rounded(choice.query_ns?),
            Rounded(own(choice, workload)),
            Number(libm::round(own(choice, workload) / spared) as u64)
        ),
    })
}

/// Bytes of a file beside its table, at least: the header, and a directory with a head, a section
/// and its geometry.
const FILE_BYTES: usize = amq::format::HEADER + 3 * amq::format::ENTRY;

/// Bytes beside which those are nothing.
const LARGE_FILE: u64 = 1 << 26;

/// What a file takes beside a table that has to fit a size.
pub(super) fn file(choice: &Choice, workload: &Workload) -> Option<String> {
    let is_file = matches!(choice.structure, Structure::Filter(_) | Structure::Map);
    let is_told = workload.bytes.is_some() && choice.bytes < LARGE_FILE;
    (is_file && is_told && workload.filters == 1)
        .then(|| format!("Sizes are those of tables: a file has some {FILE_BYTES} bytes more."))
}

/// What stands beside the tables of many filters, and what one for all would take.
pub(super) fn many(choice: &Choice, workload: &Workload, times: &Times) -> Option<String> {
    let (it, filters) = (choice.structure, workload.filters);
    choice.goal.filter(|_| filters > 1)?;
    let number = Number(filters);
    let all = Bytes(choice.bytes.saturating_mul(filters));
    let full = if workload.grows() { " once full: most stay smaller" } else { "" };
    let mut text =
        format!("{number} filters take {all} as tables, {} each{full}.", Bytes(choice.bytes));
    let bits = FILE_BYTES as f64 * 8.0 / workload.keys.planned() as f64;
    if matches!(it, Structure::Filter(_) | Structure::Map) && bits >= 0.1 {
        text += &format!(
            " As a file of its own, each has {FILE_BYTES} bytes more, which is {bits:.1} bits per key: \
             keep the tables of many filters in one file."
        );
    }
    text +=
        " With one seed for all, hash a key once (`KeyHash`) and query each filter with the hash.";
    let keys = workload.keys.planned().saturating_mul(filters);
    let one = Workload { keys: Keys::AtMost(keys), filters: 1, ..workload.clone() };
    let least = |it: Structure| smallest(it, &one, times).ok();
    let together = match workload.spares() {
        First::Memory => {
            smallest_of(Structure::candidates(&one).into_iter().filter_map(least), &one)
        }
        _ => least(it),
    };
    if let Some(together) = together.filter(|_| choice.grown.is_none()) {
        let it = together.structure;
        let (kind, errs) = match it {
            // A map gives some value to every key: it has no rate.
            Structure::Map => ("", " takes".into()),
            _ => (" filter", format!(" errs on {} in", Rate(together.fpr))),
        };
        let bits = together.bytes as f64 * 8.0 / keys as f64;
        text += &format!(
            " If no set is sent, merged or dropped on its own, a single {it}{kind} of (set, key) \
             pairs{errs} {bits:.2} bits per key, without those bytes."
        );
    }
    Some(text)
}
