//! Time: what a quotient filter must move and read where all keys have one home. Counted in slots,
//! not in nanoseconds.

use super::page::Table;
use super::refusal::neighbours;
use super::victim::{Under, Victim};
use super::{KEYS, geometry, honest, number};
use amq::{AnyFilter, FilterKind, KeyHash};
use amq_core::index::index;

/// Copies of a key that an expandable filter takes.
const MAX_COPIES: u64 = 255;

/// The longest cluster: slots in use without a gap between them. An insert at its front moves all.
fn longest_cluster(filter: &AnyFilter) -> u64 {
    let slots = geometry(filter, 0, 0);
    let homes = |hashes: &mut dyn Iterator<Item = KeyHash>| -> Vec<u64> {
        hashes.map(|hash| index(hash.get(), slots)).collect()
    };
    let homes = match filter {
        AnyFilter::Quotient(filter) => homes(&mut filter.iter()),
        AnyFilter::ExpandableQuotient(filter) => homes(&mut filter.iter()),
        _ => return 0,
    };
    // Twice around: in the second round the table's first slots hold what the end had no room for.
    let (mut longest, mut length, mut next) = (0, 0, 0);
    for round in [0, slots] {
        for home in &homes {
            let slot = next.max(home + round);
            length = if slot == next { length + 1 } else { 1 };
            longest = longest.max(length);
            next = slot + 1;
        }
    }
    longest
}

#[test]
fn a_secret_scatters_the_keys_of_one_home() {
    let mut table = Table::new([
        "filter",
        "any keys",
        "public seed",
        "secret seed (no PRF)",
        "secret key",
        "copies of one key, under any",
    ]);
    // Fingerprints of one home: it has a ten-thousandth of all hashes, and these are 2^51 apart.
    let chosen: Vec<u64> = neighbours(1 << 36).take(KEYS as usize).collect();
    for kind in [FilterKind::Quotient, FilterKind::ExpandableQuotient] {
        let longest = |under, keys: &[u64]| {
            longest_cluster(Victim::holding(kind, under, keys).unwrap().filter())
        };
        let copies = if kind == FilterKind::Quotient { KEYS } else { MAX_COPIES };
        let any = longest(Under::PUBLIC, &honest());
        let [public, secret, keyed] = Under::ALL.map(|under| longest(under, &chosen));
        let one_key = Under::ALL.map(|under| longest(under, &vec![5; copies as usize]));
        assert!((KEYS..KEYS * 11 / 10).contains(&public), "{kind}: {public}");
        assert_eq!(one_key, [copies; 3], "{kind}");
        for scattered in [any, secret, keyed] {
            assert!((20..KEYS / 4).contains(&scattered), "{kind}: {scattered}");
        }
        let numbers = [any, public, secret, keyed, copies].map(number);
        table.row([kind.name(), &numbers[0], &numbers[1], &numbers[2], &numbers[3], &numbers[4]]);
    }
    table.check("clusters");
}
