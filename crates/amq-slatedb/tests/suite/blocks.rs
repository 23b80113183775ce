//! Blocks that hold something else than a filter: never a wrong "no".

use crate::support::{block, built, has, key, maybes};
use amq_bloom::BloomFilter;
use amq_core::{Budget, FilterFile};
use amq_ribbon::RibbonFilter;
use amq_slatedb::AmqFilterPolicy;
use slatedb::{BloomFilterPolicy, FilterPolicy};
use std::io::Write;
use std::sync::{Arc, Mutex};

const KEYS: u64 = 1500;

fn policy() -> AmqFilterPolicy {
    AmqFilterPolicy::fpr(0.01).unwrap()
}

/// A filter read from a block that is none answers *maybe*, is counted, and is encoded as it was.
fn is_unreadable(what: &str, damaged: &[u8]) {
    let policy = policy();
    let filter = policy.decode(damaged);
    assert_eq!(policy.unreadable(), 1, "{what}");
    assert_eq!(maybes(&*filter, 1 << 32, 200), 200, "{what}");
    assert_eq!(block(&*filter), damaged, "{what}");
    assert!(filter.size() >= damaged.len(), "{what}");
}

#[test]
fn a_table_without_keys_has_a_block_that_says_maybe() {
    let policy = policy();
    let filter = policy.builder().build();
    let block = block(&*filter);
    assert!(!block.is_empty());
    for filter in [filter, policy.decode(&block)] {
        assert_eq!(maybes(&*filter, 0, 1000), 1000);
    }
    assert_eq!(policy.unreadable(), 0);
}

#[test]
fn an_empty_block_and_a_filter_of_no_keys_are_maybe() {
    is_unreadable("no bytes", b"");
    let none = RibbonFilter::build(Budget::Fpr(0.01), [0u64; 0]).unwrap();
    is_unreadable("no keys", &none.to_bytes().unwrap());
}

#[test]
fn a_foreign_block_is_maybe() {
    is_unreadable("text", b"this is no filter");
    let built_in = built(&BloomFilterPolicy::new(10), (0..KEYS).map(key));
    is_unreadable("the built-in filter", &block(&*built_in));
    let bloom = BloomFilter::build(Budget::Fpr(0.01), 0..KEYS).unwrap();
    is_unreadable("a filter of another kind", &bloom.to_bytes().unwrap());
}

#[test]
fn a_cut_block_is_maybe_wherever_it_is_cut() {
    let whole = block(&*built(&policy(), (0..KEYS).map(key)));
    for len in 0..whole.len() {
        is_unreadable("cut", &whole[..len]);
    }
}

#[test]
fn a_damaged_block_denies_no_key_whichever_byte_is_wrong() {
    for keys in [100, KEYS] {
        let whole = block(&*built(&policy(), (0..keys).map(key)));
        for at in 0..whole.len() {
            for wrong in [1, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] ^= wrong;
                // A flag that this version may ignore can change without harm.
                let filter = policy().decode(&damaged);
                assert!((0..keys).step_by(7).all(|n| has(&*filter, key(n))), "byte {at}");
            }
        }
    }
}

/// What a log writes, for a test to read.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn many_damaged_blocks_are_counted_and_logged_once() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
    let policy = policy();
    tracing::subscriber::with_default(subscriber, || {
        (0..10).for_each(|_| drop(policy.decode(b"damaged")));
    });
    assert_eq!(policy.unreadable(), 10);
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("WARN") && text.contains("_amq"), "{text}");
}
