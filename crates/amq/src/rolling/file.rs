//! The filter as a file: a generation is a section.

use super::Rolling;
use super::limits::{MAX_ADVANCES, MAX_GENERATIONS};
use crate::parts::{Part, Whole, file, parts};
use amq_core::envelope::{Opened, Source};
use amq_core::{BuildError, DecodeError, FilterKind};

file!(
    Rolling,
    "The generations and their numbers are in it: after a restart nothing is forgotten, and the next \
     [`advance`](Self::advance) forgets what it would have."
);

impl<F: Part> Rolling<F> {
    fn whole(&self, withhold_seed: bool) -> Result<Whole, BuildError> {
        let mut entry = [0; 8];
        let count = self.generations.len() as u64;
        entry[..3].copy_from_slice(&[count, self.newest, self.by_count.into()]);
        let mut whole = Whole::new(FilterKind::Rolling, Some(self.seed), self.capacity, entry);
        self.generations.iter().try_for_each(|part| whole.push(part, withhold_seed))?;
        Ok(whole)
    }

    fn restored<S: Source>(opened: &Opened<'_>, source: S) -> Result<Self, DecodeError> {
        opened.expect_kind(FilterKind::Rolling, 1)?;
        opened.expect_seed()?;
        let [count, newest, by_count] = opened.only_entry()?;
        for (field, value, most) in
            [("number of advances", newest, MAX_ADVANCES), ("advances by count", by_count, 1)]
        {
            if value > most {
                return Err(DecodeError::Geometry { field, value });
            }
        }
        let generations: alloc::vec::Vec<F> =
            parts(opened, source, FilterKind::Rolling, "generations", MAX_GENERATIONS)?;
        // Those that were never reached hold nothing.
        let reached = newest.saturating_add(1).min(count) as usize;
        if generations[reached..].iter().any(|generation| !generation.is_empty()) {
            return Err(DecodeError::Structure { what: "generations that were not reached" });
        }
        let header = opened.header();
        Ok(Self {
            generations,
            newest,
            at: (newest % count) as usize,
            capacity: header.capacity,
            seed: header.seed,
            by_count: by_count == 1,
        })
    }
}
