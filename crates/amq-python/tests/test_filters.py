"""Every kind against a set."""

import copy
import pickle
import warnings
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds import ALL, BLOOM, INSERT, MERGE, REMOVE, STATIC, name

import amq

KEYS = st.one_of(st.integers(-(2**63), 2**64 - 1), st.text(max_size=8), st.binary(max_size=8))


def encoded(key):
    match key:
        case int():
            return key % 2**64
        case str():
            return key.encode()
    return key


def test_there_is_a_class_for_every_kind():
    assert len(ALL) == 13 and len(INSERT) == 11 and len(REMOVE) == 6 and len(STATIC) == 2
    assert len({kind.kind for kind in ALL}) == len(ALL)


@pytest.mark.parametrize("kind", INSERT, ids=name)
@settings(max_examples=30, deadline=None)
# Once each: there is no place for five copies of a key in some.
@given(keys=st.lists(KEYS, max_size=100, unique_by=repr), others=st.lists(KEYS, max_size=20))
def test_what_was_added_is_in_and_hardly_anything_else(kind, keys, others):
    filter = kind(1000, 1e-6)
    for key in keys:
        filter.add(key)
    assert all(key in filter for key in keys)
    assert filter.contains(keys).tolist() == [True] * len(keys)
    many = kind(1000, 1e-6)
    many.update(keys)
    assert many == filter
    # -1 and 2^64 - 1 are one key, and so are "a" and b"a".
    same = set(map(encoded, keys))
    absent = [key for key in others if encoded(key) not in same]
    assert sum(key in filter for key in absent) <= 1
    assert filter.contains(absent).tolist() == [key in filter for key in absent]


@pytest.mark.parametrize("kind", REMOVE, ids=name)
@settings(max_examples=30, deadline=None)
@given(steps=st.lists(st.tuples(st.booleans(), st.integers(0, 20)), max_size=100))
def test_filters_that_remove_follow_a_counter(kind, steps):
    filter, counter = kind(2000, 1e-6), Counter()
    for insert, key in steps:
        if insert and counter[key] < 3:
            filter.add(key)
            counter[key] += 1
        elif not insert:
            assert filter.discard(key) == (counter[key] > 0)
            counter[key] -= counter[key] > 0
    assert len(filter) == counter.total()
    for key in range(21):
        assert filter.count(key) == counter[key]
        assert (key in filter) == (counter[key] > 0)
        if not counter[key]:
            with pytest.raises(KeyError) as raised:
                filter.remove(key)
            assert raised.value.args == (key,)
    for key in counter.elements():
        filter.remove(key)
    assert len(filter) == 0 and not filter


def test_filters_that_cannot_remove_have_no_method_for_it():
    for kind in set(ALL) - set(REMOVE):
        assert not any(hasattr(kind, method) for method in ("discard", "remove", "count"))
    for kind in STATIC:
        assert not any(hasattr(kind, method) for method in ("add", "update", "clear", "merge"))


def test_add_tells_whether_the_key_is_new():
    filter = amq.BloomFilter(100)
    assert filter.add("a") is True and filter.add("a") is False
    assert filter.update(["a", "b", "c"]) == 2
    assert filter.update() == 0
    assert filter.update(["d"], (key for key in "ef"), {"g"}) == 4


@pytest.mark.parametrize("kind", MERGE, ids=name)
def test_union_has_the_keys_of_both(kind):
    one, other = kind(1000), kind(1000)
    one.update(range(100))
    other.update(range(50, 200))
    before = one.to_bytes(), other.to_bytes()
    for union in (one.union(range(50, 200)), one | other, one.union(other)):
        assert type(union) is kind
        assert all(union.contains(range(200)))
    assert (one.to_bytes(), other.to_bytes()) == before
    one |= other
    assert one == union or kind in REMOVE
    assert all(one.contains(range(200)))
    merged = kind(1000)
    merged.update(other)
    assert len(merged) == 150 and all(merged.contains(range(50, 200)))


@pytest.mark.parametrize("kind", MERGE, ids=name)
def test_a_filter_can_be_merged_with_itself(kind):
    filter = kind(1000)
    filter.update(range(100))
    copied = filter.copy()
    filter |= filter
    assert all(filter.contains(range(100)))
    if kind in REMOVE:
        assert filter.count(5) == 2 and len(filter) == 200
        return
    assert filter.update(filter) == 0
    for same in (filter, filter | filter, filter.union(filter, filter)):
        assert same == copied and len(same) == len(copied)


@pytest.mark.parametrize("kind", MERGE, ids=name)
def test_keys_of_a_merged_filter_are_not_counted_as_new(kind):
    filter = kind(2000)
    filter.update(range(600))
    assert filter.update(filter.copy(), range(600, 700)) == 100
    # A key in both counts twice, and the filter says so.
    assert len(filter) == 1300
    assert ("common keys count more than once" in repr(filter)) == (kind not in REMOVE)
    if kind in BLOOM:
        assert 680 < filter.approx_items < 720
        assert f"more than once: about {filter.approx_items:.0f} different keys" in repr(filter)
    filter.clear()
    assert "common keys" not in repr(filter)


def test_a_kind_that_cannot_be_merged_says_which_can():
    filter = amq.ExpandableQuotientFilter(10)
    with pytest.raises(amq.Unsupported, match="cannot be merged. Kinds that can: bloom"):
        filter.merge(amq.ExpandableQuotientFilter(10))
    with pytest.raises(TypeError):
        filter | filter


@pytest.mark.parametrize("kind", BLOOM, ids=name)
def test_intersections_and_subsets_are_those_of_the_bits(kind):
    one, other = kind(1000, 1e-6), kind(1000, 1e-6)
    one.update(range(100))
    other.update(range(50, 150))
    for common in (one & other, one.intersection(other)):
        assert all(common.contains(range(50, 100)))
        assert not any(common.contains(range(50))) and not any(common.contains(range(100, 150)))
        assert common.issubset(one) and one.issuperset(common) and not one.issubset(common)
    assert one.issubset(one) and kind(1000, 1e-6).issubset(one)
    one &= other
    one.intersection_update(other)
    assert one == common
    assert common.approx_items == pytest.approx(50, rel=0.2)
    with pytest.raises(ValueError, match="secret|different ways|seeds"):
        one & kind(1000, 1e-6, key=b"k" * 16)


@pytest.mark.parametrize("kind", set(INSERT) - set(BLOOM), ids=name)
def test_other_kinds_have_no_intersection_and_stay_as_they_were(kind):
    one, other = kind(100), kind(100)
    one.add("a")
    before = one.to_bytes()
    for operation in (one.__and__, one.__iand__, one.intersection_update, one.issubset):
        with pytest.raises(TypeError, match="BlockedBloomFilter and WideBlockedBloomFilter"):
            operation(other)
    assert one.to_bytes() == before


def test_operators_with_something_else_are_the_usual_type_error():
    for operate in (lambda f: f | {1}, lambda f: {1} | f, lambda f: f & 3, lambda f: 3 & f):
        with pytest.raises(TypeError, match="unsupported operand"):
            operate(amq.BloomFilter(10))
    assert amq.BloomFilter(10) != {1} and amq.BloomFilter(10) != "x"


@pytest.mark.parametrize("kind", INSERT, ids=name)
def test_copies_are_filters_of_their_own(kind):
    filter = kind(100, seed=3)
    filter.update(["a", "b"])
    for copied in (
        filter.copy(),
        copy.copy(filter),
        copy.deepcopy(filter),
        pickle.loads(pickle.dumps(filter)),
        amq.Filter.from_bytes(filter.to_bytes()),
        kind.from_bytes(bytearray(filter.to_bytes())),
    ):
        assert type(copied) is kind and copied == filter and copied is not filter
        copied.add("c")
        assert copied != filter and "c" not in filter


@pytest.mark.parametrize("kind", INSERT, ids=name)
def test_clear_leaves_an_empty_filter_of_the_same_parameters(kind):
    filter = kind(100)
    filter.update(range(50))
    filter.clear()
    assert filter == kind(100) and not filter and len(filter) == 0


def test_a_filter_tells_its_size_load_and_rate():
    filter = amq.BloomFilter(1_000_000, 0.01)
    assert filter.capacity == 1_000_000 and filter.kind == "bloom"
    assert filter.size_in_bytes == 1_199_120 and filter.size_in_bits == 8 * 1_199_120
    filter.update(range(1_000_000))
    assert filter.expected_fpr == pytest.approx(0.01, rel=0.02)
    assert filter.load_factor == pytest.approx(0.5, rel=0.1)
    assert filter.bits_per_key == pytest.approx(9.6, rel=0.02)
    assert filter.approx_items == pytest.approx(1_000_000, rel=0.01)
    assert repr(filter).startswith("<amq.BloomFilter: Bloom: ")
    assert "of 1000000 planned" in repr(filter) and "false-positive rate" in repr(filter)
    assert set(filter.stats()) == {
        "kind", "len", "capacity", "load_factor", "saturated", "size_in_bytes", "bits_per_key",
        "expected_fpr",
    }  # fmt: skip
    wrong = sum(filter.contains(range(1_000_000, 1_200_000)))
    assert wrong == pytest.approx(2000, rel=0.15)


@pytest.mark.parametrize("kind", INSERT, ids=name)
def test_a_size_is_a_budget_too(kind):
    assert kind(10_000, bytes=40_000).size_in_bytes <= 40_000
    assert kind(10_000, bits_per_key=32).size_in_bytes <= 40_000
    assert kind(0, 0.01).capacity >= 0


def test_a_full_filter_refuses_and_stays_as_it_was():
    filter = amq.CuckooFilter(100)
    with pytest.raises(amq.Full, match="the filter is full"):
        for key in range(10_000):
            filter.add(key)
    assert all(key in filter for key in range(key))
    before = filter.to_bytes()
    with pytest.raises(amq.Full):
        filter.add(key)
    assert filter.to_bytes() == before
    fresh = amq.CuckooFilter(100)
    with pytest.raises(amq.Full, match=f"the first {key} keys of the call are in"):
        fresh.update(range(10_000))
    assert fresh == filter
    streamed = amq.CuckooFilter(100_000)
    with pytest.raises(amq.Full, match=r"the first \d{6} keys of the call are in"):
        streamed.update(key for key in range(1_000_000))
    assert len(streamed) > 100_000


def test_a_full_filter_says_how_many_keys_are_in():
    filter = amq.CuckooFilter(100)
    with pytest.raises(amq.Full) as full:
        filter.update(range(50), (key for key in range(50, 70)), range(70, 10_000))
    full.match(f"the first {full.value.inserted} keys of the call are in")
    assert full.value.inserted == len(filter) > 100
    assert filter.contains(range(full.value.inserted)).all()
    told = pickle.loads(pickle.dumps(full.value))
    assert type(told) is amq.Full and (str(told), told.inserted) == (str(full.value), len(filter))
    with pytest.raises(amq.Full) as one:
        for key in range(10_000, 20_000):
            filter.add(key)
    assert one.value.inserted == 0


def test_copies_that_do_not_fit_are_no_lack_of_room():
    one, other = amq.WindowedCuckooFilter(200_000), amq.WindowedCuckooFilter(200_000)
    one.update(range(40_000))
    other.update(range(1000))
    with pytest.raises(amq.Full, match="a key is in [34] times already"):
        while True:
            before = one.to_bytes()
            one.merge(other)
    assert one.to_bytes() == before and one.contains(range(40_000)).all()


def test_arguments_of_other_libraries_are_told_ours():
    for options, text in (
        ({"fp_rate": 0.1}, "there is no argument fp_rate: the rate is fpr"),
        ({"false_positive_rate": 0.1}, "the rate is fpr"),
        ({"serializable": True}, "leave it out, every filter can be saved"),
        ({"free_threading": True}, "leave it out, threads can share every filter"),
        ({"hash": None}, "there is no argument hash$"),
    ):
        with pytest.raises(TypeError, match=text):
            amq.BlockedBloomFilter(100, **options)
    with pytest.raises(TypeError, match="capacity"):
        amq.Bloom(expected_items=100)
    with pytest.raises(ValueError, match="1000* is too large for a float"):
        amq.BloomFilter(100, 10**400)
    for options in ({"fpr": "0.1"}, {"bits_per_key": "0.1"}):
        with pytest.raises(TypeError, match=r"'0\.1' is no number, such as 0\.01"):
            amq.BloomFilter(100, **options)
        with pytest.raises(TypeError, match=r"'0\.1' is no number, such as 0\.01"):
            amq.FuseFilter.build([1], **options)


def test_what_is_no_filter_is_refused_by_name():
    filter = amq.BloomFilter(10)
    for operation in (filter.merge, filter.issubset, filter.issuperset, filter.intersection):
        with pytest.raises(TypeError, match="this takes a filter, and no list: update and union take keys"):
            operation([1])
    for operation in (lambda: filter <= [1], lambda: [1] > filter):
        with pytest.raises(TypeError, match="not supported"):
            operation()


@pytest.mark.parametrize("kind", BLOOM + [amq.CountingBloomFilter], ids=name)
def test_a_filter_past_its_plan_warns_once(kind):
    filter = kind(1000)
    filter.update(range(900))
    with pytest.warns(amq.OverfullWarning, match="the filter is past its plan") as warned:
        for key in range(900, 2000):
            filter.add(key)
        filter.update(range(2000, 4000))
        filter.merge(filter)
    assert len(warned) == 1 and warned[0].filename == __file__
    with pytest.warns(amq.OverfullWarning):
        kind(10).update(range(100))
    one, other = kind(100), kind(100)
    one.update(range(90))
    other.update(range(100, 190))
    if kind in REMOVE:
        with pytest.warns(amq.OverfullWarning):
            one |= other
    past = kind(50)
    with pytest.warns(amq.OverfullWarning):
        past.update(range(100))
    for insert, inserted in (
        (lambda filter: [filter.add(key) for key in range(100)], 1),
        (lambda filter: filter.update(range(100)), 100),
        (lambda filter: filter.update([1], range(60), range(1000)), 61),
        (lambda filter: filter.update(key for key in range(100)), 100),
        (lambda filter: filter.merge(past), 0),
    ):
        with warnings.catch_warnings(), pytest.raises(amq.OverfullWarning) as raised:
            warnings.simplefilter("error")
            insert(kind(50))
        assert raised.value.inserted == inserted


def test_a_filter_that_grows_never_warns():
    filter = amq.ScalableBloomFilter(10)
    filter.update(range(10_000))
    assert all(filter.contains(range(10_000)))


def test_static_kinds_say_how_they_are_made():
    for kind in STATIC:
        with pytest.raises(TypeError):
            kind(100)
    with pytest.raises(TypeError):
        amq.Filter()


@pytest.mark.parametrize("kind", INSERT, ids=name)
def test_a_bad_list_inserts_nothing_a_generator_what_came_before(kind):
    filter = kind(100)
    with pytest.raises(TypeError, match="1.5"):
        filter.update(["a", "b", 1.5])
    assert len(filter) == 0

    def keys():
        yield "a"
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        filter.update(keys())


def test_one_key_is_not_many():
    filter = amq.BloomFilter(10)
    for one in ("abc", b"abc", bytearray(b"abc")):
        for operation in (filter.update, filter.contains):
            with pytest.raises(TypeError, match="is one key, and this takes many"):
                operation(one)
    for none in (3, None, 1.5):
        with pytest.raises(TypeError):
            filter.update(none)
    assert len(filter) == 0


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        ((2**70,), ValueError, "1180591620717411303424 is out of range"),
        ((-1,), ValueError, "-1 is out of range"),
        ((1e6,), TypeError, "1000000.0 is a float"),
        (("x",), TypeError, "'x' is no whole number"),
        ((100, 0.0), ValueError, "a false-positive rate of 0.0 is not possible"),
        ((100, float("nan")), ValueError, "a false-positive rate of NaN is not possible"),
        ((100, 1.0), ValueError, "a false-positive rate of 1.0 is not possible"),
        ((100, -0.5), ValueError, "a false-positive rate of -0.5 is not possible"),
        ((100, float("inf")), ValueError, "a false-positive rate of inf is not possible"),
        ((100, 1e-300), ValueError, "1e-300"),
        ((2**63, 0.5), (ValueError, MemoryError), "9223372036854775808|bytes"),
        ((2**40, 0.01), (ValueError, MemoryError), "bytes|1099511627776"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("kind", INSERT, ids=name)
def test_arguments_out_of_range_are_named(kind, arguments, error, text):
    with pytest.raises(error, match=text):
        filter = kind(*arguments)
        pytest.skip(f"there is memory for {filter!r}")


def test_one_budget_at_a_time():
    for two in ({"fpr": 0.1, "bytes": 100}, {"bits_per_key": 8, "bytes": 100}):
        with pytest.raises(ValueError, match="give one of fpr, bits_per_key and bytes"):
            amq.BloomFilter(10, **two)
    for bits in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="bits per key"):
            amq.BloomFilter(10, bits_per_key=bits)


@pytest.mark.parametrize("kind", BLOOM, ids=name)
def test_bloom_filters_of_the_same_bits_are_equal(kind):
    one, other = kind(10_000), kind(10_000)
    one.update(range(9_900))
    other.update(range(9_899, -1, -1))
    assert len(one) != len(other), "the order should have made a difference"
    assert one == other and one <= other and (one | other) == one == (one | one) == (one & other)
    other.update(range(20_000, 20_010))
    assert one != other and one < other
    assert one != kind(10_000, seed=5) and kind(10_000) != kind(20_000)


@pytest.mark.parametrize("kind", BLOOM, ids=name)
def test_a_filter_merged_with_its_copy_is_not_past_its_plan(kind):
    filter = kind(100_000)
    filter.update(range(1000))
    for _ in range(10):
        filter.merge(filter.copy())
    assert len(filter) > 100_000 and filter.expected_fpr < 0.001
    filter.update(range(1000, 1100))
    filter.add("one more")
    with pytest.warns(amq.OverfullWarning):
        filter.update(range(200_000))


@pytest.mark.parametrize("kind", [amq.BloomFilter, amq.BlockedBloomFilter])
def test_bits_per_key_of_a_union_are_those_of_its_different_keys(kind, tmp_path):
    one, other = kind(20_000), kind(20_000)
    one.update(range(10_000))
    other.update(range(2_000, 12_000))
    one.merge(other)
    one.save(tmp_path / "both.amq")
    for filter in (one, amq.load(tmp_path / "both.amq")):
        assert len(filter) > 19_000
        bits = 8 * filter.size_in_bytes / 12_000
        assert filter.bits_per_key == filter.stats()["bits_per_key"] == pytest.approx(bits, rel=0.02)


@pytest.mark.parametrize("kind", BLOOM, ids=name)
@pytest.mark.parametrize("options", [{}, {"seed": 5}, {"key": bytes(range(16))}], ids=str)
def test_a_folded_filter_has_the_same_keys_in_fewer_bytes(kind, options):
    filter = kind(64_000, bytes=2**16, **options)
    filter.update(range(1000))
    before = filter.to_bytes()
    for factor in (1, 2, 4, 32):
        small = filter.fold(factor)
        assert type(small) is kind and 0 <= small.size_in_bytes - filter.size_in_bytes / factor < 8
        assert small.contains(range(1000)).all() and len(small) == len(filter)
        assert small.expected_fpr >= filter.expected_fpr
        assert (small == filter) == (factor == 1)
        small.add("more")
    assert filter.to_bytes() == before and "more" not in filter
    for factor in (0, 2**64 - 1, 10**9 + 7):
        with pytest.raises(ValueError, match="cannot be folded"):
            filter.fold(factor)


def test_only_bloom_filters_are_folded():
    for kind in set(INSERT) - set(BLOOM):
        with pytest.raises(TypeError, match="are folded"):
            kind(100).fold(2)
    hashed = amq.BloomFilter(6400, hash_func=lambda key: (key + 1) * 0x9E3779B97F4A7C15)
    hashed.update(range(10))
    assert 9 in hashed.fold(64) and hashed.fold(64).hash_func is hashed.hash_func
