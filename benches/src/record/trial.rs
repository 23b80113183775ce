//! `construction.csv`: how often a ribbon system of one size can be solved.

use serde::{Deserialize, Serialize};

/// Linear systems of one size, tried with several seeds.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    pub why: String,
}

impl Trial {
    /// Why the record is impossible, if it is: counts that do not add up, or a system without keys.
    pub fn fault(&self) -> Option<String> {
        let at = format!("with {} keys and {} slots", self.keys, self.slots);
        if self.keys == 0 {
            return Some(format!("{at}: there must be a key"));
        }
        match (self.seeds, self.solved, self.unsolved) {
            (None, None, None) if !self.why.is_empty() => None,
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
