//! Sizing a classic table: the exact rate, solved for the size and the number of probes.

use super::classic::mean_fpr;
use crate::params::{BloomParams, MAX_PROBES, max_bits};
use amq_core::numeric::{first_true_near, hash_floor};
use amq_core::{Budget, Goal, Plan, PlanError};

/// Bits per key of a large filter at this rate, with the best whole number of probes.
pub fn bits_per_key(fpr: f64) -> f64 {
    probe_candidates(-libm::log2(fpr))
        .map(|k| ideal_bits_per_key(fpr, k))
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

/// The smallest filter for a rate, or the best for a size.
pub fn plan(goal: Goal) -> Result<Plan<BloomParams>, PlanError> {
    plan_cells(goal, 1)
}

/// Plans a table of cells, such as counters, instead of bits; see [`plan`]. A cell has `cell_bits`
/// bits, a power of two up to 64; `params.bits` is the number of cells.
pub fn plan_cells(goal: Goal, cell_bits: u64) -> Result<Plan<BloomParams>, PlanError> {
    let goal = goal.checked()?;
    PlanError::check_parameter("cell_bits", cell_bits, 1, 64)?;
    let params = match goal.budget {
        Budget::Fpr(fpr) => smallest(goal.keys, fpr, cell_bits)?,
        Budget::BitsPerKey(_) | Budget::Bytes(_) => {
            best_within(goal.keys, goal.max_bits(), cell_bits)?
        }
    };
    Ok(plan_of(params, goal.keys, cell_bits))
}

/// The plan for this many keys with these parameters.
pub fn plan_params(params: BloomParams, keys: u64) -> Result<Plan<BloomParams>, PlanError> {
    params.check()?;
    Ok(plan_of(params, keys, 1))
}

fn plan_of(params: BloomParams, keys: u64, cell_bits: u64) -> Plan<BloomParams> {
    // Saturates: a table of the most cells, of 64 bits each, is refused when allocated.
    let bytes = params.bits.div_ceil(64).saturating_mul(cell_bits * 8);
    Plan::new(params, keys).with_bytes(bytes).with_expected_fpr(mean_fpr(
        params.bits,
        params.probes,
        keys,
    ))
}

/// The integers next to the ideal number of probes, `log2(1 / fpr)` or `m/n ln 2`.
fn probe_candidates(ideal: f64) -> [u32; 2] {
    let low = (ideal as u32).clamp(1, MAX_PROBES);
    [low, (low + 1).min(MAX_PROBES)]
}

/// Bits per key at which the folklore rate with k probes is `fpr`.
fn ideal_bits_per_key(fpr: f64, probes: u32) -> f64 {
    let k = f64::from(probes);
    -k / libm::log1p(-libm::pow(fpr, 1.0 / k))
}

/// The fewest cells, in multiples of 64, for this many keys at a rate of at most `fpr`, over the
/// candidates for k.
fn smallest(keys: u64, fpr: f64, cell_bits: u64) -> Result<BloomParams, PlanError> {
    let max_groups = max_bits() / cell_bits / 64;
    let mut best: Option<BloomParams> = None;
    let mut needed = f64::INFINITY;
    // The part of the rate above the hash floor; if none is left, the largest table.
    let floor = hash_floor(keys);
    let left = ((fpr - floor) / (1.0 - floor)).max(0.0);
    // Near the floor this is far lower than the rate, and needs more probes.
    for ideal in [fpr, left] {
        if best.is_some() || ideal <= 0.0 {
            break;
        }
        for probes in probe_candidates(-libm::log2(ideal)) {
            // The folklore rate is too low, so its size is a lower bound; the true size is a few
            // bits larger.
            let groups = libm::floor(ideal_bits_per_key(ideal, probes) * keys as f64 / 64.0);
            needed = needed.min(groups * 8.0 * cell_bits as f64);
            if groups >= max_groups as f64 {
                continue;
            }
            let low = (groups as u64).max(1);
            let high = (low + low / 8 + 2 * u64::from(probes)).min(max_groups);
            let reached = |groups: u64| mean_fpr(groups * 64, probes, keys) <= fpr;
            let guess = libm::ceil(ideal_bits_per_key(left, probes) * keys as f64 / 64.0);
            let groups = first_true_near(low, high, guess as u64, reached);
            if !reached(groups) {
                continue;
            }
            if best.is_none_or(|best| groups * 64 < best.bits) {
                best = Some(BloomParams { bits: groups * 64, probes });
            }
        }
    }
    best.ok_or(if needed >= (max_bits() / 8) as f64 {
        PlanError::TooLarge { bytes: needed, max_bytes: max_bits() / 8 }
    } else {
        PlanError::FprUnreachable { fpr, lowest: lowest_fpr(keys), keys }
    })
}

/// Cells per key above which more do not help: with all probes the rate is 2^-86, plus the
/// collisions of hashes, 2^-64 per key.
const ENOUGH: u64 = 2 * MAX_PROBES as u64;

/// The best number of probes for cells that occupy `allowed` bits in total, in multiples of 64.
/// Leaves bits unused that would not help.
fn best_within(keys: u64, allowed: u64, cell_bits: u64) -> Result<BloomParams, PlanError> {
    let bits = (allowed / cell_bits).min(keys.saturating_mul(ENOUGH)) / 64 * 64;
    if bits == 0 {
        return Err(PlanError::Bytes { bytes: allowed / 8, min: 8 * cell_bits });
    }
    if bits > max_bits() / cell_bits {
        return Err(PlanError::TooLarge { bytes: allowed as f64 / 8.0, max_bytes: max_bits() / 8 });
    }
    let rate = |probes: u32| mean_fpr(bits, probes, keys);
    // In a small table the best number differs slightly from the textbook's, and the rate has a
    // single minimum.
    let [mut probes, _] = probe_candidates(bits as f64 / keys as f64 * core::f64::consts::LN_2);
    while probes < MAX_PROBES && rate(probes + 1) < rate(probes) {
        probes += 1;
    }
    while probes > 1 && rate(probes - 1) <= rate(probes) {
        probes -= 1;
    }
    Ok(BloomParams { bits, probes })
}

/// The lowest rate that can be planned: that of the most probes, plus the hash floor.
fn lowest_fpr(keys: u64) -> f64 {
    libm::pow(0.5, f64::from(MAX_PROBES)) + hash_floor(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_the_smallest_in_whole_words_that_meet_the_rate() {
        for keys in [1u64, 2, 3, 10, 100, 12_345, 1_000_000, 100_000_000] {
            for asked in [0.5, 0.1, 0.01, 1.0 / 256.0, 1e-3, 1e-6, 1e-9] {
                let plan = plan(Goal::fpr(keys, asked)).unwrap();
                let BloomParams { bits, probes } = plan.params;
                assert!(plan.expected_fpr <= asked);
                assert_eq!(plan.bytes * 8, bits);
                for k in probes.saturating_sub(2).max(1)..=probes + 2 {
                    assert!(
                        bits == 64 || mean_fpr(bits - 64, k, keys) > asked,
                        "{keys} keys at {asked}: {k} probes would do in fewer than {bits} bits"
                    );
                }
            }
        }
    }

    #[test]
    fn every_rate_above_the_lowest_is_planned() {
        for keys in [1u64, 100, 1 << 20, 1 << 34] {
            let lowest = lowest_fpr(keys);
            for above in [1e-6, 1e-3, 0.1, 1.0] {
                let asked = lowest * (1.0 + above);
                assert!(plan(Goal::fpr(keys, asked)).unwrap().expected_fpr <= asked);
            }
        }
    }

    #[test]
    fn bits_per_key_at_a_million_are_the_textbook_ones() {
        for (asked, k, want) in [(0.01, 7, 9.593), (1.0 / 256.0, 8, 11.542), (1e-3, 10, 14.378)] {
            assert!((ideal_bits_per_key(asked, k) - want).abs() < 5e-4);
            let plan = plan(Goal::fpr(1_000_000, asked)).unwrap();
            assert!(plan.bits_per_key() <= want + 1e-3, "{}", plan.bits_per_key());
            assert!((plan.bits_per_key() - bits_per_key(asked)).abs() < 1e-3);
        }
    }

    #[test]
    fn a_size_gives_the_best_rate_it_can_and_is_never_exceeded() {
        for keys in [1u64, 10, 1000, 1_000_000] {
            for bits_per_key in [0.7, 3.0, 9.6, 10.0, 24.0, 100.0] {
                let Ok(plan) = plan(Goal::bits_per_key(keys, bits_per_key)) else {
                    assert!(keys as f64 * bits_per_key < 64.0);
                    continue;
                };
                assert!(plan.bits_per_key() <= bits_per_key);
                for k in 1..=MAX_PROBES {
                    assert!(
                        mean_fpr(plan.params.bits, k, keys) >= plan.expected_fpr * (1.0 - 1e-9)
                    );
                }
            }
        }
    }

    #[test]
    fn cells_of_several_bits_take_as_many_times_the_space() {
        for keys in [1u64, 1000, 1_000_000] {
            for asked in [0.1, 0.01, 1e-4] {
                let bits = plan(Goal::fpr(keys, asked)).unwrap();
                let cells = plan_cells(Goal::fpr(keys, asked), 4).unwrap();
                assert_eq!((cells.params, cells.bytes), (bits.params, bits.bytes * 4));
                let within = plan_cells(Goal::bytes(keys, cells.bytes + 31), 4).unwrap();
                assert_eq!(within.bytes, cells.bytes);
            }
        }
        assert_eq!(plan_cells(Goal::bytes(1, 31), 4), Err(PlanError::Bytes { bytes: 31, min: 32 }));
    }
}
