//! Engines that index tables and files of columns.

use super::engine::{Engine, NoSetting, Setting};
use super::formula;
use crate::numbers::{Bytes, Number, Rate};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use amq_core::numeric::first_true;

/// The longest signature of a bloom index.
const MOST_LENGTH: u32 = 4096;

/// The most bits per value that are tried: a rate of some 2^-32.
const MOST_BITS: u32 = 32;

/// The page: a signature of `length` bits for each row, a multiple of 16 and at most 4096, in which
/// each value sets `colN` bits, with replacement.
pub(super) fn postgresql(
    engine: Engine,
    columns: u32,
    keys: u64,
    asked: f64,
) -> Result<Setting, NoSetting> {
    if !(1..=32).contains(&columns) {
        return Err(engine.none(format!("indexes 1 to 32 columns, not {columns}")));
    }
    let best = |length: u32| {
        let mut best = (1.0, 0);
        // More bits per value help until the signature is about half full.
        for bits in 1..=(length / columns).clamp(1, MOST_BITS) {
            let rate = formula::signature(length, columns * bits, bits);
            if rate > best.0 {
                break;
            }
            best = (rate, bits);
        }
        best
    };
    let words = u64::from(MOST_LENGTH / 16);
    let length = 16 * first_true(1, words, |words| best(16 * words as u32).0 <= asked) as u32;
    let (fpr, bits) = best(length);
    if fpr > asked {
        return Err(engine.unreachable(asked, fpr));
    }
    let names = |prefix: &str| -> Vec<String> {
        (1..=columns).map(|column| format!("{prefix}{column}")).collect()
    };
    let with = names("col").join(&format!("={bits}, "));
    let line = format!(
        "CREATE EXTENSION IF NOT EXISTS bloom;\nCREATE INDEX ON t USING bloom ({}) WITH \
         (length={length}, {with}={bits});",
        names("c").join(", ")
    );
    let caveat = format!(
        "The rate is per row, for a query of one column: every query reads the whole index, and \
         fetches about {} of {} rows in vain. It supports `=` only, and has operator classes only \
         for int4 and text. For one column a B-tree is faster.",
        Number(libm::round(keys as f64 * fpr) as u64),
        Number(keys)
    );
    // The signature, and six bytes to find the row.
    Ok(engine.set(keys, fpr, f64::from(length) + 48.0, line, caveat))
}

/// The size that Parquet writers choose for a split-block filter: a formula for eight probes
/// anywhere, rounded up to a power of two of bytes, 32 at least and 128 MiB at most.
fn parquet_bytes(keys: u64, fpp: f64) -> u64 {
    let bits = 8.0 * keys as f64 / -libm::log1p(-libm::pow(fpp, 0.125));
    ((bits / 8.0) as u64).clamp(32, MOST_PARQUET).next_power_of_two()
}

/// The largest filter of a column chunk.
const MOST_PARQUET: u64 = 128 << 20;

pub(super) fn parquet(engine: Engine, keys: u64, asked: f64) -> Result<Setting, NoSetting> {
    let rate = |bytes: u64| formula::split_block(8.0 * bytes as f64 / keys as f64);
    let sizes = (5..=27).map(|power| 1u64 << power);
    let Some(bytes) = sizes.into_iter().find(|&bytes| rate(bytes) <= asked) else {
        return Err(engine.none(format!(
            "cannot give {} for {} keys in one row group: a filter has 128 MiB at most",
            Rate(asked),
            Number(keys)
        )));
    };
    // The writers' formula promises too much: where it would choose a smaller filter, ask for less.
    let mut fpp = asked;
    while parquet_bytes(keys, fpp) < bytes {
        fpp *= 0.9;
    }
    if fpp < asked {
        fpp = significant(fpp);
    }
    let bytes = parquet_bytes(keys, fpp);
    let java = if bytes > 1 << 20 {
        format!(" (parquet-java: set parquet.bloom.filter.max.bytes to {bytes}, from 1 MiB)")
    } else {
        String::new()
    };
    let line = format!(
        "parquet-java: parquet.bloom.filter.enabled#c = true, parquet.bloom.filter.fpp#c = \
         {fpp}, parquet.bloom.filter.expected.ndv#c = {keys}; Rust: \
         set_column_bloom_filter_fpp(c, {fpp}), set_column_bloom_filter_ndv(c, {keys})"
    );
    let caveat = format!(
        "The number of distinct values is per row group, not per file. Writers compute the size by \
         a formula for another kind of filter and round it up to a power of two, here {}{java}: for \
         some numbers of values the rate is up to 1.5 times the fpp, for others much lower.",
        Bytes(bytes)
    );
    Ok(engine.set(keys, rate(bytes), 8.0 * bytes as f64 / keys as f64, line, caveat))
}

/// To two digits, downwards.
fn significant(value: f64) -> f64 {
    let unit = libm::pow(10.0, libm::floor(libm::log10(value)) - 1.0);
    let text = format!("{:.3e}", libm::floor(value / unit + 1e-9) * unit);
    text.parse().unwrap_or(value)
}

/// Rows in a granule, unless the table says otherwise.
const GRANULE: u64 = 8192;

/// The page: the index takes the rate. Its table of whole bits per row ends at 19.
pub(super) fn clickhouse(engine: Engine, keys: u64, asked: f64) -> Result<Setting, NoSetting> {
    let Some((bits, probes)) = formula::whole_bits(asked, 19) else {
        return Err(engine.unreachable(asked, formula::classic(19.0, 13)));
    };
    if asked >= 0.283 {
        return Err(engine.none(String::from(
            "uses the same two bits per row for all rates of 28.3 % and more: ask for a lower one",
        )));
    }
    let fpr = formula::classic(f64::from(bits), probes);
    let blocks = keys.div_ceil(GRANULE);
    let needless = match blocks as f64 * fpr {
        often if often >= 1.0 => format!("it reads about {often:.1} in vain"),
        seldom => format!("one query in {:.0} reads one in vain", 1.0 / seldom),
    };
    let line = format!("INDEX c_bloom c TYPE bloom_filter({asked}) GRANULARITY 1");
    let caveat = format!(
        "Sizes are whole bits per row: {bits} here, with {}. Each granule of {GRANULE} \
         rows has its own filter, and a query reads all {}: {needless}. It supports =, IN and has, \
         and helps only if a value is in few granules.",
        formula::probes(probes),
        Number(blocks)
    );
    Ok(engine.set(keys, fpr, f64::from(bits), line, caveat))
}
