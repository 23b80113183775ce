//! A view that owns its bytes.

use super::{AnyFilter, AnyView};
use alloc::boxed::Box;
use amq_core::{
    DecodeError, Filter, FilterKind, Key, KeyHash, Keyed, LengthMismatch, SipKey, Stats,
};
use core::fmt;
use self_cell::self_cell;

/// What holds the bytes.
type Owner = Box<dyn AsRef<[u8]> + Send + Sync>;

self_cell!(
    /// The bytes, and the view of them.
    ///
    /// `as_ref` is called once, on an owner that has its place on the heap and is only lent from
    /// then on: the slice it returns is borrowed from that loan, so it stays valid, and stays the
    /// same, whatever `as_ref` would return at another call.
    struct Held {
        owner: Owner,

        // The view's type goes through a trait, so the compiler cannot tell that it is covariant.
        #[not_covariant]
        dependent: AnyView,
    }
);

/// A filter of any kind over bytes that it owns, such as a memory map: an [`AnyView`] without a
/// lifetime, to be kept in a struct and shared by threads. From [`AnyFilter::open_owned`].
pub struct AnyOwnedView(Held);

impl AnyFilter {
    /// The filter in these bytes, which stay where they are and are owned from now on: a memory
    /// map, an `Arc<[u8]>`, a `Vec<u8>`. They are one whole file and no more, beginning at a
    /// multiple of 64, as maps do. Everything is checked, which reads them all once.
    ///
    /// `bytes.as_ref()` is called once. Of a map, see to it that nobody changes the file: what
    /// `memmap2::Mmap::map` asks for.
    ///
    /// ```
    /// use amq::{AnyFilter, AnyOwnedView, BloomFilter, FilterFile, Goal};
    ///
    /// /// A table with the filter of its keys.
    /// struct Table {
    ///     filter: AnyOwnedView,
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # #[repr(align(64))]
    /// # struct Map([u8; 4096], usize);
    /// # impl AsRef<[u8]> for Map {
    /// #     fn as_ref(&self) -> &[u8] {
    /// #         &self.0[..self.1]
    /// #     }
    /// # }
    /// # let mut filter = BloomFilter::new(Goal::fpr(100, 0.01))?;
    /// # filter.insert("a key");
    /// # let mut map = Map([0; 4096], 0);
    /// # let file = filter.to_bytes()?;
    /// # map.0[..file.len()].copy_from_slice(&file);
    /// # map.1 = file.len();
    /// // let map = unsafe { memmap2::Mmap::map(&File::open("table.amq")?)? };
    /// let table = Table { filter: AnyFilter::open_owned(map)? };
    /// assert!(table.filter.contains("a key"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn open_owned(
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<AnyOwnedView, DecodeError> {
        AnyOwnedView::open(Box::new(bytes), true)
    }

    /// As [`open_owned`](Self::open_owned), but only header and directory are checked: at once,
    /// whatever the size. **A payload that was damaged since it was written then answers
    /// anything**, keys denied included.
    pub fn open_owned_without_checking_payload(
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<AnyOwnedView, DecodeError> {
        AnyOwnedView::open(Box::new(bytes), false)
    }
}

impl AnyFilter {
    /// As [`open_owned`](Self::open_owned), of a file whose keys are hashed under a secret key:
    /// `key` if the file omits it, `None` if the file has it; see [`AnyView::open_keyed`].
    ///
    /// The view that owns the bytes is inside the `Keyed`, which hashes keys as it must.
    pub fn open_owned_keyed(
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
        key: impl Into<Option<SipKey>>,
    ) -> Result<Keyed<AnyOwnedView>, DecodeError> {
        AnyOwnedView::open_keyed(Box::new(bytes), key.into())
    }
}

impl AnyOwnedView {
    fn open_keyed(owner: Owner, given: Option<SipKey>) -> Result<Keyed<Self>, DecodeError> {
        let mut of_file = given;
        let held = Held::try_new(owner, |owner| {
            let (view, key) = AnyView::over_keyed((**owner).as_ref(), given)?;
            of_file = Some(key);
            Ok::<_, DecodeError>(view)
        })?;
        let key = of_file.ok_or(DecodeError::KeyWithheld)?;
        Ok(Keyed::of(Self(held), key))
    }

    fn open(owner: Owner, check: bool) -> Result<Self, DecodeError> {
        let held = Held::try_new(owner, |owner| AnyView::over((**owner).as_ref(), check))?;
        Ok(Self(held))
    }

    /// Whether `key` is probably in: `false` is certain.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.0.with_dependent(|_, view| view.contains(key))
    }

    /// How the filter stands, in one value that prints itself. Reads the whole table.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }
}

/// Writes methods that the view has, too.
macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*) -> $returned:ty;)*) => {$(
        #[inline]
        fn $name(&self $(, $argument: $type)*) -> $returned {
            self.0.with_dependent(|_, view| Filter::$name(view $(, $argument)*))
        }
    )*};
}

impl Filter for AnyOwnedView {
    forward! {
        kind() -> FilterKind;
        seed() -> u64;
        len() -> u64;
        capacity() -> u64;
        size_in_bytes() -> u64;
        expected_fpr() -> f64;
        load_factor() -> f64;
        saturated() -> u64;
        contains_hash(hash: KeyHash) -> bool;
        contains_batch(hashes: &[KeyHash], answers: &mut [bool]) -> Result<(), LengthMismatch>;
    }
}

impl fmt::Debug for AnyOwnedView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.with_dependent(|_, view| view.fmt(f))
    }
}
