//! The contenders: who is compared. A new one is a file, or a few lines of one, and a line in a
//! list here or in `peers`.
//!
//! | part | what it is |
//! | --- | --- |
//! | `info` | what a contender says of itself |
//! | `contender`, `built` | how it is made and asked; the loops that are timed |
//! | `theory` | its theory, as points |
//! | `own` | what all of ours share; then a file for each crate |
//! | `probe`, `peers` | what the others share; a file for each crate |
//! | `alloc` | the counting allocator |

pub mod alloc;
pub mod bloom;
mod built;
mod contender;
pub mod counting;
pub mod cuckoo;
pub mod hash_only;
mod info;
pub mod own;
#[cfg(feature = "peers")]
pub mod peers;
#[cfg(feature = "peers")]
pub mod probe;
pub mod quotient;
pub mod ribbon;
pub mod scalable;
mod theory;

pub use built::{Built, dependent_hits, dependent_queries};
pub use contender::{Contender, Entry, Make, Order, Planned, Probe, built, filled};
pub use info::{Ability, Course, Family, Info, Role};
pub use theory::{Point, Theory};

use crate::error::BenchError;

/// Ours, in listed order.
static OURS: &[&dyn Contender] = &[
    &bloom::CLASSIC,
    &bloom::SPLIT_BLOCK,
    &bloom::ATOMIC,
    &bloom::ATOMIC_SPLIT_BLOCK,
    &counting::CLASSIC,
    &counting::BLOCKED,
    &scalable::CLASSIC,
    &scalable::BLOCKED,
    &scalable::BOUNDED,
    &cuckoo::BUCKETS,
    &cuckoo::WINDOWS,
    &quotient::QUOTIENT,
    &quotient::EXPANDABLE,
    &ribbon::BUMPED,
    &ribbon::STANDARD,
    &ribbon::NARROW,
    &ribbon::WIDE_BUMPED,
];

#[cfg(feature = "peers")]
use peers::ALL as PEERS;
#[cfg(not(feature = "peers"))]
static PEERS: &[&dyn Contender] = &[];

/// Not compared as filters: a map, the floor, and the twins.
static OTHERS: &[&dyn Contender] = &[
    &ribbon::MAP,
    &hash_only::HASH_ONLY,
    &bloom::CLASSIC_TWIN,
    &bloom::SPLIT_BLOCK_TWIN,
    &cuckoo::BUCKETS_TWIN,
    &ribbon::BUMPED_TWIN,
];

/// All contenders, in listed order. Names are distinct (tested).
pub static ALL: &[&dyn Contender] = &in_a_row([OURS, PEERS, OTHERS]);

const fn in_a_row(
    lists: [&[&'static dyn Contender]; 3],
) -> [&'static dyn Contender; OURS.len() + PEERS.len() + OTHERS.len()] {
    let mut all = [lists[0][0]; _];
    let (mut list, mut place, mut filled) = (0, 0, 0);
    while list < lists.len() {
        if place == lists[list].len() {
            (list, place) = (list + 1, 0);
        } else {
            all[filled] = lists[list][place];
            (place, filled) = (place + 1, filled + 1);
        }
    }
    all
}

/// All contenders, or only the named ones. The names in `also` are valid too, but not a
/// contender's.
pub fn choose(
    only: &[String],
    also: &[&'static str],
) -> Result<Vec<&'static dyn Contender>, BenchError> {
    let known = names().into_iter().chain(also.iter().copied());
    let known: Vec<&str> = known.collect();
    if let Some(name) = only.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(BenchError::UnknownContender { name: name.clone(), known: known.join(", ") });
    }
    let chosen = |info: Info| only.is_empty() || only.iter().any(|name| name == info.name);
    let all = ALL.iter().copied();
    Ok(all.filter(|contender| chosen(contender.info())).collect())
}

/// Whether a contender is ours or the first peer of its family: these take part where not all do.
pub fn speaks_for_family(info: &Info) -> bool {
    let mut peers = PEERS.iter().map(|contender| contender.info());
    let first = peers.find(|peer| peer.family == info.family);
    info.ours || first.is_some_and(|first| first.name == info.name)
}

/// The names of all contenders.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|contender| contender.info().name).collect()
}

#[cfg(test)]
mod tests;
