//! The filter as a file: the parameters, and the table as it lies in memory.

use crate::counters::{check_sum, past_the_last};
use crate::{Counting, Layout};
use amq_core::internal::{Entry, Header, OneTable, Opened};
use amq_core::{DecodeError, FilterKind};

impl<L: Layout, S: AsRef<[L::Element]> + Send + Sync> OneTable for Counting<L, S> {
    type Params = L::Params;
    const KIND: FilterKind = L::KIND;
    const REVISION: u8 = 1;
    type Element = L::Element;
    type Over<T: AsRef<[L::Element]> + Send + Sync> = Counting<L, T>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn geometry(&self) -> Entry {
        L::entry(self.params)
    }

    fn params_in(opened: &Opened<'_>) -> Result<L::Params, DecodeError> {
        let params = L::params_in(opened)?;
        L::check(params)?;
        Ok(params)
    }

    fn elements_for(params: &L::Params) -> u64 {
        L::counters(*params).div_ceil(2 * size_of::<L::Element>() as u64)
    }

    fn elements(&self) -> &[L::Element] {
        self.table.as_ref()
    }

    fn over<T>(header: Header, params: L::Params, len: u64, table: T) -> Counting<L, T> {
        Counting { header, params, len, table }
    }

    fn walk(&self) -> Result<(), DecodeError> {
        let last = self.words().last().copied().unwrap_or_default();
        if last & past_the_last(L::counters(self.params)) != 0 {
            return Err(DecodeError::Structure { what: "counters above zero past the last" });
        }
        check_sum(self.words(), self.len, L::probes(self.params))
    }
}

/// The bytes of the filter's file.
#[cfg(feature = "serde")]
impl<L: Layout, S: AsRef<[L::Element]> + Send + Sync> amq_core::internal::serde::Serialize
    for Counting<L, S>
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
impl<'de, L: Layout> amq_core::internal::serde::Deserialize<'de> for Counting<L> {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}
