//! One cell of the comparison.

use crate::record::Workload;
use serde::{Deserialize, Serialize};

/// Whether a cell has numbers, and if not, why.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    #[default]
    Measured,
    Failed,
    Refused,
    Untimed,
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
/// `reports/RECORDS.md` explains each column.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Row {
    pub(crate) contender: String,
    pub(crate) key_set: String,
    pub(crate) keys: u64,
    pub(crate) planned_keys: Option<u64>,
    pub(crate) asked_fpr: Option<f64>,
    pub(crate) asked_bits: Option<f64>,
    pub(crate) load: Option<f64>,
    pub(crate) threads: Option<u64>,
    pub(crate) workload: Workload,
    pub(crate) state: State,
    pub(crate) why: String,
    pub(crate) refused_at: Option<u64>,
    pub(crate) held_bytes: Option<u64>,
    pub(crate) held_bytes_octave_low: Option<u64>,
    pub(crate) held_bytes_octave_high: Option<u64>,
    pub(crate) said_bytes: Option<u64>,
    pub(crate) peak_build_bytes: Option<u64>,
    pub(crate) present_queries: Option<u64>,
    pub(crate) false_negatives: Option<u64>,
    pub(crate) absent_queries: Option<u64>,
    pub(crate) false_positives: Option<u64>,
    pub(crate) seeds: Option<u64>,
    pub(crate) predicted_fpr: Option<f64>,
    pub(crate) predicted_fpr_sd: Option<f64>,
    pub(crate) fpr_low: Option<f64>,
    pub(crate) fpr_high: Option<f64>,
    pub(crate) fpr_agrees: Option<bool>,
    pub(crate) operations: Option<u64>,
    pub(crate) hits: Option<u64>,
    pub(crate) rounds: Option<u64>,
    pub(crate) ns: Option<f64>,
    pub(crate) ns_median: Option<f64>,
    pub(crate) ns_min: Option<f64>,
    pub(crate) reference: Option<String>,
    pub(crate) ratio: Option<f64>,
    pub(crate) ratio_low: Option<f64>,
    pub(crate) ratio_high: Option<f64>,
    pub(crate) ns_p99_9: Option<f64>,
    pub(crate) unstable: Option<bool>,
    pub(crate) passes_ns: String,
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

    /// The row in a state without times; other numbers are kept.
    pub fn without(self, state: State, why: &str) -> Self {
        Self { state, why: why.to_owned(), ..self }
    }

    pub fn cell(&self) -> Cell {
        let Self { keys, planned_keys, asked_fpr, asked_bits, .. } = *self;
        Cell { key_set: self.key_set.clone(), keys, planned_keys, asked_fpr, asked_bits }
    }

    /// A description of the row, unique within a record.
    pub fn subject(&self) -> String {
        let mut text = format!("{}, {} {} keys", self.contender, self.keys, self.key_set);
        for (value, before, after) in [
            (self.planned_keys.map(|keys| keys as f64), " of ", " planned"),
            (self.asked_fpr, " at ", ""),
            (self.asked_bits, " in ", " bits a key"),
            (self.load.map(|load| (load * 1e4).round() / 1e4), ", load ", ""),
            (self.threads.map(|threads| threads as f64), ", by ", " threads"),
        ] {
            text.extend(value.map(|value| format!("{before}{value}{after}")));
        }
        // A filter that refuses a key at a load has another row with that load.
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
