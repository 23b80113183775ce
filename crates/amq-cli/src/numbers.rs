//! Parses and prints numbers as people write them: rates, counts, sizes, seeds.

use std::time::Duration;

/// A false-positive rate, strictly between 0 and 1: `1%`, `0.01`, `1e-2` or `1/100`.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    match fraction(text) {
        Some(rate) if rate > 0.0 && rate < 1.0 => Ok(rate),
        Some(0.0) => {
            Err("a false-positive rate lies strictly between 0 and 1: what never errs is \
                          an exact set, such as std::collections::HashSet (amq choose --need exact)"
                .into())
        }
        Some(rate) if rate.is_finite() => Err(
            "a false-positive rate lies strictly between 0 and 1: write 1%, 0.01, 1e-2 or 1/100"
                .into(),
        ),
        _ => Err("not a rate: write 1%, 0.01, 1e-2 or 1/100".into()),
    }
}

/// A share, from 0 to 1, in the same spellings.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    match fraction(text) {
        Some(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is from 0 to 1: write 90%, 0.9 or 9/10".into()),
    }
}

fn fraction(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Some(percent) = text.strip_suffix('%').or_else(|| text.strip_suffix("percent")) {
        real(percent).map(|percent| percent / 100.0)
    } else if let Some((above, below)) = text.split_once('/') {
        real(above).zip(real(below)).map(|(a, b)| a / b)
    } else {
        real(text)
    }
}

/// A number that need not be whole: `0.01`, `1e-2`, `1_000` or `2^-7`.
fn real(text: &str) -> Option<f64> {
    let plain = |text: &str| match text.trim() {
        text if text.starts_with('_') => None,
        text => text.replace('_', "").parse::<f64>().ok(),
    };
    match text.split_once('^') {
        Some((base, power)) => Some(plain(base)?.powf(plain(power)?)),
        None => plain(text),
    }
}

/// A time in nanoseconds: `500ns`, `20us`, `5ms`, `1s`, `5min` or `1h`.
pub(crate) fn nanoseconds(text: &str) -> Result<f64, String> {
    const UNITS: [(&str, f64); 7] = [
        ("ns", 1.0),
        ("us", 1e3),
        ("\u{b5}s", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
        ("min", 60e9),
        ("h", 3600e9),
    ];
    let unit = |&(unit, factor)| text.trim().strip_suffix(unit).map(|number| (number, factor));
    let (number, factor) =
        UNITS.iter().find_map(unit).ok_or("say which unit: 500ns, 20us, 5ms, 1s, 5min or 1h")?;
    match real(number) {
        Some(number) if number >= 0.0 && number.is_finite() => Ok(number * factor),
        _ => Err("not a time: write 500ns, 20us, 5ms, 1s, 5min or 1h".into()),
    }
}

/// A time to wait, in the same spellings.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    Duration::try_from_secs_f64(nanoseconds(text)? / 1e9).map_err(|_| "too long".into())
}

/// A number of keys: `1000000`, `1_000_000`, `1e6`, `1.5e6`, `2^20`, `10M` or `1k`.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    const UNITS: [(char, u64); 4] =
        [('k', 1000), ('K', 1000), ('M', 1_000_000), ('G', 1_000_000_000)];
    ungrouped(text)?;
    let scale = |&(unit, factor)| text.strip_suffix(unit).map(|number| (number, factor));
    let (number, factor) = UNITS.iter().find_map(scale).unwrap_or((text, 1));
    scaled(number, factor, "not a whole number: write 1000000, 1_000_000, 1e6, 2^20 or 1M")
}

/// A number of lines, at least one.
pub(crate) fn positive(text: &str) -> Result<u64, String> {
    count(text).and_then(|number| match number {
        0 => Err("must be at least 1".into()),
        number => Ok(number),
    })
}

/// An exclusive bound of 64-bit integers: written as a number of keys, or 2^64, which is read as
/// the maximum.
pub(crate) fn bound(text: &str) -> Result<u64, String> {
    if text.trim() == "2^64" { Ok(u64::MAX) } else { count(text) }
}

/// A small whole number, such as one of threads.
pub(crate) fn whole<const LEAST: u32, const MOST: u32>(text: &str) -> Result<u32, String> {
    let number = count(text).ok().and_then(|number| u32::try_from(number).ok());
    let number = number.filter(|number| (LEAST..=MOST).contains(number));
    number.ok_or_else(|| format!("write a whole number from {LEAST} to {MOST}"))
}

/// Refuses a number with commas between its thousands; the error gives the number without.
fn ungrouped(text: &str) -> Result<(), String> {
    if !is_grouped(text) {
        return Ok(());
    }
    let [plain, parted] = ["", "_"].map(|mark| text.replace(',', mark));
    Err(format!("write {plain} or {parted}, without commas"))
}

/// Whether commas separate the thousands of one number, as in `1,000`.
fn is_grouped(text: &str) -> bool {
    let mut parts = text.split(',');
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let first = parts.next().is_some_and(|part| matches!(part.len(), 1..=3) && digits(part));
    first && text.contains(',') && parts.all(|part| part.len() == 3 && digits(part))
}

/// A mean, above 0: `10`, `0.5`, `1e3`.
pub(crate) fn mean(text: &str) -> Result<f64, String> {
    match real(text) {
        Some(mean) if mean > 0.0 && mean.is_finite() => Ok(mean),
        Some(_) => Err("a mean is positive and finite: 10, or 0.5".into()),
        None => Err("not a number: write 10, or 0.5".into()),
    }
}

/// Bits per key: a positive number.
pub(crate) fn bits(text: &str) -> Result<f64, String> {
    match real(text) {
        Some(bits) if bits > 0.0 && bits.is_finite() => Ok(bits),
        Some(_) => Err("bits per key must be positive and finite: write 10 or 9.6".into()),
        None => Err("not a number of bits: write 10 or 9.6".into()),
    }
}

/// A size in bytes, at least 1: `4096`, `64KiB`, `1.5GB`, `1e9`.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 12] = [
        ("bytes", 1),
        ("byte", 1),
        ("kib", 1 << 10),
        ("mib", 1 << 20),
        ("gib", 1 << 30),
        ("tib", 1 << 40),
        ("kb", 1000),
        ("mb", 1_000_000),
        ("gb", 1_000_000_000),
        ("tb", 1_000_000_000_000),
        ("pb", 1_000_000_000_000_000),
        ("b", 1),
    ];
    let lower = text.trim().to_ascii_lowercase();
    let bare = [("k", 1), ("m", 2), ("g", 3), ("t", 4)];
    let bits = ["Kb", "Mb", "Gb", "Tb"].into_iter().find(|unit| text.trim().ends_with(unit));
    if let Some(unit) = bits {
        let bytes = unit.to_uppercase();
        return Err(format!("{unit} are bits: write {bytes}, or divide by 8"));
    }
    let suffixed = |letter: &str| {
        let number = lower.strip_suffix(letter)?.trim_end();
        number.ends_with(|last: char| last.is_ascii_digit()).then_some(number)
    };
    let of = |(letter, power)| Some((suffixed(letter)?, letter, power));
    if let Some((number, letter, power)) = bare.into_iter().find_map(of) {
        let letter = letter.to_uppercase();
        return Err(format!(
            "say which unit: {number}{letter}iB, where {letter}iB is 2^{} bytes, or {number}{letter}B, \
             where {letter}B is 10^{} bytes",
            10 * power,
            3 * power
        ));
    }
    let unit = UNITS.iter().find(|(name, _)| lower.ends_with(name));
    let (number, factor) = match unit {
        Some((name, factor)) => (lower[..lower.len() - name.len()].trim(), *factor),
        None => (lower.as_str(), 1),
    };
    ungrouped(number)?;
    match scaled(number, factor, "not a size: write 4096, 64KiB, 1.5GB or 1e9, in whole bytes")? {
        0 => Err("must be at least 1 byte".into()),
        bytes => Ok(bytes),
    }
}

/// A seed: any whole number of 64 bits, in decimal or, after `0x`, in hexadecimal.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    let read = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) if !hex.starts_with('+') => u64::from_str_radix(hex, 16).ok(),
        Some(_) => None,
        None => text.parse().ok(),
    };
    read.ok_or_else(|| {
        "a seed is a whole number from 0 to 2^64 - 1, in decimal or as 0x and hexadecimal digits"
            .into()
    })
}

/// A decimal number or a power, times `factor`; the result must be whole. `syntax` is the error
/// text. Uses no floats: every 64-bit number is exact.
fn scaled(text: &str, factor: u64, syntax: &str) -> Result<u64, String> {
    const TOO_LARGE: &str = "too large: numbers go up to 2^64 - 1";
    if text.starts_with('-') {
        return Err("a number cannot be negative here".into());
    }
    if text.starts_with("0x") || text.starts_with("0X") {
        return Err("write the number in decimal".into());
    }
    if let Some((base, power)) = text.split_once('^').filter(|(_, power)| !power.contains('^')) {
        let base: u128 = scaled(base, 1, syntax)?.into();
        let power = u32::try_from(scaled(power, 1, syntax)?).map_err(|_| TOO_LARGE)?;
        let product = base.checked_pow(power).and_then(|value| value.checked_mul(factor.into()));
        return product.and_then(|value| u64::try_from(value).ok()).ok_or_else(|| TOO_LARGE.into());
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
            (mantissa, exponent.parse::<i32>().map_err(|_| syntax)?)
        }
        None => (text, 0),
    };
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let plain = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let digits: String = [before, after].concat().replace('_', "");
    if digits.is_empty() || !plain(before) || !plain(after) || before.starts_with('_') {
        return Err(syntax.into());
    }
    let places = after.bytes().filter(u8::is_ascii_digit).count() as i32;
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Ok(0);
    }
    let mantissa: u128 = digits.parse().map_err(|_| TOO_LARGE)?;
    let product = mantissa.checked_mul(factor.into()).ok_or(TOO_LARGE)?;
    let power = exponent.checked_sub(places).ok_or(syntax)?;
    let ten = |power: u32| 10u128.checked_pow(power);
    let value = if power >= 0 {
        ten(power.unsigned_abs()).and_then(|ten| product.checked_mul(ten))
    } else {
        // A divisor beyond 128 bits leaves no whole number.
        let divisor = ten(power.unsigned_abs()).ok_or(syntax)?;
        if product % divisor != 0 {
            return Err(syntax.into());
        }
        Some(product / divisor)
    };
    value.and_then(|value| u64::try_from(value).ok()).ok_or_else(|| TOO_LARGE.into())
}

/// A number of bytes for display: `1.20 MB`.
pub(crate) fn bytes_text(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = if value < 9.995 {
        2
    } else if value < 99.95 {
        1
    } else {
        0
    };
    format!("{value:.digits$} {}", UNITS[unit])
}

/// A rate for display: a percentage unless it is tiny.
pub(crate) fn rate_text(rate: f64) -> String {
    if rate == 0.0 || rate >= 1e-5 {
        let percent = rate * 100.0;
        let digits = if percent >= 0.9995 { 2 } else { 3 };
        let text = if percent >= 0.01 || percent == 0.0 {
            format!("{percent:.digits$}")
        } else {
            format!("{percent:.5}")
        };
        format!("{text} %")
    } else {
        format!("{rate:.2e}")
    }
}

/// A whole number with its thousands separated: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 key`, `1,000 keys`.
pub(crate) fn of(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(number))
}

/// An expected number, which may be a fraction of a key.
pub(crate) fn expected(number: f64) -> String {
    match number {
        10.0.. => grouped(rounded(number)),
        0.01.. => format!("{number:.2}"),
        0.0 => "0".into(),
        _ => format!("{number:.0e}"),
    }
}

/// An estimate rounded to three digits, so that it does not look like a count.
pub(crate) fn rounded(estimate: f64) -> u64 {
    let step = 10f64.powf((estimate.max(1.0).log10().floor() - 2.0).max(0.0));
    ((estimate / step).round() * step) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rate_in_many_spellings() {
        for text in
            ["1%", "1 %", "1 percent", "1_0/1_000", "10^-2", "0.01", "1e-2", "1/100", ".01", "1E-2"]
        {
            assert_eq!(rate(text), Ok(0.01), "{text}");
        }
        assert_eq!(rate("0.1%"), Ok(0.001));
        assert_eq!(rate("2^-7"), Ok(1.0 / 128.0));
        assert_eq!(["2^3", "1_000"].map(mean), [Ok(8.0), Ok(1000.0)]);
        assert_eq!((bits("2^4"), nanoseconds("1_000us")), (Ok(16.0), Ok(1e6)));
    }

    #[test]
    fn what_is_no_rate_is_refused() {
        for text in
            ["0", "1", "100%", "-0.1", "2", "nan", "inf", "", "%", "1/0", "0/0", "1//2", "0x1", "a"]
        {
            assert!(rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn shares_include_their_ends_and_times_say_their_unit() {
        assert_eq!(share("0"), Ok(0.0));
        assert_eq!(share("100%"), Ok(1.0));
        assert_eq!(share("9/10"), Ok(0.9));
        for text in ["-1", "101%", "nan", ""] {
            assert!(share(text).is_err(), "{text}");
        }
        assert_eq!(nanoseconds("20us"), Ok(20_000.0));
        assert_eq!(nanoseconds("1.5 ms"), Ok(1_500_000.0));
        assert_eq!(nanoseconds("0ns"), Ok(0.0));
        for text in ["5", "-1s", "s", "nans", "infs", "1m", ""] {
            assert!(nanoseconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_to_wait_have_a_unit() {
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1500)));
        let times = ["200ms", "2min", "1h", "0s"].map(|text| duration(text).unwrap().as_millis());
        assert_eq!(times, [200, 120_000, 3_600_000, 0]);
        for text in ["", "1", "s", "-1s", "1d", "nans", "1e99h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_are_exact() {
        for (text, want) in [
            ("0", 0),
            ("1", 1),
            ("1e6", 1_000_000),
            ("1E6", 1_000_000),
            ("1e+6", 1_000_000),
            ("1.5e6", 1_500_000),
            ("1_000_000", 1_000_000),
            ("10e-1", 1),
            ("1.0", 1),
            ("1k", 1000),
            ("1K", 1000),
            ("10M", 10_000_000),
            ("1.5G", 1_500_000_000),
            ("2^32", 1 << 32),
            ("10^6", 1_000_000),
            ("2^0", 1),
            ("4_000_000", 4_000_000),
            ("9223372036854775809", (1 << 63) + 1),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(count(text), Ok(want), "{text}");
        }
        for text in [
            "-5",
            "0x10",
            "",
            "_1",
            "1.5",
            "1e-2",
            "1e20",
            "1e999999999999",
            "1e-99",
            "k",
            "1kk",
            "1m",
            "1,000",
            "1,00",
            "18446744073709551616",
            "1 000",
            "+5",
            "e6",
            ".",
            "2^64",
            "2^-1",
            "2^2^2",
            "^2",
            "2^",
            "1e2147483647",
            "1.1e-2147483648",
        ] {
            assert!(count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_comma_is_no_part_of_a_number() {
        assert_eq!(count("1,000,000").unwrap_err(), "write 1000000 or 1_000_000, without commas");
    }

    #[test]
    fn sizes_say_their_unit() {
        for (text, want) in [
            ("4096", 4096),
            ("64KiB", 65536),
            ("1 byte", 1),
            ("64 bytes", 64),
            ("2PB", 2_000_000_000_000_000),
            ("64 kib", 65536),
            ("1.5GB", 1_500_000_000),
            ("0.5KiB", 512),
            ("10B", 10),
            ("1e9", 1_000_000_000),
            ("16MiB", 16 << 20),
            ("2^20", 1 << 20),
            ("2^10 KiB", 1 << 20),
        ] {
            assert_eq!(size(text), Ok(want), "{text}");
        }
        for text in ["0", "64M", "1k", "", "MiB", "-1", "17179869184GiB", "0.3B"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!(
            size("64 m").unwrap_err(),
            "say which unit: 64MiB, where MiB is 2^20 bytes, or 64MB, where MB is 10^6 bytes"
        );
        for (text, plain) in [("1,000", "1000"), ("1,000,000 KiB", "1000000")] {
            assert!(size(text).unwrap_err().starts_with(&format!("write {plain} or ")), "{text}");
        }
        // Every spelling that an error suggests is accepted.
        for text in ["one", "1.5", "", "KiB"] {
            let error = size(text).unwrap_err();
            assert!(error.contains("64KiB") && !error.contains("1M"), "{text}: {error}");
        }
    }

    #[test]
    fn small_numbers_are_within_their_limits() {
        assert_eq!(["1", "256", "2^8", "1e2"].map(whole::<1, 256>), [1, 256, 256, 100].map(Ok));
        for text in ["0", "257", "1k", "", "-1", "2.5", "2^9"] {
            let error = whole::<1, 256>(text).unwrap_err();
            assert_eq!(error, "write a whole number from 1 to 256", "{text}");
        }
    }

    #[test]
    fn seeds_are_decimal_or_hexadecimal() {
        assert_eq!(seed("0"), Ok(0));
        assert_eq!(seed("0xff"), Ok(255));
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
        for text in ["", "-1", "0x", "0x+1", "1e3", "18446744073709551616"] {
            assert!(seed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(bytes_text(999), "999 B");
        assert_eq!(bytes_text(1_198_200), "1.20 MB");
        assert_eq!(bytes_text(999_999), "1.00 MB");
        assert_eq!(bytes_text(u64::MAX), "18.4 EB");
        assert_eq!(rate_text(0.01), "1.00 %");
        assert_eq!(rate_text(0.009_999_6), "1.00 %");
        assert_eq!(rate_text(0.0001), "0.010 %");
        assert_eq!(rate_text(0.00002), "0.00200 %");
        assert_eq!(rate_text(1e-9), "1.00e-9");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(123), "123");
        assert_eq!(of(1, "key"), "1 key");
        assert_eq!(of(1000, "key"), "1,000 keys");
        assert_eq!([0.2, 1.4, 999.6, 12_345.0].map(rounded), [0, 1, 1000, 12_300]);
    }
}
