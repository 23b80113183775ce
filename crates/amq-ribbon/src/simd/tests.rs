use super::portable;
use crate::elimination::Elimination;
use crate::layer::{Columns, Layer};
use crate::row::BITS;
use crate::shards::Shard;
use crate::system::System;
use amq_core::KeyHash;
use std::vec;
use std::vec::Vec;

#[cfg(target_arch = "x86_64")]
use {super::x86, crate::order::by_order, crate::store::Store};

/// Answers a batch.
type Batch<'a, A> = dyn Fn(&[KeyHash], &mut [A]) + 'a;

/// Asks for present keys and absent ones: all paths agree on each. If all blocks have the same
/// columns, and these are whole bytes, the order is by slot.
fn agree(columns: u32, short: u32, n: u64) {
    let hashes: Vec<KeyHash> = (0..n).map(|key| KeyHash::of(&key, 1)).collect();
    let most = Columns { most: columns, short };
    let system = System::build(hashes.as_slice(), most, &mut |_| ()).unwrap();
    assert_eq!(system.params().columns, columns);
    let whole = short == 0 && columns % 8 == 0;
    assert_eq!(system.slot_bytes(), if whole { columns / 8 } else { 0 });
    if n * u64::from(columns) >= 2800 {
        assert!(system.vector_end() > 0, "{columns} columns: never by vectors");
    }
    // All present keys and many absent ones. For Miri, which takes long, the last few of either.
    let asked = if cfg!(miri) { n.saturating_sub(30)..n + 65 } else { 0..2 * n + 5000 };
    let present = n - asked.start;
    let asked: Vec<KeyHash> = asked.map(|key| KeyHash::of(&key, 1)).collect();
    let portable = Answers::of(
        &asked,
        |hash| portable::contains(&system, hash),
        |hash| portable::value(&system, hash),
    );
    assert!(portable.found.iter().filter(|&&found| found).count() as u64 >= present);
    let dispatched = Answers::of(
        &asked,
        |hash| super::contains(&system, hash),
        |hash| super::value(&system, hash),
    );
    assert_eq!(dispatched, portable, "{columns} columns");
    let system = system.view();
    let in_batches = |contains: &Batch<'_, bool>, values: &Batch<'_, u32>| {
        // Whole groups of keys that are prefetched together, and parts of one.
        let all = asked.len();
        for len in [0, 1, 31, 32, 33, 50, 64, 65, all] {
            if cfg!(miri) && ![33, all].contains(&len) {
                continue;
            }
            let mut answers = Answers::none(len);
            contains(&asked[..len], &mut answers.found);
            values(&asked[..len], &mut answers.values);
            assert_eq!(answers.found, portable.found[..len], "{columns} columns, {len} keys");
            assert_eq!(answers.values, portable.values[..len], "{columns} columns, {len} keys");
        }
    };
    in_batches(&|asked, found| super::contains_batch(&system, asked, found), &|asked, values| {
        super::values(&system, asked, values)
    });
    in_batches(
        &|asked, found| portable::contains_batch(&system, asked, found),
        &|asked, values| portable::values(&system, asked, values),
    );
    #[cfg(target_arch = "x86_64")]
    if amq_core::internal::Cpu::has_avx2_and_bits() {
        // SAFETY: the processor has the features.
        let avx2 = unsafe { Answers::by_vectors::<_, false>(&system, &asked, &portable) };
        assert_eq!(avx2, portable, "{columns} columns, AVX2");
    }
    #[cfg(target_arch = "x86_64")]
    if amq_core::internal::Cpu::has_avx512() {
        // SAFETY: the processor has the features.
        let avx512 = unsafe { Answers::by_vectors::<_, true>(&system, &asked, &portable) };
        assert_eq!(avx512, portable, "{columns} columns, AVX-512");
    }
}

/// Whether keys are in, and their values.
#[derive(PartialEq, Debug)]
struct Answers {
    found: Vec<bool>,
    values: Vec<u32>,
}

impl Answers {
    fn none(keys: usize) -> Self {
        Self { found: vec![false; keys], values: vec![0; keys] }
    }

    fn of(asked: &[KeyHash], contains: impl Fn(u64) -> bool, value: impl Fn(u64) -> u32) -> Self {
        Self {
            found: asked.iter().map(|hash| contains(hash.get())).collect(),
            values: asked.iter().map(|hash| value(hash.get())).collect(),
        }
    }

    /// By AVX2 or AVX-512, which agree in batches. Values by column, which have no vectors, are
    /// `portable`'s.
    ///
    /// # Safety
    /// The processor has the features.
    #[cfg(target_arch = "x86_64")]
    unsafe fn by_vectors<S: Store, const AVX512: bool>(
        system: &System<S>,
        asked: &[KeyHash],
        portable: &Self,
    ) -> Self {
        let mut answers = Self::none(asked.len());
        let by_slot = system.slot_bytes() > 0;
        // SAFETY: as the caller says.
        unsafe {
            x86::contains_batch::<_, AVX512>(system, asked, &mut answers.found);
            if by_slot {
                x86::values_by_slot::<_, AVX512>(system, asked, &mut answers.values);
            }
        }
        let single = Self::of(
            asked,
            |hash| {
                // SAFETY: as the caller says.
                by_order!(system.slot_bytes(), O => unsafe {
                    x86::contains::<_, O, AVX512>(system, hash)
                })
            },
            |hash| match by_slot {
                // SAFETY: as the caller says.
                true => unsafe { x86::value_by_slot::<_, AVX512>(system, hash) },
                false => 0,
            },
        );
        assert_eq!(answers, single, "single calls");
        if !by_slot {
            answers.values.clone_from(&portable.values);
        }
        answers
    }
}

/// Builds a shard of a bumping layer and one of a last layer, both ways.
fn build_agrees(n: u64) {
    let hashes: Vec<KeyHash> = (0..n).map(|key| KeyHash::of(&key, 1)).collect();
    let layer = Layer {
        // Six percent fewer than keys.
        starts: (n * 94 / 100 / BITS) * BITS + 1,
        shard_bits: 20,
        ..Layer::default()
    };
    let (extent, columns) = (layer.extent(0), Columns { most: 9, short: 0 });
    let empty = || {
        let mut elimination = Elimination::<KeyHash>::default();
        elimination.make_room(&extent, hashes.len()).unwrap();
        elimination
    };
    let (mut one, mut other) = (empty(), empty());
    let agree = |one: &Elimination<KeyHash>, other: &Elimination<KeyHash>| {
        let mut words = [(); 2].map(|()| vec![0; extent.blocks as usize * 9]);
        let [by_one, by_other] =
            words.each_mut().map(|words| Shard::<KeyHash> { entries: &hashes, words, extent });
        let (mut by_one, mut by_other) = (by_one, by_other);
        super::solve(one, &layer, &mut by_one, columns);
        other.solve(&layer, &mut by_other, columns);
        assert!(words[0].iter().any(|word| *word != 0));
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
    // More keys than slots for either row, so that some are bumped.
    let n = if cfg!(miri) { 400 } else { 20_000 };
    build_agrees(n);
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
            agree(columns, short, n);
            agree(columns, short, n);
        }
        return;
    }
    for columns in 2..=32 {
        for n in [1, 2, 40, 700, 5000] {
            for short in [NONE, HALF] {
                agree(columns, short, n);
                agree(columns, short, n);
            }
        }
    }
    agree(8, HALF, 60_000);
    agree(8, NONE, 60_000);
    agree(24, NONE, 60_000);
}

#[test]
fn every_width_agrees_with_its_twin_from_no_key_to_a_million() {
    let all = [(7, HALF), (7, NONE), (8, NONE), (16, NONE), (24, NONE), (32, NONE)];
    // Miri takes half a minute for each; other numbers of columns are in the test above.
    let (widths, counts) = match cfg!(miri) {
        true => (&[(16, NONE), (32, NONE)][..], &[0, 100][..]),
        false => (&all[..], &[0, 1, 7, 8, 100][..]),
    };
    for &(columns, short) in widths {
        for &n in counts {
            agree(columns, short, n);
            agree(columns, short, n);
        }
        if !cfg!(miri) {
            agree(columns, short, 1_000_000);
        }
    }
}
