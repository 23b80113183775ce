//! Pools and judges the answers and bytes of filters of several seeds.

use super::{Failure, no_false_negative};
use crate::contenders::Built;
use crate::contenders::alloc::Memory;
use crate::record::Row;
use crate::scenarios::keys::Keys;
use crate::verify::interval::{SIGMAS, agrees, clopper_pearson};
use amq_core::PredictedFpr;

/// Counts over filters of different seeds, each with the same number of queries; and the most bytes
/// of any, if counted.
#[derive(Clone, Copy, Default, Debug)]
pub struct Answers {
    pub filters: u64,
    present_queries: u64,
    absent_queries: u64,
    pub(super) false_positives: u64,
    predicted: Option<PredictedFpr>,
    held: Option<u64>,
    said: Option<u64>,
    peak: Option<u64>,
    /// The range of bytes held over an octave.
    pub octave: Option<(u64, u64)>,
}

impl Answers {
    /// Adds the memory of a filter, after comparing it with the reported bytes.
    pub fn see(&mut self, filter: &dyn Built, memory: Memory, seed: u64) -> Result<(), Failure> {
        let (said, Memory { held, peak }) = (filter.said_bytes(), memory);
        Failure::unless(said.is_none_or(|said| i64::try_from(said) == Ok(held)), || {
            format!("reports {} bytes but holds {held} (seed {seed})", said.unwrap_or_default())
        })?;
        let bytes = |count: i64| Some(u64::try_from(count).unwrap_or(0));
        self.held = self.held.max(bytes(held));
        self.said = self.said.max(said);
        self.peak = self.peak.max(bytes(peak)).max(self.held);
        Ok(())
    }

    /// Queries one filter for all present keys, all of which must be found, and for absent keys.
    pub fn take(
        &mut self,
        filter: &dyn Built,
        present: Keys<'_>,
        absent: Keys<'_>,
        seed: u64,
    ) -> Result<(), Failure> {
        no_false_negative(filter, present, seed)?;
        let hits = filter.count_hits(absent);
        if self.filters == 0 {
            self.predicted = filter.predicted();
        }
        self.filters += 1;
        self.present_queries += present.len() as u64;
        self.absent_queries += absent.len() as u64;
        self.false_positives += hits;
        Ok(())
    }

    /// The expected false positives so far, or those counted if there is no prediction.
    pub fn expected(&self) -> f64 {
        match self.predicted {
            // With no false positives expected, the least number of filters is enough.
            Some(predicted) if predicted.mean == 0.0 => f64::INFINITY,
            Some(predicted) => predicted.mean * self.absent_queries as f64,
            None => self.false_positives as f64,
        }
    }

    /// Compares with the formula, two-sided. Our filters must agree; a peer is flagged.
    pub fn judge(&self, ours: bool) -> Result<(), Failure> {
        let Some(rate) = self.predicted.filter(|_| ours) else {
            return Ok(());
        };
        self.unless(self.agree_with(rate), || format!("from the predicted rate {:.4e}", rate.mean))
    }

    /// Fails if the counts exceed the rate that `keys` keys must keep.
    pub fn not_above(&self, asked: f64, keys: usize) -> Result<(), Failure> {
        let most = PredictedFpr { mean: asked, sd: self.predicted.map_or(0.0, |rate| rate.sd) };
        let is_above = self.false_positives as f64 > asked * self.absent_queries as f64;
        self.unless(!is_above || self.agree_with(most), || {
            format!(
                "above the target rate {asked:.4e} that it must keep while it grows to {keys} keys"
            )
        })
    }

    fn unless(&self, is_well: bool, what: impl FnOnce() -> String) -> Result<(), Failure> {
        let Self { filters, absent_queries, false_positives, .. } = self;
        Failure::unless(is_well, || {
            format!(
                "{false_positives} false positives in {absent_queries} queries over {filters} \
                 seeds, more than {SIGMAS} standard deviations {}",
                what()
            )
        })
    }

    fn agree_with(&self, rate: PredictedFpr) -> bool {
        let filters = self.filters.max(1);
        agrees(rate, self.false_positives, self.absent_queries / filters, filters)
    }

    pub fn write(&self, row: &mut Row) {
        (row.held_bytes, row.said_bytes, row.peak_build_bytes) = (self.held, self.said, self.peak);
        (row.held_bytes_octave_low, row.held_bytes_octave_high) = self.octave.unzip();
        if self.filters == 0 {
            return;
        }
        let (low, high) = clopper_pearson(self.false_positives, self.absent_queries);
        row.present_queries = Some(self.present_queries);
        row.false_negatives = Some(0);
        row.absent_queries = Some(self.absent_queries);
        row.false_positives = Some(self.false_positives);
        row.seeds = Some(self.filters);
        row.predicted_fpr = self.predicted.map(|rate| rate.mean);
        row.predicted_fpr_sd = self.predicted.map(|rate| rate.sd);
        (row.fpr_low, row.fpr_high) = (Some(low), Some(high));
        row.fpr_agrees = self.predicted.map(|rate| self.agree_with(rate));
    }
}
