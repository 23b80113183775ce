//! File formats: the parameters, and the table as in memory.

use crate::table::SlotTable;
use crate::truncate;
use crate::{ExpandableParams, ExpandableQuotientFilter, QuotientFilter, QuotientParams};
use alloc::vec;
use amq_core::internal::{Contents, FileFormat, Hashing, Opened, Section, SectionStream, Sections};
use amq_core::{Budget, BuildError, Bytes, DecodeError, FilterKind};

/// The revision of both layouts.
const REVISION: u8 = 1;

impl<B: Bytes> FileFormat for QuotientFilter<B> {
    type With<C: Bytes> = QuotientFilter<C>;
    /// The parameters and the number of distinct fingerprints.
    type Geometry = (QuotientParams, u64);

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let QuotientParams { slots, remainder_bits, max_slots } = self.table.params;
        let distinct = self.table.distinct;
        Ok(Contents {
            // The next two fields are used by filters that lengthen their fingerprints.
            entries: vec![[slots, remainder_bits.into(), distinct, max_slots, 0, 0, 0, 0]],
            sections: vec![Section::new(self.table.bytes(), 1)],
            ..Contents::new(FilterKind::Quotient, REVISION, hashing, &self.header, self.len())
        })
    }

    fn geometry(opened: &Opened<'_>) -> Result<(QuotientParams, u64), DecodeError> {
        opened.expect_kind(FilterKind::Quotient, REVISION)?;
        opened.expect_asked(0)?;
        let [slots, remainder_bits, distinct, max_slots] = opened.only_entry()?;
        let remainder_bits = Opened::narrow("remainder bits", remainder_bits)?;
        let params = QuotientParams { slots, remainder_bits, max_slots };
        params.check()?;
        Opened::within("number of keys", opened.keys(), 0..=params.max_keys())?;
        Opened::within("number of different fingerprints", distinct, 0..=opened.keys())?;
        opened.expect_sections([(params.bytes(), 1)].into_iter())?;
        Ok((params, distinct))
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        (params, distinct): (QuotientParams, u64),
        mut sections: Sections<'_, C>,
    ) -> Result<QuotientFilter<C>, DecodeError> {
        let mut table = SlotTable::over(params, sections.take()?);
        (table.entries, table.distinct) = (opened.keys(), distinct);
        let filter = QuotientFilter { header: opened.header(), table };
        if sections.is_checked() {
            filter.validate()?;
        }
        Ok(filter)
    }

    fn truncated(
        opened: &Opened<'_>,
        geometry: (QuotientParams, u64),
        budget: Budget,
        sections: &mut SectionStream<'_>,
    ) -> Result<QuotientFilter, DecodeError> {
        truncate::read(geometry, opened.header(), opened.keys(), budget, sections)
    }
}

impl<B: Bytes> FileFormat for ExpandableQuotientFilter<B> {
    type With<C: Bytes> = ExpandableQuotientFilter<C>;
    /// The parameters, the number of entries, and the number of fingerprints that they match.
    type Geometry = (ExpandableParams, u64, u64);

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let ExpandableParams { slots, fingerprint_bits, doublings, max_doublings } = self.params;
        let [bits, doublings, allowed] =
            [fingerprint_bits, doublings, max_doublings].map(u64::from);
        let (entries, answered) = (self.table.entries, self.table.distinct);
        let kind = FilterKind::ExpandableQuotient;
        Ok(Contents {
            entries: vec![[slots, bits, doublings, allowed, entries, answered, 0, 0]],
            sections: vec![Section::new(self.table.bytes(), 1)],
            ..Contents::new(kind, REVISION, hashing, &self.header, self.len())
        })
    }

    fn geometry(opened: &Opened<'_>) -> Result<(ExpandableParams, u64, u64), DecodeError> {
        opened.expect_kind(FilterKind::ExpandableQuotient, REVISION)?;
        opened.expect_asked(0)?;
        let [slots, bits, doublings, max_doublings, entries, answered] = opened.only_entry()?;
        let params = ExpandableParams {
            slots,
            fingerprint_bits: Opened::narrow("fingerprint bits", bits)?,
            doublings: Opened::narrow("doublings", doublings)?,
            max_doublings: Opened::narrow("doublings allowed", max_doublings)?,
        };
        params.check_ranges()?;
        Opened::within("number of entries", entries, 0..=params.max_entries())?;
        Opened::within("number of keys", opened.keys(), 0..=entries)?;
        Opened::within("number of fingerprints", answered, 0..=params.fingerprints())?;
        opened.expect_sections([(params.bytes(), 1)].into_iter())?;
        Ok((params, entries, answered))
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        (params, entries, answered): (ExpandableParams, u64, u64),
        mut sections: Sections<'_, C>,
    ) -> Result<ExpandableQuotientFilter<C>, DecodeError> {
        let mut table = SlotTable::over(params.table(), sections.take()?);
        (table.entries, table.distinct) = (entries, answered);
        let (header, len) = (opened.header(), opened.keys());
        let filter = ExpandableQuotientFilter { header, params, table, len };
        if sections.is_checked() {
            filter.validate()?;
        }
        Ok(filter)
    }
}

/// Serde: filters as the bytes of their files, read with all checks of `from_bytes`.
#[cfg(feature = "serde")]
mod serde {
    use crate::{ExpandableQuotientFilter, QuotientFilter};
    use amq_core::Bytes;
    use amq_core::internal::serde::{Deserialize, Deserializer, Serialize, Serializer};
    use amq_core::internal::{deserialize, serialize};

    impl<B: Bytes> Serialize for QuotientFilter<B> {
        fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
            serialize(self, serializer)
        }
    }

    impl<'de> Deserialize<'de> for QuotientFilter {
        fn deserialize<Z: Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
            deserialize(deserializer)
        }
    }

    impl<B: Bytes> Serialize for ExpandableQuotientFilter<B> {
        fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
            serialize(self, serializer)
        }
    }

    impl<'de> Deserialize<'de> for ExpandableQuotientFilter {
        fn deserialize<Z: Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
            deserialize(deserializer)
        }
    }
}
