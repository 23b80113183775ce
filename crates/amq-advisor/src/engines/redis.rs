//! The filters of Redis.

use super::engine::{Engine, NoSetting, Setting};
use super::formula;
use alloc::format;

/// The largest capacity that `BF.RESERVE` takes.
const MOST: u64 = 1 << 30;

/// The page gives both formulas: `ceil(-ln(rate) / ln 2)` probes, `-ln(rate) / (ln 2)^2` bits.
pub(super) fn bloom(engine: Engine, keys: u64, asked: f64) -> Result<Setting, NoSetting> {
    use core::f64::consts::LN_2;
    if keys > MOST {
        return Err(engine.too_many(keys, MOST));
    }
    let bits = -libm::log(asked) / (LN_2 * LN_2);
    let probes = libm::ceil(-libm::log2(asked)) as u32;
    Ok(Setting {
        engine,
        line: format!("BF.RESERVE key {asked} {keys} NONSCALING"),
        fpr: formula::classic(bits, probes),
        bits_per_key: bits,
        caveat: format!(
            "{probes} probes, a whole number, so the rate is not to the digit what was asked for. \
             NONSCALING refuses key {}. Without it further filters are added, which takes more \
             memory and more time per query. There is no removing.",
            keys + 1
        ),
        source: "Redis documentation: BF.RESERVE",
    })
}

/// Slots of a bucket, and the share of all slots that fills before an insert fails (Fan et al.,
/// Cuckoo Filter: Practically Better Than Bloom, 2014).
const BUCKETS: [(u64, f64); 3] = [(4, 0.95), (2, 0.84), (1, 0.5)];

/// The page: fingerprints of eight bits, a rate of 2/255 per slot of a bucket, and capacities that
/// are powers of two.
pub(super) fn cuckoo(engine: Engine, keys: u64, asked: f64) -> Result<Setting, NoSetting> {
    let rate = |slots: u64| 2.0 * slots as f64 / 255.0;
    let Some(&(slots, load)) = BUCKETS.iter().find(|&&(slots, _)| rate(slots) <= asked) else {
        return Err(engine.unreachable(asked, rate(1)));
    };
    let needed = libm::ceil(keys as f64 / load) as u64;
    let Some(capacity) = needed.checked_next_power_of_two().filter(|&slots| slots <= MOST) else {
        return Err(engine.too_many(keys, (MOST as f64 * load) as u64));
    };
    Ok(Setting {
        engine,
        line: format!("CF.RESERVE key {capacity} BUCKETSIZE {slots}"),
        fpr: rate(slots),
        bits_per_key: 8.0 * capacity as f64 / keys as f64,
        caveat: format!(
            "Fingerprints have eight bits, so the rate goes in steps of 2/255 per slot of a \
             bucket, and capacity in powers of two. Buckets of {slots} fill to some {:.0} %; when \
             full it adds another filter, and each adds its rate. Delete only what was added.",
            load * 100.0
        ),
        source: "Redis documentation: CF.RESERVE",
    })
}
