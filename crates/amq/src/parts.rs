//! Files of filters made of filters. Each has its own kind, and its sections are the files of its
//! parts.

use alloc::vec;
use alloc::vec::Vec;
use amq_core::format::{ALIGN, ENTRY, FileInfo, HEADER};
use amq_core::internal::{
    Contents, Entry, FileFormat, Hashing, Header, Opened, Section, Sections, from_payload, reserve,
    to_bytes,
};
use amq_core::{
    Budget, BuildError, Bytes, DecodeError, Filter, FilterKind, Goal, Plan, PlanError, PlanFilter,
    Table,
};
use core::fmt;

/// The revision of both layouts.
const REVISION: u8 = 1;

/// A filter that can be stored as a part of another: a shard, a generation. Every filter with a
/// file is one, [`Rolling`](crate::rolling::Rolling) and [`Sharded`](crate::sharded::Sharded)
/// included.
///
/// An [`AnyFilter`](crate::AnyFilter) is not. A `Sharded<AnyFilter>` works, but has no `to_bytes`:
/// to save it, name the type of its shards, as in `Sharded<BloomFilter>`.
pub trait Part: Filter + FileFormat<With<Table> = Self> {}

impl<F: Filter + FileFormat<With<Table> = F>> Part for F {}

/// The header data of a file of parts.
pub(crate) fn whole(
    kind: FilterKind,
    hashing: Hashing,
    header: Header,
    entry: Entry,
) -> Contents<'static> {
    Contents { entries: vec![entry], ..Contents::new(kind, REVISION, hashing, &header, 0) }
}

/// Adds a part, which must hash its keys like the whole.
pub(crate) fn push<F: Part>(whole: &mut Contents<'_>, part: &F) -> Result<(), BuildError> {
    let sections = &mut whole.sections;
    // No reader would accept this file.
    if part.seed() != whole.header.seed {
        return Err(BuildError::PartSeeds { part: sections.len() as u64 });
    }
    let file = to_bytes(part, whole.hashing)?;
    reserve(sections, 1)?;
    sections.push(Section::new(file, 1));
    whole.keys = whole.keys.saturating_add(part.len());
    Ok(())
}

/// The part in a file, hashed like the whole.
fn part_of<F: Part>(bytes: &[u8], whole: &Opened<'_>) -> Result<F, DecodeError> {
    let withheld = whole.withholds_secret();
    if FileInfo::of(bytes)?.withheld != withheld {
        let field = "seed or key of a part that is withheld, or is not: flags";
        return Err(DecodeError::Geometry { field, value: withheld.into() });
    }
    let given = if withheld { whole.secret() } else { None };
    let (opened, payload) = Opened::in_bytes(bytes, given)?;
    opened.expect_hashed_by(whole.hashed_by())?;
    if opened.secret() != whole.secret() {
        return Err(DecodeError::Structure { what: "seeds of the parts, or their secret keys" });
    }
    from_payload::<F>(&opened, payload)
}

/// The size and rate of a filter of parts: generations of a rolling filter, or shards.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct PartsPlan<P> {
    /// The number of parts.
    pub parts: usize,
    /// The number of keys planned for, in all parts together.
    pub keys: u64,
    /// Bytes of all tables.
    pub bytes: u64,
    /// The rate with the planned number of keys in it.
    pub expected_fpr: f64,
    /// The plan of each part. A shard's is for more than `keys / parts` keys.
    pub part: Plan<P>,
    /// The name of a part.
    name: &'static str,
}

/// `8 shards: 1000 keys in 2048 bytes: 16.384 bits per key, ...`
impl<P> fmt::Display for PartsPlan<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.parts == 1 { "" } else { "s" };
        let whole =
            Plan::new((), self.keys).with_bytes(self.bytes).with_expected_fpr(self.expected_fpr);
        write!(f, "{} {}{plural}: {whole}", self.parts, self.name)
    }
}

/// The goal of each part, which is for `keys` keys: an equal part of the bytes, or the rate that
/// `fpr` computes from that of the whole.
pub(crate) fn part_goal(goal: Goal, parts: u64, keys: u64, fpr: impl Fn(f64) -> f64) -> Goal {
    let budget = match goal.budget {
        Budget::Fpr(whole) => Budget::Fpr(fpr(whole)),
        _ => Budget::Bytes(goal.max_bits() / 8 / parts),
    };
    Goal::new(keys, budget)
}

/// Refuses tables that the allocator refuses in one piece, before part after part takes memory.
pub(crate) fn expect_room<P>(plan: &PartsPlan<P>) -> Result<(), BuildError> {
    let mut room = Vec::<u8>::new();
    reserve(&mut room, plan.bytes)?;
    core::hint::black_box(&room); // or the compiler leaves the allocation out
    Ok(())
}

/// How the plans of parts add up to that of the whole.
pub(crate) struct Sum<R, I> {
    /// The number of parts.
    pub(crate) parts: u64,
    /// The name of a part.
    pub(crate) name: &'static str,
    /// The rate of the whole from that of each part.
    pub(crate) rate: R,
    /// The most keys of the whole if no part may be planned for more than this many.
    pub(crate) keys: I,
}

impl<R: Fn(f64) -> f64, I: Fn(u64) -> u64> Sum<R, I> {
    /// Plans the whole by the goal of each part.
    pub(crate) fn plan<F: PlanFilter>(
        &self,
        goal: Goal,
        each: Goal,
    ) -> Result<PartsPlan<F::Params>, PlanError> {
        let part = F::plan(each).map_err(|error| self.refusal(error, goal))?;
        let (bytes, most) = (part.bytes as f64 * self.parts as f64, isize::MAX as u64);
        if bytes > most as f64 {
            return Err(PlanError::TooLarge { bytes, max_bytes: most });
        }
        Ok(PartsPlan {
            parts: self.parts as usize,
            keys: goal.keys,
            bytes: part.bytes * self.parts,
            expected_fpr: (self.rate)(part.expected_fpr),
            part: part.with_budget(each.budget),
            name: self.name,
        })
    }

    /// Converts the error of planning a part to one of the whole, which `goal` is for.
    fn refusal(&self, of_part: PlanError, goal: Goal) -> PlanError {
        let keys = goal.keys;
        let all = |each: u64| each.saturating_mul(self.parts);
        let fpr = |each| match goal.budget {
            Budget::Fpr(fpr) => fpr,
            _ => (self.rate)(each),
        };
        match of_part {
            PlanError::Keys { min, max, .. } => {
                PlanError::Keys { keys, min, max: (self.keys)(max) }
            }
            PlanError::FprBelowHashFloor { fpr: each, floor, .. } => {
                let floor = (self.rate)(floor);
                PlanError::FprBelowHashFloor { fpr: fpr(each), floor, keys }
            }
            PlanError::FprUnreachable { fpr: each, lowest, .. } => {
                let lowest = (self.rate)(lowest);
                PlanError::FprUnreachable { fpr: fpr(each), lowest, keys }
            }
            PlanError::Bytes { min, .. } => {
                PlanError::Bytes { bytes: goal.max_bits() / 8, min: all(min) }
            }
            PlanError::TooLarge { bytes, max_bytes } => {
                let max_bytes = all(max_bytes).min(isize::MAX as u64);
                PlanError::TooLarge { bytes: bytes * self.parts as f64, max_bytes }
            }
            // An error of a part's own parameters.
            other => other,
        }
    }
}

/// Checks the directory of a file of at most this many parts; `what` names them in errors.
pub(crate) fn check(
    opened: &Opened<'_>,
    kind: FilterKind,
    what: &'static str,
    most: u64,
) -> Result<(), DecodeError> {
    opened.expect_kind(kind, REVISION)?;
    opened.expect_asked(0)?;
    let wrong = |field, value| DecodeError::Geometry { field, value };
    let count = opened.sections();
    if count == 0 || count as u64 > most || opened.entry(0)?[0] != count as u64 {
        return Err(wrong(what, count as u64));
    }
    let length = |index| opened.section_bytes(index).unwrap_or(0);
    let least = (HEADER + ENTRY) as u64;
    let is_file = |&bytes: &u64| bytes >= least && bytes % ALIGN as u64 == 0;
    if let Some(bytes) = (0..count).map(length).find(|bytes| !is_file(bytes)) {
        return Err(wrong("bytes of a part", bytes));
    }
    opened.expect_sections((0..count).map(|index| (length(index), 1)))?;
    match opened.header().budget {
        Some(_) => Err(wrong("budget of a filter of parts: number of parts", count as u64)),
        None => Ok(()),
    }
}

/// The parts of a file whose directory was checked.
pub(crate) fn parts<F: Part, B: Bytes>(
    opened: &Opened<'_>,
    mut sections: Sections<'_, B>,
) -> Result<Vec<F>, DecodeError> {
    let (mut parts, mut keys) = (Vec::new(), 0u64);
    for _ in 0..opened.sections() {
        // Each is freed once it is read.
        let section = sections.take()?;
        let part = part_of::<F>(section.as_ref(), opened)?;
        keys = keys.saturating_add(part.len());
        let bytes = size_of::<F>() as u64;
        reserve(&mut parts, 1).map_err(|_| DecodeError::OutOfMemory { bytes })?;
        parts.push(part);
    }
    match keys == opened.keys() {
        true => Ok(parts),
        false => Err(DecodeError::Geometry { field: "number of keys", value: opened.keys() }),
    }
}
