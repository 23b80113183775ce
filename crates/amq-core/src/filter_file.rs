//! Filters as files: saving, loading and viewing, the same for every type.

use crate::envelope::{self, FileFormat, Hashing};
use crate::{
    Budget, BuildError, Bytes, DecodeError, Secret, SharedBytes, SipKey, Table, TruncateError,
};
use alloc::sync::Arc;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use {
    crate::ReadError,
    crate::envelope::Limits,
    std::io::{self, Read, Write},
    std::path::Path,
};

/// Writes a filter as a file and reads it back.
///
/// Files are portable between machines and have checksums: damaged bytes are an error, never a
/// filter that denies keys. `FORMAT.md` beside this crate's sources defines the format.
/// [`SaveOptions`] and [`LoadOptions`] have the same methods with options: to withhold a secret,
/// limit the size, or skip a view's payload check.
///
/// ```
/// use amq_core::FilterFile;
/// # fn example<F: FilterFile<With<amq_core::Table> = F> + PartialEq>(filter: F)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// let bytes = filter.to_bytes()?; // or `save`, to a path
/// assert!(F::from_bytes(&bytes)? == filter);
/// # Ok(())
/// # }
/// ```
pub trait FilterFile: FileFormat {
    /// The bytes of the filter's file.
    fn to_bytes(&self) -> Result<Vec<u8>, BuildError> {
        SaveOptions::new().to_bytes(self)
    }

    /// Writes the filter as a file, and flushes the writer.
    #[cfg(feature = "std")]
    fn write_to(&self, writer: impl Write) -> io::Result<()> {
        SaveOptions::new().write_to(self, writer)
    }

    /// Saves the filter as the file at `path`, whole or not at all: it is written to a temporary
    /// file beside it, synced, and renamed. A folder, device, FIFO or link is refused.
    ///
    /// The new file keeps the mode of the file it replaces, and its owner and group as far as the
    /// system allows; where it does not, access is never widened. Access control lists and other
    /// extended attributes are not kept: the mask of a list becomes the permissions of the file's
    /// group. **A file with a secret key, or with a seed other than the public one, is readable by
    /// its owner only** (mode 600 on Unix), unless it replaces a file with the same secret. Any
    /// other new file gets the system's default mode.
    ///
    /// The folder is synced too, so that the new name survives a crash. If the folder can be
    /// written but not read, only the content is synced. The temporary file is called
    /// `.amq-<16 hexadecimal digits>.tmp`; only a killed process leaves one behind, and it can be
    /// deleted.
    #[cfg(feature = "std")]
    fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        SaveOptions::new().save(self, path)
    }

    /// Reads a filter from the bytes of exactly one file. Everything is checked.
    fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError>
    where
        Self: FileFormat<With<Table> = Self>,
    {
        LoadOptions::new().from_bytes(bytes)
    }

    /// Reads exactly one filter's bytes. Memory is allocated as bytes arrive, not by the length the
    /// file claims.
    #[cfg(feature = "std")]
    fn read_from<R: Read>(reader: R) -> Result<Self, ReadError>
    where
        Self: FileFormat<With<Table> = Self>,
    {
        LoadOptions::new().read_from(reader)
    }

    /// Loads the filter that [`save`](FilterFile::save) wrote.
    ///
    /// A program that must work without the file can use `load_or_maybe` of the crate `amq`, which
    /// answers *maybe* to every key if the file cannot be read.
    #[cfg(feature = "std")]
    fn load(path: impl AsRef<Path>) -> Result<Self, ReadError>
    where
        Self: FileFormat<With<Table> = Self>,
    {
        LoadOptions::new().load(path)
    }

    /// Views the filter in the bytes of exactly one file, without copying them. Everything is
    /// checked, in one pass over the bytes.
    ///
    /// The bytes may begin at any address. A multiple of 64, as a memory map has, is fastest.
    ///
    /// # Mapped files
    ///
    /// The bytes may be a file mapped into memory. It must not change while it is mapped: the
    /// checks are made only when it is opened. If another process shortens the file, the next query
    /// that touches a missing page raises `SIGBUS` on Unix, which ends the program; if it writes
    /// into the file, answers are arbitrary. Replace such a file by [`save`](FilterFile::save), or
    /// write another one and rename it: the map keeps the old file. Never truncate it or write it
    /// in place, as `cp` and a shell's `>` do. If you cannot rule that out, load the filter.
    fn view(bytes: &[u8]) -> Result<Self::With<&[u8]>, DecodeError>
    where
        // True of owned filters only, so that `FuseFilter::view` needs no `FuseFilter::<Table>`.
        Self: FileFormat<With<Table> = Self>,
    {
        LoadOptions::new().view::<Self>(bytes)
    }

    /// As [`view`](Self::view), but the view shares ownership of the bytes, such as a memory map,
    /// and can be kept in a struct.
    ///
    /// If `as_ref` later returns different bytes, answers are arbitrary, or the filter panics.
    fn view_shared<T: Bytes + ?Sized>(
        bytes: Arc<T>,
    ) -> Result<Self::With<SharedBytes<T>>, DecodeError>
    where
        Self: FileFormat<With<Table> = Self>,
    {
        LoadOptions::new().view_shared::<Self, T>(bytes)
    }
}

impl<F: FileFormat> FilterFile for F {}

/// Options for saving a filter: with its secret or without.
///
/// ```
/// use amq_core::{LoadOptions, SaveOptions};
///
/// // A file without its seed: the reader must supply it.
/// let (save, load) = (SaveOptions::new().without_secret(), LoadOptions::new().seed(42));
/// # fn example<F: amq_core::FilterFile<With<amq_core::Table> = F>>(
/// #     filter: F, save: SaveOptions, load: LoadOptions,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// let bytes = save.to_bytes(&filter)?;
/// let filter: F = load.from_bytes(&bytes)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SaveOptions {
    without_secret: bool,
}

impl SaveOptions {
    /// The defaults: the file contains the secret.
    #[must_use]
    pub const fn new() -> Self {
        Self { without_secret: false }
    }

    /// Withholds the seed or secret key from the file: readers must supply it.
    #[must_use]
    pub const fn without_secret(mut self) -> Self {
        self.without_secret = true;
        self
    }

    const fn hashing(self) -> Hashing {
        if self.without_secret { Hashing::SeedWithheld } else { Hashing::Seed }
    }

    /// [`FilterFile::to_bytes`], with these options.
    pub fn to_bytes<F: FilterFile>(self, filter: &F) -> Result<Vec<u8>, BuildError> {
        envelope::to_bytes(filter, self.hashing())
    }

    /// [`FilterFile::write_to`], with these options.
    #[cfg(feature = "std")]
    pub fn write_to<F: FilterFile>(self, filter: &F, mut writer: impl Write) -> io::Result<()> {
        envelope::write_to(filter, &mut writer, self.hashing())
    }

    /// [`FilterFile::save`], with these options.
    #[cfg(feature = "std")]
    pub fn save<F: FilterFile>(self, filter: &F, path: impl AsRef<Path>) -> io::Result<()> {
        envelope::save(filter, path.as_ref(), self.hashing())
    }
}

/// Options for loading a filter: the secret that its file withholds, a limit on its size, whether a
/// view checks its payload, and a smaller budget. See the example of [`SaveOptions`].
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions {
    secret: Option<Secret>,
    max_bytes: u64,
    unchecked_payload: bool,
    budget: Option<Budget>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl LoadOptions {
    /// The defaults: files of any length, without a withheld secret, fully checked.
    #[must_use]
    pub const fn new() -> Self {
        Self { secret: None, max_bytes: u64::MAX, unchecked_payload: false, budget: None }
    }

    /// The seed of a file that withholds it. A file with another seed is refused as
    /// [`DecodeError::OtherSeed`], and one whose keys are hashed otherwise by how they are.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Self {
        self.secret = Some(Secret::Seed(seed));
        self
    }

    /// The secret key of a [`Keyed`](crate::Keyed) filter's file that withholds it. A file with
    /// another key is refused as [`DecodeError::OtherKey`], and one whose keys are hashed otherwise
    /// by how they are.
    #[must_use]
    pub const fn key(mut self, key: SipKey) -> Self {
        self.secret = Some(Secret::Key(key));
        self
    }

    /// The seed or secret key of a file that withholds it.
    #[must_use]
    pub const fn secret(mut self, secret: Secret) -> Self {
        self.secret = Some(secret);
        self
    }

    /// Refuses files of more than this many bytes, before allocating memory for them.
    #[must_use]
    pub const fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Views check the header and the directory only, in constant time. **If the payload is
    /// damaged, answers are arbitrary**, and inserted keys may be denied. Methods that copy the
    /// bytes always check them.
    #[must_use]
    pub const fn unchecked_payload(mut self) -> Self {
        self.unchecked_payload = true;
        self
    }

    /// Truncates the filter to this budget while loading it
    /// ([`TruncateFilter`](crate::TruncateFilter)).
    ///
    /// The file is read piece by piece, and memory is allocated for the smaller filter only. The
    /// checksums of the whole file are checked. Only the part that is kept is validated, so this
    /// may accept a forged file that would be refused as a whole. Budgets that
    /// [`truncate`](crate::TruncateFilter::truncate) refuses are refused, and so are views and
    /// kinds that cannot be truncated.
    ///
    /// ```
    /// use amq_core::{Budget, LoadOptions};
    ///
    /// // In a program with less memory than the one that built the filter.
    /// let load = LoadOptions::new().budget(Budget::Fpr(0.01));
    /// # fn example<F: amq_core::FilterFile<With<amq_core::Table> = F>>(load: LoadOptions)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// let filter: F = load.load("keys.amq")?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub const fn budget(mut self, budget: Budget) -> Self {
        self.budget = Some(budget);
        self
    }

    #[cfg(feature = "std")]
    const fn limits(self) -> Limits {
        Limits { max_bytes: self.max_bytes, budget: self.budget }
    }

    /// `Ok` if a view of this many bytes is possible.
    fn check_view(self, bytes: usize) -> Result<(), DecodeError> {
        match self.budget {
            Some(_) => Err(TruncateError::View.into()),
            None => self.check_length(bytes),
        }
    }

    fn check_length(self, bytes: usize) -> Result<(), DecodeError> {
        match bytes as u64 {
            bytes if bytes > self.max_bytes => {
                Err(DecodeError::OverLimit { bytes, limit: self.max_bytes })
            }
            _ => Ok(()),
        }
    }

    /// [`FilterFile::from_bytes`], with these options.
    pub fn from_bytes<F>(self, bytes: &[u8]) -> Result<F, DecodeError>
    where
        F: FileFormat<With<Table> = F>,
    {
        self.check_length(bytes.len())?;
        match self.budget {
            Some(budget) => envelope::truncated::<F>(bytes, self.secret, budget),
            None => envelope::from_bytes::<F>(bytes, self.secret),
        }
    }

    /// [`FilterFile::read_from`], with these options.
    #[cfg(feature = "std")]
    pub fn read_from<F, R: Read>(self, mut reader: R) -> Result<F, ReadError>
    where
        F: FileFormat<With<Table> = F>,
    {
        Ok(envelope::read::<F>(&mut reader, self.secret, self.limits())?.0)
    }

    /// [`FilterFile::load`], with these options. See there for `load_or_maybe`.
    #[cfg(feature = "std")]
    pub fn load<F>(self, path: impl AsRef<Path>) -> Result<F, ReadError>
    where
        F: FileFormat<With<Table> = F>,
    {
        envelope::load::<F>(path.as_ref(), self.secret, self.limits())
    }

    /// [`FilterFile::view`], with these options.
    pub fn view<F: FileFormat>(self, bytes: &[u8]) -> Result<F::With<&[u8]>, DecodeError> {
        self.check_view(bytes.len())?;
        envelope::view::<F>(bytes, self.secret, !self.unchecked_payload)
    }

    /// [`FilterFile::view_shared`], with these options.
    pub fn view_shared<F: FileFormat, T: Bytes + ?Sized>(
        self,
        bytes: Arc<T>,
    ) -> Result<F::With<SharedBytes<T>>, DecodeError> {
        self.check_view((*bytes).as_ref().len())?;
        envelope::view_shared::<F, T>(&bytes, self.secret, !self.unchecked_payload)
    }
}
