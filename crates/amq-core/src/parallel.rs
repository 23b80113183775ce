//! Inserting and building on the threads of a rayon pool.

use crate::key::KeyHasher;
use crate::memory::{reserve, zeroed};
use crate::{
    BatchInsertError, BuildError, BuildFilter, BuildTarget, DEFAULT_SEED, InsertFilter, Key,
    KeyHash, prefetch,
};
use alloc::vec::Vec;
use rayon::prelude::*;

/// A source of hashes that several threads read: a slice, or keys that are hashed on demand.
///
/// ```
/// use amq_core::{HashSource, KeyHash};
///
/// /// The keys 0 to n, under the seed 7.
/// struct Numbers(u64);
///
/// impl HashSource for Numbers {
///     fn len(&self) -> usize {
///         self.0 as usize
///     }
///
///     fn write(&self, first: usize, to: &mut [KeyHash]) {
///         for (key, hash) in (first as u64..).zip(to) {
///             *hash = KeyHash::of(&key, 7);
///         }
///     }
/// }
/// # let mut hashes = [KeyHash::new(0); 2];
/// # Numbers(9).write(3, &mut hashes);
/// # assert_eq!(hashes, [KeyHash::of(&3u64, 7), KeyHash::of(&4u64, 7)]);
/// ```
pub trait HashSource: Sync {
    /// The number of hashes.
    #[must_use]
    fn len(&self) -> usize;

    /// Whether there are none.
    #[must_use]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `to` with the hashes from index `first` on. The caller never asks for more than there
    /// are.
    fn write(&self, first: usize, to: &mut [KeyHash]);

    /// The hashes as a slice, if they are stored as one.
    #[must_use]
    fn as_slice(&self) -> Option<&[KeyHash]> {
        None
    }
}

impl HashSource for &[KeyHash] {
    fn len(&self) -> usize {
        <[KeyHash]>::len(self)
    }

    fn write(&self, first: usize, to: &mut [KeyHash]) {
        to.copy_from_slice(&self[first..][..to.len()]);
    }

    fn as_slice(&self) -> Option<&[KeyHash]> {
        Some(self)
    }
}

/// Keys that are hashed on demand.
#[derive(Debug)]
pub struct Hashed<'a, K, U> {
    /// The keys.
    pub keys: &'a [K],
    /// A seed or a secret key.
    pub under: U,
}

impl<K: Key + Sync, U: KeyHasher + Sync> HashSource for Hashed<'_, K, U> {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn write(&self, first: usize, to: &mut [KeyHash]) {
        for (key, hash) in self.keys[first..].iter().zip(to) {
            *hash = self.under.of(key);
        }
    }
}

/// Inserting on several threads, for every filter that supports inserts. The methods of the same
/// names without `par_` use the calling thread only.
///
/// The resulting filter is byte for byte the same as theirs, and so is the count of new keys. Bloom
/// and counting filters partition the keys by ranges of the table, and the threads fill the ranges.
/// Other filters hash on the pool and insert on the calling thread.
///
/// **The threads are those of a rayon pool**: of the pool whose
/// [`install`](rayon::ThreadPool::install) encloses the call, otherwise of the global pool. The
/// usual rules of rayon apply. While the call waits for its tasks, its thread may run other tasks
/// of the pool. So do not hold a lock that such a task takes: that can deadlock. The methods
/// themselves hold no lock while they wait. If the system refuses threads, rayon panics when it
/// creates the global pool; create a pool of your own to get an error instead.
///
/// If hashing a key panics, so does the call. Some of the keys before it are then in, and the
/// filter contains exactly those.
///
/// ```
/// # use amq_core::{BatchInsertError, InsertFilter, ParInsertExt};
/// # fn example<F: InsertFilter>(filter: &mut F) -> Result<(), Box<dyn std::error::Error>> {
/// # if false {
/// let keys: Vec<u64> = (0..10_000_000).collect();
/// filter.par_insert_keys(&keys)?; // on all processors
///
/// let two = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
/// two.install(|| filter.par_insert_keys(&keys))?; // on two
/// # }
/// # Ok(())
/// # }
/// ```
pub trait ParInsertExt: InsertFilter {
    /// [`InsertExt::insert_keys`](crate::InsertExt::insert_keys) on the threads of a rayon pool.
    fn par_insert_keys<K: Key + Sync>(&mut self, keys: &[K]) -> Result<u64, BatchInsertError> {
        let under = self.seed();
        self.par_insert_from(&Hashed { keys, under })
    }

    /// [`InsertFilter::insert_batch`] on the threads of a rayon pool.
    fn par_insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        self.par_insert_from(&hashes)
    }
}

impl<F: InsertFilter + ?Sized> ParInsertExt for F {}

/// Building on several threads, for every filter that is built from all its keys at once. The
/// result is byte for byte that of the methods without `par_`.
///
/// Ribbon and fuse filters are built part by part, Bloom and counting filters as by
/// [`ParInsertExt`]. For other filters, the pool only hashes the keys. [`ParInsertExt`] describes
/// threads, locks and panics.
pub trait ParBuildExt: BuildFilter {
    /// Builds a filter of all these keys, with the public [`DEFAULT_SEED`].
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys, or a
    /// [`Goal`](crate::Goal) or [`Plan`](crate::Plan), with which more keys than planned are an
    /// error.
    ///
    /// ```
    /// # use amq_core::{Budget, BuildError, BuildFilter, Key, ParBuildExt};
    /// # fn example<F: BuildFilter>() -> Result<(), BuildError> {
    /// let keys: Vec<u64> = (0..10_000_000).collect();
    /// let filter = F::par_build(Budget::Fpr(0.01), &keys)?; // F is `FuseFilter`, say
    /// # Ok(())
    /// # }
    /// ```
    fn par_build<K: Key + Sync>(
        target: impl Into<BuildTarget<Self::Params>>,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        Self::par_build_keys(target, DEFAULT_SEED, keys)
    }

    /// [`BuildFilter::build_keys`] on the threads of a rayon pool.
    fn par_build_keys<K: Key + Sync>(
        target: impl Into<BuildTarget<Self::Params>>,
        seed: u64,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        Self::par_build_from(target, seed, &Hashed { keys, under: seed })
    }

    /// [`BuildFilter::build_hashes`] on the threads of a rayon pool.
    fn par_build_hashes(
        target: impl Into<BuildTarget<Self::Params>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        Self::par_build_from(target, seed, &hashes)
    }
}

impl<F: BuildFilter> ParBuildExt for F {}

/// `ParallelExtend` for filters whose inserts cannot fail.
pub fn par_extend<F: InsertFilter, K: Key + Send>(
    filter: &mut F,
    keys: impl IntoParallelIterator<Item = K>,
) {
    let seed = filter.seed();
    let hashes: Vec<KeyHash> = keys.into_par_iter().map(|key| key.key_hash(seed)).collect();
    let _ = filter.par_insert_batch(&hashes);
}

/// Hashes per round, for filters that a single thread fills.
const ROUND: usize = 1 << 18;

/// Hashes per task.
const PIECE: usize = 1 << 12;

/// Collects all hashes of a source.
pub fn collect_hashes(hashes: &dyn HashSource) -> Result<Vec<KeyHash>, BuildError> {
    let mut all = zeroed(hashes.len() as u64)?;
    write_all(hashes, 0, &mut all);
    Ok(all)
}

fn write_all(hashes: &dyn HashSource, first: usize, to: &mut [KeyHash]) {
    to.par_chunks_mut(PIECE)
        .enumerate()
        .for_each(|(piece, to)| hashes.write(first + piece * PIECE, to));
}

/// Calls `act` with all hashes of a source, a round at a time.
pub(crate) fn in_rounds<E>(
    hashes: &dyn HashSource,
    mut act: impl FnMut(&[KeyHash]) -> Result<(), E>,
) -> Result<(), E> {
    if let Some(hashes) = hashes.as_slice() {
        return act(hashes);
    }
    let (mut room, mut few) = (Vec::new(), [KeyHash::new(0); prefetch::BLOCK]);
    let len = hashes.len();
    let buffer: &mut [KeyHash] = match reserve(&mut room, len.min(ROUND) as u64) {
        Ok(()) => {
            room.resize(len.min(ROUND), KeyHash::new(0));
            &mut room
        }
        // Slower, but allocates nothing.
        Err(_) => &mut few,
    };
    for first in (0..len).step_by(buffer.len().max(1)) {
        let round = buffer.len().min(len - first);
        write_all(hashes, first, &mut buffer[..round]);
        act(&buffer[..round])?;
    }
    Ok(())
}
