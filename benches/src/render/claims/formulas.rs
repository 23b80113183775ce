//! Claims that theory alone settles.

use super::Settled;
use crate::render::number::{asked, percent, three};
use amq_bloom::theory::{blocked, classic};
use amq_bloom::{BlockedParams, BloomParams, Goal, Plan, PlanError};
use amq_core::numeric::last_true;
use amq_counting::theory::classic::counter_tail;
use std::f64::consts::LN_2;

const MILLION: u64 = 1_000_000;

/// All claims from theory. Errors if a planner rejects its textbook example; a test ensures that
/// none does.
pub(super) fn all() -> Vec<Result<Settled, PlanError>> {
    vec![
        halving(),
        overfilled(),
        megabytes(),
        well_known_sizes(),
        decade(),
        billion(),
        counted(),
        sized_by_the_wrong_formula(),
        Ok(counters_overflow()),
        Ok(cuckoo_is_smaller()),
        Ok(quotient_is_larger()),
    ]
}

fn plan(items: u64, fpr: f64) -> Result<Plan<BloomParams>, PlanError> {
    classic::plan(Goal::fpr(items as usize, fpr))
}

fn halving() -> Result<Settled, PlanError> {
    let step = bits(0.005) - bits(0.01);
    let before = plan(MILLION, 0.01)?;
    let more = classic::plan(Goal::bits_per_key(
        MILLION as usize,
        before.bits_per_key() + 0.7,
    ))?;
    Ok(Settled {
        claim: "Every further 0.7 bits per key halve the rate of a Bloom filter".to_owned(),
        holds: step < 0.8,
        verdict: format!(
            "Going from 1 % to 0.5 % takes {step:.2} bits; 0.7 bits multiply the rate by {}",
            three(more.expected_fpr / before.expected_fpr)
        ),
        by: "formula",
    })
}

fn overfilled() -> Result<Settled, PlanError> {
    let params = plan(MILLION, 0.01)?.params;
    let rate = |items: u64| classic::fpr(&params, items).mean;
    let five = rate(5 * MILLION);
    let at = last_true(MILLION, 5 * MILLION, |items| rate(items) <= 0.18);
    Ok(Settled {
        claim:
            "A filter sized for a million keys at 1 % has a rate of about 18 % with five million"
                .to_owned(),
        holds: (five - 0.18).abs() < 0.02,
        verdict: format!(
            "{} % with five million; 18 % is reached at {} million",
            (five * 100.0).round(),
            three(at as f64 / MILLION as f64)
        ),
        by: "formula",
    })
}

fn megabytes() -> Result<Settled, PlanError> {
    let (one, tenth) = (plan(MILLION, 0.01)?, plan(MILLION, 0.001)?);
    let megabytes = |plan: &Plan<BloomParams>| plan.bytes as f64 / 1e6;
    Ok(Settled {
        claim: "A million keys at 1 % take 1.2 MB and seven probes; 1.8 MB give 0.1 %".to_owned(),
        holds: (megabytes(&one) - 1.2).abs() < 0.05
            && one.params.probes == 7
            && (megabytes(&tenth) - 1.8).abs() < 0.05,
        verdict: format!(
            "{:.3} MB and {} probes; {:.3} MB (decimal)",
            megabytes(&one),
            one.params.probes,
            megabytes(&tenth)
        ),
        by: "formula",
    })
}

fn well_known_sizes() -> Result<Settled, PlanError> {
    let claimed = [
        (0.1, 4.8, 3),
        (0.01, 9.6, 7),
        (1e-3, 14.4, 10),
        (1e-4, 19.2, 13),
        (1e-5, 24.0, 17),
    ];
    let mut found = Vec::new();
    let mut holds = true;
    for (rate, bits, probes) in claimed {
        let plan = plan(MILLION, rate)?;
        holds &= (plan.bits_per_key() - bits).abs() < 0.06 && plan.params.probes == probes;
        found.push(format!(
            "{} {:.2} bits, k = {}",
            asked(rate),
            plan.bits_per_key(),
            plan.params.probes
        ));
    }
    let claimed =
        claimed.map(|(rate, bits, probes)| format!("{} {bits:.1} bits, k = {probes}", asked(rate)));
    Ok(Settled {
        claim: format!("Sizes of a Bloom filter: {}", claimed.join("; ")),
        holds,
        verdict: found.join("; "),
        by: "formula",
    })
}

fn decade() -> Result<Settled, PlanError> {
    let step = bits(0.001) - bits(0.01);
    Ok(Settled {
        claim: "Every further 4.8 bits per key divide the rate by ten".to_owned(),
        holds: (step - 4.8).abs() < 0.05,
        verdict: format!("From 1 % to 0.1 %: {step:.2} bits"),
        by: "formula",
    })
}

fn billion() -> Result<Settled, PlanError> {
    let plan = plan(1_000_000_000, 0.001)?;
    let gigabytes = plan.bytes as f64 / 1e9;
    Ok(Settled {
        claim: "A billion keys at 0.1 % take 15 bits each, 1.875 GB, with about ten probes"
            .to_owned(),
        holds: plan.bits_per_key() <= 15.0 && plan.params.probes == 10,
        verdict: format!(
            "Rounded up: {:.2} bits, {gigabytes:.3} GB, {} probes",
            plan.bits_per_key(),
            plan.params.probes
        ),
        by: "formula",
    })
}

fn counted() -> Result<Settled, PlanError> {
    let params = BloomParams::new(14_400_000, 10);
    params.check()?;
    let rate = classic::fpr(&params, MILLION);
    let expected = rate.mean * MILLION as f64;
    // The queries scatter, and so does the filter's own rate.
    let spread = (expected * (1.0 - rate.mean))
        .sqrt()
        .hypot(rate.sd * MILLION as f64);
    Ok(Settled {
        claim: "A million keys at 14.4 bits each with ten probes gave 994 false positives in a \
                million queries"
            .to_owned(),
        holds: (994.0 - expected).abs() <= 2.0 * spread,
        verdict: format!("Consistent: {expected:.0} ± {spread:.0} expected"),
        by: "formula",
    })
}

fn sized_by_the_wrong_formula() -> Result<Settled, PlanError> {
    const PROBES: f64 = 8.0;
    const BLOCK_BITS: f64 = 256.0;
    let bits = -PROBES / (1.0 - 0.01f64.powf(1.0 / PROBES)).ln();
    let blocks = (MILLION as f64 * bits / BLOCK_BITS).ceil() as u64;
    let rate = blocked::fpr(&BlockedParams::new(blocks), MILLION).mean;
    Ok(Settled {
        claim: "A split-block filter can be sized by the classic formula for eight probes"
            .to_owned(),
        holds: rate <= 0.0101,
        verdict: format!("Asked for 1 %, that gives {}", percent(rate)),
        by: "formula",
    })
}

fn counters_overflow() -> Settled {
    const TIMES: u32 = 16;
    // With the best number of probes a counter has this many keys on average.
    let each = counter_tail(LN_2, TIMES);
    let counters = MILLION as f64 * bits(0.01);
    Settled {
        claim: "4-bit counters are at risk of overflow".to_owned(),
        holds: each * counters > 1e-6,
        verdict: format!(
            "At the planned number of keys, a given counter overflows with probability \
             {each:.0e}; a key inserted {TIMES} times is certain to fill its own"
        ),
        by: "formula",
    }
}

/// Load of the table, slots per bucket.
const FULL: f64 = 0.95;
const SLOTS: f64 = 4.0;

fn cuckoo_is_smaller() -> Settled {
    // The rate of fingerprints of `bits` bits, one value of which marks an empty slot; a query
    // reads two buckets.
    let rate = |bits: f64| 1.0 - (1.0 - 1.0 / (bits.exp2() - 1.0)).powf(2.0 * SLOTS * FULL);
    let crosses = |saved: f64| {
        let steps = (4000..20_000).map(|step| f64::from(step) / 1000.0);
        let mut fits = steps.filter(|&f| (f - saved) / FULL <= bits(rate(f)));
        fits.next().map_or(0.0, rate)
    };
    let (plain, sorted) = (crosses(0.0), crosses(1.0));
    Settled {
        claim: "A cuckoo filter is smaller than a Bloom filter below 3 %".to_owned(),
        holds: (plain - 0.03).abs() < 0.005,
        verdict: format!(
            "With four-slot buckets filled to {FULL}: below {}; below {} with sorted buckets, \
             which save a bit per key",
            percent(plain),
            percent(sorted)
        ),
        by: "formula",
    }
}

fn quotient_is_larger() -> Settled {
    // The size over a Bloom filter's, at a load and metadata bits per slot: the least and the most
    // for remainders of seven to ten bits.
    let larger = |metadata: f64, load: f64| {
        let ratio = |remainder: f64| {
            let rate = -(-load / remainder.exp2()).exp_m1();
            (remainder + metadata) / load / bits(rate) - 1.0
        };
        let ratios = [7.0, 8.0, 9.0, 10.0].map(ratio);
        (
            ratios.into_iter().fold(f64::INFINITY, f64::min) * 100.0,
            ratios.into_iter().fold(f64::NEG_INFINITY, f64::max) * 100.0,
        )
    };
    let (least, most) = larger(2.125, FULL);
    let (least_of_three, most_of_three) = larger(3.0, 0.75);
    Settled {
        claim: "A quotient filter is 10 to 25 % larger than a Bloom filter".to_owned(),
        holds: least >= 9.0 && most <= 26.0,
        verdict: format!(
            "By rank and select, filled to {FULL}: {:.0} to {:.0} % smaller, with remainders of \
             seven to ten bits. With three metadata bits per slot, filled to 0.75: \
             {least_of_three:.0} to {most_of_three:.0} % larger",
            -most, -least
        ),
        by: "formula",
    }
}

/// Bits per key of a large classic filter.
fn bits(rate: f64) -> f64 {
    classic::bits_per_key(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_formula_settles_its_claim_as_the_literature_does() {
        let settled: Vec<Settled> = all().into_iter().map(|claim| claim.ok().unwrap()).collect();
        let verdicts: Vec<bool> = settled.iter().map(|settled| settled.holds).collect();
        assert_eq!(
            verdicts,
            [
                false, false, true, true, true, true, true, false, false, false, false
            ]
        );
        for (index, words) in [
            (0, "1.44"),
            (1, "83 %"),
            (1, "2.09"),
            (2, "1.199"),
            (4, "4.78"),
            (5, "1.797"),
            (6, "989"),
            (7, "1.46 %"),
            (8, "probability 7e-17"),
            (9, "below 0.422"),
            (9, "below 2.80"),
            (10, "6 to 12 % smaller"),
            (10, "15 to 24 % larger"),
        ] {
            assert!(
                settled[index].verdict.contains(words),
                "{}",
                settled[index].verdict
            );
        }
    }
}
