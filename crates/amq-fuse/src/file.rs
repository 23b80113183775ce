//! Files of filters. `FORMAT.md` of amq-core specifies the format.

use crate::{FuseFilter, FuseParams, truncate};
use alloc::vec;
use amq_core::internal::{
    Contents, Entry, FileFormat, Hashing, Opened, Section, SectionStream, Sections,
};
use amq_core::{Budget, BuildError, Bytes, DecodeError, FilterKind};

const REVISION: u8 = 1;

impl<B: Bytes> FileFormat for FuseFilter<B> {
    type With<C: Bytes> = FuseFilter<C>;
    type Geometry = FuseParams;

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let FuseParams { fingerprint_bits, segment_bits, segments, shards, internal_seed } =
            self.params;
        let numbers =
            [fingerprint_bits, segment_bits, segments, shards, internal_seed].map(u64::from);
        let mut entry = Entry::default();
        entry[..5].copy_from_slice(&numbers);
        Ok(Contents {
            entries: vec![entry],
            sections: vec![Section::new(self.table.as_ref(), 1)],
            ..Contents::new(FilterKind::Fuse, REVISION, hashing, &self.header, self.len())
        })
    }

    fn geometry(opened: &Opened<'_>) -> Result<FuseParams, DecodeError> {
        opened.expect_kind(FilterKind::Fuse, REVISION)?;
        opened.expect_asked(0)?;
        let params = params(opened)?;
        opened.expect_sections([(params.bytes(), 1)].into_iter())?;
        Ok(params)
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        params: FuseParams,
        mut sections: Sections<'_, C>,
    ) -> Result<FuseFilter<C>, DecodeError> {
        let table = sections.take()?;
        if sections.is_checked() {
            validate(&params, table.as_ref())?;
        }
        Ok(FuseFilter::of_parts(opened.header(), params, opened.keys(), table))
    }

    fn truncated(
        opened: &Opened<'_>,
        params: FuseParams,
        budget: Budget,
        sections: &mut SectionStream<'_>,
    ) -> Result<FuseFilter, DecodeError> {
        truncate::read(params, opened.header(), opened.keys(), budget, sections)
    }
}

fn params(opened: &Opened<'_>) -> Result<FuseParams, DecodeError> {
    let [fingerprint_bits, segment_bits, segments, shards, internal_seed] = opened.only_entry()?;
    let params = FuseParams {
        fingerprint_bits: Opened::narrow("fingerprint bits", fingerprint_bits)?,
        segment_bits: Opened::narrow("segment bits", segment_bits)?,
        segments: Opened::narrow("segments", segments)?,
        shards: Opened::narrow("shards", shards)?,
        internal_seed: Opened::narrow("internal seed", internal_seed)?,
    };
    params.check()?;
    // A filter has an empty table if and only if it has no keys.
    if (opened.keys() == 0) != (segments == 0) {
        return Err(DecodeError::Geometry { field: "segments", value: segments });
    }
    Ok(params)
}

/// Refuses bits behind the last slot. Slots may have any value.
pub(crate) fn validate(params: &FuseParams, table: &[u8]) -> Result<(), DecodeError> {
    let bits = params.slots() * u64::from(params.fingerprint_bits);
    let mut rest = table[(bits / 8) as usize..].iter();
    let first = rest.next().map_or(0, |&byte| byte >> (bits % 8));
    if first != 0 || rest.any(|&byte| byte != 0) {
        return Err(DecodeError::Structure { what: "bits past the last slot" });
    }
    Ok(())
}

/// The bytes of the filter's file.
#[cfg(feature = "serde")]
impl<B: Bytes> amq_core::internal::serde::Serialize for FuseFilter<B> {
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::serialize(self, serializer)
    }
}

/// The bytes of the filter's file, with all the checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de> amq_core::internal::serde::Deserialize<'de> for FuseFilter {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}
