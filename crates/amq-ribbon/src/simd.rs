//! Queries and builds with instructions that not every processor has.
//!
//! The one module of this crate with `unsafe` in it. Everything here has a portable twin that gives
//! the same answers. A query reads all slots of its window, or all columns, at once with AVX2. A
//! build is generic code inlined into functions compiled for AVX2 and the bit instructions.
//!
//! AVX-512 would select bytes by the coefficients themselves while it loads them. Compilers know
//! these instructions since 1.89, later than the oldest this crate is for.
#![allow(unsafe_code)]

use crate::banding::Banding;
use crate::elimination::Elimination;
use crate::entry::Entry;
use crate::layer::{Columns, Extent, Layer};
use crate::order::{Order, by_order};
use crate::row::Row;
use crate::shards::Shard;
use crate::store::Store;
use crate::system::System;
use crate::{Kind, solve};
use amq_core::{BuildError, KeyHash, dispatch};

#[cfg(target_arch = "x86_64")]
mod column;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon", not(miri)))]
pub(crate) mod neon;
#[cfg(target_arch = "x86_64")]
mod slot;

/// Whether a key is in.
#[inline(always)]
pub(crate) fn contains<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> bool {
    dispatch!(has_avx2_and_bits => x86::contains(system, hash), contains_portable(system, hash))
}

#[inline(never)]
fn contains_portable<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> bool {
    by_order!(system.slot_bytes, O => O::agrees(system.words(), &system.window::<O>(hash)))
}

/// Answers for many keys; the slices are equally long.
pub(crate) fn contains_batch<K: Kind, S: Store<K::Row>>(
    system: &System<K, S>,
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    dispatch!(has_avx2_and_bits => x86::contains_batch(system, hashes, answers), {
        let words = system.words();
        by_order!(system.slot_bytes, O => {
            system.each::<O, _>(hashes, answers, |window| O::agrees(words, window))
        })
    })
}

/// The value of a key.
#[inline(always)]
pub(crate) fn value<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> u32 {
    if system.slot_bytes > 0 {
        return value_by_slot(system, hash);
    }
    dispatch!(has_bits => x86::value(system, hash), value_portable(system, hash))
}

#[inline(always)]
fn value_by_slot<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> u32 {
    dispatch!(has_avx2_and_bits => x86::value_by_slot(system, hash), value_portable(system, hash))
}

#[inline(never)]
fn value_portable<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> u32 {
    by_order!(system.slot_bytes, O => O::value(system.words(), &system.window::<O>(hash)))
}

/// The values of many keys; the slices are equally long.
pub(crate) fn values<K: Kind, S: Store<K::Row>>(
    system: &System<K, S>,
    hashes: &[KeyHash],
    values: &mut [u32],
) {
    if system.slot_bytes > 0 {
        return values_by_slot(system, hashes, values);
    }
    dispatch!(
        has_bits => x86::values(system, hashes, values),
        values_portable(system, hashes, values)
    )
}

fn values_by_slot<K: Kind, S: Store<K::Row>>(
    system: &System<K, S>,
    hashes: &[KeyHash],
    values: &mut [u32],
) {
    dispatch!(
        has_avx2_and_bits => x86::values_by_slot(system, hashes, values),
        values_portable(system, hashes, values)
    )
}

fn values_portable<K: Kind, S: Store<K::Row>>(
    system: &System<K, S>,
    hashes: &[KeyHash],
    values: &mut [u32],
) {
    let words = system.words();
    by_order!(system.slot_bytes, O => {
        system.each::<O, _>(hashes, values, |window| O::value(words, window))
    })
}

/// [`Elimination::bump`].
pub(crate) fn bump<W: Row, E: Entry>(
    elimination: &mut Elimination<W, E>,
    layer: &Layer,
    extent: &Extent,
    entries: &[E],
) -> Result<(), BuildError> {
    dispatch!(
        has_avx2_and_bits => x86::bump(elimination, layer, extent, entries),
        elimination.bump(layer, extent, entries)
    )
}

/// [`Elimination::seed`].
pub(crate) fn seed<W: Row, E: Entry>(
    elimination: &mut Elimination<W, E>,
    extent: &Extent,
    entries: &[E],
    seed: u8,
) -> Result<bool, BuildError> {
    dispatch!(
        has_avx2_and_bits => x86::seed(elimination, extent, entries, seed),
        elimination.seed(extent, entries, seed)
    )
}

/// [`solve::solve`].
pub(crate) fn solve<W: Row, E>(
    banding: &Banding<W>,
    layer: &Layer,
    shard: &mut Shard<'_, W, E>,
    columns: Columns,
) {
    dispatch!(
        has_avx2_and_bits => x86::solve(banding, layer, shard, columns),
        solve::solve(banding, layer, shard, columns)
    )
}

/// Each function needs the features it is compiled for.
///
/// What a query or a build calls is inlined here, since a function of its own is compiled without
/// the features; so is a closure, which is why [`Group`] has methods instead.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::banding::Banding;
    use crate::elimination::Elimination;
    use crate::entry::Entry;
    use crate::layer::{Columns, Extent, Layer};
    use crate::order::{ByColumn, BySlot, Order, by_order};
    use crate::row::Row;
    use crate::shards::Shard;
    use crate::store::Store;
    use crate::system::System;
    use crate::{Kind, solve};
    use amq_core::{BuildError, KeyHash};

    /// An order with twins of [`Order`]'s methods, for windows before [`System::vector_end`].
    pub(super) trait Vectors: Order {
        /// Whether the window's parities are the key's result.
        ///
        /// # Safety
        /// The processor has AVX2, BMI1, BMI2, LZCNT and POPCNT, and the caller is compiled for
        /// them: a function with features of its own would not be inlined everywhere. The window
        /// is before the system's `vector_end`.
        unsafe fn agrees<K: Kind, S: Store<K::Row>>(
            system: &System<K, S>,
            window: &Self::Window,
        ) -> bool;

        /// The window's parities, one bit per column.
        ///
        /// # Safety
        /// As [`agrees`](Vectors::agrees).
        unsafe fn value<K: Kind, S: Store<K::Row>>(
            system: &System<K, S>,
            window: &Self::Window,
        ) -> u32;
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn bump<W: Row, E: Entry>(
        elimination: &mut Elimination<W, E>,
        layer: &Layer,
        extent: &Extent,
        entries: &[E],
    ) -> Result<(), BuildError> {
        elimination.bump(layer, extent, entries)
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn seed<W: Row, E: Entry>(
        elimination: &mut Elimination<W, E>,
        extent: &Extent,
        entries: &[E],
        seed: u8,
    ) -> Result<bool, BuildError> {
        elimination.seed(extent, entries, seed)
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn solve<W: Row, E>(
        banding: &Banding<W>,
        layer: &Layer,
        shard: &mut Shard<'_, W, E>,
        columns: Columns,
    ) {
        solve::solve(banding, layer, shard, columns);
    }

    // Columns' values go without AVX2: compilers would count bits in vectors, at twice the time.

    /// # Safety
    /// The processor has the features; the order is by column.
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn value<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> u32 {
        match system.first_window::<ByColumn>(hash) {
            Some(window) => <ByColumn as Order>::value(system.words(), &window),
            // SAFETY: the features are those of this function.
            None => unsafe { value_later(system, hash) },
        }
    }

    /// # Safety
    /// The processor has the features.
    #[cold]
    #[inline(never)]
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn value_later<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> u32 {
        <ByColumn as Order>::value(system.words(), &system.later_window::<ByColumn>(hash))
    }

    /// # Safety
    /// The processor has the features; the order is by column.
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn values<K: Kind, S: Store<K::Row>>(
        system: &System<K, S>,
        hashes: &[KeyHash],
        values: &mut [u32],
    ) {
        let words = system.words();
        system.each::<ByColumn, _>(hashes, values, |window| {
            <ByColumn as Order>::value(words, window)
        });
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn value_by_slot<K: Kind, S: Store<K::Row>>(
        system: &System<K, S>,
        hash: u64,
    ) -> u32 {
        // SAFETY: the features are those of this function.
        by_order!(system.slot_bytes, O => unsafe {
            value_anywhere::<K, S, O>(system, &system.window::<O>(hash))
        })
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn values_by_slot<K: Kind, S: Store<K::Row>>(
        system: &System<K, S>,
        hashes: &[KeyHash],
        values: &mut [u32],
    ) {
        // SAFETY: the features are those of this function.
        by_order!(system.slot_bytes, O => system.each::<O, _>(hashes, values, |window| unsafe {
            value_anywhere::<K, S, O>(system, window)
        }))
    }

    /// [`Vectors::value`] of any window.
    ///
    /// # Safety
    /// The processor has the features, and the caller is compiled for them.
    #[inline(always)]
    unsafe fn value_anywhere<K: Kind, S: Store<K::Row>, O: Vectors>(
        system: &System<K, S>,
        window: &O::Window,
    ) -> u32 {
        if O::place(window) < system.vector_end() {
            // SAFETY: as the caller says, and the window is before the end.
            return unsafe { <O as Vectors>::value(system, window) };
        }
        <O as Order>::value(system.words(), window)
    }

    /// # Safety
    /// The processor has the features.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn contains<K: Kind, S: Store<K::Row>>(
        system: &System<K, S>,
        hash: u64,
    ) -> bool {
        // SAFETY: the features are those of this function.
        unsafe {
            match system.slot_bytes {
                0 => contains_elsewhere::<K, S, ByColumn>(system, hash),
                1 => contains_in::<K, S, BySlot<1>>(system, hash),
                _ => contains_wide(system, hash),
            }
        }
    }

    /// [`contains`] for the less usual orders: with them there, it would be a table of jumps.
    ///
    /// # Safety
    /// The processor has the features.
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn contains_wide<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> bool {
        // SAFETY: the features are those of this function.
        unsafe {
            match system.slot_bytes {
                2 => contains_elsewhere::<K, S, BySlot<2>>(system, hash),
                3 => contains_elsewhere::<K, S, BySlot<3>>(system, hash),
                _ => contains_elsewhere::<K, S, BySlot<4>>(system, hash),
            }
        }
    }

    /// [`contains_in`], not inlined: each order keeps its own registers.
    ///
    /// # Safety
    /// The processor has the features.
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn contains_elsewhere<K: Kind, S: Store<K::Row>, O: Vectors>(
        system: &System<K, S>,
        hash: u64,
    ) -> bool {
        // SAFETY: the features are those of this function.
        unsafe { contains_in::<K, S, O>(system, hash) }
    }

    /// Whether a key is in a system of this order.
    ///
    /// # Safety
    /// The processor has the features, and the caller is compiled for them.
    #[inline(always)]
    unsafe fn contains_in<K: Kind, S: Store<K::Row>, O: Vectors>(
        system: &System<K, S>,
        hash: u64,
    ) -> bool {
        match system.first_window::<O>(hash) {
            // SAFETY: as the caller says, and the window is before the end.
            Some(window) if O::place(&window) < system.vector_end() => unsafe {
                <O as Vectors>::agrees(system, &window)
            },
            Some(_) => super::contains_portable(system, hash),
            // SAFETY: as the caller says.
            None => unsafe { contains_later::<K, S, O>(system, hash) },
        }
    }

    /// For the few keys that the first layer bumps. A function of its own, so that the one above
    /// keeps everything in registers.
    ///
    /// # Safety
    /// The processor has the features.
    #[cold]
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn contains_later<K: Kind, S: Store<K::Row>, O: Vectors>(
        system: &System<K, S>,
        hash: u64,
    ) -> bool {
        // SAFETY: the features are those of this function.
        unsafe { agrees_anywhere::<K, S, O>(system, &system.later_window::<O>(hash)) }
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn contains_batch<K: Kind, S: Store<K::Row>>(
        system: &System<K, S>,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) {
        // SAFETY: the features are those of this function.
        by_order!(system.slot_bytes, O => system.each::<O, _>(hashes, answers, |window| unsafe {
            agrees_anywhere::<K, S, O>(system, window)
        }))
    }

    /// [`Vectors::agrees`] of any window.
    ///
    /// # Safety
    /// The processor has the features, and the caller is compiled for them.
    #[inline(always)]
    unsafe fn agrees_anywhere<K: Kind, S: Store<K::Row>, O: Vectors>(
        system: &System<K, S>,
        window: &O::Window,
    ) -> bool {
        if O::place(window) < system.vector_end() {
            // SAFETY: as the caller says, and the window is before the end.
            return unsafe { <O as Vectors>::agrees(system, window) };
        }
        agrees_at_the_end::<K, S, O>(system, window)
    }

    /// The portable twin. A function of its own, so that loops keep everything in registers.
    #[cold]
    #[inline(never)]
    fn agrees_at_the_end<K: Kind, S: Store<K::Row>, O: Order>(
        system: &System<K, S>,
        window: &O::Window,
    ) -> bool {
        O::agrees(system.words(), window)
    }
}

#[cfg(test)]
mod tests {
    use crate::elimination::Elimination;
    use crate::layer::{Columns, Layer};
    use crate::row::Row;
    use crate::shards::Shard;
    use crate::{BuildFilter, Bumped, Kind, Ribbon, RibbonParams, Standard, solve};
    use amq_core::KeyHash;
    use std::vec;
    use std::vec::Vec;

    /// Asks for present keys and absent ones: both paths agree on each. If all blocks have the same
    /// columns, and these are whole bytes, the order is by slot.
    fn agree<K: Kind>(columns: u32, short: u32, n: u64) {
        let hashes: Vec<KeyHash> = (0..n).map(|key| KeyHash::of(&key, 1)).collect();
        let plan = Ribbon::<K>::plan_params(RibbonParams::new(columns, short), n).unwrap();
        let system = Ribbon::<K>::build_hashes(plan, 1, &hashes).unwrap().system;
        assert_eq!(system.params.columns, columns);
        let whole = short == 0 && columns % 8 == 0;
        assert_eq!(system.slot_bytes, if whole { columns / 8 } else { 0 });
        if n * u64::from(columns) >= 2800 {
            assert!(system.vector_end() > 0, "{columns} columns: never by vectors");
        }
        let absent = if cfg!(miri) { 50 } else { n + 5000 };
        let asked: Vec<KeyHash> = (0..n + absent).map(|key| KeyHash::of(&key, 1)).collect();
        let mut batch = vec![false; asked.len()];
        super::contains_batch(&system, &asked, &mut batch);
        let mut values = vec![0; asked.len()];
        super::values(&system, &asked, &mut values);
        let mut found = 0;
        for ((&hash, in_batch), value) in asked.iter().zip(batch).zip(values) {
            let portable = super::contains_portable(&system, hash.get());
            assert_eq!(
                super::contains(&system, hash.get()),
                portable,
                "{columns} columns, {hash:?}"
            );
            assert_eq!(in_batch, portable, "{columns} columns, {hash:?}, in a batch");
            assert_eq!(super::value(&system, hash.get()), value);
            assert_eq!(super::value_portable(&system, hash.get()), value);
            found += u64::from(portable);
        }
        assert!(found >= n);
    }

    /// Builds a shard of a bumping layer and one of a last layer, both ways.
    fn build_agrees<W: Row>(n: u64) {
        let hashes: Vec<KeyHash> = (0..n).map(|key| KeyHash::of(&key, 1)).collect();
        let layer = Layer {
            // Six percent fewer than keys.
            starts: (n * 94 / 100 / W::BITS) * W::BITS + 1,
            shard_bits: 20,
            ..Layer::default()
        };
        let (extent, columns) = (layer.extent::<W>(0), Columns { most: 9, short: 0 });
        let empty = || {
            let mut elimination = Elimination::<W, KeyHash>::default();
            elimination.make_room(&extent, hashes.len()).unwrap();
            elimination
        };
        let (mut one, mut other) = (empty(), empty());
        let agree = |one: &Elimination<W, KeyHash>, other: &Elimination<W, KeyHash>| {
            let mut words = [(); 2].map(|()| vec![W::ZERO; extent.blocks as usize * 9]);
            let [by_one, by_other] = words.each_mut().map(|words| Shard::<W, KeyHash> {
                entries: &hashes,
                words,
                extent,
            });
            let (mut by_one, mut by_other) = (by_one, by_other);
            super::solve(&one.banding, &layer, &mut by_one, columns);
            solve::solve(&other.banding, &layer, &mut by_other, columns);
            assert!(words[0].iter().any(|word| *word != W::ZERO));
            assert_eq!(words[0], words[1]);
        };
        super::bump(&mut one, &layer, &extent, &hashes).unwrap();
        other.bump(&layer, &extent, &hashes).unwrap();
        agree(&one, &other);
        let (one_bumps, other_bumps) = (one.bumps(0).unwrap(), other.bumps(0).unwrap());
        assert!(!one_bumps.entries.is_empty());
        assert_eq!(one_bumps.entries, other_bumps.entries);
        assert_eq!(one_bumps.thresholds, other_bumps.thresholds);
        // Too many keys, and few enough.
        for (entries, room) in [(&hashes[..], false), (&hashes[..hashes.len() / 2], true)] {
            assert_eq!(super::seed(&mut one, &extent, entries, 3), Ok(room));
            assert_eq!(other.seed(&extent, entries, 3), Ok(room));
        }
        agree(&one, &other);
    }

    #[test]
    fn dispatched_and_portable_builds_agree() {
        let n = if cfg!(miri) { 700 } else { 20_000 };
        build_agrees::<u64>(n);
        build_agrees::<u128>(n);
    }

    /// The share of blocks that have a column less.
    const NONE: u32 = 0;
    const HALF: u32 = 1 << 31;

    #[test]
    fn dispatched_and_portable_queries_agree_at_every_number_of_columns() {
        if cfg!(miri) {
            for (columns, short, n) in
                [(7, HALF, 400), (19, HALF, 400), (8, NONE, 100), (24, NONE, 150)]
            {
                agree::<Bumped>(columns, short, n);
                agree::<Standard>(columns, short, n);
            }
            return;
        }
        for columns in 2..=32 {
            for n in [1, 2, 40, 700, 5000] {
                for short in [NONE, HALF] {
                    agree::<Bumped>(columns, short, n);
                    agree::<Standard>(columns, short, n);
                }
            }
        }
        agree::<Bumped>(8, HALF, 60_000);
        agree::<Bumped>(8, NONE, 60_000);
        agree::<Bumped>(24, NONE, 60_000);
    }
}
