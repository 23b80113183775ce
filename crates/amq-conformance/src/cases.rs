//! How many cases a law tries.

/// If this variable of the environment is set, the laws of plans try one case in [`EACH`]: for
/// machines that are emulated, where these laws take minutes each. They compute in floating point
/// and hardly touch memory. Faults of a machine show in the laws of filters, which are tried in
/// full. Read when the tests run.
const FEWER: &str = "AMQ_FEWER_CASES";

/// It divides none of the lengths of the lists that cases are combined from, so that each of their
/// entries remains in some case.
const EACH: usize = 5;

/// All cases, or every fifth of them where the machine is said to be slow (`AMQ_FEWER_CASES=1`).
pub fn cases<T>(all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let fewer = std::env::var_os(FEWER).is_some_and(|value| value == "1");
    all.into_iter().step_by(if fewer { EACH } else { 1 })
}
