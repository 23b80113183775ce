//! Why the numbers are what they are: three sentences for each family, from `families.toml`.

use super::data::Data;
use super::number::{digits, two};
use crate::record::Workload;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    filter: String,
    title: String,
    why: String,
}

#[derive(Deserialize)]
struct Families {
    family: Vec<Family>,
}

/// The titles and the sentences of the families that were measured.
pub(super) fn families(data: &Data) -> Vec<(String, String)> {
    // A test ensures that the file can be read.
    let all = toml::from_str(include_str!("families.toml")).map(|all: Families| all.family);
    let why = |family: Family| {
        let entry = data.entry(&family.filter, data.main())?;
        let numbers = [
            ("{bits}", entry.bits().map(|bits| digits(bits, 3))),
            ("{over}", entry.overhead().map(|over| format!("{over:.2}"))),
            ("{query}", entry.ns(Workload::Query50).map(two)),
            ("{build}", entry.ns(Workload::Build).map(two)),
        ];
        let why = numbers.iter().try_fold(family.why, |why, (name, number)| {
            if why.contains(name) { Some(why.replace(name, number.as_deref()?)) } else { Some(why) }
        });
        Some((family.title, why?))
    };
    all.unwrap_or_default().into_iter().filter_map(why).collect()
}
