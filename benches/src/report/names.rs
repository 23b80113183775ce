//! Names for those who choose: types, crates and the lines that import them.

use super::data::Data;
use super::doc::Pick;
use crate::record::ContenderFacts;

/// A contender's name for those who choose.
pub(super) fn pick(data: &Data, facts: &ContenderFacts) -> Pick {
    Pick {
        name: type_name(data, facts),
        krate: facts.version.split(',').next().unwrap_or_default().to_owned(),
        import: facts.import.clone(),
    }
}

/// Its type; with its name in the records, where several contenders have the type or it is another
/// crate's.
pub(super) fn type_name(data: &Data, facts: &ContenderFacts) -> String {
    let name = type_of(&facts.import);
    let same_type = |other: &&ContenderFacts| type_of(&other.import) == name;
    let is_shared = data.filters().filter(same_type).count() > 1;
    let is_unclear = is_shared || (!facts.ours && facts.name != name);
    match (name.is_empty(), is_unclear) {
        (true, _) => facts.name.clone(),
        (false, true) => format!("{name} ({})", facts.name),
        (false, false) => name,
    }
}

/// The last word of an import: `use amq_bloom::BloomFilter;` imports a `BloomFilter`.
pub(super) fn type_of(import: &str) -> String {
    let path = import.trim_end_matches(';').split(" as ").next().unwrap_or_default();
    let last = path.rsplit("::").next().unwrap_or_default();
    last.trim_matches(|c: char| !c.is_alphanumeric())
        .split([',', ' '])
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_from_imports() {
        for (import, name) in [
            ("use amq_bloom::BloomFilter;", "BloomFilter"),
            ("use sbbf_rs::{Filter, Hash};", "Filter"),
            ("use sux::dict::VFilter as V;", "VFilter"),
            ("", ""),
        ] {
            assert_eq!(type_of(import), name);
        }
    }
}
