//! Every type is `Send` and `Sync`: compile-time checks.

use amq_core::{
    BatchInsertError, Budget, BuildError, BuildTarget, ByHash, Count, Encoder, Filter, FilterKind,
    Goal, InsertError, Inserted, KeyHash, LengthMismatch, MergeError, Parts, Plan, PlanError,
    PredictedFpr, Stats, Target,
};

const fn shared<T: Send + Sync + ?Sized>() {}

const _: () = {
    shared::<KeyHash>();
    shared::<Encoder>();
    shared::<ByHash<u64>>();
    shared::<Goal>();
    shared::<Budget>();
    shared::<Plan<()>>();
    shared::<Parts<()>>();
    shared::<Target<()>>();
    shared::<BuildTarget<()>>();
    shared::<PredictedFpr>();
    shared::<Stats>();
    shared::<Count>();
    shared::<Inserted>();
    shared::<FilterKind>();
    shared::<PlanError>();
    shared::<BuildError>();
    shared::<InsertError>();
    shared::<BatchInsertError>();
    shared::<MergeError>();
    shared::<LengthMismatch>();
    shared::<dyn Filter>();
};

/// An error that a thread returns can be boxed and passed on.
const _: fn(BuildError) -> Box<dyn std::error::Error + Send + Sync> = |error| Box::new(error);

#[test]
fn a_filter_of_unknown_type_is_shared_by_threads() {
    struct Nothing;
    impl Filter for Nothing {
        fn kind(&self) -> FilterKind {
            FilterKind::Bloom
        }
        fn seed(&self) -> u64 {
            7
        }
        fn len(&self) -> u64 {
            0
        }
        fn capacity(&self) -> u64 {
            0
        }
        fn size_in_bytes(&self) -> u64 {
            0
        }
        fn expected_fpr(&self) -> f64 {
            0.0
        }
        fn load_factor(&self) -> f64 {
            0.0
        }
        fn contains_hash(&self, hash: KeyHash) -> bool {
            hash == KeyHash::of("the one key", 7)
        }
    }
    let filter: std::sync::Arc<dyn Filter> = std::sync::Arc::new(Nothing);
    let answers = ["the one key", "another"].map(|key| {
        let filter = filter.clone();
        std::thread::spawn(move || filter.contains(key)).join()
    });
    assert!(matches!(answers, [Ok(true), Ok(false)]));
}
