//! The textbook sums, computed as written.

/// `(E[(X/m)^k], E[(X/m)^2k])`, X the distinct values of `throws` uniform throws into m.
pub(super) fn fill_moments(m: u64, throws: u64, k: u32) -> (f64, f64) {
    if m <= 320 && throws <= 4096 {
        return by_throws(m as usize, throws, k);
    }
    let (mean, variance) = fill(m as f64, throws as f64);
    let (k, relative) = (f64::from(k), variance / (mean * mean));
    let moment = |k: f64| mean.powf(k) * (1.0 + k * (k - 1.0) / 2.0 * relative);
    let first = moment(k);
    (first, first * first + (k * mean.powf(k - 1.0)).powi(2) * variance)
}

/// Mean and variance of X/m. The variance is the large-table one, except for small tables, where
/// the exact difference does not yet cancel.
pub(super) fn fill(m: f64, throws: f64) -> (f64, f64) {
    let load = throws / m;
    let clear = (throws * (-1.0 / m).ln_1p()).exp();
    let variance = if m < 10_000.0 {
        let two_clear = (1.0 - 2.0 / m).powf(throws);
        (1.0 - 1.0 / m) * two_clear + clear / m - clear * clear
    } else {
        (-load).exp() * (1.0 - (1.0 + load) * (-load).exp()) / m
    };
    (-(throws * (-1.0 / m).ln_1p()).exp_m1(), variance.max(0.0))
}

fn by_throws(m: usize, throws: u64, k: u32) -> (f64, f64) {
    let mut p = [0.0; 321];
    let p = &mut p[..=m];
    p[0] = 1.0;
    for _ in 0..throws {
        for x in (0..=m).rev() {
            let grows = if x > 0 { p[x - 1] * (m - x + 1) as f64 } else { 0.0 };
            p[x] = (p[x] * x as f64 + grows) / m as f64;
        }
    }
    let moment = |k: u32| -> f64 {
        p.iter().enumerate().map(|(x, p)| p * (x as f64 / m as f64).powi(k as i32)).sum()
    };
    (moment(k), moment(2 * k))
}
