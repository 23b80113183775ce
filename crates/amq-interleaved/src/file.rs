//! Filters as files. The format is written down in `FORMAT.md` of amq-core.

use crate::labels::{self, Labels};
use crate::{InterleavedBloomFilter, InterleavedParams};
use alloc::vec;
use amq_core::internal::{Contents, FileFormat, Hashing, Opened, Section, Sections};
use amq_core::{BuildError, Bytes, DecodeError, FilterKind};

const REVISION: u8 = 1;

impl<B: Bytes> FileFormat for InterleavedBloomFilter<B> {
    type With<C: Bytes> = InterleavedBloomFilter<C>;
    type Geometry = InterleavedParams;

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let InterleavedParams { bins, blocks } = self.params;
        Ok(Contents {
            entries: vec![[bins, blocks, 0, 0, 0, 0, 0, 0]],
            sections: vec![
                Section::new(self.table.as_ref(), 8),
                Section::new(self.labels.rows.as_ref(), 8),
                Section::new(self.labels.names.as_ref(), 1),
            ],
            ..Contents::new(FilterKind::Interleaved, REVISION, hashing, &self.header, self.len())
        })
    }

    fn geometry(opened: &Opened<'_>) -> Result<InterleavedParams, DecodeError> {
        opened.expect_kind(FilterKind::Interleaved, REVISION)?;
        opened.expect_asked(0)?;
        let [bins, blocks] = opened.only_entry()?;
        let params = InterleavedParams { bins, blocks };
        params.check()?;
        // Names may have any length; that of the file bounds it.
        let names = opened.section_bytes(2).unwrap_or(0);
        let sections = [(params.bytes(), 8), (bins * labels::ROW, 8), (names, 1)];
        opened.expect_sections(sections.into_iter())?;
        Ok(params)
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        params: InterleavedParams,
        mut sections: Sections<'_, C>,
    ) -> Result<InterleavedBloomFilter<C>, DecodeError> {
        let (table, rows, names) = (sections.take()?, sections.take()?, sections.take()?);
        let labels = Labels { rows, names };
        if sections.is_checked() {
            labels.validate()?;
            if labels.total() != opened.keys() {
                return Err(DecodeError::Geometry { field: "keys", value: opened.keys() });
            }
            validate(&params, table.as_ref())?;
        }
        Ok(InterleavedBloomFilter { header: opened.header(), params, table, labels })
    }
}

/// Refuses bits behind the last bin.
fn validate(params: &InterleavedParams, table: &[u8]) -> Result<(), DecodeError> {
    let words = params.row_bytes() as usize / 8;
    let outside = |row: &[[u8; 8]]| {
        let mut padding = row[params.words() - 1..].iter().map(|&word| u64::from_le_bytes(word));
        let last = padding.next().unwrap_or(0) & !params.last_word();
        last != 0 || padding.any(|word| word != 0)
    };
    // Not a bit of padding: nothing to look for.
    let whole = params.bins == 64 * words as u64;
    if !whole && table.as_chunks::<8>().0.chunks(words).any(outside) {
        return Err(DecodeError::Structure { what: "bits past the last bin" });
    }
    Ok(())
}

/// The bytes of the filter's file.
#[cfg(feature = "serde")]
impl<B: Bytes> amq_core::internal::serde::Serialize for InterleavedBloomFilter<B> {
    fn serialize<Z: amq_core::internal::serde::Serializer>(
        &self,
        serializer: Z,
    ) -> Result<Z::Ok, Z::Error> {
        amq_core::internal::serialize(self, serializer)
    }
}

/// The bytes of the filter's file, with all the checks of `from_bytes`.
#[cfg(feature = "serde")]
impl<'de> amq_core::internal::serde::Deserialize<'de> for InterleavedBloomFilter {
    fn deserialize<Z: amq_core::internal::serde::Deserializer<'de>>(
        deserializer: Z,
    ) -> Result<Self, Z::Error> {
        amq_core::internal::deserialize(deserializer)
    }
}
