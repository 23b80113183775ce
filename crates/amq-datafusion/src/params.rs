//! The parameters of `amq_agg`.

use crate::error::plan;
use crate::literal;
use amq::{Abilities, AnyFilter, FilterKind, Goal, KeyEncoding};
use datafusion_common::{Result, ScalarValue};

/// The most bytes of a Binary value, whose offsets have 32 bits, without the header and directory
/// of a file.
const MAX_BYTES: u64 = i32::MAX as u64 - (1 << 20);
/// SQL's filters have the public seed, so that filters of other queries and of the command can be
/// merged with them.
pub(crate) const SEED: u64 = amq::DEFAULT_SEED;

/// The filter that an aggregate makes, and how its state grows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Params {
    pub(crate) kind: FilterKind,
    pub(crate) expected: u64,
    pub(crate) fpr: f64,
    /// The encoding of the column's values.
    pub(crate) encoding: KeyEncoding,
    /// Bytes of the filter.
    pub(crate) bytes: u64,
    /// Hashes that a state collects before it becomes a filter, and afterwards before they are
    /// inserted.
    pub(crate) few: usize,
    /// The kind counts or removes copies: every row is inserted.
    pub(crate) copies: bool,
    /// The kind is built from all hashes at once.
    pub(crate) built: bool,
    /// The kind keeps its rate beyond `expected`.
    pub(crate) grows: bool,
}

impl Params {
    pub(crate) fn new(function: &str, values: &[ScalarValue]) -> Result<Self> {
        let [expected, fpr, kind @ ..] = values else {
            return Err(plan(function, "wants (x, expected, fpr [, kind])"));
        };
        let expected = literal::count(function, "expected", expected)?;
        let fpr = literal::real(function, "fpr", fpr)?;
        let kind = match kind {
            [] => FilterKind::BlockedBloom,
            [kind, ..] => {
                let kind = literal::text(function, "kind", kind)?;
                kind.parse().map_err(|error| plan(function, error))?
            }
        };
        Self::of(function, kind, expected, fpr)
    }

    pub(crate) fn of(function: &str, kind: FilterKind, expected: u64, fpr: f64) -> Result<Self> {
        let able = Abilities::of(kind);
        if !able.merge && !able.build_only {
            let kinds: Vec<&str> = AnyFilter::KINDS
                .iter()
                .filter(|&&kind| Abilities::of(kind).merge || Abilities::of(kind).build_only)
                .map(|kind| kind.id())
                .collect();
            let text = format_args!(
                "{kind} filters cannot be merged, as the parts of an aggregate are. \
                 Kinds that can: {}",
                kinds.join(", ")
            );
            return Err(plan(function, text));
        }
        let planned = AnyFilter::plan(kind, Goal::fpr(expected, fpr))
            .map_err(|error| plan(function, error))?;
        if planned.bytes > MAX_BYTES {
            let text = format_args!(
                "{expected} keys at a rate of {fpr} take {} bytes, and a Binary value holds \
                 {MAX_BYTES}: make several filters, as with GROUP BY x % 16, or raise `fpr`",
                planned.bytes
            );
            return Err(plan(function, text));
        }
        if able.build_only && expected > MAX_BYTES / 8 {
            let text = format_args!(
                "a {kind} filter is built from all hashes at once, and of {expected} they take \
                 more than the {MAX_BYTES} bytes of a Binary value: make several filters, as with \
                 GROUP BY x % 16, or one of a kind that merges"
            );
            return Err(plan(function, text));
        }
        Ok(Self {
            kind,
            expected,
            fpr,
            encoding: KeyEncoding::Unknown,
            bytes: planned.bytes,
            few: (planned.bytes / 16).clamp(32, 512) as usize,
            copies: able.count || able.remove,
            built: able.build_only,
            grows: able.grow && able.merge && !able.remove,
        })
    }

    pub(crate) fn goal(&self) -> Goal {
        Goal::fpr(self.expected, self.fpr)
    }
}
