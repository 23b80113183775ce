//! The parameters of a filter, and their limits.

use crate::Kind;
use crate::shape::{Columns, MAX_LAYERS, Shape};
use amq_core::PlanError;

/// The most columns, and so the most bits of a result or of a map's value.
pub const MAX_COLUMNS: u32 = 32;

/// The most keys: what is left of a hash must tell the keys of one start position apart.
pub const MAX_ITEMS: u64 = 1 << 40;

/// The most that the last layer is widened, in tenths.
pub(crate) const MAX_WIDENED: u32 = 3;

/// What determines the size of a filter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RibbonParams {
    /// Columns of the solution, that is, bits that are compared: 1 to [`MAX_COLUMNS`].
    pub columns: u32,
    /// The share of the blocks that have one column less, in 2^32nds: so any rate, and any size, can be met.
    pub short: u32,
    /// The keys of each layer, those that it passes on included; zero where there is none.
    pub keys: [u64; MAX_LAYERS],
    /// By how many tenths of its keys the last layer is larger than planned: zero, unless no seed was good there.
    pub widened: u32,
}

impl RibbonParams {
    /// Checks the ranges; nothing is allocated.
    pub fn check(&self) -> Result<(), PlanError> {
        let (columns, items) = (u64::from(self.columns), self.keys[0]);
        PlanError::check_parameter("columns", columns, 1, MAX_COLUMNS.into())?;
        if self.columns == 1 {
            // One less would be none.
            PlanError::check_parameter("short", self.short.into(), 0, 0)?;
        }
        PlanError::check_parameter("keys", items, 0, MAX_ITEMS)?;
        for pair in self.keys.windows(2) {
            PlanError::check_parameter("keys passed on", pair[1], 0, pair[0])?;
        }
        PlanError::check_parameter("widened", self.widened.into(), 0, MAX_WIDENED.into())
    }

    pub(crate) const fn bits(&self) -> Columns {
        Columns {
            most: self.columns,
            short: self.short,
        }
    }

    pub(crate) fn shape<K: Kind>(&self) -> Shape {
        match self.keys[0] {
            0 => Shape::default(),
            _ => Shape::new::<K>(&self.keys, self.widened, self.bits()),
        }
    }

    /// Bytes of everything.
    pub(crate) fn bytes<K: Kind>(&self) -> u64 {
        if self.keys[0] == 0 {
            return 0;
        }
        let shape = self.shape::<K>();
        let seeds = shape.layers().last().map_or(0, |last| last.shards());
        shape.words * size_of::<K::Row>() as u64 + shape.buckets.div_ceil(32) * 8 + seeds
    }
}
