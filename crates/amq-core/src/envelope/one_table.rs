//! Filters that are parameters and one table, as most are: stored and restored in one place.

use super::format::Entry;
use super::opened::Opened;
use super::section::{Plain, Section};
use super::source::Source;
use super::stored::{Description, Restore, Stored};
use crate::DecodeError;
use crate::shell::{Header, Shell};
use alloc::vec;

/// A filter whose file is one entry of geometry and one section.
///
/// From what it says here follow [`Stored`], [`Restore`], and the view of the macro
/// [`shell!`](crate::shell!).
pub trait OneTable: Shell {
    /// The revision of its layout.
    const REVISION: u8;
    /// What the table consists of.
    type Element: Plain;
    /// The same filter over another storage.
    type Over<S: AsRef<[Self::Element]> + Send + Sync>: OneTable;

    /// The parameters as numbers: the entry of the directory.
    fn geometry(&self) -> Entry;

    /// The parameters in the entry of a directory, checked.
    fn params_in(opened: &Opened<'_>) -> Result<Self::Params, DecodeError>;

    /// Number of elements of a table with these parameters, which have been checked.
    fn elements_for(params: &Self::Params) -> u64;

    /// The table.
    fn elements(&self) -> &[Self::Element];

    /// A filter from its parts. `table` has as many elements as the parameters ask for.
    fn over<S: AsRef<[Self::Element]> + Send + Sync>(
        header: Header,
        params: Self::Params,
        len: u64,
        table: S,
    ) -> Self::Over<S>;

    /// The structural check of a table that was read: refuses what no filter writes.
    fn walk(&self) -> Result<(), DecodeError> {
        Ok(())
    }

    /// Bytes of a table with these parameters, and of the integers in it.
    fn section_for(params: &Self::Params) -> (u64, usize) {
        let bytes = Self::elements_for(params) * size_of::<Self::Element>() as u64;
        (bytes, Self::Element::WIDTH)
    }

    /// The same filter over a borrowed table.
    fn borrowed(&self) -> Self::Over<&[Self::Element]> {
        let (header, len) = (*self.header(), self.items());
        Self::over(header, self.table_params(), len, self.elements())
    }
}

impl<F: OneTable> Stored for F {
    const REVISION: u8 = F::REVISION;

    fn describe(&self) -> Description<'_> {
        Description {
            entries: vec![self.geometry()],
            sections: vec![Section::of(self.elements())],
            ..Description::default()
        }
    }
}

impl<F: OneTable> Restore for F {
    type Over<R: Source> = F::Over<R::Store<F::Element>>;

    fn restore<R: Source>(
        opened: &Opened<'_>,
        mut source: R,
    ) -> Result<F::Over<R::Store<F::Element>>, DecodeError> {
        opened.expect_kind(F::KIND, F::REVISION)?;
        opened.expect_asked(0)?;
        let params = F::params_in(opened)?;
        opened.expect_sections([F::section_for(&params)].into_iter())?;
        let table = source.section::<F::Element>(opened)?;
        let filter = F::over(opened.header(), params, opened.items(), table);
        if source.finish(opened)? {
            filter.walk()?;
        }
        Ok(filter)
    }
}
