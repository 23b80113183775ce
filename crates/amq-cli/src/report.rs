//! The one-line report of a filter, with its number of keys as far as it is known.

use crate::exit::note;
use crate::input;
use crate::kinds;
use crate::numbers::{bytes_text, grouped, of, rate_text, rounded};
use amq::{Abilities, AnyFilter, Budget, Filter};

/// The number of keys in a filter, as far as it is known.
pub(crate) struct Held {
    /// A qualifier of the number: `about `, `at least `, or empty if it is exact.
    known: &'static str,
    number: u64,
    /// The number of lines, if it exceeds that of keys.
    read: Option<u64>,
    /// The number of keys that bits per key are computed from.
    keys: f64,
}

impl Held {
    /// From the filter alone.
    pub(crate) fn of(filter: &AnyFilter) -> Self {
        let len = filter.len();
        match estimate(filter) {
            Some((_, keys)) if rounded(keys) == len => Self::new("", len),
            Some((known, keys)) => Self { keys, ..Self::new(known, rounded(keys)) },
            // Each counted key was new when inserted; but a union has the sum of both counts.
            None if skips_copies(filter) => Self::new("counted ", len),
            None => Self::new("", len),
        }
    }

    /// For a filter built from `read` lines, of which `different` were distinct, if known.
    pub(crate) fn built(filter: &AnyFilter, read: u64, different: Option<u64>) -> Self {
        let len = filter.len();
        if kinds::keeps_copies(filter.kind()) {
            return Self::new("", len);
        }
        let copies = Some(read).filter(|&read| read > len);
        match different {
            Some(different) => {
                let copies = copies.filter(|&read| read > different);
                Self { read: copies, ..Self::new("", different) }
            }
            None if skips_copies(filter) && copies.is_some() => {
                let keys = estimate(filter).map_or(len as f64, |(_, keys)| keys);
                Self { read: copies, keys, ..Self::new("at least ", len) }
            }
            None => Self::new("", len),
        }
    }

    /// For a union of filters, each of which counted its own keys.
    pub(crate) fn merged(filter: &AnyFilter) -> Self {
        match Self::of(filter) {
            Self { known: "counted ", number, .. } => Self::new("at most ", number),
            // The bits of a smaller table are repeated in the larger one, and count several times.
            Self { known: "about ", number, .. } if number > filter.len() => {
                Self::new("about ", filter.len())
            }
            held => held,
        }
    }

    fn new(known: &'static str, number: u64) -> Self {
        Self { known, number, read: None, keys: number as f64 }
    }

    /// Whether the keys exceed the plan, as far as is known. Ignores the count of a union, which
    /// may have counted keys twice.
    pub(crate) fn exceeds_plan(&self, filter: &AnyFilter) -> bool {
        filter.len().min(self.number) > filter.capacity()
    }

    /// `1,000`, `about 1,000`.
    pub(crate) fn count(&self) -> String {
        format!("{}{}", self.known, grouped(self.number))
    }

    /// `1,000 keys`, `1,000 different of 2,000 keys`.
    fn text(&self) -> String {
        match self.read {
            Some(read) => format!("{} different of {}", self.count(), of(read, "key")),
            None => format!("{}{}", self.known, of(self.number, "key")),
        }
    }

    /// Bits per key, unless the filter is nearly empty and the number would mean little.
    pub(crate) fn bits_per_key(&self, filter: &AnyFilter) -> Option<f64> {
        Some(self.all_bits_per_key(filter)).filter(|&bits| bits < 1000.0)
    }

    /// Bits per distinct key, however few there are. Where the bits give an estimate, a key in both
    /// filters of a union counts once.
    pub(crate) fn all_bits_per_key(&self, filter: &AnyFilter) -> f64 {
        8.0 * filter.size_in_bytes() as f64 / self.keys
    }

    /// The unit of bits per key, which differs where the filter's count is not exact.
    pub(crate) const fn unit(&self) -> &'static str {
        if self.known.is_empty() { "key" } else { "different key" }
    }
}

/// Whether `len` counts only keys that were denied when inserted, and so misses those that were
/// false positives.
pub(crate) fn skips_copies(filter: &AnyFilter) -> bool {
    let can = Abilities::of(filter.kind());
    can.insert && !can.remove
}

/// For Bloom filters, the estimated number of distinct keys from the bits that are set, and its
/// qualifier. Each key sets `probes` bits anywhere, which leaves a share of `exp(-probes * keys /
/// bits)` clear.
pub(crate) fn estimate(filter: &AnyFilter) -> Option<(&'static str, f64)> {
    let (bits, probes) = bits_and_probes(filter)?;
    let clear = 1.0 - filter.load_factor();
    // With no bit clear, at least as many keys as leave one.
    let known = if clear > 0.0 { "about " } else { "at least about " };
    // Subtracted from zero, since negating zero would print as -0.0.
    Some((known, 0.0 - bits / probes * clear.max(bits.recip()).ln()))
}

/// The bits of a Bloom filter's table, and the number of bits a key sets, nearly uniformly.
pub(crate) fn bits_and_probes(filter: &AnyFilter) -> Option<(f64, f64)> {
    let (bits, probes) = match filter {
        AnyFilter::Bloom(filter) => (filter.params().bits, filter.params().probes),
        // A bit in each of the eight words of a block.
        AnyFilter::BlockedBloom(filter) => (256 * filter.params().blocks, 8),
        // Nearly uniformly within the block.
        AnyFilter::WideBlockedBloom(filter) => {
            (512 * filter.params().blocks, filter.params().probes)
        }
        _ => return None,
    };
    Some((bits as f64, f64::from(probes)))
}

/// `seen.amq: bloom, 1,000 keys, 1.20 kB, 9.59 bits/key, rate 1.00 %`.
pub(crate) fn line(filter: &AnyFilter, name: &str, held: &Held) -> String {
    let mut text = format!("{name}: {}, {}", filter.kind().id(), held.text());
    text += &format!(", {}", bytes_text(filter.size_in_bytes()));
    if let Some(bits) = held.bits_per_key(filter) {
        text += &format!(", {bits:.2} bits/key");
    }
    let rate = filter.expected_fpr();
    text += &format!(", rate {}", rate_text(rate));
    match input::budget(filter) {
        // The rate of a filter with its actual bits deviates by chance from the planned one.
        Some(Budget::Fpr(asked))
            if rate_text(rate) != rate_text(asked)
                && rate > asked
                && !held.exceeds_plan(filter) =>
        {
            text + &format!(" ({} on average)", rate_text(asked))
        }
        _ => text,
    }
}

/// Prints a note if a filter holds more keys than planned, which a kind that is never full accepts
/// silently.
pub(crate) fn overfull(filter: &AnyFilter, name: &str, held: &Held) {
    if Abilities::of(filter.kind()).never_full && held.exceeds_plan(filter) {
        note(&format!(
            "{name} now holds more keys than the {} it was planned for, and errs at {}",
            grouped(filter.capacity()),
            rate_text(filter.expected_fpr())
        ));
    }
}

/// Reports a filter by its own count of keys.
pub(crate) fn report(filter: &AnyFilter, name: &str) -> String {
    line(filter, name, &Held::of(filter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq::{Budget, FilterKind, Goal};

    /// Planned for a thousand and filled with ten times as many: `len` counts half of them.
    #[test]
    fn an_overfull_filter_is_not_understated() {
        for kind in [FilterKind::Bloom, FilterKind::BlockedBloom, FilterKind::WideBlockedBloom] {
            let goal = Goal::new(10_000, Budget::Fpr(0.01));
            let mut filter = AnyFilter::new(kind, goal).unwrap();
            let mut keys = 0..;
            for number in [1u64, 2_000, 10_000, 30_000, 60_000] {
                while keys.start < number {
                    filter.insert(&keys.next().unwrap()).unwrap();
                }
                let off = Held::of(&filter).keys / number as f64 - 1.0;
                assert!(off.abs() < 0.05, "{kind}: {off} at {number}");
            }
            assert!(filter.len() < 40_000, "{kind}: {}", filter.len());
            assert!(Held::of(&filter).text().starts_with("about "));
        }
    }

    #[test]
    fn one_key_is_one_key() {
        let goal = Goal::new(10_000, Budget::Fpr(0.01));
        let mut filter = AnyFilter::new(FilterKind::Bloom, goal).unwrap();
        filter.insert("a").unwrap();
        assert!(report(&filter, "f").starts_with("f: bloom, 1 key, "));
    }
}
