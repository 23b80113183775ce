//! Answers of several filters of the same keys, pooled and judged.

use super::Failure;
use crate::contenders::Built;
use crate::keys::Keys;
use crate::measure::interval::{agrees, clopper_pearson};
use crate::record::Row;
use amq_core::PredictedFpr;

/// Counts over filters of different seeds, each with the same number of queries.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    /// The number of filters.
    pub filters: u64,
    present_queries: u64,
    absent_queries: u64,
    false_positives: u64,
    predicted: Option<PredictedFpr>,
}

/// Counts that passed.
#[derive(Clone, Copy, Debug)]
pub struct Answers {
    tally: Tally,
    agrees: Option<bool>,
}

impl Tally {
    /// Queries one filter for all present keys, which it must find, and for absent keys. Returns
    /// the false positives.
    pub fn take(
        &mut self,
        filter: &dyn Built,
        present: Keys<'_>,
        absent: Keys<'_>,
        seed: u64,
    ) -> Result<u64, Failure> {
        no_false_negative(filter, present, seed)?;
        let hits = filter.count_hits(absent);
        if self.filters == 0 {
            self.predicted = filter.predicted();
        }
        self.filters += 1;
        self.present_queries += present.len() as u64;
        self.absent_queries += absent.len() as u64;
        self.false_positives += hits;
        Ok(hits)
    }

    /// The false positives expected so far; those counted, if there is no prediction.
    pub fn expected(&self) -> f64 {
        match self.predicted {
            // No false positive is ever expected: the least number of filters is enough.
            Some(predicted) if predicted.mean == 0.0 => f64::INFINITY,
            Some(predicted) => predicted.mean * self.absent_queries as f64,
            None => self.false_positives as f64,
        }
    }

    /// Compares with the formula, on both sides. A filter of ours must agree; a peer is flagged.
    pub fn judged(self, ours: bool) -> Result<Answers, Failure> {
        let agrees = self.predicted.map(|predicted| self.agrees(predicted));
        if let (Some(false), Some(predicted), true) = (agrees, self.predicted, ours) {
            return Err(Failure::Rate {
                hits: self.false_positives,
                queries: self.absent_queries,
                seeds: self.filters,
                predicted: predicted.mean,
            });
        }
        Ok(Answers { tally: self, agrees })
    }

    fn agrees(&self, rate: PredictedFpr) -> bool {
        let filters = self.filters.max(1);
        let queries = self.absent_queries / filters;
        agrees(rate, self.false_positives, queries, filters)
    }

    /// Fails if the counts exceed the rate that `keys` keys must keep.
    pub fn not_above(&self, asked: f64, keys: u64) -> Result<(), Failure> {
        let most =
            PredictedFpr { mean: asked, sd: self.predicted.map_or(0.0, |predicted| predicted.sd) };
        let above = self.false_positives as f64 > asked * self.absent_queries as f64;
        if above && !self.agrees(most) {
            return Err(Failure::AboveAsked {
                hits: self.false_positives,
                queries: self.absent_queries,
                keys,
                asked,
            });
        }
        Ok(())
    }
}

impl Answers {
    /// Writes the counts into a row.
    pub fn write(&self, row: &mut Row) {
        let tally = &self.tally;
        let (low, high) = clopper_pearson(tally.false_positives, tally.absent_queries);
        row.present_queries = Some(tally.present_queries);
        row.false_negatives = Some(0);
        row.absent_queries = Some(tally.absent_queries);
        row.false_positives = Some(tally.false_positives);
        row.seeds = Some(tally.filters);
        row.predicted_fpr = tally.predicted.map(|predicted| predicted.mean);
        row.predicted_fpr_sd = tally.predicted.map(|predicted| predicted.sd);
        row.fpr_low = Some(low);
        row.fpr_high = Some(high);
        row.fpr_agrees = self.agrees;
    }
}

/// Queries keys that are all present.
pub fn no_false_negative(filter: &dyn Built, present: Keys<'_>, seed: u64) -> Result<(), Failure> {
    let keys = present.len() as u64;
    let found = filter.count_hits(present);
    if found == keys {
        return Ok(());
    }
    Err(Failure::FalseNegatives { forgotten: keys.saturating_sub(found), keys, seed })
}
