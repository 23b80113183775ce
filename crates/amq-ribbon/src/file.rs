//! Files of filters and maps. `FORMAT.md` of amq-core specifies the format.
//!
//! The directory's first entry has the columns, and one entry follows for each layer. A reader
//! restores the geometry from them and does not plan: the sizing of layers may change.

use crate::geometry::Geometry;
use crate::layer::Layer;
use crate::params::MAX_KEYS;
use crate::row::BITS;
use crate::sizing::MAX_LAYERS;
use crate::solution::Solution;
use crate::threshold::{IN_BYTE, threshold_of};
use crate::{RibbonFilter, RibbonMap, RibbonParams, truncate};
use alloc::vec;
use amq_core::format::HashedBy;
use amq_core::internal::{
    Contents, Entry, FileFormat, Hashing, Opened, Section, SectionStream, Sections,
};
use amq_core::{Budget, BuildError, Bytes, DecodeError, FilterKind};

/// The most starts of a layer: four for each of [`MAX_KEYS`]. Sums over layers stay far below 2^64.
const MAX_STARTS: u64 = 4 * MAX_KEYS;

/// Log2 of the most starts of a shard.
const MAX_SHARD_BITS: u64 = 32;

/// The last section: a reader may read this far past the end of the others.
const SPARE: [u8; 64] = [0; 64];

/// Bytes of an element of each section.
const WIDTHS: [usize; 4] = [8, 8, 1, 1];

/// The revision of the layout, which filters and maps share. Since 2, slots of whole bytes are
/// stored in order.
const REVISION: u8 = 2;

impl<B: Bytes> FileFormat for RibbonFilter<B> {
    type With<C: Bytes> = RibbonFilter<C>;
    type Geometry = (RibbonParams, Geometry);

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let whole = Contents::new(FilterKind::Ribbon, REVISION, hashing, &self.header, self.len);
        Ok(with_solution(whole, &self.solution))
    }

    fn geometry(opened: &Opened<'_>) -> Result<(RibbonParams, Geometry), DecodeError> {
        opened.expect_kind(FilterKind::Ribbon, REVISION)?;
        geometry(opened)
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        geometry: (RibbonParams, Geometry),
        sections: Sections<'_, C>,
    ) -> Result<RibbonFilter<C>, DecodeError> {
        let solution = solution(geometry, sections)?;
        Ok(RibbonFilter { header: opened.header(), len: opened.keys(), solution })
    }

    fn truncated(
        opened: &Opened<'_>,
        geometry: (RibbonParams, Geometry),
        budget: Budget,
        sections: &mut SectionStream<'_>,
    ) -> Result<RibbonFilter, DecodeError> {
        truncate::read(geometry, opened.header(), opened.keys(), budget, sections)
    }
}

impl<B: Bytes> FileFormat for RibbonMap<B> {
    type With<C: Bytes> = RibbonMap<C>;
    type Geometry = (RibbonParams, Geometry);

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let whole = Contents::new(FilterKind::RibbonMap, REVISION, hashing, &self.header, self.len);
        Ok(with_solution(whole, &self.solution))
    }

    fn geometry(opened: &Opened<'_>) -> Result<(RibbonParams, Geometry), DecodeError> {
        opened.expect_kind(FilterKind::RibbonMap, REVISION)?;
        // A map hashes its keys itself.
        opened.expect_hashed_by(HashedBy::Seed)?;
        let (params, geometry) = geometry(opened)?;
        // Values have all their bits: a map has no short blocks.
        Opened::within("short share", params.short.into(), 0..=0)?;
        let mut layers = geometry.layers().iter();
        layers.try_for_each(|layer| Opened::within("short blocks", layer.short, 0..=0))?;
        Ok((params, geometry))
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        geometry: (RibbonParams, Geometry),
        sections: Sections<'_, C>,
    ) -> Result<RibbonMap<C>, DecodeError> {
        let solution = solution(geometry, sections)?;
        Ok(RibbonMap { header: opened.header(), len: opened.keys(), solution })
    }
}

/// The file contents for this solution.
fn with_solution<'a, B: Bytes>(whole: Contents<'a>, solution: &'a Solution<B>) -> Contents<'a> {
    let (params, geometry) = (solution.params(), solution.geometry());
    let columns = [params.columns, params.short, params.widened].map(u64::from);
    let mut entries = vec![Entry::default()];
    entries[0][..3].copy_from_slice(&columns);
    entries.extend(geometry.layers().iter().zip(params.keys).map(entry));
    let [words, thresholds, seeds] = solution.parts();
    let sections = [words, thresholds, seeds, &SPARE].into_iter().zip(WIDTHS);
    let sections = sections.map(|(bytes, width)| Section::new(bytes, width)).collect();
    Contents { entries, sections, ..whole }
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

/// The solution in these sections, with this geometry.
fn solution<C: Bytes>(
    (params, geometry): (RibbonParams, Geometry),
    mut sections: Sections<'_, C>,
) -> Result<Solution<C>, DecodeError> {
    let mut next = || sections.take();
    let (parts, spare) = ([next()?, next()?, next()?], next()?);
    if sections.is_checked() {
        check_parts(parts[1].as_ref(), geometry.buckets, spare.as_ref())?;
    }
    Ok(Solution::new(params, geometry, parts))
}

/// The geometry in the directory. Each layer must begin where the one before ends, and all derived
/// numbers must be as stated: this keeps queries of an unchecked payload inside the table.
fn geometry(opened: &Opened<'_>) -> Result<(RibbonParams, Geometry), DecodeError> {
    opened.expect_asked(0)?;
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
        // The share determines the layout of the solution.
        Opened::within("short blocks", short, 0..=if params.short == 0 { 0 } else { blocks })?;
        Opened::within("first word", first_word, geometry.words..=geometry.words)?;
        Opened::within("first bucket", first_bucket, geometry.buckets..=geometry.buckets)?;
        geometry.push(layer, i + 1 < layers, params.columns);
    }
    let [words, thresholds, seeds] = geometry.parts();
    let lengths = [words, thresholds, seeds, SPARE.len() as u64];
    opened.expect_sections(lengths.into_iter().zip(WIDTHS))?;
    Ok((params, geometry))
}

/// Refuses thresholds and padding that no build writes. Words and seeds may have any value.
pub(crate) fn check_parts(
    thresholds: &[u8],
    buckets: u64,
    spare: &[u8],
) -> Result<(), DecodeError> {
    let past = buckets..thresholds.len() as u64 * IN_BYTE as u64;
    if past.into_iter().any(|bucket| threshold_of(thresholds, bucket) != Some(0)) {
        return Err(DecodeError::Structure { what: "thresholds past the last bucket" });
    }
    if spare.iter().any(|&byte| byte != 0) {
        return Err(DecodeError::Reserved { part: "payload" });
    }
    Ok(())
}

/// The bytes of the filter's file.
#[cfg(feature = "serde")]
impl<B: Bytes> amq_core::internal::serde::Serialize for RibbonFilter<B> {
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::serialize(self, serializer)
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
impl<B: Bytes> amq_core::internal::serde::Serialize for RibbonMap<B> {
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::serialize(self, serializer)
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
    use crate::{RibbonView, simd};
    use amq_core::internal::Header;
    use amq_core::{Filter, FilterFile, KeyHash, LoadOptions, Table};
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

    /// A random filter: any layers that a directory may state, and random bytes.
    fn any(noise: &mut Noise) -> RibbonFilter {
        let columns = 1 + noise.below(32) as u32;
        let layers = 1 + noise.below(MAX_LAYERS as u64);
        let mut params = RibbonParams::new(columns, 0);
        if columns > 1 {
            // Without short blocks, multiples of eight columns are stored by slot.
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
        let parts = geometry.parts().map(|bytes| {
            let mut part = Table::zeroed(bytes).unwrap();
            part.fill_with(|| noise.next() as u8);
            part
        });
        RibbonFilter {
            header: Header { seed: 1, capacity: 0, budget: None },
            len: params.keys[0],
            solution: Solution::new(params, geometry, parts),
        }
    }

    /// Cases that the queries covered.
    #[derive(Default)]
    struct Met {
        found: u64,
        by_vectors: u64,
        /// Rows that end in the very last block.
        at_the_end: u64,
        by_slot: u64,
    }

    /// Looks up absent keys by every method.
    fn ask(filter: &RibbonFilter, view: &RibbonView<'_>, met: &mut Met) {
        let hashes: Vec<KeyHash> =
            (0..200).map(|i| KeyHash::of(&i, filter.header.capacity)).collect();
        let portable = view.solution.view().with_backend(Backend::portable());
        let mut answers = vec![false; hashes.len()];
        view.contains_batch(&hashes, &mut answers).unwrap();
        let mut values = vec![0; hashes.len()];
        simd::answer_batch(&view.solution, &hashes, &mut values);
        for (i, &hash) in hashes.iter().enumerate() {
            let place = checked_place(&view.solution, hash.get());
            met.at_the_end += u64::from(place.is_last);
            met.by_vectors += u64::from(place.by_vectors);
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
    fn random_bytes_answer_alike_on_all_paths_inside_the_table() {
        fn all() {
            let unchecked = LoadOptions::new().unchecked_payload();
            let mut noise = Noise(11);
            let mut met = Met::default();
            for round in 0..if cfg!(miri) { 3 } else { 300 } {
                let mut filter = any(&mut noise);
                filter.header.capacity = round;
                let bytes = filter.to_bytes().unwrap();
                // At any alignment.
                let mut held = vec![0; round as usize % 8];
                held.extend(bytes);
                let view = unchecked.view::<RibbonFilter>(&held[round as usize % 8..]).unwrap();
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
