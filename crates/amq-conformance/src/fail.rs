//! A law fails as any test does: it panics, with the filter's own error if there is one.

use core::fmt::Display;

/// Unwraps results that must not be errors.
pub(crate) trait OrFail<T> {
    /// The value. On an error the test fails, and prints `what` was refused, and why.
    fn or_fail(self, what: impl Display) -> T;
}

impl<T, E: Display> OrFail<T> for Result<T, E> {
    #[inline]
    #[track_caller]
    fn or_fail(self, what: impl Display) -> T {
        match self {
            Ok(value) => value,
            Err(error) => refused(&what, &error),
        }
    }
}

/// Not generic, so that the text is compiled once.
#[cold]
#[inline(never)]
#[track_caller]
fn refused(what: &dyn Display, error: &dyn Display) -> ! {
    panic!("refused, though possible: {what}: {error}")
}

/// Hides which function this is, so that a law is not inlined into its test. Otherwise the compiler
/// copies and optimises every law, and the filter's code that it calls, in each test: the tests of
/// a variant take 1.5 times as long to compile.
pub fn apart<L: Copy>(law: L) -> L {
    core::hint::black_box(law)
}
