//! The answer to `amq choose`, for people and for programs. Kinds have the names of --kind.

use crate::numbers::{bytes_text, rate_text};
use crate::table::{table, wrapped};
use amq_advisor::{Answer, Choice, Structure, times_source};
use serde_json::{Value, json};

/// The choices as a table, a sentence for each, the rejections and why, and what else to know.
pub(crate) fn in_words(answer: &Answer) -> String {
    let choices = &answer.choices;
    // Only ribbons take more while they are built.
    let more = choices.iter().any(|choice| choice.build_bytes != choice.bytes);
    let mut head = vec!["", "bits/\nkey", "size", "to\nbuild", "rate"];
    if !more {
        head.retain(|name| *name != "to\nbuild");
    }
    head.extend(["insert,\nns", "query,\nns", "total,\nns"]);
    let row = |(index, choice): (usize, &Choice)| {
        let mut row = vec![
            format!("{:>2}  {}", index + 1, id(choice.structure)),
            format!("{:.2}", choice.bits_per_key),
            bytes_text(choice.bytes),
        ];
        row.extend(more.then(|| bytes_text(choice.build_bytes)));
        row.push(rate_text(choice.fpr));
        row.extend([choice.insert_ns, choice.query_ns, choice.cost_ns].map(nanoseconds));
        row
    };
    let rows: Vec<Vec<String>> = choices.iter().enumerate().map(row).collect();
    let mut text = table(&head, &rows) + "\n";
    for (index, choice) in choices.iter().enumerate() {
        let reason = format!("{}: {}", id(choice.structure), choice.reason);
        text += &wrapped(&format!("{:>2}  ", index + 1), &reason);
    }
    if !answer.rejections.is_empty() {
        text += "\nNot considered:\n";
    }
    for rejection in &answer.rejections {
        text += &wrapped(" -  ", &format!("{}: {}", id(rejection.structure), rejection.reason));
    }
    text += "\nTo know:\n";
    for note in &answer.notes {
        text += &wrapped(" -  ", note);
    }
    text
}

/// A dash if nobody has measured them.
fn nanoseconds(time: Option<f64>) -> String {
    match time {
        None => "-".into(),
        Some(ns) if ns < 99.5 => format!("{ns:.1}"),
        Some(ns) if ns < 1e6 => format!("{ns:.0}"),
        Some(ns) => format!("{ns:.2e}"),
    }
}

/// The answer as one JSON object.
pub(crate) fn in_json(answer: &Answer) -> Value {
    let choice = |choice: &Choice| {
        json!({
            "structure": id(choice.structure),
            "bytes": choice.bytes,
            "bits_per_key": choice.bits_per_key,
            "build_bytes": choice.build_bytes,
            "fpr": choice.fpr,
            "grown": choice.grown.map(|growth| {
                json!({ "mean": growth.mean, "least": growth.least, "most": growth.most })
            }),
            "insert_ns": choice.insert_ns,
            "query_ns": choice.query_ns,
            "remove_ns": choice.remove_ns,
            "cost_ns": choice.cost_ns,
            "reason": choice.reason,
        })
    };
    let rejections = answer.rejections.iter().map(|rejection| {
        json!({
            "structure": id(rejection.structure),
            "demand": rejection.demand.to_string(),
            "reason": rejection.reason,
        })
    });
    json!({
        "choices": answer.choices.iter().map(choice).collect::<Vec<_>>(),
        "rejections": rejections.collect::<Vec<_>>(),
        "exact_set": {
            "bytes": answer.exact_set.bytes,
            "query_ns": answer.exact_set.query_ns,
        },
        "without_ns": answer.without_ns,
        "notes": answer.notes,
        "times": times_source(),
    })
}

/// The name of a structure; of a filter, the one that --kind takes.
fn id(structure: Structure) -> String {
    match structure {
        Structure::Filter(kind) => kind.id().into(),
        Structure::Sharded(kind) => format!("sharded-{}", kind.id()),
        Structure::AtomicBloom => "atomic-bloom".into(),
        Structure::AtomicBlockedBloom => "atomic-blocked-bloom".into(),
        Structure::Map => "ribbon-map".into(),
        Structure::ExactSet => "exact-set".into(),
        Structure::Nothing => "none".into(),
        other => other.to_string(),
    }
}
