//! Engines with a filter for each sorted file.

use super::formula;
use super::{Answer, Found, too_many, unreachable};
use crate::numbers::{Bytes, Number, Rate};
use amq_core::numeric::first_true;

/// The most bits per key, in thousandths; larger values are reduced to this.
const MOST_MILLIBITS: u64 = 100_000;

/// The most keys in a ribbon filter of RocksDB; beyond, it builds a Bloom filter.
const MOST_RIBBON_KEYS: u64 = 950_000_000;

/// The most bytes of a RocksDB Bloom filter, which silently clips larger ones
/// (`FastLocalBloomBitsBuilder::CalculateSpace`).
const MOST_BLOOM_BYTES: f64 = 4_294_967_232.0;

/// RocksDB's filter policy: the fewest bits per key, in thousandths, and the rate with the number
/// of probes that it chooses.
fn rocksdb_bits(fpr: f64) -> Result<(f64, f64), String> {
    let rate = |millibits: u64| best_rate(millibits as f64 / 1000.0);
    let lowest = rate(MOST_MILLIBITS - 1);
    if fpr < lowest {
        return Err(unreachable(fpr, lowest));
    }
    let millibits = first_true(1000, MOST_MILLIBITS - 1, |millibits| rate(millibits) <= fpr);
    Ok((millibits as f64 / 1000.0, rate(millibits)))
}

/// The rate with the best number of probes for these bits per key.
fn best_rate(bits: f64) -> f64 {
    (1..=24).map(|probes| formula::line(bits, probes)).fold(1.0, f64::min)
}

/// `filter_policy.h`: a double with three significant decimals; below 0.5 means no filter, and
/// values from 0.5 to 1 count as 1.
pub(super) fn rocksdb(keys: u64, asked: f64) -> Answer {
    let (bits, fpr) = rocksdb_bits(asked)?;
    let clipped = MOST_BLOOM_BYTES * 8.0 / keys as f64;
    if bits > clipped {
        let (asked, keys, most) = (Rate(asked), Number(keys), Bytes(MOST_BLOOM_BYTES as u64));
        return Err(format!(
            "cannot give {asked} for {keys} keys in one filter: it cuts filters off at {most}, which \
             gives {}. Set partition_filters = true and index_type = kTwoLevelIndexSearch, so that a \
             file has many small filters, or make the files smaller",
            Rate(best_rate(clipped))
        ));
    }
    Ok(Found { fpr, bits_per_key: bits, numbers: Vec::new() })
}

/// As for the Bloom filter; per the header, the policy takes the bits of a Bloom filter of the same
/// rate.
pub(super) fn rocksdb_ribbon(keys: u64, fpr: f64) -> Answer {
    let (bits, fpr) = rocksdb_bits(fpr)?;
    if keys > MOST_RIBBON_KEYS {
        return Err(too_many(keys, MOST_RIBBON_KEYS));
    }
    let numbers = vec![("{of_bloom}", bits.to_string())];
    Ok(Found { fpr, bits_per_key: 0.7 * bits, numbers })
}

/// The table of rates in `BloomCalculations`, up to 20 bits per key.
pub(super) fn cassandra(asked: f64) -> Answer {
    const LOWEST: f64 = 6.71e-5;
    let Some((bits, probes)) = formula::whole_bits(asked, 20).filter(|_| asked > LOWEST) else {
        return Err(unreachable(asked, LOWEST));
    };
    if asked >= formula::classic(2.0, 1) {
        return Err(String::from(
            "has no filter for rates of 39.3 % and more: set bloom_filter_fp_chance = 1, which \
             disables it",
        ));
    }
    let fpr = formula::classic(f64::from(bits), probes);
    let numbers = vec![("{probes}", formula::probes(probes))];
    Ok(Found { fpr, bits_per_key: f64::from(bits), numbers })
}

/// `BloomFilterUtil`: bits for the ideal number of probes, which is rounded up from whole bits per
/// key, and then as many keys as keep the rate.
pub(super) fn hbase(fpr: f64) -> Answer {
    use core::f64::consts::LN_2;
    let ideal = -libm::log(fpr) / (LN_2 * LN_2);
    let probes = libm::ceil(LN_2 * libm::floor(ideal)) as u32;
    if probes == 0 {
        return Err(String::from(
            "has no filter of less than a bit per key: set BLOOMFILTER => 'NONE'",
        ));
    }
    let bits_per_key = formula::classic_bits(fpr, probes);
    Ok(Found { fpr, bits_per_key, numbers: Vec::new() })
}
