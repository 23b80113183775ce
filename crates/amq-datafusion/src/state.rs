//! The state of `amq_agg`: a few hashes, then a filter.
//!
//! ```text
//! few:    1 | kind | hashes, 8 bytes each, little-endian, rising | XXH3 of what stands before
//! filter: the bytes of the filter's file, which begin with the first of its magic bytes, 0x89
//! ```

use crate::error::{execution, unmerged};
use crate::params::{Params, SEED};
use amq::{AnyFile, AnyFilter, Filter, FilterFile, Key, KeyHash};
use datafusion_common::Result;

pub(crate) const NAME: &str = "amq_agg";
const FEW: u8 = 1;
const FILTER: u8 = amq::format::MAGIC[0];

#[derive(Debug, Default)]
pub(crate) struct State {
    /// Not in the filter yet.
    pending: Vec<KeyHash>,
    filter: Option<Box<AnyFilter>>,
    /// For a kind built at once: the number of hashes from which duplicates are dropped.
    crowded: usize,
}

impl State {
    /// Adds one hash.
    #[inline]
    pub(crate) fn push(&mut self, params: &Params, hash: KeyHash) -> Result<()> {
        self.pending.push(hash);
        if self.pending.len() >= params.few { self.settle(params) } else { Ok(()) }
    }

    /// Adds one hash if it only has to be appended.
    #[inline]
    pub(crate) fn push_in_place(&mut self, params: &Params, hash: KeyHash) -> bool {
        let room = self.pending.len() + 1 < params.few.min(self.pending.capacity());
        if room {
            self.pending.push(hash);
        }
        room
    }

    /// Adds many hashes.
    pub(crate) fn extend(&mut self, params: &Params, hashes: &[KeyHash]) -> Result<()> {
        if let Some(filter) = &mut self.filter {
            return insert(filter, hashes);
        }
        self.pending.extend_from_slice(hashes);
        if self.pending.len() >= params.few { self.settle(params) } else { Ok(()) }
    }

    /// Adds the contents of another state.
    pub(crate) fn merge(&mut self, params: &Params, state: &[u8]) -> Result<()> {
        match state.split_first() {
            Some((&FEW, rest)) => {
                for hash in few(params, state, rest)? {
                    self.push(params, hash)?;
                }
                Ok(())
            }
            Some((&FILTER, _)) if !params.built => {
                let theirs = AnyFilter::from_bytes(state).map_err(|error| foreign(&error))?;
                fits(params, &theirs)?;
                match &mut self.filter {
                    Some(ours) => ours.merge(&theirs).map_err(|error| unmerged(NAME, &error)),
                    None => {
                        self.filter = Some(Box::new(theirs));
                        self.settle(params)
                    }
                }
            }
            Some((&FILTER, _)) => {
                Err(foreign(&format_args!("a filter, and not the hashes of a {} one", params.kind)))
            }
            _ => Err(foreign(&"it begins with no known tag")),
        }
    }

    /// Its bytes for another state's `merge`. Empties the state, so that filter and bytes are not
    /// both in memory.
    pub(crate) fn encode(&mut self, params: &Params) -> Result<Vec<u8>> {
        if let Some(mut filter) = self.filter.take() {
            insert(&mut filter, &self.pending)?;
            self.pending = Vec::new();
            return filter.to_bytes().map_err(|error| execution(NAME, error));
        }
        self.sort(params);
        let hashes = std::mem::take(&mut self.pending);
        let mut bytes = Vec::with_capacity(hashes.len() * 8 + 10);
        bytes.extend([FEW, params.kind.number()]);
        bytes.extend(hashes.iter().flat_map(|hash| hash.get().to_le_bytes()));
        let sum = bytes.key_hash(SEED).get();
        bytes.extend(sum.to_le_bytes());
        Ok(bytes)
    }

    /// The bytes of the filter; the state stays.
    pub(crate) fn finish(&mut self, params: &Params) -> Result<Vec<u8>> {
        self.sort(params);
        let kept = self.filter.is_some();
        let filter = match self.filter.take() {
            Some(mut filter) => {
                insert(&mut filter, &self.pending)?;
                self.pending.clear();
                *filter
            }
            None if params.built => {
                enough(params, self.pending.len() as u64)?;
                let goal = params.goal();
                let built = AnyFilter::build_hashes(params.kind, goal, SEED, &self.pending);
                built.map_err(|error| execution(NAME, error))?
            }
            None => {
                let mut made = made(params)?;
                insert(&mut made, &self.pending)?;
                made
            }
        };
        // Computes the filter's own rate, which reads its table, only where it can exceed the
        // plan's.
        if !params.grows && filter.len() > params.expected {
            let rate = filter.expected_fpr();
            if rate > params.fpr * 1.1 {
                return Err(crowded(params, filter.len(), rate));
            }
        }
        let file = AnyFile::Keys(filter, params.encoding.into());
        let bytes = file.to_bytes().map_err(|error| execution(NAME, error));
        if kept {
            self.filter = file.of_keys().ok().map(Box::new);
        }
        bytes
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let filter = self.filter.as_ref();
        let table = filter.map_or(0, |filter| filter.size_in_bytes() as usize);
        table + filter.map_or(0, |_| size_of::<AnyFilter>()) + self.pending.capacity() * 8
    }

    /// Inserts the pending hashes into the filter, which is made if there are too many of them.
    fn settle(&mut self, params: &Params) -> Result<()> {
        if params.built {
            if self.pending.len() < self.crowded.max(params.few) {
                return Ok(());
            }
            self.sort(params);
            self.crowded = self.pending.len().saturating_mul(2);
            return enough(params, self.pending.len() as u64);
        }
        if self.filter.is_none() {
            self.sort(params);
            if self.pending.len() <= params.few / 2 {
                return Ok(());
            }
            self.filter = Some(Box::new(made(params)?));
        }
        if let Some(filter) = &mut self.filter {
            insert(filter, &self.pending)?;
            self.pending.clear();
        }
        Ok(())
    }

    /// Sorts the pending hashes, and drops duplicates unless every copy counts.
    fn sort(&mut self, params: &Params) {
        self.pending.sort_unstable();
        if !params.copies {
            self.pending.dedup();
        }
    }
}

/// Checks that a state belongs to this aggregate: one of another query may have the same kind and
/// still not merge.
fn fits(params: &Params, theirs: &AnyFilter) -> Result<()> {
    let of_kind = theirs.kind() == params.kind;
    // A filter that has grown does not match an empty one.
    let planned = theirs.capacity() == params.expected && theirs.size_in_bytes() == params.bytes;
    if of_kind && (params.grows || planned && theirs.seed() == SEED) {
        return Ok(());
    }
    // Makes an empty filter only for the error's details.
    made(params)?.can_merge(theirs).map_err(|error| foreign(&error))?;
    // Bloom filters merge if their sizes differ by a whole factor, but then miss the rate.
    let (keys, bytes) = (theirs.capacity(), theirs.size_in_bytes());
    Err(foreign(&format_args!(
        "a filter for {keys} keys in {bytes} bytes, and not for {} in {}",
        params.expected, params.bytes
    )))
}

/// An empty filter.
fn made(params: &Params) -> Result<AnyFilter> {
    AnyFilter::with_seed(params.kind, params.goal(), SEED).map_err(|error| execution(NAME, error))
}

fn insert(filter: &mut AnyFilter, hashes: &[KeyHash]) -> Result<()> {
    match filter.insert_batch(hashes) {
        Ok(_) => Ok(()),
        Err(error) => Err(execution(NAME, format_args!("more rows than `expected`: {error}"))),
    }
}

/// The hashes of a state that has no filter.
fn few<'a>(
    params: &Params,
    state: &'a [u8],
    rest: &'a [u8],
) -> Result<impl Iterator<Item = KeyHash> + 'a> {
    let damaged = || foreign(&format_args!("{} bytes, truncated or damaged", state.len()));
    let (body, sum) = state.split_last_chunk::<8>().ok_or_else(damaged)?;
    let (&kind, _) = rest.split_first().ok_or_else(damaged)?;
    let (hashes, odd) = body.get(2..).unwrap_or_default().as_chunks::<8>();
    if !odd.is_empty() || body.len() < 2 || body.key_hash(SEED).get() != u64::from_le_bytes(*sum) {
        return Err(damaged());
    }
    if kind != params.kind.number() {
        return Err(foreign(&format_args!("a state of another kind of filter, number {kind}")));
    }
    Ok(hashes.iter().map(|&hash| KeyHash::new(u64::from_le_bytes(hash))))
}

fn foreign(error: &dyn std::fmt::Display) -> datafusion_common::DataFusionError {
    execution(NAME, format_args!("a state that is not of this aggregate: {error}"))
}

/// Fails if there are more distinct hashes than planned.
fn enough(params: &Params, distinct: u64) -> Result<()> {
    if distinct <= params.expected {
        return Ok(());
    }
    let Params { kind, expected, .. } = params;
    let text = format_args!(
        "more keys than `expected`: at least {distinct}, and the {kind} filter was planned for \
         {expected}; raise `expected`"
    );
    Err(execution(NAME, text))
}

fn crowded(params: &Params, keys: u64, rate: f64) -> datafusion_common::DataFusionError {
    let Params { expected, fpr, .. } = params;
    let text = format_args!(
        "more keys than `expected`: about {keys}, not {expected}, so that the filter would err at \
         a rate of {rate:.4}, not {fpr}; raise `expected`"
    );
    execution(NAME, text)
}
