//! Better choices than any filter: no filter, the keys themselves, or a counting sketch.

use crate::cost::{nothing, of_bytes, own};
use crate::numbers::{Bytes, Number, Rate, Rounded};
use crate::tolerances::{By, SMALL_SET_BYTES, TIE, USELESS_FPR};
use crate::{Answer, Choice, Structure, Workload, size};

/// If time comes first, an exact set may take this many times the bytes of a filter that is not
/// faster; more if it is faster by more than twice the factor.
const SET_MAY_TAKE: u64 = 3;

/// If false positives cost more than this, the time to search a sorted list is negligible.
const SLOW_NS: f64 = 10_000.0;

/// The choice that is better than all filters of an answer, if there is one.
pub(crate) fn before_filters(
    answer: &Answer,
    exact: &[Choice],
    by: By,
    workload: &Workload,
) -> Option<Choice> {
    let first = answer.filters().next();
    let tells_more = workload.value_bits().is_some() || workload.counts();
    let none = if tells_more { None } else { needless(answer, workload) };
    let (mut choice, reason) = none
        .or_else(|| counted(answer, by, workload))
        .or_else(|| exactly(answer, exact, first?, by, workload))?;
    choice.reason = reason;
    Some(choice)
}

/// No filter, if a filter saves nothing.
fn needless(answer: &Answer, workload: &Workload) -> Option<(Choice, String)> {
    let none = |reason: &str| Some((nothing(workload), reason.into()));
    if workload.absent == 0.0 {
        return none("Every query is for a key that is in: a filter would say yes to all of them.");
    }
    if answer.filters().next()?.rate() > Some(USELESS_FPR) {
        return none(
            "Filters of this rate or size say yes to nearly every absent key: ask for a lower rate, \
             or allow more bytes.",
        );
    }
    let without = answer.without_ns?;
    let with = answer.filters().filter_map(|choice| choice.cost_ns).reduce(f64::min)?;
    let what = match with {
        _ if with < without * (1.0 - TIE) => return None,
        _ if with < without => "A filter saves next to nothing",
        _ => "A filter takes more time than it saves",
    };
    none(&format!(
        "{what}: a query takes {} ns with the fastest filter and {} ns without any, since {} of the \
         queries are for absent keys.",
        Rounded(with),
        Rounded(without),
        Rate(workload.absent)
    ))
}

/// The keys themselves, if a filter takes about as much space.
fn exactly(
    answer: &Answer,
    exact: &[Choice],
    first: &Choice,
    by: By,
    workload: &Workload,
) -> Option<(Choice, String)> {
    let smallest = answer.filters().min_by_key(|choice| choice.bytes)?;
    let is_by_time = matches!(by, By::Time(_) | By::Tail(_));
    // If time comes first, only those whose time is known.
    let later = |it: &&Choice| is_by_time && it.cost_ns.is_none();
    exact.iter().filter(|it| !later(it)).chain(exact.iter().filter(later)).find_map(|set| {
        let together = set.bytes.saturating_mul(workload.filters);
        // Trades bytes for time by their product: far more bytes only for far less time.
        let product = |choice: &Choice| choice.bytes as f64 * own(choice, workload);
        let is_no_slower = set.cost_ns.is_some() && own(set, workload) <= own(first, workload);
        // As for filters, which may double their bits to halve the time, or use an allowed size.
        let halves = own(set, workload) * 2.0 <= own(first, workload);
        let is_next = match by {
            By::Time(most) => workload.allowed(1).is_some() || set.bits_per_key <= most * 2.0,
            _ => false,
        };
        // Searching a list takes longer than most filters, and has not been measured.
        let is_searched = set.structure == Structure::SortedList;
        let is_slow = workload.false_positive_ns.is_some_and(|ns| ns >= SLOW_NS);
        let is_near = set.bytes <= first.bytes && (is_slow || !is_searched)
            || is_no_slower
                && (set.bytes <= first.bytes.saturating_mul(SET_MAY_TAKE)
                    || product(set) * 2.0 <= product(first)
                    || halves && is_next);
        let taken = Bytes(set.bytes);
        let why = if by == By::Rate && together > SMALL_SET_BYTES {
            format!("The keys themselves fit the size allowed, in {taken}")
        } else if !is_searched && together <= SMALL_SET_BYTES {
            match workload.keys.planned() {
                1 => format!("The key itself fits in a cache, in {taken}"),
                keys => format!("The {} keys themselves fit in a cache, in {taken}", Number(keys)),
            }
        } else if set.bytes <= smallest.bytes {
            format!(
                "The keys themselves take {taken}, no more than the smallest filter, {}",
                smallest.structure
            )
        } else if is_by_time && is_near {
            format!(
                "The keys themselves take {taken}; the fastest filter at this cost of an error, {}, \
                 takes {}, and still errs on {} of absent keys",
                first.structure,
                Bytes(first.bytes),
                Rate(first.fpr)
            )
        } else {
            return None;
        };
        Some((set.clone(), format!("{why}.")))
    })
}

/// A sketch, if copies would need more space in slots than in counters, or if a filter of the same
/// size has a higher rate.
fn counted(answer: &Answer, by: By, workload: &Workload) -> Option<(Choice, String)> {
    let (bits, size) = size::sketch(workload)?;
    let map = answer.exact[0].bytes;
    let smallest = answer.filters().min_by_key(|choice| choice.bytes);
    let surest = answer.filters().min_by(|a, b| a.fpr.total_cmp(&b.fpr));
    let (is_better, than) = match (by, smallest, surest) {
        (By::Rate, _, Some(Choice { structure, fpr, .. })) => (
            size.fpr < *fpr,
            format!("the best filter of that size, {structure}, errs on {}", Rate(*fpr)),
        ),
        (_, Some(Choice { structure, bytes, .. }), _) => (
            size.bytes < *bytes,
            format!("the smallest filter, {structure}, takes {}", Bytes(*bytes)),
        ),
        _ => (true, "no filter of this family fits".into()),
    };
    let choice = of_bytes(Structure::Sketch, size.bytes, size.fpr, None, workload);
    let reason = format!(
        "Counters of {bits} bits take {}, however many copies there are; {than}. Keys share counters: \
         {} of absent keys have a count above zero, and no count is too low.",
        Bytes(size.bytes),
        Rate(size.fpr)
    );
    let is_small = map.saturating_mul(workload.filters) <= SMALL_SET_BYTES;
    (is_better && size.bytes < map && !is_small).then_some((choice, reason))
}
