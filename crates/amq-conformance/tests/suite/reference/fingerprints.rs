//! A sorted list of fingerprints: what is truncated, plain enough to be seen right.

use super::{Fault, has, theory};
use amq_core::internal::{
    Contents, Entry, FileFormat, Hashing, Header, Opened, Section, SectionStream, Sections,
};
use amq_core::{
    Budget, BuildError, BuildFilter, BuildTarget, Bytes, DecodeError, Filter, FilterKind, Goal,
    KeyHash, Plan, PlanError, PlanFilter, PredictedFpr, TruncateError, TruncateFilter,
};

/// The leading bits of each key's hash, with the [`Fault`] of the thread. It counts as packed.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Fingerprints {
    sorted: Vec<u64>,
    /// Bits of each in `sorted`: as many as `bits`, unless by a fault.
    kept: u32,
    bits: u32,
    seed: u64,
    capacity: u64,
    len: u64,
}

impl Fingerprints {
    fn planned(goal: Goal) -> Result<Plan<u32>, PlanError> {
        let goal = goal.checked()?;
        let bits = match goal.budget {
            Budget::Fpr(fpr) => {
                let meets = |bits: &u32| Self::predicted_fpr(bits, goal.keys).mean <= fpr;
                (1..=63).find(meets).unwrap_or(63)
            }
            _ => (goal.max_bits() / 8 * 8 / goal.keys.max(1)).min(63) as u32,
        };
        if bits == 0 {
            let bytes = goal.max_bits() / 8;
            return Err(PlanError::Bytes { bytes, min: goal.keys.div_ceil(8) });
        }
        Self::plan_params(bits, goal.keys)
    }
}

impl Filter for Fingerprints {
    fn kind(&self) -> FilterKind {
        FilterKind::Quotient
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        (self.len * u64::from(self.bits)).div_ceil(8)
    }

    fn expected_fpr(&self) -> f64 {
        (self.sorted.len() as f64 / f64::from(self.kept).exp2()).min(1.0)
    }

    fn load_factor(&self) -> f64 {
        1.0
    }

    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.sorted.binary_search(&(hash.get() >> (64 - self.kept))).is_ok()
    }
}

impl PlanFilter for Fingerprints {
    type Params = u32;

    fn plan(goal: Goal) -> Result<Plan<u32>, PlanError> {
        goal.plan_by(Self::planned)
    }

    fn plan_params(bits: u32, keys: u64) -> Result<Plan<u32>, PlanError> {
        Ok(Plan::new(bits, keys)
            .with_bytes((keys * u64::from(bits)).div_ceil(8))
            .with_expected_fpr(Self::predicted_fpr(&bits, keys).mean))
    }

    fn predicted_fpr(bits: &u32, keys: u64) -> PredictedFpr {
        let (mean, variance) = theory::fill(f64::from(*bits).exp2(), keys as f64);
        PredictedFpr { mean, sd: variance.sqrt() }
    }

    fn params(&self) -> u32 {
        self.bits
    }
}

impl BuildFilter for Fingerprints {
    fn build_hashes(
        target: impl Into<BuildTarget<u32>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        let len = hashes.len() as u64;
        let bits = target.into().plan::<Self>(len)?.params;
        let mut sorted: Vec<u64> = hashes.iter().map(|hash| hash.get() >> (64 - bits)).collect();
        sorted.sort_unstable();
        sorted.dedup();
        Ok(Self { sorted, kept: bits, bits, seed, capacity: len, len })
    }
}

impl TruncateFilter for Fingerprints {
    fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        let mut bits = Self::plan(Goal::new(self.capacity, budget))?.params;
        if bits > self.bits {
            if has(Fault::RefusedTruncationCounts) {
                self.capacity += 1;
            }
            let mut bytes = self.size_in_bytes();
            bytes += u64::from(has(Fault::LargerMisnamed));
            let fpr = self.expected_fpr();
            return Err(TruncateError::larger(budget, fpr, bytes, self.capacity));
        }
        if has(Fault::TruncatesAlways) {
            bits = bits.min(self.bits - 1).max(1);
        }
        let fewer = self.bits - bits;
        self.bits = bits;
        if has(Fault::TruncatesInNameOnly) {
            return Ok(());
        }
        // The bits of a fingerprint below those kept, or, with a fault, above them.
        self.kept -= fewer;
        let mask = (1 << self.kept) - 1;
        for print in &mut self.sorted {
            let upper = *print >> fewer;
            *print = if has(Fault::TruncatesTheOtherEnd) { *print & mask } else { upper };
        }
        self.sorted.sort_unstable();
        self.sorted.dedup();
        Ok(())
    }
}

impl Fingerprints {
    fn of_file(opened: &Opened<'_>, bits: u32, bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut sorted = Vec::new();
        let room = match has(Fault::RoomForKeysClaimed) {
            true => opened.keys().min(1 << 24) as usize,
            false => bytes.len() / 8,
        };
        sorted.try_reserve_exact(room).map_err(|_| {
            let bytes = bytes.len() as u64;
            match has(Fault::BudgetMemoryUnnamed) {
                true => DecodeError::Structure { what: "fingerprints" },
                false => DecodeError::OutOfMemory { bytes },
            }
        })?;
        sorted.extend(bytes.as_chunks().0.iter().map(|&print| u64::from_le_bytes(print)));
        let Header { seed, capacity, .. } = opened.header();
        Ok(Self { sorted, kept: bits, bits, seed, capacity, len: opened.keys() })
    }
}

/// Its views are copies.
impl FileFormat for Fingerprints {
    type With<B: Bytes> = Self;
    type Geometry = u32;

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let bytes: Vec<u8> = self.sorted.iter().flat_map(|print| print.to_le_bytes()).collect();
        let header = Header { seed: self.seed, capacity: self.capacity, budget: None };
        let mut entry = Entry::default();
        (entry[0], entry[1]) = (self.bits.into(), self.sorted.len() as u64);
        Ok(Contents {
            entries: vec![entry],
            sections: vec![Section::new(bytes, 8)],
            ..Contents::new(self.kind(), 1, hashing, &header, self.len)
        })
    }

    fn geometry(opened: &Opened<'_>) -> Result<u32, DecodeError> {
        opened.expect_kind(FilterKind::Quotient, 1)?;
        opened.expect_asked(0)?;
        let [bits, prints] = opened.only_entry()?;
        Opened::within("bits", bits, 1..=63)?;
        opened.expect_sections([(prints.saturating_mul(8), 8)].into_iter())?;
        Ok(bits as u32)
    }

    fn from_sections<B: Bytes>(
        opened: &Opened<'_>,
        bits: u32,
        mut sections: Sections<'_, B>,
    ) -> Result<Self, DecodeError> {
        Self::of_file(opened, bits, sections.take()?.as_ref())
    }

    fn truncated(
        opened: &Opened<'_>,
        bits: u32,
        budget: Budget,
        sections: &mut SectionStream<'_>,
    ) -> Result<Self, DecodeError> {
        let mut filter = Self::of_file(opened, bits, sections.section()?.as_ref())?;
        if !has(Fault::BudgetIgnored) {
            filter.truncate(budget)?;
        }
        Ok(filter)
    }
}
