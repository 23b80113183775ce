//! Operations on one key: both buckets are read, and all of their slots compared at once.

use crate::Layout;
use crate::lanes::Word;
use crate::table::{Place, Table};
use amq_core::Inserted;

/// Why an insert was refused. The table is as it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// This many copies fill both buckets.
    Copies(u64),
    /// No room was found.
    Full,
}

/// Compiles each operation twice: inline, for buckets that fit 64 bits, and out of line, for wider
/// ones.
macro_rules! in_either_word {
    ($(
        $(#[$doc:meta])*
        $name:ident / $wide:ident / $in:ident($($receiver:tt)+) of $this:ident -> $result:ty;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name($($receiver)+, place: Place) -> $result {
            if $this.is_narrow() {
                $this.$in::<u64>(place)
            } else {
                $this.$wide(place)
            }
        }

        #[inline(never)]
        fn $wide($($receiver)+, place: Place) -> $result {
            $this.$in::<u128>(place)
        }
    )*};
}

impl<L: Layout, S: AsRef<[u8]>> Table<L, S> {
    in_either_word! {
        /// Whether either bucket holds the fingerprint. No branch depends on their contents.
        contains / contains_wide / contains_in(&self) of self -> bool;
        /// The number of slots in both buckets that hold the fingerprint.
        copies / copies_wide / copies_in(&self) of self -> u64;
        /// The first slot that holds the fingerprint, in the lower bucket if it is there, else in
        /// the upper one. It must be in one of them.
        first_slot / first_slot_wide / first_slot_in(&self) of self -> u64;
    }

    #[inline(always)]
    fn contains_in<W: Word>(&self, place: Place) -> bool {
        let pattern = self.pattern::<W>(place.tag);
        let one = self.bucket::<W>(place.first) ^ pattern;
        let other = self.bucket::<W>(place.second) ^ pattern;
        self.lanes().any_zero(one, other)
    }

    /// The slots of a bucket that hold the fingerprint.
    #[inline(always)]
    fn equal<W: Word>(&self, bucket: u64, tag: u64) -> W {
        self.lanes().zeros(self.bucket::<W>(bucket) ^ self.pattern(tag))
    }

    #[inline(always)]
    fn copies_in<W: Word>(&self, place: Place) -> u64 {
        let [one, other] = [place.first, place.second].map(|bucket| {
            let equal = self.equal::<W>(bucket, place.tag);
            u64::from(self.lanes().count(equal, L::SLOTS))
        });
        one + other
    }

    #[inline(always)]
    fn first_slot_in<W: Word>(&self, place: Place) -> u64 {
        let (low, high) = (place.first.min(place.second), place.first.max(place.second));
        let equal = self.equal::<W>(low, place.tag);
        let (bucket, equal) = match equal == W::ZERO {
            true => (high, self.equal::<W>(high, place.tag)),
            false => (low, equal),
        };
        Self::slot_of(bucket, self.lanes::<W>().lowest(equal, L::SLOTS))
    }
}

impl<L: Layout> Table<L> {
    in_either_word! {
        /// Puts the fingerprint into the emptier bucket, moving others if both are full. Says
        /// whether it was there already.
        insert / insert_wide / insert_in(&mut self) of self -> Result<Inserted, Refused>;
        /// Empties a slot that holds the fingerprint, if there is one.
        remove / remove_wide / remove_in(&mut self) of self -> bool;
    }

    #[inline(always)]
    fn insert_in<W: Word>(&mut self, place: Place) -> Result<Inserted, Refused> {
        let lanes = self.lanes::<W>();
        let pattern = self.pattern::<W>(place.tag);
        let (one, other) = (self.bucket::<W>(place.first), self.bucket::<W>(place.second));
        let new = !lanes.any_zero(one ^ pattern, other ^ pattern);
        let (empty, empty_too) = (lanes.zeros(one), lanes.zeros(other));
        let first_is_emptier = lanes.count(empty, L::SLOTS) >= lanes.count(empty_too, L::SLOTS);
        let (bucket, empty) =
            if first_is_emptier { (place.first, empty) } else { (place.second, empty_too) };
        if empty != W::ZERO {
            let lane = lanes.lowest(empty, L::SLOTS);
            self.set_slot(Self::slot_of(bucket, lane), self.value(place.tag, lane));
        } else {
            self.insert_full::<W>(place, new)?;
        }
        Ok(Inserted::from_change(new))
    }

    /// Inserts when both buckets are full.
    #[inline(always)]
    fn insert_full<W: Word>(&mut self, place: Place, new: bool) -> Result<(), Refused> {
        if !new {
            // Overlapping buckets of one key may share slots.
            let apart = place.first.abs_diff(place.second).saturating_mul(L::STRIDE.into());
            let copies = self.copies_in::<W>(place);
            if copies == u64::from(L::SLOTS) + apart.min(L::SLOTS.into()) {
                return Err(Refused::Copies(copies));
            }
        }
        if self.insert_moving::<W>(place) { Ok(()) } else { Err(Refused::Full) }
    }

    #[inline(always)]
    fn remove_in<W: Word>(&mut self, place: Place) -> bool {
        let (one, other) =
            (self.equal::<W>(place.first, place.tag), self.equal::<W>(place.second, place.tag));
        let (bucket, equal) =
            if one == W::ZERO { (place.second, other) } else { (place.first, one) };
        if equal == W::ZERO {
            return false;
        }
        let lane = self.lanes::<W>().lowest(equal, L::SLOTS);
        self.set_slot(Self::slot_of(bucket, lane), 0);
        true
    }
}
