//! Builds under one seed after another until one solves all shards, nearly always the first.

use crate::FuseParams;
use crate::cells::{Cells, Packed, Whole};
use crate::hashes::{Hashes, Shard};
use crate::layout::Layout;
use crate::memory::cleared;
use crate::params::SEEDS;
use crate::peel::Peeler;
use alloc::vec::Vec;
#[cfg(feature = "rayon")]
use amq_core::internal::rayon::prelude::*;
use amq_core::internal::{Threads, reserve};
use amq_core::{BuildError, Table};

/// One shard: its hashes, its part of the table, and its first start.
#[derive(Debug)]
struct Work<'a> {
    shard: Shard<'a>,
    table: &'a mut [u8],
    first: u64,
}

/// The working memory of a thread.
#[derive(Default, Debug)]
struct Tools {
    peeler: Peeler,
    /// The shard's part of the table, with spare bytes behind it.
    table: Vec<u8>,
}

/// Why a build stopped: an error, or a shard that this seed does not solve.
enum Stop {
    Unsolved,
    Error(BuildError),
}

impl From<BuildError> for Stop {
    fn from(error: BuildError) -> Self {
        Self::Error(error)
    }
}

/// The table of these hashes, which are sorted by the layout of `params`, and the parameters with
/// the seed that solved it.
pub(crate) fn table(
    params: FuseParams,
    mut hashes: Hashes,
    keys: u64,
    threads: Threads,
) -> Result<(FuseParams, Table), BuildError> {
    let mut table = Table::zeroed(params.bytes())?;
    for internal_seed in 0..SEEDS {
        let params = FuseParams { internal_seed, ..params };
        if internal_seed > 0 {
            hashes.sort_again(&Layout::new(&params))?;
            table.fill(0);
        }
        match solve(&params, &mut hashes, &mut table, threads) {
            Ok(()) => return Ok((params, table)),
            Err(Stop::Unsolved) => {}
            Err(Stop::Error(error)) => return Err(error),
        }
    }
    Err(BuildError::Exhausted { attempts: SEEDS, keys })
}

fn solve(
    params: &FuseParams,
    hashes: &mut Hashes,
    table: &mut [u8],
    threads: Threads,
) -> Result<(), Stop> {
    let layout = Layout::new(params);
    let mut work = Vec::new();
    reserve(&mut work, layout.shards())?;
    let bytes = match params.shards {
        1 => table.len(),
        _ => (params.shard_slots() * u64::from(params.fingerprint_bits) / 8) as usize,
    };
    let parts = hashes.shards()?.into_iter().zip(table.chunks_mut(bytes));
    for (number, (shard, table)) in (0..).zip(parts) {
        work.push(Work { shard, table, first: number * layout.starts_of_shard() });
    }
    let solve = |tools: &mut Tools, work: Work<'_>| tools.solve(params, &layout, work);
    // No `match`: the other variant is there whenever anyone turns the feature on in `amq-core`.
    if threads != Threads::One {
        #[cfg(feature = "rayon")]
        return work.into_par_iter().try_for_each_init(Tools::default, solve);
    }
    let mut tools = Tools::default();
    work.into_iter().try_for_each(|work| solve(&mut tools, work))
}

impl Tools {
    fn solve(
        &mut self,
        params: &FuseParams,
        layout: &Layout,
        mut work: Work<'_>,
    ) -> Result<(), Stop> {
        let slots = params.shard_slots();
        let mut solved = self.peeler.peel(layout, work.first, slots, work.shard.hashes())?;
        if !solved && work.shard.dedup(layout) {
            solved = self.peeler.peel(layout, work.first, slots, work.shard.hashes())?;
        }
        if !solved {
            return Err(Stop::Unsolved);
        }
        match params.fingerprint_bits {
            8 => self.assign::<Whole<u8>>(params, layout, work.table)?,
            16 => self.assign::<Whole<u16>>(params, layout, work.table)?,
            32 => self.assign::<Whole<u32>>(params, layout, work.table)?,
            _ => self.assign::<Packed>(params, layout, work.table)?,
        }
        Ok(())
    }

    /// Sets the slots of a peeled shard, in its part of the table.
    fn assign<C: Cells>(
        &mut self,
        params: &FuseParams,
        layout: &Layout,
        table: &mut [u8],
    ) -> Result<(), BuildError> {
        let bits = u64::from(params.fingerprint_bits);
        if params.bytes() * 8 == params.slots() * bits || params.shards == 1 {
            self.peeler.assign::<C>(layout, table);
        } else {
            // The last slots are written as words, past the end of the shard.
            cleared(&mut self.table, (params.shard_slots() * bits).div_ceil(8) + 7)?;
            self.peeler.assign::<C>(layout, &mut self.table);
            table.copy_from_slice(&self.table[..table.len()]);
        }
        Ok(())
    }
}

/// Bytes of working memory for a build on one thread, without hashes and table.
pub(crate) fn bytes_for(params: &FuseParams) -> u64 {
    bytes_of_thread(params) + WORK * u64::from(params.shards)
}

/// Bytes of a thread's [`Tools`].
pub(crate) fn bytes_of_thread(params: &FuseParams) -> u64 {
    let slots = params.shard_slots();
    let table = match params.shards {
        0 | 1 => 0,
        _ => slots * u64::from(params.fingerprint_bits) / 8 + 7,
    };
    crate::peel::bytes_for(slots) + table
}

/// Bytes of a [`Work`], where a pointer has 64 bits.
const WORK: u64 = 48;
