//! The macro that turns the laws into tests.

/// Makes a module with one test for each law of a filter with these abilities.
///
/// `suite!(name: Type => [abilities]);` names the module and the golden record `name`. It must
/// differ from the name of your crate and from other modules in the file. The first ability,
/// `empty` or `build`, is how the laws of every filter make a filled one. `suite!(name: Type =>
/// [abilities], out_of_range [params, ...]);` also tests that parameters out of range are refused.
/// `suite!(name: Type => file(fill));` has only the laws of files, for types with a file that are
/// not filters. See the [crate's documentation](crate).
#[macro_export]
macro_rules! suite {
    ($name:ident: $filter:ty => file($fill:path)) => {
        mod $name {
            use super::*;

            /// The filter under test, and how it is filled.
            type AmqSubject = $filter;
            const AMQ_FILL: $crate::Fill<AmqSubject> = $fill;
            fn amq_abilities() -> $crate::Abilities<AmqSubject> {
                $crate::Abilities::new(AMQ_FILL)
            }

            $crate::suite!(@of_files);
        }
    };
    ($name:ident: $filter:ty => [$($ability:ident),+ $(,)?]) => {
        $crate::suite!($name: $filter => [$($ability),+], out_of_range []);
    };
    (
        $name:ident: $filter:ty => [$first:ident $(, $ability:ident)* $(,)?],
        out_of_range $params:tt
    ) => {
        mod $name {
            #[allow(unused_imports, reason = "the type may be given by a full path")]
            use super::*;

            /// The filter under test, and how it is filled.
            type AmqSubject = $filter;
            const AMQ_FILL: $crate::Fill<AmqSubject> = $crate::suite!(@fill $first);
            #[allow(dead_code, reason = "only some laws need it")]
            fn amq_abilities() -> $crate::Abilities<AmqSubject> {
                $crate::Abilities::new(AMQ_FILL).$first()$(.$ability())*
            }
            fn amq_golden() -> $crate::Golden {
                $crate::Golden::new(env!("CARGO_MANIFEST_DIR"), stringify!($name))
            }

            $crate::suite!(@every);
            $crate::suite!(@first $first);
            $crate::suite!(@ability $first $params);
            $($crate::suite!(@second $ability); $crate::suite!(@ability $ability $params);)*
        }
    };

    (@fill empty) => { $crate::by_inserting };
    (@fill build) => { $crate::at_once };

    (@every) => {
        $crate::suite!(@filled membership => {
            every_key_is_found
            a_batch_answers_as_single_queries_do
            a_batch_of_two_lengths_is_refused
            a_key_is_its_hash_under_the_filters_seed
            the_same_seed_gives_the_same_filter
            a_rate_is_never_below_that_of_equal_hashes
        });
        $crate::suite!(@filled plan => {
            a_filled_filter_takes_the_planned_bytes
            a_built_filter_keeps_to_its_budget
        });
        $crate::suite!(@filled surface => {
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
        $crate::suite!(@gates gate(AMQ_FILL) => {
            the_rate_is_right_at_one_in_100: ONE_IN_100
            the_rate_is_right_at_one_in_256: ONE_IN_256
            the_rate_is_right_at_one_in_1000: ONE_IN_1000
            the_rate_is_right_at_one_in_100_000: ONE_IN_100_000
        });
        $crate::suite!(@gates small_gates(AMQ_FILL) => {
            small_filters_err_as_often_as_predicted: SMALL
        });
    };

    (@first empty) => { $crate::suite!(@of model => { any_sequence_agrees_with_the_model }); };
    (@first build) => {
        $crate::suite!(@laws build => { a_static_filter_of_no_keys_is_always_built });
    };

    // A filter with both abilities passes the gate twice: filled key by key, and built at once.
    (@second build) => {
        $crate::suite!(@gates gate($crate::at_once) => {
            the_rate_is_right_when_built_at_once: BUILT
        });
    };
    (@second $other:ident) => {};

    (@ability empty $params:tt) => {
        $crate::suite!(@laws edge => { a_plan_can_be_made_or_is_refused });
        $crate::suite!(@laws plan => { a_filter_is_what_its_plan_says });
        $crate::suite!(@laws insert => {
            keys_go_in_alike_in_every_way
            a_cleared_filter_is_a_new_one
            one_key_a_hundred_thousand_times_is_bounded
            a_full_filter_refuses_and_stays_as_it_was
        });
        $crate::suite!(@laws surface => {
            insert_unique_changes_nothing_when_present
            an_empty_filter_by_its_plan_is_the_one_by_its_goal
        });
        $crate::suite!(@by_plan inserting_by_plan $params => {
            a_plan_that_was_changed_is_followed_or_refused
            parameters_out_of_range_are_refused
        });
        $crate::suite!(@gates gate($crate::by_inserting) => {
            the_rate_is_right_at_half_the_planned_load: HALF_FULL
            the_rate_is_right_at_twice_the_planned_load: OVERFULL
        });
        $crate::suite!(@gates small_gates($crate::by_inserting) => {
            small_overfull_filters_err_as_often_as_predicted: SMALL_OVERFULL
        });
    };
    (@ability build $params:tt) => {
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
        $crate::suite!(@by_plan building_by_plan $params => {
            a_build_by_a_plan_that_was_changed_follows_it_or_is_refused
            parameters_out_of_range_are_refused_in_a_build
        });
    };
    (@ability merge $params:tt) => {
        $crate::suite!(@filled merge => {
            a_merged_filter_holds_the_keys_of_both
            merging_is_commutative_and_empty_is_its_identity
            another_seed_is_refused_by_name
            another_geometry_is_refused_by_name_or_merged_whole
            small_filters_of_any_geometry_lose_no_key_in_a_merge
            merging_a_clone_leaves_the_rate_as_it_was
            a_merged_filter_keeps_the_rate_until_it_is_full
        });
    };
    (@ability remove $params:tt) => {
        $crate::suite!(@laws remove => {
            removing_one_copy_leaves_the_others
            removing_an_absent_key_changes_nothing
            a_filter_can_be_turned_over_for_ever
            what_was_new_to_insert_unique_can_be_removed
        });
    };
    (@ability count $params:tt) => {
        $crate::suite!(@laws remove => { a_count_is_never_too_low_and_seldom_too_high });
    };
    (@ability grow $params:tt) => {
        $crate::suite!(@laws growth => {
            a_grown_filter_holds_every_key
            a_grown_filter_errs_as_predicted_and_no_more_than_asked
        });
    };
    (@ability file $params:tt) => {
        $crate::suite!(@of_files);
        $crate::suite!(@of files => { a_prehashed_filter_is_the_filter_by_hash });
        $crate::suite!(@filled files => {
            a_prehashed_filter_with_a_seed_has_no_file
            a_file_of_another_hashing_is_refused_by_name
            a_hash_that_is_unknown_is_refused_by_name
        });
    };
    (@ability truncate $params:tt) => {
        $crate::suite!(@filled truncate => {
            a_truncated_filter_errs_as_often_as_predicted
            truncating_twice_is_truncating_once
            a_budget_that_a_filter_lacks_is_refused_by_name
            a_file_read_within_a_budget_is_the_truncated_filter
            a_damaged_file_is_refused_within_a_budget
        });
    };

    (@of_files) => {
        $crate::suite!(@of files => {
            what_was_written_is_read
            a_forged_file_is_refused_or_is_a_filter
        });
        $crate::suite!(@filled files => {
            a_withheld_seed_must_be_given
            a_stream_is_read_to_the_end_of_the_file
            a_view_answers_as_the_filter
            a_damaged_file_is_refused
            what_is_no_file_is_refused_by_name
            a_forged_number_changes_no_answer
            a_view_of_a_forged_file_answers
            a_file_is_little_larger_than_its_table
        });
    };

    // Parameters that a plan must not accept.
    (@by_plan $make:ident $params:tt => { $changed:ident $refused:ident }) => {
        #[test]
        fn $changed() {
            let law = $crate::surface::a_plan_that_was_changed_is_followed_or_refused::<AmqSubject>;
            $crate::apart::<fn(_)>(law)($crate::surface::$make);
        }
        $crate::suite!(@out_of_range $make $params $refused);
    };
    (@out_of_range $make:ident [] $refused:ident) => {};
    (@out_of_range $make:ident $params:tt $refused:ident) => {
        #[test]
        fn $refused() {
            let make = $crate::surface::$make::<AmqSubject>;
            $crate::surface::parameters_out_of_range_are_refused(make, &$params);
        }
    };

    // A law takes nothing, a way to fill the filter, its abilities, or how it is planned.
    (@laws $module:ident => { $($law:ident)* }) => {$(
        #[test]
        fn $law() {
            $crate::apart::<fn()>($crate::$module::$law::<AmqSubject>)();
        }
    )*};
    (@filled $module:ident => { $($law:ident)* }) => {$(
        #[test]
        fn $law() {
            $crate::apart::<fn(_)>($crate::$module::$law::<AmqSubject>)(AMQ_FILL);
        }
    )*};
    (@of $module:ident => { $($law:ident)* }) => {$(
        #[test]
        fn $law() {
            $crate::apart::<fn(_)>($crate::$module::$law::<AmqSubject>)(&amq_abilities());
        }
    )*};
    (@plans $module:ident => { $($law:ident)* }) => {$(
        #[test]
        fn $law() {
            $crate::$module::$law(&core::marker::PhantomData::<AmqSubject>);
        }
    )*};
    (@gates $gate:ident($fill:path) => { $($test:ident: $cell:ident)* }) => {$(
        #[test]
        fn $test() {
            let gate = $crate::apart::<fn(_, _, _)>($crate::rate::$gate::<AmqSubject>);
            gate($fill, $crate::rate::$cell, amq_golden());
        }
    )*};
}
