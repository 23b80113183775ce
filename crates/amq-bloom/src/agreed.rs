//! What operators make of an error, since they cannot return it.

use amq_core::MergeError;

/// Panics with the error.
#[track_caller]
#[allow(clippy::panic, reason = "documented where it is used: operators cannot return errors")]
pub(crate) fn agreed(combined: Result<(), MergeError>) {
    if let Err(error) = combined {
        panic!("{error}");
    }
}
