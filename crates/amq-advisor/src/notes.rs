//! Notes: how to use the chosen structure, and its caveats; the most important first.

use crate::cost::{own, smallest};
use crate::numbers::{Bytes, Number, Rate, Rounded};
use crate::size::{MOST_COUNTED, first_keys, rate_with_twice_the_keys};
use crate::times::Table;
use crate::tolerances::{By, NEARLY, TIE};
use crate::{
    Answer, Choice, DEFAULT_FPR, Demand, First, Need, Structure, Times, Workload, exact, reason,
    size,
};
use amq::{Abilities, AnyFilter, Budget, FilterKind, Goal, PlanFilter};
use amq_core::numeric::last_true;

/// The notes of an answer, and how many of the first ones may change a decision.
pub(crate) fn notes(workload: &Workload, answer: &Answer, by: By) -> (Vec<String>, usize) {
    let best = answer.best();
    let filter = answer.filters().next().filter(|_| best.structure != Structure::Nothing);
    let first = filter.filter(|it| it.structure == best.structure);
    let is_small = workload.bytes.is_some_and(|bytes| bytes <= SMALL_DEVICE);
    let lists = first.is_some() && workload.has(Need::List);
    let [strange, removes] = [workload.by_strangers(), workload.has(Need::Remove)]
        .map(|is_asked| is_asked && first.is_some());
    let deciding = [
        strangers(best.structure, workload).map(String::from),
        if_threads(best.structure, workload).map(String::from),
        first.and_then(|it| beside_tables(it, workload)),
        first.and_then(|it| generations(it, workload)),
        strange.then(|| confirmed(workload)),
        said(removes && !strange, REMOVAL),
        said(removes, STILL_YES),
        first.and_then(|it| changes(it, answer, workload)),
        said(strange, REPEATED),
        first.and_then(|it| lower_rate(it, answer, workload)),
        first.and_then(|it| when_full(it, workload)),
        said(strange && !workload.built_once, "Those who insert can fill it."),
        file(best, workload).filter(|_| is_small),
        copies(answer, workload),
        first.and_then(|_| counting(answer, workload)),
        filter.and_then(|it| many_filters(it, workload)),
        first.and_then(|it| growth(it, workload)),
        first.and_then(|it| merging(it, workload)),
        first.and_then(|it| truncation(it, workload)),
        first.and_then(|it| parts(it, workload)),
        first.and_then(|it| mapped(it, workload)),
        values(best, workload),
        first.and_then(|it| much_memory(it, workload)),
        high_water(best, workload),
        said(lists, "Listing gives hashes: no filter keeps the keys."),
    ];
    let others = [
        exact_size(answer, filter, workload),
        first.and_then(|it| room(it, workload)),
        first.and_then(|it| worth(it, answer, workload)),
        file(best, workload).filter(|_| !is_small),
        said(is_small && best.structure.is_filter() && workload.filters == 1, DEVICE),
        first.filter(|_| by == By::Bits).and_then(|_| no_rate(workload)),
        tails(workload),
        measured(answer, workload),
    ];
    let mut notes: Vec<String> = deciding.into_iter().flatten().collect();
    let count = notes.len();
    notes.extend(others.into_iter().flatten());
    (notes, count)
}

/// The rule of removal; if strangers choose the keys, their note extends it.
const REMOVAL: &str =
    "Remove only inserted keys: removing one that never was, or twice, can remove another's.";
/// What a removal does not guarantee.
const STILL_YES: &str = "A removed key may still be answered yes (proof: `--need exact,remove`).";
/// What a secret key does not prevent.
const REPEATED: &str =
    "They can repeat a false positive: cache the store's \"no\", or limit their queries.";

/// A note, if the condition holds.
fn said(is_so: bool, text: &str) -> Option<String> {
    is_so.then(|| text.into())
}

/// A part of a sentence, if the condition holds.
fn when(is_so: bool, text: &str) -> &str {
    if is_so { text } else { "" }
}

/// The note for keys chosen by strangers: how they are hashed.
fn strangers(best: Structure, workload: &Workload) -> Option<&'static str> {
    workload.by_strangers().then_some(match best {
        Structure::ExactSet | Structure::ExactMap => {
            "Rust's `HashSet` and `HashMap` hash with SipHash under random keys, so strangers cannot \
             cause collisions."
        }
        Structure::Sketch => "Strangers can prepare keys that collide: hash them under a secret key.",
        Structure::Map => "Strangers can prepare keys that collide: build it with a secret seed.",
        // The command builds these.
        Structure::Filter(_) => {
            "Strangers can prepare keys that collide: wrap it in `Keyed` (`--key-file`)."
        }
        it if it.is_filter() => "Strangers can prepare keys that collide: wrap it in `Keyed`.",
        // Lists and bitmaps hash nothing.
        _ => return None,
    })
}

/// The rule for those who act on a yes, and for removals by strangers.
fn confirmed(workload: &Workload) -> String {
    let removes = when(workload.has(Need::Remove), " Let them remove only what that set holds.");
    format!("Confirm each yes in an exact set (SECURITY.md).{removes}")
}

/// The lowest rate of a smaller filter that only its rate excludes: ribbon filters have at most 32
/// columns.
fn lower_rate(choice: &Choice, answer: &Answer, workload: &Workload) -> Option<String> {
    let asked = workload.fpr?;
    let at = |structure: Structure, steps: u64| {
        // Eight steps per halving, each slightly above the rate of whole bits.
        let fpr = Some(libm::exp2(-(steps as f64) / 8.0) * 1.001);
        smallest(structure, &Workload { fpr, ..workload.clone() }).ok()
    };
    let excluded = answer.rejections.iter().filter(|it| matches!(it.demand, Demand::Fpr(_)));
    let at_lowest = excluded.filter_map(|it| {
        let lowest = last_true(1, 64 * 8, |steps| at(it.structure, steps).is_some());
        at(it.structure, lowest)
    });
    let smaller = at_lowest.min_by_key(|it| it.bytes)?;
    let is_smaller =
        smaller.fpr > asked && smaller.bytes as f64 * (1.0 + TIE) < choice.bytes as f64;
    is_smaller.then(|| {
        let (rate, it, bytes) = (Rate(smaller.fpr), named(smaller.structure), Bytes(smaller.bytes));
        format!("At {rate}, its lowest rate, a {it} takes {bytes}.")
    })
}

/// Its name in a sentence.
fn named(structure: Structure) -> String {
    let is_map = structure == Structure::Map;
    if is_map { structure.to_string() } else { format!("{structure} filter") }
}

/// What happens to keys beyond the plan, and to repeated keys.
fn when_full(choice: &Choice, workload: &Workload) -> Option<String> {
    let (it, goal) = (choice.structure, choice.goal?);
    let can = Abilities::of(it.kind()?);
    if workload.built_once || choice.grown.is_some() {
        return None;
    }
    if let Some(fpr) = rate_with_twice_the_keys(it.kind()?, goal).filter(|_| !it.forgets()) {
        return Some(format!("It is never full: with twice the keys its rate is {}.", Rate(fpr)));
    }
    let is_named = workload.counts() || workload.copies.is_some() || workload.by_strangers();
    let repeats = when(
        it.keeps_copies() && !it.forgets() && !is_named,
        "A repeated key takes another slot, unless `insert_unique` (`amq build --unique`) skips it.",
    );
    // A filter that grows by itself has room for more.
    if can.never_full || can.grow && it.kind() != Some(FilterKind::Quotient) {
        return Some(repeats.into()).filter(|text: &String| !text.is_empty());
    }
    let planned = workload.keys.planned();
    let what = if goal.keys > planned { "copies" } else { "keys" };
    let most = goal.keys.max(planned);
    if let Some(count) = workload.generations().filter(|_| it.forgets()) {
        let each = Number(most.div_ceil(u64::from(count)));
        let count = Number(count.into());
        return Some(format!("It refuses {what} beyond {each} in one of the {count} periods."));
    }
    let keys = Number(most);
    Some(format!("It refuses {what} beyond {keys}. {repeats}").trim_end().into())
}

/// What happens to copies that are neither counted nor from merged parts.
fn copies(answer: &Answer, workload: &Workload) -> Option<String> {
    let is_kept = workload.counts() || workload.has(Need::Merge);
    workload.copies.filter(|&copies| copies > 1.0 && !is_kept)?;
    if workload.generations().is_some() {
        return Some(
            "A key that comes again is inserted into the newest generation as well: it is remembered \
             from its last occurrence on, and takes room in both."
                .into(),
        );
    }
    answer.filters().next()?;
    Some(
        "Insert repeats with `insert_unique`, and remove only what it answered with `New`; or count \
         copies (`--count`)."
            .into(),
    )
}

/// The space of counted copies, and a filter that holds any number of them.
fn counting(answer: &Answer, workload: &Workload) -> Option<String> {
    let (most, copies) = (workload.most_copies()?, workload.stored_copies());
    let given = if copies < f64::from(most) { "on average" } else { "at most" };
    let slots = answer.filters().find(|it| it.structure.keeps_copies());
    let mut text = slots.map_or_else(String::new, |it| {
        format!(
            "Planned for {copies} copies of each key {given}, where in a {} filter each copy takes a \
             slot: insert a key only while its count is below {most}.",
            it.structure
        )
    });
    let is_fixed = workload.generations().is_none() && !workload.grows();
    let keys = workload.keys.planned();
    if let (Budget::Fpr(fpr), true) = (size::budget(workload), is_fixed && most <= MOST_COUNTED)
        && let Ok(plan) = AnyFilter::plan(FilterKind::Counting, Goal::fpr(keys, fpr))
    {
        text += &format!(
            " A counting Bloom filter takes any number of copies, in {:.1} bits per key; its \
                 counters stick at 15.",
            plan.bytes as f64 * 8.0 / keys as f64
        );
    }
    Some(text.trim_start().to_string()).filter(|text| !text.is_empty())
}

/// How a growing filter starts, and its size.
fn growth(choice: &Choice, workload: &Workload) -> Option<String> {
    if choice.structure.rolls() && workload.grows() {
        return Some("Sizes are those at the start; each generation grows by itself.".into());
    }
    if workload.grows_without_bound() {
        return Some(
            "Sizes are those at the start: a bound on the keys, even a generous one (`--keys N --need \
             grow`), takes fewer bits."
                .into(),
        );
    }
    let goal = choice.goal.filter(|_| workload.grows())?;
    let (keys, first) = (goal.keys, first_keys(goal.keys));
    let fpr = if let Budget::Fpr(fpr) = goal.budget { fpr } else { choice.fpr };
    if choice.structure != Structure::Filter(FilterKind::Quotient) {
        return None;
    }
    let plan = amq::QuotientFilter::plan_growing(Goal::fpr(keys, fpr), first).ok()?;
    let (small, all) = (plan.params.bytes(), Bytes(choice.bytes));
    Some(match small.saturating_mul(4) > choice.bytes {
        true => format!("With {} keys growing saves little: plan {all} at once.", Number(keys)),
        false => format!(
            "It begins with {}, by `QuotientFilter::plan_growing(Goal::fpr({keys}, {fpr}), {first})`, \
             and doubles up to {all}: one insert waits for each doubling.",
            Bytes(small)
        ),
    })
}

/// How many keys a filter that forgets is certain to remember.
fn generations(choice: &Choice, workload: &Workload) -> Option<String> {
    let count = u64::from(workload.generations()?);
    let keys = workload.keys.planned();
    let last = match count - 1 {
        1 => "the newer of 2 periods".into(),
        last => format!("the last {} of {} periods", Number(last), Number(count)),
    };
    let (each, needed) = (keys.div_ceil(count), keys.div_ceil(count - 1));
    let sure = each.saturating_mul(count - 1);
    let of = match sure < keys {
        _ if workload.grows() || choice.grown.is_some() => String::new(),
        true => format!(
            ", {} of the {} keys. To be sure of all, plan for {}",
            Number(sure),
            Number(keys),
            // The fewest that give each generation the room needed.
            Number((needed - 1).saturating_mul(count).saturating_add(1))
        ),
        false => format!(": all the keys, if no period has more than {}", Number(each)),
    };
    Some(format!("Sure to remember {last}{of}."))
}

/// What merging requires of each part.
fn merging(choice: &Choice, workload: &Workload) -> Option<String> {
    choice.structure.kind().filter(|_| workload.has(Need::Merge) && choice.grown.is_none())?;
    let (keys, bytes) = (Number(workload.keys.planned()), Bytes(choice.bytes));
    let copies = when(
        choice.structure.keeps_copies(),
        " A key takes a slot for each part that holds it (`--copies`).",
    );
    let small = match choice.bytes / 8 {
        0..=2 => String::new(),
        least => format!(" A part of fewer than {} keys is smaller as hashes.", Number(least)),
    };
    Some(format!(
        "To merge, plan each part for the {keys} keys of the union, {bytes}, with one \
         seed.{copies}{small} `amq-datafusion` does it in SQL."
    ))
}

/// The memory that many small parts take beside their tables, if it is much.
fn beside_tables(choice: &Choice, workload: &Workload) -> Option<String> {
    let (parts, bytes) = size::parts(choice.structure, workload);
    (parts > 1 && bytes >= choice.bytes / 4).then(|| {
        format!(
            "Beside their tables its {} parts take some {}: fewer shards or periods take less.",
            Number(parts),
            Bytes(bytes)
        )
    })
}

/// How to do what a sharded filter, or one for each period, does part by part.
fn parts(choice: &Choice, workload: &Workload) -> Option<String> {
    let part = match choice.structure {
        Structure::Sharded(_) => "shard by shard (`for_each_shard`, `into_shards`)",
        Structure::Periods(_) => "period by period",
        Structure::ShardedPeriods(_) => "period by period, and shard by shard (`for_each_shard`)",
        _ => return None,
    };
    let words = [(Need::List, "list"), (Need::Merge, "merge"), (Need::Truncate, "truncate")];
    let asked = words.into_iter().filter(|(need, _)| workload.has(*need)).map(|(_, word)| word);
    let asked = asked.collect::<Vec<_>>();
    let (last, others) = asked.split_last()?;
    let and = if others.is_empty() { "" } else { " and " };
    Some(format!("You can {}{and}{last} it {part}.", others.join(", ")))
}

/// Which type reads the file of a filter that threads share, or that forgets.
fn mapped(choice: &Choice, workload: &Workload) -> Option<String> {
    if !workload.has(Need::Files) {
        return None;
    }
    match choice.structure {
        Structure::Atomic(kind) => {
            Some(format!("Its file is a {kind} filter's, which can also be queried through a map."))
        }
        it if it.is_sharded() || it.rolls() => {
            Some("Its file is loaded whole: only a plain filter's is queried through a map.".into())
        }
        _ => None,
    }
}

/// The rates that a filter is truncated to.
const RUNGS: [f64; 4] = [1e-4, 1e-3, 0.01, 0.1];

/// The size after truncating to each higher rate.
fn truncation(choice: &Choice, workload: &Workload) -> Option<String> {
    let goal = choice.goal.filter(|_| workload.has(Need::Truncate))?;
    let Structure::Filter(kind) = choice.structure else { return None };
    let bytes = |fpr: f64| match kind {
        FilterKind::Quotient => truncated_quotient(goal, fpr),
        _ => AnyFilter::plan(kind, Goal::fpr(goal.keys, fpr)).ok().map(|plan| plan.bytes),
    };
    let rung = |fpr: f64| {
        let bytes = bytes(fpr).filter(|&bytes| bytes < choice.bytes)?;
        Some(format!("{} at {}", Bytes(bytes), Rate(fpr)))
    };
    let rungs = RUNGS.into_iter().filter(|fpr| *fpr > choice.fpr).filter_map(rung);
    let rungs = rungs.collect::<Vec<_>>();
    (!rungs.is_empty()).then(|| {
        format!(
            "One file, several sizes: truncated, it takes {} (`LoadOptions::budget`, `amq convert \
             --fpr`).",
            rungs.join(", ")
        )
    })
}

/// Bytes of a quotient filter for a goal, truncated to a rate: the number of slots stays.
fn truncated_quotient(goal: Goal, fpr: f64) -> Option<u64> {
    let mut params = amq::QuotientFilter::plan(goal).ok()?.params;
    while params.remainder_bits > 0 {
        let whole = params;
        params.remainder_bits -= 1;
        if amq::QuotientFilter::predicted_fpr(&params, goal.keys).mean > fpr {
            return Some(whole.bytes());
        }
    }
    Some(params.bytes())
}

/// The minimum overhead of a sorted list of hashes, in bits per hash above `log2(range / hashes)`.
const LIST_BITS: f64 = 1.44;

/// How to send updates to others.
fn changes(choice: &Choice, answer: &Answer, workload: &Workload) -> Option<String> {
    let changes = workload.changes.filter(|_| choice.structure != Structure::Map)?;
    let (whole, keys) = (choice.bytes, changes.saturating_mul(workload.kept_key_bytes()));
    // The receiver needs only the bits of a hash that its filter stores.
    let taker = answer.filters().find_map(|it| {
        let is_quotient = it.structure == Structure::Filter(FilterKind::Quotient);
        let plan = amq::QuotientFilter::plan(it.goal.filter(|_| is_quotient)?).ok()?;
        let slots = libm::ceil(libm::log2(plan.params.slots as f64));
        let kept = slots + f64::from(plan.params.remainder_bits);
        let bits = (kept - libm::log2(changes.max(1) as f64)).max(0.0) + LIST_BITS;
        Some((kept, bits, libm::ceil(changes as f64 * bits / 8.0) as u64, it.bits_per_key))
    });
    let hashes = taker.map_or(u64::MAX, |(_, _, bytes, _)| bytes);
    let hashed = taker.map_or_else(String::new, |(kept, bits, bytes, of)| {
        format!(
            ", {} as sorted {kept:.0}-bit hashes ({bits:.1} bits each) for a quotient filter ({of:.1} \
             bits per key)",
            Bytes(bytes)
        )
    });
    let send = if whole <= keys.min(hashes) { "the whole filter" } else { "the changes" };
    Some(format!(
        "Send {send}: the filter takes {}; {} changed keys take {} as keys{hashed}. A copy denies the \
         keys added since.",
        Bytes(whole),
        Number(changes),
        Bytes(keys)
    ))
}

/// The minimum bytes of a file besides its table: the header, and a directory with a head, a
/// section and its geometry. A ribbon filter has three sections and two layers more, and a spare
/// row at the end; with up to six layers, and with the alignment of sections, the true number is at
/// most half as large again.
fn file_bytes(structure: Structure) -> u64 {
    let has_parts = matches!(structure, Structure::Filter(FilterKind::Ribbon) | Structure::Map);
    let rows = if has_parts { 9 } else { 3 };
    (amq::format::HEADER + rows * amq::format::ENTRY) as u64
}

/// The total size of many filters.
fn many_filters(choice: &Choice, workload: &Workload) -> Option<String> {
    let (it, filters) = (choice.structure, workload.filters);
    choice.goal.filter(|_| filters > 1)?;
    let together = |bytes: u64| Bytes(bytes.saturating_mul(filters));
    let planned = workload.keys.planned();
    let beside = file_bytes(it);
    let bits = beside as f64 * 8.0 / planned as f64;
    let file = match matches!(it, Structure::Filter(_) | Structure::Map) && bits >= 0.1 {
        true => format!(
            " As a file of its own, each has {beside} bytes more ({bits:.1} bits per key): keep \
             them in one file."
        ),
        false => String::new(),
    };
    if let Some(growth) = choice.grown {
        let grown = growth.mean * planned as f64 * 1024.0 / 8.0;
        return Some(format!(
            "{} filters take {} at the start, and {} with 1,024 times the keys.{file}",
            Number(filters),
            together(choice.bytes),
            together(grown as u64)
        ));
    }
    let full = when(workload.grows(), " once full");
    let inserts = it.kind().is_some_and(|kind| Abilities::of(kind).insert);
    // Merged parts have the same plan.
    let own = when(inserts && !workload.has(Need::Merge), " Plan each for its own number of keys.");
    let levels = when(
        workload.built_once && workload.allowed(1).is_some(),
        " Filters of different sizes: rates in proportion to the keys (CHOOSING.md, levels).",
    );
    Some(format!(
        "{} filters take {}{full}.{own}{file} Hash a key once (`KeyHash`) for all.{levels}",
        Number(filters),
        together(choice.bytes)
    ))
}

/// How to store changing values in few bits.
fn values(best: &Choice, workload: &Workload) -> Option<String> {
    if best.structure == Structure::Map || workload.built_once {
        return None;
    }
    let pairs = Workload::new(workload.keys).built_once();
    let pairs = pairs.need(Need::Values { bits: workload.value_bits()? });
    let map = smallest(Structure::Map, &Workload { fpr: workload.fpr, ..pairs }).ok()?;
    Some(format!(
        "If few values change, a ribbon map takes {}, {:.2} bits per key, beside an exact map of the \
         changed ones (`--changes`).",
        Bytes(map.bytes),
        map.bits_per_key
    ))
}

/// Bytes that many machines do not have: to build a filter, and to hold it.
const LARGE: [u64; 2] = [8 << 30, 64 << 30];

/// What to do if a filter needs much memory.
fn much_memory(choice: &Choice, workload: &Workload) -> Option<String> {
    let builds = choice.build_bytes >= LARGE[0].max(choice.bytes.saturating_mul(2));
    if workload.built_once && builds {
        return Some(format!(
            "Building it takes {}: split the keys by hash (`KeyHash::shard`) into filters built one \
             after the other.",
            Bytes(choice.build_bytes)
        ));
    }
    (choice.bytes >= LARGE[1]).then(|| {
        "On several machines, `amq-datafusion` builds, merges and queries filters in SQL.".into()
    })
}

/// An alternative for integers that arrive in order.
fn high_water(best: &Choice, workload: &Workload) -> Option<String> {
    let is_bitmap = matches!(best.structure, Structure::Bitmap | Structure::LongBitmap);
    (is_bitmap && !workload.built_once).then(|| {
        "If they come in order, the highest one so far (a high-water mark) and the gaps below it are \
         enough."
            .into()
    })
}

/// The size of the keys themselves in the smallest form, and in a hash table if they are inserted
/// one by one.
fn exact_size(answer: &Answer, filter: Option<&Choice>, workload: &Workload) -> Option<String> {
    let least = &answer.exact[0];
    if answer.best().structure == least.structure {
        return None;
    }
    let form =
        |it: &Choice| format!("{} as {}", Bytes(it.bytes), exact::form(it.structure, workload));
    let is_table = |it: &&Choice| it.structure == Structure::exact(workload);
    let table = answer.exact.iter().skip(1).find(is_table).filter(|_| !workload.built_once);
    let table = table.map_or_else(String::new, |it| format!(", {}", form(it)));
    let text = format!("The keys themselves take {}{table}", form(least));
    let Some(filter) = filter.filter(|filter| filter.bytes > 0) else {
        return Some(text + ", and never err.");
    };
    let times = least.bytes as f64 / filter.bytes as f64;
    let is_beyond = times >= 1.0 && !exact::fits(least.bytes, workload);
    Some(match times {
        _ if is_beyond => format!("{text}, more than you allow."),
        NEARLY.. => format!("{text}: {} times the {}.", Rounded(times), named(filter.structure)),
        1.0.. => format!(
            "{text}: only {} times the {}, and they never err. Take them, unless {} or the time \
             matters.",
            Rounded(times),
            named(filter.structure),
            Bytes(least.bytes - filter.bytes)
        ),
        _ => format!("{text}, and never err."),
    })
}

/// The rate of a filter of the allowed size, if the requested rate leaves much of it unused.
fn room(choice: &Choice, workload: &Workload) -> Option<String> {
    let allowed = workload.allowed(workload.keys.planned()).filter(|_| workload.fpr.is_some())?;
    let is_roomy = choice.bytes.saturating_mul(6) / 5 < allowed && choice.grown.is_none();
    let open = Workload { fpr: None, ..workload.clone() };
    let all = smallest(choice.structure, &open).ok().filter(|_| is_roomy)?;
    let (rate, allowed) = (Rate(all.rate()?), Bytes(allowed));
    (all.fpr < choice.fpr / 2.0).then(|| {
        format!("The {allowed} allowed are enough for a rate of {rate}: leave out the rate.")
    })
}

/// The cost of a lookup from which a filter pays off, or its saving if the cost is known.
fn worth(choice: &Choice, answer: &Answer, workload: &Workload) -> Option<String> {
    let spared = workload.absent * (1.0 - choice.fpr);
    let tells_more =
        workload.value_bits().is_some() || workload.counts() || workload.generations().is_some();
    if tells_more || spared <= 0.0 || reason::is_forced(choice, workload) {
        return None;
    }
    Some(match (answer.without_ns, choice.cost_ns?) {
        (Some(without), with) => format!(
            "A query takes {} ns in all with it, and {} ns without any filter.",
            Rounded(with),
            Rounded(without)
        ),
        _ => format!(
            "If {} of the queries are for absent keys, it pays when a lookup takes longer than {} ns.",
            Rate(workload.absent),
            Number(libm::round(own(choice, workload) / spared) as u64)
        ),
    })
}

/// The most bytes of a small device.
const SMALL_DEVICE: u64 = 1 << 20;

/// The note for small devices.
const DEVICE: &str = "The filters are `no_std`, and a view queries a file in place, in flash too.";

/// The overhead of a file, if it and the table exceed the allowed size.
fn file(best: &Choice, workload: &Workload) -> Option<String> {
    let allowed = workload.bytes.filter(|_| workload.filters == 1)?;
    let more = file_bytes(best.structure) * 3 / 2;
    let is_file = matches!(best.structure, Structure::Filter(_) | Structure::Map);
    (is_file && best.bytes.saturating_add(more) > allowed).then(|| {
        format!(
            "A file has up to {} more than its table: allow that much less if it must fit.",
            Bytes(more)
        )
    })
}

/// How threads share what none of them changes.
fn if_threads(best: Structure, workload: &Workload) -> Option<&'static str> {
    let is_said = workload.has(Need::SharedInsert) || best == Structure::Nothing;
    (workload.threads > 1 && !is_said).then_some(match workload.built_once {
        true => "Threads query it through `&` or an `Arc`.",
        false => {
            "Threads query it through `&` or an `Arc`; if several insert: `--need shared-insert`."
        }
    })
}

fn no_rate(workload: &Workload) -> Option<String> {
    let is_open = workload.allowed(1).is_none() && workload.needs_a_rate();
    is_open.then(|| format!("No rate was asked for: planned for {}.", Rate(DEFAULT_FPR)))
}

/// The definition of insert tails.
fn tails(workload: &Workload) -> Option<String> {
    (workload.spares() == First::Tail && !workload.built_once).then(|| {
        "Tails are the 99.9th percentile of single inserts. One that grows pauses, less often than \
         once in a thousand inserts."
            .into()
    })
}

/// The source of the times.
fn measured(answer: &Answer, workload: &Workload) -> Option<String> {
    let first = answer.choices.iter().find(|choice| choice.query_ns.is_some())?;
    let is_reckoned = answer.choices.iter().any(|choice| choice.reckoned);
    let times = Times::committed();
    let mark = when(is_reckoned, " ~ is extrapolated.");
    let others: String = Times::machines()[1..]
        .iter()
        .filter_map(|there| elsewhere(there, first, workload))
        .collect();
    Some(format!("Times: {}, {}; use ratios.{mark}{others}", times.processor(), times.date()))
}

/// What a query of a choice takes on another machine, if it was measured there.
fn elsewhere(times: &Times, choice: &Choice, workload: &Workload) -> Option<String> {
    let spent = times.spent(choice.structure, Table::of(choice, workload), workload)?;
    let processor = times.processor();
    (!spent.reckoned).then(|| format!(" {processor}: {:.1} ns a query.", spent.query))
}

#[test]
fn another_machines_time_is_quoted_where_it_was_measured() {
    let workload = |keys| Workload::new(crate::Keys::AtMost(keys));
    let answer = |keys| crate::choose(&workload(keys)).unwrap();
    let few = answer(1000);
    let best = few.filters().next().unwrap();
    let row = format!("{},1000,{},{},12,1,4.26,6,5", best.structure.id(), best.fpr, best.bytes);
    let text = format!("# processor: Other\ncontender,keys,rate,bytes,...\n{row}\n");
    let there = Times::parse(&text).unwrap();
    let said = elsewhere(&there, best, &workload(1000));
    assert_eq!(said.as_deref(), Some(" Other: 4.3 ns a query."));
    let many = answer(100_000_000);
    let same = many.filters().find(|it| it.structure == best.structure).unwrap();
    assert_eq!(elsewhere(&there, same, &workload(100_000_000)), None);
    assert_eq!(elsewhere(&Times::default(), best, &workload(1000)), None);
}
