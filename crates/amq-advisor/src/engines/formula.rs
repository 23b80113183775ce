//! The formulas by which engines size their filters.

use amq_core::numeric::poisson_mean;

/// Rate of a classic filter with `bits` per key and `probes`, `(1 - e^(-k / c))^k`.
pub(super) fn classic(bits: f64, probes: u32) -> f64 {
    let probes = f64::from(probes);
    libm::pow(-libm::expm1(-probes / bits), probes)
}

/// Bits per key of a classic filter with this many probes at a rate.
pub(super) fn classic_bits(fpr: f64, probes: u32) -> f64 {
    let probes = f64::from(probes);
    -probes / libm::log1p(-libm::pow(fpr, 1.0 / probes))
}

/// Rate of a filter with all bits of a key in one block of 512 bits.
pub(super) fn line(bits: f64, probes: u32) -> f64 {
    let probes = f64::from(probes);
    poisson_mean(512.0 / bits, |keys| {
        let clear = libm::pow(511.0 / 512.0, probes * keys as f64);
        libm::pow(1.0 - clear, probes)
    })
}

/// Rate of a split-block filter: one bit in each of a block's eight 32-bit words.
pub(super) fn split_block(bits: f64) -> f64 {
    poisson_mean(256.0 / bits, |keys| libm::pow(1.0 - libm::pow(31.0 / 32.0, keys as f64), 8.0))
}

/// Rounds to three significant digits, as in the engines' own tables of rates.
fn rounded(rate: f64) -> f64 {
    let unit = libm::pow(10.0, libm::floor(libm::log10(rate)) - 2.0);
    libm::round(rate / unit) * unit
}

/// The table of whole bits per key of Cassandra and ClickHouse, from the Summary Cache paper: the
/// fewest bits up to `most` that meet the rate, with the fewest probes that do. `None` if there are
/// none.
pub(super) fn whole_bits(fpr: f64, most: u32) -> Option<(u32, u32)> {
    // Compares the rate as printed in the table.
    let fits = |bits: u32, probes| rounded(classic(f64::from(bits), probes)) <= fpr * (1.0 + 1e-9);
    let bits = (2..=most).find(|&bits| fits(bits, best_probes(bits)))?;
    let probes = (1..=best_probes(bits)).rev().take_while(|&probes| fits(bits, probes));
    Some((bits, probes.last()?))
}

/// A number of probes in words.
pub(super) fn probes(number: u32) -> String {
    format!("{number} probe{}", if number == 1 { "" } else { "s" })
}

/// The number of probes with the lowest rate.
fn best_probes(bits: u32) -> u32 {
    let rate = |probes: u32| classic(f64::from(bits), probes);
    let mut probes = 1;
    while rate(probes + 1) < rate(probes) {
        probes += 1;
    }
    probes
}

/// The probability that all bits of a query, set by `query` draws, are among those of a signature
/// of `length` bits that `row` other draws have set. Draws may coincide.
pub(super) fn signature(length: u32, row: u32, query: u32) -> f64 {
    let distinct = hits(length, query, length);
    let all = (1..=query).map(|bits| distinct[bits as usize] * contained(length, row, bits));
    all.sum()
}

/// The probability that `row` draws out of `length` hit all of a given set of `bits` bits.
fn contained(length: u32, row: u32, bits: u32) -> f64 {
    let hits = hits(length, row, bits);
    hits.get(bits as usize).copied().unwrap_or(0.0)
}

/// The probabilities that `draws` draws out of `length` hit exactly 0, 1, 2 ... distinct ones of a
/// given set of `bits` bits.
fn hits(length: u32, draws: u32, bits: u32) -> Vec<f64> {
    let most = draws.min(bits) as usize;
    let mut chances = vec![0.0; most + 2];
    chances[0] = 1.0;
    for _ in 0..draws {
        for hit in (0..=most).rev() {
            let new = (f64::from(bits) - hit as f64).max(0.0) / f64::from(length);
            chances[hit + 1] += chances[hit] * new;
            chances[hit] *= 1.0 - new;
        }
    }
    chances
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_that_the_engines_publish() {
        // RocksDB's source: about 0.957 % at 10 bits and 6 probes; its header: 9.9 bits for some
        // 1 %, and 62 % at one bit.
        let ten = line(10.0, 6);
        assert!((ten - 0.009_57).abs() < 1e-5, "{ten}");
        assert!((line(9.9, 6) - 0.01).abs() < 0.000_1);
        assert!((line(1.0, 1) - 0.62).abs() < 0.015);
        // Redis' page: 7 probes and 9.585 bits at 1 %, 10 and 14.378 at 0.1 %.
        assert!((classic(9.585, 7) / 0.01 - 1.0).abs() < 0.01);
        assert!((classic(14.378, 10) / 0.001 - 1.0).abs() < 0.01);
        assert!((classic_bits(0.01, 7) - 9.593).abs() < 0.001);
        // The Parquet layout at the size its own formula gives for 1 %: theory.md's 1.46 %.
        assert!((split_block(9.6815) - 0.0146).abs() < 0.000_1, "{}", split_block(9.6815));
    }

    #[test]
    fn whole_bits_are_those_of_the_published_table() {
        // The table's rows for 5, 8, 10, 15 and 20 bits: rates, and the fewest probes.
        let table = [
            (0.1, Some((5, 3))),
            (0.092, Some((5, 3))),
            (0.0916, Some((6, 2))),
            (0.025, Some((8, 4))),
            (0.01, Some((10, 5))),
            (0.008_19, Some((10, 7))),
            (0.001, Some((15, 7))),
            (0.000_744, Some((15, 10))),
            (6.71e-5, Some((20, 14))),
            (6.7e-5, None),
        ];
        for (fpr, expected) in table {
            assert_eq!(whole_bits(fpr, 20), expected, "{fpr}");
        }
    }

    #[test]
    fn signatures_err_as_often_as_the_manual_counts() {
        // PostgreSQL's page: of ten million rows with six columns of two bits each, a query for
        // two of the columns fetches 2439 in vain with 80 bits, and 55 with 200 (that is, 208). The
        // query's four bits are different ones, as they are in most queries.
        for (length, counted) in [(80, 2439.0f64), (208, 55.0)] {
            let expected = 1e7 * contained(length, 12, 4);
            assert!((expected - counted).abs() < 4.0 * counted.sqrt(), "{length}: {expected}");
        }
        assert_eq!(signature(16, 0, 3), 0.0);
        assert!((signature(1, 1, 1) - 1.0).abs() < 1e-12);
    }

    /// Compares with a count of all outcomes.
    #[test]
    fn the_chance_of_a_signature_is_exact_for_small_ones() {
        let draws = |length: u32, draws: u32| -> Vec<u32> {
            let all = length.pow(draws);
            let bits = |mut outcome: u32| {
                let mut set = 0;
                for _ in 0..draws {
                    set |= 1 << (outcome % length);
                    outcome /= length;
                }
                set
            };
            (0..all).map(bits).collect()
        };
        for (length, row, query) in [(4, 3, 2), (5, 4, 3), (3, 2, 3), (6, 1, 2)] {
            let (rows, queries) = (draws(length, row), draws(length, query));
            let hits =
                rows.iter().flat_map(|row| queries.iter().map(move |query| query & !row == 0));
            let share =
                hits.filter(|&hit| hit).count() as f64 / (rows.len() * queries.len()) as f64;
            let said = signature(length, row, query);
            assert!((said - share).abs() < 1e-12, "{length} {row} {query}: {said} {share}");
        }
    }
}
