//! The inherent methods that write and read files.

/// Writes the methods of a clause about files of [`methods!`](crate::methods).
#[doc(hidden)]
#[macro_export]
macro_rules! file_methods {
    ([$($at:tt)*] $(#[$doc:meta])* to_bytes;) => {
        /// The filter as a file. The same filter gives the same bytes on every machine.
        $(#[$doc])*
        #[doc = $crate::docs!(to_bytes $($at)*)]
        pub fn to_bytes(&self) -> Result<::alloc::vec::Vec<u8>, $crate::BuildError> {
            $crate::internal::Written::encode_file(self, $crate::internal::Hashing::Seed)
        }

        /// The filter as a file without its seed: readers must supply it.
        pub fn to_bytes_without_seed(&self) -> Result<::alloc::vec::Vec<u8>, $crate::BuildError> {
            $crate::internal::Written::encode_file(self, $crate::internal::Hashing::SeedWithheld)
        }

        /// Writes the filter as a file, and flushes the writer.
        #[cfg(feature = "std")]
        pub fn write_to(&self, mut writer: impl std::io::Write) -> std::io::Result<()> {
            $crate::internal::Written::write_file(
                self,
                &mut writer,
                $crate::internal::Hashing::Seed,
            )
        }

        /// Writes the filter as a file without its seed: readers must supply it.
        #[cfg(feature = "std")]
        pub fn write_to_without_seed(
            &self,
            mut writer: impl std::io::Write,
        ) -> std::io::Result<()> {
            $crate::internal::Written::write_file(
                self,
                &mut writer,
                $crate::internal::Hashing::SeedWithheld,
            )
        }

        #[doc = $crate::docs!(save)]
        #[cfg(feature = "std")]
        pub fn save(&self, path: impl AsRef<std::path::Path>) -> std::io::Result<()> {
            $crate::internal::Written::save_file(
                self,
                path.as_ref(),
                $crate::internal::Hashing::Seed,
            )
        }

        /// As [`save`](Self::save), without the seed: readers must supply it.
        #[cfg(feature = "std")]
        pub fn save_without_seed(
            &self,
            path: impl AsRef<std::path::Path>,
        ) -> std::io::Result<()> {
            $crate::internal::Written::save_file(
                self,
                path.as_ref(),
                $crate::internal::Hashing::SeedWithheld,
            )
        }
    };

    ([$($at:tt)*] $(#[$doc:meta])* encoded_len;) => {
        /// Bytes of the filter as a file.
        $(#[$doc])*
        #[must_use]
        pub fn encoded_len(&self) -> u64 {
            $crate::internal::Stored::file_len(self)
        }

        /// Writes the filter as a file at the beginning of `buffer`, and returns its length.
        /// `None`, and nothing is written, if the buffer is shorter than
        /// [`encoded_len`](Self::encoded_len).
        #[must_use]
        pub fn write_into(&self, buffer: &mut [u8]) -> Option<usize> {
            $crate::internal::Stored::encode_file_into(self, buffer)
        }
    };

    ([$($at:tt)*] $(#[$doc:meta])* from_bytes;) => {
        /// The filter in these bytes, which must be one whole file and no more. Everything is
        /// checked: damaged bytes are an error, never a filter that denies keys.
        $(#[$doc])*
        pub fn from_bytes(bytes: &[u8]) -> Result<Self, $crate::DecodeError> {
            <Self as $crate::internal::Restore>::decode_file(bytes, None)
        }

        #[doc = $crate::docs!(from_bytes_with_seed)]
        pub fn from_bytes_with_seed(
            bytes: &[u8],
            seed: u64,
        ) -> Result<Self, $crate::DecodeError> {
            <Self as $crate::internal::Restore>::decode_file(bytes, Some($crate::Secret::Seed(seed)))
        }

        /// Reads one filter, and no byte more.
        #[cfg(feature = "std")]
        pub fn read_from(mut reader: impl std::io::Read) -> Result<Self, $crate::ReadError> {
            Ok(<Self as $crate::internal::Restore>::read_file(&mut reader, None, u64::MAX)?.0)
        }

        #[doc = $crate::docs!(from_bytes_with_seed)]
        #[cfg(feature = "std")]
        pub fn read_from_with_seed(
            mut reader: impl std::io::Read,
            seed: u64,
        ) -> Result<Self, $crate::ReadError> {
            Ok(<Self as $crate::internal::Restore>::read_file(&mut reader, Some($crate::Secret::Seed(seed)), u64::MAX)?.0)
        }

        /// Reads one filter, unless the file is larger than `max_bytes`. Memory is allocated as
        /// bytes arrive, not by what the file claims.
        #[cfg(feature = "std")]
        pub fn read_from_within(
            mut reader: impl std::io::Read,
            max_bytes: u64,
        ) -> Result<Self, $crate::ReadError> {
            Ok(<Self as $crate::internal::Restore>::read_file(&mut reader, None, max_bytes)?.0)
        }

        /// Loads the filter that [`save`](Self::save) wrote.
        #[cfg(feature = "std")]
        pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self, $crate::ReadError> {
            <Self as $crate::internal::Restore>::load_file(path.as_ref(), None, u64::MAX)
        }

        #[doc = $crate::docs!(from_bytes_with_seed)]
        #[cfg(feature = "std")]
        pub fn load_with_seed(
            path: impl AsRef<std::path::Path>,
            seed: u64,
        ) -> Result<Self, $crate::ReadError> {
            <Self as $crate::internal::Restore>::load_file(path.as_ref(), Some($crate::Secret::Seed(seed)), u64::MAX)
        }
    };

    ([$($at:tt)*] $(#[$doc:meta])* open: $owned:ty;) => {
        #[doc = $crate::docs!(open)]
        $(#[$doc])*
        pub fn open(bytes: &'a [u8]) -> Result<Self, $crate::DecodeError> {
            <$owned as $crate::internal::Restore>::view_file(bytes, None, true)
        }

        #[doc = $crate::docs!(open_without_checking_payload)]
        pub fn open_without_checking_payload(bytes: &'a [u8]) -> Result<Self, $crate::DecodeError> {
            <$owned as $crate::internal::Restore>::view_file(bytes, None, false)
        }
    };
}
