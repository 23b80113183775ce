//! Formats an answer as lines for the page's script.

use crate::{Refused, answered};
use amq_advisor::{Answer, Choice, Rejection};

/// Answers a question in lines of tab-separated fields. The first field is the type of line:
///
/// - `choice`, best first: id, type or name, import, bits per key, bytes, bytes to build it, rate,
///   `at the start` if these are its bytes before it grows, nanoseconds of a query, an insert and
///   in all, `~` if the times are extrapolated, description, reason;
/// - `out`, for each structure that does not qualify: id, type or name, the demand that it fails,
///   reason;
/// - `note`: a remark;
/// - `error`: the error, the options at fault, and the range of a number: see [`Refused`].
pub fn answer(question: &str) -> String {
    match answered(question) {
        Ok(answer) => lines(&answer),
        Err(Refused { why, options, range: [least, most, ends] }) => {
            line(&["error", &why, &options.join(","), &least, &most, &ends])
        }
    }
}

fn lines(answer: &Answer) -> String {
    let choices = answer.choices.iter().map(choice);
    let out = answer.rejections.iter().map(rejection);
    let notes = answer.notes.iter().map(|note| line(&["note", note]));
    choices.chain(out).chain(notes).collect()
}

fn choice(of: &Choice) -> String {
    let number = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
    line(&[
        "choice",
        &of.structure.id(),
        &of.structure.title(),
        &of.structure.import(),
        &of.bits_per_key.to_string(),
        &of.bytes.to_string(),
        &of.build_bytes.to_string(),
        &number(of.rate()),
        if of.grown.is_some() { "at the start" } else { "" },
        &number(of.query_ns),
        &number(of.insert_ns),
        &number(of.cost_ns),
        if of.reckoned { "~" } else { "" },
        &of.what,
        &of.reason,
    ])
}

fn rejection(of: &Rejection) -> String {
    let (id, name) = (of.structure.id(), of.structure.title());
    line(&["out", &id, &name, &of.demand.to_string(), &of.reason])
}

/// Replaces tabs and newlines, which can only be in errors that quote the question.
fn line(fields: &[&str]) -> String {
    let fields: Vec<String> = fields.iter().map(|field| field.replace(['\t', '\n'], " ")).collect();
    fields.join("\t") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload;
    use amq_advisor::{First, Keys, KeysBy, Need, Workload, choose};

    fn first(question: &str) -> String {
        answer(question).lines().next().unwrap().to_owned()
    }

    #[test]
    fn every_option_says_what_it_says_to_the_library() {
        let keys = || Workload::new(Keys::AtMost(1_000_000));
        for (option, said) in [
            ("", keys()),
            ("&fpr=0.001", keys().with_fpr(0.001)),
            ("&bits-per-key=12", keys().with_bits_per_key(12.0)),
            ("&bytes=900000", keys().with_bytes(900_000)),
            ("&absent=0.9", keys().with_absent(0.9)),
            ("&false-positive=20000", keys().with_false_positive_ns(20_000.0)),
            ("&lookup=100", keys().with_lookup_ns(100.0)),
            ("&queries-per-key=10", keys().with_queries_per_key(10.0)),
            ("&copies=3", keys().with_copies(3.0)),
            ("&filters=50", keys().with_filters(50)),
            ("&threads=8", keys().with_threads(8)),
            ("&key-bytes=20", keys().with_key_bytes(20)),
            ("&changes=500", keys().with_changes(500)),
            ("&integers-below=3000000", keys().with_integers_below(3_000_000)),
            ("&count=10", keys().need(Need::Count { most: 10 })),
            ("&values=8", keys().need(Need::Values { bits: 8 })),
            ("&forget=7", keys().need(Need::Forget { generations: 7 })),
            ("&first=time", keys().with_first(First::Time)),
            ("&first=tail", keys().with_first(First::Tail)),
            ("&first=memory", keys().with_first(First::Memory)),
            ("&static", keys().built_once()),
            ("&strangers", keys().with_keys_by(KeysBy::Strangers)),
            ("&need=remove,list", keys().need(Need::Remove).need(Need::List)),
            ("&need=merge", keys().need(Need::Merge)),
            ("&need=grow", keys().need(Need::Grow)),
            ("&need=shared-insert", keys().need(Need::SharedInsert)),
            ("&need=files", keys().need(Need::Files)),
            ("&need=exact", keys().need(Need::Exact)),
        ] {
            assert_eq!(workload(&format!("keys=1000000{option}")), Ok(said), "{option}");
        }
        let at = |question: &str| workload(question).unwrap().keys();
        // As in links to an earlier page.
        assert_eq!(at("static=&at-most=7"), Keys::AtMost(7));
        assert_eq!(at("unknown-from=7"), Keys::Unknown { start: 7 });
    }

    #[test]
    fn what_cannot_be_asked_is_answered_by_what_is_wrong() {
        for (question, said) in [
            ("", "how many keys?"),
            ("fpr=0.01", "how many keys?"),
            ("unknown-from=10&at-most=90", "how many keys? There can be one of"),
            ("keys=-1", "keys: -1 is no whole number up to 18446744073709551615"),
            ("keys=10&fpr=a\tb", "fpr: a b is not a number"),
            ("keys=10&fpr=", "fpr:  is not a number"),
            ("keys=10&need=fly", "unknown need fly"),
            (
                "keys=10&need=range",
                "no filter of this family tells whether any key lies in a range",
            ),
            ("keys=10&wings=2", "there is no option wings"),
            ("keys=10&wings", "there is no option wings"),
            ("keys=10&first=me", "first: memory, time or tail, not me"),
            ("keys=10&need=remove,range", "no filter of this family tells whether any key lies in"),
            ("keys=10&fpr=2", "fpr = 2 is not possible"),
            (
                "keys=1000000&bits-per-key=2&need=list",
                "no filter offers both listing what is in and",
            ),
        ] {
            let found = first(question);
            assert!(found.starts_with(&format!("error\t{said}")), "{question}: {found}");
        }
    }

    #[test]
    fn an_error_names_the_options_and_the_range_of_a_number() {
        let most = u32::MAX;
        for (question, told) in [
            ("fpr=0.01", "number\t\t\t".to_owned()),
            ("at-most=0&absent=0.5", "at-most\t1\t\tclosed".into()),
            ("keys=1.5", format!("keys\t\t{}\twhole", u64::MAX)),
            ("keys=10&threads=0", "threads\t1\t\tclosed".into()),
            ("keys=10&threads=5e9", format!("threads\t\t{most}\twhole")),
            ("keys=10&fpr=1&static", "fpr\t0\t1\topen".into()),
            ("keys=10&fpr=0.1&absent=1.5", "absent\t0\t1\tclosed".into()),
            ("keys=10&bits-per-key=0", "bits-per-key\t0\t\topen".into()),
            ("keys=10&queries-per-key=0", "queries-per-key\t0\t\topen".into()),
            ("keys=10&count=0", "count\t1\t\tclosed".into()),
            ("keys=10&values=65", "values\t1\t32\tclosed".into()),
            ("keys=10&forget=1", "forget\t2\t4096\tclosed".into()),
            // Each of the two, a need by its word.
            ("keys=10&static&need=remove,grow", "static,grow\t\t\t".into()),
            ("unknown-from=10&static", "static\t\t\t".into()),
            ("keys=10&need=remove,fly", "fly\t\t\t".into()),
            ("keys=1000000&need=reconcile", "reconcile\t\t\t".into()),
            // Each demand of a conflict.
            ("keys=1000000&fpr=0.01&absent=0.9&bytes=500000", "fpr,bytes\t\t\t".into()),
        ] {
            let error = first(question);
            let (said, found) = error.split_at(error.match_indices('\t').nth(1).unwrap().0 + 1);
            assert_eq!(found, told, "{said}");
        }
    }

    #[test]
    fn the_answer_is_the_librarys() {
        let question = "at-most=1000000&fpr=0.01&need=remove";
        let asked = workload(question).unwrap();
        let (told, known) = (answer(question), choose(&asked).unwrap());
        let of = |kind: &str| -> Vec<Vec<&str>> {
            let lines = told.lines().map(|line| line.split('\t').collect::<Vec<_>>());
            lines.filter(|fields| fields[0] == kind).collect()
        };
        let (choices, best) = (of("choice"), known.best());
        assert_eq!(choices.len(), known.choices.len());
        assert!(choices.iter().all(|fields| fields.len() == 15));
        assert_eq!(choices[0][1], best.structure.id());
        assert_eq!(choices[0][4].parse(), Ok(best.bits_per_key));
        assert_eq!(choices[0][14], best.reason);
        assert_eq!(
            (of("out").len(), of("note").len()),
            (known.rejections.len(), known.notes.len())
        );
        assert!(of("out").iter().all(|fields| fields.len() == 5));
    }

    #[test]
    fn the_page_and_the_module_pass_bytes_to_each_other() {
        let question = "keys=1000";
        // Writing the question, as the page does, would need unsafe code here.
        assert!(!crate::room(question.len()).is_null());
        crate::text().copy_from_slice(question.as_bytes());
        assert_eq!(crate::ask(), answer(question).len());
        assert!(!crate::told().is_null());
        assert_eq!(*crate::text(), answer(question).into_bytes());
    }
}
