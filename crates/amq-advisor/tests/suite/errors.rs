//! `Debug` of every error is its text: a `main` that returns an error prints it by `Debug`.

use amq::sharded::Sharded;
use amq::{
    AnyError, AnyFilter, BatchInsertError, BloomFilter, Budget, BuildError, CuckooFilter,
    DecodeError, FilterFile, FilterKind, Goal, InsertError, InterleavedBloomFilter, KeyHash,
    LengthMismatch, MergeError, PlanError, QuotientFilter, ReadError, RibbonMap, UnevenHashes,
};
use amq_advisor::engines::Engine;
use amq_advisor::{Keys, Need, Workload, choose};
use std::any::type_name;
use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::Path;

/// The type's name, after a look at its texts: `{:?}` and `{:#?}` are `{}`.
fn speaks<E: Error>(error: &E) -> String {
    let text = error.to_string();
    assert!(text.contains(' '), "a sentence: {text}");
    assert_eq!(format!("{error:?}"), text);
    assert_eq!(format!("{error:#?}"), text);
    type_name::<E>().rsplit("::").next().unwrap().to_string()
}

/// The names of all errors there are, each after a look at one value.
fn heard() -> BTreeSet<String> {
    let goal = Goal::fpr(100, 0.01);
    let plan = PlanError::Fpr { fpr: 1.5 };
    let full = InsertError::Copies { copies: 8 };
    let mut bloom = AnyFilter::new(FilterKind::Bloom, goal).unwrap();
    let unsupported = bloom.remove("key").unwrap_err();
    let hundred = Workload::new(Keys::AtMost(100));
    let refused = [
        hundred.clone().with_fpr(2.0),
        hundred.clone().with_fpr(0.01).built_once().need(Need::List).with_bits_per_key(2.0),
        Workload::new(Keys::Unknown { start: 9 }).built_once(),
        hundred.need(Need::Range),
    ];
    for workload in refused {
        assert_eq!(speaks(&choose(&workload).unwrap_err()), "ChooseError");
    }
    let sharded = Sharded::<CuckooFilter>::new(goal, 2).unwrap();
    let refused = sharded.insert_batch(&[KeyHash::new(7); 1000]).unwrap_err();
    let mut quotient = QuotientFilter::build(goal, 0..100u64).unwrap();
    let missing = AnyFilter::load("no such file").unwrap_err();
    let undecodable = ReadError::from(DecodeError::Magic);
    assert_eq!(speaks(&missing), speaks(&undecodable));
    BTreeSet::from([
        speaks(&plan),
        speaks(&BuildError::from(plan)),
        speaks(&full),
        speaks(&UnevenHashes::new(1000, 7)),
        speaks(&BatchInsertError { done: 3, error: full }),
        speaks(&MergeError::Seeds),
        speaks(&DecodeError::Magic),
        speaks(&missing),
        speaks(&LengthMismatch { keys: 2, answers: 1 }),
        speaks(&"blom".parse::<FilterKind>().unwrap_err()),
        speaks(&BloomFilter::new(goal).unwrap().fold(7).unwrap_err()),
        speaks(&quotient.shrink().unwrap_err()),
        speaks(&RibbonMap::build(2, [(1u8, 9)]).unwrap_err()),
        speaks(&unsupported),
        speaks(&AnyError::from(unsupported)),
        speaks(&"wings".parse::<Need>().unwrap_err()),
        speaks(&Engine::PostgreSql { columns: 99 }.setting(100, 0.01).unwrap_err()),
        speaks(&choose(&Workload::new(Keys::AtMost(0))).unwrap_err()),
        speaks(&"0".parse::<amq::SipKey>().unwrap_err()),
        speaks(&refused),
        speaks(&InterleavedBloomFilter::new(2, goal).unwrap().insert(7, "key").unwrap_err()),
        speaks(&quotient.truncate(Budget::Fpr(1e-9)).unwrap_err()),
        speaks(&Sharded::<BloomFilter>::from_shards_unchecked(Vec::new(), 1).unwrap_err()),
    ])
}

/// The names of the types that implement `Error` in the sources of a folder.
fn written(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            written(&path, names);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for line in text.lines() {
            let name = line.strip_prefix("impl").and_then(|rest| rest.split("Error for ").nth(1));
            names.extend(name.and_then(|name| name.split([' ', '<']).next()).map(String::from));
        }
        // By the macro of the core: after the type, or around it.
        for told in text.split("amq_core::impl_error!").skip(1) {
            let name = match told.strip_prefix('(') {
                Some(rest) => rest.split(')').next(),
                None => {
                    told.split("pub enum ").nth(1).and_then(|rest| rest.split([' ', '<']).next())
                }
            };
            names.extend(name.map(String::from));
        }
    }
}

#[test]
fn the_debug_of_every_error_is_its_text() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(crates).unwrap() {
        let entry = entry.unwrap();
        // The command is no library: its one error is private. The functions for DataFusion and the
        // policy for SlateDB are workspaces of their own.
        let name = entry.file_name().into_string().unwrap();
        let has_others = ["amq-cli", "amq-datafusion", "amq-slatedb"].contains(&name.as_str());
        if name.starts_with("amq") && !has_others {
            written(&entry.path().join("src"), &mut names);
        }
    }
    assert_eq!(names, heard());
}
