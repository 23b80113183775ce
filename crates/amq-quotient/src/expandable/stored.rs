//! The filter as a file.

use super::params::Shape;
use super::{ExpandableParams, ExpandableQuotientFilter};
use crate::table::Table;
use amq_core::internal::{Entry, Header, OneTable, Opened};
use amq_core::{DecodeError, FilterKind};

impl<S: AsRef<[u8]> + Send + Sync> OneTable for ExpandableQuotientFilter<S> {
    type Params = Shape;
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
        [slots, bits, doublings, allowed, self.entries, self.answered, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<Shape, DecodeError> {
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
        Ok(Shape { params, entries, answered })
    }

    fn elements_for(shape: &Shape) -> u64 {
        shape.params.bytes()
    }

    fn elements(&self) -> &[u8] {
        self.table.bytes()
    }

    fn over<T: AsRef<[u8]>>(
        header: Header,
        Shape { params, entries, answered }: Shape,
        len: u64,
        bytes: T,
    ) -> ExpandableQuotientFilter<T> {
        let table = Table::over(params.table(), bytes);
        ExpandableQuotientFilter { header, params, table, len, entries, answered }
    }

    fn walk(&self) -> Result<(), DecodeError> {
        self.validate()
    }
}
