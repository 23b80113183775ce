//! A pointer to a filter that forgets to forward something.

use amq_core::{
    BatchInsertError, ClearFilter, Filter, FilterKind, InsertError, InsertFilter, Inserted,
    KeyHash, LengthMismatch, RemoveFilter,
};

/// What a [`Careless`] pointer does not forward.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lapse {
    None,
    Seed,
    Load,
    LastOfABatch,
    LastInserted,
    LastAnswered,
    Clear,
    Remove,
}

/// A pointer with one [`Lapse`].
pub(crate) struct Careless<'a, F>(pub(crate) &'a mut F, pub(crate) Lapse);

impl<F: Filter> Filter for Careless<'_, F> {
    fn kind(&self) -> FilterKind {
        self.0.kind()
    }

    fn seed(&self) -> u64 {
        if self.1 == Lapse::Seed { 0 } else { self.0.seed() }
    }

    fn len(&self) -> u64 {
        self.0.len()
    }

    fn capacity(&self) -> u64 {
        self.0.capacity()
    }

    fn size_in_bytes(&self) -> u64 {
        self.0.size_in_bytes()
    }

    fn expected_fpr(&self) -> f64 {
        self.0.expected_fpr()
    }

    fn load_factor(&self) -> f64 {
        if self.1 == Lapse::Load { 0.0 } else { self.0.load_factor() }
    }

    fn saturated(&self) -> u64 {
        self.0.saturated()
    }

    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.0.contains_hash(hash)
    }

    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        self.0.contains_batch(hashes, answers)?;
        if let (Lapse::LastOfABatch, Some(last)) = (self.1, answers.last_mut()) {
            *last = !*last;
        }
        Ok(())
    }
}

impl<F: InsertFilter> InsertFilter for Careless<'_, F> {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.0.insert_hash(hash)
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        let left_out = usize::from(self.1 == Lapse::LastInserted).min(hashes.len());
        self.0.insert_batch(&hashes[..hashes.len() - left_out])
    }

    fn insert_batch_new(
        &mut self,
        hashes: &[KeyHash],
        new: &mut [bool],
    ) -> Result<u64, BatchInsertError> {
        let left_out = usize::from(self.1 == Lapse::LastAnswered).min(hashes.len());
        let rest = hashes.len() - left_out;
        self.0.insert_batch_new(&hashes[..rest], &mut new[..rest])
    }
}

impl<F: ClearFilter> ClearFilter for Careless<'_, F> {
    fn clear(&mut self) {
        if self.1 != Lapse::Clear {
            self.0.clear();
        }
    }
}

impl<F: RemoveFilter> RemoveFilter for Careless<'_, F> {
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        self.1 == Lapse::Remove || self.0.remove_hash(hash)
    }
}
