//! The contenders, which are compared. A new one needs an entry in `contenders.toml`, code to build
//! and query it (a file in `peers`, or a line in `ours`), and a name in a list there.
//!
//! `contender` and `order` build filters; `probe`, `built` and `threads` query and change them in
//! the timed loops.

pub mod alloc;
mod built;
mod contender;
mod info;
mod keyed;
mod many_sets;
mod order;
mod others;
mod ours;
#[cfg(feature = "peers")]
mod peers;
mod probe;
mod sharded;
mod theory;
pub mod threads;

pub use crate::record::{Ability, Family, Info, Role};
pub use built::{Built, dependent_hits, dependent_queries};
pub use contender::Contender;
pub use order::{Order, Planned};
pub use threads::Task;

use crate::error::BenchError;
use std::sync::LazyLock;

/// Contenders entered twice: differences from the twin are noise.
const TWINS: [&str; 4] = ["bloom", "blocked-bloom", "cuckoo", "ribbon"];

/// All contenders, in listed order. Names are distinct (tested).
pub static ALL: LazyLock<Vec<&'static Contender>> = LazyLock::new(|| {
    let mut all = ours::all();
    all.extend(keyed::all());
    all.push(sharded::cuckoo());
    all.extend(many_sets::all());
    #[cfg(feature = "peers")]
    all.extend(peers::all());
    all.extend(others::all());
    let twins =
        all.iter().filter(|one| TWINS.contains(&one.info.name.as_str())).map(Contender::twin);
    let twins: Vec<Contender> = twins.collect();
    all.extend(twins);
    all.leak().iter().collect()
});

pub fn named(name: &str) -> Option<&'static Contender> {
    ALL.iter().copied().find(|contender| contender.info.name == name)
}

/// All contenders, or only the named ones.
pub fn choose(only: &[String]) -> Result<Vec<&'static Contender>, BenchError> {
    let known: Vec<&str> = ALL.iter().map(|contender| contender.info.name.as_str()).collect();
    if let Some(name) = only.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(BenchError::UnknownContender { name: name.clone(), known: known.join(", ") });
    }
    let chosen = |one: &&Contender| only.is_empty() || only.contains(&one.info.name);
    Ok(ALL.iter().copied().filter(chosen).collect())
}

/// Whether a contender is ours or the first peer of its family; only these take part in some
/// groups.
pub fn speaks_for_family(info: &Info) -> bool {
    let mut infos = ALL.iter().map(|contender| contender.info);
    let first = infos.find(|peer| !peer.ours && peer.family == info.family);
    info.ours || first.is_some_and(|first| first.name == info.name)
}

#[cfg(test)]
mod tests;
