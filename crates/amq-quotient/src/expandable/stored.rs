//! The filter as a file.

use super::{ExpandableParams, ExpandableQuotientFilter};
use crate::table::Table;
use alloc::vec;
use amq_core::internal::{Description, Header, Opened, Plain, Restore, Section, Source, Stored};
use amq_core::{DecodeError, FilterKind};

impl<S: AsRef<[u8]> + Send + Sync> Stored for ExpandableQuotientFilter<S> {
    const KIND: FilterKind = FilterKind::ExpandableQuotient;
    const REVISION: u8 = 1;

    fn header(&self) -> &Header {
        &self.header
    }

    fn items(&self) -> u64 {
        self.len
    }

    fn describe(&self) -> Description<'_> {
        let params = self.params;
        let mut entry = [0; 8];
        entry[..6].copy_from_slice(&[
            params.slots,
            params.fingerprint_bits.into(),
            params.doublings.into(),
            params.max_doublings.into(),
            self.entries,
            self.answered,
        ]);
        Description {
            entries: vec![entry],
            sections: vec![Section::of(self.table.bytes())],
            ..Description::default()
        }
    }
}

impl Restore for ExpandableQuotientFilter {
    type Over<R: Source> = ExpandableQuotientFilter<R::Store<u8>>;

    fn restore<R: Source>(
        opened: &Opened<'_>,
        mut source: R,
    ) -> Result<Self::Over<R>, DecodeError> {
        opened.expect_kind(Self::KIND, Self::REVISION)?;
        opened.expect_asked(0)?;
        let [slots, bits, doublings, max_doublings, entries, answered] = opened.only_entry()?;
        let params = ExpandableParams {
            slots,
            fingerprint_bits: Opened::narrow("fingerprint bits", bits)?,
            doublings: Opened::narrow("doublings", doublings)?,
            max_doublings: Opened::narrow("doublings allowed", max_doublings)?,
        };
        params.check_ranges()?;
        let len = opened.keys();
        for (field, value, most) in [
            ("number of entries", entries, params.max_entries()),
            ("number of keys", len, entries),
            ("number of fingerprints", answered, params.fingerprints()),
        ] {
            if value > most {
                return Err(DecodeError::Geometry { field, value });
            }
        }
        opened.expect_sections([(params.bytes(), u8::WIDTH)].into_iter())?;
        let bytes = source.section::<u8>(opened)?;
        let filter = ExpandableQuotientFilter {
            header: opened.header(),
            params,
            table: Table::over(params.table(), bytes),
            len,
            entries,
            answered,
        };
        if source.finish(opened)? {
            filter.validate()?;
        }
        Ok(filter)
    }
}
