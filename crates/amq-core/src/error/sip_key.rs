//! Errors of parsing a secret key.

use super::number::Counted;
use core::fmt;

/// The text is not the hexadecimal form of a [`SipKey`](crate::SipKey). It may be a mistyped
/// secret, so the error omits it.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SipKeyError {
    /// The length is wrong.
    Length {
        /// The length in bytes.
        bytes: usize,
    },

    /// The length is right, but a character is not a hexadecimal digit.
    Digit {
        /// Index of the first such byte.
        at: usize,
    },

    /// The key is all zeros, which random bytes never are.
    Zero,
}

impl fmt::Display for SipKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { bytes } => write!(
                f,
                "no secret key: {} of text, where there should be 32 hexadecimal digits and \
                 nothing else",
                Counted(*bytes as u64, "bytes")
            ),
            Self::Digit { at } => write!(
                f,
                "no secret key: the character at place {} is none of the 32 hexadecimal digits \
                 that there should be",
                at + 1
            ),
            Self::Zero => write!(f, "{ZERO_KEY}"),
        }
    }
}

impl fmt::Debug for SipKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for SipKeyError {}

/// Why a key of zeros is refused.
pub(super) const ZERO_KEY: &str = "the secret key is all zeros, as memory or a file is that \
                                   nobody has filled: take 16 bytes from the operating system's \
                                   random generator";
