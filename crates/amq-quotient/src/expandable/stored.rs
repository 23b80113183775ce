//! The filter as a file.

#[cfg(doc)]
use super::ExpandableQuotientView;
use super::{ExpandableParams, ExpandableQuotientFilter};
use crate::entry::width;
use crate::simd;
use crate::stream::Fingerprints;
use crate::table::Table;
use crate::validate::Contents;
use alloc::vec;
use amq_core::DecodeError;
use amq_core::envelope::{Description, Opened, Plain, Restore, Section, Source, Stored, narrow};
use amq_core::shell::Shell;

impl<S: AsRef<[u8]> + Send + Sync> Stored for ExpandableQuotientFilter<S> {
    const REVISION: u8 = 1;

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
            fingerprint_bits: narrow("fingerprint bits", bits)?,
            doublings: narrow("doublings", doublings)?,
            max_doublings: narrow("doublings allowed", max_doublings)?,
        };
        params.check_ranges()?;
        let len = opened.items();
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

impl<S: AsRef<[u8]> + Send + Sync> ExpandableQuotientFilter<S> {
    /// Reads the whole table, and checks that it is one that inserts and removals lead to: runs,
    /// order, offsets, ages, counts.
    ///
    /// Every way of reading a file does this, but for
    /// [`open_without_checking_payload`](ExpandableQuotientView::open_without_checking_payload).
    pub fn validate(&self) -> Result<(), DecodeError> {
        let Contents { items, distinct } = simd::walk(&self.table)?;
        // An entry has one bit of tail for each doubling since it came, up to all that there are.
        let oldest = 1 << self.params.doublings.min(self.params.fingerprint_bits);
        let ages = Fingerprints::new(&self.table).all(|entry| width(entry) <= oldest);
        for (right, what) in [
            (self.entries == items, "number of entries"),
            (self.answered == distinct, "number of fingerprints"),
            (ages, "age of an entry"),
        ] {
            if !right {
                return Err(DecodeError::Structure { what });
            }
        }
        Ok(())
    }
}
