//! What to think of a filter and of those who query it.

use core::fmt;

/// The repetition above which false positives are asked for more often than other absent keys.
const REPEATED: f64 = 1.5;

/// What recent queries, and the table, say about a filter and those who query it.
///
/// *Keys* is the share of different absent keys that are false positives. Chance alone decides
/// which are, so honest queries keep it near the rate of the table, however popular some keys are;
/// `low` is that of all keys or that of the keys in a sample of the queries, whichever is higher.
/// *Queries* is the share of queries for absent keys that were false positives, which is what they
/// cost; one popular key can raise it.
///
/// Decided by the first of these that holds, where `low` and `high` are the ends of an interval
/// (those of an alarm on keys at 99.9998 % confidence, all others at 99.9 %), `planned` is the rate
/// planned, and `explained` the larger of that and the filter's own expectation at its present
/// load:
///
/// | verdict | if |
/// | --- | --- |
/// | hostile | `keys.low > 2 explained`; or `keys.low > explained` and repetition above 1.5 |
/// | overfull | [`Report::overfull`](super::Report::overfull); or `keys.low > 2 planned` |
/// | unlucky | `keys.low > explained` |
/// | repeated | `queries.low > explained` and repetition above 1.5 |
/// | as planned | `keys.high <= 2 planned` and `queries.high <= 2 planned` |
/// | too early | else |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// The filter errs no more often than twice the rate planned, nor than its load explains.
    AsPlanned,
    /// It holds more keys than it was planned for, and its table errs more often than planned: its
    /// own numbers say so, even if no false positive was reported. Build a larger one.
    Overfull,
    /// More keys are false positives than its load explains, by less than twice, and they are asked
    /// for no more often than other keys: by chance the absent keys that are asked for fall on this
    /// seed's false positives. Another seed changes which; if it does not help, the keys are not
    /// hashed well.
    Unlucky,
    /// As many different keys are false positives as its load explains, but some of them are asked
    /// for again and again, so that it errs more often. **The counts cannot tell** a popular absent
    /// key that is a false positive by chance from somebody who replays a few that were found. Both
    /// cost the same: remember these keys in an exact set, or rebuild with another seed, secret if
    /// strangers choose the keys.
    Repeated,
    /// Chance does not explain which keys are asked for. Either more than twice as many of them are
    /// false positives as the load explains; or more than it explains, and these are asked for half
    /// again as often as other absent keys. Somebody prepared keys for this seed, or keys collide
    /// in their hashes. Rebuild with a secret seed, and remember the false positives that were
    /// found.
    Hostile,
    /// Too few queries, or too few different absent keys, to exclude that the rate is twice the one
    /// planned.
    TooEarly,
}

/// What a verdict is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    pub(super) planned: f64,
    /// The rate that the filter expects at its load.
    pub(super) load: f64,
    /// Whether the table says that it is overfull.
    pub(super) overfull: bool,
    /// The rates that recent queries are compatible with.
    pub(super) queries: (f64, f64),
    /// Limits of the rate among different keys; the lower end is that of an alarm.
    pub(super) keys: (f64, f64),
    pub(super) repetition: f64,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 6] = [
        Self::AsPlanned,
        Self::Overfull,
        Self::Unlucky,
        Self::Repeated,
        Self::Hostile,
        Self::TooEarly,
    ];

    pub(super) fn of(evidence: Evidence) -> Self {
        let Evidence { planned, load, overfull, queries, keys, repetition } = evidence;
        // A rate that is not a number explains nothing.
        let explained = planned.max(load);
        let repeated = repetition > REPEATED;
        if keys.0 > 2.0 * explained || (keys.0 > explained && repeated) {
            Self::Hostile
        } else if overfull || keys.0 > 2.0 * planned {
            Self::Overfull
        } else if keys.0 > explained {
            Self::Unlucky
        } else if queries.0 > explained && repeated {
            Self::Repeated
        } else if keys.1.max(queries.1) <= 2.0 * planned {
            Self::AsPlanned
        } else {
            Self::TooEarly
        }
    }

    /// The verdict in one or two words, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AsPlanned => "as planned",
            Self::Overfull => "overfull",
            Self::Unlucky => "unlucky",
            Self::Repeated => "repeated",
            Self::Hostile => "hostile",
            Self::TooEarly => "too early",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_verdicts() {
        // Of a filter planned for 1 %: what keys and queries are compatible with, the load's rate,
        // the repetition.
        for (keys, queries, load, repetition, verdict) in [
            ((0.009, 0.011), (0.009, 0.011), 0.01, 1.0, Verdict::AsPlanned),
            ((0.0, 0.02), (0.0, 0.02), 0.001, 9.0, Verdict::AsPlanned),
            ((0.014, 0.016), (0.014, 0.016), 0.015, 1.0, Verdict::AsPlanned),
            ((0.0, 1.0), (0.0, 1.0), 0.01, 0.0, Verdict::TooEarly),
            ((0.009, 0.021), (0.009, 0.011), 0.01, 1.0, Verdict::TooEarly),
            ((0.009, 0.011), (0.009, 0.021), 0.01, 1.0, Verdict::TooEarly),
            ((0.012, 0.021), (0.009, 0.011), 0.01, 1.0, Verdict::Unlucky),
            ((0.012, 0.014), (0.009, 0.011), 0.005, 1.4, Verdict::Unlucky),
            ((0.012, 0.014), (0.009, 0.011), f64::NAN, 1.0, Verdict::Unlucky),
            ((0.009, 0.011), (0.012, 0.014), 0.01, 1.6, Verdict::Repeated),
            ((0.0, 1.0), (0.9, 1.0), 0.01, 1e6, Verdict::Repeated),
            ((0.009, 0.011), (0.012, 0.014), 0.01, 1.4, Verdict::AsPlanned),
            ((0.012, 0.014), (0.012, 0.014), 0.01, 1.6, Verdict::Hostile),
            ((0.021, 0.023), (0.009, 0.011), 0.01, 1.0, Verdict::Hostile),
            ((0.021, 0.023), (0.021, 0.023), 0.015, 1.0, Verdict::Overfull),
            ((0.031, 0.033), (0.031, 0.033), 0.015, 1.0, Verdict::Hostile),
        ] {
            for overfull in [false, true] {
                let found = Verdict::of(Evidence {
                    planned: 0.01,
                    load,
                    overfull,
                    queries,
                    keys,
                    repetition,
                });
                let wanted = match verdict {
                    Verdict::Hostile => Verdict::Hostile,
                    _ if overfull => Verdict::Overfull,
                    verdict => verdict,
                };
                assert_eq!(found, wanted, "{keys:?} {queries:?} at {load}");
            }
        }
    }
}
