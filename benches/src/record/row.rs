//! One cell of the comparison.

use crate::record::Workload;
use serde::{Deserialize, Serialize};

/// Whether a cell has numbers, or why not.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    #[default]
    Measured,
    /// A wrong answer, or a failed build: never a number.
    Failed,
    /// Beyond its plan it refused a key, as it may; `refused_at` says when.
    Refused,
    /// Verification of the same filter failed, so it was not timed.
    Untimed,
    /// It takes no part here: too slow, or no filter of this size and budget exists.
    Skipped,
}

serde_plain::derive_display_from_serialize!(State);

/// The subject of a row, for any contender; for the fields see [`Row`].
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Cell {
    pub(crate) key_set: String,
    pub(crate) keys: u64,
    pub(crate) planned_keys: Option<u64>,
    pub(crate) asked_fpr: Option<f64>,
    pub(crate) asked_bits: Option<f64>,
}

/// One cell of the comparison: a contender, a key set, a number of keys, a target and a workload.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub(crate) contender: String,
    /// Which keys: `random-u64`, `sequential`, `strings`, `words`, or the user's file.
    pub(crate) key_set: String,
    /// Keys in the filter, all distinct.
    pub(crate) keys: u64,
    /// Planned keys, in courses where the number in the filter differs or changes; else empty.
    pub(crate) planned_keys: Option<u64>,
    /// The target false-positive rate; empty where the contender takes none, or a budget instead.
    pub(crate) asked_fpr: Option<f64>,
    /// The memory budget in bits per key, where one is asked for instead of a rate.
    pub(crate) asked_bits: Option<f64>,
    /// Keys over slots, in courses over a table of slots; else empty.
    pub(crate) load: Option<f64>,
    pub(crate) workload: Workload,
    pub(crate) state: State,
    /// Why there are no numbers; empty if there are.
    pub(crate) why: String,
    /// Keys held when it refused one.
    pub(crate) refused_at: Option<u64>,

    /// Bytes held by the finished filter, by the counting allocator.
    pub(crate) held_bytes: Option<u64>,
    /// For sizes that jump: the fewest and the most bytes held per key by filters of this many keys
    /// to twice as many, times `keys`.
    pub(crate) held_bytes_octave_low: Option<u64>,
    pub(crate) held_bytes_octave_high: Option<u64>,
    /// Bytes that the filter itself reports.
    pub(crate) said_bytes: Option<u64>,
    /// Peak bytes held while building, the filter included, the keys not.
    pub(crate) peak_build_bytes: Option<u64>,
    /// Queries are counted over all seeds.
    pub(crate) present_queries: Option<u64>,
    /// Present keys answered `false`. Anything but zero is a failed row.
    pub(crate) false_negatives: Option<u64>,
    pub(crate) absent_queries: Option<u64>,
    pub(crate) false_positives: Option<u64>,
    /// Seeds, and so filters, that the false positives are pooled over.
    pub(crate) seeds: Option<u64>,
    /// The exact formula's rate at the realised parameters; empty where none is known.
    pub(crate) predicted_fpr: Option<f64>,
    /// Standard deviation of single filters' rates around the prediction.
    pub(crate) predicted_fpr_sd: Option<f64>,
    /// 95 % Clopper-Pearson interval of the measured rate.
    pub(crate) fpr_low: Option<f64>,
    pub(crate) fpr_high: Option<f64>,
    /// Whether the measured rate agrees with the prediction within their joint error; empty without
    /// a prediction.
    pub(crate) fpr_agrees: Option<bool>,

    /// Operations in all timed passes.
    pub(crate) operations: Option<u64>,
    /// Hits in all of them; equal to the verified number, or the cell has failed.
    pub(crate) hits: Option<u64>,
    /// Timed passes.
    pub(crate) rounds: Option<u64>,
    /// Nanoseconds per operation: the estimate that the report shows. `run.toml` says which.
    pub(crate) ns: Option<f64>,
    pub(crate) ns_median: Option<f64>,
    pub(crate) ns_min: Option<f64>,
    /// The contender that `ratio` compares with.
    pub(crate) reference: Option<String>,
    /// The time over the reference's in the same workload, with its 95 % bootstrap interval.
    pub(crate) ratio: Option<f64>,
    pub(crate) ratio_low: Option<f64>,
    pub(crate) ratio_high: Option<f64>,
    /// The time that 999 of 1,000 single operations stay below, where a course measures single
    /// ones.
    pub(crate) ns_p99_9: Option<f64>,
    /// Instructions per operation, where they could be counted.
    pub(crate) instructions: Option<f64>,
    /// Whether the interval is too wide to trust the estimate.
    pub(crate) unstable: Option<bool>,
    /// Nanoseconds per operation in each pass, in the order in which they were timed, to four
    /// significant digits, separated by spaces.
    pub(crate) passes_ns: String,
    /// The same of the reference in the same rounds.
    pub(crate) reference_passes_ns: String,
}

impl Row {
    /// A row without any numbers yet.
    pub fn new(contender: &str, cell: &Cell, workload: Workload) -> Self {
        let (contender, key_set) = (contender.to_owned(), cell.key_set.clone());
        let Cell { keys, planned_keys, asked_fpr, asked_bits, .. } = *cell;
        let row = Self { contender, key_set, keys, workload, ..Self::default() };
        Self { planned_keys, asked_fpr, asked_bits, ..row }
    }

    /// The row in a state without numbers; numbers that it has stay.
    #[must_use]
    pub fn without(self, state: State, why: &str) -> Self {
        Self { state, why: why.to_owned(), ..self }
    }

    pub fn cell(&self) -> Cell {
        let Self { keys, planned_keys, asked_fpr, asked_bits, .. } = *self;
        Cell { key_set: self.key_set.clone(), keys, planned_keys, asked_fpr, asked_bits }
    }

    pub fn is_of(&self, cell: &Cell) -> bool {
        self.cell() == *cell
    }

    /// What the row is about, in words that no other row of a record has.
    pub fn subject(&self) -> String {
        let mut text = format!("{}, {} {} keys", self.contender, self.keys, self.key_set);
        for (value, before, after) in [
            (self.planned_keys.map(|keys| keys as f64), " of ", " planned"),
            (self.asked_fpr, " at ", ""),
            (self.asked_bits, " in ", " bits a key"),
            (self.load, ", load ", ""),
        ] {
            text.extend(value.map(|value| format!("{before}{value}{after}")));
        }
        // What refuses a key at a load has a row of that load, too.
        let full = if self.state == State::Refused { ", full" } else { "" };
        format!("{text}, {}{full}", self.workload)
    }

    pub fn fpr(&self) -> Option<f64> {
        let (hits, queries) = self.false_positives.zip(self.absent_queries)?;
        (queries > 0).then(|| hits as f64 / queries as f64)
    }

    pub fn bits_per_key(&self) -> Option<f64> {
        let bytes = self.held_bytes.filter(|_| self.keys > 0)?;
        Some(bytes as f64 * 8.0 / self.keys as f64)
    }
}
