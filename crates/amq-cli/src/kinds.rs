//! Kinds of filters by name. Every list is generated from the library's table, `AnyFilter::KINDS`.

use crate::exit::note;
use amq::{Abilities, AnyFilter, FilterKind};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;

/// Parses the name of a kind, ignoring case. Help and completions list the ids. Names of earlier
/// versions, names as in prose, and their words in another order are accepted with a note that
/// gives the id. The list is built only when needed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KindParser {
    Every,
    /// Lists only kinds that insert, but reads the others, too: the command's error says more.
    Inserting,
}

impl TypedValueParser for KindParser {
    type Value = FilterKind;

    fn parse_ref(
        &self,
        command: &Command,
        option: Option<&Arg>,
        value: &OsStr,
    ) -> Result<FilterKind, clap::Error> {
        if let Some(kind) = value.to_str().and_then(named) {
            if !value.eq_ignore_ascii_case(kind.id()) {
                note(&format!("{} filters are --kind {} now", value.display(), kind.id()));
            }
            return Ok(kind);
        }
        // Fails with a suggestion of the nearest name.
        let id = PossibleValuesParser::new(AnyFilter::KINDS.iter().map(listed))
            .parse_ref(command, option, value)?;
        Ok(FilterKind::from_id(&id).unwrap_or(FilterKind::Bloom))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let lists = |kind: &&FilterKind| match self {
            Self::Every => true,
            Self::Inserting => Abilities::of(**kind).insert,
        };
        Some(Box::new(AnyFilter::KINDS.iter().filter(lists).map(listed)))
    }
}

fn listed(kind: &FilterKind) -> PossibleValue {
    PossibleValue::new(kind.id()).help(kind.about())
}

/// The kind with this name.
fn named(name: &str) -> Option<FilterKind> {
    let name = name.to_ascii_lowercase();
    let kind =
        |is: &dyn Fn(FilterKind) -> bool| AnyFilter::KINDS.iter().copied().find(|&kind| is(kind));
    kind(&|kind| kind.id() == name)
        .or_else(|| kind(&|kind| names(kind).any(|other| words(other) == words(&name))))
}

/// All names that a kind has or had.
fn names(kind: FilterKind) -> impl Iterator<Item = &'static str> {
    [kind.id(), kind.name()].into_iter().chain(kind.former_ids().iter().copied())
}

/// The words of a name, sorted.
fn words(name: &str) -> Vec<String> {
    let words = name.split(['-', ' ']).map(str::to_ascii_lowercase);
    let mut words: Vec<String> = words.collect();
    words.sort();
    words
}

/// `an expandable quotient`, `a Bloom`.
pub(crate) fn a(kind: FilterKind) -> String {
    let article = if kind.name().starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

/// Whether a filter of this kind takes more keys than planned and keeps its rate. (A quotient
/// filter does so only if told to.)
pub(crate) fn grows(kind: FilterKind) -> bool {
    Abilities::of(kind).grow && kind != FilterKind::Quotient
}

/// Whether each copy of a key takes up space: kinds that remove store all of them.
pub(crate) fn keeps_copies(kind: FilterKind) -> bool {
    Abilities::of(kind).remove
}

/// The ids of some kinds, separated by commas.
pub(crate) fn list(kinds: impl IntoIterator<Item = FilterKind>) -> String {
    let ids: Vec<&str> = kinds.into_iter().map(FilterKind::id).collect();
    ids.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_means_one_kind_in_either_order_of_its_words() {
        let kinds = AnyFilter::KINDS.iter().copied();
        let mut seen: Vec<(Vec<String>, FilterKind)> = Vec::new();
        for kind in kinds {
            for name in names(kind) {
                let turned: Vec<&str> = name.split(['-', ' ']).rev().collect();
                for name in [name, &name.to_uppercase(), &turned.join("-"), &turned.join(" ")] {
                    let known = seen.iter().find(|(other, _)| *other == words(name));
                    assert!(known.is_none_or(|&(_, other)| other == kind), "{name}");
                    seen.push((words(name), kind));
                    assert_eq!(named(name), Some(kind), "{name}");
                }
            }
        }
        for name in ["", "blom", "bumped", "ribbon-ribbon", "wide", "standard-bloom"] {
            assert_eq!(named(name), None, "{name}");
        }
    }

    #[test]
    fn kinds_in_a_sentence_have_their_article() {
        assert_eq!(a(FilterKind::ExpandableQuotient), "an expandable quotient");
        assert_eq!(a(FilterKind::Bloom), "a Bloom");
    }
}
