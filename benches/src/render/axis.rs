//! Axes: from values to a range, ticks and positions.

use super::number::tick;

/// How values map to positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scale {
    /// Equal steps are equal differences.
    Linear,
    /// Equal steps are equal ratios.
    Log,
}

/// One axis.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Axis {
    /// Its title, with the unit.
    pub(super) name: String,
    /// Its scale.
    pub(super) scale: Scale,
    /// Its lower end.
    pub(super) low: f64,
    /// Its upper end.
    pub(super) high: f64,
    /// Its ticks: value and label.
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// A logarithmic axis around positive values; its title says so.
    pub(super) fn log(name: &str, values: impl IntoIterator<Item = f64>) -> Self {
        const MARGIN: f64 = 1.18;
        let (low, high) = ends(values.into_iter().filter(|&x| x > 0.0)).unwrap_or((1.0, 10.0));
        Self::log_between(name, low / MARGIN, high * MARGIN)
    }

    /// A logarithmic axis with given ends.
    pub(super) fn log_between(name: &str, low: f64, high: f64) -> Self {
        let decades = (high / low).log10();
        let steps: &[f64] = match decades {
            d if d > 2.5 => &[1.0],
            d if d > 1.1 => &[1.0, 2.0, 5.0],
            d if d > 0.5 => &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
            _ => &[
                1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0,
            ],
        };
        let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
        let ticks = powers
            .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)))
            .filter(|x| (low..=high).contains(x))
            .map(|x| (x, tick(x)))
            .collect();
        Self {
            name: format!("{name} (log scale)"),
            scale: Scale::Log,
            low,
            high,
            ticks,
        }
    }

    /// A linear axis around values.
    pub(super) fn linear(name: &str, values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = ends(values.into_iter()).unwrap_or((0.0, 1.0));
        let margin = ((high - low) * 0.08).max(high.abs() * 0.01).max(1e-3);
        Self::linear_between(name, low - margin, high + margin)
    }

    /// A linear axis with given ends.
    pub(super) fn linear_between(name: &str, low: f64, high: f64) -> Self {
        let rough = (high - low) / 8.0;
        let power = 10f64.powf(rough.log10().floor());
        let nice = [1.0, 2.0, 2.5, 5.0, 10.0]
            .into_iter()
            .map(|step| step * power);
        let step = nice
            .into_iter()
            .find(|&step| step >= rough)
            .unwrap_or(rough);
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        let ticks = (first..=last)
            .map(|i| i as f64 * step)
            .map(|x| (x, tick(x)))
            .collect();
        Self {
            name: name.to_owned(),
            scale: Scale::Linear,
            low,
            high,
            ticks,
        }
    }

    /// An axis of names, first one on top.
    pub(super) fn rows(names: &[String]) -> Self {
        let last = names.len() as f64;
        let place = |index: usize| last - index as f64;
        Self {
            name: String::new(),
            scale: Scale::Linear,
            low: 0.4,
            high: last + 0.6,
            ticks: names
                .iter()
                .enumerate()
                .map(|(i, name)| (place(i), name.clone()))
                .collect(),
        }
    }

    /// Labels as rates in percent.
    pub(super) fn in_percent(mut self) -> Self {
        for (x, label) in &mut self.ticks {
            *label = format!("{} %", tick(*x * 100.0));
        }
        self
    }

    /// The same axis with ticks at these values only.
    pub(super) fn with_ticks(mut self, ticks: Vec<(f64, String)>) -> Self {
        self.ticks = ticks;
        self
    }

    /// The value in the axis's own units, clamped to its ends.
    pub(super) fn place(&self, x: f64) -> f64 {
        let x = if x.is_nan() {
            self.low
        } else {
            x.clamp(self.low, self.high)
        };
        match self.scale {
            Scale::Linear => x,
            Scale::Log => x.log10(),
        }
    }

    /// Whether the axis covers the value.
    pub(super) fn holds(&self, x: f64) -> bool {
        (self.low..=self.high).contains(&x)
    }
}

fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values
        .filter(|x| x.is_finite())
        .fold(None, |ends, x| match ends {
            None => Some((x, x)),
            Some((low, high)) => Some((x.min(low), x.max(high))),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_has_at_least_two_ticks_within_its_ends() {
        for axis in [
            Axis::log("x", [3.0, 3.1]),
            Axis::log("x", [1.0]),
            Axis::log("x", [0.001, 0.01]),
            Axis::log("x", [5.0, 5e6]),
            Axis::log("x", []),
            Axis::linear("x", [1.44, 1.7]),
            Axis::linear("x", [0.0]),
            Axis::linear("x", []),
        ] {
            assert!(axis.ticks.len() >= 2, "{axis:?}");
            assert!(axis.ticks.len() <= 14, "{axis:?}");
            assert!(axis.ticks.iter().all(|(x, _)| axis.holds(*x)), "{axis:?}");
            assert!(axis.place(f64::NAN).is_finite());
        }
    }
}
