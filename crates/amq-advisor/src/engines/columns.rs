//! Engines with column indexes and columnar files.

use super::formula;
use super::{Answer, Found, unreachable};
use crate::numbers::{Bytes, Number, Rate};
use amq_core::numeric::first_true;

/// The longest signature of a bloom index.
const MOST_LENGTH: u32 = 4096;

/// The most bits per value that are tried: a rate of some 2^-32.
const MOST_BITS: u32 = 32;

/// Per the documentation: a signature of `length` bits for each row, a multiple of 16 and at most
/// 4096, in which each value sets `colN` bits, with replacement.
pub(super) fn postgresql(columns: u32, keys: u64, asked: f64) -> Answer {
    if !(1..=32).contains(&columns) {
        return Err(format!("indexes 1 to 32 columns, not {columns}"));
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
        return Err(unreachable(asked, fpr));
    }
    let all = |name: fn(u32, u32) -> String| {
        (1..=columns).map(|column| name(column, bits)).collect::<Vec<_>>().join(", ")
    };
    let needless = libm::round(keys as f64 * fpr) as u64;
    let numbers = vec![
        ("{columns}", all(|column, _| format!("c{column}"))),
        ("{length}", length.to_string()),
        ("{bits_of_each}", all(|column, bits| format!("col{column}={bits}"))),
        ("{needless}", Number(needless).to_string()),
        ("{rows}", Number(keys).to_string()),
    ];
    // The signature, and six bytes that locate the row.
    Ok(Found { fpr, bits_per_key: f64::from(length) + 48.0, numbers })
}

/// The size that Parquet writers choose for a split-block filter: the formula of a classic filter
/// with eight probes, rounded up to a power of two bytes, from 32 bytes to 128 MiB.
fn parquet_bytes(keys: u64, fpp: f64) -> u64 {
    let bits = 8.0 * keys as f64 / -libm::log1p(-libm::pow(fpp, 0.125));
    ((bits / 8.0) as u64).clamp(32, MOST_PARQUET).next_power_of_two()
}

/// The largest filter of a column chunk.
const MOST_PARQUET: u64 = 128 << 20;

pub(super) fn parquet(keys: u64, asked: f64) -> Answer {
    let rate = |bytes: u64| formula::split_block(8.0 * bytes as f64 / keys as f64);
    let sizes = (5..=27).map(|power| 1u64 << power);
    let Some(bytes) = sizes.into_iter().find(|&bytes| rate(bytes) <= asked) else {
        return Err(format!(
            "cannot give {} for {} keys in one row group: a filter has 128 MiB at most",
            Rate(asked),
            Number(keys)
        ));
    };
    // The writers' formula is too optimistic: request a lower rate where it would choose too small
    // a filter.
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
    let numbers =
        vec![("{fpp}", fpp.to_string()), ("{size}", Bytes(bytes).to_string()), ("{java}", java)];
    Ok(Found { fpr: rate(bytes), bits_per_key: 8.0 * bytes as f64 / keys as f64, numbers })
}

/// Rounds down to two digits.
fn significant(value: f64) -> f64 {
    let unit = libm::pow(10.0, libm::floor(libm::log10(value)) - 1.0);
    let text = format!("{:.3e}", libm::floor(value / unit + 1e-9) * unit);
    text.parse().unwrap_or(value)
}

/// Rows per granule, by default.
const GRANULE: u64 = 8192;

/// Per the documentation: the index takes the rate. Its table of whole bits per row ends at 19.
pub(super) fn clickhouse(keys: u64, asked: f64) -> Answer {
    let Some((bits, probes)) = formula::whole_bits(asked, 19) else {
        return Err(unreachable(asked, formula::classic(19.0, 13)));
    };
    if asked >= 0.283 {
        return Err(String::from(
            "uses the same two bits per row for all rates of 28.3 % and more: ask for a lower one",
        ));
    }
    let fpr = formula::classic(f64::from(bits), probes);
    let blocks = keys.div_ceil(GRANULE);
    let needless = match blocks as f64 * fpr {
        often if often >= 1.0 => format!("it reads about {often:.1} in vain"),
        seldom => format!("one query in {:.0} reads one in vain", 1.0 / seldom),
    };
    let numbers = vec![
        ("{probes}", formula::probes(probes)),
        ("{granule}", GRANULE.to_string()),
        ("{blocks}", Number(blocks).to_string()),
        ("{needless}", needless),
    ];
    Ok(Found { fpr, bits_per_key: f64::from(bits), numbers })
}
