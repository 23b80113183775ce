//! A law fails as any test does: it panics, with the filter's own error if there is one.

use core::fmt::Display;

/// Unwraps what must not be refused.
pub(crate) trait OrFail<T> {
    /// The value. Otherwise the test fails, and says `what` was refused, and why.
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

/// Hides which function it is, so that a law is not inlined into its test. Otherwise the compiler
/// copies every law into the one test that calls it and optimises it there anew, with the filter's
/// code that it calls: the tests of a variant take half as long again to compile.
pub fn apart<L: Copy>(law: L) -> L {
    core::hint::black_box(law)
}
