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
    if name.is_empty() {
        return facts.name.clone();
    }
    let is_shared = data.filters().filter(|other| type_of(&other.import) == name).count() > 1;
    let is_unclear = is_shared || (!facts.ours && facts.name != name);
    if is_unclear { format!("{name} ({})", facts.name) } else { name }
}

/// The last word of an import: `use amq_bloom::BloomFilter;` imports a `BloomFilter`.
pub(super) fn type_of(import: &str) -> String {
    let path = import.trim_end_matches(';').split(" as ").next().unwrap_or_default();
    let last = path.rsplit("::").next().unwrap_or_default().trim_start_matches('{');
    last.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_from_imports() {
        let imports = ["use amq_bloom::BloomFilter;", "use sbbf_rs::{Filter, Hash};", ""];
        assert_eq!(imports.map(type_of), ["BloomFilter", "Filter", ""]);
        assert_eq!(type_of("use sux::dict::VFilter as V;"), "VFilter");
    }
}
