//! The macro that turns the laws into tests.

/// Makes a module with one test for each law of a filter with these abilities.
///
/// `suite!(name: Type => [abilities]);` names the module and the golden record `name`. It is a
/// module beside your own: not the name of your crate, nor that of another suite in the file. The
/// first ability, `empty` or `build`, is how the laws of every filter make a filled one.
/// `suite!(name: Type => [abilities], out_of_range [params, ...]);` also tests that parameters out
/// of range are refused. `suite!(name: Type => file(fill));` has the laws of files alone, for what
/// is stored and is no filter by itself. See the [crate's documentation](crate).
#[macro_export]
macro_rules! suite {
    ($name:ident: $filter:ty => file($fill:path)) => {
        mod $name {
            use super::*;

            /// The filter under test.
            type AmqSubject = $filter;

            $crate::suite!(@file $fill);
        }
    };
    ($name:ident: $filter:ty => [$first:ident $(, $ability:ident)* $(,)?]) => {
        $crate::suite!($name: $filter => [$first $(, $ability)*], out_of_range []);
    };
    (
        $name:ident: $filter:ty => [$first:ident $(, $ability:ident)* $(,)?],
        out_of_range $params:tt
    ) => {
        mod $name {
            #[allow(unused_imports, reason = "the type may be given by a full path")]
            use super::*;
            /// The filter under test.
            type AmqSubject = $filter;

            fn amq_golden() -> $crate::Golden {
                $crate::Golden::new(env!("CARGO_MANIFEST_DIR"), stringify!($name))
            }

            $crate::suite!(@first $first);
            $crate::suite!(@ability $first);
            $($crate::suite!(@second $ability);)*
            $($crate::suite!(@ability $ability);)*
            $crate::suite!(@model $first $($ability)*);
            $crate::suite!(@refused $first $params);
            $($crate::suite!(@refused $ability $params);)*
            $crate::suite!(@stored $first [$($ability)*] $($ability)*);
        }
    };

    // One game with every ability of the filter. A static filter has no moves.
    (@model empty $($ability:ident)*) => {
        #[test]
        fn any_sequence_agrees_with_the_model() {
            let abilities = $crate::model::Abilities::<AmqSubject>::empty()$(.$ability())*;
            $crate::apart::<fn(_)>($crate::model::any_sequence_agrees_with_the_model)(abilities);
        }
    };
    (@model build $($ability:ident)*) => {};

    // Parameters that a plan must not smuggle in.
    (@refused $ability:ident []) => {};
    (@refused empty $params:tt) => {
        #[test]
        fn parameters_out_of_range_are_refused() {
            let make = $crate::surface::inserting_by_plan::<AmqSubject>;
            $crate::surface::parameters_out_of_range_are_refused(make, &$params);
        }
    };
    (@refused build $params:tt) => {
        #[test]
        fn parameters_out_of_range_are_refused_in_a_build() {
            let make = $crate::surface::building_by_plan::<AmqSubject>;
            $crate::surface::parameters_out_of_range_are_refused(make, &$params);
        }
    };
    (@refused $ability:ident $params:tt) => {};

    // A filter that is stored is filled in the first way. What else it can do it does after it was
    // read, too.
    (@stored empty $all:tt file $($rest:ident)*) => {
        $crate::suite!(@file $crate::by_inserting);
        $crate::suite!(@prehashed $crate::by_inserting);
        $crate::suite!(@laws files($crate::by_inserting) => {
            a_prehashed_filter_takes_hashes_as_the_filter
            a_filter_that_was_read_goes_on_as_the_one_written
            a_forged_file_is_refused_or_takes_keys
        });
        $crate::suite!(@moves $all);
        $($crate::suite!(@truncated $rest $crate::by_inserting);)*
    };
    (@stored build $all:tt file $($rest:ident)*) => {
        $crate::suite!(@file $crate::at_once);
        $crate::suite!(@prehashed $crate::at_once);
        $crate::suite!(@moves $all);
        $($crate::suite!(@truncated $rest $crate::at_once);)*
    };
    (@stored $first:ident $all:tt $other:ident $($rest:ident)*) => {
        $crate::suite!(@stored $first $all $($rest)*);
    };
    (@stored $first:ident $all:tt) => {};
    (@moves [$($ability:ident)*]) => { $($crate::suite!(@move $ability);)* };
    (@move merge) => {
        $crate::suite!(@laws files($crate::by_inserting) => {
            a_forged_file_is_refused_or_merges
            a_prehashed_filter_merges_as_the_filter
        });
    };
    (@move remove) => {
        $crate::suite!(@laws files($crate::by_inserting) => {
            a_forged_file_is_refused_or_forgets_keys
        });
    };
    (@move $other:ident) => {};
    (@truncated truncate $fill:path) => {
        $crate::suite!(@laws truncate($fill) => {
            a_truncated_filter_errs_as_often_as_predicted
            truncating_twice_is_truncating_once
            a_budget_that_a_filter_lacks_is_refused_by_name
            a_file_read_within_a_budget_is_the_truncated_filter
            a_damaged_file_is_refused_within_a_budget
        });
    };
    (@truncated $other:ident $fill:path) => {};
    (@prehashed $fill:path) => {
        $crate::suite!(@laws files($fill) => {
            a_prehashed_filter_answers_as_the_filter
            a_prehashed_filter_with_a_seed_has_no_file
            a_file_of_another_hashing_is_refused_by_name
            a_hash_that_is_unknown_is_refused_by_name
        });
    };
    (@file $fill:path) => {
        $crate::suite!(@laws files($fill) => {
            what_was_written_is_read
            a_withheld_seed_must_be_given
            a_stream_is_read_to_the_end_of_the_file
            a_view_answers_as_the_filter
            a_damaged_file_is_refused
            what_is_no_file_is_refused_by_name
            a_forged_file_is_refused_or_answers
            a_forged_number_changes_no_answer
            a_view_of_a_forged_file_answers
            a_file_is_little_larger_than_its_table
        });
    };

    (@first empty) => { $crate::suite!(@every $crate::by_inserting); };
    (@first build) => {
        $crate::suite!(@every $crate::at_once);
        $crate::suite!(@laws build => { a_static_filter_of_no_keys_is_always_built });
    };

    // A filter with both abilities passes the gate twice: filled key by key, and built at once.
    (@second build) => {
        $crate::suite!(@gates gate($crate::at_once) => {
            the_rate_is_right_when_built_at_once: BUILT
        });
    };
    (@second $other:ident) => {};

    (@every $fill:path) => {
        $crate::suite!(@laws membership($fill) => {
            every_key_is_found
            a_batch_answers_as_single_queries_do
            a_batch_of_two_lengths_is_refused
            a_key_is_its_hash_under_the_filters_seed
            the_same_seed_gives_the_same_filter
            two_seeds_err_independently
            an_empty_filter_holds_nothing
            a_rate_is_never_below_that_of_equal_hashes
        });
        $crate::suite!(@laws shapes($fill) => {
            the_shape_of_keys_does_not_matter
            the_empty_key_and_a_megabyte_are_keys
        });
        $crate::suite!(@laws plan($fill) => {
            a_filled_filter_takes_the_planned_bytes
            a_built_filter_keeps_to_its_budget
        });
        $crate::suite!(@laws surface($fill) => {
            debug_output_is_short_and_hides_the_seed
            stats_agree_with_the_methods_and_print
        });
        $crate::suite!(@plans edge => {
            an_impossible_goal_is_refused_by_name
            a_goal_at_the_edge_is_planned_or_refused
            no_keys_are_planned_as_one
            the_way_out_that_an_error_names_is_one
            a_predicted_rate_is_a_probability
        });
        $crate::suite!(@plans plan => {
            a_plan_keeps_to_its_budget
            bits_too_few_name_the_least_number_of_keys
            a_budget_beyond_use_is_left
            size_and_rate_are_each_others_inverse
            plans_take_a_bounded_number_of_steps
        });
        $crate::suite!(@gates gate($fill) => {
            the_rate_is_right_at_one_in_100: ONE_IN_100,
            the_rate_is_right_at_one_in_256: ONE_IN_256,
            the_rate_is_right_at_one_in_1000: ONE_IN_1000,
            the_rate_is_right_at_one_in_100_000: ONE_IN_100_000
        });
        $crate::suite!(@gates small_gates($fill) => {
            small_filters_err_as_often_as_predicted: SMALL
        });
    };

    (@ability empty) => {
        $crate::suite!(@laws edge => { a_plan_can_be_made_or_is_refused });
        $crate::suite!(@laws plan => { a_filter_is_what_its_plan_says });
        $crate::suite!(@laws insert => {
            an_insert_says_whether_the_key_was_there
            a_batch_says_which_keys_were_new
            a_key_goes_in_as_its_hash
            a_cleared_filter_is_a_new_one
            one_key_a_hundred_thousand_times_is_bounded
            a_full_filter_refuses_and_stays_as_it_was
            an_overfull_filter_says_so
        });
        $crate::suite!(@laws surface => {
            insert_unique_changes_nothing_when_present
            an_empty_filter_by_its_plan_is_the_one_by_its_goal
        });
        $crate::suite!(@laws surface($crate::surface::inserting_by_plan) => {
            a_plan_that_was_changed_is_followed_or_refused
        });
        $crate::suite!(@gates gate($crate::by_inserting) => {
            the_rate_is_right_at_half_the_planned_load: HALF_FULL,
            the_rate_is_right_at_twice_the_planned_load: OVERFULL
        });
        $crate::suite!(@gates small_gates($crate::by_inserting) => {
            small_overfull_filters_err_as_often_as_predicted: SMALL_OVERFULL
        });
    };

    (@ability build) => {
        $crate::suite!(@laws edge => { a_budget_beyond_memory_is_refused });
        $crate::suite!(@laws build => {
            any_number_of_keys_can_be_built
            repeated_keys_do_no_harm
            keys_build_what_their_hashes_build
            keys_that_change_their_hash_do_not_panic
        });
        $crate::suite!(@laws surface => {
            a_build_refuses_more_keys_than_planned
            a_filter_built_by_its_plan_is_the_one_by_its_goal
        });
        #[test]
        fn a_build_by_a_plan_that_was_changed_follows_it_or_is_refused() {
            let law = $crate::surface::a_plan_that_was_changed_is_followed_or_refused::<AmqSubject>;
            $crate::apart::<fn(_)>(law)($crate::surface::building_by_plan);
        }
    };

    (@ability merge) => {
        $crate::suite!(@laws merge($crate::by_inserting) => {
            a_merged_filter_holds_the_keys_of_both
            merging_is_commutative_and_empty_is_its_identity
            another_seed_is_refused_by_name
            another_geometry_is_refused_by_name_or_merged_whole
            small_filters_of_any_geometry_lose_no_key_in_a_merge
            merging_a_clone_leaves_the_rate_as_it_was
            a_merged_filter_keeps_the_rate_until_it_is_full
        });
    };

    // See @stored.
    (@ability file) => {};
    (@ability truncate) => {};

    (@ability grow) => {
        $crate::suite!(@laws growth => {
            a_grown_filter_holds_every_key
            a_grown_filter_errs_as_predicted_and_no_more_than_asked
            a_grown_filter_that_is_cleared_is_a_new_one
        });
    };

    (@ability remove) => {
        $crate::suite!(@laws remove => {
            removing_one_copy_leaves_the_others
            removing_an_absent_key_changes_nothing
            a_filter_can_be_turned_over_for_ever
            what_was_new_to_insert_unique_can_be_removed
        });
    };

    (@ability count) => {
        $crate::suite!(@laws remove => { a_count_is_never_too_low_and_seldom_too_high });
    };

    (@laws $module:ident($fill:path) => { $($law:ident)* }) => {$(
        #[test]
        fn $law() {
            $crate::apart::<fn(_)>($crate::$module::$law::<AmqSubject>)($fill);
        }
    )*};
    (@laws $module:ident => { $($law:ident)* }) => {$(
        #[test]
        fn $law() {
            $crate::apart::<fn()>($crate::$module::$law::<AmqSubject>)();
        }
    )*};
    (@plans $module:ident => { $($law:ident)* }) => {$(
        #[test]
        fn $law() {
            $crate::$module::$law(&core::marker::PhantomData::<AmqSubject>);
        }
    )*};
    (@gates $gate:ident($fill:path) => { $($test:ident: $cell:ident),* }) => {$(
        #[test]
        fn $test() {
            let gate = $crate::apart::<fn(_, _, _)>($crate::rate::$gate::<AmqSubject>);
            gate($fill, $crate::rate::$cell, amq_golden());
        }
    )*};
}
