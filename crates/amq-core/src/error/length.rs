//! Slices of different lengths.

use core::fmt;

/// A batch whose keys and answers are slices of different lengths. Nothing was written or inserted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LengthMismatch {
    /// Number of keys.
    pub keys: usize,
    /// Number of answers.
    pub answers: usize,
}

impl LengthMismatch {
    /// `Ok` if there is one answer per key.
    #[inline]
    pub fn check(keys: usize, answers: usize) -> Result<(), Self> {
        if keys == answers { Ok(()) } else { Err(Self { keys, answers }) }
    }
}

impl fmt::Display for LengthMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "keys: {}, room for answers: {}; the two slices must be equally long",
            self.keys, self.answers
        )
    }
}

impl fmt::Debug for LengthMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for LengthMismatch {}
