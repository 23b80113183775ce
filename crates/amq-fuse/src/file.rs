//! Filters as files. The format is written down in `FORMAT.md` of amq-core.

use crate::{FuseFilter, FuseParams};
use amq_core::internal::{Entry, Header, OneTable, Opened};
use amq_core::{DecodeError, FilterKind};

impl<S: AsRef<[u8]> + Send + Sync> OneTable for FuseFilter<S> {
    type Params = FuseParams;
    const KIND: FilterKind = FilterKind::Fuse;
    const REVISION: u8 = 1;
    type Element = u8;
    type Over<T: AsRef<[u8]> + Send + Sync> = FuseFilter<T>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn geometry(&self) -> Entry {
        let FuseParams { fingerprint_bits, segment_bits, segments, shards, internal_seed } =
            self.params;
        let numbers =
            [fingerprint_bits, segment_bits, segments, shards, internal_seed].map(u64::from);
        let mut entry = Entry::default();
        entry[..5].copy_from_slice(&numbers);
        entry
    }

    fn params_in(opened: &Opened<'_>) -> Result<FuseParams, DecodeError> {
        let [fingerprint_bits, segment_bits, segments, shards, internal_seed] =
            opened.only_entry()?;
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

    fn elements_for(params: &FuseParams) -> u64 {
        params.bytes()
    }

    fn elements(&self) -> &[u8] {
        self.table.as_ref()
    }

    fn over<T: AsRef<[u8]> + Send + Sync>(
        header: Header,
        params: FuseParams,
        len: u64,
        table: T,
    ) -> FuseFilter<T> {
        FuseFilter::of_parts(header, params, len, table)
    }

    /// Refuses bits behind the last slot. Any slot may be a solution's.
    fn walk(&self) -> Result<(), DecodeError> {
        let bits = self.params.slots() * u64::from(self.params.fingerprint_bits);
        let mut rest = self.elements()[(bits / 8) as usize..].iter();
        let first = rest.next().map_or(0, |&byte| byte >> (bits % 8));
        if first != 0 || rest.any(|&byte| byte != 0) {
            return Err(DecodeError::Structure { what: "bits past the last slot" });
        }
        Ok(())
    }
}

/// The bytes of the filter's file.
#[cfg(feature = "serde")]
impl<S: AsRef<[u8]> + Send + Sync> amq_core::internal::serde::Serialize for FuseFilter<S> {
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
