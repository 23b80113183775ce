//! The filters of Redis.

use super::engine::{Engine, NoSetting, Setting};
use super::formula;
use alloc::format;
use core::cmp::Reverse;

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
    let line = format!("BF.RESERVE key {asked} {keys} NONSCALING");
    let caveat = format!(
        "{probes} probes, a whole number, so the rate is not to the digit what was asked for. \
         NONSCALING refuses key {}. Without it further filters are added, which takes more \
         memory and more time per query. There is no removing.",
        keys + 1
    );
    Ok(engine.set(formula::classic(bits, probes), bits, line, caveat))
}

/// Slots of a bucket, and the share of all slots that fills before an insert fails: after Fan et
/// al., Cuckoo Filter: Practically Better Than Bloom, 2014, and for three slots after Redis' page.
const BUCKETS: [(u64, f64); 4] = [(1, 0.5), (2, 0.84), (3, 0.8), (4, 0.95)];

/// The page: fingerprints of eight bits, a rate of 2/255 per slot of a bucket, and a power of two
/// of buckets.
pub(super) fn cuckoo(engine: Engine, keys: u64, asked: f64) -> Result<Setting, NoSetting> {
    let rate = |slots: u64| 2.0 * slots as f64 / 255.0;
    let allowed = || BUCKETS.iter().filter(|&&(slots, _)| rate(slots) <= asked);
    let sized = allowed().filter_map(|&(slots, load)| {
        let buckets = libm::ceil(keys as f64 / load / slots as f64) as u64;
        let capacity = buckets.checked_next_power_of_two()?.checked_mul(slots)?;
        (capacity <= MOST).then_some((capacity, slots, load))
    });
    // Of equal ones that with most room: the largest buckets.
    let least = |&(capacity, slots, _): &(u64, u64, f64)| (capacity, Reverse(slots));
    let Some((capacity, slots, load)) = sized.min_by_key(least) else {
        let most = allowed().map(|&(_, load)| (MOST as f64 * load) as u64).max();
        return Err(match most {
            Some(most) => engine.too_many(keys, most),
            None => engine.unreachable(asked, rate(1)),
        });
    };
    // Fuller than this a table of one slot a bucket cannot be, whatever its size.
    let page = if slots == 1 { ", and not to the 55 % of Redis' page" } else { "" };
    let line = format!("CF.RESERVE key {capacity} BUCKETSIZE {slots}");
    let caveat = format!(
        "Fingerprints have eight bits, so the rate goes in steps of 2/255 per slot of a \
         bucket, and there are a power of two of buckets. Those of {slots} fill to some \
         {:.0} %{page}; when full it adds another filter, and each adds its rate. Delete only \
         what was added.",
        load * 100.0
    );
    Ok(engine.set(rate(slots), 8.0 * capacity as f64 / keys as f64, line, caveat))
}
