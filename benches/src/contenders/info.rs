//! What contenders say of themselves: the entries of `contenders.toml`.

use crate::record::{Info, Role};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The entries of the file. That it can be read, a test ensures.
pub(super) static ENTRIES: LazyLock<Result<Vec<Info>, toml::de::Error>> = LazyLock::new(|| {
    let mut lists: BTreeMap<String, _> = toml::from_str(include_str!("../../contenders.toml"))?;
    Ok(lists.remove("contender").unwrap_or_default())
});

/// The entry of this name. That all contenders have one, a test ensures.
pub(super) fn entry(name: &str) -> &'static Info {
    let entry = ENTRIES.iter().flatten().find(|entry| entry.name == name);
    entry.unwrap_or_else(|| leaked(Info { name: name.to_owned(), ..Info::default() }))
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

/// As contenders do, it lives as long as the program.
fn leaked(info: Info) -> &'static Info {
    Box::leak(Box::new(info))
}
