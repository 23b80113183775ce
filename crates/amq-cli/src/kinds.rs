//! Kinds of filters by name. Every list is made from the library's table, `AnyFilter::KINDS`.

use amq::{Abilities, AnyFilter, FilterKind};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;

/// Other names of kinds: those of the report where they differ. Its `ribbon` is the standard one,
/// here it is the bumped one.
const REPORT_NAMES: [(&str, FilterKind); 7] = [
    ("split-block", FilterKind::BlockedBloom),
    ("counting-bloom", FilterKind::Counting),
    ("blocked-counting-bloom", FilterKind::BlockedCounting),
    ("scalable-bloom", FilterKind::Scalable),
    ("cuckoo-windowed", FilterKind::WindowedCuckoo),
    ("ribbon-bumped", FilterKind::BumpedRibbon),
    ("ribbon-bumped-wide", FilterKind::WideBumpedRibbon),
];

/// Reads the name of a kind. Help and completions list the ids; the report's names and those of
/// running text are read, too. The list is made where it is needed, and not for every run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KindParser;

impl TypedValueParser for KindParser {
    type Value = FilterKind;

    fn parse_ref(
        &self,
        command: &Command,
        option: Option<&Arg>,
        value: &OsStr,
    ) -> Result<FilterKind, clap::Error> {
        let name = PossibleValuesParser::new(values()).parse_ref(command, option, value)?;
        Ok(named(&name))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(values()))
    }
}

fn values() -> impl Iterator<Item = PossibleValue> {
    let value = |&kind: &FilterKind| PossibleValue::new(kind.id()).aliases(aliases(kind));
    AnyFilter::KINDS.iter().map(value)
}

fn named(name: &str) -> FilterKind {
    let name = name.to_ascii_lowercase();
    let mut kinds = AnyFilter::KINDS.iter().copied();
    let is = |&kind: &FilterKind| kind.id() == name || aliases(kind).contains(&name);
    // The parser has let through no other name.
    kinds.find(is).unwrap_or(FilterKind::Bloom)
}

/// Hidden names of a kind, in lower case; none is the id of any kind.
fn aliases(kind: FilterKind) -> Vec<String> {
    let text = kind.name().to_ascii_lowercase();
    let report = REPORT_NAMES.iter().filter(|(_, of)| *of == kind);
    let mut names: Vec<String> = report.map(|(name, _)| (*name).to_owned()).collect();
    names.extend([text.replace(' ', "-"), text]);
    names.retain(|name| FilterKind::from_id(name).is_none());
    names.sort();
    names.dedup();
    names
}

/// `an expandable quotient`, `a Bloom`.
pub(crate) fn a(kind: FilterKind) -> String {
    let article = if kind.name().starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

/// Whether a filter of this kind takes more keys than it was made for, and keeps its rate. (A
/// quotient filter does not unless it is told to.)
pub(crate) fn grows(kind: FilterKind) -> bool {
    Abilities::of(kind).grow && kind != FilterKind::Quotient
}

/// Whether each copy of a key takes up room: kinds that remove keep all of them.
pub(crate) fn keeps_copies(kind: FilterKind) -> bool {
    Abilities::of(kind).remove
}

/// The ids of some kinds, with commas between.
pub(crate) fn list(kinds: impl IntoIterator<Item = FilterKind>) -> String {
    let ids: Vec<&str> = kinds.into_iter().map(FilterKind::id).collect();
    ids.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_means_one_kind() {
        let names = |&kind: &FilterKind| {
            let names = aliases(kind).into_iter().chain([kind.id().to_owned()]);
            names.map(move |name| (name, kind)).collect::<Vec<_>>()
        };
        let all: Vec<(String, FilterKind)> = AnyFilter::KINDS.iter().flat_map(names).collect();
        for (name, kind) in &all {
            assert_eq!(named(name), *kind, "{name}");
            assert_eq!(named(&name.to_uppercase()), *kind, "{name}");
            assert_eq!(all.iter().filter(|(other, _)| other == name).count(), 1, "{name}");
        }
        assert_eq!(named("split-block"), FilterKind::BlockedBloom);
        assert_eq!(named("ribbon"), FilterKind::BumpedRibbon);
    }

    #[test]
    fn kinds_in_a_sentence_have_their_article() {
        assert_eq!(a(FilterKind::ExpandableQuotient), "an expandable quotient");
        assert_eq!(a(FilterKind::Bloom), "a Bloom");
    }
}
