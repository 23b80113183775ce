//! Prefix queries, with an extractor.

use crate::support::{block, built, has, row};
use amq_slatedb::AmqFilterPolicy;
use bytes::Bytes;
use slatedb::{FilterPolicy, FilterQuery, PrefixExtractor, PrefixTarget};
use std::sync::Arc;

/// The bytes up to the first colon and with it.
struct ToColon;

impl PrefixExtractor for ToColon {
    fn name(&self) -> &str {
        "to-colon"
    }

    fn prefix_len(&self, target: &PrefixTarget) -> Option<usize> {
        let (PrefixTarget::Point(bytes) | PrefixTarget::Prefix(bytes)) = target;
        bytes.iter().position(|&byte| byte == b':').map(|at| at + 1)
    }
}

/// An extractor of another name, whose answer is always the same.
struct Always(&'static str, Option<usize>);

impl PrefixExtractor for Always {
    fn name(&self) -> &str {
        self.0
    }

    fn prefix_len(&self, _: &PrefixTarget) -> Option<usize> {
        self.1
    }
}

fn policy() -> AmqFilterPolicy {
    AmqFilterPolicy::fpr(0.001).unwrap()
}

fn keys() -> impl Iterator<Item = Bytes> {
    (0..40u32).flat_map(|user| {
        (0..50u32).map(move |item| Bytes::from(format!("user{user:04}:item{item:04}")))
    })
}

fn maybe_prefix(filter: &dyn slatedb::Filter, prefix: String) -> bool {
    filter.might_match(&FilterQuery::prefix(Bytes::from(prefix)))
}

#[test]
fn a_stored_prefix_is_found_and_most_others_are_not() {
    for whole_keys in [true, false] {
        let policy =
            policy().with_prefix_extractor(Arc::new(ToColon)).with_whole_key_filtering(whole_keys);
        assert!(policy.supports_prefix_queries());
        let filter = policy.decode(&block(&*built(&policy, keys())));
        assert!((0..40).all(|user| maybe_prefix(&*filter, format!("user{user:04}:"))));
        assert!((0..40).all(|user| maybe_prefix(&*filter, format!("user{user:04}:item9"))));
        let others = (100..1100).filter(|user| maybe_prefix(&*filter, format!("user{user:04}:")));
        assert!(others.count() < 15);
        // The extractor cannot tell where this prefix ends.
        assert!(maybe_prefix(&*filter, "nobody".to_owned()));
        assert!(keys().all(|key| has(&*filter, key)));
    }
}

#[test]
fn without_whole_keys_a_get_asks_for_its_prefix() {
    let policy = policy().with_prefix_extractor(Arc::new(ToColon)).with_whole_key_filtering(false);
    let filter = built(&policy, keys());
    assert!(has(&*filter, Bytes::from_static(b"user0001:another")));
    assert!(!has(&*filter, Bytes::from_static(b"user9999:another")));
    assert!(has(&*filter, Bytes::from_static(b"no colon")));
}

#[test]
fn prefixes_are_stored_once() {
    let of_prefixes = |keys: &mut dyn Iterator<Item = Bytes>| {
        let policy =
            policy().with_prefix_extractor(Arc::new(ToColon)).with_whole_key_filtering(false);
        block(&*built(&policy, keys))
    };
    let prefixes = &mut (0..40).map(|user| Bytes::from(format!("user{user:04}:")));
    assert_eq!(of_prefixes(&mut keys()), of_prefixes(prefixes));
}

#[test]
fn what_is_both_a_key_and_a_prefix_counts_once() {
    // Every key is its own prefix.
    let keys = || (0..5000u32).map(|number| Bytes::from(format!("{number:08}:")));
    let both = policy().with_prefix_extractor(Arc::new(ToColon));
    assert!(block(&*built(&both, keys())) == block(&*built(&policy(), keys())));
}

#[test]
fn a_prefix_between_whose_keys_others_lie_counts_once() {
    // As where an extractor finds prefixes of several lengths.
    let of = |keys: &mut dyn Iterator<Item = String>| {
        let policy =
            policy().with_prefix_extractor(Arc::new(ToColon)).with_whole_key_filtering(false);
        block(&*built(&policy, keys.map(Bytes::from)))
    };
    let apart = of(&mut (0..3u32).flat_map(|_| (0..3000u32).map(|user| format!("{user:04}:x"))));
    assert!(apart == of(&mut (0..3000u32).map(|user| format!("{user:04}:x"))));
}

#[test]
fn one_prefix_is_enough_for_a_filter() {
    let policy = AmqFilterPolicy::bits_per_key(10.0).unwrap();
    let policy = policy.with_prefix_extractor(Arc::new(ToColon)).with_whole_key_filtering(false);
    let items = (0..2000u32).map(|item| Bytes::from(format!("user0001:item{item:04}")));
    let filter = policy.decode(&block(&*built(&policy, items)));
    assert!(maybe_prefix(&*filter, "user0001:".to_owned()));
    let others = (2..1002).filter(|user| maybe_prefix(&*filter, format!("user{user:04}:")));
    assert_eq!(others.count(), 0);
}

#[test]
fn a_table_whose_keys_have_no_prefix_is_always_searched() {
    let nothing = Arc::new(Always("nothing", None));
    for policy in [
        policy().with_prefix_extractor(nothing).with_whole_key_filtering(false),
        policy().with_whole_key_filtering(false),
    ] {
        let filter = policy.decode(&block(&*built(&policy, keys())));
        assert!(has(&*filter, Bytes::from_static(b"absent")));
        assert!(maybe_prefix(&*filter, "absent".to_owned()));
        assert_eq!(policy.unreadable(), 0);
    }
}

#[test]
fn an_extractor_of_too_many_bytes_costs_the_filter_no_panic() {
    let policy = policy().with_prefix_extractor(Arc::new(Always("wrong", Some(usize::MAX))));
    let filter = built(&policy, keys());
    assert!(has(&*filter, Bytes::from_static(b"absent")));
    assert!(maybe_prefix(&*filter, "absent".to_owned()));

    // One wrong answer is enough: the rest of the table's prefixes may be wrong, too.
    let policy = self::policy().with_prefix_extractor(Arc::new(Always("six", Some(6))));
    let mut builder = policy.builder();
    keys().for_each(|key| builder.add_entry(&row(key)));
    builder.add_entry(&row(Bytes::from_static(b"short")));
    let filter = builder.build();
    assert!(has(&*filter, Bytes::from_static(b"absent")));
}

#[test]
fn the_empty_prefix_and_the_empty_key_are_keys() {
    let policy = policy().with_prefix_extractor(Arc::new(Always("empty", Some(0))));
    let filter = built(&policy, [Bytes::new()]);
    assert!(has(&*filter, Bytes::new()));
    assert!(maybe_prefix(&*filter, String::new()));
}

#[test]
fn policies_with_other_rules_have_other_names() {
    let named = |extractor: &'static str| {
        policy().with_prefix_extractor(Arc::new(Always(extractor, Some(0))))
    };
    let names = [
        policy(),
        policy().with_whole_key_filtering(false),
        named("a"),
        named("b"),
        named("a").with_whole_key_filtering(false),
        // An extractor cannot be named so that its policy is taken for another one.
        named("a:nothing"),
        named("only-prefix=a"),
    ]
    .map(|policy| policy.name().to_owned());
    for (at, name) in names.iter().enumerate() {
        assert!(!names[..at].contains(name), "{name}");
    }
    assert_eq!(policy().name(), AmqFilterPolicy::NAME);
    assert_eq!(policy().with_whole_key_filtering(true).name(), AmqFilterPolicy::NAME);
}
