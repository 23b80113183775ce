//! A filter of a third party that claims impossible numbers makes nothing panic.

use amq::monitored::Monitored;
use amq::sharded::Sharded;
use amq::*;

/// Says of each batch what it was told to, and that it holds more keys than there are.
#[derive(Clone)]
struct Liar(Result<u64, BatchInsertError>);

impl Filter for Liar {
    fn kind(&self) -> FilterKind {
        FilterKind::Other("liar")
    }
    fn seed(&self) -> u64 {
        0
    }
    fn len(&self) -> u64 {
        u64::MAX
    }
    fn capacity(&self) -> u64 {
        u64::MAX
    }
    fn size_in_bytes(&self) -> u64 {
        u64::MAX
    }
    fn expected_fpr(&self) -> f64 {
        f64::NAN
    }
    fn load_factor(&self) -> f64 {
        -1.0
    }
    fn saturated(&self) -> u64 {
        u64::MAX
    }
    fn contains_hash(&self, _: KeyHash) -> bool {
        true
    }
}

impl InsertFilter for Liar {
    fn insert_hash(&mut self, _: KeyHash) -> Result<Inserted, InsertError> {
        match self.0 {
            Ok(_) => Ok(Inserted::New),
            Err(error) => Err(error.error),
        }
    }
    fn insert_batch(&mut self, _: &[KeyHash]) -> Result<u64, BatchInsertError> {
        self.0
    }
}

#[test]
fn impossible_numbers_of_a_batch_are_not_believed() {
    let keys: Vec<u64> = (0..20_000).collect();
    let all = keys.len() as u64;
    let full = InsertError::Visited;
    for lie in [u64::MAX, u64::MAX - 1, 1 << 40, 5000] {
        let liars = vec![Liar(Ok(lie)); 3];
        let filter = Sharded::from_shards_unchecked(liars, 1).unwrap();
        assert_eq!(filter.insert_keys(&keys), Ok(all));
        let mut liar = Liar(Ok(lie));
        assert!(liar.insert_keys(&keys).unwrap() >= lie);

        // All keys of a batch of which the refused one is not told count as refused.
        let liars = vec![Liar(Err(BatchInsertError { done: lie, error: full })); 3];
        let filter = Sharded::from_shards_unchecked(liars, 1).unwrap();
        let refused = filter.insert_keys(&keys).unwrap_err();
        assert_eq!((refused.error, refused.hashes.len() as u64), (full, all));
        let mut liar = Liar(Err(BatchInsertError { done: lie, error: full }));
        assert_eq!(liar.insert_keys(&keys), Err(BatchInsertError { done: lie, error: full }));
    }
}

#[test]
fn sums_of_impossible_numbers_saturate() {
    let liars = vec![Liar(Ok(0)); 3];
    let filter = Sharded::from_shards_unchecked(liars, 1).unwrap();
    assert_eq!((filter.len(), filter.size_in_bytes()), (u64::MAX, u64::MAX));
    assert_eq!(filter.stats().saturated, u64::MAX);
    assert!(filter.insert("a key").unwrap().is_new() && filter.contains("a key"));
    let watched = Monitored::new(filter, 0.01).unwrap().counting_every_query();
    for key in 0..1000u64 {
        assert!(watched.contains(&key));
        watched.report_false_positive();
    }
    // Printed, too, whatever is in it.
    assert!(!watched.report().to_string().is_empty());
    assert!(!watched.stats().to_string().is_empty());
}
