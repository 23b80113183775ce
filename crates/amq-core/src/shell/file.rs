//! The arms of `shell!` that store and load.

/// What the methods about files say of themselves, on each type and on `AnyFilter`: one text.
#[doc(hidden)]
#[macro_export]
macro_rules! file_docs {
    (from_bytes_with_seed) => {
        "Reads a file that withholds its seed, which must be `seed`. A file that stores \
         another seed, or has none because the caller hashed its keys, is refused as \
         `DecodeError::OtherSeed`."
    };
    (save) => {
        "Saves the filter as the file at `path`, whole or not at all: it is written to a temporary \
         file beside it, synced, and renamed. A folder, device, FIFO or link is refused.\n\
         \n\
         A file that is replaced leaves its mode to the new one, and its owner and group as far as \
         the system allows; where it does not, nobody gains access. Access control lists are not \
         kept. A new file has the mode of any new file: **to keep a secret seed private**, restrict \
         the file, or save without the seed.\n\
         \n\
         The folder is synced, too, so that the new name lasts. Where the folder may be written but \
         not read, that cannot be done: the content is then synced, and after a crash of the system \
         the name may still be the old file's. The temporary file is called \
         `.amq-<16 hexadecimal digits>.tmp`; only a process that is killed leaves one behind, and \
         it can be deleted."
    };
    (open) => {
        "The filter in these bytes, which stay where they are: one whole file and no more, beginning \
         at a multiple of 64. Everything is checked, which reads them all once.\n\
         \n\
         # Mapped files\n\
         \n\
         The bytes may be a file mapped into memory, which must not change while it is mapped: no \
         check at opening can help later. If another process shortens the file, the next query that \
         touches a missing page raises `SIGBUS` on Unix, which ends the program; if it writes into \
         the file, the filter answers anything. Replace such a file by `save`, or write another one \
         and `rename` it: the map keeps the old file. Never truncate it or write it in place, as \
         `cp` and a shell's `>` do. If you cannot rule that out, load the filter instead."
    };
    (open_without_checking_payload) => {
        "As [`open`](Self::open), with the same conditions, but only header and directory are \
         checked: at once, whatever the size. **A payload that was damaged since it was written then \
         answers anything**, keys denied included."
    };
}

/// - `file [generics] Type, owned [generics] Owned, view ['a, generics] View`: how it is stored.
/// - `one_table ...`: the same, and `view`, for a [`OneTable`](crate::envelope::OneTable).
#[doc(hidden)]
#[macro_export]
macro_rules! shell_file {
    (file [$($g:tt)*] $t:ty, owned [$($o:tt)*] $owned:ty, view [$($v:tt)*] $view:ty) => {
        impl<$($g)*> $t {
            /// Bytes of the filter as a file.
            #[must_use]
            pub fn encoded_len(&self) -> u64 {
                $crate::envelope::encoded_len(self)
            }

            /// The filter as a file. The same filter gives the same bytes on every machine.
            pub fn to_bytes(&self) -> Result<::alloc::vec::Vec<u8>, $crate::BuildError> {
                $crate::envelope::encode(self, false)
            }

            /// The same without the seed: whoever reads it must give the seed.
            pub fn to_bytes_without_seed(
                &self,
            ) -> Result<::alloc::vec::Vec<u8>, $crate::BuildError> {
                $crate::envelope::encode(self, true)
            }

            /// Writes the filter as a file at the beginning of `buffer`, and returns its length.
            /// `None`, and nothing is written, if there is less room than
            /// [`encoded_len`](Self::encoded_len).
            #[must_use]
            pub fn write_into(&self, buffer: &mut [u8]) -> Option<usize> {
                $crate::envelope::encode_into(self, buffer, false)
            }

            /// Writes the filter as a file, and flushes the writer.
            #[cfg(feature = "std")]
            pub fn write_to(&self, mut writer: impl std::io::Write) -> std::io::Result<()> {
                $crate::envelope::write(self, &mut writer, false)?;
                std::io::Write::flush(&mut writer)
            }

            /// The same without the seed: whoever reads it must give the seed.
            #[cfg(feature = "std")]
            pub fn write_to_without_seed(
                &self,
                mut writer: impl std::io::Write,
            ) -> std::io::Result<()> {
                $crate::envelope::write(self, &mut writer, true)?;
                std::io::Write::flush(&mut writer)
            }

            #[doc = $crate::file_docs!(save)]
            #[cfg(feature = "std")]
            pub fn save(&self, path: impl AsRef<std::path::Path>) -> std::io::Result<()> {
                $crate::envelope::save(self, path.as_ref(), false)
            }

            /// As [`save`](Self::save), without the seed: whoever loads the file must give the
            /// seed.
            #[cfg(feature = "std")]
            pub fn save_without_seed(
                &self,
                path: impl AsRef<std::path::Path>,
            ) -> std::io::Result<()> {
                $crate::envelope::save(self, path.as_ref(), true)
            }
        }

        impl<$($o)*> $owned {
            /// The filter in these bytes, which must be one whole file and no more. Everything is
            /// checked: damaged bytes are an error, never a filter that denies keys.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self, $crate::DecodeError> {
                $crate::envelope::decode::<Self>(bytes, None)
            }

            #[doc = $crate::file_docs!(from_bytes_with_seed)]
            pub fn from_bytes_with_seed(
                bytes: &[u8],
                seed: u64,
            ) -> Result<Self, $crate::DecodeError> {
                $crate::envelope::decode::<Self>(bytes, Some(seed))
            }

            /// Reads one filter, and no byte more.
            #[cfg(feature = "std")]
            pub fn read_from(mut reader: impl std::io::Read) -> Result<Self, $crate::ReadError> {
                Ok($crate::envelope::read::<Self, _>(&mut reader, None, u64::MAX)?.0)
            }

            #[doc = $crate::file_docs!(from_bytes_with_seed)]
            #[cfg(feature = "std")]
            pub fn read_from_with_seed(
                mut reader: impl std::io::Read,
                seed: u64,
            ) -> Result<Self, $crate::ReadError> {
                Ok($crate::envelope::read::<Self, _>(&mut reader, Some(seed), u64::MAX)?.0)
            }

            /// As [`read_from`](Self::read_from), unless the file is larger than `max_bytes`.
            /// Memory is taken as the bytes come, not as the file claims.
            #[cfg(feature = "std")]
            pub fn read_from_within(
                mut reader: impl std::io::Read,
                max_bytes: u64,
            ) -> Result<Self, $crate::ReadError> {
                Ok($crate::envelope::read::<Self, _>(&mut reader, None, max_bytes)?.0)
            }

            /// Loads the filter that [`save`](Self::save) wrote.
            #[cfg(feature = "std")]
            pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self, $crate::ReadError> {
                $crate::envelope::load::<Self>(path.as_ref(), None)
            }

            #[doc = $crate::file_docs!(from_bytes_with_seed)]
            #[cfg(feature = "std")]
            pub fn load_with_seed(
                path: impl AsRef<std::path::Path>,
                seed: u64,
            ) -> Result<Self, $crate::ReadError> {
                $crate::envelope::load::<Self>(path.as_ref(), Some(seed))
            }
        }

        /// The bytes of the filter's file.
        #[cfg(feature = "serde")]
        impl<$($g)*> $crate::serde::Serialize for $t {
            fn serialize<Z: $crate::serde::Serializer>(
                &self,
                serializer: Z,
            ) -> Result<Z::Ok, Z::Error> {
                $crate::envelope::serde::serialize(self, serializer)
            }
        }

        /// The bytes of the filter's file, with all the checks of `from_bytes`.
        #[cfg(feature = "serde")]
        impl<'de, $($o)*> $crate::serde::Deserialize<'de> for $owned {
            fn deserialize<Z: $crate::serde::Deserializer<'de>>(
                deserializer: Z,
            ) -> Result<Self, Z::Error> {
                $crate::envelope::serde::deserialize(deserializer)
            }
        }

        impl<$($v)*> $view {
            #[doc = $crate::file_docs!(open)]
            pub fn open(bytes: &'a [u8]) -> Result<Self, $crate::DecodeError> {
                $crate::envelope::view::<$owned>(bytes, None, true)
            }

            #[doc = $crate::file_docs!(open_without_checking_payload)]
            pub fn open_without_checking_payload(
                bytes: &'a [u8],
            ) -> Result<Self, $crate::DecodeError> {
                $crate::envelope::view::<$owned>(bytes, None, false)
            }
        }
    };

    (one_table [$($g:tt)*] $t:ty, owned [$($o:tt)*] $owned:ty, view [$($v:tt)*] $view:ty) => {
        $crate::shell_file!(file [$($g)*] $t, owned [$($o)*] $owned, view [$($v)*] $view);

        impl<$($g)*> $t {
            /// The same filter over a borrowed table.
            #[must_use]
            pub fn view<'a>(&'a self) -> $view {
                $crate::envelope::OneTable::borrowed(self)
            }
        }
    };
}
