//! What filters that threads share have in common.
#![cfg(target_has_atomic = "64")]

/// Writes the methods and the traits of a filter that threads share. Its table is the `table` of a
/// struct with a `header` and a `len`, a [`Tally`](crate::tally::Tally), and has
///
/// | | |
/// | --- | --- |
/// | `empty(params)`, `of(plain)`, `params`, `size_in_bytes` | made, and what it is |
/// | `loaded`, `copied`, `into_plain` | its elements as they are now, another of the same elements, the elements of the plain filter |
/// | `set`, `set_each`, `set_alone`, `set_each_alone`, `contains`, `contains_each` | a key's bits |
/// | `load_factor`, `expected_fpr`, `saturated`, `cardinality` | what they say |
/// | `check_same`, `merge`, `clear` | all of them |
macro_rules! shared {
    ($filter:ident, $table:ty, plain $plain:ident: $params:ty) => {
        impl $filter {
            amq_core::methods! {
                new: $params;
                build: $params;
                plan: $params;
                insert shared;
            }

            /// Inserts the key with this hash, from any thread; see [`insert`](Self::insert).
            #[inline]
            pub fn insert_hash(&self, hash: KeyHash) -> Inserted {
                let new = self.table.set(hash);
                if new {
                    self.len.add(Some(&hash), 1);
                }
                Inserted::from_change(new)
            }

            /// Inserts many hashes, from any thread, and returns how many were new.
            pub fn insert_batch(&self, hashes: &[KeyHash]) -> u64 {
                let new = self.table.set_each(hashes);
                self.len.add(hashes.first(), new);
                new
            }

            amq_core::methods! {
                contains;
                /// Number of inserts that answered [`Inserted::New`]; see
                #[doc = concat!("[`", stringify!($plain), "::len`].")]
                len;
                /// Bytes of the table.
                size_in_bytes;
                /// The exact rate of this filter with the bits it has set; see
                #[doc = concat!("[`", stringify!($plain), "::expected_fpr`].")]
                /// Reads the whole table.
                expected_fpr;
                clear;
                /// The union: afterwards `self` contains whatever either contained. All or
                #[doc = concat!("nothing. See [`", stringify!($plain), "::merge`].")]
                merge;
            }

            /// The parameters of its table.
            #[inline(always)]
            #[must_use]
            pub fn params(&self) -> $params {
                self.table.params()
            }

            /// A copy of the present state: it has every insert this thread has learned of, and of
            /// inserts under way perhaps some bits. An error if there is no memory for it.
            pub fn snapshot(&self) -> Result<$plain, BuildError> {
                let now = self.table.loaded();
                let mut table = amq_core::internal::zeroed(now.len() as u64)?;
                for (copy, element) in table.iter_mut().zip(now) {
                    *copy = element;
                }
                Ok(<$plain>::over(self.header, self.params(), self.len.total(), table))
            }

            /// The plain filter with the same table.
            #[must_use]
            pub fn into_inner(self) -> $plain {
                let (params, len) = (self.params(), self.len.total());
                <$plain>::over(self.header, params, len, self.table.into_plain())
            }

            /// Estimated number of distinct keys, from the share of bits set; see
            #[doc = concat!("[`", stringify!($plain), "::estimated_cardinality`].")]
            #[must_use]
            pub fn estimated_cardinality(&self) -> f64 {
                self.table.cardinality()
            }
        }

        impl From<$plain> for $filter {
            fn from(filter: $plain) -> Self {
                let (header, len) = (*filter.header(), Tally::starting_at(filter.len()));
                Self { header, len, table: <$table>::of(filter) }
            }
        }

        impl Clone for $filter {
            fn clone(&self) -> Self {
                let len = Tally::starting_at(self.len.total());
                Self { header: self.header, len, table: self.table.copied() }
            }
        }

        impl PartialEq for $filter {
            fn eq(&self, other: &Self) -> bool {
                self.header == other.header
                    && self.params() == other.params()
                    && self.len() == other.len()
                    && self.table.loaded().eq(other.table.loaded())
            }
        }

        impl Filter for $filter {
            amq_core::trait_methods! {
                kind: <$plain as OneTable>::KIND; seed; capacity;
                contains_batch: |self, hashes, answers| self.table.contains_each(hashes, answers);
            }

            fn len(&self) -> u64 {
                self.len.total()
            }

            fn size_in_bytes(&self) -> u64 {
                self.table.size_in_bytes()
            }

            fn expected_fpr(&self) -> f64 {
                self.table.expected_fpr()
            }

            fn load_factor(&self) -> f64 {
                self.table.load_factor()
            }

            fn saturated(&self) -> u64 {
                self.table.saturated()
            }

            #[inline(always)]
            fn contains_hash(&self, hash: KeyHash) -> bool {
                self.table.contains(hash)
            }
        }

        impl EmptyFilter for $filter {
            fn empty(target: impl Into<Target<$params>>, seed: u64) -> Result<Self, BuildError> {
                let plan = target.into().plan::<Self>()?;
                plan.params.check()?;
                let (header, len) = (Header::new(&plan, seed), Tally::starting_at(0));
                Ok(Self { header, len, table: <$table>::empty(plan.params)? })
            }
        }

        /// Without atomic operations: nobody else has the filter.
        impl InsertFilter for $filter {
            #[inline(always)]
            fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
                let new = self.table.set_alone(hash);
                self.len.add_alone(new.into());
                Ok(Inserted::from_change(new))
            }

            #[inline]
            fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
                let new = self.table.set_each_alone(hashes);
                self.len.add_alone(new);
                Ok(new)
            }
        }

        /// For code that is generic over filters: a shared reference takes keys, too.
        impl InsertFilter for &$filter {
            #[inline]
            fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
                Ok($filter::insert_hash(self, hash))
            }

            fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
                Ok($filter::insert_batch(self, hashes))
            }
        }

        impl<K: Key> Extend<K> for &$filter {
            fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
                for key in keys {
                    self.insert(&key);
                }
            }
        }

        impl ClearFilter for $filter {
            fn clear(&mut self) {
                self.table.clear();
                self.len = Tally::starting_at(0);
            }
        }

        impl MergeFilter for $filter {
            fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
                self.params().check_same(&other.params())?;
                self.header.check_seeds(&other.header)
            }

            fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
                self.can_merge(other)?;
                self.table.merge(&other.table);
                self.len = Tally::starting_at(self.len.total().saturating_add(other.len.total()));
                Ok(())
            }
        }

        amq_core::traits! {
            [] $filter, owned [] $filter: $params;
            debug stringify!($filter);
            plan theory;
            build by filling;
        }
    };
}

pub(crate) use shared;
