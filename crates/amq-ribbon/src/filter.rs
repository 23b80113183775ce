//! The filter.

use crate::entry::{Hashed, Source};
use crate::store::{Borrowed, Heap, Store};
use crate::system::System;
use crate::{RibbonParams, simd, theory};
use amq_core::internal::Header;
use amq_core::{
    BuildError, BuildFilter, BuildTarget, Filter, FilterKind, Goal, Key, KeyHash, Plan,
    UnevenHashes,
};

/// A ribbon filter: a static set within half a percent of the least possible space, from 100,000
/// keys on and at rates that are powers of two.
///
/// `S` is its storage: [`Heap`], or [`Borrowed`] slices for a [view](RibbonView). See the [crate's
/// documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct RibbonFilter<S = Heap> {
    pub(crate) header: Header,
    pub(crate) len: u64,
    pub(crate) system: System<S>,
}

/// A [`RibbonFilter`] whose words, thresholds and seeds are borrowed.
pub type RibbonView<'a> = RibbonFilter<Borrowed<'a>>;

impl RibbonFilter {
    amq_core::methods! {
        in "amq_ribbon" "RibbonFilter";
        build: RibbonParams;
        plan: RibbonParams;
        from_bytes;
    }

    /// [`BuildFilter::build_hashes`], which calls `progress` with the number of keys placed so far:
    /// about a hundred times for ten million keys, and once more at the end.
    ///
    /// The last layer reports only when it is done; with the feature `parallel` every layer does.
    pub fn build_with_progress(
        target: impl Into<BuildTarget<RibbonParams>>,
        seed: u64,
        hashes: &[KeyHash],
        mut progress: impl FnMut(u64),
    ) -> Result<Self, BuildError> {
        Self::of(target.into(), seed, hashes, &mut progress)
    }

    fn of(
        target: BuildTarget<RibbonParams>,
        seed: u64,
        source: &(impl Source<KeyHash> + ?Sized),
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, BuildError> {
        let len = source.len();
        let plan = match target {
            // No keys take no space, which is within any budget.
            BuildTarget::Budget(budget) if len == 0 => {
                Goal::new(len, budget).checked()?;
                theory::plan_params(RibbonParams::new(1, 0), 0)?.with_budget(budget)
            }
            target => target.plan::<Self>(len)?,
        };
        Ok(Self {
            header: Header::new(&plan, seed),
            len,
            system: Self::solved(&plan, source, progress)?,
        })
    }

    /// Solves with the plan's columns, within its budget.
    fn solved(
        plan: &Plan<RibbonParams>,
        source: &(impl Source<KeyHash> + ?Sized),
        progress: &mut dyn FnMut(u64),
    ) -> Result<System, BuildError> {
        let keys = source.len();
        plan.params.check()?;
        theory::check_keys(keys)?;
        let system = System::build(source, plan.params.columns(), progress)?;
        let goal = plan.budget.map(|budget| Goal::new(plan.keys, budget));
        let allowed = goal.map_or(u64::MAX, |goal| goal.max_bits() / 8);
        if system.bytes() <= allowed {
            return Ok(system);
        }
        // About one filter in a hundred bumps more keys than planned. How many does not depend on
        // the columns, so with fewer columns the same keys fit.
        let fitting = theory::within(*system.params(), allowed)?;
        drop(system);
        let system = System::build(source, fitting.columns(), &mut |_| ())?;
        if system.bytes() > allowed {
            return Err(BuildError::KeysChanged { keys });
        }
        Ok(system)
    }
}

impl<S: Store> RibbonFilter<S> {
    amq_core::methods! {
        in "amq_ribbon" "RibbonFilter";
        contains;
        /// The keys it was built from, copies included.
        len;
        /// Bytes of words, thresholds and seeds.
        size_in_bytes;
        /// `2^-r` for r columns, and a little more for the blocks that have one less; see
        /// [`theory`].
        expected_fpr;
        to_bytes;
        encoded_len;
    }

    /// A view of this filter: it borrows the solution.
    pub fn view(&self) -> RibbonView<'_> {
        RibbonFilter { header: self.header, len: self.len, system: self.system.view() }
    }

    /// The parameters of its table.
    #[inline]
    #[must_use]
    pub fn params(&self) -> RibbonParams {
        *self.system.params()
    }
}

impl<'a> RibbonView<'a> {
    amq_core::methods! { open: RibbonFilter; }
}

impl<S: Store> Filter for RibbonFilter<S> {
    amq_core::trait_methods! {
        kind: FilterKind::Ribbon; seed; len; capacity;
        contains_batch: |self, hashes, answers| {
            simd::contains_batch(&self.system, hashes, answers)
        };
    }

    fn size_in_bytes(&self) -> u64 {
        self.system.bytes()
    }

    fn expected_fpr(&self) -> f64 {
        theory::fpr_in(self.system.params(), self.system.geometry(), self.len)
    }

    /// Keys over slots: at most 1, since copies share a slot.
    fn load_factor(&self) -> f64 {
        let slots = self.system.geometry().slots();
        (self.len as f64 / slots.max(1) as f64).min(1.0)
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        simd::contains(&self.system, hash.get())
    }
}

impl BuildFilter for RibbonFilter {
    fn build_hashes(
        target: impl Into<BuildTarget<RibbonParams>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        UnevenHashes::check(hashes)?;
        Self::of(target.into(), seed, hashes, &mut |_| ())
    }

    /// Hashes every key twice instead of keeping the hashes, which saves 8 bytes a key.
    fn build_keys<Q: Key>(
        target: impl Into<BuildTarget<RibbonParams>>,
        seed: u64,
        keys: &[Q],
    ) -> Result<Self, BuildError> {
        Self::of(target.into(), seed, &Hashed { keys, seed }, &mut |_| ())
    }
}

amq_core::traits! {
    [S: Store] RibbonFilter<S>, owned [] RibbonFilter: RibbonParams;
    debug "RibbonFilter";
    serde;
    plan theory;
}
