//! What the filters of blocks have in common.

/// Writes a filter whose table consists of blocks with a [`Layout`](crate::layout::Layout), and its
/// view: `names; block, parameters, theory, kind, what a union must agree in; methods;`. Docs come
/// before the names, and before those methods whose docs differ.
macro_rules! of_blocks {
    (
        $(#[$doc:meta])*
        $filter:ident $name:literal, $view:ident;
        $block:ident [$word:ty; 8], $params:ident, $theory:ident, $kind:ident,
        differ in $differ:literal;

        $(#[$given:meta])*
        from_blocks_unchecked;

        $(#[$rate:meta])*
        expected_fpr;

        $(#[$blocks:meta])*
        blocks;
    ) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $filter<S = Vec<$block>> {
            header: Header,
            shape: <$block as Layout>::Shape,
            len: u64,
            blocks: S,
        }

        #[doc = concat!("A [`", $name, "`] whose blocks are borrowed.")]
        pub type $view<'a> = $filter<&'a [$block]>;

        impl $filter {
            amq_core::methods! {
                in "amq_bloom" $name infallible;
                new: $params;
                build: $params;
                plan: $params;
                insert infallible;
            }

            /// Inserts the key with this hash; see [`insert`](Self::insert).
            #[inline(always)]
            pub fn insert_hash(&mut self, hash: KeyHash) -> Inserted {
                let (block, low) = simd::block_of_mut(&mut self.blocks[..], hash);
                let new = simd::insert(block, low, self.shape);
                self.len = self.len.saturating_add(u64::from(new));
                Inserted::from_change(new)
            }

            /// Inserts many hashes and returns how many were new.
            #[inline]
            pub fn insert_batch(&mut self, hashes: &[KeyHash]) -> u64 {
                blocks::insert_batch(&mut self.blocks, self.shape, &mut self.len, hashes)
            }

            /// Inserts about `about` hashes, which `next` writes; see
            /// [`InsertFilter::insert_from`](amq_core::InsertFilter::insert_from).
            pub fn insert_from(
                &mut self,
                about: u64,
                next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
            ) -> u64 {
                blocks::insert_from(&mut self.blocks, self.shape, &mut self.len, about, next)
            }

            amq_core::methods! {
                in "amq_bloom" $name infallible;
                clear;
                /// The union: afterwards `self` contains whatever either contained. All or nothing.
                ///
                /// [`len`](Self::len) becomes the sum of both, which counts common keys twice;
                /// [`estimated_cardinality`](Self::estimated_cardinality) does not.
                merge;
                from_bytes;
            }

            $(#[$given])*
            pub fn from_blocks_unchecked(
                blocks: impl IntoIterator<Item = [$word; 8]>,
                parts: Parts<$params>,
            ) -> Result<Self, BuildError> {
                parts.params.check()?;
                let wanted = parts.params.blocks;
                let mut table: Vec<$block> = Vec::new();
                amq_core::internal::reserve(&mut table, wanted)?;
                let mut given = 0;
                for block in blocks {
                    given += 1;
                    if given > wanted {
                        break;
                    }
                    table.push($block::new(block));
                }
                PlanError::check_parameter("blocks given", given, wanted, wanted)?;
                Ok(Self::over(Header::of_parts(&parts), parts.params, parts.len, table))
            }

            /// The intersection: afterwards every key that was in both is still in. All or nothing.
            ///
            /// A key that was in only one is answered `true` no more often than by the other.
            /// [`len`](Self::len) becomes the smaller of both.
            /// [`estimated_cardinality`](Self::estimated_cardinality) is too high from then on.
            pub fn intersect(&mut self, other: &Self) -> Result<(), MergeError> {
                self.can_merge(other)?;
                for (block, theirs) in self.blocks.iter_mut().zip(&other.blocks) {
                    *block = block.combined(theirs, |ours, theirs| ours & theirs);
                }
                self.len = self.len.min(other.len);
                Ok(())
            }
        }

        impl<S: AsRef<[$block]> + Send + Sync> $filter<S> {
            amq_core::methods! {
                in "amq_bloom" $name;
                contains;
                /// Number of inserts that answered [`Inserted::New`]: distinct keys, less those
                /// that were false positives on arrival. After a union, the sum of both.
                len;
                /// Bytes of the table.
                size_in_bytes;
                $(#[$rate])*
                expected_fpr;
                to_bytes;
                encoded_len;
            }

            /// A view of this filter: it borrows the table.
            #[must_use]
            pub fn view(&self) -> $view<'_> {
                Self::over(self.header, self.params(), self.len, self.blocks())
            }

            /// The parameters of its table.
            #[inline(always)]
            #[must_use]
            pub fn params(&self) -> $params {
                $block::params(self.blocks().len() as u64, self.shape)
            }

            $(#[$blocks])*
            #[must_use]
            pub fn blocks(&self) -> &[$block] {
                self.blocks.as_ref()
            }

            /// What the filter consists of beside its blocks; see
            #[doc = concat!("[`from_blocks_unchecked`](", $name, "::from_blocks_unchecked).")]
            #[must_use]
            pub fn parts(&self) -> Parts<$params> {
                self.header.parts(self.params(), self.len)
            }

            /// Number of bits that are set. Reads the whole table.
            #[must_use]
            pub fn count_ones(&self) -> u64 {
                layout::count_ones(self.blocks().iter().copied())
            }

            /// Estimated number of distinct keys, from the share of bits set; infinite when all
            /// are. Reads the whole table. Above [`capacity`](Self::capacity) the rate is above the
            /// planned one.
            ///
            /// Unlike [`len`](Self::len) it is right after a union, and it counts the distinct keys
            /// that were false positives on arrival. After an [intersection](Self::intersect) it is
            /// far too high: estimate the number of common keys from the two filters and their
            /// union, as
            /// [`BloomFilter::estimated_cardinality`](crate::BloomFilter::estimated_cardinality)
            /// shows.
            #[must_use]
            pub fn estimated_cardinality(&self) -> f64 {
                $block::keys_of_fill(&self.params(), self.load_factor())
            }

            /// A filter with the same keys in a table `factor` times smaller, and the higher rate
            /// that goes with it: the filter that would have been built at that size. `factor` must
            /// divide the number of blocks. [`capacity`](Self::capacity) becomes the number of keys
            /// that the budget allows in the smaller table.
            pub fn fold(&self, factor: u64) -> Result<$filter, FoldError> {
                let blocks = self.blocks().len() as u64;
                FoldError::check("blocks", blocks, factor)?;
                let mut table: Vec<$block> = FoldError::zeroed(blocks / factor)?;
                for (sum, parts) in table.iter_mut().zip(self.blocks().chunks(factor as usize)) {
                    for part in parts {
                        *sum = sum.combined(part, |sum, part| sum | part);
                    }
                }
                let params = $block::params(blocks / factor, self.shape);
                let bytes = core::mem::size_of_val(&table[..]) as u64;
                let fpr = |keys| $theory::fpr(&params, keys);
                Ok(Self::over(folded(&self.header, factor, bytes, fpr), params, self.len, table))
            }
        }

        impl<'a> $view<'a> {
            amq_core::methods! { open: $filter; }
        }

        impl<S: AsRef<[$block]> + Send + Sync> Filter for $filter<S> {
            amq_core::trait_methods! {
                kind: FilterKind::$kind; seed; len; capacity; size_in_bytes;
                contains_batch: |self, hashes, answers| {
                    simd::contains_batch(self.blocks(), self.shape, hashes, answers)
                };
            }

            fn expected_fpr(&self) -> f64 {
                layout::expected_fpr(self.blocks().iter().copied(), self.shape)
            }

            fn load_factor(&self) -> f64 {
                layout::load_factor(self.blocks().iter().copied())
            }

            /// Blocks whose bits are all set.
            fn saturated(&self) -> u64 {
                layout::saturated(self.blocks().iter().copied())
            }

            #[inline(always)]
            fn contains_hash(&self, hash: KeyHash) -> bool {
                let (block, low) = simd::block_of(self.blocks(), hash);
                simd::contains(block, low, self.shape)
            }
        }

        impl<S: AsRef<[$block]> + Send + Sync> OneTable for $filter<S> {
            type Params = $params;
            const KIND: FilterKind = FilterKind::$kind;
            const REVISION: u8 = 1;
            type Element = $block;
            type Over<T: AsRef<[$block]> + Send + Sync> = $filter<T>;

            fn header(&self) -> &Header {
                &self.header
            }

            fn geometry(&self) -> Entry {
                $block::geometry(&self.params())
            }

            fn params_in(opened: &Opened<'_>) -> Result<$params, DecodeError> {
                let params = $block::params_in(opened)?;
                params.check()?;
                Ok(params)
            }

            fn elements_for(params: &$params) -> u64 {
                params.blocks
            }

            fn elements(&self) -> &[$block] {
                self.blocks()
            }

            fn over<T>(header: Header, params: $params, len: u64, blocks: T) -> $filter<T> {
                $filter { header, shape: $block::shape(&params), len, blocks }
            }
        }

        operators!($filter, $differ);

        amq_core::traits! {
            [S: AsRef<[$block]> + Send + Sync] $filter<S>,
            owned [] $filter: $params;
            debug $name;
            serde;
            plan $theory;
            empty: blocks;
            merge: blocks, |ours, theirs| ours.combined(theirs, |ours, theirs| ours | theirs);
            insert infallible;
            build by filling;
        }
    };
}

pub(crate) use of_blocks;
