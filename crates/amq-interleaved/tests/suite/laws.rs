//! What holds of interleaved filters alone.

use amq_core::{Filter, InsertExt, Parts};
use amq_interleaved::{
    BinError, Bins, BlockedBloomFilter, BlockedParams, Budget, BuildError, FilterFile, Goal,
    InterleavedBloomFilter, InterleavedBloomView, InterleavedParams, Key, KeyHash, PlanError,
};

/// Numbers of bins around those at which rows get longer.
const BINS: [usize; 9] = [1, 2, 63, 64, 65, 511, 512, 513, 1025];

/// The keys of a bin: some are in several bins, and bins have different numbers of them.
fn keys(bin: usize) -> Vec<u64> {
    (0..(17 * bin as u64) % 50).map(|key| key * key % 37 + bin as u64 / 3).collect()
}

/// Single filters and one interleaved one, filled alike.
fn both(bins: usize, seed: u64) -> (Vec<BlockedBloomFilter>, InterleavedBloomFilter) {
    let goal = Goal::fpr(50, 0.02);
    let mut many = InterleavedBloomFilter::with_seed(bins as u64, goal, seed).unwrap();
    let singles = (0..bins).map(|bin| {
        let mut single = BlockedBloomFilter::with_seed(goal, seed).unwrap();
        for key in keys(bin) {
            let new = many.insert(bin, &key).unwrap();
            assert_eq!(single.insert(&key), new);
        }
        single
    });
    (singles.collect(), many)
}

fn loop_over(singles: &[BlockedBloomFilter], hash: KeyHash) -> Vec<usize> {
    (0..singles.len()).filter(|&bin| singles[bin].contains_hash(hash)).collect()
}

#[test]
fn bins_are_equal_bit_for_bit_to_single_filters() {
    for bins in BINS {
        let (singles, many) = both(bins, 9);
        for (bin, single) in singles.iter().enumerate() {
            assert!(many.bin(bin).unwrap() == *single, "bin {bin} of {bins}");
            assert_eq!(many.bin_len(bin), single.len());
            assert_eq!(many.expected_fpr(bin).unwrap(), single.expected_fpr());
        }
        assert_eq!(many.len(), singles.iter().map(BlockedBloomFilter::len).sum::<u64>());
        for key in 0..300u64 {
            let answer = many.bins(&key);
            let wanted = loop_over(&singles, key.key_hash(9));
            assert!(answer.iter().eq(wanted.iter().copied()), "key {key} of {bins} bins");
            assert_eq!(answer.count(), wanted.len() as u64);
            assert_eq!(answer.is_empty(), wanted.is_empty());
            assert!((0..bins + 100).all(|bin| answer.contains(bin) == wanted.contains(&bin)));
        }
    }
}

#[test]
fn every_way_to_fill_gives_the_same_bytes() {
    for bins in BINS {
        let (singles, many) = both(bins, 9);
        let goal = Goal::fpr(50, 0.02);
        let sets: Vec<Vec<u64>> = (0..bins).map(keys).collect();
        let built = InterleavedBloomFilter::build_with_seed(goal, 9, &sets).unwrap();
        assert!(built == many, "built, {bins} bins");
        let hash = |keys: &Vec<u64>| keys.iter().map(|key| key.key_hash(9)).collect::<Vec<_>>();
        let hashes: Vec<Vec<KeyHash>> = sets.iter().map(hash).collect();
        let built = InterleavedBloomFilter::build_hashes(goal, 9, &hashes).unwrap();
        assert!(built == many, "built from hashes, {bins} bins");
        let empty = || InterleavedBloomFilter::with_seed(bins as u64, goal, 9).unwrap();
        let (mut by_keys, mut by_hashes, mut by_bins) = (empty(), empty(), empty());
        // From the last bin to the first, for a change.
        for bin in (0..bins).rev() {
            let hashes: Vec<KeyHash> = sets[bin].iter().map(|key| key.key_hash(9)).collect();
            let wanted = singles[bin].len();
            assert_eq!(by_keys.insert_keys(bin, &sets[bin]), Ok(wanted));
            assert_eq!(by_hashes.insert_batch(bin, &hashes), Ok(wanted));
            by_bins.set_bin(bin, &singles[bin]).unwrap();
        }
        for other in [by_keys, by_hashes, by_bins] {
            assert!(other == many, "{bins} bins");
            assert_eq!(other.to_bytes(), many.to_bytes());
        }
    }
}

/// Enough keys to be sorted, more than once, and in bins that hold some already.
#[test]
fn many_keys_at_once_are_the_same_as_one_by_one() {
    for (count, blocks) in [(255, 5000), (256, 3), (200_000, 5000), ((1 << 20) + 5, 40)] {
        let plan = BlockedBloomFilter::plan(Goal::bytes(1000, 32 * blocks)).unwrap();
        let mut one_by_one = InterleavedBloomFilter::with_seed(70, plan, 4).unwrap();
        for key in 0..100u64 {
            one_by_one.insert(66, &key).unwrap();
        }
        let mut at_once = one_by_one.clone();
        let keys: Vec<u64> = (50..50 + count).collect();
        let new = keys.iter().filter(|key| one_by_one.insert(66, *key).unwrap().is_new()).count();
        let got = at_once.insert_keys(66, &keys).unwrap();
        assert_eq!(got, new as u64, "{count} keys, {blocks} blocks");
        assert_eq!(at_once.bin(66).unwrap().as_bytes(), one_by_one.bin(66).unwrap().as_bytes());
        assert!((0..70).all(|bin| bin == 66 || at_once.bin(bin).unwrap().is_empty()));
    }
}

/// Enough keys for a single filter, which is then written into the bin.
#[test]
fn a_bin_filled_at_once_is_the_single_filter() {
    for bins in BINS {
        for (seed, count) in [(0, 12u64), (1, 13), (2, 1000), (3, 20_000)] {
            let plan = BlockedBloomFilter::plan(Goal::bytes(1000, 32 * 13)).unwrap();
            let mut single = BlockedBloomFilter::with_seed(plan, seed).unwrap();
            let mut many = InterleavedBloomFilter::with_seed(bins as u64, plan, seed).unwrap();
            let keys: Vec<u64> = (0..count).map(|key| key * 7 % 15_000).collect();
            let hashes: Vec<KeyHash> = keys.iter().map(|key| key.key_hash(seed)).collect();
            let mut by_hashes = many.clone();
            let (wanted, bin) = (single.insert_keys(&keys).unwrap(), bins / 2);
            let new = many.insert_keys(bin, &keys).unwrap();
            assert_eq!(new, wanted, "{count} keys");
            assert_eq!(by_hashes.insert_batch(bin, &hashes), Ok(new));
            assert!(by_hashes == many);
            let found = many.bin(bin).unwrap();
            assert_eq!((found.as_bytes(), found.len()), (single.as_bytes(), new));
            assert_eq!(many.len(), new, "another bin changed");
            assert!((0..bins).all(|other| other == bin || many.bin(other).unwrap().is_empty()));
            // Again: the bin has them.
            assert_eq!(many.insert_keys(bin, &keys), Ok(0));
        }
    }
}

#[test]
fn a_set_that_is_used_again_has_the_new_answer() {
    let mut bins = Bins::default();
    assert!(bins.is_empty() && bins.words().is_empty());
    for count in BINS {
        let (_, many) = both(count, 9);
        for key in 0..100u64 {
            many.bins_into(&key, &mut bins);
            assert!(bins == many.bins(&key), "key {key} of {count} bins");
        }
    }
}

#[test]
fn a_batch_answers_as_single_queries_do() {
    let mut buffer = vec![u64::MAX; 3];
    for bins in BINS {
        let (_, many) = both(bins, 9);
        for count in [0, 1, 31, 600u64] {
            let keys: Vec<u64> = (0..count).map(|key| key % 70).collect();
            let answers = many.bins_keys(&keys, &mut buffer).unwrap();
            assert_eq!(answers.len(), keys.len());
            for (key, answer) in keys.iter().zip(answers) {
                assert!(answer == many.bins(key), "{key}: {answer:?}");
            }
        }
        let hashes = [KeyHash::new(1); 3];
        for words in [0, 1, 3 * many.words() - 1, 3 * many.words() + 1] {
            assert!(
                many.bins_batch(&hashes, &mut vec![0; words]).is_err() || words == 3 && bins <= 64
            );
        }
    }
}

#[test]
fn several_keys_are_counted_as_a_loop_counts_them() {
    let (singles, many) = both(513, 9);
    for (first, count) in [(0, 0u64), (3, 1), (0, 40), (7, 700)] {
        let keys: Vec<u64> = (0..count).map(|key| first + key % 60).collect();
        let hits = |single: &BlockedBloomFilter| {
            keys.iter().filter(|&key| single.contains(key)).count() as u64
        };
        let wanted: Vec<u64> = singles.iter().map(hits).collect();
        assert_eq!(many.counts(&keys), wanted);
        for threshold in [0, 1, 2, count / 2, count, count + 1] {
            let bins = many.at_least(&keys, threshold);
            let wanted = (0..513).filter(|&bin| wanted[bin] >= threshold);
            assert!(bins.iter().eq(wanted), "{threshold} of {count}");
        }
        assert!(many.bins_of_all(&keys) == many.at_least(&keys, count));
    }
}

#[test]
fn a_bin_that_is_added_has_room_and_changes_no_other() {
    for bins in BINS {
        let (_, before) = both(bins, 9);
        let mut many = before.clone();
        for more in 0..70 {
            let bin = many.add_bin(&format!("name {more}")).unwrap();
            assert_eq!((bin, many.bin_count()), (bins + more, (bins + more + 1) as u64));
            assert!(many.bin(bin).unwrap().is_empty());
            many.insert(bin, &(more as u64 + 1000)).unwrap();
        }
        for bin in 0..bins {
            assert!(many.bin(bin).unwrap() == before.bin(bin).unwrap());
            assert_eq!(many.name(bin), "");
        }
        for more in 0..70 {
            assert!(many.bins(&(more as u64 + 1000)).contains(bins + more));
            assert_eq!(many.name(bins + more), format!("name {more}"));
        }
        // As if it had had them from the start.
        let mut wanted = both(bins + 70, 9).1;
        let names =
            (0..bins).map(|_| String::new()).chain((0..70).map(|more| format!("name {more}")));
        wanted.set_names(names).unwrap();
        for bin in bins..bins + 70 {
            wanted.clear_bin(bin).unwrap();
            wanted.insert(bin, &((bin - bins) as u64 + 1000)).unwrap();
        }
        assert!(wanted == many, "{bins} bins");
    }
}

#[test]
fn a_cleared_bin_is_empty_and_the_others_are_as_before() {
    let (singles, mut many) = both(65, 9);
    for cleared in [0, 7, 64] {
        many.clear_bin(cleared).unwrap();
    }
    for (bin, single) in singles.iter().enumerate() {
        let now = many.bin(bin).unwrap();
        assert!(if [0, 7, 64].contains(&bin) { now.is_empty() } else { now == *single });
    }
}

#[test]
fn a_larger_filter_folds_into_a_bin_and_others_are_refused() {
    let plan = |blocks| BlockedBloomFilter::plan(Goal::bytes(1000, 32 * blocks)).unwrap();
    let mut many = InterleavedBloomFilter::new(9, plan(7)).unwrap();
    let before = many.clone();
    for blocks in [1, 6, 8, 15] {
        let single = BlockedBloomFilter::new(plan(blocks)).unwrap();
        let refused = many.set_bin(3, &single);
        assert_eq!(refused, Err(BinError::Blocks { filter: blocks, bin: 7 }));
    }
    let seeded = BlockedBloomFilter::with_seed(plan(7), 1).unwrap();
    assert_eq!(many.set_bin(3, &seeded), Err(BinError::OtherSeed));
    assert!(many == before);
    let mut wanted = BlockedBloomFilter::new(plan(7)).unwrap();
    for factor in [1, 2, 5] {
        let mut single = BlockedBloomFilter::new(plan(7 * factor)).unwrap();
        single.insert_keys(&(0..500u64).collect::<Vec<_>>()).unwrap();
        many.set_bin(3, &single).unwrap();
        wanted.insert_keys(&(0..500u64).collect::<Vec<_>>()).unwrap();
        assert_eq!(many.bin(3).unwrap().as_bytes(), wanted.as_bytes());
        assert!((0..500u64).all(|key| many.bins(&key).contains(3)));
    }
}

/// Blocks of Parquet, whose hashes are not made here.
#[test]
fn blocks_of_another_program_are_a_bin() {
    let hashes: Vec<KeyHash> = (0..200u64).map(|key| key.key_hash(0xBEEF)).collect();
    let mut theirs = BlockedBloomFilter::new(Goal::fpr(200, 0.01)).unwrap();
    for &hash in &hashes {
        theirs.insert_hash(hash);
    }
    let parts = Parts::new(theirs.params(), 0);
    let view = BlockedBloomFilter::from_table_unchecked(theirs.as_bytes(), parts).unwrap();
    let mut many = InterleavedBloomFilter::new(100, Goal::fpr(200, 0.01)).unwrap();
    many.set_bin(99, &view).unwrap();
    assert!(hashes.iter().all(|&hash| many.bins_hash(hash).contains(99)));
    assert_eq!(many.bin(99).unwrap().as_bytes(), theirs.as_bytes());
}

#[test]
fn a_range_of_the_file_is_enough_for_a_lookup() {
    for bins in [1, 65, 513] {
        let (_, many) = both(bins, 9);
        let file = many.to_bytes().unwrap();
        let params = InterleavedParams::new(many.params().bins, many.params().blocks);
        for key in 0..200u64 {
            let hash = key.key_hash(9);
            let range = params.row_range(hash);
            assert_eq!(many.row_range(hash), range);
            assert!(range.end - range.start <= 256 * params.row_bytes());
            let bytes = &file[range.start as usize..range.end as usize];
            assert!(many.bins_in_row(bytes, hash).unwrap() == many.bins(&key));
            for wrong in [&bytes[1..], &file[range.start as usize..range.end as usize + 1], &[]] {
                let refused = params.bins_in_row(wrong, hash).unwrap_err();
                assert!(matches!(refused, BinError::RangeLength { .. }), "{refused}");
            }
        }
    }
    for (bins, blocks) in [(0, 1), (1, 0), (u64::MAX, u64::MAX), (1 << 32, 1 << 31)] {
        let params = InterleavedParams::new(bins, blocks);
        let hash = KeyHash::new(u64::MAX);
        let range = params.row_range(hash);
        assert!(range.start <= range.end);
        assert!(params.bins_in_row(&[], hash).is_err());
    }
}

#[test]
fn a_file_is_read_and_viewed_with_names_and_numbers() {
    let (_, mut many) = both(67, 5);
    many.set_names((0..67).map(|bin| "é".repeat(bin % 5))).unwrap();
    let file = many.to_bytes().unwrap();
    let read = InterleavedBloomFilter::from_bytes(&file).unwrap();
    assert!(read == many);
    let view: InterleavedBloomView<'_> = InterleavedBloomFilter::view(&file).unwrap();
    for bin in 0..67 {
        assert_eq!((view.name(bin), view.bin_len(bin)), (many.name(bin), many.bin_len(bin)));
        assert_eq!(view.name(bin), "é".repeat(bin % 5));
        assert!(view.bin(bin).unwrap() == many.bin(bin).unwrap());
    }
    assert_eq!((view.name(67), view.bin_len(67), view.len()), ("", 0, many.len()));
    assert!((0..300u64).all(|key| view.bins(&key) == many.bins(&key)));
    assert_eq!(view.to_bytes().unwrap(), file);
}

#[test]
fn names_must_be_as_many_as_bins() {
    let mut many = InterleavedBloomFilter::new(3, Goal::fpr(10, 0.1)).unwrap();
    many.set_names(["a", "", "c"]).unwrap();
    let before = many.clone();
    for (names, said) in [(vec![], 0), (vec!["x"; 2], 2), (vec!["x"; 4], 4), (vec!["x"; 99], 4)] {
        let refused = many.set_names(names).unwrap_err();
        assert_eq!(refused, BinError::Names { names: said, bins: 3 });
        assert!(many == before);
    }
}

#[test]
fn what_is_impossible_is_refused_by_name() {
    let goal = Goal::fpr(1000, 0.01);
    let parameter = |value| {
        Err(BuildError::Plan(PlanError::Parameter { name: "bins", value, min: 1, max: 1 << 32 }))
    };
    assert_eq!(InterleavedBloomFilter::new(0, goal).map(drop), parameter(0));
    let many = (1 << 32) + 1;
    assert_eq!(InterleavedBloomFilter::new(many, goal).map(drop), parameter(many));
    assert_eq!(InterleavedBloomFilter::build::<u64, Vec<u64>>(goal, &[]).map(drop), parameter(0));
    // More than a bin can have, and more than there is memory for.
    let huge = InterleavedBloomFilter::new(1 << 32, Goal::fpr(1 << 40, 0.01)).unwrap_err();
    assert!(matches!(huge, BuildError::Plan(PlanError::TooLarge { .. })), "{huge}");
    let plan = InterleavedBloomFilter::plan(1 << 32, Goal::fpr(1 << 40, 0.01));
    assert!(matches!(plan, Err(PlanError::TooLarge { .. })), "{plan:?}");
    let blocks = BlockedBloomFilter::plan(Goal::bytes(1 << 40, 32 << 31)).unwrap();
    let huge = InterleavedBloomFilter::new(1 << 32, blocks).unwrap_err();
    assert!(matches!(huge, BuildError::Plan(PlanError::TooLarge { .. })), "{huge}");
    let plan = InterleavedBloomFilter::plan(1 << 32, Goal::bytes(1 << 40, 32)).unwrap();
    assert_eq!((plan.keys, plan.bytes), (u64::MAX, 256 << 29));
    // No keys are planned as one.
    let none = InterleavedBloomFilter::new(5, Goal::fpr(0, 0.01)).unwrap();
    assert!(none.is_empty() && none.capacity() == 1 && none.bins("x").is_empty());
    let none = InterleavedBloomFilter::build::<u64, _>(Budget::Fpr(0.01), &[[], [], []]).unwrap();
    assert!(none.is_empty() && none.bin_count() == 3);
    for rate in [0.0, 1.0, f64::NAN] {
        assert!(InterleavedBloomFilter::new(5, Goal::fpr(10, rate)).is_err());
    }
    let more = InterleavedBloomFilter::build(Goal::fpr(2, 0.01), &[vec![1u64], vec![1, 2, 3]]);
    assert_eq!(more.map(drop), Err(BuildError::TooManyKeys { planned: 2 }));

    let mut filter = InterleavedBloomFilter::new(5, goal).unwrap();
    let before = filter.clone();
    for bin in [5, 6, usize::MAX] {
        let refused = BinError::NoSuchBin { bin, bins: 5 };
        assert_eq!(filter.insert(bin, "x").map(drop), Err(refused));
        assert_eq!(filter.insert_keys(bin, &["x"]).map(drop), Err(refused));
        assert_eq!(filter.insert_batch(bin, &[]).map(drop), Err(refused));
        assert_eq!(filter.clear_bin(bin), Err(refused));
        assert_eq!(filter.bin(bin).map(drop), Err(refused));
        assert_eq!(filter.expected_fpr(bin), Err(refused));
        let single = BlockedBloomFilter::new(goal).unwrap();
        assert_eq!(filter.set_bin(bin, &single), Err(refused));
        assert_eq!((filter.name(bin), filter.bin_len(bin)), ("", 0));
        assert!(refused.to_string().contains("counted from 0"));
    }
    assert!(filter == before);
}

/// A plan counts the keys of all bins, and what padding costs.
#[test]
fn a_plan_says_what_a_filter_takes() {
    for (bins, row) in [(1, 8), (64, 8), (65, 16), (512, 64), (513, 128), (1000, 128), (1025, 192)]
    {
        let goal = Goal::fpr(10_000, 0.01);
        let plan = InterleavedBloomFilter::plan(bins, goal).unwrap();
        let single = BlockedBloomFilter::plan(goal).unwrap();
        assert_eq!(plan.params.row_bytes(), row);
        assert_eq!(plan.bytes, single.params.blocks * 256 * row);
        assert_eq!((plan.keys, plan.expected_fpr), (bins * 10_000, single.expected_fpr));
        let filter = InterleavedBloomFilter::new(bins, goal).unwrap();
        assert_eq!((filter.size_in_bytes(), filter.params()), (plan.bytes, plan.params));
    }
    let thousand = InterleavedBloomFilter::plan(1000, Goal::fpr(10_000, 0.01)).unwrap();
    let singles = 1000 * BlockedBloomFilter::plan(Goal::fpr(10_000, 0.01)).unwrap().bytes;
    assert!(thousand.bytes as f64 <= 1.03 * singles as f64);
}

#[test]
fn the_text_of_a_filter_is_short_and_hides_the_seed() {
    let filter = InterleavedBloomFilter::with_seed(3, Goal::fpr(10, 0.1), 0xABCD_EF12).unwrap();
    let text = format!("{filter:?}");
    assert!(text.len() < 200 && !text.contains(&0xABCD_EF12u64.to_string()), "{text}");
    let bins: Bins = filter.bins("x");
    assert_eq!(format!("{bins:?}"), "{}");
    let params = BlockedParams::new(filter.params().blocks);
    assert_eq!(filter.params().bin(), params);
}

/// Every division has every set once, no set in a bin that is too small, and the bytes and lines of
/// the filters that it makes. No division of a brute-force search takes less.
#[test]
fn classes_are_the_division_of_least_bytes() {
    // Enough of each size for words of their own in a row: fewer save nothing by a class.
    let each = [10u64, 10_000, 1000, 1010, 7000, 12, 900, 5, 0, 3000, 10_000, 2];
    let sizes = each.repeat(64);
    let budget = Budget::Fpr(0.01);
    let divisions = InterleavedBloomFilter::classes(budget, &sizes).unwrap();
    assert!(divisions.len() >= 4 && divisions.is_sorted_by(|one, next| one.bytes > next.bytes));
    let blocks =
        |size: u64| BlockedBloomFilter::plan(Goal::new(size, budget)).unwrap().params.blocks;
    let mut sorted = each;
    sorted.sort_by_key(|&size| std::cmp::Reverse(size));
    let mut least = [u64::MAX; 12];
    for cuts in 0..1u32 << 11 {
        let mut starts: Vec<usize> =
            (0..12).filter(|&at| at == 0 || cuts >> (at - 1) & 1 == 1).collect();
        starts.push(12);
        let rows = |groups: usize| if groups > 8 { 128 } else { 8 * groups as u64 };
        let of = |class: &[usize]| blocks(sorted[class[0]]) * 256 * rows(class[1] - class[0]);
        let bytes: u64 = starts.windows(2).map(of).sum();
        let number = cuts.count_ones() as usize;
        least[number] = least[number].min(bytes);
    }
    for division in &divisions {
        let mut seen: Vec<usize> = Vec::new();
        let (mut bytes, mut lines) = (0, 0);
        for class in &division.classes {
            let bins = class.sets.len() as u64;
            assert!(class.sets.iter().all(|&set| sizes[set] <= class.plan.keys));
            let filter = InterleavedBloomFilter::new(bins, class.plan).unwrap();
            bytes += filter.size_in_bytes();
            lines += 8 * filter.params().row_bytes().div_ceil(64);
            seen.extend(&class.sets);
        }
        assert_eq!((bytes, lines), (division.bytes, division.lines));
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..sizes.len()));
    }
    for (cuts, &least) in least[..8].iter().enumerate() {
        let best = divisions.iter().rfind(|division| division.classes.len() <= cuts + 1).unwrap();
        // Sizes that are nearly equal were not told apart.
        assert!(best.bytes as f64 <= 1.07 * least as f64, "{cuts}: {}, {least}", best.bytes);
    }
    for sizes in [vec![7; 3000], vec![0], vec![100, 95, 98]] {
        assert_eq!(InterleavedBloomFilter::classes(budget, &sizes).unwrap().len(), 1);
    }
    // Both bins fit into a row of 64: one class more takes 2,048 bytes more.
    let divisions = InterleavedBloomFilter::classes(budget, &[1, 1_000_000]).unwrap();
    assert_eq!(divisions.iter().map(|it| it.bytes).collect::<Vec<_>>(), [84_234_240]);
    // Nor are two classes worth while among so few sets; but more sets fill a row of their own.
    let sizes: Vec<u64> = (0..65).map(|set| 1000 + 1000 * (set % 2)).collect();
    let divisions = InterleavedBloomFilter::classes(budget, &sizes).unwrap();
    assert!(divisions.len() > 1 && divisions.is_sorted_by(|one, next| next.bytes < one.bytes));
    assert!(InterleavedBloomFilter::classes(budget, &[]).is_err());
    assert!(InterleavedBloomFilter::classes(budget, &[1, u64::MAX]).is_err());
    assert!(InterleavedBloomFilter::classes(Budget::Fpr(2.0), &[1]).is_err());
}
