//! Errors in SQL's words.

use amq::{AnyError, DecodeError, InsertError, MergeError};
use datafusion_common::DataFusionError;
use std::fmt::Display;

/// An error at execution; `function` is the name of the SQL function.
pub(crate) fn execution(function: &str, error: impl Display) -> DataFusionError {
    DataFusionError::Execution(format!("{function}: {error}"))
}

/// An error in the query itself.
pub(crate) fn plan(function: &str, error: impl Display) -> DataFusionError {
    DataFusionError::Plan(format!("{function}: {error}"))
}

/// Bytes that are not a filter that SQL can query, with the way out; `path` if they are in a file.
pub(crate) fn unread(function: &str, path: Option<&str>, error: DecodeError) -> DataFusionError {
    let path = path.map(|path| format!("`{path}`: ")).unwrap_or_default();
    let way_out = match error {
        DecodeError::Keyed | DecodeError::KeyWithheld | DecodeError::SeedWithheld => {
            ". SQL cannot pass a secret: it hashes keys under the seed in the filter's bytes. Make \
             the filter with amq_agg, or with `amq build` without a secret, or query it in a program"
        }
        DecodeError::Prehashed => {
            ". SQL hashes keys itself: make the filter of keys, with amq_agg or `amq build`"
        }
        DecodeError::Magic => ". (Query a filter of Spark with might_contain.)",
        _ => "",
    };
    execution(function, format_args!("{path}{error}{way_out}"))
}

/// Filters that cannot be merged, with a way out for all of them: the library's error would name
/// the keys of only two, and others may follow.
pub(crate) fn unmerged(function: &str, error: &AnyError) -> DataFusionError {
    match error {
        AnyError::Merge(MergeError::Keys { ours, theirs, slots }) => {
            let text = format_args!(
                "more rows than `expected`: parts of {ours} and of {theirs} rows, copies of keys \
                 among them, do not fit into the {slots} slots of one filter. Let `expected` be \
                 the number of rows in all parts together, or aggregate over (SELECT DISTINCT x \
                 FROM ...)"
            );
            execution(function, text)
        }
        AnyError::Merge(MergeError::Insert(InsertError::Copies { copies })) => {
            let text = format_args!(
                "copies of keys do not fit into one filter: a key is in {copies} times already. \
                 Aggregate over (SELECT DISTINCT x FROM ...), or let `expected` be the number of \
                 rows in all parts together"
            );
            execution(function, text)
        }
        error => execution(function, format_args!("filters that cannot be merged: {error}")),
    }
}
