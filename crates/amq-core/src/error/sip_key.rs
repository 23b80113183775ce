//! Text that is no secret key.

crate::impl_error! {
    /// Text that is not the hexadecimal form of a [`SipKey`](crate::SipKey). It may be a secret
    /// with a slip of the pen, so the error shows none of it.
    #[derive(Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum SipKeyError {
        /// It has another length.
        Length {
            /// Its bytes.
            bytes: usize,
        } => "no secret key: {bytes} bytes of text, where there should be 32 hexadecimal digits and \
              nothing else";
        /// It has the right length, and something in it is no hexadecimal digit.
        Digit {
            /// The place of the first such byte, from 0.
            at: usize,
        } => "no secret key: the character at place {} is none of the 32 hexadecimal digits that \
              there should be",
             at + 1;
        /// It is all zeros, which random bytes never are.
        Zero => "{ZERO_KEY}";
    }
}

/// Why a key of zeros is refused.
pub(super) const ZERO_KEY: &str = "the secret key is all zeros, as memory or a file is that nobody has filled: take 16 bytes from \
     the operating system's random generator";
