//! Threads: several fill one filter, or ask it, at the same time; from one of them to all that this
//! machine runs at once.

use super::course::{Course, Track};
use super::merge::MERGE;
use super::script::{Act, Check, Leg, Script};
use crate::contenders::threads::counts;
use crate::contenders::{Ability, Deed, Planned};
use crate::measure::field::Ground;
use crate::workers::cores;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use std::borrow::Cow;

/// Each number of threads fills a new filter.
pub const INSERT: Course = Course {
    name: "threads_insert",
    admits: |info| info.can(Ability::ConcurrentInsert),
    is_long: true,
    // At the most, tables of a few megabytes: out of the caches.
    sizes: [1_000, 1_000_000, 4_000_000],
    script: |track, ground, _| Ok(script(track, ground, Deed::Insert)),
    reference: "atomic-blocked-bloom",
    ..MERGE
};

/// Each asks a filter that one thread has filled; half of the keys are present.
pub const QUERY: Course = Course {
    name: "threads_query",
    script: |track, ground, _| Ok(script(track, ground, Deed::Ask)),
    ..INSERT
};

fn script<'a>(track: &Track, ground: Ground<'a>, deed: Deed) -> Script<'a> {
    let Ground { absent, seed, .. } = ground;
    let all = &ground.present[..track.keys];
    let (first, keys) = match deed {
        Deed::Insert => (&[][..], Cow::Borrowed(all)),
        Deed::Ask => {
            let mut asked = [&all[..absent.len().min(all.len())], absent].concat();
            asked.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
            (all, Cow::Owned(asked))
        }
    };
    let leg = |threads| {
        let act = Act::Threads(deed, threads, keys.clone());
        Leg { act, holds: Cow::Borrowed(all), check: Check::Rate }
    };
    let legs = counts(cores()).map(leg).collect();
    Script { planned: Planned::Room(track.planned), slots: None, first, legs }
}
