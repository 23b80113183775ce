//! The answer to `amq choose`, for people and for programs. Kinds have the names of --kind.

use crate::numbers::{bytes_text, rate_text};
use crate::table::{table, wrapped};
use amq_advisor::{Answer, Choice, Structure, Times};
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
            format!("{:>2}  {}", index + 1, choice.structure.id()),
            format!("{:.2}", choice.bits_per_key),
            bytes_text(choice.bytes),
        ];
        row.extend(more.then(|| bytes_text(choice.build_bytes)));
        // A map gives some value to every key: it has no rate.
        let is_map = choice.structure == Structure::Map;
        row.push(if is_map { "-".into() } else { rate_text(choice.fpr) });
        let times = [choice.insert_ns, choice.query_ns, choice.cost_ns];
        row.extend(times.map(|time| nanoseconds(time, choice.reckoned)));
        row
    };
    let rows: Vec<Vec<String>> = choices.iter().enumerate().map(row).collect();
    let mut text = table(&head, &rows) + "\n";
    for (index, choice) in choices.iter().enumerate() {
        let said = format!("{}: {} {}", choice.structure.id(), choice.what, choice.reason);
        text += &wrapped(&format!("{:>2}  ", index + 1), &said);
    }
    if !answer.rejections.is_empty() {
        text += "\nNot considered:\n";
    }
    for rejection in &answer.rejections {
        text += &wrapped(" -  ", &format!("{}: {}", rejection.structure.id(), rejection.reason));
    }
    text += "\nTo know:\n";
    for note in &answer.notes {
        text += &wrapped(" -  ", note);
    }
    text
}

/// A dash if nobody has measured them; with a mark if they are reckoned.
fn nanoseconds(time: Option<f64>, reckoned: bool) -> String {
    let mark = if reckoned { "~" } else { "" };
    match time {
        None => "-".into(),
        Some(ns) if ns < 99.5 => format!("{mark}{ns:.1}"),
        Some(ns) if ns < 1e6 => format!("{mark}{ns:.0}"),
        Some(ns) => format!("{mark}{ns:.2e}"),
    }
}

/// The answer as one JSON object.
pub(crate) fn in_json(answer: &Answer, times: &Times) -> Value {
    let choice = |choice: &Choice| {
        json!({
            "structure": choice.structure.id(),
            "type": choice.structure.type_name(),
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
            "tail_ns": choice.tail_ns,
            "cost_ns": choice.cost_ns,
            "reckoned": choice.reckoned,
            "what": choice.what,
            "reason": choice.reason,
        })
    };
    let rejections = answer.rejections.iter().map(|rejection| {
        json!({
            "structure": rejection.structure.id(),
            "demand": rejection.demand.to_string(),
            "reason": rejection.reason,
        })
    });
    let front = answer.front.iter().map(|point| {
        json!({
            "structure": point.structure.id(),
            "bits_per_key": point.bits_per_key,
            "fpr": point.fpr,
            "cost_ns": point.cost_ns,
        })
    });
    json!({
        "choices": answer.choices.iter().map(choice).collect::<Vec<_>>(),
        "front": front.collect::<Vec<_>>(),
        "rejections": rejections.collect::<Vec<_>>(),
        "exact_set": {
            "bytes": answer.exact_set.bytes,
            "query_ns": answer.exact_set.query_ns,
        },
        "without_ns": answer.without_ns,
        "notes": answer.notes,
        "times": { "date": times.date(), "processor": times.processor() },
    })
}
