//! Which filter to take: the advisor.

use crate::make::{Options, named};
use crate::number::Natural;
use amq_advisor::{Answer, Choice, First, Keys, KeysBy, Need, NeedError, Workload};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// A filter that qualifies, with what it costs and why it stands where it does.
#[pyclass(frozen, name = "Choice", module = "amq", get_all)]
#[derive(Debug)]
pub(crate) struct Chosen {
    /// The kind's name, as in files and the command; "exact-set" or "none" if no filter is best.
    kind: String,
    /// The class of this module, or of Python; the type of Rust where there is none, such as
    /// Sharded.
    class_name: String,
    /// What it is, in a sentence.
    what: String,
    /// Why it stands where it does.
    reason: String,
    size_in_bytes: u64,
    bits_per_key: f64,
    /// Peak bytes while it is built.
    build_bytes: u64,
    /// The false-positive rate.
    expected_fpr: f64,
    /// Nanoseconds, measured or reckoned; None if nobody measured.
    insert_ns: Option<f64>,
    query_ns: Option<f64>,
    remove_ns: Option<f64>,
    /// What one insert in a thousand exceeds.
    tail_ns: Option<f64>,
}

#[pymethods]
impl Chosen {
    fn __repr__(&self) -> String {
        format!(
            "<amq.Choice: {}, {:.2} bits per key, rate {:.3} %: {}>",
            self.kind,
            self.bits_per_key,
            self.expected_fpr * 100.0,
            self.reason
        )
    }
}

impl From<&Choice> for Chosen {
    fn from(choice: &Choice) -> Self {
        Self {
            kind: choice.structure.id(),
            class_name: match choice.structure.type_name().as_str() {
                "HashSet" => "set".into(),
                "HashMap" => "dict".into(),
                other => other.into(),
            },
            what: choice.what.clone(),
            reason: choice.reason.clone(),
            size_in_bytes: choice.bytes,
            bits_per_key: choice.bits_per_key,
            build_bytes: choice.build_bytes,
            expected_fpr: choice.fpr,
            insert_ns: choice.insert_ns,
            query_ns: choice.query_ns,
            remove_ns: choice.remove_ns,
            tail_ns: choice.tail_ns,
        }
    }
}

/// What amq.choose answers; prints itself as a table with the reasons.
#[pyclass(frozen, name = "Advice", module = "amq")]
#[derive(Debug)]
pub(crate) struct Advice(Answer);

#[pymethods]
impl Advice {
    /// The first choice.
    #[getter]
    fn best(&self) -> Chosen {
        self.0.best().into()
    }

    /// All that qualify, best first.
    #[getter]
    fn choices(&self) -> Vec<Chosen> {
        self.0.choices.iter().map(Chosen::from).collect()
    }

    /// Those that do not: pairs of the kind's name and the reason.
    #[getter]
    fn rejections(&self) -> Vec<(String, String)> {
        let rejections = self.0.rejections.iter();
        rejections.map(|rejected| (rejected.structure.id(), rejected.reason.clone())).collect()
    }

    /// What else to know.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let best = self.0.best();
        let kind = best.structure.id();
        format!("<amq.Advice: {kind} and {} others; print it>", self.0.choices.len() - 1)
    }
}

/// Which filter to take for a workload, and why: what qualifies is ranked, and what does not is
/// rejected with the reason. Raises ValueError, naming two demands, if nothing meets all.
///
/// The number of keys is one of keys, the most there will be, and unknown_from. Demands: fpr,
/// bits_per_key, bytes; static=True (built once from all keys); need, a list of "remove", "list",
/// "merge", "grow", "shared-insert", "files" and "exact"; count, the most copies of a key to be
/// told apart, and copies, their mean; forget, a number of generations; values, bits of a value for
/// each key; first, "memory", "time" or "tail", that of inserts. What helps to rank: absent, the
/// share of queries for keys that are not in; false_positive_ns, lookup_ns, queries_per_key,
/// threads, filters, key_bytes, changes, integers_below; strangers=True if they choose the keys.
/// (at_most is another name of keys.)
///
/// >>> import amq
/// >>> advice = amq.choose(at_most=10**6, fpr=0.01, need=["remove"])
/// >>> advice.best.class_name
/// 'WindowedCuckooFilter'
/// >>> amq.choose(keys=10**6, fpr=0.01, static=True).best.kind
/// 'ribbon'
#[pyfunction]
#[pyo3(signature = (keys=None, **demands))]
pub(crate) fn choose(
    py: Python<'_>,
    keys: Option<Natural>,
    demands: Option<&Bound<'_, PyDict>>,
) -> PyResult<Advice> {
    let options = Options(demands.cloned());
    let (at_most, start) = (options.take("at_most")?, options.take("unknown_from")?);
    let keys = match (keys, at_most, start) {
        (Some(keys), None, None) | (None, Some(keys), None) => Keys::AtMost(keys.0),
        (None, None, Some(Natural(start))) => Keys::Unknown { start },
        _ => return Err(PyValueError::new_err("give one of keys, at_most and unknown_from")),
    };
    let mut workload = Workload::new(keys);
    for (name, value) in demands.into_iter().flatten() {
        if !value.is_none() {
            let name: String = name.extract()?;
            workload = match with(workload, &name, &value) {
                Ok(workload) => workload,
                Err(error) => return Err(named(&value, &name, error)?),
            };
        }
    }
    let answer = py.detach(|| amq_advisor::choose(&workload));
    answer.map(Advice).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The workload with one demand more.
fn with(workload: Workload, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Workload> {
    let natural = || value.extract::<Natural>().map(|number| number.0);
    Ok(match name {
        "fpr" => workload.with_fpr(value.extract()?),
        "bits_per_key" => workload.with_bits_per_key(value.extract()?),
        "bytes" => workload.with_bytes(natural()?),
        "static" if value.is_truthy()? => workload.built_once(),
        "need" => {
            if value.is_instance_of::<PyString>() {
                return Err(PyTypeError::new_err("give a list of what is needed"));
            }
            let mut workload = workload;
            for need in value.try_iter()? {
                workload = workload.need(need_of(&need?)?);
            }
            workload
        }
        "count" => workload.need(Need::Count { most: value.extract()? }),
        "copies" => workload.with_copies(value.extract()?),
        "forget" => workload.need(Need::Forget { generations: value.extract()? }),
        "values" => workload.need(Need::Values { bits: value.extract()? }),
        "absent" => workload.with_absent(value.extract()?),
        "first" => workload.with_first(match value.extract::<String>()?.as_str() {
            "memory" => First::Memory,
            "time" => First::Time,
            "tail" => First::Tail,
            other => {
                let text = format!("{other:?} is none of \"memory\", \"time\" and \"tail\"");
                return Err(PyValueError::new_err(text));
            }
        }),
        "false_positive_ns" => workload.with_false_positive_ns(value.extract()?),
        "lookup_ns" => workload.with_lookup_ns(value.extract()?),
        "queries_per_key" => workload.with_queries_per_key(value.extract()?),
        "threads" => workload.with_threads(value.extract()?),
        "filters" => workload.with_filters(natural()?),
        "strangers" if value.is_truthy()? => workload.with_keys_by(KeysBy::Strangers),
        "static" | "strangers" => workload,
        "key_bytes" => workload.with_key_bytes(natural()?),
        "changes" => workload.with_changes(natural()?),
        "integers_below" => workload.with_integers_below(natural()?),
        _ => return Err(PyTypeError::new_err("there is no such demand: see help(amq.choose)")),
    })
}

fn need_of(need: &Bound<'_, PyAny>) -> PyResult<Need> {
    let need = need.extract::<String>()?.parse();
    need.map_err(|error: NeedError| PyValueError::new_err(error.to_string()))
}
