//! The filters as files: the parameters, and the table as it lies in memory.

use crate::table::SlotTable;
use crate::{ExpandableParams, ExpandableQuotientFilter, QuotientFilter, QuotientParams};
use alloc::vec;
use amq_core::internal::{Description, Header, Opened, Restore, Section, Source, Stored};
use amq_core::{Bytes, DecodeError, FilterKind};

/// The revision of both layouts.
const REVISION: u8 = 1;

impl<B: Bytes> Stored for QuotientFilter<B> {
    const KIND: FilterKind = FilterKind::Quotient;
    const REVISION: u8 = REVISION;

    fn header(&self) -> &Header {
        &self.header
    }

    fn items(&self) -> u64 {
        self.len()
    }

    fn describe(&self) -> Description<'_> {
        let QuotientParams { slots, remainder_bits, max_slots } = self.table.params;
        Description {
            // The next two numbers belong to filters that lengthen their fingerprints.
            entries: vec![[
                slots,
                remainder_bits.into(),
                self.table.distinct,
                max_slots,
                0,
                0,
                0,
                0,
            ]],
            sections: vec![Section::bytes(self.table.bytes(), 1)],
            ..Description::default()
        }
    }
}

impl<B: Bytes> Restore for QuotientFilter<B> {
    type Over<R: Source> = QuotientFilter<R::Bytes>;

    fn restore<R: Source>(
        opened: &Opened<'_>,
        mut source: R,
    ) -> Result<QuotientFilter<R::Bytes>, DecodeError> {
        opened.expect_kind(FilterKind::Quotient, REVISION)?;
        opened.expect_asked(0)?;
        let [slots, remainder_bits, distinct, max_slots] = opened.only_entry()?;
        let remainder_bits = Opened::narrow("remainder bits", remainder_bits)?;
        let params = QuotientParams { slots, remainder_bits, max_slots };
        params.check()?;
        Opened::within("number of keys", opened.keys(), 0..=params.max_keys())?;
        Opened::within("number of different fingerprints", distinct, 0..=opened.keys())?;
        opened.expect_sections([(params.bytes(), 1)].into_iter())?;
        let mut table = SlotTable::over(params, source.table(opened)?);
        (table.entries, table.distinct) = (opened.keys(), distinct);
        let filter = QuotientFilter { header: opened.header(), table };
        if source.finish(opened)? {
            filter.validate()?;
        }
        Ok(filter)
    }
}

impl<B: Bytes> Stored for ExpandableQuotientFilter<B> {
    const KIND: FilterKind = FilterKind::ExpandableQuotient;
    const REVISION: u8 = REVISION;

    fn header(&self) -> &Header {
        &self.header
    }

    fn items(&self) -> u64 {
        self.len()
    }

    fn describe(&self) -> Description<'_> {
        let ExpandableParams { slots, fingerprint_bits, doublings, max_doublings } = self.params;
        let [bits, doublings, allowed] =
            [fingerprint_bits, doublings, max_doublings].map(u64::from);
        let (entries, answered) = (self.table.entries, self.table.distinct);
        Description {
            entries: vec![[slots, bits, doublings, allowed, entries, answered, 0, 0]],
            sections: vec![Section::bytes(self.table.bytes(), 1)],
            ..Description::default()
        }
    }
}

impl<B: Bytes> Restore for ExpandableQuotientFilter<B> {
    type Over<R: Source> = ExpandableQuotientFilter<R::Bytes>;

    fn restore<R: Source>(
        opened: &Opened<'_>,
        mut source: R,
    ) -> Result<ExpandableQuotientFilter<R::Bytes>, DecodeError> {
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
        let mut table = SlotTable::over(params.table(), source.table(opened)?);
        (table.entries, table.distinct) = (entries, answered);
        let (header, len) = (opened.header(), opened.keys());
        let filter = ExpandableQuotientFilter { header, params, table, len };
        if source.finish(opened)? {
            filter.validate()?;
        }
        Ok(filter)
    }
}

/// Filters as values of serde: the bytes of their files, read with all the checks of `from_bytes`.
#[cfg(feature = "serde")]
mod serde {
    use crate::{ExpandableQuotientFilter, QuotientFilter};
    use amq_core::Bytes;
    use amq_core::internal::serde::{Deserialize, Deserializer, Serialize, Serializer};
    use amq_core::internal::{Written, deserialize};

    impl<B: Bytes> Serialize for QuotientFilter<B> {
        fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
            Written::serialize_file(self, serializer)
        }
    }

    impl<'de> Deserialize<'de> for QuotientFilter {
        fn deserialize<Z: Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
            deserialize(deserializer)
        }
    }

    impl<B: Bytes> Serialize for ExpandableQuotientFilter<B> {
        fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
            Written::serialize_file(self, serializer)
        }
    }

    impl<'de> Deserialize<'de> for ExpandableQuotientFilter {
        fn deserialize<Z: Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
            deserialize(deserializer)
        }
    }
}
