//! Engines that keep a filter beside each sorted file.

use super::engine::{Engine, NoSetting, Setting};
use super::formula;
use crate::numbers::{Bytes, Number, Rate};
use alloc::format;
use alloc::string::String;
use amq_core::numeric::first_true;

/// The most bits per key, in thousandths; larger values are reduced to this.
const MOST_MILLIBITS: u64 = 100_000;

/// The most keys in a ribbon filter of RocksDB; beyond, it builds a Bloom filter.
const MOST_RIBBON_KEYS: u64 = 950_000_000;

/// The most bytes of a Bloom filter of RocksDB, to which it clips larger ones without a word
/// (`FastLocalBloomBitsBuilder::CalculateSpace`).
const MOST_BLOOM_BYTES: f64 = 4_294_967_232.0;

/// What several sorted files mean.
const PER_FILE: &str = "A lookup asks the filter of each sorted file whose keys span the key, about one \
                        per level with leveled compaction, and their rates add up.";

/// Where RocksDB keeps filters.
const MEMORY: &str =
    "Filters are held outside the block cache unless cache_index_and_filter_blocks is set.";

/// RocksDB's filter policy: the fewest thousandths of bits per key, and the rate at the best number
/// of probes, which it chooses itself.
fn rocksdb_bits(engine: Engine, fpr: f64) -> Result<(f64, f64), NoSetting> {
    let rate = |millibits: u64| best_rate(millibits as f64 / 1000.0);
    let lowest = rate(MOST_MILLIBITS - 1);
    if fpr < lowest {
        return Err(engine.unreachable(fpr, lowest));
    }
    let millibits = first_true(1000, MOST_MILLIBITS - 1, |millibits| rate(millibits) <= fpr);
    Ok((millibits as f64 / 1000.0, rate(millibits)))
}

/// With the number of probes that suits the bits per key.
fn best_rate(bits: f64) -> f64 {
    (1..=24).map(|probes| formula::line(bits, probes)).fold(1.0, f64::min)
}

/// Header `filter_policy.h`: a double, of which three decimals count; below 0.5 means no filter,
/// and values from 0.5 to 1 count as 1.
pub(super) fn rocksdb(engine: Engine, keys: u64, asked: f64) -> Result<Setting, NoSetting> {
    let (bits, fpr) = rocksdb_bits(engine, asked)?;
    let clipped = MOST_BLOOM_BYTES * 8.0 / keys as f64;
    if bits > clipped {
        let (asked, keys, most) = (Rate(asked), Number(keys), Bytes(MOST_BLOOM_BYTES as u64));
        return Err(engine.none(format!(
            "cannot give {asked} for {keys} keys in one filter: it cuts filters off at {most}, which \
             gives {}. Set partition_filters = true and index_type = kTwoLevelIndexSearch, so that a \
             file has many small filters, or make the files smaller",
            Rate(best_rate(clipped))
        )));
    }
    let line = format!("NewBloomFilterPolicy({bits})");
    let caveat = format!(
        "The number is bits per key. With format_version below 5 it is rounded to a whole number, \
         and the rate differs. {MEMORY} {PER_FILE}"
    );
    Ok(engine.set(keys, fpr, bits, line, caveat))
}

/// As for the Bloom filter, from the header: the policy takes the bits of a Bloom filter of the
/// same rate.
pub(super) fn rocksdb_ribbon(engine: Engine, keys: u64, fpr: f64) -> Result<Setting, NoSetting> {
    let (bits, fpr) = rocksdb_bits(engine, fpr)?;
    if keys > MOST_RIBBON_KEYS {
        return Err(engine.too_many(keys, MOST_RIBBON_KEYS));
    }
    let line = format!("NewRibbonFilterPolicy({bits})");
    let caveat = format!(
        "The number is the bits per key of a Bloom filter with the same rate; the ribbon filter \
         takes about 30 % less. Flushed files get Bloom filters unless bloom_before_level is -1; \
         RocksDB before 6.15 ignores ribbon filters. {MEMORY} {PER_FILE}"
    );
    Ok(engine.set(keys, fpr, 0.7 * bits, line, caveat))
}

/// The table of rates in `BloomCalculations`, up to 20 bits per key.
pub(super) fn cassandra(engine: Engine, keys: u64, asked: f64) -> Result<Setting, NoSetting> {
    const LOWEST: f64 = 6.71e-5;
    let Some((bits, probes)) = formula::whole_bits(asked, 20).filter(|_| asked > LOWEST) else {
        return Err(engine.unreachable(asked, LOWEST));
    };
    if asked >= formula::classic(2.0, 1) {
        return Err(engine.none(String::from(
            "has no filter for rates of 39.3 % and more: set bloom_filter_fp_chance = 1, which \
             disables it",
        )));
    }
    let fpr = formula::classic(f64::from(bits), probes);
    let line = format!("ALTER TABLE t WITH bloom_filter_fp_chance = {asked};");
    let caveat = format!(
        "Sizes are whole bits per partition key: {bits} here, with {}. Old SSTables keep their \
         filters until they are rewritten (nodetool upgradesstables -a). Filters are kept off-heap. \
         {PER_FILE}",
        formula::probes(probes)
    );
    Ok(engine.set(keys, fpr, f64::from(bits), line, caveat))
}

/// `BloomFilterUtil`: bits for the ideal number of probes, that number rounded up from whole bits
/// per key, and then as many keys as keep the rate.
pub(super) fn hbase(engine: Engine, keys: u64, fpr: f64) -> Result<Setting, NoSetting> {
    use core::f64::consts::LN_2;
    let ideal = -libm::log(fpr) / (LN_2 * LN_2);
    let probes = libm::ceil(LN_2 * libm::floor(ideal)) as u32;
    if probes == 0 {
        return Err(engine.none(String::from(
            "has no filter of less than a bit per key: set BLOOMFILTER => 'NONE'",
        )));
    }
    let bits = formula::classic_bits(fpr, probes);
    let line = format!(
        "alter 't', {{NAME => 'f', BLOOMFILTER => 'ROW', CONFIGURATION => \
         {{'io.storefile.bloom.error.rate' => '{fpr}'}}}}"
    );
    let caveat = format!(
        "This sets one column family; io.storefile.bloom.error.rate in hbase-site.xml sets all \
         others. Old files keep their filters until they are compacted. ROWCOL has a key for each \
         column of each row, and makes two lookups per query. {PER_FILE}"
    );
    Ok(engine.set(keys, fpr, bits, line, caveat))
}
