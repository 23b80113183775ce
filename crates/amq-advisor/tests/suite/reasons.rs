//! Every number in a reason, reckoned again from the choices.

use amq::Budget;
use amq_advisor::{Answer, Choice, First, Keys, Need, Workload, choose};

/// A percentage as it is shown: three significant digits, no zeros at the end.
fn percent(rate: f64) -> String {
    let percent = rate * 100.0;
    if percent < 9.995e-5 {
        return format!("{rate:.2e}");
    }
    let digits = (2 - (percent * 1.0005).log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{percent:.digits$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} %")
}

/// The numbers in a text that begin a word.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
    let trimmed = words.map(|word| word.trim_end_matches(['.', ',', ':', ';']));
    trimmed.filter_map(|word| word.parse().ok()).collect()
}

/// Whether `said` is `value`, to the last digit shown.
fn is(said: f64, value: f64, decimals: i32) -> bool {
    (said - value).abs() <= 0.5001 * 10f64.powi(-decimals)
}

fn check(answer: &Answer, workload: &Workload) -> usize {
    let filters: Vec<&Choice> = answer.filters().collect();
    let first = filters[0];
    let fewest = filters.iter().map(|choice| choice.bits_per_key).fold(f64::INFINITY, f64::min);
    let lowest = filters.iter().map(|choice| choice.fpr).fold(1.0, f64::min);
    let mut checked = 0;
    for (index, choice) in filters.iter().enumerate() {
        let context = || format!("{workload:?}\n{}: {}", choice.structure, choice.reason);
        // What grows has a second sentence, and what is small.
        let (compared, also) = choice.reason.split_once(". ").unwrap_or((&choice.reason, ""));
        let mut said = numbers(compared).into_iter();
        let mut next = |value: f64, decimals| {
            let said = said.next();
            let right = said.is_some_and(|said| is(said, value, decimals));
            assert!(right, "{said:?} for {value}: {}", context());
        };
        if index > 0 {
            let bits = (choice.bits_per_key / first.bits_per_key - 1.0) * 100.0;
            if bits.abs() >= 0.05 {
                next(bits.abs(), 1);
                assert_eq!(compared.contains("fewer"), bits < 0.0, "{}", context());
            }
            if let (Some(of_first), Some(ns)) = (first.cost_ns, choice.cost_ns) {
                next(ns / of_first, 2);
            }
            checked += 1;
        } else {
            // Whether it is the fastest of those it is said to be the fastest of.
            let is_fastest = |most: f64| {
                let tied = filters.iter().filter(|it| it.bits_per_key <= most * (1.0 + 1e-9));
                tied.filter_map(|it| it.cost_ns).all(|ns| choice.cost_ns <= Some(ns))
            };
            if compared.contains("% of the fewest bits") {
                next(3.0, 0);
                assert_eq!(
                    is_fastest(fewest * 1.03),
                    compared.starts_with("The fastest"),
                    "{}",
                    context()
                );
            } else if let Some((before, size)) =
                compared.split_once(" in ").filter(|(before, _)| before.ends_with("fastest"))
            {
                // The size that time was given, or that is allowed.
                let is_first = before == "The fastest";
                if !is_first {
                    next(5.0, 0);
                }
                let asked =
                    if size.starts_with("the size allowed") { 60.0 } else { numbers(size)[0] };
                if size.contains(" bits per key") {
                    next(asked, 9);
                    assert!(choice.bits_per_key <= asked + 0.005, "{}", context());
                    assert_eq!(is_fastest(asked + 0.005), is_first, "{}", context());
                }
            }
            if compared.contains("about the lowest rate") {
                assert!(compared.contains(&percent(lowest)), "{}", context());
                next(lowest * 100.0, 1 - (lowest * 100.0).log10().floor() as i32 + 1);
            }
            let counts = workload.needs().iter().any(|need| matches!(need, Need::Count { .. }));
            if compared.contains("above the lower bound") {
                assert!(choice.fpr < 1.0 && !counts && choice.check_bits() == 0, "{}", context());
                let bits = choice.grown.map_or(choice.bits_per_key, |growth| growth.least);
                next((bits / -choice.fpr.log2() - 1.0) * 100.0, 1);
                assert!(
                    compared.contains(&format!("lower bound for {}", percent(choice.fpr))),
                    "{}",
                    context()
                );
            }
            checked += 1;
        }
        let (also, costs) = also.split_once("Planned for ").unwrap_or((also, ""));
        if !costs.is_empty() {
            let budget = choice.goal.unwrap().budget;
            let planned = if let Budget::Fpr(fpr) = budget { fpr } else { f64::NAN };
            let said = format!("{} instead of ", percent(planned));
            assert!(costs.starts_with(&said), "{said}: {}", context());
        }
        if let Some(growth) = choice.grown {
            let said = numbers(also);
            let wanted = [growth.mean, growth.least, growth.most];
            assert!(
                said.len() == 3 && said.iter().zip(wanted).all(|(a, b)| is(*a, b, 1)),
                "{}",
                context()
            );
        }
        if let Some(at) = choice.reason.find("mostly empty: ") {
            let said = numbers(&choice.reason[at..])[0];
            let bits = choice.bytes as f64 * 8.0 / choice.goal.unwrap().keys as f64;
            assert!(is(said, bits, 0), "{}", context());
        }
    }
    // The exact set.
    let notes = answer.notes.join("\n");
    let taken = notes.split("The keys themselves take ").nth(1).unwrap_or_default();
    if let Some(at) = taken.find(" times the ") {
        let said = taken[..at].rsplit(' ').next().unwrap().replace(',', "").parse().unwrap();
        let real = answer.exact[0].bytes as f64 / first.bytes as f64;
        // To three digits, if it is large.
        let decimals = 1.min(2 - real.max(1.0).log10().floor() as i32);
        assert!(is(said, real, decimals), "{said} {real}");
    }
    checked
}

#[test]
fn every_number_in_a_reason_is_that_of_the_choices() {
    let uses: [fn(Workload) -> Workload; 9] = [
        |it| it,
        Workload::built_once,
        |it| it.need(Need::Remove),
        |it| it.need(Need::Count { most: 3 }),
        |it| it.need(Need::Merge),
        |it| it.need(Need::SharedInsert).with_threads(8),
        |it| it.need(Need::Forget { generations: 7 }),
        |it| it.need(Need::Grow),
        |it| it.built_once().need(Need::Values { bits: 8 }),
    ];
    let targets: [fn(Workload) -> Workload; 6] = [
        |it| it.with_fpr(0.3),
        |it| it.with_fpr(0.01),
        |it| it.with_fpr(0.001),
        |it| it.with_fpr(1e-6),
        |it| it.with_bits_per_key(12.0),
        |it| it.with_fpr(0.01).with_bits_per_key(60.0),
    ];
    let orders: [fn(Workload) -> Workload; 3] = [
        |it| it,
        |it| it.with_first(First::Time),
        |it| it.with_false_positive_ns(20_000.0).with_absent(0.9),
    ];
    let mut checked = 0;
    for keys in [10, 100_000, 2_000_000_000] {
        for keys in [Keys::AtMost(keys), Keys::Unknown { start: keys }] {
            for use_of in uses {
                for target in targets {
                    for order in orders {
                        let workload = order(target(use_of(Workload::new(keys))));
                        if let Ok(answer) = choose(&workload) {
                            checked += check(&answer, &workload);
                        }
                    }
                }
            }
        }
    }
    assert!(checked > 1500, "{checked}");
}
