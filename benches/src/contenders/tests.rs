use super::*;
use amq_core::FilterKind;
use std::collections::HashSet;

fn infos() -> impl Iterator<Item = &'static Info> {
    ALL.iter().map(|contender| contender.info)
}

#[test]
fn the_file_of_facts_is_about_all_contenders_in_listed_order() {
    let mut facts: Vec<&Info> = info::ENTRIES.as_ref().unwrap().iter().collect();
    facts.retain(|info| info.ours || cfg!(feature = "peers"));
    let (twins, mut made): (Vec<&Info>, Vec<&Info>) = infos().partition(|i| i.role == Role::Twin);
    // A kind of ours needs no entry.
    made.retain(|info| !info.ours || facts.iter().any(|fact| fact.name == info.name));
    assert_eq!(facts, made);
    let names: HashSet<&str> = infos().map(|info| info.name.as_str()).collect();
    let families: HashSet<Family> = twins.iter().map(|info| info.family).collect();
    assert_eq!((names.len(), twins.len(), families.len()), (ALL.len(), TWINS.len(), TWINS.len()));
    for info in infos() {
        let fit = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        assert!(info.name.bytes().all(fit), "{info:?}");
        // A peer's library may be called otherwise than its package.
        let module = info.packages[0].replace('-', "_");
        let start = if info.ours { format!("use {module}::") } else { "use ".to_owned() };
        let is_line = info.import.starts_with(&start) && info.import.ends_with(';');
        let is_line = is_line || info.role == Role::Floor;
        assert!(is_line, "{}: `{}` should be `{start}...;`", info.name, info.import);
    }
}

/// Every kind of filter takes part under its own id, and its entry agrees with the table of kinds,
/// except for the family.
#[test]
fn every_kind_takes_part_as_the_table_of_kinds_has_it() {
    for kind in FilterKind::ALL {
        let info = infos().find(|info| info.name == kind.id());
        let info = info.unwrap_or_else(|| panic!("no contender is called {}", kind.id()));
        let of_kind = info::of_kind(kind);
        assert_ne!(info.family, Family::Exact, "{kind}: an entry must say its family");
        let sorted = |info: &Info| {
            let mut abilities = info.abilities.clone();
            abilities.sort_by_key(ToString::to_string);
            abilities
        };
        assert_eq!(sorted(info), sorted(&of_kind), "{kind}");
        let Info { family, analysis, abilities, jumps, .. } = info.clone();
        assert_eq!(*info, Info { family, analysis, abilities, jumps, ..of_kind }, "{kind}");
    }
}
