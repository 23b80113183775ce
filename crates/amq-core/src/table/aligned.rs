//! A byte buffer aligned to a cache line, whose size is not rounded up to whole lines.
//!
//! A vector of lines would need no `unsafe`, but up to 63 bytes more, which is most of a filter of
//! a few keys. Trimming them in each lookup would cost 4 instructions, of a cuckoo filter's 81.
#![allow(unsafe_code, reason = "an allocation of bytes that is aligned to a cache line")]

use alloc::alloc::{alloc, alloc_zeroed, dealloc, handle_alloc_error, realloc};
use core::alloc::Layout;
use core::ptr::NonNull;
use core::slice;

/// The alignment of a table.
const LINE: usize = 64;

#[repr(align(64))]
struct Line;

/// Bytes aligned to a cache line.
pub(super) struct Aligned {
    /// An allocation of `capacity` bytes with the alignment of a line; dangling if that is 0.
    start: NonNull<u8>,
    /// The number of initialised bytes at the front.
    len: usize,
    capacity: usize,
}

// SAFETY: it owns its bytes, as a vector does, and mutates them only through `&mut`.
unsafe impl Send for Aligned {}
// SAFETY: as above.
unsafe impl Sync for Aligned {}

impl Aligned {
    pub(super) const fn new() -> Self {
        Self { start: NonNull::<Line>::dangling().cast(), len: 0, capacity: 0 }
    }

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, LINE).ok()
    }

    /// `bytes` zeros; `None` if out of memory.
    pub(super) fn zeroed(bytes: u64) -> Option<Self> {
        let len = usize::try_from(bytes).ok()?;
        if len == 0 {
            return Some(Self::new());
        }
        let layout = Self::layout(len)?;
        // SAFETY: the size of the layout is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self { start, len, capacity: len })
    }

    /// A copy of `bytes`; `None` if out of memory.
    pub(super) fn copy_of(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return Some(Self::new());
        }
        let len = bytes.len();
        // SAFETY: the size of the layout is not zero.
        let start = NonNull::new(unsafe { alloc(Self::layout(len)?) })?;
        // SAFETY: the new allocation has `len` bytes and does not overlap `bytes`.
        unsafe { start.copy_from_nonoverlapping(NonNull::from(bytes).cast(), len) };
        Some(Self { start, len, capacity: len })
    }

    /// Reserves room for `more` bytes after the current ones; `None` if out of memory.
    pub(super) fn reserve(&mut self, more: u64) -> Option<()> {
        let bytes = self.len.checked_add(usize::try_from(more).ok()?)?;
        if bytes <= self.capacity {
            return Some(());
        }
        if self.capacity == 0 {
            // The zeros are not part of the contents yet.
            *self = Self::zeroed(bytes as u64)?;
            self.len = 0;
            return Some(());
        }
        let (old, new) = (Self::layout(self.capacity)?, Self::layout(bytes)?);
        // SAFETY: the allocation was made by this allocator with this layout, and the new size is
        // above zero and, rounded up to the alignment, within `isize`.
        let start = NonNull::new(unsafe { realloc(self.start.as_ptr(), old, new.size()) })?;
        (self.start, self.capacity) = (start, bytes);
        Some(())
    }

    /// Appends zeros up to this length. The room must be reserved.
    pub(super) fn grow(&mut self, len: usize) {
        assert!((self.len..=self.capacity).contains(&len), "there is room");
        // SAFETY: the bytes from `len` to `capacity` are allocated, and nothing borrows them.
        unsafe { self.start.add(self.len).write_bytes(0, len - self.len) };
        self.len = len;
    }

    /// Drops the bytes after the first `bytes`, if there are more.
    pub(super) fn truncate(&mut self, bytes: u64) {
        self.len = (self.len as u64).min(bytes) as usize;
    }

    #[inline(always)]
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the first `len` bytes are allocated and initialised; without an allocation there
        // are none, at an address that is not null. They are borrowed as long as the slice is.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    #[inline(always)]
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and exclusively.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Drop for Aligned {
    fn drop(&mut self) {
        if let (1.., Some(layout)) = (self.capacity, Self::layout(self.capacity)) {
            // SAFETY: the allocation was made by this allocator with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}

/// Out of memory aborts the program, as for a vector.
impl Clone for Aligned {
    fn clone(&self) -> Self {
        match Self::copy_of(self.bytes()) {
            Some(copy) => copy,
            None => handle_alloc_error(Self::layout(self.len).unwrap_or(Layout::new::<Line>())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// A `Vec<u8>` is the safe twin.
    #[test]
    fn bytes_are_those_of_a_vector_that_grows_alike() {
        let (mut ours, mut twin) = (Aligned::new(), Vec::new());
        assert!(ours.bytes().is_empty() && ours.bytes_mut().is_empty());
        for (more, len) in [(1u64, 1usize), (62, 63), (0, 63), (100, 64), (0, 163), (1000, 1163)] {
            assert_eq!(ours.reserve(more), Some(()));
            ours.grow(len);
            twin.resize(len, 0);
            assert_eq!(ours.bytes(), twin);
            for (at, byte) in ours.bytes_mut().iter_mut().enumerate() {
                *byte = at as u8;
                twin[at] = at as u8;
            }
            assert_eq!(ours.bytes().as_ptr() as usize % LINE, 0);
            let copy = ours.clone();
            assert_eq!((copy.bytes(), copy.capacity), (&twin[..], len));
        }
    }

    #[test]
    fn no_bytes_take_no_memory() {
        let none = [Aligned::new(), Aligned::zeroed(0).unwrap(), Aligned::copy_of(&[]).unwrap()];
        for none in none {
            assert_eq!((none.capacity, none.bytes()), (0, &[][..]));
        }
        let one = Aligned::zeroed(1).unwrap();
        assert_eq!((one.capacity, one.bytes()), (1, &[0][..]));
    }

    #[test]
    fn sizes_beyond_the_address_space_are_refused() {
        for bytes in [u64::MAX, isize::MAX as u64, 1 << 63] {
            assert!(Aligned::zeroed(bytes).is_none());
            let mut some = Aligned::zeroed(10).unwrap();
            assert_eq!(some.reserve(bytes), None);
            assert_eq!(some.bytes(), [0; 10]);
        }
    }
}
