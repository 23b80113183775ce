//! Human-readable numbers.

use core::fmt;

/// A number of bytes, in decimal units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
        if self.0 == 1 {
            return f.pad("1 byte");
        }
        if self.0 < 1000 {
            return f.pad(&format!("{} bytes", self.0));
        }
        let (mut value, mut unit) = (self.0 as f64 / 1e3, 0);
        while value >= 999.5 && unit + 1 < UNITS.len() {
            (value, unit) = (value / 1e3, unit + 1);
        }
        let decimals = significant(value, 3);
        f.pad(&format!("{value:.decimals$} {}", UNITS[unit]))
    }
}

/// A rate, as a percentage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate(pub(crate) f64);

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.0 * 100.0;
        if percent > 0.0 && percent < 9.995e-5 {
            return f.pad(&format!("{:.2e}", self.0));
        }
        let text = format!("{percent:.*}", significant(percent, 3));
        let short = if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.')
        } else {
            &text
        };
        f.pad(&format!("{short} %"))
    }
}

/// The number of decimals that show `digits` significant digits.
fn significant(value: f64, digits: i32) -> usize {
    if value <= 0.0 {
        return 0;
    }
    // Numbers that round up to a power of ten count as one.
    let exponent = libm::floor(libm::log10(value * 1.0005)) as i32;
    (digits - 1 - exponent).clamp(0, 12) as usize
}

/// A number with one decimal, or rounded to three digits if it is larger.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounded(pub(crate) f64);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 99.95 {
            return f.pad(&format!("{:.1}", self.0));
        }
        let unit = libm::exp10(libm::floor(libm::log10(self.0 * 1.0005)) - 2.0);
        // The cast saturates, as intended.
        Number((libm::round(self.0 / unit) * unit) as u64).fmt(f)
    }
}

/// An integer with thousands separators.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number(pub(crate) u64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{}", self.0);
        let mut text = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index) % 3 == 0 {
                text.push(',');
            }
            text.push(digit);
        }
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        let rates = [0.01, 0.00390625, 0.001, 0.5, 1.0, 0.0, 1e-6, 1e-9, 0.2612];
        let texts = ["1 %", "0.391 %", "0.1 %", "50 %", "100 %", "0 %", "0.0001 %", "1.00e-9"];
        let shown = rates.map(|rate| Rate(rate).to_string());
        assert_eq!(shown[..8], texts.map(ToString::to_string));
        assert_eq!(shown[8], "26.1 %");
        let sizes = [999, 1000, 1_198_132, 999_600, 1_250_000_000, u64::MAX];
        let texts = ["999 bytes", "1.00 kB", "1.20 MB", "1.00 MB", "1.25 GB", "18.4 EB"];
        assert_eq!(sizes.map(|size| Bytes(size).to_string()), texts.map(ToString::to_string));
        assert_eq!(Number(1_000_000).to_string(), "1,000,000");
        assert_eq!(Number(999).to_string(), "999");
        let rounded = [0.04, 15.67, 99.96, 109_999.0, 1_748_910.9];
        let texts = ["0.0", "15.7", "100", "110,000", "1,750,000"];
        assert_eq!(rounded.map(|it| Rounded(it).to_string()), texts.map(ToString::to_string));
    }
}
