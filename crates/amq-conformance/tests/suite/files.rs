//! The laws of files: a faultless list passes them all, and each lapse fails the law about it.

use crate::reference::filed::{Filed, Lapse, filed};
use crate::teeth::rejects;
use amq_conformance::Fill;
use amq_conformance::files::{self, memory};

/// A law, of a list with some lapse.
type Law<const LAPSE: u8> = fn(Fill<Filed<LAPSE>>);

/// The laws that every stored filter keeps.
fn laws<const LAPSE: u8>() -> Vec<Law<LAPSE>> {
    vec![
        files::what_was_written_is_read::<Filed<LAPSE>>,
        files::a_withheld_seed_must_be_given::<Filed<LAPSE>>,
        files::a_filter_that_was_read_goes_on_as_the_one_written::<Filed<LAPSE>>,
        files::a_stream_is_read_to_the_end_of_the_file::<Filed<LAPSE>>,
        files::a_view_answers_as_the_filter::<Filed<LAPSE>>,
        files::a_damaged_file_is_refused::<Filed<LAPSE>>,
        files::what_is_no_file_is_refused_by_name::<Filed<LAPSE>>,
        files::a_forged_file_is_refused_or_answers::<Filed<LAPSE>>,
        files::a_forged_number_changes_no_answer::<Filed<LAPSE>>,
        files::a_view_of_a_forged_file_answers::<Filed<LAPSE>>,
        files::a_forged_file_is_refused_or_takes_keys::<Filed<LAPSE>>,
        files::a_forged_file_is_refused_or_forgets_keys::<Filed<LAPSE>>,
        files::a_forged_file_is_refused_or_merges::<Filed<LAPSE>>,
        files::a_file_is_little_larger_than_its_table::<Filed<LAPSE>>,
        files::a_prehashed_filter_answers_as_the_filter::<Filed<LAPSE>>,
        files::a_prehashed_filter_with_a_seed_has_no_file::<Filed<LAPSE>>,
        files::a_file_of_another_hashing_is_refused_by_name::<Filed<LAPSE>>,
        files::a_hash_that_is_unknown_is_refused_by_name::<Filed<LAPSE>>,
        files::a_prehashed_filter_takes_hashes_as_the_filter::<Filed<LAPSE>>,
        files::a_prehashed_filter_merges_as_the_filter::<Filed<LAPSE>>,
        memory::reading_takes_little_more_than_the_file::<Filed<LAPSE>>,
        memory::a_claim_is_not_taken_for_memory::<Filed<LAPSE>>,
        memory::a_file_without_memory_is_an_error::<Filed<LAPSE>>,
    ]
}

#[test]
fn a_list_without_a_lapse_keeps_every_law() {
    const NONE: u8 = Lapse::None as u8;
    for law in laws::<NONE>() {
        law(filed::<NONE>);
    }
}

/// One test per lapse: `test: lapse by the law that must reject it`.
macro_rules! rejected {
    ($($test:ident: $lapse:ident by $($law:path),+;)*) => {$(
        #[test]
        fn $test() {
            const LAPSE: u8 = Lapse::$lapse as u8;
            $({
                let law: Law<LAPSE> = $law;
                assert!(rejects(|| law(filed::<LAPSE>)), "{:?} passes {}", Lapse::$lapse, stringify!($law));
            })+
        }
    )*};
}

rejected! {
    a_file_that_says_it_was_read_before: NotedWhenReadBefore by files::what_was_written_is_read;
    a_capacity_that_is_lost: CapacityLost by files::what_was_written_is_read;
    a_limit_that_is_left_out: LimitLeftOut by
        files::a_filter_that_was_read_goes_on_as_the_one_written;
    a_table_with_as_many_zeros: ZerosWritten by files::a_file_is_little_larger_than_its_table;

    a_withheld_seed_that_is_told: SeedTold by files::a_withheld_seed_must_be_given;
    a_withheld_seed_that_is_guessed: SeedGuessed by files::a_withheld_seed_must_be_given;
    a_seed_that_is_given_and_ignored: SeedIgnored by files::a_withheld_seed_must_be_given;

    a_decoder_without_checksums: ChecksumsIgnored by files::a_damaged_file_is_refused;
    a_stream_without_checksums: ChecksumsIgnoredInStreams by files::a_damaged_file_is_refused;
    a_decoder_that_takes_trailing_bytes: TrailingBytesTaken by files::a_damaged_file_is_refused;

    a_decoder_of_any_version: VersionIgnored by files::what_is_no_file_is_refused_by_name;
    a_decoder_of_any_kind: KindIgnored by files::what_is_no_file_is_refused_by_name;
    a_transfer_in_text_mode_that_is_not_named: TextModeUnnamed by
        files::what_is_no_file_is_refused_by_name;

    a_rate_that_is_taken_from_the_file: RateOfTheFile by
        files::a_forged_file_is_refused_or_answers, files::a_view_of_a_forged_file_answers;
    a_table_that_is_not_walked: OrderNotWalked by files::a_forged_file_is_refused_or_takes_keys;
    zero_keys_as_a_shortcut_to_no: NoKeysNoAnswer by files::a_forged_number_changes_no_answer;
    a_removal_that_takes_another_key: TakesAnotherAway by
        files::a_forged_file_is_refused_or_forgets_keys;
    a_merge_that_forgets_a_key: MergeForgets by files::a_forged_file_is_refused_or_merges;

    a_table_that_depends_on_the_seed: SeedMixedIn by
        files::a_prehashed_filter_answers_as_the_filter,
        files::a_prehashed_filter_takes_hashes_as_the_filter,
        files::a_prehashed_filter_merges_as_the_filter;
    a_prehashed_file_that_does_not_say_so: PrehashedUntold by
        files::a_prehashed_filter_answers_as_the_filter;
    a_prehashed_file_with_a_seed: PrehashedSeedTold by
        files::a_prehashed_filter_answers_as_the_filter;
    a_prehashed_filter_whose_seed_is_dropped: PrehashedSeedDropped by
        files::a_prehashed_filter_with_a_seed_has_no_file;
    a_prehashed_file_that_withholds_a_seed: PrehashedSeedWithheld by
        files::a_prehashed_filter_answers_as_the_filter;
    a_prehashed_file_that_is_decoded: PrehashedDecoded by
        files::a_file_of_another_hashing_is_refused_by_name;
    a_prehashed_file_that_is_read: PrehashedRead by
        files::a_file_of_another_hashing_is_refused_by_name;
    a_prehashed_file_that_is_viewed: PrehashedViewed by
        files::a_file_of_another_hashing_is_refused_by_name;
    a_file_of_keys_that_is_decoded_as_prehashed: KeysDecoded by
        files::a_file_of_another_hashing_is_refused_by_name;
    a_file_of_keys_that_is_read_as_prehashed: KeysRead by
        files::a_file_of_another_hashing_is_refused_by_name;
    a_file_of_keys_that_is_viewed_as_prehashed: KeysViewed by
        files::a_file_of_another_hashing_is_refused_by_name;
    a_hash_of_any_number: AnyHashTaken by files::a_hash_that_is_unknown_is_refused_by_name;

    a_stream_that_is_read_ahead: ReadsAhead by files::a_stream_is_read_to_the_end_of_the_file;
    a_stream_without_a_limit: StreamLimitIgnored by files::a_stream_is_read_to_the_end_of_the_file;

    a_view_that_leaves_a_key_out: ViewLeavesOutTheLast by
        files::a_view_answers_as_the_filter, files::a_prehashed_filter_answers_as_the_filter;

    a_claim_that_is_allocated: ClaimAllocated by memory::a_claim_is_not_taken_for_memory;
    a_file_that_is_copied_first: CopiedBeforeItIsRead by
        memory::reading_takes_little_more_than_the_file;
    a_want_of_memory_that_is_not_named: MemoryErrorUnnamed by
        memory::a_file_without_memory_is_an_error;
}
