//! What keys are given as, and what the file of a filter says of that.

use amq::KeyEncoding;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// What some keys were given as: a set, for each sort a bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Given(u8);

impl Given {
    /// No key, yet.
    pub(crate) const NOTHING: Self = Self(0);
    pub(crate) const TEXT: Self = Self(1);
    pub(crate) const BYTES: Self = Self(2);
    /// Of up to 64 bits.
    pub(crate) const INTEGERS: Self = Self(4);
    /// What files have no word for: tuples, integers of 128 bits, hashes of the caller.
    pub(crate) const OTHERS: Self = Self(8);

    /// These keys and those.
    #[inline]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all these keys are among those.
    #[inline]
    pub(crate) const fn is_in(self, those: Self) -> bool {
        self.0 & !those.0 == 0
    }

    /// What the file of a filter of these keys says.
    #[inline]
    pub(crate) const fn encoding(self) -> KeyEncoding {
        match self.0 {
            1..=3 => KeyEncoding::Bytes,
            4 => KeyEncoding::Integers,
            5..=7 => KeyEncoding::Mixed,
            _ => KeyEncoding::Unknown,
        }
    }

    /// What the file of a filter says once it has these keys, too: what it says of no keys does not
    /// count.
    #[inline]
    pub(crate) fn into_filter(self, says: KeyEncoding, was_empty: bool) -> KeyEncoding {
        let own = self.encoding();
        match says == own {
            true => says,
            false if was_empty => own,
            false => says.and(own),
        }
    }

    /// Refuses keys that a filter denies since Python encodes them in another way than the file
    /// says, which is none of the [`usual`](is_usual) ones.
    #[cold]
    pub(crate) fn expect_suited(self, says: KeyEncoding) -> PyResult<()> {
        let text = self.0 & Self::TEXT.0 != 0;
        match says {
            KeyEncoding::Hex if text => Err(PyTypeError::new_err(
                "the filter's keys are bytes that were given as hexadecimal digits, and it denies \
                 the text of the digits: give bytes.fromhex(key), or key.encode() for another text",
            )),
            KeyEncoding::Instants if !self.is_in(Self::OTHERS) => Err(PyTypeError::new_err(
                "the filter's keys are instants: ask for tuples (seconds, nanoseconds) since 1970, \
                 as (int(t.timestamp() // 1), t.microsecond * 1000) of an aware datetime t",
            )),
            KeyEncoding::Dates if !self.is_in(Self::INTEGERS) => Err(PyTypeError::new_err(
                "the filter's keys are dates: ask for the days since 1970, as \
                 (day - date(1970, 1, 1)).days",
            )),
            _ => Ok(()),
        }
    }
}

/// Whether any key of Python may be in a filter whose file says this.
#[inline]
pub(crate) const fn is_usual(says: KeyEncoding) -> bool {
    use KeyEncoding::{Bytes, Integers, Mixed, Unknown};
    matches!(says, Unknown | Bytes | Integers | Mixed)
}
