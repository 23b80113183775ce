//! The lengths of clusters, which inserts and removals move.
//!
//! A cluster is a maximal sequence of slots in use. Its length is that of a busy period: if keys
//! arrive slot by slot, Poisson at rate a (the load), the slots up to and including the empty one
//! that ends a cluster follow Borel's distribution, `e^(-ak) (ak)^(k-1) / k!` (D. Knuth, *The Art
//! of Computer Programming* 3, section 6.4, on linear probing).

use amq_core::internal::step;

/// The mean number of slots in a cluster at a load strictly between 0 and 1; NaN for others:
/// `a / ((1 - a) (1 - e^-a))`.
pub fn mean_cluster(load: f64) -> f64 {
    if !(load > 0.0 && load < 1.0) {
        return f64::NAN;
    }
    load / ((1.0 - load) * -libm::expm1(-load))
}

/// A quantile of cluster lengths: `share = 0.99` is the 99th percentile. Both arguments lie
/// strictly between 0 and 1; NaN for others.
///
/// Above 8,192 slots it is accurate to a few thousandths. Infinite beyond 2^20 slots.
pub fn cluster_quantile(load: f64, share: f64) -> f64 {
    if !(load > 0.0 && load < 1.0 && share > 0.0 && share < 1.0) {
        return f64::NAN;
    }
    // Empty clusters (two empty slots side by side) do not count.
    let some = -libm::expm1(-load);
    let mut below = 0.0;
    let mut length = 0u64;
    while length < 1 << 20 {
        // The terms of long clusters change slowly: the middle one approximates several.
        let alike = (length / 4096).max(1);
        step(2);
        let k = length as f64 + 1.0 + (alike as f64 + 1.0) / 2.0;
        let term = libm::exp((k - 1.0) * libm::log(load * k) - load * k - libm::lgamma(k + 1.0));
        below += alike as f64 * term;
        length += alike;
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
        for (load, mean, quantile) in
            [(0.5, 2.54, 13.0), (0.75, 5.7, 43.0), (0.9, 15.2, 183.0), (0.95, 31.0, 492.0)]
        {
            assert!((mean_cluster(load) - mean).abs() < 0.05, "{}", mean_cluster(load));
            assert_eq!(cluster_quantile(load, 0.99), quantile);
        }
    }

    #[test]
    fn long_clusters_are_added_up_in_bounded_steps() {
        // Term by term, all of them.
        let exact = |load: f64, share: f64| {
            let mut below = 0.0;
            (1..1u64 << 20).find(|&length| {
                let k = length as f64 + 1.0;
                below +=
                    libm::exp((k - 1.0) * libm::log(load * k) - load * k - libm::lgamma(k + 1.0));
                below >= share * -libm::expm1(-load)
            })
        };
        for (load, share) in [(0.99, 0.99), (0.995, 0.999), (0.999, 0.99)] {
            let want = exact(load, share).unwrap() as f64;
            assert!(want > 8192.0 || share < 0.999);
            let got = cluster_quantile(load, share);
            assert!((got / want - 1.0).abs() < 2e-3, "{got} {want}");
        }
        let (endless, steps) =
            amq_core::internal::steps_of(|| cluster_quantile(0.999_999_9, 0.999_999_9));
        assert!(endless == f64::INFINITY && steps < 100_000, "{steps}");
    }

    #[test]
    fn out_of_range_there_is_no_length() {
        for (load, share) in [(0.0, 0.5), (1.0, 0.5), (0.5, 0.0), (0.5, 1.0), (f64::NAN, 0.5)] {
            assert!(cluster_quantile(load, share).is_nan());
        }
        for load in [0.0, -1.0, 1.0, 2.0, f64::NAN, f64::INFINITY] {
            assert!(mean_cluster(load).is_nan());
        }
        assert!(cluster_quantile(crate::MAX_LOAD, 1.0 - 1e-10) < 32_768.0);
        assert_eq!(cluster_quantile(0.999_999, 0.999_999), f64::INFINITY);
    }
}
