//! How long clusters are: what an insert or a removal may have to move.
//!
//! A cluster is a maximal sequence of slots in use. Its length is that of a busy period: if keys
//! arrive slot by slot, Poisson at rate a (the load), the slots up to and including the empty one
//! that ends a cluster follow Borel's distribution, `e^(-ak) (ak)^(k-1) / k!` (D. Knuth, *The Art
//! of Computer Programming* 3, section 6.4, on linear probing).

/// The mean number of slots in a cluster at a load strictly between 0 and 1; NaN for others:
/// `a / ((1 - a) (1 - e^-a))`.
pub fn mean_cluster(load: f64) -> f64 {
    if !(load > 0.0 && load < 1.0) {
        return f64::NAN;
    }
    load / ((1.0 - load) * -libm::expm1(-load))
}

/// The length that a share of all clusters does not exceed: `share = 0.99` gives the 99th
/// percentile. Both arguments lie strictly between 0 and 1; NaN for others.
///
/// Takes time proportional to the answer, and gives up at 2^15 slots, with an infinity. Up to
/// [`MAX_LOAD`](crate::MAX_LOAD) every share below 1 - 1e-10 is reached before.
pub fn cluster_quantile(load: f64, share: f64) -> f64 {
    if !(load > 0.0 && load < 1.0 && share > 0.0 && share < 1.0) {
        return f64::NAN;
    }
    // Empty clusters, which are two empty slots side by side, do not count.
    let some = -libm::expm1(-load);
    let mut below = 0.0;
    for length in 1..1u64 << 15 {
        let k = length as f64 + 1.0;
        below += libm::exp((k - 1.0) * libm::log(load * k) - load * k - libm::lgamma(k + 1.0));
        if below >= share * some {
            return length as f64;
        }
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_as_long_as_computed() {
        // The numbers in the crate's documentation.
        for (load, mean, quantile) in [
            (0.5, 2.54, 13.0),
            (0.75, 5.7, 43.0),
            (0.9, 15.2, 183.0),
            (0.95, 31.0, 492.0),
        ] {
            assert!(
                (mean_cluster(load) - mean).abs() < 0.05,
                "{}",
                mean_cluster(load)
            );
            assert_eq!(cluster_quantile(load, 0.99), quantile);
        }
    }

    #[test]
    fn out_of_range_there_is_no_length() {
        for (load, share) in [
            (0.0, 0.5),
            (1.0, 0.5),
            (0.5, 0.0),
            (0.5, 1.0),
            (f64::NAN, 0.5),
        ] {
            assert!(cluster_quantile(load, share).is_nan());
        }
        for load in [0.0, -1.0, 1.0, 2.0, f64::NAN, f64::INFINITY] {
            assert!(mean_cluster(load).is_nan());
        }
        assert!(cluster_quantile(crate::MAX_LOAD, 1.0 - 1e-10) < 32_768.0);
        assert_eq!(cluster_quantile(0.999_999, 0.999_999), f64::INFINITY);
    }
}
