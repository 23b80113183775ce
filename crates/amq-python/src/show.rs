//! How a filter shows itself in a notebook.

use crate::filter::Filter;
use crate::shown::class_of;
use amq::Stats;
use pyo3::prelude::*;

#[pymethods]
impl Filter {
    /// What Jupyter shows: a bar of the keys that are in out of those planned for, and the numbers.
    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let class = class_of(slf)?;
        let state = slf.get().read(slf.py());
        Ok(html(&class, &state.stats(), &state.described()))
    }
}

fn html(class: &str, stats: &Stats, text: &str) -> String {
    let share = match stats.capacity {
        0 => 0.0,
        capacity => stats.len as f64 / capacity as f64,
    };
    let (width, colour) = match share {
        past if past > 1.0 => (100.0, "#c0392b"),
        share => (share * 100.0, "#2e7d5b"),
    };
    let text = text.split_once(": ").map_or(text, |(_, numbers)| numbers);
    format!(
        "<div><b>amq.{class}</b>\
         <div role=\"meter\" aria-valuemin=\"0\" aria-valuemax=\"100\" aria-valuenow=\"{width:.0}\" \
         style=\"width:20em;height:.6em;background:#8884;border-radius:.3em\">\
         <div style=\"width:{width:.1}%;height:100%;background:{colour};border-radius:.3em\"></div>\
         </div><small>{text}</small></div>"
    )
}
