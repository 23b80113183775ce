//! The filters of Redis.

use super::formula;
use super::{Answer, Found, too_many};
use crate::numbers::{Number, Rate};
use core::cmp::Reverse;

/// The largest capacity that `BF.RESERVE` accepts.
const MOST: u64 = 1 << 30;

/// Both formulas are from the documentation: `ceil(-ln(rate) / ln 2)` probes,
/// `-ln(rate) / (ln 2)^2` bits.
pub(super) fn bloom(keys: u64, asked: f64) -> Answer {
    use core::f64::consts::LN_2;
    if keys > MOST {
        return Err(too_many(keys, MOST));
    }
    let bits_per_key = -libm::log(asked) / (LN_2 * LN_2);
    let probes = libm::ceil(-libm::log2(asked)) as u32;
    let numbers = vec![("{probes}", probes.to_string()), ("{next}", (keys + 1).to_string())];
    Ok(Found { fpr: formula::classic(bits_per_key, probes), bits_per_key, numbers })
}

/// Slots per bucket, and the load at which inserts begin to fail: from Fan et al., Cuckoo Filter:
/// Practically Better Than Bloom, 2014, and for three slots from Redis' documentation.
const BUCKETS: [(u64, f64); 4] = [(1, 0.5), (2, 0.84), (3, 0.8), (4, 0.95)];

/// Per the documentation: nonzero fingerprints of eight bits, and a power of two of buckets.
pub(super) fn cuckoo(keys: u64, asked: f64) -> Answer {
    // A lookup compares the fingerprints in both buckets.
    let other = libm::log1p(-1.0 / 255.0);
    let rate = |slots: u64, load: f64| -libm::expm1(2.0 * slots as f64 * load * other);
    let load_of = |slots: u64| libm::log1p(-asked) / (2.0 * slots as f64 * other);
    let loads = BUCKETS.map(|(slots, most)| (slots, load_of(slots).min(most)));
    let sized = loads.iter().filter_map(|&(slots, load)| {
        let buckets = libm::ceil(keys as f64 / load / slots as f64) as u64;
        let capacity = buckets.checked_next_power_of_two()?.checked_mul(slots)?;
        (capacity <= MOST).then_some((capacity, slots))
    });
    // Among equal ones, that with the most room: the largest buckets.
    let Some((capacity, slots)) = sized.min_by_key(|&(capacity, slots)| (capacity, Reverse(slots)))
    else {
        let most = loads.into_iter().map(|(_, load)| (MOST as f64 * load) as u64).max();
        let [keys, most] = [keys, most.unwrap_or(0)].map(Number);
        let asked = Rate(asked);
        let reason = format!("cannot hold {keys} keys at {asked} in one filter: {most} at most");
        return Err(reason);
    };
    let full = BUCKETS.iter().find(|(each, _)| *each == slots).map_or(1.0, |(_, load)| *load);
    // A table with one slot per bucket cannot be fuller than this at any size.
    let page = if slots == 1 { ", not to the 55 % of Redis' documentation" } else { "" };
    let load = keys as f64 / capacity as f64;
    let numbers = vec![
        ("{capacity}", capacity.to_string()),
        ("{slots}", slots.to_string()),
        ("{load}", Rate(load).to_string()),
        ("{full}", Rate(full).to_string()),
        ("{page}", page.into()),
        ("{full_rate}", Rate(rate(slots, full)).to_string()),
    ];
    Ok(Found { fpr: rate(slots, load), bits_per_key: 8.0 / load, numbers })
}
