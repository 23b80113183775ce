//! What contenders claim, each of them does.

use amq_bench::contenders::{
    ALL, Ability, Family, Info, Order, Planned, Role, Task, alloc, dependent_hits,
    dependent_queries, speaks_for_family,
};
use amq_bench::scenarios::keys::Keys;
use amq_core::Budget;
use std::collections::HashSet;

fn infos() -> impl Iterator<Item = &'static Info> {
    ALL.iter().map(|contender| contender.info)
}

fn order(info: &Info, planned: Planned) -> Order {
    Order { planned, budget: (!info.fixed_rate).then_some(Budget::Fpr(1.0 / 256.0)), seed: 7 }
}

#[test]
fn ours_and_one_peer_of_each_family_speak_for_it() {
    let peers: HashSet<Family> = infos().filter(|i| !i.ours).map(|i| i.family).collect();
    let speaking: Vec<&Info> = infos().filter(|info| speaks_for_family(info)).collect();
    assert!(infos().filter(|info| info.ours).all(|info| speaking.contains(&info)));
    assert_eq!(speaking.iter().filter(|info| !info.ours).count(), peers.len());
}

/// What an entry claims, its filter does: whether it can insert, remove, answer in batches and be
/// made with room is what its abilities say, and so is which budget it takes. And a dependent pass
/// counts what the single answers say it must.
#[test]
fn everyone_can_do_exactly_what_it_claims() {
    let (keys, more): (Vec<u64>, Vec<u64>) = ((0..2000).collect(), (2000..2010).collect());
    let mixed: Vec<u64> = (0..4000).map(|query| query * 7 % 4000).collect();
    let [keys, more, mixed] = [&keys, &more, &mixed].map(|keys| Keys::U64(keys));
    for contender in ALL.iter() {
        let info = contender.info;
        if info.role == Role::Floor {
            continue;
        }
        let mut filter = contender.build(keys, &order(info, Planned::Keys)).unwrap();
        assert_eq!(filter.count_hits(keys), 2000, "{contender:?}");
        let batch = filter.count_hits_batch(keys);
        assert_eq!(batch, info.can(Ability::Batch).then_some(2000), "{contender:?}");
        let hits = filter.dependent(mixed);
        assert_eq!(hits, dependent_hits(&filter.answers(mixed)), "{contender:?}");
        assert!((600..1600).contains(&hits), "{contender:?}: {hits}");
        let roomy = contender.build(keys, &order(info, Planned::Room(4000)));
        assert_eq!(roomy.is_err(), info.can(Ability::Static), "{contender:?}");
        let mut times = [0; 10];
        let inserted = match roomy {
            Ok(mut roomy) => roomy.insert_each(more, &mut times),
            Err(_) => filter.insert_each(more, &mut times),
        };
        assert_eq!(inserted, info.can(Ability::Insert).then_some(10), "{contender:?}");
        assert_eq!(times.iter().all(|&time| time > 0), inserted.is_some());
        let found = filter.by_threads(Task::Ask, keys, 2).map(|(hits, _)| hits);
        let shared = info.can(Ability::ConcurrentInsert).then_some(2000);
        assert_eq!(found, shared, "{contender:?}");
        let removed = filter.remove(keys.between(0, 5));
        assert_eq!(removed, info.can(Ability::Remove).then_some(5), "{contender:?}");
        let sized = Order { budget: Some(Budget::BitsPerKey(8.0)), ..order(info, Planned::Keys) };
        let made = contender.build(keys, &sized);
        if info.bits_budget {
            let said = made.unwrap().said_bytes().unwrap_or(0);
            // Whole blocks, and shards in a ribbon: small filters are somewhat larger than asked.
            assert!(said <= 2000 + 200, "{contender:?}: {said} bytes");
        } else if !info.fixed_rate {
            assert!(made.is_err(), "{contender:?} ignores a size");
        }
    }
}

/// Growing filters jump within an octave, and the others that say so; what says that it does not
/// stays within a twentieth.
#[test]
fn sizes_jump_within_an_octave_where_the_entry_says_so() {
    const BASE: usize = 20_000;
    let keys: Vec<u64> = (0..2 * BASE as u64).collect();
    for contender in ALL.iter() {
        let info = contender.info;
        // What other threads hold cannot be told from what other tests do.
        if info.threads
            || info.many_sets
            || !info.only.is_empty()
            || matches!(info.role, Role::Floor | Role::Twin)
        {
            continue;
        }
        let planned = order(info, Planned::Octave(BASE));
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for eighths in 8..16 {
            let keys = &keys[..BASE / 8 * eighths];
            let build = || contender.build(Keys::U64(keys), &planned).unwrap();
            let (built, memory) = alloc::counted(build);
            let held = built.said_bytes().unwrap_or(memory.held as u64);
            let bits = held as f64 * 8.0 / keys.len() as f64;
            (least, most) = (least.min(bits), most.max(bits));
        }
        assert_eq!(most > 1.2 * least, info.jumps, "{contender:?}: {least} to {most}");
    }
}

#[test]
fn an_order_says_for_how_many_keys_a_filter_is_made() {
    for (planned, room, start) in [
        (Planned::Keys, 5000, 5),
        (Planned::First, 5000, 5000),
        (Planned::Room(0), 1, 1),
        (Planned::Room(9000), 9000, 9000),
        (Planned::Octave(3000), 5000, 3),
    ] {
        let order = Order { planned, budget: None, seed: 0 };
        assert_eq!((order.room(5000), order.start(5000)), (room, start));
    }
}

#[test]
fn a_hit_skips_the_next_key_and_no_pass_leaves_the_stream() {
    let [yes, no] = [true, false];
    // Asks 0, 1, 3: hits at 1 and 3.
    assert_eq!(dependent_hits(&[no, yes, yes, yes, no, no]), 2);
    for hits in [0, 1, 7] {
        assert_eq!(dependent_hits(&vec![yes; hits]), dependent_queries(hits) as u64);
    }
}

#[test]
fn theories_fall_with_every_bit_and_stay_above_the_bound() {
    for contender in ALL.iter() {
        let info = contender.info;
        let points = contender.theory_points(1_000_000);
        let needed = info.ours
            && !info.many_sets
            && info.only.is_empty()
            && !matches!(info.role, Role::Floor | Role::Map);
        assert!(points.len() >= if needed { 8 } else { 0 }, "{}", info.name);
        let falls = points.is_sorted_by(|a, b| a.bits_per_key < b.bits_per_key && a.fpr > b.fpr);
        assert!(falls, "{}", info.name);
        assert!(points.iter().all(|point| point.bits_per_key > -point.fpr.log2()), "{points:?}");
    }
}
