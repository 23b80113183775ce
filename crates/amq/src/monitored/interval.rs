//! How sure a counted share is.

/// How sure an interval is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Confidence {
    /// The probability to miss on either side.
    tail: f64,
    /// The normal deviate of that probability.
    pub(super) deviate: f64,
}

/// One interval in a thousand misses.
pub(super) const USUAL: Confidence = Confidence { tail: 0.0005, deviate: 3.290_526_731_491_926 };
/// One in half a million misses: for alarms, which a program may look at every minute.
pub(super) const ALARM: Confidence = Confidence { tail: 1e-6, deviate: 4.753_424_308_822_899 };

/// Up to this many on the smaller side the binomial sums are cheap, and do not underflow; beyond it
/// the normal approximation is good.
const EXACT: u64 = 512;

/// The shares that `hits` in `trials` are compatible with: the interval of Clopper and Pearson
/// (*Biometrika* 26, 1934), which never covers less than the confidence; where hits and misses are
/// many, that of Wilson (*JASA* 22, 1927), which then hardly differs from it.
pub(super) fn interval(sure: Confidence, hits: u64, trials: u64) -> (f64, f64) {
    let misses = trials.saturating_sub(hits);
    if trials == 0 {
        (0.0, 1.0)
    } else if hits.min(misses) > EXACT {
        wilson(sure.deviate, hits as f64, trials as f64)
    } else if hits > misses {
        let (low, high) = exact(sure.tail, misses, trials);
        (1.0 - high, 1.0 - low)
    } else {
        exact(sure.tail, hits, trials)
    }
}

fn wilson(deviate: f64, hits: f64, trials: f64) -> (f64, f64) {
    let square = deviate * deviate;
    let share = hits / trials;
    let middle = share + square / (2.0 * trials);
    let half = deviate * (share * (1.0 - share) / trials + square / (4.0 * trials * trials)).sqrt();
    let whole = 1.0 + square / trials;
    ((middle - half) / whole, (middle + half) / whole)
}

fn exact(tail: f64, hits: u64, trials: u64) -> (f64, f64) {
    let low = match hits {
        0 => 0.0,
        hits => share_where(hits - 1, trials, 1.0 - tail),
    };
    let high = if hits == trials { 1.0 } else { share_where(hits, trials, tail) };
    (low, high)
}

/// The share at which `hits` or fewer in `trials` have this probability. By bisection: the
/// probability falls as the share rises.
fn share_where(hits: u64, trials: u64, probability: f64) -> f64 {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if at_most(hits, trials, middle) > probability {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The probability of `hits` or fewer in `trials`.
fn at_most(hits: u64, trials: u64, share: f64) -> f64 {
    // No hit at all; below any number where hits are expected by the hundred.
    let mut term = (trials as f64 * (-share).ln_1p()).exp();
    let odds = share / (1.0 - share);
    let mut sum = term;
    for i in 0..hits {
        term *= (trials - i) as f64 / (i + 1) as f64 * odds;
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, wanted: f64, off: f64) {
        assert!((found / wanted - 1.0).abs() < off, "{found}, not {wanted}");
    }

    #[test]
    fn known_values() {
        assert_eq!(interval(USUAL, 0, 0), (0.0, 1.0));
        // No hit in n: the upper end is 1 - tail^(1/n); and the mirror image.
        let high = 1.0 - 0.0005f64.powf(1.0 / 50.0);
        let (low, found) = interval(USUAL, 0, 50);
        assert_eq!(low, 0.0);
        close(found, high, 1e-9);
        let (found, one) = interval(USUAL, 50, 50);
        assert_eq!(one, 1.0);
        close(found, 1.0 - high, 1e-9);
        // One hit in n: the lower end is 1 - (1 - tail)^(1/n).
        close(interval(USUAL, 1, 50).0, 1.0 - 0.9995f64.powf(0.02), 1e-9);
        // Rare hits are Poisson: P(X <= 10 | 24.2675...) = P(X >= 10 | 2.7...) = tail.
        let (low, high) = interval(USUAL, 10, 1 << 50);
        let poisson = |hits: u32, mean: f64| {
            let mut term = (-mean).exp();
            let mut sum = term;
            for i in 1..=hits {
                term *= mean / f64::from(i);
                sum += term;
            }
            sum
        };
        let n = (1u64 << 50) as f64;
        close(poisson(10, high * n), 0.0005, 1e-6);
        close(1.0 - poisson(9, low * n), 0.0005, 1e-6);
    }

    #[test]
    fn the_two_intervals_meet() {
        for (sure, trials) in [USUAL, ALARM].into_iter().zip([1000, 100_000, 1 << 40]) {
            let (exact, wilson) =
                (interval(sure, EXACT, trials), interval(sure, EXACT + 1, trials));
            close(exact.0, wilson.0, 0.03);
            close(exact.1, wilson.1, 0.03);
            let share = EXACT as f64 / trials as f64;
            assert!(exact.0 < share && share < exact.1);
        }
    }

    #[test]
    fn any_counts_give_an_interval_in_order() {
        for trials in [1, 2, 3, 100, 513, 1300, 1 << 20, u64::MAX] {
            for hits in [0, 1, 2, 511, 512, 513, 2000, trials / 2, trials - 1, trials] {
                let hits = hits.min(trials);
                let (low, high) = interval(USUAL, hits, trials);
                let share = hits as f64 / trials as f64;
                let rounded = 1e-12;
                assert!(low >= 0.0 && low <= share + rounded, "{hits} of {trials}: {low}");
                assert!(high <= 1.0 && high >= share - rounded, "{hits} of {trials}: {high}");
            }
        }
    }
}
