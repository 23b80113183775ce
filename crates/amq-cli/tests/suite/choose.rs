//! `amq choose` answers what the library's `choose` does.
use crate::room::Room;
use amq_advisor::{Answer, Keys, KeysBy, Need, Structure, Workload, choose};
use serde_json::Value;

/// Options, and the same said to the library.
fn asks() -> Vec<(&'static str, Workload)> {
    let million = || Workload::new(Keys::Exactly(1_000_000));
    let at_most = || Workload::new(Keys::AtMost(10_000_000));
    vec![
        ("--keys 1e6", million()),
        ("--keys 1e6 --fpr 1% --static", million().with_fpr(0.01).built_once()),
        ("--keys 500 --fpr 30%", Workload::new(Keys::Exactly(500)).with_fpr(0.3)),
        (
            "--at-most 1e7 --need remove,files --bits-per-key 16 --absent 90%",
            at_most().need(Need::Remove).need(Need::Files).with_bits_per_key(16.0).with_absent(0.9),
        ),
        (
            "--keys 1e6 --bits-per-key 10 --static --false-positive 20us --queries-per-key 10",
            million()
                .with_bits_per_key(10.0)
                .built_once()
                .with_false_positive_ns(20_000.0)
                .with_queries_per_key(10.0),
        ),
        (
            "--unknown-from 1000 --fpr 1/1000",
            Workload::new(Keys::Unknown { start: 1000 }).with_fpr(0.001),
        ),
        (
            "--at-most 1e7 --count 10 --lookup 5us --strangers --bytes 20MB",
            at_most()
                .need(Need::Count { most: 10 })
                .with_lookup_ns(5_000.0)
                .with_keys_by(KeysBy::Strangers)
                .with_bytes(20_000_000),
        ),
        (
            "--at-most 1e7 --need shared-insert,merge --threads 8",
            at_most().need(Need::SharedInsert).need(Need::Merge).with_threads(8),
        ),
        (
            "--keys 1e6 --values 8 --key-bytes 20 --static",
            million().need(Need::Values { bits: 8 }).with_key_bytes(20).built_once(),
        ),
        ("--keys 1e6 --absent 0", million().with_absent(0.0)),
    ]
}

/// What the command says of an answer, in JSON.
fn told(answer: &Answer) -> Vec<Value> {
    // Read back from text, as the command's is.
    let one = |choice: &amq_advisor::Choice| {
        serde_json::json!({
            "bytes": choice.bytes,
            "bits_per_key": choice.bits_per_key,
            "build_bytes": choice.build_bytes,
            "fpr": choice.fpr,
            "grown": choice.grown.map(|growth| {
                serde_json::json!({
                    "mean": growth.mean,
                    "least": growth.least,
                    "most": growth.most,
                })
            }),
            "insert_ns": choice.insert_ns,
            "query_ns": choice.query_ns,
            "remove_ns": choice.remove_ns,
            "cost_ns": choice.cost_ns,
            "reason": choice.reason,
        })
    };
    let text = Value::from_iter(answer.choices.iter().map(one)).to_string();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_command_answers_as_the_library_does() {
    let room = Room::new();
    for (options, workload) in asks() {
        let answer = choose(&workload);
        let run = room.amq(&format!("choose --json {options}"));
        let Ok(answer) = answer else {
            let said = answer.unwrap_err().to_string();
            assert!(run.ends(2).err.contains(&said), "{options}: {said}");
            continue;
        };
        let json: Value = serde_json::from_str(&run.ends(0).text()).unwrap();
        let mut choices = json["choices"].as_array().unwrap().clone();
        assert_eq!(choices.len(), answer.choices.len(), "{options}");
        for (choice, (told, of_library)) in
            choices.iter_mut().zip(told(&answer).iter().zip(&answer.choices))
        {
            let name = choice.as_object_mut().unwrap().remove("structure").unwrap();
            assert_eq!(choice, told, "{options}");
            if let Structure::Filter(kind) = of_library.structure {
                assert_eq!(name, kind.id(), "{options}");
            }
        }
        let rejected = json["rejections"].as_array().unwrap();
        assert_eq!(rejected.len(), answer.rejections.len(), "{options}");
        for (told, of_library) in rejected.iter().zip(&answer.rejections) {
            assert_eq!(told["reason"], of_library.reason.as_str(), "{options}");
        }
        assert_eq!(json["notes"], serde_json::json!(answer.notes), "{options}");
    }
}
