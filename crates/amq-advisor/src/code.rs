//! The Rust code that makes a choice.

use crate::size::{first_keys, of_generation, of_shard, shards};
use crate::structure::of_kind;
use crate::{Choice, Structure, Workload};
use amq::{Budget, FilterKind, Goal};

/// The `use` line, and the statement that makes the choice; empty for what is not of this family.
/// A filter is built from `keys`, and a map from `pairs`. Where strangers choose the keys, it
/// hashes them under `secret`.
pub(crate) fn code(choice: &Choice, workload: &Workload) -> String {
    let Some(goal) = choice.goal else { return String::new() };
    // A filter that grows is planned for a rate.
    let goal = match goal.budget {
        Budget::Fpr(_) => goal,
        _ if workload.grows() => Goal::fpr(goal.keys, choice.fpr),
        _ => goal,
    };
    let generations = workload.generations().unwrap_or(1);
    let is_keyed = workload.by_strangers();
    let (name, value) = match choice.structure {
        Structure::Map => {
            let bits = workload.value_bits().unwrap_or(1) + choice.check_bits();
            match is_keyed {
                // Only filters can be `Keyed`.
                true => ("map", format!("RibbonMap::build_with_seed({bits}, secret, pairs)?")),
                false => ("map", format!("RibbonMap::build({bits}, pairs)?")),
            }
        }
        // One that grows has no number of keys to be built for.
        Structure::Filter(kind) if workload.built_once && !is_scalable(kind) => {
            let (of, goal) = (of_kind(kind), written(goal));
            match is_keyed {
                true => ("filter", format!("Keyed::<{of}>::build({goal}, key, keys)?")),
                false => ("filter", format!("{of}::build({goal}, keys)?")),
            }
        }
        Structure::Filter(kind) => ("mut filter", plain(kind, goal, workload) + "?"),
        Structure::Atomic(_) => {
            ("filter", format!("{}::new({})?", choice.structure.type_name(), written(goal)))
        }
        Structure::Sharded(kind) => ("filter", sharded(kind, goal, workload) + "?"),
        Structure::Rolling(kind) => {
            let of = of_kind(kind);
            ("mut filter", format!("Rolling::<{of}>::new({}, {generations})?", written(goal)))
        }
        Structure::ShardedRolling(kind) => {
            let (of, shards) = (of_kind(kind), shards(workload));
            let goal = written(goal);
            (
                "filter",
                format!(
                    "Sharded::<Rolling<{of}>>::rolling({goal}, {shards}, Generations({generations}))?"
                ),
            )
        }
        Structure::Periods(kind) => {
            let each = plain(kind, of_generation(goal, workload), workload);
            ("mut periods", ring(generations, &each, is_keyed))
        }
        Structure::ShardedPeriods(kind) => {
            let each = sharded(kind, of_generation(goal, workload), workload);
            ("mut periods", ring(generations, &each, is_keyed))
        }
        _ => return String::new(),
    };
    let (value, key) = match is_keyed && choice.structure != Structure::Map {
        true if value.contains("Keyed") => (value, KEY),
        true => (format!("Keyed::of({value}, key)"), KEY),
        false => (value, ""),
    };
    // A `Keyed` inserts through `&mut self`, what it holds through `&self`.
    let remark = match name {
        "map" if is_keyed => " // `secret`: 64 random bits from the operating system",
        "filter" if is_keyed && !workload.built_once => {
            "\n// Threads insert through `filter.by_ref()`."
        }
        _ => "",
    };
    let uses = import(&(value.clone() + key), choice.structure);
    format!("{uses}\n{key}let {name} = {value};{remark}")
}

/// The secret key of a filter whose keys strangers choose.
const KEY: &str = "let key = SipKey::new(secret); // 16 random bytes from the operating system\n";

const fn is_scalable(kind: FilterKind) -> bool {
    matches!(kind, FilterKind::Scalable | FilterKind::ScalableBlocked)
}

/// One for each period; its size may be refused.
fn ring(generations: u32, each: &str, is_keyed: bool) -> String {
    let keyed = if is_keyed { ".map(|filter| Keyed::of(filter, key))" } else { "" };
    format!("(0..{generations})\n    .map(|_| {each}{keyed})\n    .collect::<Result<Vec<_>, _>>()?")
}

/// A filter of this kind, or why not.
fn plain(kind: FilterKind, goal: Goal, workload: &Workload) -> String {
    let of = of_kind(kind);
    let Budget::Fpr(fpr) = goal.budget else { return format!("{of}::new({})", written(goal)) };
    let (keys, first) = (goal.keys, first_keys(goal.keys));
    match kind {
        FilterKind::Quotient if workload.grows_to_bound() => {
            format!("{of}::new({of}::plan_growing({}, {first})?)", written(goal))
        }
        _ if is_scalable(kind) && workload.grows_to_bound() => format!(
            "{of}::new({of}::plan_params(\n    \
             ScalableParams::new({first}, {fpr:?}).with_growth(4).with_max_keys({keys}),\n    \
             {keys},\n)?)"
        ),
        _ => format!("{of}::new({})", written(goal)),
    }
}

/// A sharded filter, or why not.
fn sharded(kind: FilterKind, goal: Goal, workload: &Workload) -> String {
    let shards = shards(workload);
    // `Sharded` gives each shard this many keys.
    let shard = Goal::new(of_shard(goal.keys, workload), goal.budget);
    let each = plain(kind, shard, workload);
    let is_planned = each == format!("{}::new({})", of_kind(kind), written(shard));
    match is_planned {
        true => format!("Sharded::<{}>::new({}, {shards})", of_kind(kind), written(goal)),
        false => {
            format!("Sharded::try_from_fn({}, {shards}, |_| {{\n    {each}\n}})", written(goal))
        }
    }
}

/// The goal in Rust.
fn written(goal: Goal) -> String {
    let keys = goal.keys;
    match goal.budget {
        Budget::Fpr(fpr) => format!("Goal::fpr({keys}, {fpr:?})"),
        Budget::BitsPerKey(bits) => format!("Goal::bits_per_key({keys}, {bits:?})"),
        Budget::Bytes(bytes) => format!("Goal::bytes({keys}, {bytes})"),
    }
}

/// The `use` line of what the code names.
fn import(value: &str, structure: Structure) -> String {
    let own = match structure {
        Structure::Atomic(_) | Structure::Map => structure.type_name(),
        _ => structure.kind().map_or_else(String::new, of_kind),
    };
    let names = [
        (own.as_str(), own.as_str()),
        ("Goal::", "Goal"),
        ("Keyed::", "Keyed"),
        ("SipKey::", "SipKey"),
        ("plan_params", "PlanFilter"),
        ("Generations(", "rolling::Generations"),
        ("Rolling<", "rolling::Rolling"),
        ("Rolling::", "rolling::Rolling"),
        ("ScalableParams", "scalable::ScalableParams"),
        ("Sharded::", "sharded::Sharded"),
    ];
    let named = names.into_iter().filter(|(text, _)| value.contains(text));
    let mut named: Vec<&str> = named.map(|(_, name)| name).collect();
    // Types first, then modules, as `rustfmt` orders them.
    named.sort_by_key(|name| (name.contains("::"), *name));
    named.dedup();
    match named.as_slice() {
        [one] => format!("use amq::{one};"),
        _ => format!("use amq::{{{}}};", named.join(", ")),
    }
}
