//! The sections of a payload.

use super::directory::Place;
use super::format::ALIGN;
use super::opened::Opened;
use crate::DecodeError;
use core::fmt;
use core::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// The sections of a file's payload, in order. The payload's checksum has been verified, except for
/// unchecked views.
pub struct Sections<'a, B> {
    next: &'a mut dyn FnMut() -> Result<B, DecodeError>,
    /// How many sections are left.
    left: usize,
    is_checked: bool,
}

impl<'a, B> Sections<'a, B> {
    /// The sections of this file, read with `next`.
    pub(super) fn new(
        opened: &Opened<'_>,
        is_checked: bool,
        next: &'a mut dyn FnMut() -> Result<B, DecodeError>,
    ) -> Self {
        Self { next, left: opened.sections(), is_checked }
    }

    /// The next section. If sections are copied, they are copied here.
    pub fn take(&mut self) -> Result<B, DecodeError> {
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => return Err(DecodeError::Geometry { field: "sections", value: 0 }),
        }
        (self.next)()
    }

    /// Whether to validate the table's contents: always, except for unchecked views.
    pub const fn is_checked(&self) -> bool {
        self.is_checked
    }
}

impl<B> fmt::Debug for Sections<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sections").field("left", &self.left).finish_non_exhaustive()
    }
}

/// The ranges of the sections within this payload. With `check`, verifies the checksum and the
/// padding.
pub(super) fn ranges<'a>(
    payload: &[u8],
    opened: &'a Opened<'_>,
    check: bool,
) -> Result<impl Iterator<Item = Range<usize>> + use<'a>, DecodeError> {
    if check && xxh3_64(payload) != opened.file.payload_sum {
        return Err(DecodeError::Checksum { part: "payload" });
    }
    let range = |place: Place| place.offset as usize..(place.offset + place.bytes) as usize;
    let ranges = (0..opened.sections()).map(move |index| range(opened.directory.place(index)));
    if check {
        for range in ranges.clone() {
            check_padding(&payload[range.end..range.end.next_multiple_of(ALIGN)])?;
        }
    }
    Ok(ranges)
}

/// `Ok` if the padding between two sections is zero.
pub(super) fn check_padding(padding: &[u8]) -> Result<(), DecodeError> {
    match padding.iter().all(|&byte| byte == 0) {
        true => Ok(()),
        false => Err(DecodeError::Reserved { part: "payload" }),
    }
}
