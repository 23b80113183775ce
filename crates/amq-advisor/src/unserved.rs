//! What does the work that no filter of this family does, with its size for a workload.

use crate::exact::{hash_table, sorted_bytes};
use crate::numbers::{Bytes, Number, Rate};
use crate::{Beyond, DEFAULT_FPR, Demand, Need, Workload};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use amq_core::numeric::{first_true, last_true};
use core::fmt;

/// Needs of a workload that no filter of this family meets.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Unserved {
    /// Each of them with what to take; at least one.
    pub needs: Vec<Instead>,
}

/// What to take for a need that no filter of this family meets.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Instead {
    /// The need.
    pub beyond: Beyond,
    /// What to take for this workload.
    pub take: String,
    /// Bytes of it, where they can be said.
    pub bytes: Option<u64>,
    /// Each other need, and a sentence on what becomes of it there.
    pub beside: Vec<(Need, &'static str)>,
}

impl fmt::Display for Unserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Instead { beyond, take, beside, .. }) in self.needs.iter().enumerate() {
            let and = if index == 0 { "" } else { "; and " };
            write!(f, "{and}no filter of this family {}: take {take}", beyond.wanted)?;
            for (need, served) in beside {
                write!(f, ". For {}: {served}", Demand::Need(*need))?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Unserved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Unserved {}

/// What a workload needs that no filter of this family does.
pub(super) fn unserved(workload: &Workload) -> Option<Unserved> {
    let needs = workload.needs.iter().filter_map(|need| match *need {
        // With a number it is a count, which is answered.
        Need::Beyond(Beyond::FREQUENCIES) if workload.counts() => None,
        Need::Beyond(beyond) => Some(instead(beyond, workload)),
        _ => None,
    });
    let needs: Vec<Instead> = needs.collect();
    (!needs.is_empty()).then_some(Unserved { needs })
}

fn instead(beyond: Beyond, workload: &Workload) -> Instead {
    let (set, list) = (hash_table(workload), sorted_bytes(workload));
    let (take, bytes) = match (beyond, workload.changes) {
        (Beyond::DISTINCT, _) => distinct(set, workload),
        (Beyond::RANGE, _) => {
            let shown = Bytes(list);
            let text = match workload.is_exact() {
                true => {
                    format!("the keys in a sorted list, {shown} here: no range filter never errs")
                }
                false => format!("{}, {shown} here", beyond.instead),
            };
            let points = ". If the keys are ranges or prefixes, such as networks, and queries are \
                          points: a trie, or sorted intervals";
            (text + points, Some(list))
        }
        (Beyond::FREQUENCIES, _) if workload.is_exact() => {
            let map = hash_table(&workload.clone().need(Need::Count { most: u32::MAX }));
            (format!("a hash map from each key to its count, {} here", Bytes(map)), Some(map))
        }
        (Beyond::RECONCILE, Some(changes)) => {
            let bytes = changes.saturating_mul(8);
            let (keys, sketch) = (Number(changes), Bytes(bytes));
            // An IBLT has some 1.5 cells for each: a sum of keys, one of hashes, and a count.
            let cells = Bytes(changes.saturating_mul(30));
            let text = format!(
                "minisketch for {keys} keys that differ: it sends {sketch}, 64 bits for each, \
                 however large the sets, and decodes in time that grows with the square; or an \
                 invertible Bloom lookup table (IBLT), some {cells}, which decodes in linear time"
            );
            (text, Some(bytes))
        }
        (Beyond::FRESH, _) => {
            let bytes = workload.allowed(workload.keys.planned()).filter(|_| !workload.is_exact());
            let room = bytes.map_or_else(String::new, |bytes| {
                let keys = Number(bytes / workload.key_bytes.max(1));
                format!(": {} hold the last {keys}, or fewer where two share a slot", Bytes(bytes))
            });
            (format!("{}{room}", beyond.instead), bytes)
        }
        _ => (beyond.instead.into(), None),
    };
    Instead { beyond, take, bytes, beside: beside(beyond, workload) }
}

/// What becomes of the other needs.
fn beside(beyond: Beyond, workload: &Workload) -> Vec<(Need, &'static str)> {
    let [remove, merge, list, grow, shared] = beyond.beside;
    let served = |need: &Need| {
        let served = match need {
            Need::Remove => remove,
            Need::Merge => merge,
            Need::List => list,
            Need::Grow => grow,
            Need::SharedInsert => shared,
            Need::Forget { .. } => "keep one for each period, and drop the oldest",
            Need::Files => "it can be saved, by its own library",
            // These have answers of their own.
            Need::Beyond(_) | Need::Exact => return None,
            Need::Values { .. } | Need::Count { .. } => {
                "it holds neither values nor counts: ask for them alone"
            }
        };
        Some((*need, served))
    };
    workload.needs.iter().filter_map(served).collect()
}

/// The fewest and the most registers of a HyperLogLog, as powers of two.
const REGISTERS: (u64, u64) = (4, 48);

/// HyperLogLog (Flajolet et al. 2007): `m` registers of six bits count with a relative standard
/// error of `1.04 / sqrt(m)`.
fn distinct(set: u64, workload: &Workload) -> (String, Option<u64>) {
    let (fewest, most) = REGISTERS;
    let bytes = |power: u64| (6u64 << power) / 8;
    let error = |power: u64| 1.04 / libm::exp2(power as f64 / 2.0);
    let asked = workload.fpr.unwrap_or(DEFAULT_FPR);
    let wanted = first_true(fewest, most, |power| error(power) <= asked);
    let allowed = workload.allowed(workload.keys.planned());
    let fits = allowed.map(|most_bytes| last_true(fewest, most, |it| bytes(it) <= most_bytes));
    let power = fits.filter(|_| workload.fpr.is_none()).unwrap_or(wanted);
    let mut sketch = format!(
        "HyperLogLog: {} registers of 6 bits, {}, count with a relative error of {}",
        Number(1 << power),
        Bytes(bytes(power)),
        Rate(error(power))
    );
    if let Some(fits) = fits.filter(|&fits| fits < power) {
        sketch +=
            &format!(", and those that fit, {}, with {}", Bytes(bytes(fits)), Rate(error(fits)));
    }
    let (keys, few) = (Bytes(set), !workload.grows() && set <= bytes(power));
    match workload.is_exact() || few {
        true => {
            (format!("the keys in a hash set, {keys}, which counts exactly. {sketch}"), Some(set))
        }
        false => (
            format!("{sketch}, however many keys; the keys in a hash set take {keys}"),
            Some(bytes(power)),
        ),
    }
}
