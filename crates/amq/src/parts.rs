//! Filters made of filters, as files: a file of its own kind, whose sections are the files of its
//! parts.

use alloc::vec;
use alloc::vec::Vec;
use amq_core::envelope::{
    self, ALIGN, Contents, Copying, Description, ENTRY, Entry, HEADER, Opened, Restore, Section,
    Source, Stored, Written,
};
use amq_core::shell::Header;
use amq_core::{Budget, BuildError, DecodeError, Filter, FilterKind, Goal, PlanError, reserve};

/// The revision of both layouts.
const REVISION: u8 = 1;

/// A filter that is stored as a part of another: a shard, a generation. Every filter with a file
/// is, and a [`Rolling`](crate::rolling::Rolling) or [`Sharded`](crate::sharded::Sharded) one, too.
pub trait Part: Filter + Sized {
    /// The part's own file.
    #[doc(hidden)]
    fn to_part(&self, withhold_seed: bool) -> Result<Vec<u8>, BuildError>;
    /// The part in a file; `seed` if that withholds it.
    #[doc(hidden)]
    fn from_part(bytes: &[u8], seed: Option<u64>) -> Result<Self, DecodeError>;
}

impl<F> Part for F
where
    F: Filter + Stored + for<'a> Restore<Over<Copying<'a>> = F>,
{
    fn to_part(&self, withhold_seed: bool) -> Result<Vec<u8>, BuildError> {
        envelope::encode(self, withhold_seed)
    }
    fn from_part(bytes: &[u8], seed: Option<u64>) -> Result<Self, DecodeError> {
        envelope::decode::<F>(bytes, seed)
    }
}

/// A filter of parts, ready to be written.
pub(crate) struct Whole {
    pub(crate) kind: FilterKind,
    pub(crate) key_seed: Option<u64>,
    pub(crate) capacity: u64,
    pub(crate) entry: Entry,
    items: u64,
    files: Vec<Vec<u8>>,
}

impl Whole {
    /// Without parts.
    pub(crate) fn new(
        kind: FilterKind,
        key_seed: Option<u64>,
        capacity: u64,
        entry: Entry,
    ) -> Self {
        Self { kind, key_seed, capacity, entry, items: 0, files: Vec::new() }
    }

    /// Adds a part, which must hash its keys as the whole does.
    pub(crate) fn push<F: Part>(&mut self, part: &F, withhold: bool) -> Result<(), BuildError> {
        // What no reader accepts is not written.
        if part.key_seed() != self.key_seed {
            return Err(BuildError::PartSeeds { part: self.files.len() as u64 });
        }
        let file = part.to_part(withhold)?;
        reserve(&mut self.files, 1)?;
        self.files.push(file);
        self.items = self.items.saturating_add(part.len());
        Ok(())
    }
}

/// How the plans of parts add up to that of the whole.
pub(crate) struct Sum<R, I> {
    /// The number of parts.
    pub(crate) parts: u64,
    /// The rate of the whole from that of each part.
    pub(crate) rate: R,
    /// The most keys of the whole if no part may be planned for more than so many.
    pub(crate) items: I,
}

impl<R: Fn(f64) -> f64, I: Fn(u64) -> u64> Sum<R, I> {
    /// A refusal to plan a part, said of the whole, which `goal` is for.
    pub(crate) fn refusal(&self, of_part: PlanError, goal: Goal) -> PlanError {
        let items = goal.items;
        let all = |each: u64| each.saturating_mul(self.parts);
        let fpr = |each| match goal.budget {
            Budget::Fpr(fpr) => fpr,
            _ => (self.rate)(each),
        };
        match of_part {
            PlanError::Items { min, max, .. } => {
                PlanError::Items { items, min, max: (self.items)(max) }
            }
            PlanError::FprBelowHashFloor { fpr: each, floor, .. } => {
                let floor = (self.rate)(floor);
                PlanError::FprBelowHashFloor { fpr: fpr(each), floor, items }
            }
            PlanError::FprUnreachable { fpr: each, lowest, .. } => {
                let lowest = (self.rate)(lowest);
                PlanError::FprUnreachable { fpr: fpr(each), lowest, items }
            }
            PlanError::Bytes { min, .. } => {
                PlanError::Bytes { bytes: goal.max_bits() / 8, min: all(min) }
            }
            PlanError::TooLarge { bytes, max_bytes } => {
                let max_bytes = all(max_bytes).min(isize::MAX as u64);
                PlanError::TooLarge { bytes: bytes * self.parts as f64, max_bytes }
            }
            // Of a part's own parameters.
            other => other,
        }
    }
}

impl Written for Whole {
    fn contents(&self) -> Contents<'_> {
        Contents {
            kind: self.kind,
            revision: REVISION,
            header: Header {
                seed: self.key_seed.unwrap_or(0),
                capacity: self.capacity,
                budget: None,
                hashed_by_caller: self.key_seed.is_none(),
            },
            items: self.items,
            description: Description {
                entries: vec![self.entry],
                sections: self.files.iter().map(|file| Section::of(file)).collect(),
                ..Description::default()
            },
        }
    }
}

/// The parts of a file, at most so many; `what` they are, for errors.
pub(crate) fn parts<F: Part, S: Source>(
    opened: &Opened<'_>,
    mut source: S,
    kind: FilterKind,
    what: &'static str,
    most: u64,
) -> Result<Vec<F>, DecodeError> {
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
    let header = opened.header();
    if header.budget.is_some() {
        return Err(wrong("budget of a filter of parts: number of parts", count as u64));
    }
    let withheld = opened.withholds_seed();
    let (mut parts, mut items) = (Vec::new(), 0u64);
    for _ in 0..count {
        let bytes = source.section::<u8>(opened)?;
        let bytes = bytes.as_ref();
        if envelope::withholds_seed(bytes)? != withheld {
            return Err(wrong(
                "seed of a part that is withheld, or is not: flags",
                withheld.into(),
            ));
        }
        let part = F::from_part(bytes, withheld.then_some(header.seed))?;
        if part.key_seed() != header.key_seed() {
            return Err(DecodeError::Structure { what: "seeds of the parts" });
        }
        items = items.saturating_add(part.len());
        let bytes = size_of::<F>() as u64;
        reserve(&mut parts, 1).map_err(|_| DecodeError::OutOfMemory { bytes })?;
        parts.push(part);
    }
    if items != opened.items() {
        return Err(wrong("number of keys", opened.items()));
    }
    source.finish(opened)?;
    Ok(parts)
}

/// The inherent methods of a filter of parts that store and load it: by its functions `whole`,
/// which makes what is written, and `restored`.
macro_rules! file {
    ($type:ident, $about:literal) => {
        impl<F: $crate::Part> $type<F> {
            #[doc = concat!("The filter as a file. ", $about)]
            pub fn to_bytes(&self) -> Result<alloc::vec::Vec<u8>, amq_core::BuildError> {
                amq_core::envelope::encode(&self.whole(false)?, false)
            }

            /// The same without the seed: whoever reads it must give the seed.
            pub fn to_bytes_without_seed(
                &self,
            ) -> Result<alloc::vec::Vec<u8>, amq_core::BuildError> {
                amq_core::envelope::encode(&self.whole(true)?, true)
            }

            /// Writes the filter as a file; see [`to_bytes`](Self::to_bytes).
            #[cfg(feature = "std")]
            pub fn write_to(&self, writer: impl std::io::Write) -> std::io::Result<()> {
                self.written_to(writer, false)
            }

            /// The same without the seed: whoever reads it must give the seed.
            #[cfg(feature = "std")]
            pub fn write_to_without_seed(
                &self,
                writer: impl std::io::Write,
            ) -> std::io::Result<()> {
                self.written_to(writer, true)
            }

            #[cfg(feature = "std")]
            fn written_to(
                &self,
                mut writer: impl std::io::Write,
                withhold_seed: bool,
            ) -> std::io::Result<()> {
                let whole = self.whole(withhold_seed).map_err(std::io::Error::other)?;
                amq_core::envelope::write(&whole, &mut writer, withhold_seed)?;
                writer.flush()
            }

            /// Saves the filter as the file at `path`, whole or not at all: it is written beside
            /// it, synced, and renamed. A folder, device, FIFO or link is refused. See
            /// [`to_bytes`](Self::to_bytes).
            #[cfg(feature = "std")]
            pub fn save(&self, path: impl AsRef<std::path::Path>) -> std::io::Result<()> {
                self.saved(path.as_ref(), false)
            }

            /// As [`save`](Self::save), without the seed: whoever loads the file must give the
            /// seed.
            #[cfg(feature = "std")]
            pub fn save_without_seed(
                &self,
                path: impl AsRef<std::path::Path>,
            ) -> std::io::Result<()> {
                self.saved(path.as_ref(), true)
            }

            #[cfg(feature = "std")]
            fn saved(&self, path: &std::path::Path, withhold_seed: bool) -> std::io::Result<()> {
                let whole = self.whole(withhold_seed).map_err(std::io::Error::other)?;
                amq_core::envelope::save(&whole, path, withhold_seed)
            }

            /// The filter in these bytes, which must be one whole file and no more. Everything is
            /// checked: damaged bytes are an error, never a filter that denies keys.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self, amq_core::DecodeError> {
                Self::decoded(bytes, None)
            }

            /// The same for a file that withholds its seed, which must be this one.
            pub fn from_bytes_with_seed(
                bytes: &[u8],
                seed: u64,
            ) -> Result<Self, amq_core::DecodeError> {
                Self::decoded(bytes, Some(seed))
            }

            fn decoded(bytes: &[u8], seed: Option<u64>) -> Result<Self, amq_core::DecodeError> {
                let (opened, payload) = amq_core::envelope::open(bytes, seed)?;
                let source = amq_core::envelope::Borrowing::new(payload, &opened, true)?;
                Self::restored(&opened, source)
            }

            /// Reads one filter, and no byte more.
            #[cfg(feature = "std")]
            pub fn read_from(reader: impl std::io::Read) -> Result<Self, amq_core::ReadError> {
                Self::read_from_within(reader, u64::MAX)
            }

            /// The same for a file that withholds its seed, which must be this one.
            #[cfg(feature = "std")]
            pub fn read_from_with_seed(
                reader: impl std::io::Read,
                seed: u64,
            ) -> Result<Self, amq_core::ReadError> {
                Self::streamed(reader, Some(seed), u64::MAX)
            }

            /// As [`read_from`](Self::read_from), unless the file is larger than `max_bytes`.
            /// Memory is taken as the bytes come, not as the file claims.
            #[cfg(feature = "std")]
            pub fn read_from_within(
                reader: impl std::io::Read,
                max_bytes: u64,
            ) -> Result<Self, amq_core::ReadError> {
                Self::streamed(reader, None, max_bytes)
            }

            #[cfg(feature = "std")]
            fn streamed(
                mut reader: impl std::io::Read,
                seed: Option<u64>,
                max_bytes: u64,
            ) -> Result<Self, amq_core::ReadError> {
                Ok(amq_core::envelope::read_as(&mut reader, seed, max_bytes, |opened, source| {
                    Self::restored(opened, source)
                })?
                .0)
            }

            /// Loads the filter that [`save`](Self::save) wrote. The file of one part after another
            /// is held beside the filter.
            #[cfg(feature = "std")]
            pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self, amq_core::ReadError> {
                amq_core::envelope::load_as(path.as_ref(), None, |opened, source| {
                    Self::restored(opened, source)
                })
            }

            /// The same for a file that withholds its seed, which must be this one.
            #[cfg(feature = "std")]
            pub fn load_with_seed(
                path: impl AsRef<std::path::Path>,
                seed: u64,
            ) -> Result<Self, amq_core::ReadError> {
                amq_core::envelope::load_as(path.as_ref(), Some(seed), |opened, source| {
                    Self::restored(opened, source)
                })
            }
        }

        impl<F: $crate::Part> $crate::Part for $type<F> {
            fn to_part(
                &self,
                withhold_seed: bool,
            ) -> Result<alloc::vec::Vec<u8>, amq_core::BuildError> {
                amq_core::envelope::encode(&self.whole(withhold_seed)?, withhold_seed)
            }
            fn from_part(bytes: &[u8], seed: Option<u64>) -> Result<Self, amq_core::DecodeError> {
                Self::decoded(bytes, seed)
            }
        }
    };
}
pub(crate) use file;
