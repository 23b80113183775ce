//! Parameters of a filter and their limits.

use crate::geometry::Geometry;
use crate::layer::Columns;
use crate::sizing::MAX_LAYERS;
use amq_core::PlanError;

/// The most columns: bits that a query compares, or bits of a map's value.
pub const MAX_COLUMNS: u32 = 32;

/// The most keys: the other bits of a hash must distinguish the keys of one start.
pub const MAX_KEYS: u64 = 1 << 40;

/// The most by which the last layer is widened, in tenths.
pub(crate) const MAX_WIDENED: u32 = 3;

/// The parameters that determine a filter's size and rate.
///
/// A plan has the expected number of keys in each layer; a filter has its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct RibbonParams {
    /// Columns of the solution, the bits that a query compares: 1 to [`MAX_COLUMNS`].
    pub columns: u32,
    /// The share of blocks that have one column less, in units of 2^-32, which makes any rate and
    /// any size possible. Zero if there is only one column.
    pub short: u32,
    /// The keys that reach each layer; zero where there is none.
    pub keys: [u64; MAX_LAYERS],
    /// Tenths of its keys by which the last layer is larger than planned: zero unless no seed
    /// solved it.
    pub widened: u32,
}

amq_core::parameters!(RibbonParams {
    columns: "bits per key",
    short: "2^-32 of the blocks",
    keys: "keys of each layer",
    widened: "tenths of the layer's keys",
});

impl RibbonParams {
    /// Blocks of `columns` columns, a share `short / 2^32` of them with one less.
    ///
    /// Not checked yet, nor planned for a number of keys:
    /// [`PlanFilter::plan_params`](crate::PlanFilter::plan_params) does both.
    pub const fn new(columns: u32, short: u32) -> Self {
        Self { columns, short, keys: [0; MAX_LAYERS], widened: 0 }
    }

    /// Checks the ranges. Allocates nothing.
    pub fn check(&self) -> Result<(), PlanError> {
        let (columns, keys) = (u64::from(self.columns), self.keys[0]);
        PlanError::check_parameter("columns", columns, 1, MAX_COLUMNS.into())?;
        if self.columns == 1 {
            // One column less would be none.
            PlanError::check_parameter("short", self.short.into(), 0, 0)?;
        }
        PlanError::check_parameter("keys", keys, 0, MAX_KEYS)?;
        for pair in self.keys.windows(2) {
            PlanError::check_parameter("keys bumped", pair[1], 0, pair[0])?;
        }
        PlanError::check_parameter("widened", self.widened.into(), 0, MAX_WIDENED.into())
    }

    pub(crate) const fn columns(&self) -> Columns {
        Columns { most: self.columns, short: self.short }
    }

    /// These parameters with other numbers of keys.
    pub(crate) const fn with_keys(self, keys: [u64; MAX_LAYERS]) -> Self {
        Self { keys, widened: 0, ..self }
    }

    pub(crate) fn geometry(&self) -> Geometry {
        Geometry::new(&self.keys, self.widened, self.columns())
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.geometry().bytes()
    }
}
