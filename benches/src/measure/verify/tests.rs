//! Each check must fail a contender that is broken in exactly that way.

mod changes;
mod courses;

use super::*;
use crate::contender::{Ability, Family, Probe, built};
use crate::keys::Store;
use crate::keysets::{KeySet, Made};
use crate::progress::Progress;
use crate::timing::{Entrant, Expected, Queries, TIMED, race};
use amq_core::PredictedFpr;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use std::cell::Cell as Shared;
use std::collections::HashSet;

/// What is wrong with a contender.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    Nothing,
    ForgetsAKey,
    LiesAboutItsSize,
    HasThreeTimesTheRate,
    HasAThirdOfTheRate,
    CountsOtherwiseInBatches,
    ForgetsAfterAWhile,
    Refuses,
    Panics,
    RemovesNothing,
    RemovesEverything,
    DeniesWhatItRemoves,
    CannotChange,
    PanicsWhenChanged,
    RefusesFurtherKeys,
    RefusesAndForgets,
    DropsFurtherKeys,
    ErrsMoreThanAsked,
    ForgetsWhenHalfFull,
    GrowsWhenHalfFull,
    HasNoSlots,
    LosesOneInChurn,
    KeepsWhatIsReplaced,
    StopsReplacing,
    MergesAllButOne,
    MergesNothing,
    RefusesToMerge,
}

/// The slots of a broken filter: nearly full when it refuses further keys.
const SLOTS: u64 = 1250;

/// A small exact set that errs on purpose for one absent key in a hundred, plus one fault.
#[derive(Debug)]
struct Broken {
    fault: Fault,
    ours: bool,
}

impl Contender for Broken {
    fn info(&self) -> Info {
        Info {
            name: "broken",
            family: Family::Exact,
            role: Role::Filter,
            ours: self.ours,
            packages: &[],
            analysis: "",
            abilities: &[Ability::Batch, Ability::Insert, Ability::Remove],
            takes_rate: true,
            max_keys: u64::MAX,
            seeded: true,
            slow: false,
            theory: None,
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        _asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        let Keys::U64(keys) = keys else {
            return Err("integers only".to_owned());
        };
        let mut held = keys.to_vec();
        match self.fault {
            Fault::Refuses => return Err("no".to_owned()),
            Fault::Panics => panic!("at {seed}"),
            Fault::ForgetsAKey if keys.len() > 1 => drop(held.pop()),
            _ => {}
        }
        held.sort_unstable();
        Ok(built::<u64, _>(BrokenFilter {
            held,
            fault: self.fault,
            seed,
            asked: Shared::new(0),
            replaced: 0,
        }))
    }

    fn with_room(
        &self,
        room: usize,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Option<Result<Box<dyn Built>, String>> {
        assert!(
            room >= keys.len(),
            "no test makes it for fewer keys than it is given"
        );
        (self.fault != Fault::CannotChange).then(|| self.build(keys, asked_fpr, seed))
    }
}

struct BrokenFilter {
    held: Vec<u64>,
    fault: Fault,
    seed: u64,
    asked: Shared<u64>,
    replaced: u64,
}

impl Probe<u64> for BrokenFilter {
    fn said_bytes(&self) -> Option<u64> {
        let bytes = self.held.capacity() as u64 * 8;
        Some(bytes - u64::from(self.fault == Fault::LiesAboutItsSize))
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        Some(PredictedFpr {
            mean: match self.fault {
                Fault::ErrsMoreThanAsked => 0.03,
                _ => 0.01,
            },
            sd: 0.0,
        })
    }

    fn holds(&self, key: &u64) -> bool {
        self.asked.set(self.asked.get() + 1);
        if self.fault == Fault::ForgetsAfterAWhile && self.asked.get() > 100_000 {
            return false;
        }
        let errs = match self.fault {
            Fault::HasThreeTimesTheRate | Fault::ErrsMoreThanAsked => 30,
            Fault::HasAThirdOfTheRate => 3,
            _ => 10,
        };
        self.held.binary_search(key).is_ok()
            || amq_core::KeyHash::of(key, self.seed).get() % 1000 < errs
    }

    fn count_batch(&self, keys: &[u64]) -> Option<u64> {
        let hits: u64 = keys.iter().map(|key| u64::from(self.holds(key))).sum();
        Some(hits + u64::from(self.fault == Fault::CountsOtherwiseInBatches))
    }

    fn insert_all(&mut self, keys: &[u64]) -> Option<u64> {
        let mut taken = keys;
        match self.fault {
            Fault::CannotChange => return None,
            Fault::PanicsWhenChanged => panic!("changed"),
            Fault::DropsFurtherKeys => return Some(keys.len() as u64),
            // A fifth more than its plan, and not one key beyond.
            Fault::RefusesFurtherKeys | Fault::RefusesAndForgets => {
                taken = &keys[..keys.len().min(1200usize.saturating_sub(self.held.len()))];
            }
            _ => {}
        }
        let refuses = taken.len() < keys.len();
        self.held.extend_from_slice(taken);
        if self.fault == Fault::ForgetsWhenHalfFull && self.held.len() as u64 > SLOTS / 2 {
            self.held.remove(0);
        }
        if refuses && self.fault == Fault::RefusesAndForgets {
            self.held.pop();
        }
        self.held.sort_unstable();
        Some(taken.len() as u64)
    }

    fn remove_all(&mut self, keys: &[u64]) -> Option<u64> {
        match self.fault {
            Fault::CannotChange => return None,
            Fault::PanicsWhenChanged => panic!("changed"),
            Fault::RemovesNothing => {}
            Fault::RemovesEverything => self.held.clear(),
            _ => {
                let gone: HashSet<u64> = keys.iter().copied().collect();
                self.held.retain(|key| !gone.contains(key));
            }
        }
        let denied = u64::from(self.fault == Fault::DeniesWhatItRemoves);
        Some(keys.len() as u64 - denied)
    }

    fn replace_all(&mut self, gone: &[u64], new: &[u64]) -> Option<u64> {
        let mut done = gone.len();
        match self.fault {
            Fault::CannotChange => return None,
            Fault::PanicsWhenChanged => panic!("changed"),
            Fault::StopsReplacing => done /= 2,
            _ => {}
        }
        if self.fault != Fault::KeepsWhatIsReplaced {
            let gone: HashSet<u64> = gone[..done].iter().copied().collect();
            let stays = |key: &u64| !gone.contains(key);
            self.held.extend_from_slice(&new[..done]);
            self.held.retain(stays);
        }
        self.replaced += done as u64;
        if self.fault == Fault::LosesOneInChurn && self.replaced > 1000 {
            self.held.pop();
        }
        self.held.sort_unstable();
        Some(done as u64)
    }

    fn merge(&mut self, other: &Self) -> Option<Result<(), String>> {
        let taken = match self.fault {
            Fault::CannotChange => return None,
            Fault::PanicsWhenChanged => panic!("changed"),
            Fault::RefusesToMerge => return Some(Err("no".to_owned())),
            Fault::MergesNothing => 0,
            Fault::MergesAllButOne => other.held.len() - 1,
            _ => other.held.len(),
        };
        self.held.extend_from_slice(&other.held[..taken]);
        self.held.sort_unstable();
        Some(Ok(()))
    }

    fn slots(&self) -> Option<u64> {
        match self.fault {
            Fault::HasNoSlots => None,
            Fault::GrowsWhenHalfFull if self.held.len() as u64 > SLOTS / 2 => Some(3 * SLOTS),
            _ => Some(SLOTS),
        }
    }
}

const EFFORT: Effort = Effort {
    min_seeds: 2,
    max_seeds: 20,
    false_positives: 1000.0,
};

fn made() -> Made {
    KeySet::RandomU64.make(1000, 20_000, 5).unwrap()
}

/// The subject for a contender of integers. The first half of the keys is to be removed.
fn subject(made: &Made) -> Subject<'_> {
    let (Store::U64(present), Store::U64(absent)) = (&made.present, &made.absent) else {
        panic!("integers are integers");
    };
    let (gone, kept) = present.split_at(present.len() / 2);
    Subject {
        present: Keys::U64(present),
        absent: Keys::U64(absent),
        gone: Keys::U64(gone),
        kept: Keys::U64(kept),
        asked_fpr: Some(0.01),
        seed: 1,
    }
}

fn check(fault: Fault, ours: bool) -> Row {
    let made = made();
    let subject = subject(&made);
    let contender = Broken { fault, ours };
    let cell = made_cell();
    row(
        &contender.info(),
        &cell,
        &verify(&contender, &subject, &EFFORT),
    )
}

fn has_no_numbers(row: &Row) -> bool {
    *row == Row::failed(&row.contender, &row.cell(), row.workload, &row.error)
}

#[test]
fn a_good_contender_passes_with_all_its_numbers() {
    let row = check(Fault::Nothing, true);
    assert_eq!(row.error, "");
    assert_eq!((row.held_bytes, row.said_bytes), (Some(8000), Some(8000)));
    // A thousand false positives are expected of 100,000 queries: five filters of 20,000 each.
    assert_eq!(
        (row.seeds, row.absent_queries, row.present_queries),
        (Some(5), Some(100_000), Some(5000))
    );
    assert_eq!((row.false_negatives, row.fpr_agrees), (Some(0), Some(true)));
    assert!(row.fpr_low < Some(0.01) && row.fpr_high > Some(0.01));
    assert!(row.peak_build_bytes >= row.held_bytes);
}

#[test]
fn each_wrong_answer_is_an_error_row_without_numbers() {
    for (fault, text) in [
        (Fault::ForgetsAKey, "1 false negatives among its 1000 keys"),
        (Fault::LiesAboutItsSize, "reports 7999 bytes but holds 8000"),
        (Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        (Fault::HasAThirdOfTheRate, "predicted rate 1.0000e-2"),
        (Fault::CountsOtherwiseInBatches, "in the batch loop"),
        (Fault::Refuses, "build refused: no"),
        (Fault::Panics, "panicked: at 1"),
    ] {
        let row = check(fault, true);
        assert!(row.error.contains(text), "{fault:?}: {}", row.error);
        assert!(has_no_numbers(&row), "{fault:?}: {row:?}");
    }
}

#[test]
fn a_peer_of_another_rate_is_flagged_and_kept_and_one_that_forgets_is_not() {
    let row = check(Fault::HasThreeTimesTheRate, false);
    assert_eq!((row.error.as_str(), row.fpr_agrees), ("", Some(false)));
    assert!(row.fpr_low > Some(0.025));
    assert!(!check(Fault::ForgetsAKey, false).error.is_empty());
}

#[test]
fn a_filter_that_goes_wrong_while_it_is_timed_is_an_error_row() {
    static FORGETFUL: Broken = Broken {
        fault: Fault::ForgetsAfterAWhile,
        ours: true,
    };
    let made = made();
    let subject = subject(&made);
    let verified = verify(
        &FORGETFUL,
        &subject,
        &Effort {
            min_seeds: 1,
            max_seeds: 1,
            ..EFFORT
        },
    )
    .unwrap();
    let entrants = [Entrant {
        contender: &FORGETFUL,
        cell: made_cell(),
        asked_fpr: Some(0.01),
        expected: Some(Expected {
            none: verified.absent.iter().map(|&hit| u64::from(hit)).sum(),
            half: 1000,
            all: 1000,
        }),
        filter: verified.filter,
        queries: 20_000,
        removal: verify_removal(&FORGETFUL, &subject, &EFFORT).ok(),
    }];
    let queries = Queries {
        none: subject.absent,
        half: subject.present,
        all: subject.present,
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let rows = race(
        &entrants,
        &queries,
        &subject,
        9,
        &mut rng,
        &Progress::hidden(),
    );
    let workloads: HashSet<Workload> = rows.iter().map(|row| row.workload).collect();
    assert_eq!(workloads, TIMED.into_iter().collect());
    for row in rows {
        // These build their own filters each time, which answer few queries.
        let built = matches!(row.workload, Workload::Build | Workload::Remove);
        assert_eq!(row.error.is_empty(), built, "{row:?}");
        assert_eq!(has_no_numbers(&row), !built, "{row:?}");
    }
}

fn made_cell() -> Cell {
    Cell {
        key_set: "random-u64".to_owned(),
        keys: 1000,
        planned_keys: None,
        asked_fpr: Some(0.01),
    }
}

#[test]
fn a_filter_of_one_type_of_key_finds_none_of_another() {
    let filter = Broken {
        fault: Fault::Nothing,
        ours: true,
    }
    .build(Keys::U64(&[1, 2]), None, 1)
    .unwrap();
    assert_eq!(filter.count_hits(Keys::Bytes(&[b"1"])), 0);
    assert_eq!(filter.count_hits_batch(Keys::Bytes(&[b"1"])), None);
}
