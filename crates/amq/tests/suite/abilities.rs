//! The table of abilities against the traits that the types implement.

use amq::*;
use amq_core::internal::FileFormat;
use std::marker::PhantomData;

/// Asks the compiler whether a type has a bound: an inherent constant, which exists only then,
/// hides the trait's.
struct Probe<T>(PhantomData<T>);

trait Otherwise {
    const YES: bool = false;
}

macro_rules! has {
    ($type:ty: $($bound:tt)*) => {{
        struct Bound<T>(PhantomData<T>);
        impl<T> Otherwise for Bound<T> {}
        #[allow(dead_code)]
        impl<T> Bound<T>
        where
            $($bound)*
        {
            const YES: bool = true;
        }
        Bound::<$type>::YES
    }};
}

impl<T> Probe<T> {
    fn same(kind: FilterKind, found: &[(Ability, bool)]) {
        let claimed = Abilities::of(kind);
        for &(ability, has) in found {
            assert_eq!(claimed.has(ability), has, "{kind} can {ability}");
        }
        let all: Vec<_> = found.iter().map(|&(ability, _)| ability).collect();
        let mut rest = Ability::ALL.iter().filter(|ability| !all.contains(ability));
        assert_eq!(rest.next(), None, "no trait says whether a filter can");
    }
}

macro_rules! check {
    ($($type:ident)*) => {
        #[test]
        fn the_table_says_what_the_types_implement() {
            let mut checked = Vec::new();
            $(
                let kind = kind_of(stringify!($type));
                checked.push(kind);
                // A quotient filter grows when its parameters say so; the others by themselves.
                let grows = has!($type: T: PlanFilter<Params = amq_quotient::QuotientParams>)
                    || has!($type: T: PlanFilter<Params = amq_quotient::ExpandableParams>)
                    || has!($type: T: PlanFilter<Params = amq_scalable::ScalableParams>);
                let shared = has!($type: AtomicBloomFilter: From<T>)
                    || has!($type: AtomicBlockedBloomFilter: From<T>);
                let (insert, build) = (has!($type: T: EmptyFilter), has!($type: T: BuildFilter));
                Probe::<$type>::same(kind, &[
                    (Ability::Insert, insert),
                    (Ability::Remove, has!($type: T: RemoveFilter)),
                    (Ability::Count, has!($type: T: CountFilter)),
                    (Ability::List, has!($type: for<'a> &'a T: IntoIterator<Item = KeyHash>)),
                    (Ability::Merge, has!($type: T: MergeFilter)),
                    (Ability::Grow, grows),
                    // A scalable filter may be refused its next stage.
                    (Ability::NeverFull, has!($type: T: Extend<u64>)),
                    (Ability::BuildOnly, build && !insert),
                    (Ability::SharedInsert, shared),
                    (Ability::Truncate, has!($type: T: TruncateFilter)),
                    (Ability::Save, has!($type: T: FilterFile)),
                    (Ability::Map, has!($type: T: FileFormat<With<Table> = T>)),
                ]);
            )*
            checked.sort_by_key(|kind| kind.number());
            assert_eq!(checked, FilterKind::ALL, "add the type of the missing kind to the list");
            // The probe itself tells yes from no.
            assert!(has!(CuckooFilter: T: RemoveFilter) && !has!(BloomFilter: T: RemoveFilter));
        }
    };
}

/// The kind with the type of this name.
fn kind_of(name: &str) -> FilterKind {
    let is_its = |kind: &&FilterKind| AnyFilter::names(**kind).is_some_and(|it| it.1 == name);
    *AnyFilter::KINDS.iter().find(is_its).unwrap()
}

check! {
    BloomFilter BlockedBloomFilter WideBlockedBloomFilter CountingBloomFilter
    BlockedCountingBloomFilter ScalableBloomFilter ScalableBlockedBloomFilter CuckooFilter
    WindowedCuckooFilter QuotientFilter ExpandableQuotientFilter RibbonFilter FuseFilter
}

#[test]
fn every_kind_is_in_the_table() {
    let mut kinds = AnyFilter::KINDS.to_vec();
    kinds.sort_by_key(|&kind| kind.number());
    let missing = FilterKind::ALL.into_iter().find(|kind| !kinds.contains(kind));
    assert_eq!(missing, None, "crates/amq/src/any/kinds.rs has no row of this kind");
    assert_eq!(kinds, FilterKind::ALL);
}

/// The compiler's words for a bound that a type does not meet are those of `Unsupported`; the types
/// it names as an example can, and it says where all are listed. (An attribute cannot list them.)
#[test]
fn the_compiler_names_types_that_can() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../amq-core/src/filter/");
    let read = |name| std::fs::read_to_string(format!("{folder}{name}")).unwrap();
    // A string goes on after a backslash at the end of a line.
    let sources =
        [read("mod.rs"), read("construct.rs"), read("truncate.rs")].concat().replace("\\\n", "");
    let sources = sources.split_whitespace().collect::<Vec<_>>().join(" ");
    let before = |item: &str| {
        let end = sources.find(&format!("pub trait {item}:")).unwrap();
        let start = sources[..end].rfind("#[diagnostic::on_unimplemented(").unwrap();
        sources[start..end].to_owned()
    };
    for (item, ability) in [
        ("InsertFilter", Ability::Insert),
        ("EmptyFilter", Ability::Insert),
        ("ClearFilter", Ability::Insert),
        ("RemoveFilter", Ability::Remove),
        ("CountFilter", Ability::Count),
        ("MergeFilter", Ability::Merge),
        ("TruncateFilter", Ability::Truncate),
    ] {
        let said = before(item);
        let all = format!(" can; `amq::Ability::{ability:?}.kinds()` lists all\"");
        let examples = said.split(&all).next().and_then(|text| text.rsplit("note = ").next());
        let examples: Vec<&str> = examples.unwrap().split('`').skip(1).step_by(2).collect();
        assert!(said.contains(&all) && examples.len() >= 2, "{item}: {said}");
        for example in examples {
            assert!(Abilities::of(kind_of(example)).has(ability), "{item}: {example}");
        }
        let own_words = ["EmptyFilter", "ClearFilter"].contains(&item);
        let message = format!("message = \"`{{Self}}` cannot {ability}\"");
        assert!(own_words || said.contains(&message), "{item}: {message}");
    }
    for item in ["Filter", "PlanFilter", "BuildFilter"] {
        assert!(before(item).contains("note = "), "{item}");
    }
}

#[test]
fn abilities_can_be_asked_for_and_listed() {
    let cuckoo = Abilities::of(FilterKind::Cuckoo);
    let needs = [Ability::Insert, Ability::Remove, Ability::Map];
    assert!(cuckoo.has_all(&needs) && !cuckoo.has_all(&[Ability::Remove, Ability::List]));
    let ribbon: Vec<_> = Abilities::of(FilterKind::Ribbon).iter().collect();
    assert_eq!(ribbon, [Ability::BuildOnly, Ability::Truncate, Ability::Save, Ability::Map]);
    let listing: Vec<_> = Ability::List.kinds().collect();
    assert_eq!(listing, [FilterKind::Quotient]);
    for kind in FilterKind::ALL {
        let abilities = Abilities::of(kind);
        assert_ne!(abilities.insert, abilities.build_only, "{kind}");
        assert!(abilities.iter().all(|ability| ability.kinds().any(|each| each == kind)));
    }
}
