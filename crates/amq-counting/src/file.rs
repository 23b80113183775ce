//! The filter's file: the parameters, and the table as it is in memory.

use crate::counters::{check_sum, past_the_last, words};
use crate::{Counting, Layout};
use alloc::vec;
use amq_core::internal::{Contents, FileFormat, Hashing, Opened, Section, Sections};
use amq_core::{BuildError, Bytes, DecodeError};

/// The revision of both layouts.
const REVISION: u8 = 1;

/// Bytes per number of the table.
const WIDTH: usize = 8;

impl<L: Layout, B: Bytes> FileFormat for Counting<L, B> {
    type With<C: Bytes> = Counting<L, C>;
    type Geometry = L::Params;

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        Ok(Contents {
            entries: vec![L::entry(self.params)],
            sections: vec![Section::new(self.as_bytes(), WIDTH)],
            ..Contents::new(L::KIND, REVISION, hashing, &self.header, self.len)
        })
    }

    fn geometry(opened: &Opened<'_>) -> Result<L::Params, DecodeError> {
        opened.expect_kind(L::KIND, REVISION)?;
        opened.expect_asked(0)?;
        let params = L::params_in(opened)?;
        L::check(params)?;
        opened.expect_sections([(L::bytes(params), WIDTH)].into_iter())?;
        Ok(params)
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        params: L::Params,
        mut sections: Sections<'_, C>,
    ) -> Result<Counting<L, C>, DecodeError> {
        let (header, len, table) = (opened.header(), opened.keys(), sections.take()?);
        let filter = Counting { header, params, len, table };
        if sections.is_checked() {
            filter.validate()?;
        }
        Ok(filter)
    }
}

impl<L: Layout, B: Bytes> Counting<L, B> {
    /// `Ok` if inserts and removals can produce this table. Reads all of it.
    fn validate(&self) -> Result<(), DecodeError> {
        let (table, counters) = (self.as_bytes(), L::counters(self.params));
        let last = words(table).last().unwrap_or_default();
        if last & past_the_last(counters) != 0 {
            return Err(DecodeError::Structure { what: "counters above zero past the last" });
        }
        check_sum(table, self.len, L::probes(self.params))
    }
}

/// Serialises the bytes of the filter's file.
#[cfg(feature = "serde")]
impl<L: Layout, B: Bytes> amq_core::internal::serde::Serialize for Counting<L, B> {
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::serialize(self, serializer)
    }
}

/// Deserialises the bytes of the filter's file, with all checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de, L: Layout> amq_core::internal::serde::Deserialize<'de> for Counting<L> {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}
