//! The best published crates, a file each; and the exact set.

use super::contender::Contender;
use super::theory::{curve, slots};
use amq_bloom::{BlockedBloomFilter, BloomFilter};
use amq_counting::CountingBloomFilter;
use probabilistic::{quotient, scalable};

mod bloomfilter;
mod common;
mod cuckoofilter;
mod fastbloom;
mod fastbloom_rs;
mod growable_bloom;
mod hash_set;
mod pleat;
mod probabilistic;
mod qfilter;
mod sbbf_rs;
mod scalable_cuckoo;
mod sux;
mod xorf;

pub(super) fn all() -> Vec<Contender> {
    vec![
        Contender::filled("fastbloom", fastbloom::empty, fastbloom::empty)
            .theory(curve::<BloomFilter>),
        Contender::filled("fastbloom-atomic", fastbloom::atomic, fastbloom::atomic),
        Contender::filled("bloomfilter", bloomfilter::empty, bloomfilter::empty)
            .theory(curve::<BloomFilter>),
        Contender::filled("sbbf-rs", sbbf_rs::empty, sbbf_rs::empty)
            .theory(curve::<BlockedBloomFilter>),
        Contender::filled("fastbloom-rs-counting", fastbloom_rs::empty, fastbloom_rs::empty)
            .theory(curve::<CountingBloomFilter>),
        Contender::filled("growable-bloom", growable_bloom::sized, growable_bloom::sized),
        Contender::filled("growable-bloom-grown", growable_bloom::grown, growable_bloom::grown),
        Contender::filled("cuckoofilter", cuckoofilter::empty, cuckoofilter::empty)
            .theory(cuckoofilter::full),
        Contender::filled("scalable-cuckoo", scalable_cuckoo::empty, scalable_cuckoo::empty),
        Contender::filled("qfilter", qfilter::empty, qfilter::empty),
        Contender::new("qfilter-sorted", qfilter::sorted),
        Contender::filled("probabilistic-scalable", scalable::<u64>, scalable::<[u8]>),
        Contender::filled("probabilistic-quotient", quotient::<u64>, quotient::<[u8]>),
        Contender::new("binary-fuse-8", xorf::solve::<xorf::BinaryFuse8, 8>)
            .theory(|keys| slots([8], xorf::fuse(keys))),
        Contender::new("binary-fuse-16", xorf::solve::<xorf::BinaryFuse16, 16>)
            .theory(|keys| slots([16], xorf::fuse(keys))),
        Contender::new("xor-8", xorf::solve::<xorf::Xor8, 8>)
            .theory(|keys| slots([8], xorf::xor(keys))),
        Contender::of("vfilter-8", sux::bytes::<u64>, sux::bytes::<[u8]>)
            .theory(|keys| slots([8], sux::factor(keys as usize))),
        Contender::of("vfilter", sux::packed::<u64>, sux::packed::<[u8]>)
            .theory(|keys| slots(1..=17, sux::factor(keys as usize))),
        Contender::new("pleat-standard", |keys, order| pleat::solve(keys, order, false)),
        Contender::new("pleat-homogeneous", |keys, order| pleat::solve(keys, order, true)),
        Contender::filled("std-hashset", hash_set::empty::<u64>, hash_set::empty::<Box<[u8]>>),
    ]
}
