//! The filter.

use crate::hashes::{Hashed, Hashes, Source};
use crate::layout::Layout;
use crate::{FuseParams, build, query, theory};
use alloc::vec::Vec;
use amq_core::internal::{Header, hashes_of};
use amq_core::{BuildError, BuildFilter, BuildTarget, Filter, FilterKind, Goal, Key, KeyHash};

/// The binary fuse filter: a key is three slots, whose exclusive or is its fingerprint.
///
/// `S` holds the table: a vector, or a borrowed slice for a [view](FuseView). See the [crate's
/// documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct FuseFilter<S = Vec<u8>> {
    pub(crate) header: Header,
    pub(crate) params: FuseParams,
    len: u64,
    layout: Layout,
    pub(crate) table: S,
}

/// A [`FuseFilter`] whose table is borrowed.
pub type FuseView<'a> = FuseFilter<&'a [u8]>;

impl FuseFilter {
    amq_core::methods! {
        in "amq_fuse" "FuseFilter";
        build: FuseParams;
        plan: FuseParams;
        from_bytes;
    }

    fn of(
        target: BuildTarget<FuseParams>,
        seed: u64,
        keys: u64,
        hashes: impl FnOnce(&Layout) -> Result<Hashes, BuildError>,
    ) -> Result<Self, BuildError> {
        let plan = match target {
            // No keys take no space, which is within any budget.
            BuildTarget::Budget(budget) if keys == 0 => {
                Goal::new(keys, budget).checked()?;
                theory::plan_params(FuseParams::new(1), 0)?.with_budget(budget)
            }
            target => target.plan::<Self>(keys)?,
        };
        let header = Header::new(&plan, seed);
        // Of the keys there are, which may be fewer than planned.
        let params = theory::plan_params(plan.params, keys)?.params;
        if keys == 0 {
            return Ok(Self::of_parts(header, params, 0, Vec::new()));
        }
        let hashes = hashes(&Layout::new(&params))?;
        let (params, table) = build::table(params, hashes, keys)?;
        Ok(Self::of_parts(header, params, keys, table))
    }

    fn of_source(
        target: BuildTarget<FuseParams>,
        seed: u64,
        source: &(impl Source + ?Sized),
    ) -> Result<Self, BuildError> {
        Self::of(target, seed, source.len(), |layout| Hashes::new(source, layout))
    }
}

impl<S: AsRef<[u8]> + Send + Sync> FuseFilter<S> {
    amq_core::methods! {
        in "amq_fuse" "FuseFilter";
        contains;
        /// The keys it was built from, copies included.
        len;
        /// Bytes of the table.
        size_in_bytes;
        /// `2^-r` for fingerprints of r bits; see [`theory`].
        expected_fpr;
        to_bytes;
        encoded_len;
    }

    pub(crate) fn of_parts(header: Header, params: FuseParams, len: u64, table: S) -> Self {
        Self { header, params, len, layout: Layout::new(&params), table }
    }

    /// A view of this filter: it borrows the table.
    #[must_use]
    pub fn view(&self) -> FuseView<'_> {
        let (header, params, len, layout) = (self.header, self.params, self.len, self.layout);
        FuseFilter { header, params, len, layout, table: self.table.as_ref() }
    }

    /// The parameters of its table.
    #[inline]
    #[must_use]
    pub fn params(&self) -> FuseParams {
        self.params
    }
}

impl<'a> FuseView<'a> {
    amq_core::methods! { open: FuseFilter; }
}

impl<S: AsRef<[u8]> + Send + Sync> Filter for FuseFilter<S> {
    amq_core::trait_methods! {
        kind: FilterKind::Fuse; seed; len; capacity;
        contains_batch: |self, hashes, answers| {
            query::contains_batch(&self.layout, self.table.as_ref(), hashes, answers)
        };
    }

    fn size_in_bytes(&self) -> u64 {
        self.table.as_ref().len() as u64
    }

    fn expected_fpr(&self) -> f64 {
        theory::fpr_of_bits(self.params.fingerprint_bits, self.len)
    }

    /// Keys over slots: at most 1, since copies share their slots.
    fn load_factor(&self) -> f64 {
        (self.len as f64 / self.params.slots().max(1) as f64).min(1.0)
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        query::contains(&self.layout, self.table.as_ref(), hash)
    }
}

impl BuildFilter for FuseFilter {
    fn build_hashes(
        target: impl Into<BuildTarget<FuseParams>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        Self::of_source(target.into(), seed, hashes)
    }

    /// Hashes every key twice instead of keeping the hashes, which saves 8 bytes a key.
    fn build_keys<Q: Key>(
        target: impl Into<BuildTarget<FuseParams>>,
        seed: u64,
        keys: &[Q],
    ) -> Result<Self, BuildError> {
        Self::of_source(target.into(), seed, &Hashed { keys, seed })
    }

    /// The hashes are kept once, 8 bytes each (and as much again while the vector grows).
    fn build_iter<Q: Key>(
        target: impl Into<BuildTarget<FuseParams>>,
        seed: u64,
        keys: impl IntoIterator<Item = Q>,
    ) -> Result<Self, BuildError> {
        let target = target.into();
        let most = match target {
            BuildTarget::Budget(_) => u64::MAX,
            target => target.plan::<Self>(0)?.keys,
        };
        let hashes = hashes_of(keys, seed, most)?;
        Self::of(target, seed, hashes.len() as u64, |layout| Hashes::of(hashes, layout))
    }
}

amq_core::traits! {
    [S: AsRef<[u8]> + Send + Sync] FuseFilter<S>, owned [] FuseFilter: FuseParams;
    debug "FuseFilter";
    serde;
    plan theory;
}
