//! The filter as a file: the parameters, and the table as it lies in memory.

use crate::table::BucketTable;
use crate::{Cuckoo, CuckooParams, Layout};
use alloc::vec;
use amq_core::internal::{Description, Header, Opened, Restore, Section, Source, Stored};
use amq_core::{Bytes, DecodeError, FilterKind};

const REVISION: u8 = 1;

impl<L: Layout, B: Bytes> Stored for Cuckoo<L, B> {
    const KIND: FilterKind = L::KIND;
    const REVISION: u8 = REVISION;

    fn header(&self) -> &Header {
        &self.header
    }

    fn items(&self) -> u64 {
        self.len
    }

    fn describe(&self) -> Description<'_> {
        let params = self.table.params();
        Description {
            entries: vec![[params.buckets, params.fingerprint_bits.into(), 0, 0, 0, 0, 0, 0]],
            sections: vec![Section::of(self.table.bytes())],
            ..Description::default()
        }
    }
}

impl<L: Layout, B: Bytes> Restore for Cuckoo<L, B> {
    type Over<R: Source> = Cuckoo<L, R::Bytes>;

    fn restore<R: Source>(
        opened: &Opened<'_>,
        mut source: R,
    ) -> Result<Cuckoo<L, R::Bytes>, DecodeError> {
        opened.expect_kind(L::KIND, REVISION)?;
        opened.expect_asked(0)?;
        let [buckets, bits] = opened.only_entry()?;
        let params = CuckooParams::new(buckets, Opened::narrow("fingerprint_bits", bits)?);
        params.check::<L>()?;
        Opened::within("number of keys", opened.keys(), 0..=params.slots::<L>())?;
        opened.expect_sections([(params.bytes::<L>(), 1)].into_iter())?;
        let table = BucketTable::over(params, source.table(opened)?);
        if source.finish(opened)? {
            table.validate(opened.keys())?;
        }
        Ok(Cuckoo { header: opened.header(), table, len: opened.keys() })
    }
}

/// The bytes of the filter's file.
#[cfg(feature = "serde")]
impl<L: Layout, B: Bytes> amq_core::internal::serde::Serialize for Cuckoo<L, B> {
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::Written::serialize_file(self, serializer)
    }
}

/// The bytes of the filter's file, with all the checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de, L: Layout> amq_core::internal::serde::Deserialize<'de> for Cuckoo<L> {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}
