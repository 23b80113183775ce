//! Maps as files. The laws of files are those of filters, so here a map is made a filter: the value
//! of a key is its fingerprint.

use amq_conformance::files::{committed, mend};
use amq_conformance::suite;
use amq_conformance::testing::Folder;
use amq_core::internal::{Contents, FileFormat, Hashing, Opened, Sections};
use amq_ribbon::{
    BuildError, Bytes, DecodeError, Filter, FilterFile, FilterKind, Goal, Key, KeyHash,
    LengthMismatch, LoadOptions, MapError, Plan, PlanError, PlanFilter, PredictedFpr, RibbonFilter,
    RibbonMap, RibbonParams, Table,
};

/// A map from keys to their fingerprints.
#[derive(Clone, PartialEq)]
struct Fingerprints<B = Table>(RibbonMap<B>);

suite!(map: Fingerprints => file(fingerprints));

fn fingerprint(hash: KeyHash, bits: u32) -> u32 {
    (hash.get() % (1 << bits)) as u32
}

fn fingerprints(goal: Goal, seed: u64, hashes: &[KeyHash]) -> Result<Fingerprints, BuildError> {
    let bits = RibbonFilter::plan(goal)?.params.columns;
    let pairs = hashes.iter().map(|&hash| (hash, fingerprint(hash, bits)));
    match RibbonMap::build_hashes(bits, seed, pairs) {
        Ok(map) => Ok(Fingerprints(map)),
        Err(MapError::Build(error)) => Err(error),
        Err(error) => unreachable!("one fingerprint a hash: {error}"),
    }
}

impl<B: Bytes> Filter for Fingerprints<B> {
    fn kind(&self) -> FilterKind {
        FilterKind::RibbonMap
    }
    fn seed(&self) -> u64 {
        self.0.seed()
    }
    fn len(&self) -> u64 {
        self.0.len()
    }
    fn capacity(&self) -> u64 {
        self.0.contents(Hashing::Seed).unwrap().header.capacity
    }
    fn size_in_bytes(&self) -> u64 {
        self.0.size_in_bytes()
    }
    fn expected_fpr(&self) -> f64 {
        0.5f64.powi(self.0.value_bits() as i32)
    }
    fn load_factor(&self) -> f64 {
        let values = self.0.len() * u64::from(self.0.value_bits());
        (values as f64 / (self.0.size_in_bytes().max(1) * 8) as f64).min(1.0)
    }
    fn contains_hash(&self, hash: KeyHash) -> bool {
        // A map of no keys has values, too; as a filter it has none of them.
        !self.0.is_empty() && self.0.get_hash(hash) == fingerprint(hash, self.0.value_bits())
    }
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        let mut values = vec![0; hashes.len()];
        self.0.get_batch(hashes, &mut values)?;
        for ((answer, &hash), value) in answers.iter_mut().zip(hashes).zip(values) {
            *answer = !self.0.is_empty() && value == fingerprint(hash, self.0.value_bits());
        }
        Ok(())
    }
}

impl PlanFilter for Fingerprints {
    type Params = RibbonParams;

    fn plan(goal: Goal) -> Result<Plan<RibbonParams>, PlanError> {
        RibbonFilter::plan(goal)
    }
    fn plan_params(params: RibbonParams, keys: u64) -> Result<Plan<RibbonParams>, PlanError> {
        RibbonFilter::plan_params(params, keys)
    }
    fn predicted_fpr(params: &RibbonParams, keys: u64) -> PredictedFpr {
        RibbonFilter::predicted_fpr(params, keys)
    }
    fn params(&self) -> RibbonParams {
        RibbonParams::new(self.0.value_bits(), 0)
    }
}

impl<B: Bytes> FileFormat for Fingerprints<B> {
    type With<C: Bytes> = Fingerprints<C>;
    type Geometry = <RibbonMap as FileFormat>::Geometry;

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        self.0.contents(hashing)
    }

    fn geometry(opened: &Opened<'_>) -> Result<Self::Geometry, DecodeError> {
        RibbonMap::<B>::geometry(opened)
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        geometry: Self::Geometry,
        sections: Sections<'_, C>,
    ) -> Result<Fingerprints<C>, DecodeError> {
        RibbonMap::<B>::from_sections(opened, geometry, sections).map(Fingerprints)
    }
}

/// The value of a key in the golden files.
fn value(key: u32, bits: u32) -> u32 {
    key.wrapping_mul(2_654_435_761) & ((1u64 << bits) - 1) as u32
}

fn golden_map(keys: u32, bits: u32, seed: u64) -> RibbonMap {
    let pairs = (0..keys).map(|key| (key, value(key, bits)));
    RibbonMap::build_with_seed(bits, seed, pairs).unwrap()
}

#[test]
fn golden_files_are_read_and_written_as_ever() {
    for (state, keys, bits, seed) in [
        ("empty", 0, 5, 0),
        ("one", 1, 1, 0),
        ("small", 300, 8, 7),
        ("bumped", 5000, 3, 0),
        ("wide", 2000, 32, 0),
    ] {
        let map = golden_map(keys, bits, seed);
        let absent: Vec<String> =
            (1_000_000..1_000_020u32).map(|key| map.get(&key).to_string()).collect();
        let record = format!(
            "seed: {seed}\nkeys: 0..{keys}\nvalues: the lower {bits} bits of key * 2654435761\n\
             values from 1000000 on: {}\n",
            absent.join(" ")
        );
        let (root, name) = (env!("CARGO_MANIFEST_DIR"), format!("ribbon-map-{state}"));
        let bytes = map.to_bytes().unwrap();
        committed(root, &name, &bytes, &record);
        let read = RibbonMap::from_bytes(&bytes).unwrap();
        assert!(read == map && read.seed() == seed && read.len() == u64::from(keys));
        assert!((0..keys).all(|key| read.get(&key) == value(key, bits)));
    }
}

#[test]
fn a_map_is_saved_streamed_and_viewed_and_has_the_same_values() {
    let map = golden_map(20_000, 11, 3);
    let folder = Folder::new();
    let path = folder.join("map.amq");
    map.save(&path).unwrap();
    assert!(RibbonMap::load(&path).unwrap() == map);

    let mut bytes = Vec::new();
    map.write_to(&mut bytes).unwrap();
    assert!(RibbonMap::read_from(&bytes[..]).unwrap() == map);
    for view in [
        RibbonMap::view(&bytes).unwrap(),
        LoadOptions::new().unchecked_payload().view::<RibbonMap>(&bytes).unwrap(),
    ] {
        assert!((0..20_000).all(|key: u32| view.get(&key) == value(key, 11)));
        let hashes: Vec<_> = (0..40_000u32).map(|key| key.key_hash(3)).collect();
        let mut values = vec![0; hashes.len()];
        view.get_batch(&hashes, &mut values).unwrap();
        assert!((0..).zip(values).all(|(key, value): (u32, u32)| value == map.get(&key)));
    }
}

#[test]
fn a_filter_is_no_map_and_a_map_with_short_blocks_is_none() {
    let filter = RibbonFilter::build(amq_ribbon::Budget::Fpr(0.01), 0..5000u64).unwrap();
    let mut bytes = filter.to_bytes().unwrap();
    let refused = RibbonMap::from_bytes(&bytes).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the file holds a ribbon filter, and a ribbon map was asked for"
    );
    // Forged into a map, the values of its short blocks would miss a bit.
    bytes[16] = FilterKind::RibbonMap.number();
    mend(&mut bytes);
    let value = filter.params().short.into();
    assert!(value > 0);
    let field = "short share";
    let refused = RibbonMap::from_bytes(&bytes).unwrap_err();
    assert_eq!(refused, DecodeError::Geometry { field, value });
    // The share is a note; the layers say which blocks are short. Entries follow the head and four
    // sections.
    let entries = 192 + 5 * 64;
    bytes[entries + 8..entries + 16].fill(0);
    mend(&mut bytes);
    let refused = RibbonMap::from_bytes(&bytes).unwrap_err();
    assert!(matches!(refused, DecodeError::Geometry { field: "short blocks", value: 1.. }));
}
