//! What a law says when a filter breaks it.

use core::fmt;

/// What a law returns.
pub type Verdict = Result<(), Violation>;

/// A broken law, with the numbers.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Violation {
    /// A present key was answered `false`, which no filter may ever do.
    Lost {
        /// Which key, and what was done before.
        what: String,
    },
    /// More or fewer false positives than theory says.
    Rate {
        /// The cell of the gate, or the law.
        cell: String,
        /// One filter's seed, or `None` for the sum over all seeds.
        seed: Option<u64>,
        /// False positives found.
        found: u64,
        /// Absent keys asked.
        queries: u64,
        /// False positives expected.
        expected: f64,
        /// Their standard deviation.
        sd: f64,
        /// How many standard deviations are allowed.
        sigmas: f64,
    },
    /// Two things that must be equal are not.
    Differs {
        /// What they are.
        what: String,
        /// What was found.
        found: String,
        /// What it should have been.
        wanted: String,
    },
    /// An operation that failed, or had nothing to do, changed the filter.
    Changed {
        /// The operation.
        by: String,
    },
    /// Something impossible was accepted.
    Accepted {
        /// What.
        what: String,
    },
    /// Something possible was refused.
    Refused {
        /// What.
        what: String,
        /// The filter's own error.
        error: String,
    },
    /// A minimal sequence of operations that ends in another violation.
    Sequence {
        /// The operations.
        steps: String,
        /// The violation after the last one.
        violation: String,
    },
    /// The record of golden counts is missing, unreadable or not writable.
    Golden {
        /// Which record, and what to do.
        what: String,
    },
}

impl Violation {
    /// Makes a [`Violation::Refused`] of an error, for `map_err`.
    pub fn refused<E: fmt::Display>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        move |error| Self::refusal(what.into(), &error)
    }

    #[cold]
    #[inline(never)]
    fn refusal(what: String, error: &dyn fmt::Display) -> Self {
        Self::Refused { what, error: error.to_string() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost { what } => {
                write!(f, "false negative, {what}: it is present, but was answered `false`")
            }
            Self::Rate { cell, seed, found, queries, expected, sd, sigmas } => {
                write!(f, "{cell}, ")?;
                match seed {
                    Some(seed) => write!(f, "seed {seed}")?,
                    None => write!(f, "all seeds together")?,
                }
                write!(
                    f,
                    ": {found} false positives in {queries} queries, expected {expected:.1} +- {sd:.1}; \
                     {:+.1} sigma, where {sigmas} are allowed",
                    (*found as f64 - expected) / sd
                )
            }
            Self::Differs { what, found, wanted } => {
                write!(f, "{what}: {found}, should be {wanted}")
            }
            Self::Changed { by } => write!(f, "the filter was changed by {by}"),
            Self::Accepted { what } => write!(f, "accepted, though impossible: {what}"),
            Self::Refused { what, error } => write!(f, "refused, though possible: {what}: {error}"),
            Self::Sequence { steps, violation } => write!(f, "after {steps}: {violation}"),
            Self::Golden { what } => f.write_str(what),
        }
    }
}

impl fmt::Debug for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Violation {}

/// `Ok` if the two are equal.
pub(crate) fn same<T: PartialEq + fmt::Debug>(
    what: impl fmt::Display,
    found: T,
    wanted: T,
) -> Verdict {
    match found == wanted {
        true => Ok(()),
        false => Err(differs(&what, &found, &format_args!("{wanted:?}"))),
    }
}

/// `Ok` if `holds`; `wanted` is the expectation in words.
pub(crate) fn ensure(
    holds: bool,
    what: impl fmt::Display,
    found: impl fmt::Debug,
    wanted: impl fmt::Display,
) -> Verdict {
    match holds {
        true => Ok(()),
        false => Err(differs(&what, &found, &wanted)),
    }
}

/// Not generic, so that writing the text is compiled once, and not for each filter and value.
#[cold]
#[inline(never)]
fn differs(
    what: &dyn fmt::Display,
    found: &dyn fmt::Debug,
    wanted: &dyn fmt::Display,
) -> Violation {
    Violation::Differs {
        what: what.to_string(),
        found: format!("{found:?}"),
        wanted: wanted.to_string(),
    }
}

/// `Ok` if the filter is what it was before `by`.
pub(crate) fn unchanged<F: PartialEq>(now: &F, before: &F, by: impl fmt::Display) -> Verdict {
    if now == before { Ok(()) } else { Err(Violation::Changed { by: by.to_string() }) }
}

/// Hides which function it is, so that a law is not inlined into its test. Otherwise the compiler
/// copies every law into the one test that calls it and optimises it there anew, with the filter's
/// code that it calls: the tests of a variant take half as long again to compile.
pub fn apart<L: Copy>(law: L) -> L {
    core::hint::black_box(law)
}

/// Fails the running test if a law is broken.
///
/// # Panics
/// With the violation's text, if the law is broken.
#[track_caller]
#[expect(clippy::panic, reason = "the only way for a test to fail")]
pub fn hold(verdict: Verdict) {
    if let Err(violation) = verdict {
        panic!("{violation}");
    }
}
