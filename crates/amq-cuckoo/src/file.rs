//! The filter as a file: the parameters, and the table as it lies in memory.

use crate::table::Table;
use crate::{Cuckoo, CuckooParams, Layout};
use amq_core::internal::{Entry, Header, OneTable, Opened};
use amq_core::{DecodeError, FilterKind};

impl<L: Layout, S: AsRef<[u8]> + Send + Sync> OneTable for Cuckoo<L, S> {
    type Params = CuckooParams;
    const KIND: FilterKind = L::KIND;
    const REVISION: u8 = 1;
    type Element = u8;
    type Over<T: AsRef<[u8]> + Send + Sync> = Cuckoo<L, T>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn geometry(&self) -> Entry {
        let params = self.table.params();
        [params.buckets, params.fingerprint_bits.into(), 0, 0, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<CuckooParams, DecodeError> {
        let [buckets, bits] = opened.only_entry()?;
        let params = CuckooParams::new(buckets, Opened::narrow("fingerprint_bits", bits)?);
        params.check::<L>()?;
        Opened::within("number of keys", opened.keys(), 0..=params.slots::<L>())?;
        Ok(params)
    }

    fn elements_for(params: &CuckooParams) -> u64 {
        params.bytes::<L>()
    }

    fn elements(&self) -> &[u8] {
        self.table.bytes()
    }

    fn over<T: AsRef<[u8]>>(
        header: Header,
        params: CuckooParams,
        len: u64,
        bytes: T,
    ) -> Cuckoo<L, T> {
        Cuckoo { header, table: Table::over(params, bytes), len }
    }

    fn walk(&self) -> Result<(), DecodeError> {
        self.table.validate(self.len)
    }
}

/// The bytes of the filter's file.
#[cfg(feature = "serde")]
impl<L: Layout, S: AsRef<[u8]> + Send + Sync> amq_core::internal::serde::Serialize
    for Cuckoo<L, S>
{
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
