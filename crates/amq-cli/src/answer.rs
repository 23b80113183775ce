//! The answer to `amq choose` for programs. Kinds have the names of --kind.

use amq_advisor::{Answer, Choice, ChooseError, Demand, Need, Times};
use serde_json::{Value, json};

/// The answer as one JSON object.
pub(crate) fn in_json(answer: &Answer, build: Option<String>) -> Value {
    let rejections = answer.rejections.iter().map(|rejection| {
        json!({
            "structure": rejection.structure.id(),
            "demand": rejection.demand.to_string(),
            "reason": rejection.reason,
        })
    });
    let exact = answer.exact.iter().map(|it| {
        json!({
            "structure": it.structure.id(),
            "bytes": it.bytes,
            "bits_per_key": it.bits_per_key,
            "query_ns": it.query_ns,
        })
    });
    let times = Times::committed();
    json!({
        "choices": answer.choices.iter().map(choice).collect::<Vec<_>>(),
        "rejections": rejections.collect::<Vec<_>>(),
        "exact": exact.collect::<Vec<_>>(),
        "without_ns": answer.without_ns,
        "notes": answer.notes,
        "build": build,
        "times": { "date": times.date(), "processor": times.processor() },
    })
}

fn choice(choice: &Choice) -> Value {
    json!({
        "structure": choice.structure.id(),
        "type": choice.structure.type_name(),
        "bytes": choice.bytes,
        "bits_per_key": choice.bits_per_key,
        "build_bytes": choice.build_bytes,
        // A map without check bits returns a value for every key: it has no rate.
        "fpr": choice.rate(),
        "check_bits": choice.check_bits(),
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
        "code": choice.code,
        "reason": choice.reason,
    })
}

/// What is wrong with the command line or a file, as one JSON object.
pub(crate) fn error_in_json(error: &str) -> Value {
    json!({ "error": error })
}

/// A refusal as one JSON object: its text; the conflicting demands, each with the best choice once
/// it is dropped; and an alternative where no filter of this family does the job.
pub(crate) fn refusal_in_json(error: &ChooseError) -> Value {
    let (mut demands, mut ways_out, mut instead) = (Vec::new(), Vec::new(), Vec::new());
    match error {
        ChooseError::Conflict(conflict) => {
            let all = [conflict.first, conflict.second].into_iter().chain(conflict.further.clone());
            demands.extend(all.map(|demand| demand.to_string()));
            ways_out.extend(conflict.ways_out.iter().map(|(demand, first)| {
                let without = match demand {
                    Demand::Keys(_) => "growth beyond any bound".into(),
                    _ => demand.to_string(),
                };
                json!({ "without": without, "choice": choice(first) })
            }));
        }
        ChooseError::Contradiction { first, second, .. } => {
            demands.extend([first.clone(), second.clone()]);
        }
        ChooseError::Invalid { name, .. } => demands.push((*name).into()),
        ChooseError::Unsupported(needs) => instead.extend(needs.iter().map(|it| {
            let words = Need::WORDS.into_iter().find(|(.., need)| *need == it.need);
            json!({
                "need": words.map(|(word, ..)| word),
                "wanted": it.wanted,
                "take": it.take,
                "bytes": it.bytes,
            })
        })),
        _ => {}
    }
    json!({
        "error": error.to_string(),
        "demands": demands,
        "ways_out": ways_out,
        "instead": instead,
    })
}
