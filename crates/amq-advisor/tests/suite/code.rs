//! The code of every choice compiles, and makes what the answer says. `code.in` has all of it:
//! `AMQ_BLESS=1 cargo test -p amq-advisor --test suite code` writes that file anew.

use amq_advisor::{Choice, Keys, KeysBy, Need, Workload, choose};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What some code makes: its bytes.
type Made = Result<u64, Box<dyn std::error::Error>>;

#[allow(unused_mut, unused_variables, clippy::all, clippy::pedantic)]
mod made {
    use super::Made;

    include!("code.in");
}

const KEYS: u64 = 200_000;

/// Every way to use a filter: each wrapper, each way to grow, each kind of budget.
fn workloads() -> Vec<Workload> {
    let keys = [Keys::AtMost(KEYS), Keys::Unknown { start: KEYS }];
    let bases: Vec<Workload> = keys.into_iter().map(Workload::new).collect();
    let once = bases[0].clone().built_once();
    let grows = bases[0].clone().need(Need::Grow);
    let bases = [once, grows].into_iter().chain(bases);
    let bases: Vec<Workload> = bases.collect();
    let add = |all: &mut Vec<Workload>, needs: &[Need]| {
        for &need in needs {
            all.extend(all.clone().into_iter().map(|it| it.need(need)));
        }
    };
    let mut all: Vec<Workload> = bases.iter().map(|it| it.clone().with_fpr(0.01)).collect();
    let [threads, window] = [Need::SharedInsert, Need::Forget { generations: 5 }];
    let others = [Need::Remove, Need::Count { most: 2 }, Need::List, Need::Values { bits: 8 }];
    add(&mut all, &[threads, window]);
    add(&mut all, &others);
    let bits = bases.iter().map(|it| it.clone().with_bits_per_key(40.0));
    let mut sized: Vec<Workload> = bits.collect();
    sized.push(bases[2].clone().with_bytes(8 * KEYS));
    add(&mut sized, &[threads, window]);
    let strange = bases.into_iter().map(|it| it.with_keys_by(KeysBy::Strangers));
    let mut strange: Vec<Workload> = strange.collect();
    add(&mut strange, &[threads, window, Need::List, Need::Values { bits: 8 }]);
    all.into_iter().chain(sized).chain(strange).collect()
}

/// The code of all choices, each with one of them.
fn all() -> BTreeMap<String, Choice> {
    let answers = workloads().into_iter().filter_map(|workload| choose(&workload).ok());
    let choices = answers.flat_map(|answer| answer.choices);
    choices.filter(|it| !it.code.is_empty()).map(|it| (it.code.clone(), it)).collect()
}

fn written<'a>(all: impl Iterator<Item = &'a String>) -> String {
    let (mut text, mut list) = (String::new(), String::new());
    for (index, code) in all.enumerate() {
        let name = code.rsplit("let ").next().unwrap().split(" =").next().unwrap();
        let name = name.trim_start_matches("mut ");
        let is_keyed = code.contains("Keyed");
        let size = match name {
            "periods" if is_keyed => "periods.iter().map(|it| it.stats().bytes).sum()",
            "periods" => "periods.iter().map(amq::Filter::size_in_bytes).sum()",
            "map" => "map.size_in_bytes()",
            "filter" if is_keyed => "filter.stats().bytes",
            _ => "amq::Filter::size_in_bytes(&filter)",
        };
        let secret = match (is_keyed, code.contains("secret")) {
            (true, _) => "let secret = [7; 16];\n",
            (_, true) => "let secret = 7;\n",
            _ => "",
        };
        let shared = match code.contains("filter.by_ref()") {
            true => "filter.by_ref().insert(&7u64)?;\nassert!(filter.contains(&7u64));\n",
            false => "",
        };
        let _ = writeln!(
            text,
            "fn made_{index}(keys: Vec<u64>, pairs: Vec<(u64, u32)>) -> Made {{\n{secret}{code}\n{shared}Ok({size})\n}}\n"
        );
        let _ = writeln!(list, "(r#\"{code}\"#, made_{index}),");
    }
    text + "pub(super) const ALL: &[(&str, fn(Vec<u64>, Vec<(u64, u32)>) -> Made)] = &[\n"
        + &list
        + "];\n"
}

#[test]
fn the_code_of_every_choice_makes_what_is_said() {
    let all = all();
    if std::env::var_os("AMQ_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/code.in");
        return std::fs::write(path, written(all.keys())).unwrap();
    }
    let known: BTreeMap<_, _> = made::ALL.iter().copied().collect();
    assert_eq!(known.len(), all.len(), "bless tests/suite/code.in");
    let mut wrappers = BTreeMap::new();
    for (code, choice) in &all {
        let make = known.get(code.as_str());
        let make = make.unwrap_or_else(|| panic!("bless tests/suite/code.in: {code}"));
        let keys = choice.goal.unwrap().keys;
        let pairs = (0..keys).map(|key| (key, key as u32 % 256)).collect();
        let bytes =
            make((0..keys).collect(), pairs).unwrap_or_else(|error| panic!("{error}: {code}"));
        let said = choice.bytes;
        // What grows to a bound begins with fewer bytes than it will have.
        let is_begun = code.contains("plan_growing") || code.contains("plan_params");
        // Built filters are sized for the keys they are given, and may take another attempt.
        let is_built = code.contains("::build");
        match (is_begun, is_built) {
            (true, _) => assert!(bytes < said, "{bytes} of {said}: {code}"),
            (_, true) => assert!(bytes.abs_diff(said) * 50 <= said, "{bytes}, not {said}: {code}"),
            _ => assert_eq!(bytes, said, "{code}"),
        }
        let wrapper =
            choice.structure.id().replace(choice.structure.kind().map_or("", |it| it.id()), "");
        *wrappers.entry(wrapper).or_insert(0) += 1;
    }
    let named: Vec<_> = wrappers.keys().map(String::as_str).collect();
    let every = [
        "",
        "atomic-",
        "periodic-",
        "ribbon-map",
        "rolling-",
        "sharded-",
        "sharded-periodic-",
        "sharded-rolling-",
    ];
    assert_eq!(named, every, "{wrappers:?}");
}
