//! Truncating: the same filter with fewer columns.
//!
//! Each column of the solution is solved separately, and bumping and seeds do not depend on the
//! columns. So the first columns are the solution that the keys would have with only these. What
//! changes is where a layer's short blocks end, and the layout of a block in its words.

use crate::file::check_parts;
use crate::geometry::Geometry;
use crate::layer::Layer;
use crate::layout::{columns_of, put};
use crate::solution::Solution;
use crate::{MAX_COLUMNS, RibbonFilter, RibbonParams, theory};
use amq_core::internal::{ByteSource, Header, SectionStream, table_of};
use amq_core::{Budget, DecodeError, Goal, TruncateError, TruncateFilter};

/// The words of a block.
const WORDS: usize = MAX_COLUMNS as usize;

impl RibbonFilter {
    /// Makes this the filter that its keys would make within a smaller budget, without the keys:
    /// one file serves several sizes.
    ///
    /// The budget applies to the number of keys planned for. A budget that the filter already meets
    /// exactly leaves it as it is, and a larger one is refused. The result equals a build within
    /// that budget, byte for byte, also after earlier truncation. For a file, see
    /// [`LoadOptions::budget`].
    ///
    /// [`LoadOptions::budget`]: crate::LoadOptions::budget
    ///
    /// ```
    /// use amq_ribbon::{Budget, RibbonFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = RibbonFilter::build(Budget::Fpr(0.0001), 0..1000u64)?;
    /// filter.truncate(Budget::Fpr(0.01))?;
    /// assert!(filter == RibbonFilter::build(Budget::Fpr(0.01), 0..1000u64)?);
    /// assert!(filter.truncate(Budget::Fpr(0.001)).is_err()); // the bits are gone
    /// # Ok(())
    /// # }
    /// ```
    pub fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        let (params, geometry) = (self.solution.params(), self.solution.geometry());
        let target = Target::of(params, geometry, &self.header, self.len, budget)?;
        if !target.is_all_of(params, geometry) {
            let mut words = self.solution.words();
            let mut cut = Cut::new(params, geometry, &target);
            let bytes = target.geometry.parts()[0];
            let words = table_of(bytes, bytes, |block| cut.next(&mut words, block));
            let refused = |_| TruncateError::OutOfMemory { bytes };
            self.solution = self.solution.with_words(target, words.map_err(refused)?);
        }
        self.header.budget = Some(budget);
        Ok(())
    }
}

impl TruncateFilter for RibbonFilter {
    fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        Self::truncate(self, budget)
    }
}

/// Reads a filter from a file within a budget.
pub(crate) fn read(
    (params, geometry): (RibbonParams, Geometry),
    mut header: Header,
    len: u64,
    budget: Budget,
    sections: &mut SectionStream<'_>,
) -> Result<RibbonFilter, DecodeError> {
    let target = Target::of(&params, &geometry, &header, len, budget)?;
    let mut cut = Cut::new(&params, &geometry, &target);
    sections.turn()?;
    let bytes = target.geometry.parts()[0];
    let words = sections.table(bytes, |sections, block| cut.next(sections, block))?;
    let (thresholds, seeds, spare) =
        (sections.section()?, sections.section()?, sections.section()?);
    check_parts(&thresholds, geometry.buckets, &spare)?;
    header.budget = Some(budget);
    let solution = Solution::new(target.params, target.geometry, [words, thresholds, seeds]);
    Ok(RibbonFilter { header, len, solution })
}

/// The result of a truncation: parameters and geometry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) params: RibbonParams,
    pub(crate) geometry: Geometry,
}

impl Target {
    /// For a filter of `len` keys with these parameters.
    fn of(
        params: &RibbonParams,
        geometry: &Geometry,
        header: &Header,
        len: u64,
        budget: Budget,
    ) -> Result<Self, TruncateError> {
        let goal = Goal::new(header.capacity.max(len), budget).checked()?;
        let whole = Self { params: *params, geometry: *geometry };
        if len == 0 {
            // An empty filter takes no space, which is within any budget.
            return Ok(whole);
        }
        let planned = goal.plan_by(theory::plan)?.params;
        let mut target = whole.with_columns(planned.columns, planned.short);
        // As in a build: more keys may be bumped than planned.
        let allowed = goal.max_bits() / 8;
        if target.geometry.bytes() > allowed {
            let bytes = |fitting: &RibbonParams| {
                whole.with_columns(fitting.columns, fitting.short).geometry.bytes()
            };
            let fitting = theory::within(*params, allowed, bytes)?;
            target = whole.with_columns(fitting.columns, fitting.short);
        }
        if target.params != *params && target.is_within(&whole) {
            return Ok(target);
        }
        let fpr = theory::fpr_in(params, geometry, len);
        let meets = matches!(budget, Budget::Fpr(asked) if fpr <= asked);
        if target.params == *params || meets {
            return Ok(whole);
        }
        Err(TruncateError::larger(budget, fpr, geometry.bytes(), goal.keys))
    }

    /// The same layers with these columns.
    fn with_columns(&self, columns: u32, short: u32) -> Self {
        let params = RibbonParams { columns, short, ..self.params };
        let mut geometry = Geometry::default();
        for (i, layer) in self.geometry.layers().iter().enumerate() {
            let mut layer = *layer;
            (layer.first_word, layer.first_bucket) = (geometry.words, geometry.buckets);
            layer.short = params.columns().short_of(layer.blocks());
            geometry.push(layer, i + 1 < self.geometry.len, columns);
        }
        Self { params, geometry }
    }

    /// Whether no block has more columns than in `other`.
    fn is_within(&self, other: &Self) -> bool {
        let short = |layers: (&Layer, &Layer)| layers.0.short >= layers.1.short;
        let mut layers = self.geometry.layers().iter().zip(other.geometry.layers());
        self.params.columns < other.params.columns
            || self.params.columns == other.params.columns && layers.all(short)
    }

    fn is_all_of(&self, params: &RibbonParams, geometry: &Geometry) -> bool {
        self.params == *params && self.geometry == *geometry
    }
}

/// The blocks of a solution, one after another, with fewer columns.
struct Cut<'a> {
    params: &'a RibbonParams,
    geometry: &'a Geometry,
    target: &'a Target,
    layer: usize,
    block: u64,
}

impl<'a> Cut<'a> {
    fn new(params: &'a RibbonParams, geometry: &'a Geometry, target: &'a Target) -> Self {
        Self { params, geometry, target, layer: 0, block: 0 }
    }

    /// Reads the next block, and writes the columns kept. Returns the bytes written.
    fn next(&mut self, words: &mut impl ByteSource, kept: &mut [u8]) -> Result<usize, DecodeError> {
        let Some(layer) = self.geometry.layers().get(self.layer) else {
            return Ok(0);
        };
        let held = layer.block(self.block, self.params.columns).1;
        let to = &self.target.geometry.layers()[self.layer];
        let keep = to.block(self.block, self.target.params.columns).1;
        self.block += 1;
        if self.block == layer.blocks() {
            (self.layer, self.block) = (self.layer + 1, 0);
        }
        let bytes = words.take(8 * held)?;
        let from = self.params.columns().slot_bytes() as usize;
        let into = self.target.params.columns().slot_bytes() as usize;
        let kept = &mut kept[..8 * keep];
        if from == 0 && into == 0 {
            kept.copy_from_slice(&bytes[..8 * keep]);
            return Ok(kept.len());
        }
        let mut columns = [0; WORDS];
        if from == 0 {
            for (column, &word) in columns.iter_mut().zip(bytes.as_chunks().0) {
                *column = u64::from_le_bytes(word);
            }
        } else {
            for (byte, columns) in columns.chunks_mut(8).take(keep.div_ceil(8)).enumerate() {
                columns_of(bytes, byte, from, columns);
            }
        }
        let mut words = columns;
        if into > 0 {
            words = [0; WORDS];
            for (byte, columns) in columns.chunks(8).take(into).enumerate() {
                put(&mut words, 0, byte, into, columns);
            }
        }
        for (bytes, word) in kept.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        Ok(kept.len())
    }
}
