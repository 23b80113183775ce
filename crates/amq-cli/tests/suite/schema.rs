//! What `amq info --json` prints, against the tables of FIELDS.md: of every committed file.

use crate::room::Room;
use amq::{
    AnyFile, AnyFilter, DecodeError, Goal, KeyHash, LoadOptions, Parameter, ParameterValue,
    ReadError, Secret,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const FIELDS: &str = "| field | type | what it is |\n";
const PARAMETERS: &str = "| kinds | parameter | type | unit |\n| --- | --- | --- | --- |\n";

/// The page up to the rows of the table with this head, the rows, and the page after them.
fn split<'a>(page: &'a str, head: &str) -> [&'a str; 3] {
    let first = page.find(head).unwrap() + head.len();
    let (_, rest) = page.split_at(first);
    let rows = rest.split_inclusive('\n').take_while(|line| line.starts_with('|'));
    let (table, after) = rest.split_at(rows.map(str::len).sum());
    [&page[..first], table, after]
}

/// The fields of every line, with their types.
fn fields() -> Vec<(String, String)> {
    let [_, rows, _] = split(include_str!("../../FIELDS.md"), FIELDS);
    let cells = rows.lines().skip(1).map(|row| row.split('|').skip(1).take(2));
    let clean = |cell: &str| cell.trim().replace('`', "");
    cells.map(|mut cells| [(); 2].map(|()| clean(cells.next().unwrap())).into()).collect()
}

/// The parameters of a kind, with their types.
fn typed(parameters: &[Parameter]) -> Vec<(String, String)> {
    let of_type = |value: &ParameterValue| match value {
        ParameterValue::Whole(_) => "whole number",
        ParameterValue::Real(_) => "number",
        ParameterValue::Limit(_) => "whole number or null",
        ParameterValue::Wholes(_) => "list of whole numbers",
        _ => "unknown",
    };
    let fields = parameters.iter();
    fields.map(|field| (field.name.to_owned(), of_type(&field.value).to_owned())).collect()
}

/// Whether a value is of a type that the tables name.
fn is_of(value: &Value, of_type: &str) -> bool {
    match of_type {
        "string" => value.is_string(),
        "whole number" => value.is_u64(),
        "number" => value.is_f64(),
        "object" => value.is_object(),
        "list of whole numbers" => {
            value.as_array().is_some_and(|list| list.iter().all(Value::is_u64))
        }
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => {
            let either = of_type.split_once(" or ");
            either.is_some_and(|(one, other)| is_of(value, one) || is_of(value, other))
        }
    }
}

/// `Ok` if the object has these fields, in this order and of these types, and no others.
fn check(object: &Map<String, Value>, fields: &[(String, String)]) -> Result<(), String> {
    if !object.keys().eq(fields.iter().map(|(name, _)| name)) {
        return Err(format!("{:?} are not {fields:?}", object.keys()));
    }
    match fields.iter().find(|(name, of_type)| !is_of(&object[name], of_type)) {
        None => Ok(()),
        Some((name, of_type)) => Err(format!("{name} is {}, no {of_type}", object[name])),
    }
}

/// All golden files of the workspace.
fn golden() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let of_crates = crates.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let folders = of_crates.map(|path| path.join("tests/golden")).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| folder.read_dir().unwrap());
    let files = files.map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|end| end == "amq")).collect()
}

#[test]
fn every_committed_file_is_told_in_the_fields_of_the_readme() {
    let room = Room::new();
    let fields = fields();
    let mut seen = BTreeSet::new();
    for path in golden() {
        let name = path.display().to_string();
        let file = match LoadOptions::new().secret(Secret::Unknown).load::<AnyFile>(&path) {
            // Maps, files of several filters, and kinds that were withdrawn.
            Err(ReadError::Decode(
                DecodeError::UnsupportedKind { .. } | DecodeError::Kind { .. },
            )) => continue,
            file => file.unwrap(),
        };
        let text = room.amq(&format!("info --json {name}")).ends(0).text();
        let told: Map<String, Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(check(&told, &fields), Ok(()), "{name}");
        assert_eq!(told["file"], name);
        if let Value::Object(asked) = &told["asked"] {
            let one = [("fpr", "number"), ("bits_per_key", "number"), ("bytes", "whole number")];
            let one = one.map(|(name, of_type)| vec![(name.to_owned(), of_type.to_owned())]);
            assert!(one.iter().any(|one| check(asked, one).is_ok()), "{name}: {asked:?}");
        }
        let parameters = told["parameters"].as_object().unwrap();
        let typed = typed(&file.filter().into_inner().parameters());
        assert_eq!(check(parameters, &typed), Ok(()), "{name}");
        let verified = room.amq(&format!("verify --json {name}")).ends(0).text();
        let mut verified: Map<String, Value> = serde_json::from_str(&verified).unwrap();
        assert_eq!(verified.remove("whole"), Some(Value::Bool(true)));
        assert_eq!(verified, told);
        seen.insert(told["kind"].as_str().unwrap().to_owned());
    }
    let kinds = AnyFilter::KINDS.iter().map(|kind| kind.id().to_owned());
    assert_eq!(seen, kinds.collect::<BTreeSet<_>>());
}

/// The table of the parameters is written from what the library says of them.
#[test]
fn the_readme_has_the_parameters_of_every_kind() {
    let mut groups: Vec<(Vec<String>, Vec<Parameter>)> = Vec::new();
    for &kind in AnyFilter::KINDS {
        let hashes = [KeyHash::new(1)];
        let filter = AnyFilter::build_hashes(kind, Goal::fpr(1, 0.01), 0, &hashes).unwrap();
        let (id, parameters) = (format!("`{}`", kind.id()), filter.parameters());
        let units = |list: &[Parameter]| list.iter().map(|one| one.unit).collect::<Vec<_>>();
        let like = groups.iter_mut().find(|(_, others)| {
            typed(others) == typed(&parameters) && units(others) == units(&parameters)
        });
        match like {
            Some((ids, _)) => ids.push(id),
            None => groups.push((vec![id], parameters)),
        }
    }
    let mut table = String::new();
    for (ids, parameters) in groups {
        let mut ids = format!("{} ", ids.join(", "));
        for (parameter, (name, of_type)) in parameters.iter().zip(typed(&parameters)) {
            writeln!(table, "| {ids}| `{name}` | {of_type} | {} |", parameter.unit).unwrap();
            ids.clear();
        }
    }
    let [before, written, after] = split(include_str!("../../FIELDS.md"), PARAMETERS);
    if written != table && std::env::var_os("AMQ_BLESS").is_some_and(|value| value == "1") {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("FIELDS.md");
        return fs::write(path, [before, &table, after].concat()).unwrap();
    }
    assert_eq!(written, table, "AMQ_BLESS=1 cargo test -p amq-cli writes it anew");
}

#[test]
fn the_check_refuses_what_is_not_in_the_table() {
    let fields = [("bits", "whole number"), ("rate", "number or null")];
    let fields = fields.map(|(name, of_type)| (name.to_owned(), of_type.to_owned()));
    let checked = |told: Value| check(told.as_object().unwrap(), &fields);
    assert_eq!(checked(json!({ "bits": 64, "rate": 0.5 })), Ok(()));
    assert_eq!(checked(json!({ "bits": 64, "rate": null })), Ok(()));
    for refused in [
        json!({ "bits": 64 }),
        json!({ "rate": 0.5, "bits": 64 }),
        json!({ "bits": 64, "rate": 0.5, "more": 1 }),
        json!({ "bits": "64", "rate": 0.5 }),
        json!({ "bits": 64.0, "rate": 0.5 }),
        json!({ "bits": 64, "rate": "0.5" }),
    ] {
        assert!(checked(refused.clone()).is_err(), "{refused}");
    }
}
