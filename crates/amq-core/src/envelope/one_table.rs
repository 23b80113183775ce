//! Filters that are parameters and one table, as most are: stored and restored in one place.

use super::contents::Description;
use super::format::Entry;
use super::opened::Opened;
use super::restore::Restore;
use super::section::{Plain, Section};
use super::source::Source;
use super::stored::Stored;
use crate::header::Header;
use crate::{DecodeError, Filter, FilterKind};
use alloc::vec;

/// A filter whose file is one entry of geometry and one section.
///
/// From what it says here follow [`Stored`] and [`Restore`].
#[doc(hidden)]
pub trait OneTable: Filter {
    /// The parameters that determine the table.
    type Params;
    /// The kind of filter.
    const KIND: FilterKind;
    /// The revision of its layout.
    const REVISION: u8;
    /// What the table consists of.
    type Element: Plain;
    /// This type of filter with another storage.
    type Over<S: AsRef<[Self::Element]> + Send + Sync>: OneTable;

    /// Seed, capacity and budget.
    fn header(&self) -> &Header;

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
}

impl<F: OneTable> Stored for F {
    const KIND: FilterKind = <F as OneTable>::KIND;
    const REVISION: u8 = <F as OneTable>::REVISION;

    fn header(&self) -> &Header {
        OneTable::header(self)
    }

    fn items(&self) -> u64 {
        self.len()
    }

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
        opened.expect_kind(<F as OneTable>::KIND, <F as OneTable>::REVISION)?;
        opened.expect_asked(0)?;
        let params = F::params_in(opened)?;
        opened.expect_sections([F::section_for(&params)].into_iter())?;
        let table = source.section::<F::Element>(opened)?;
        let filter = F::over(opened.header(), params, opened.keys(), table);
        if source.finish(opened)? {
            filter.walk()?;
        }
        Ok(filter)
    }
}
