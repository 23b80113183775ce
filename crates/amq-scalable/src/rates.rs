//! Rates of a single stage while it fills, and of several stages together.

/// The false positives among the distinct keys that fill a stage to its planned rate, per key: the
/// mean of the rate while the load grows from 0 to 1,
/// `p * integral of (2 (1 - 2^-t))^k dt` with `k = log2(1/p)`.
pub fn absorbed(fpr: f64) -> f64 {
    // Gauss-Legendre with five points on [0, 1].
    const NODES: [(f64, f64); 5] = [
        (0.046_910_077_030_668, 0.118_463_442_528_094_5),
        (0.230_765_344_947_158_5, 0.239_314_335_249_683_2),
        (0.5, 0.284_444_444_444_444_4),
        (0.769_234_655_052_841_5, 0.239_314_335_249_683_2),
        (0.953_089_922_969_332, 0.118_463_442_528_094_5),
    ];
    let probes = -libm::log2(fpr);
    let mean: f64 = NODES
        .iter()
        .map(|&(t, weight)| weight * libm::pow(2.0 * (1.0 - libm::exp2(-t)), probes))
        .sum();
    fpr * mean
}

/// The compound rate of independent stages with these rates, `1 - prod (1 - p_i)`.
///
/// Uses the sum of logarithms, since the product rounds to 1 if all rates are tiny.
pub fn compound(rates: impl IntoIterator<Item = f64>) -> f64 {
    let clear = rates.into_iter().fold(0.0, |sum, rate| sum + libm::log1p(-rate));
    0.0 - libm::expm1(clear)
}
