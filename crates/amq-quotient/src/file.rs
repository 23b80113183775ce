//! The filters as files: the parameters, and the table as it lies in memory.

use crate::table::Table;
use crate::{ExpandableParams, ExpandableQuotientFilter, QuotientFilter, QuotientParams};
use amq_core::internal::{Entry, Header, OneTable, Opened};
use amq_core::{DecodeError, FilterKind};

impl<S: AsRef<[u8]> + Send + Sync> OneTable for QuotientFilter<S> {
    /// With the number of different fingerprints.
    type Params = (QuotientParams, u64);
    const KIND: FilterKind = FilterKind::Quotient;
    const REVISION: u8 = 1;
    type Element = u8;
    type Over<T: AsRef<[u8]> + Send + Sync> = QuotientFilter<T>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn geometry(&self) -> Entry {
        let QuotientParams { slots, remainder_bits, max_slots } = self.table.params;
        // The next two numbers belong to filters that lengthen their fingerprints.
        [slots, remainder_bits.into(), self.table.distinct, max_slots, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<(QuotientParams, u64), DecodeError> {
        let [slots, remainder_bits, distinct, max_slots] = opened.only_entry()?;
        let remainder_bits = Opened::narrow("remainder bits", remainder_bits)?;
        let params = QuotientParams { slots, remainder_bits, max_slots };
        params.check()?;
        Opened::within("number of keys", opened.keys(), 0..=params.max_keys())?;
        Opened::within("number of different fingerprints", distinct, 0..=opened.keys())?;
        Ok((params, distinct))
    }

    fn elements_for((params, _): &(QuotientParams, u64)) -> u64 {
        params.bytes()
    }

    fn elements(&self) -> &[u8] {
        self.table.bytes()
    }

    fn over<T: AsRef<[u8]>>(
        header: Header,
        (params, distinct): (QuotientParams, u64),
        len: u64,
        bytes: T,
    ) -> QuotientFilter<T> {
        let mut table = Table::over(params, bytes);
        (table.entries, table.distinct) = (len, distinct);
        QuotientFilter { header, table }
    }

    fn walk(&self) -> Result<(), DecodeError> {
        self.validate()
    }
}

impl<S: AsRef<[u8]> + Send + Sync> OneTable for ExpandableQuotientFilter<S> {
    /// With the number of entries, and of the fingerprints that they answer for.
    type Params = (ExpandableParams, u64, u64);
    const KIND: FilterKind = FilterKind::ExpandableQuotient;
    const REVISION: u8 = 1;
    type Element = u8;
    type Over<T: AsRef<[u8]> + Send + Sync> = ExpandableQuotientFilter<T>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn geometry(&self) -> Entry {
        let ExpandableParams { slots, fingerprint_bits, doublings, max_doublings } = self.params;
        let [bits, doublings, allowed] =
            [fingerprint_bits, doublings, max_doublings].map(u64::from);
        [slots, bits, doublings, allowed, self.table.entries, self.table.distinct, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<(ExpandableParams, u64, u64), DecodeError> {
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
        Ok((params, entries, answered))
    }

    fn elements_for((params, ..): &(ExpandableParams, u64, u64)) -> u64 {
        params.bytes()
    }

    fn elements(&self) -> &[u8] {
        self.table.bytes()
    }

    fn over<T: AsRef<[u8]>>(
        header: Header,
        (params, entries, distinct): (ExpandableParams, u64, u64),
        len: u64,
        bytes: T,
    ) -> ExpandableQuotientFilter<T> {
        let mut table = Table::over(params.table(), bytes);
        (table.entries, table.distinct) = (entries, distinct);
        ExpandableQuotientFilter { header, params, table, len }
    }

    fn walk(&self) -> Result<(), DecodeError> {
        self.validate()
    }
}

/// Filters as values of serde: the bytes of their files, read with all the checks of `from_bytes`.
#[cfg(feature = "serde")]
mod serde {
    use crate::{ExpandableQuotientFilter, QuotientFilter};
    use amq_core::internal::serde::{Deserialize, Deserializer, Serialize, Serializer};
    use amq_core::internal::{Written, deserialize};

    impl<S: AsRef<[u8]> + Send + Sync> Serialize for QuotientFilter<S> {
        fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
            Written::serialize_file(self, serializer)
        }
    }

    impl<'de> Deserialize<'de> for QuotientFilter {
        fn deserialize<Z: Deserializer<'de>>(deserializer: Z) -> Result<Self, Z::Error> {
            deserialize(deserializer)
        }
    }

    impl<S: AsRef<[u8]> + Send + Sync> Serialize for ExpandableQuotientFilter<S> {
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
