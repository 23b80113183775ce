//! Number formats, the same in tables, captions and on axes.

use indicatif::{BinaryBytes, HumanCount};
use std::borrow::Borrow;

/// `digits` significant digits, without an exponent; trailing zeros stay, since they are measured.
pub(super) fn digits(x: f64, digits: i32) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    // The exponent after rounding: 9.996 is 10.0, not 10.00.
    let rounded = format!("{x:.*e}", (digits - 1).max(0) as usize);
    let exponent = rounded.rsplit('e').next().and_then(|e| e.parse().ok());
    let decimals = digits - 1 - exponent.unwrap_or(0);
    format!("{x:.*}", decimals.max(0) as usize)
}

/// Two significant digits, since further ones are noise in times.
pub(super) fn two(x: f64) -> String {
    digits(x, if x.abs() >= 100.0 { 3 } else { 2 })
}

/// A number of keys in words: `1 million`, `10,000`.
pub(super) fn keys(n: u64) -> String {
    for (unit, name) in [(1_000_000_000, "billion"), (1_000_000, "million")] {
        if n >= unit && n.is_multiple_of(unit) {
            return format!("{} {name}", n / unit);
        }
    }
    HumanCount(n).to_string()
}

/// A measured rate: `0.994 %`.
pub(super) fn percent(rate: f64) -> String {
    format!("{} %", digits(rate * 100.0, 3))
}

/// A target rate, without the zeros of a measurement: `1 %`, `1/256`.
pub(super) fn asked(rate: f64) -> String {
    let inverse = 1.0 / rate;
    if inverse > 8.0 && inverse.log2().fract() == 0.0 {
        return format!("1/{inverse:.0}");
    }
    format!("{} %", plain(rate * 100.0))
}

/// At most six decimals.
pub(super) fn plain(x: f64) -> String {
    ((x * 1e6).round() / 1e6).to_string()
}

/// Bytes in binary units, as usual for caches.
pub(super) fn binary(bytes: u64) -> String {
    BinaryBytes(bytes).to_string().replace(".00 ", " ")
}

/// The label of a tick: a large power of ten as a power, else the number itself.
pub(super) fn tick(x: f64) -> String {
    let power = x.log10();
    if x >= 999_999.0 && (power - power.round()).abs() < 1e-9 {
        let digit = |c: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(c.to_digit(10)? as usize);
        return "10".chars().chain(format!("{power:.0}").chars().filter_map(digit)).collect();
    }
    if x >= 1000.0 && x.fract() == 0.0 { keys(x as u64) } else { plain(x) }
}

pub(super) fn list<S: Borrow<str>>(words: &[S]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => {
            format!("{} and {}", first.join(", "), Borrow::<str>::borrow(last))
        }
        _ => words.concat(),
    }
}

#[test]
fn numbers_keep_their_digits_and_read_as_people_write_them() {
    let shown = [0.0, 9.996, 0.099_96, 12.34, 1234.5, 0.001_234].map(|x| digits(x, 3));
    assert_eq!(shown, ["0", "10.0", "0.100", "12.3", "1234", "0.00123"]);
    assert_eq!([0.01, 1.0 / 256.0, 0.001, 0.3].map(asked), ["1 %", "1/256", "0.1 %", "30 %"]);
    assert_eq!([1e6, 0.1, 2e4].map(tick), ["10⁶", "0.1", "20,000"]);
    assert_eq!([49_152, 272_629_760].map(binary), ["48 KiB", "260 MiB"]);
}
