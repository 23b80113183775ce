//! The filter's file: the numbers in header and directory, and their checks.
//!
//! Stages are stored with their actual sizes and rates and not planned again, so that plans may
//! change. The checks compare the stages with the parameters: capacities, limits, and the compound
//! rate.

use crate::stage::{SEED, Stage};
use crate::{MAX_GROWTH, ScalableFilter, ScalableParams, StageFilter, StageGoal};
use alloc::vec::Vec;
use amq_core::internal::{Contents, FileFormat, Hashing, Opened, Section, Sections, reserve};
use amq_core::{BuildError, Bytes, DecodeError, Parts, PlanError};

/// The most stages possible: each one but the newest has at least twice the capacity of the one
/// before, and capacities are below 2^64.
const MAX_STAGES: usize = 64;

/// The revision of both layouts.
const REVISION: u8 = 1;

impl<F: StageFilter> FileFormat for ScalableFilter<F> {
    type With<B: Bytes> = ScalableFilter<F::With<B>>;
    /// The growth parameters, and at least one stage, oldest first.
    type Geometry = (ScalableParams, Vec<Shape<F::Shape>>);

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let params = &self.params;
        Ok(Contents {
            asked: [
                params.initial,
                params.fpr.to_bits(),
                params.growth.into(),
                params.tightening.to_bits(),
                // 0 means no bound.
                params.max_keys.unwrap_or(0),
                params.max_bytes,
                params.max_stages.into(),
                0,
            ],
            entries: self.oldest_first().map(Stage::entry).collect(),
            sections: self
                .oldest_first()
                .map(|stage| Section::new(stage.filter.table(), F::WIDTH))
                .collect(),
            ..Contents::new(F::SCALABLE, REVISION, hashing, &self.header, self.len)
        })
    }

    fn geometry(opened: &Opened<'_>) -> Result<Self::Geometry, DecodeError> {
        opened.expect_kind(F::SCALABLE, REVISION)?;
        let params = asked(opened)?;
        let shapes = shapes::<F>(&params, opened)?;
        let sections = shapes.iter().map(|shape| (F::table_bytes(&shape.params), F::WIDTH));
        opened.expect_sections(sections)?;
        Ok((params, shapes))
    }

    fn from_sections<B: Bytes>(
        opened: &Opened<'_>,
        (params, shapes): Self::Geometry,
        mut sections: Sections<'_, B>,
    ) -> Result<ScalableFilter<F::With<B>>, DecodeError> {
        let [first, rest @ ..] = &shapes[..] else {
            return Err(wrong("entries", 0));
        };
        let first = first.stage::<F, B>(sections.take()?)?;
        let mut later = Vec::new();
        room(&mut later, rest.len())?;
        for shape in rest {
            later.push(shape.stage::<F, B>(sections.take()?)?);
        }
        let filter = ScalableFilter {
            header: opened.header(),
            params,
            len: opened.keys(),
            first,
            later,
            limit: None,
            is_counted: false,
        };
        if sections.is_checked() {
            filter.oldest_first().try_for_each(Stage::validate)?;
        }
        Ok(filter)
    }
}

/// Serialises the bytes of the filter's file.
#[cfg(feature = "serde")]
impl<F: StageFilter> amq_core::internal::serde::Serialize for ScalableFilter<F> {
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::serialize(self, serializer)
    }
}

/// Deserialises the bytes of the filter's file, with all checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de> amq_core::internal::serde::Deserialize<'de> for crate::ScalableBloomFilter {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}

/// Deserialises the bytes of the filter's file, with all checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de> amq_core::internal::serde::Deserialize<'de> for crate::ScalableBlockedBloomFilter {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}

/// The error for a number that no filter has.
const fn wrong(field: &'static str, value: u64) -> DecodeError {
    DecodeError::Geometry { field, value }
}

/// Reserves room for this many stages.
fn room<T>(list: &mut Vec<T>, stages: usize) -> Result<(), DecodeError> {
    let bytes = (stages * size_of::<T>()) as u64;
    reserve(list, stages as u64).map_err(|_| DecodeError::OutOfMemory { bytes })
}

/// The growth parameters.
fn asked(opened: &Opened<'_>) -> Result<ScalableParams, DecodeError> {
    opened.expect_asked(7)?;
    let [initial, fpr, growth, tightening, max_keys, max_bytes, max_stages, _] = *opened.asked();
    PlanError::check_parameter("growth", growth, 2, MAX_GROWTH.into())?;
    let params = ScalableParams {
        initial,
        fpr: f64::from_bits(fpr),
        growth: Opened::narrow("growth", growth)?,
        tightening: f64::from_bits(tightening),
        max_keys: (max_keys != 0).then_some(max_keys),
        max_bytes,
        max_stages: Opened::narrow("max_stages", max_stages)?,
    };
    params.check()?;
    Ok(params)
}

/// A stage as the directory describes it.
#[derive(Debug)]
pub struct Shape<P> {
    params: P,
    goal: StageGoal,
    taken: u64,
    len: u64,
}

impl<P: Copy> Shape<P> {
    /// The stage with this table.
    fn stage<F: StageFilter<Shape = P>, B: Bytes>(
        &self,
        table: B,
    ) -> Result<Stage<F::With<B>>, DecodeError> {
        let parts =
            Parts::new(self.params, SEED).with_capacity(self.goal.capacity).with_len(self.len);
        Ok(Stage { filter: F::with(table, parts)?, goal: self.goal, taken: self.taken })
    }
}

/// The stages, oldest first, at least one.
fn shapes<F: StageFilter>(
    params: &ScalableParams,
    opened: &Opened<'_>,
) -> Result<Vec<Shape<F::Shape>>, DecodeError> {
    let stages = opened.entries();
    if stages == 0 || stages > MAX_STAGES.min(params.max_stages as usize) {
        return Err(wrong("entries", stages as u64));
    }
    let mut shapes = Vec::new();
    room(&mut shapes, stages)?;
    // Totals so far: capacities, bytes of the tables, keys.
    let (mut before, mut bytes, mut keys) = (0u64, 0u64, 0u64);
    for index in 0..stages {
        let [places, probes, capacity, taken, len, fpr, cut] = opened.numbers(index)?;
        let goal = StageGoal { cut: cut != 0, ..StageGoal::new(capacity, f64::from_bits(fpr)) };
        // Only the last of several stages can be cut, and only with a limit on bytes.
        let may_be_cut = index > 0 && index + 1 == stages && params.max_bytes < u64::MAX;
        if cut > may_be_cut.into() {
            return Err(wrong("cut", cut));
        }
        if !is_allowed(params, index as u32, before, goal) {
            return Err(wrong("capacity of a stage", capacity));
        }
        PlanError::check_share("rate of a stage", goal.fpr, 1.0)?;
        if taken > len {
            return Err(wrong("keys that a stage has taken", taken));
        }
        let shape = F::shape_of(places, probes)?;
        bytes = bytes.saturating_add(F::table_bytes(&shape));
        before = before.saturating_add(capacity);
        keys = keys.saturating_add(len);
        shapes.push(Shape { params: shape, goal, taken, len });
    }
    if bytes > params.max_bytes {
        return Err(wrong("bytes of all stages", bytes));
    }
    if keys != opened.keys() {
        return Err(wrong("keys of all stages", keys));
    }
    if !params.allows(shapes.iter().map(|shape| shape.goal.fpr)) {
        return Err(DecodeError::Structure {
            what: "stages of a higher compound rate than was asked for",
        });
    }
    Ok(shapes)
}

/// Whether the growth parameters allow stage `index` this capacity, after stages for `before` keys
/// in total.
fn is_allowed(params: &ScalableParams, index: u32, before: u64, goal: StageGoal) -> bool {
    let left = match params.max_keys {
        Some(max) => max.saturating_sub(before),
        None => u64::MAX,
    };
    let growth = u64::from(params.growth).checked_pow(index);
    let full = growth.and_then(|growth| params.initial.checked_mul(growth));
    match full {
        _ if goal.cut => (1..=left).contains(&goal.capacity),
        Some(full) => left > 0 && goal.capacity == full.min(left),
        None => false,
    }
}
