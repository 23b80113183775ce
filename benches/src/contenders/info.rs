//! Facts about contenders, from `contenders.toml` or the table of kinds.

use crate::record::{Ability, Info, Role};
use amq::{Abilities, AnyFilter, FilterKind};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The entries of the file. A test ensures that it can be read.
pub(super) static ENTRIES: LazyLock<Result<Vec<Info>, toml::de::Error>> = LazyLock::new(|| {
    let mut lists: BTreeMap<String, _> = toml::from_str(include_str!("../../contenders.toml"))?;
    Ok(lists.remove("contender").unwrap_or_default())
});

/// The entry of this name; for one of our kinds without an entry, the facts in the table of kinds.
/// A test ensures that all other contenders have one.
pub(super) fn entry(name: &str) -> &'static Info {
    let entry = ENTRIES.iter().flatten().find(|entry| entry.name == name);
    entry.unwrap_or_else(|| {
        let other = || Info { name: name.to_owned(), ..Info::default() };
        leaked(FilterKind::from_id(name).map_or_else(other, of_kind))
    })
}

/// The facts in the table of kinds. The family has the name of the crate.
pub(super) fn of_kind(kind: FilterKind) -> Info {
    let (package, filter) = AnyFilter::names(kind).unwrap_or_default();
    let family = serde_plain::from_str(package.trim_start_matches("amq-"));
    let can = Abilities::of(kind);
    // A quotient filter grows only if told to, which it is not here.
    let grows = can.grow && kind != FilterKind::Quotient;
    let abilities = [
        (can.insert, Ability::Insert),
        (can.remove, Ability::Remove),
        (can.count, Ability::Count),
        (can.merge, Ability::Merge),
        (grows, Ability::Grow),
        (can.truncate, Ability::Truncate),
        (true, Ability::Batch),
        (can.build_only, Ability::Static),
    ];
    Info {
        name: kind.id().to_owned(),
        ours: true,
        family: family.unwrap_or_default(),
        packages: vec![package.to_owned()],
        import: format!("use {}::{filter};", package.replace('-', "_")),
        analysis: kind.about().to_owned(),
        abilities: abilities.into_iter().filter(|(can, _)| *can).map(|(_, what)| what).collect(),
        bits_budget: !grows,
        jumps: grows,
        ..Info::default()
    }
}

pub(super) fn twin(of: &Info) -> &'static Info {
    leaked(Info {
        name: format!("{}-twin", of.name),
        role: Role::Twin,
        twin_of: Some(of.name.clone()),
        analysis: "The same code as its twin, entered again and built apart: whatever the two \
                   differ by is noise."
            .to_owned(),
        ..of.clone()
    })
}

/// Lives as long as the program, as contenders do.
fn leaked(info: Info) -> &'static Info {
    Box::leak(Box::new(info))
}
