//! What a contender says of itself.

use serde::{Deserialize, Serialize};

/// Families, each drawn in one colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Bloom filters with bits anywhere.
    Classic,
    /// Bloom filters with eight bits per key in one block.
    SplitBlock,
    /// Counting Bloom filters.
    Counting,
    /// Bloom filters that grow.
    Scalable,
    /// Cuckoo filters.
    Cuckoo,
    /// Quotient filters.
    Quotient,
    /// Ribbon filters.
    Ribbon,
    /// Binary fuse, xor and other filters that read three random slots.
    Fuse,
    /// Exact sets.
    Exact,
    /// Not a filter: what hashing alone costs.
    Floor,
}

/// A contender's role.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It is compared.
    Filter,
    /// The same filter entered again: the difference between the two is noise.
    Twin,
    /// Not a filter but a map from keys to values. A query asks for the value and compares it with
    /// the key's; an absent key has a value, too, and that it is the expected one is its rate.
    Map,
    /// A baseline to subtract: it hashes the keys and answers nothing.
    Floor,
}

/// What a filter can do besides answering queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ability {
    /// Inserts keys one by one.
    Insert,
    /// Inserts keys through a shared reference, from several threads.
    ConcurrentInsert,
    /// Removes keys.
    Remove,
    /// Counts the copies of a key.
    Count,
    /// Merges another filter.
    Merge,
    /// Grows beyond the number of keys it was planned for.
    Grow,
    /// Answers many keys in one call, faster than one by one.
    Batch,
    /// Keeps a value for each key.
    Values,
    /// Is built from all keys at once and never changes.
    Static,
}

/// The courses, each through many states of a filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Course {
    /// A hundredfold beyond the plan.
    Grow,
    /// Past the plan, without growing.
    Overfill,
    /// From one load to the next, and back.
    Load,
    /// One key out, another in.
    Churn,
    /// Two filters into one.
    Merge,
}

impl Course {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Grow, Self::Overfill, Self::Load, Self::Churn, Self::Merge];
}

/// A contender's description.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Its name in records, file names and `--only`.
    pub name: &'static str,
    /// Its family.
    pub family: Family,
    /// Its role.
    pub role: Role,
    /// Whether it belongs to this workspace.
    pub ours: bool,
    /// Its packages, its own first; the lock file gives their versions. `std` is the compiler's.
    pub packages: &'static [&'static str],
    /// The line with which a user imports it.
    pub import: &'static str,
    /// One sentence on what to expect of it and why.
    pub analysis: &'static str,
    /// What it can do.
    pub abilities: &'static [Ability],
    /// Whether it takes a target rate. If not, it takes part once per number of keys.
    pub takes_rate: bool,
    /// Whether it can be asked for a number of bits per key instead of a rate.
    pub bits_budget: bool,
    /// Whether its size jumps, mostly by a factor of two, while the number of keys grows steadily,
    /// so that one number of keys does not show its size: see
    /// [`Planned::Octave`](super::Planned::Octave).
    pub jumps: bool,
    /// The most keys it is measured with.
    pub max_keys: u64,
    /// Whether it takes a seed. Without one it builds the same filter every time, so there is only
    /// one to verify.
    pub seeded: bool,
    /// Several times slower than the others. To save time it takes part at one rate of each group,
    /// with the main keys only, and answers a part of each stream.
    pub slow: bool,
    /// Whether it builds with threads of its own, so that the memory of all threads must be
    /// counted.
    pub threads: bool,
    /// The contender that it repeats, for a twin.
    pub twin_of: Option<&'static str>,
    /// Courses that it takes no part in, whatever its abilities.
    pub skips: &'static [Course],
}

impl Info {
    /// What ours have in common.
    pub const OURS: Self = Self {
        name: "",
        family: Family::Classic,
        role: Role::Filter,
        ours: true,
        packages: &[],
        import: "",
        analysis: "",
        abilities: &[],
        takes_rate: true,
        bits_budget: true,
        jumps: false,
        max_keys: u64::MAX,
        seeded: true,
        slow: false,
        threads: false,
        twin_of: None,
        skips: &[],
    };

    /// What most peers have in common.
    #[cfg(feature = "peers")]
    pub const PEER: Self = Self { ours: false, bits_budget: false, ..Self::OURS };

    /// The same contender, entered again: what the two differ by is noise.
    #[must_use]
    pub(super) const fn twin(self, name: &'static str) -> Self {
        Self {
            name,
            role: Role::Twin,
            twin_of: Some(self.name),
            analysis: "The same code as its twin, entered again and built apart: whatever the two \
                       differ by is noise.",
            ..self
        }
    }

    /// Its own package.
    pub const fn crate_name(&self) -> &'static str {
        match self.packages {
            [own, ..] => own,
            [] => "",
        }
    }

    /// Whether it can do this.
    pub fn can(&self, ability: Ability) -> bool {
        self.abilities.contains(&ability)
    }

    /// Whether it takes part in this course, as far as its abilities tell. (The one over loads also
    /// needs [slots](super::Built::slots).)
    pub fn goes(&self, course: Course) -> bool {
        let fits = match course {
            Course::Grow => self.can(Ability::Grow),
            Course::Overfill => self.can(Ability::Insert) && !self.can(Ability::Grow),
            Course::Load => self.can(Ability::Insert),
            Course::Churn => self.can(Ability::Insert) && self.can(Ability::Remove),
            Course::Merge => self.can(Ability::Insert) && self.can(Ability::Merge),
        };
        fits && !self.skips.contains(&course) && matches!(self.role, Role::Filter | Role::Twin)
    }
}
