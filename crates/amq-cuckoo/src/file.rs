//! The filter's file: the parameters, and the table as it is in memory.

use crate::table::BucketTable;
use crate::{Cuckoo, CuckooParams, Layout};
use alloc::vec;
use amq_core::internal::{Contents, FileFormat, Hashing, Opened, Section, Sections};
use amq_core::{BuildError, Bytes, DecodeError};

const REVISION: u8 = 1;

impl<L: Layout, B: Bytes> FileFormat for Cuckoo<L, B> {
    type With<C: Bytes> = Cuckoo<L, C>;
    type Geometry = CuckooParams;

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let params = self.table.params();
        Ok(Contents {
            entries: vec![[params.buckets, params.fingerprint_bits.into(), 0, 0, 0, 0, 0, 0]],
            sections: vec![Section::new(self.table.bytes(), 1)],
            ..Contents::new(L::KIND, REVISION, hashing, &self.header, self.len)
        })
    }

    fn geometry(opened: &Opened<'_>) -> Result<CuckooParams, DecodeError> {
        opened.expect_kind(L::KIND, REVISION)?;
        opened.expect_asked(0)?;
        let [buckets, bits] = opened.only_entry()?;
        let params = CuckooParams::new(buckets, Opened::narrow("fingerprint_bits", bits)?);
        params.check::<L>()?;
        Opened::within("number of keys", opened.keys(), 0..=params.slots::<L>())?;
        opened.expect_sections([(params.bytes::<L>(), 1)].into_iter())?;
        Ok(params)
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        params: CuckooParams,
        mut sections: Sections<'_, C>,
    ) -> Result<Cuckoo<L, C>, DecodeError> {
        let table = BucketTable::over(params, sections.take()?);
        if sections.is_checked() {
            table.validate(opened.keys())?;
        }
        Ok(Cuckoo { header: opened.header(), table, len: opened.keys() })
    }
}

/// Serialises the bytes of the filter's file.
#[cfg(feature = "serde")]
impl<L: Layout, B: Bytes> amq_core::internal::serde::Serialize for Cuckoo<L, B> {
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::serialize(self, serializer)
    }
}

/// Deserialises the bytes of the filter's file, with all checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de, L: Layout> amq_core::internal::serde::Deserialize<'de> for Cuckoo<L> {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}
