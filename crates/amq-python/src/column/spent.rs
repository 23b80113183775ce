//! Arrays that were read, and are to be freed.

use arrow_array::{Array, ArrayRef};
use pyo3::Python;
use std::mem::{self, ManuallyDrop};

/// Bytes that are kept before they are freed: taking the interpreter can cost some milliseconds.
const KEPT: usize = 1 << 24;

/// Arrays of a stream. Whoever lent them may need the interpreter to free them: pyarrow takes it in
/// a destructor, and if the interpreter ends meanwhile, the process aborts. So they are freed with
/// the interpreter, and kept for ever once it has ended.
#[derive(Default)]
pub(super) struct Spent {
    arrays: Vec<ArrayRef>,
    bytes: usize,
}

impl Spent {
    pub(super) fn push(&mut self, array: ArrayRef) {
        self.bytes = self.bytes.saturating_add(array.get_array_memory_size());
        self.arrays.push(array);
        if self.bytes > KEPT {
            self.free();
        }
    }

    fn free(&mut self) {
        let arrays = ManuallyDrop::new(mem::take(&mut self.arrays));
        self.bytes = 0;
        Python::try_attach(|_| drop(ManuallyDrop::into_inner(arrays)));
    }
}

impl Drop for Spent {
    fn drop(&mut self) {
        self.free();
    }
}
