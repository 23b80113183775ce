//! Filters and maps as files. The format is written down in `FORMAT.md` of amq-core.
//!
//! The directory's first entry has the columns, and one entry follows for each layer. A reader
//! restores the geometry from them and plans nothing: how layers are sized may change.

use crate::geometry::Geometry;
use crate::layer::Layer;
use crate::params::MAX_KEYS;
use crate::row::BITS;
use crate::sizing::MAX_LAYERS;
use crate::solution::Solution;
use crate::store::{Held, Store};
use crate::{RibbonFilter, RibbonMap, RibbonParams};
use alloc::vec;
use amq_core::format::HashedBy;
use amq_core::internal::{
    Description, Entry, Header, Opened, Plain, Restore, Section, Source, Stored,
};
use amq_core::{DecodeError, FilterKind};

/// The most starts of a layer: four for each of the most keys. Sums over such layers stay far below
/// 2^64.
const MAX_STARTS: u64 = 4 * MAX_KEYS;

/// Log2 of the most starts of a shard.
const MAX_SHARD_BITS: u64 = 32;

/// The last section: a reader may read past the end of the others by this much.
const SPARE: [u8; 64] = [0; 64];

/// The revision of the layout that filters and maps share. Since 2, slots of whole bytes lie in
/// order.
const REVISION: u8 = 2;

impl<S: Store> Stored for RibbonFilter<S> {
    const KIND: FilterKind = FilterKind::Ribbon;
    const REVISION: u8 = REVISION;

    fn header(&self) -> &Header {
        &self.header
    }

    fn items(&self) -> u64 {
        self.len
    }

    fn describe(&self) -> Description<'_> {
        described(&self.solution)
    }
}

impl<S: Store> Stored for RibbonMap<S> {
    const KIND: FilterKind = FilterKind::RibbonMap;
    const REVISION: u8 = REVISION;

    fn header(&self) -> &Header {
        &self.header
    }

    fn items(&self) -> u64 {
        self.len
    }

    fn describe(&self) -> Description<'_> {
        described(&self.solution)
    }
}

fn described<S: Store>(solution: &Solution<S>) -> Description<'_> {
    let (params, geometry, store) = (solution.params(), solution.geometry(), solution.store());
    let columns = [params.columns, params.short, params.widened].map(u64::from);
    let mut entries = vec![Entry::default()];
    entries[0][..3].copy_from_slice(&columns);
    entries.extend(geometry.layers().iter().zip(params.keys).map(entry));
    Description {
        entries,
        sections: vec![
            Section::of(store.words()),
            Section::of(store.thresholds()),
            Section::of(store.seeds()),
            Section::of(&SPARE),
        ],
        ..Description::default()
    }
}

fn entry((layer, keys): (&Layer, u64)) -> Entry {
    [
        keys,
        layer.starts,
        layer.shard_bits.into(),
        layer.short,
        layer.first_word,
        layer.first_bucket,
        layer.blocks(),
        0,
    ]
}

impl Restore for RibbonFilter {
    type Over<R: Source> = RibbonFilter<Over<R>>;

    fn restore<R: Source>(opened: &Opened<'_>, source: R) -> Result<Self::Over<R>, DecodeError> {
        opened.expect_kind(Self::KIND, REVISION)?;
        Ok(RibbonFilter {
            header: opened.header(),
            len: opened.keys(),
            solution: solution(opened, source, |_, _| Ok(()))?,
        })
    }
}

impl Restore for RibbonMap {
    type Over<R: Source> = RibbonMap<Over<R>>;

    fn restore<R: Source>(opened: &Opened<'_>, source: R) -> Result<Self::Over<R>, DecodeError> {
        opened.expect_kind(Self::KIND, REVISION)?;
        // Its values are found by key alone.
        opened.expect_hashed_by(HashedBy::Seed)?;
        Ok(RibbonMap {
            header: opened.header(),
            len: opened.keys(),
            solution: solution(opened, source, whole_values)?,
        })
    }
}

/// Every value has all its bits: no block of a map is short.
fn whole_values(params: &RibbonParams, geometry: &Geometry) -> Result<(), DecodeError> {
    Opened::within("short share", params.short.into(), 0..=0)?;
    let mut layers = geometry.layers().iter();
    layers.try_for_each(|layer| Opened::within("short blocks", layer.short, 0..=0))
}

/// What holds a solution whose sections come from a source.
type Over<R> = Held<<R as Source>::Store<u64>, <R as Source>::Store<u8>>;

/// The solution in a file. Its geometry must also pass `check`.
fn solution<R: Source>(
    opened: &Opened<'_>,
    mut source: R,
    check: impl FnOnce(&RibbonParams, &Geometry) -> Result<(), DecodeError>,
) -> Result<Solution<Over<R>>, DecodeError> {
    opened.expect_asked(0)?;
    let (params, geometry) = geometry(opened)?;
    check(&params, &geometry)?;
    let [words, thresholds, seeds] = geometry.parts();
    let sections = [
        (words, u64::WIDTH),
        (thresholds, u64::WIDTH),
        (seeds, u8::WIDTH),
        (SPARE.len() as u64, u8::WIDTH),
    ];
    opened.expect_sections(sections.into_iter())?;
    let store = Held {
        words: source.section(opened)?,
        thresholds: source.section(opened)?,
        seeds: source.section::<u8>(opened)?,
    };
    let spare = source.section::<u8>(opened)?;
    if source.finish(opened)? {
        walk(store.thresholds.as_ref(), geometry.buckets, spare.as_ref())?;
    }
    Ok(Solution::new(params, geometry, store))
}

/// What the directory says. Each layer must lie where those before it end, and all that is derived
/// from it must be as stated: this is what keeps queries of an unchecked payload inside the table.
fn geometry(opened: &Opened<'_>) -> Result<(RibbonParams, Geometry), DecodeError> {
    let [columns, short, widened] = opened.numbers(0)?;
    let layers = opened.entries() - 1;
    Opened::within("layers", layers as u64, 0..=MAX_LAYERS as u64)?;
    let mut params = RibbonParams::new(
        Opened::narrow("columns", columns)?,
        Opened::narrow("short share", short)?,
    );
    params.widened = Opened::narrow("widened", widened)?;
    for (i, keys) in params.keys.iter_mut().take(layers).enumerate() {
        *keys = opened.entry(1 + i)?[0];
    }
    params.check()?;
    let total = params.keys[0];
    Opened::within("number of keys", opened.keys(), total..=total)?;
    Opened::within("layers", layers as u64, if total > 0 { 1..=u64::MAX } else { 0..=0 })?;

    let mut geometry = Geometry::default();
    for i in 0..layers {
        let [_, starts, shard_bits, short, first_word, first_bucket, blocks] =
            opened.numbers(1 + i)?;
        Opened::within("starts", starts, 1..=MAX_STARTS)?;
        Opened::within("starts past a multiple of a row's bits", starts % BITS, 1..=1)?;
        let least = BITS.trailing_zeros().into();
        Opened::within("shard bits", shard_bits, least..=MAX_SHARD_BITS)?;
        let layer = Layer {
            starts,
            shard_bits: Opened::narrow("shard bits", shard_bits)?,
            first_word,
            first_bucket,
            short,
        };
        let wanted = layer.blocks();
        Opened::within("blocks", blocks, wanted..=wanted)?;
        // The share says in which order the solution lies.
        Opened::within("short blocks", short, 0..=if params.short == 0 { 0 } else { blocks })?;
        Opened::within("first word", first_word, geometry.words..=geometry.words)?;
        Opened::within("first bucket", first_bucket, geometry.buckets..=geometry.buckets)?;
        geometry.push(layer, i + 1 < layers, params.columns);
    }
    Ok((params, geometry))
}

/// Refuses what no build writes. Any word and any seed may be a solution's.
fn walk(thresholds: &[u64], buckets: u64, spare: &[u8]) -> Result<(), DecodeError> {
    let last = thresholds.last().copied().unwrap_or_default();
    let used = buckets % 32 * 2;
    if used > 0 && last >> used != 0 {
        return Err(DecodeError::Structure { what: "thresholds past the last bucket" });
    }
    if spare.iter().any(|&byte| byte != 0) {
        return Err(DecodeError::Reserved { part: "payload" });
    }
    Ok(())
}

/// The bytes of the filter's file.
#[cfg(feature = "serde")]
impl<S: Store> amq_core::internal::serde::Serialize for RibbonFilter<S> {
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::Written::serialize_file(self, serializer)
    }
}

/// The bytes of the filter's file, with all the checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de> amq_core::internal::serde::Deserialize<'de> for RibbonFilter {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}

/// The bytes of the map's file.
#[cfg(feature = "serde")]
impl<S: Store> amq_core::internal::serde::Serialize for RibbonMap<S> {
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::Written::serialize_file(self, serializer)
    }
}

/// The bytes of the map's file, with all the checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de> amq_core::internal::serde::Deserialize<'de> for RibbonMap {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::tests::checked_place;
    use crate::simd::Backend;
    use crate::store::Heap;
    use crate::{RibbonView, simd};
    use amq_core::{Filter, FilterFile, KeyHash, LoadOptions};
    use std::vec::Vec;

    /// Pseudo-random numbers.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> u64 {
            self.0 += 1;
            KeyHash::of(&self.0, 5).get()
        }

        fn below(&mut self, n: u64) -> u64 {
            self.next() % n
        }
    }

    /// A filter that no build makes: any layers that a directory may state, and random bytes.
    fn any(noise: &mut Noise) -> RibbonFilter {
        let columns = 1 + noise.below(32) as u32;
        let layers = 1 + noise.below(MAX_LAYERS as u64);
        let mut params = RibbonParams::new(columns, 0);
        if columns > 1 {
            // Without short blocks eights of columns lie slot by slot.
            params.short = noise.below(2) as u32;
        }
        let mut geometry = Geometry::default();
        for i in 0..layers as usize {
            params.keys[i] = 1000 / (i as u64 + 1);
            let mut layer = Layer {
                starts: noise.below(20) * BITS + 1,
                shard_bits: BITS.trailing_zeros() + noise.below(4) as u32,
                first_word: geometry.words,
                first_bucket: geometry.buckets,
                short: 0,
            };
            if params.short > 0 {
                layer.short = noise.below(layer.blocks() + 1);
            }
            geometry.push(layer, i as u64 + 1 < layers, columns);
        }
        let [_, thresholds, seeds] = geometry.parts();
        let store: Heap = Held {
            words: (0..geometry.words).map(|_| noise.next()).collect(),
            thresholds: (0..thresholds / 8).map(|_| noise.next()).collect(),
            seeds: (0..seeds).map(|_| noise.next() as u8).collect(),
        };
        RibbonFilter {
            header: Header { seed: 1, capacity: 0, budget: None },
            len: params.keys[0],
            solution: Solution::new(params, geometry, store),
        }
    }

    /// What the queries met.
    #[derive(Default)]
    struct Met {
        found: u64,
        by_vectors: u64,
        /// Rows that end in the very last block.
        at_the_end: u64,
        by_slot: u64,
    }

    /// Looks absent keys up in every way there is.
    fn ask(filter: &RibbonFilter, view: &RibbonView<'_>, met: &mut Met) {
        let hashes: Vec<KeyHash> =
            (0..200).map(|i| KeyHash::of(&i, filter.header.capacity)).collect();
        let portable = view.solution.view().with_backend(Backend::portable());
        let mut answers = vec![false; hashes.len()];
        view.contains_batch(&hashes, &mut answers).unwrap();
        let mut values = vec![0; hashes.len()];
        simd::answer_batch(&view.solution, &hashes, &mut values);
        for (i, &hash) in hashes.iter().enumerate() {
            let (place, is_last) = checked_place(&view.solution, hash.get());
            met.at_the_end += u64::from(is_last);
            met.by_vectors += u64::from(place < view.solution.vector_end());
            let (found, value) = (
                simd::answer(&portable, hash.get()),
                simd::answer::<u32, _>(&portable, hash.get()),
            );
            assert_eq!(view.contains_hash(hash), found);
            assert_eq!(answers[i], found);
            assert_eq!(filter.contains_hash(hash), found);
            assert_eq!(simd::answer::<u32, _>(&view.solution, hash.get()), value);
            assert_eq!(values[i], value);
            met.found += u64::from(found);
        }
    }

    #[test]
    fn random_bytes_in_any_geometry_answer_alike_on_all_paths_and_inside_the_table() {
        if cfg!(target_endian = "big") {
            // There views of numbers are refused.
            return;
        }
        fn all() {
            let unchecked = LoadOptions::new().unchecked_payload();
            let mut noise = Noise(11);
            let mut met = Met::default();
            for round in 0..if cfg!(miri) { 3 } else { 300 } {
                let mut filter = any(&mut noise);
                filter.header.capacity = round;
                let bytes = filter.to_bytes().unwrap();
                let mut held = vec![0; bytes.len() + 64];
                let begin = held.as_ptr().align_offset(64);
                let held = &mut held[begin..][..bytes.len()];
                held.copy_from_slice(&bytes);
                let view = unchecked.view::<RibbonFilter>(held).unwrap();
                let solution = &view.solution;
                assert_eq!(solution.geometry(), filter.solution.geometry());
                assert!((0.0..=1.0).contains(&view.stats().expected_fpr));
                met.by_slot += u64::from(solution.slot_bytes() > 0);
                ask(&filter, &view, &mut met);
            }
            if !cfg!(miri) {
                assert!(met.found > 100 && met.by_vectors > 1000);
                assert!(met.at_the_end > 10 && met.by_slot > 10);
            }
        }
        all();
        all();
    }
}
