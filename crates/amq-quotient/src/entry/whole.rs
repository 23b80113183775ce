//! Entries that are remainders.

use super::{Entry, Matches, Run};
use crate::bits::lowest;
use crate::fields::Fields;
use crate::table::Table;

/// A remainder: all bits of the slot are the fingerprint's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Whole;

impl Entry for Whole {
    const MARK: u64 = 0;
    const MAX_COPIES: u64 = u64::MAX;

    #[inline(always)]
    fn differing(fields: &Fields, window: u64, value: u64) -> u64 {
        fields.differing(window, value)
    }

    #[inline(always)]
    fn differs(field: u64, value: u64) -> u64 {
        field ^ value
    }

    #[inline(always)]
    fn longest(_: &Fields, _: u64, found: u64) -> u64 {
        lowest(found)
    }

    #[inline(always)]
    fn is_in<S: AsRef<[u8]>>(table: &Table<S, Self>, run: Run, value: u64) -> bool {
        table.place(run, value).1
    }

    #[inline(always)]
    fn found<S: AsRef<[u8]>>(table: &Table<S, Self>, run: Run, value: u64) -> Matches {
        let (place, found) = table.place(run, value);
        let more = found && place + 1 < run.end && table.remainder(place + 1) == value;
        Matches { copies: u64::from(found) + u64::from(more), longest: value }
    }

    #[inline(always)]
    fn alone<S: AsRef<[u8]>>(_: &Table<S, Self>, _: Run, _: u64) -> u64 {
        1
    }

    fn answered<S: AsRef<[u8]>>(_: &Table<S, Self>, different: u64) -> Option<u64> {
        Some(different)
    }
}
