//! Number formats, the same in tables, captions and on axes.

/// Three significant digits, without an exponent.
pub(super) fn three(x: f64) -> String {
    digits(x, 3)
}

/// `digits` significant digits, without an exponent; trailing zeros stay, since they are measured.
pub(super) fn digits(x: f64, digits: i32) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let magnitude = x.abs().log10().floor() as i32;
    let decimals = (digits - 1 - magnitude).max(0) as usize;
    let text = format!("{x:.decimals$}");
    // Rounding may add a digit: 9.996 is 10.0, not 10.00.
    let seen = text
        .chars()
        .filter(char::is_ascii_digit)
        .collect::<String>();
    if decimals > 0 && seen.trim_start_matches('0').len() > digits as usize {
        let decimals = decimals - 1;
        return format!("{x:.decimals$}");
    }
    text
}

/// `1,234,567`.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A measured rate: `0.994 %`.
pub(super) fn percent(rate: f64) -> String {
    format!("{} %", three(rate * 100.0))
}

/// A target rate, without the zeros of a measurement: `1 %`, `1/256`.
pub(super) fn asked(rate: f64) -> String {
    let inverse = 1.0 / rate;
    if inverse.log2().fract() == 0.0 && inverse > 8.0 {
        return format!("1/{inverse:.0}");
    }
    let text = format!("{:.6}", rate * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Bytes in the unit that fits, binary as caches are.
pub(super) fn binary_bytes(bytes: u64) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    for (unit, name) in units {
        if bytes >= unit {
            let value = bytes as f64 / unit as f64;
            let text = format!("{value:.1}");
            return format!("{} {name}", text.trim_end_matches(".0"));
        }
    }
    format!("{bytes} bytes")
}

/// A power of ten as on an axis, else the number itself.
pub(super) fn tick(x: f64) -> String {
    let power = x.log10();
    if (power - power.round()).abs() < 1e-9 && (x >= 9_999.0) {
        let superscript = |c: char| match c {
            '-' => '⁻',
            '0' => '⁰',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            digit => char::from_u32(digit as u32 - '0' as u32 + '⁰' as u32).unwrap_or(digit),
        };
        let power: String = format!("{power:.0}").chars().map(superscript).collect();
        return format!("10{power}");
    }
    let text = format!("{x:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list<S: AsRef<str>>(words: &[S]) -> String {
    match words {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}

/// Keeps numbers and units on one line.
pub(super) fn unbroken(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(space) = rest.find(' ') {
        let (before, after) = (&rest[..space], &rest[space + 1..]);
        let is_number = before.ends_with(|c: char| c.is_ascii_digit()) || after.starts_with("%)");
        let is_unit = ["%", "ns", "bits", "times", "KiB", "MiB", "GiB"]
            .iter()
            .any(|unit| after.starts_with(unit));
        joined.push_str(before);
        joined.push(if is_number && is_unit { '\u{a0}' } else { ' ' });
        rest = after;
    }
    joined + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_significant_digits() {
        for (x, text) in [
            (0.0, "0"),
            (9.996, "10.0"),
            (0.099_96, "0.100"),
            (12.34, "12.3"),
            (1234.5, "1234"),
            (0.001_234, "0.00123"),
            (1.0, "1.00"),
        ] {
            assert_eq!(three(x), text);
        }
    }

    #[test]
    fn rates_bytes_and_ticks_read_as_people_write_them() {
        assert_eq!(asked(0.01), "1 %");
        assert_eq!(asked(1.0 / 256.0), "1/256");
        assert_eq!(asked(0.001), "0.1 %");
        assert_eq!(binary_bytes(49_152), "48 KiB");
        assert_eq!(binary_bytes(2_097_152), "2 MiB");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(12), "12");
        assert_eq!(tick(1e6), "10⁶");
        assert_eq!(tick(0.1), "0.1");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(
            unbroken("in 12 ns and 1 % of it"),
            "in 12\u{a0}ns and 1\u{a0}% of it"
        );
    }
}
