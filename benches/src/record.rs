//! The record of a measurement: the wall between the harness and the renderer.
//!
//! Records hold counts, not rates; names include units. One CSV file per contender, so that one
//! contender can be measured again alone, and one for the ribbon systems.

use crate::interval::clopper_pearson;
use serde::{Deserialize, Serialize};

/// A workload.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// Facts, not times: space, false negatives, false positives, theory's prediction.
    Verify,
    /// From an empty filter (or nothing) to one that holds all keys, per key.
    Build,
    /// Queries for absent keys, one after another, counting hits (throughput).
    Query0,
    /// The same, half present, in random order.
    Query50,
    /// The same, all present.
    Query100,
    /// The batch interface, half present.
    Batch50,
    /// Removals of half of a full filter's keys, per removal; and facts about what is left.
    Remove,
    /// A growing filter, begun with a hundredth of the keys: facts and inserts at rising numbers of
    /// keys.
    Grow,
    /// A filter of fixed size, given several times its planned keys: the same.
    Overfill,
    /// Inserts into a table of slots from one load to the next, per insert; and facts at that load.
    LoadInsert,
    /// Queries at one load, half present, in random order.
    LoadQuery,
    /// Removals from one load down to the next, oldest keys first, per removal; and facts about
    /// what is left.
    LoadRemove,
    /// Replacements in a nearly full filter, per pair of removal and insert; and facts afterwards.
    Churn,
    /// A merge of two filters of half of the keys each, per key of the other; and facts about the
    /// whole.
    Merge,
}

/// One cell of the comparison: a contender, a key set, a number of keys, a target rate and a
/// workload.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The contender's name in the registry.
    pub contender: String,
    /// Which keys: `random-u64`, `sequential`, `strings`, `words`, or the user's file.
    pub key_set: String,
    /// Keys in the filter, all distinct.
    pub keys: u64,
    /// Planned keys, in courses where the number in the filter differs or changes; else empty.
    #[serde(default)]
    pub planned_keys: Option<u64>,
    /// The target false-positive rate; empty where the contender takes none.
    pub asked_fpr: Option<f64>,
    /// Keys in the filter over its slots, in courses over a table of slots; else empty.
    #[serde(default)]
    pub load: Option<f64>,
    /// The workload.
    pub workload: Workload,
    /// Empty, or why this cell has no numbers.
    pub error: String,
    /// Keys held when, beyond its plan, it refused one, as it may; the row then has no numbers.
    #[serde(default)]
    pub refused_at: Option<u64>,

    /// Bytes held by the finished filter, by the counting allocator.
    pub held_bytes: Option<u64>,
    /// Bytes that the filter itself reports.
    pub said_bytes: Option<u64>,
    /// Peak bytes held while building, the filter included, the keys not.
    pub peak_build_bytes: Option<u64>,
    /// Present keys queried (over all seeds).
    pub present_queries: Option<u64>,
    /// Present keys answered `false`. Anything but zero is an error row.
    pub false_negatives: Option<u64>,
    /// Absent keys queried (over all seeds).
    pub absent_queries: Option<u64>,
    /// Absent keys answered `true`.
    pub false_positives: Option<u64>,
    /// Seeds, and so filters, that the false positives are pooled over.
    pub seeds: Option<u64>,
    /// The exact formula's rate at the realised parameters; empty where none is known.
    pub predicted_fpr: Option<f64>,
    /// Standard deviation of single filters' rates around the prediction.
    pub predicted_fpr_sd: Option<f64>,
    /// 95 % Clopper-Pearson interval of the measured rate.
    pub fpr_low: Option<f64>,
    /// Its upper end.
    pub fpr_high: Option<f64>,
    /// Whether the measured rate agrees with the prediction within their joint error; empty without
    /// a prediction.
    pub fpr_agrees: Option<bool>,

    /// Operations in one timed pass.
    pub operations: Option<u64>,
    /// Hits in the timed pass; equal to the verified number, or the cell is an error.
    pub hits: Option<u64>,
    /// Timed rounds, interleaved with the other contenders'.
    pub rounds: Option<u64>,
    /// Median over the rounds.
    pub median_ns: Option<f64>,
    /// Median absolute deviation from it.
    pub mad_ns: Option<f64>,
    /// The fastest round.
    pub min_ns: Option<f64>,
    /// Whether the rounds scatter too much to trust the median.
    pub unstable: Option<bool>,
}

/// Linear systems of one size, tried with several seeds.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Trial {
    /// Coefficients of a row, in bits.
    pub row_bits: u64,
    /// Keys in the system, all distinct.
    pub keys: u64,
    /// Its slots.
    pub slots: u64,
    /// The slots that a filter uses for one system of this many keys.
    pub built_slots: u64,
    /// Seeds tried.
    pub seeds: Option<u64>,
    /// Seeds that left room for all keys.
    pub solved: Option<u64>,
    /// Seeds that did not.
    pub unsolved: Option<u64>,
    /// 95 % Clopper-Pearson interval of the share of seeds that leave room.
    pub solved_low: Option<f64>,
    /// Its upper end.
    pub solved_high: Option<f64>,
    /// Empty, or why there are no numbers.
    pub error: String,
}

/// The subject of a row, for any contender.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// Which keys.
    pub key_set: String,
    /// How many of them are in the filter.
    pub keys: u64,
    /// Planned keys, if the number in the filter differs or changes.
    pub planned_keys: Option<u64>,
    /// The target rate; empty where the contender takes none.
    pub asked_fpr: Option<f64>,
}

impl Row {
    /// A row without any numbers yet.
    pub fn new(contender: &str, cell: &Cell, workload: Workload) -> Self {
        Self {
            contender: contender.to_owned(),
            key_set: cell.key_set.clone(),
            keys: cell.keys,
            planned_keys: cell.planned_keys,
            asked_fpr: cell.asked_fpr,
            load: None,
            workload,
            error: String::new(),
            refused_at: None,
            held_bytes: None,
            said_bytes: None,
            peak_build_bytes: None,
            present_queries: None,
            false_negatives: None,
            absent_queries: None,
            false_positives: None,
            seeds: None,
            predicted_fpr: None,
            predicted_fpr_sd: None,
            fpr_low: None,
            fpr_high: None,
            fpr_agrees: None,
            operations: None,
            hits: None,
            rounds: None,
            median_ns: None,
            mad_ns: None,
            min_ns: None,
            unstable: None,
        }
    }

    /// An error row: why there are no numbers.
    pub fn failed(contender: &str, cell: &Cell, workload: Workload, error: &str) -> Self {
        Self {
            error: error.to_owned(),
            ..Self::new(contender, cell, workload)
        }
    }

    /// The cell the row is about.
    pub fn cell(&self) -> Cell {
        Cell {
            key_set: self.key_set.clone(),
            keys: self.keys,
            planned_keys: self.planned_keys,
            asked_fpr: self.asked_fpr,
        }
    }

    /// Whether the row is about this cell.
    pub fn is_of(&self, cell: &Cell) -> bool {
        self.cell() == *cell
    }
}

impl Trial {
    /// The same with its counts.
    pub fn with(mut self, solved: u64, unsolved: u64) -> Self {
        let seeds = solved + unsolved;
        let (low, high) = clopper_pearson(solved, seeds);
        (self.seeds, self.solved, self.unsolved) = (Some(seeds), Some(solved), Some(unsolved));
        (self.solved_low, self.solved_high) = (Some(low), Some(high));
        self
    }

    /// Why the record is impossible, if it is: counts that do not add up, or a system without keys.
    pub fn fault(&self) -> Option<String> {
        let at = format!("with {} keys and {} slots", self.keys, self.slots);
        if self.keys == 0 {
            return Some(format!("{at}: there must be a key"));
        }
        match (self.seeds, self.solved, self.unsolved) {
            (None, None, None) if !self.error.is_empty() => None,
            (Some(seeds), Some(solved), Some(unsolved))
                if seeds > 0 && solved.checked_add(unsolved) == Some(seeds) =>
            {
                None
            }
            (seeds, solved, unsolved) => Some(format!(
                "{at}: {solved:?} solved and {unsolved:?} unsolved systems are not {seeds:?} seeds"
            )),
        }
    }
}
