//! Filters as files. The format is written down in `FORMAT.md` of amq-core.

use crate::{FuseFilter, FuseParams};
use alloc::vec;
use amq_core::internal::{Description, Entry, Header, Opened, Restore, Section, Source, Stored};
use amq_core::{Bytes, DecodeError, FilterKind};

const REVISION: u8 = 1;

impl<B: Bytes> Stored for FuseFilter<B> {
    const KIND: FilterKind = FilterKind::Fuse;
    const REVISION: u8 = REVISION;

    fn header(&self) -> &Header {
        &self.header
    }

    fn items(&self) -> u64 {
        self.len()
    }

    fn describe(&self) -> Description<'_> {
        let FuseParams { fingerprint_bits, segment_bits, segments, shards, internal_seed } =
            self.params;
        let numbers =
            [fingerprint_bits, segment_bits, segments, shards, internal_seed].map(u64::from);
        let mut entry = Entry::default();
        entry[..5].copy_from_slice(&numbers);
        Description {
            entries: vec![entry],
            sections: vec![Section::of(self.table.as_ref())],
            ..Description::default()
        }
    }
}

impl<B: Bytes> Restore for FuseFilter<B> {
    type Over<R: Source> = FuseFilter<R::Bytes>;

    fn restore<R: Source>(
        opened: &Opened<'_>,
        mut source: R,
    ) -> Result<FuseFilter<R::Bytes>, DecodeError> {
        opened.expect_kind(FilterKind::Fuse, REVISION)?;
        opened.expect_asked(0)?;
        let params = params(opened)?;
        opened.expect_sections([(params.bytes(), 1)].into_iter())?;
        let table = source.table(opened)?;
        if source.finish(opened)? {
            validate(&params, table.as_ref())?;
        }
        Ok(FuseFilter::of_parts(opened.header(), params, opened.keys(), table))
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
    // An empty table has no keys, and answers no.
    if (opened.keys() == 0) != (segments == 0) {
        return Err(DecodeError::Geometry { field: "segments", value: segments });
    }
    Ok(params)
}

/// Refuses bits behind the last slot. Any slot may be a solution's.
fn validate(params: &FuseParams, table: &[u8]) -> Result<(), DecodeError> {
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
        amq_core::internal::Written::serialize_file(self, serializer)
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
