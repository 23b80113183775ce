use super::{Backend, Features, answer, answer_batch};
use crate::RibbonParams;
use crate::elimination::Elimination;
use crate::geometry::Geometry;
use crate::layer::{Columns, Layer};
use crate::layout::tests::checked_place;
use crate::row::BITS;
use crate::shards::Shard;
use crate::solution::Solution;
use amq_core::internal::Threads;
use amq_core::{Bytes, KeyHash};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::vec;
use std::vec::Vec;

impl Backend {
    /// The portable twin of the others.
    pub(crate) const fn portable() -> Self {
        Self(Features::Portable)
    }

    /// All that this processor can run.
    fn all() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
        let mut all = vec![Self::portable()];
        #[cfg(target_arch = "x86_64")]
        if amq_core::internal::Cpu::has_avx2_and_bits() {
            all.push(Self(Features::Avx2));
        }
        #[cfg(target_arch = "x86_64")]
        if amq_core::internal::Cpu::has_avx512() {
            all.push(Self(Features::Avx512));
        }
        all
    }
}

/// The answers of a filter and of a map.
#[derive(PartialEq, Debug)]
struct Answers {
    found: Vec<bool>,
    values: Vec<u32>,
}

impl Answers {
    fn one_by_one<B: Bytes>(solution: &Solution<B>, asked: &[KeyHash]) -> Self {
        Self {
            found: asked.iter().map(|hash| answer(solution, hash.get())).collect(),
            values: asked.iter().map(|hash| answer(solution, hash.get())).collect(),
        }
    }

    fn in_a_batch<B: Bytes>(solution: &Solution<B>, asked: &[KeyHash]) -> Self {
        let mut answers = Self { found: vec![false; asked.len()], values: vec![0; asked.len()] };
        answer_batch(solution, asked, &mut answers.found);
        answer_batch(solution, asked, &mut answers.values);
        answers
    }
}

/// Queries present and absent keys: all backends agree on each. If all blocks have the same
/// columns, in whole bytes, the layout is by slot.
fn agree(columns: u32, short: u32, n: u64) {
    let hashes: Vec<KeyHash> = (0..n).map(|key| KeyHash::of(&key, 1)).collect();
    let most = Columns { most: columns, short };
    let solution = Solution::build(hashes.as_slice(), most, Threads::One, &mut |_| ()).unwrap();
    assert_eq!(solution.params().columns, columns);
    assert_eq!(Some(&solution.backend()), Backend::all().last());
    let whole = short == 0 && columns.is_multiple_of(8);
    assert_eq!(solution.slot_bytes(), if whole { columns / 8 } else { 0 });
    if n * u64::from(columns) >= 2800 {
        let by_vectors = |hash: &KeyHash| checked_place(&solution, hash.get()).by_vectors;
        assert!(hashes.iter().any(by_vectors), "{columns} columns: never by vectors");
    }
    // All present keys and many absent ones. Under Miri, which is slow, the last few of either.
    let asked = if cfg!(miri) { n.saturating_sub(30)..n + 65 } else { 0..2 * n + 5000 };
    let present = n - asked.start;
    let asked: Vec<KeyHash> = asked.map(|key| KeyHash::of(&key, 1)).collect();
    let mut solution = solution.with_backend(Backend::portable());
    let portable = Answers::one_by_one(&solution, &asked);
    assert!(portable.found.iter().filter(|&&found| found).count() as u64 >= present);
    for backend in Backend::all() {
        solution = solution.with_backend(backend);
        let single = Answers::one_by_one(&solution, &asked);
        assert_eq!(single, portable, "{columns} columns, {backend:?}");
        // Whole groups of keys that are prefetched together, and parts of one.
        let all = asked.len();
        for len in [0, 1, 31, 32, 33, 50, 64, 65, all] {
            if cfg!(miri) && ![33, all].contains(&len) {
                continue;
            }
            let batch = Answers::in_a_batch(&solution, &asked[..len]);
            assert_eq!(batch.found, portable.found[..len], "{columns} columns, {backend:?}, {len}");
            assert_eq!(
                batch.values,
                portable.values[..len],
                "{columns} columns, {backend:?}, {len}"
            );
        }
    }
}

/// Bytes that differ on each call of `as_ref`: as many as expected, fewer, more or none, and each
/// time elsewhere.
struct Moving {
    all: Vec<Vec<u8>>,
    next: AtomicUsize,
}

impl Moving {
    /// Returns the true bytes at first, and every `period`th time.
    fn new(bytes: &[u8], period: usize) -> Self {
        let cut = |i: usize| match i {
            0 => bytes.to_vec(),
            1 => [bytes, &[0xA5; 200]].concat(),
            2 => vec![],
            _ => bytes[..bytes.len() - (bytes.len() * i / period).min(i * i * i)].to_vec(),
        };
        Self { all: (0..period).map(cut).collect(), next: AtomicUsize::new(0) }
    }
}

impl AsRef<[u8]> for Moving {
    fn as_ref(&self) -> &[u8] {
        &self.all[self.next.fetch_add(1, Relaxed) % self.all.len()]
    }
}

/// A caller's `AsRef` is safe code, and may do this; Miri sees if a read leaves the bytes.
#[test]
fn bytes_that_move_and_shrink_change_answers_alone() {
    // Fewer under Miri, which is slow.
    let (n, rounds, batches) = if cfg!(miri) { (120, 2, 8) } else { (3000, 20, 1000) };
    let hashes: Vec<KeyHash> = (0..n).map(|key| KeyHash::of(&key, 1)).collect();
    let all = [(7, HALF), (20, HALF), (24, NONE), (8, NONE), (16, NONE), (32, NONE)];
    for &(columns, short) in if cfg!(miri) { &all[..3] } else { &all } {
        let columns = Columns { most: columns, short };
        let built = Solution::build(hashes.as_slice(), columns, Threads::One, &mut |_| ()).unwrap();
        for backend in Backend::all() {
            let [words, thresholds, seeds] = built.parts();
            let parts = [Moving::new(words, 13), Moving::new(thresholds, 7), Moving::new(seeds, 5)];
            let geometry = *built.geometry();
            let solution = Solution::new(*built.params(), geometry, parts).with_backend(backend);
            let mut found = 0;
            for _ in 0..rounds {
                let single = Answers::one_by_one(&solution, &hashes);
                found += single.found.iter().filter(|&&found| found).count();
            }
            // Not all, since words are missing, and not none, since sometimes all are present.
            let asked = rounds * hashes.len();
            assert!((asked / 8..asked * 7 / 8).contains(&found), "{found} of {asked}, {backend:?}");
            // A batch borrows once, and every 455th gets all bytes.
            let mut whole = 0;
            for _ in 0..batches {
                let mut answers = vec![false; hashes.len()];
                answer_batch(&solution, &hashes, &mut answers);
                whole += u32::from(answers.iter().all(|&found| found));
            }
            assert!(whole < batches / 2 && (cfg!(miri) || whole > 0), "{whole} of {batches}");
        }
    }
}

/// A solution without layers gets words: the window is then the first.
#[test]
fn words_without_layers_are_read_inside_their_bytes() {
    for columns in [1, 7, 8, 20, 24, 32] {
        for backend in Backend::all() {
            let parts = [(); 3].map(|()| Moving::new(&[0x5A; 600], 11));
            let params = RibbonParams::new(columns, NONE);
            let solution = Solution::new(params, Geometry::default(), parts).with_backend(backend);
            let asked: Vec<KeyHash> = (0..40).map(|key| KeyHash::of(&key, 1)).collect();
            for answers in [Answers::one_by_one, Answers::in_a_batch] {
                let values = answers(&solution, &asked).values;
                assert!(values.iter().all(|value| u64::from(*value) >> columns == 0));
            }
        }
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
    let mut words = [(); 2].map(|()| vec![0; extent.blocks as usize * 9]);
    let mut shards =
        words.each_mut().map(|words| Shard::<KeyHash> { entries: &hashes, words, extent });
    let [mut one, mut other] = [(); 2].map(|()| Elimination::<KeyHash>::default());
    super::bump(&mut one, &layer, &mut shards[0], columns).unwrap();
    other.bump(&layer, &mut shards[1], columns).unwrap();
    let (one_bumps, other_bumps) = (one.bumps(0).unwrap(), other.bumps(0).unwrap());
    assert!(!one_bumps.entries.is_empty());
    assert_eq!(one_bumps.entries, other_bumps.entries);
    assert_eq!(one_bumps.thresholds, other_bumps.thresholds);
    assert!(shards[0].words.iter().any(|word| *word != 0));
    assert_eq!(shards[0].words, shards[1].words);
    // Too many keys, and few enough.
    for (entries, has_room) in [(&hashes[..], false), (&hashes[..hashes.len() / 2], true)] {
        for shard in &mut shards {
            shard.entries = entries;
            shard.words.fill(0);
        }
        let seed = super::seed(&mut one, &layer, &mut shards[0], columns, n).unwrap();
        assert_eq!(other.seed(&layer, &mut shards[1], columns, n), Ok(seed));
        assert_eq!(seed.is_some(), has_room);
        assert_eq!(shards[0].words.iter().any(|word| *word != 0), has_room);
        assert_eq!(shards[0].words, shards[1].words);
    }
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
fn dispatched_and_portable_queries_agree_at_all_columns() {
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
