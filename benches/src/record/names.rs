//! Names that contenders had in earlier records.
//!
//! Since version 0.3 a filter of this family is called by the id of its kind. Records that were
//! made before stay as they are, and are read by today's names.

use amq_core::FilterKind;
use serde::{Deserialize, Deserializer};

/// What a contender of a record is called today.
pub(super) fn of_today(name: &str) -> String {
    let (base, twin) = name.strip_suffix("-twin").map_or((name, ""), |base| (base, "-twin"));
    let kind = match base {
        // Of the two that were called so, the report's.
        "ribbon" => Some(FilterKind::StandardRibbon),
        _ => FilterKind::ALL.into_iter().find(|kind| kind.former_ids().contains(&base)),
    };
    kind.map_or_else(|| name.to_owned(), |kind| format!("{}{twin}", kind.id()))
}

/// A name in a record.
pub(super) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(|name| of_today(&name))
}

/// One that need not be there.
pub(super) fn read_any<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Option::<String>::deserialize(from).map(|name| name.as_deref().map(of_today))
}

#[test]
fn old_names_are_read_as_those_of_today_and_these_as_they_are() {
    for (old, new) in [
        ("ribbon", "standard-ribbon"),
        ("ribbon-bumped", "bumped-ribbon"),
        ("ribbon-bumped-twin", "bumped-ribbon-twin"),
        ("ribbon-bumped-wide", "wide-bumped-ribbon"),
        ("ribbon-narrow", "narrow-ribbon"),
        ("cuckoo-windowed", "windowed-cuckoo"),
        ("counting-bloom", "counting"),
        ("scalable-bloom", "scalable"),
        ("ribbon-map", "ribbon-map"),
        ("binary-fuse-8", "binary-fuse-8"),
    ] {
        assert_eq!(of_today(old), new);
    }
    for contender in crate::contenders::ALL.iter() {
        assert_eq!(of_today(&contender.info.name), contender.info.name);
    }
}
