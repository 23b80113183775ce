"""Plans, advice, maps, and how things show themselves."""

import pickle
import pydoc

import pytest
from kinds import ALL, INSERT, name

import amq


@pytest.mark.parametrize("kind", ALL, ids=name)
def test_a_plan_is_what_the_filter_then_takes(kind):
    plan = amq.plan(kind, 10_000, 0.01)
    assert plan == amq.plan(kind.kind, 10_000) == amq.plan(kind.__name__, 10_000)
    assert plan.kind == kind.kind and plan.keys == 10_000
    assert plan.expected_fpr <= 0.0101 and plan.overhead >= 1
    assert plan.bits_per_key == plan.size_in_bytes * 8 / 10_000
    assert plan.build_bytes >= plan.size_in_bytes
    assert repr(plan).startswith("<amq.Plan: ")
    if kind in INSERT:
        assert kind(10_000, 0.01).size_in_bytes == plan.size_in_bytes
    assert kind.build(range(10_000), 0.01).size_in_bytes <= plan.size_in_bytes * 1.02
    assert amq.plan(kind, 10_000, bytes=20_000).size_in_bytes <= 20_000


def test_a_plan_of_nothing_is_refused():
    with pytest.raises(ValueError, match="no filter is called `blom`"):
        amq.plan("blom", 10)
    with pytest.raises(ValueError, match="false-positive rate of 0.0"):
        amq.plan("bloom", 10, 0)
    for none in (3, amq.Filter, amq.RemoveFilter, list):
        with pytest.raises(TypeError, match="stands for no kind of filter: give its class"):
            amq.plan(none, 10)
    with pytest.raises(ValueError, match="no filter is called `Full`"):
        amq.plan("Full", 10)


def test_the_advice_is_that_of_the_command_with_reasons():
    advice = amq.choose(at_most=10**6, fpr=0.01, need=["remove"])
    best = advice.best
    assert best.kind == "windowed-cuckoo" and best.class_name == "WindowedCuckooFilter"
    assert best.reason and 9 < best.bits_per_key < 10 and best.expected_fpr <= 0.01
    assert [choice.kind for choice in advice.choices][0] == best.kind
    rejected = dict(advice.rejections)
    assert "shares bits between keys" in rejected["bloom"]
    assert best.reason in str(advice) and advice.notes[0] in str(advice)
    assert "windowed-cuckoo and" in repr(advice) and best.kind in repr(best)
    filter = getattr(amq, best.class_name)(10**6, best.expected_fpr)
    assert filter.size_in_bytes == pytest.approx(best.size_in_bytes, rel=0.01)


@pytest.mark.parametrize(
    "demands, kind",
    [
        ({"keys": 10**6, "fpr": 0.01, "static": True}, "ribbon"),
        ({"at_most": 10**6, "fpr": 0.01, "static": False}, "bloom"),
        ({"at_most": 10**6, "fpr": 0.01, "first": "time"}, "blocked-bloom"),
        ({"at_most": 10**6, "count": 10, "copies": 3.0}, "quotient"),
        ({"at_most": 10**6, "forget": 7}, "rolling-windowed-cuckoo"),
        ({"keys": 10**6, "values": 8, "static": True}, "ribbon-map"),
        ({"keys": 300, "fpr": 0.01}, "exact-set"),
        ({"keys": 10**6, "integers_below": 4 * 10**6}, "exact-bitmap"),
        ({"at_most": 10**6, "fpr": 0.001, "strangers": True}, "bloom"),
    ],
)
def test_each_demand_counts(demands, kind):
    assert amq.choose(**demands).best.kind == kind


def test_a_set_of_python_is_named_as_such():
    assert amq.choose(keys=300, fpr=0.01).best.class_name == "set"
    assert amq.choose(keys=300, values=8, static=True).best.class_name == "dict"


@pytest.mark.parametrize(
    "demands, error, text",
    [
        ({}, ValueError, "give one of keys, at_most and unknown_from"),
        ({"keys": 1, "at_most": 2}, ValueError, "give one of keys, at_most and unknown_from"),
        ({"keys": 10, "fpr": float("nan")}, ValueError, "fpr"),
        ({"keys": 10, "fpr": "x"}, TypeError, "fpr: "),
        ({"keys": 10, "colour": 3}, TypeError, "colour: there is no such demand"),
        ({"keys": 10, "need": ["wings"]}, ValueError, "need: unknown need wings: known are remove"),
        ({"keys": 10, "need": "remove"}, TypeError, "need: give a list"),
        ({"keys": 10, "need": ["range"]}, ValueError, "no filter of this family tells"),
        ({"keys": 10, "first": "money"}, ValueError, "none of"),
        ({"keys": 10**6, "fpr": 0.01, "bits_per_key": 2.0}, ValueError, "no filter offers both"),
        ({"keys": 1e6}, TypeError, "is a float"),
    ],
    ids=repr,
)
def test_demands_that_make_no_sense_are_named(demands, error, text):
    with pytest.raises(error, match=text):
        amq.choose(**demands)


def test_a_map_gives_every_key_its_value(tmp_path):
    values = {f"key {number}": number % 8 for number in range(5000)}
    map = amq.RibbonMap.build(values)
    assert len(map) == 5000 and map.value_bits == 3 and map.size_in_bytes < 5000 * 3.2 / 8
    assert all(map[key] == value for key, value in values.items())
    assert map.get_many(list(values)).tolist() == list(values.values())
    assert map.get_many([]).tolist() == []
    again = amq.RibbonMap.build(list(values), list(values.values()), bits=3)
    assert again == map and again.to_bytes() == map.to_bytes()
    map.save(tmp_path / "m.amq")
    for loaded in (
        amq.load(tmp_path / "m.amq"),
        amq.RibbonMap.load(tmp_path / "m.amq"),
        amq.RibbonMap.from_bytes(map.to_bytes()),
        pickle.loads(pickle.dumps(map)),
    ):
        assert isinstance(loaded, amq.RibbonMap) and loaded == map
    assert amq.RibbonMap.build({})["anything"] < 2
    assert repr(map).startswith("<amq.RibbonMap: 5000 keys to values of 3 bits")


def test_a_map_is_neither_searched_nor_iterated_over():
    map = amq.RibbonMap.build({0: 5, 1: 0})
    with pytest.raises(TypeError, match="keep a filter of them beside it"):
        0 in map
    for walk in (iter, list, set, dict, lambda it: [*it], lambda it: 7 in list(it), max):
        with pytest.raises(TypeError, match="not iterable"):
            walk(map)
    for walk in (reversed, next):
        with pytest.raises(TypeError):
            walk(map)


def test_a_map_of_arrays():
    np = pytest.importorskip("numpy")
    keys = np.arange(1000)
    map = amq.RibbonMap.build(keys, keys % 100, seed=4)
    assert map.value_bits == 7 and (map.get_many(keys) == keys % 100).all()
    assert map.get_many(keys).dtype == np.uint32


def test_a_map_takes_no_nulls():
    pa = pytest.importorskip("pyarrow")
    map = amq.RibbonMap.build({1: 5, 2: 6})
    for refused in (map.get_many, lambda keys: amq.RibbonMap.build(keys, [5, 6])):
        with pytest.raises(TypeError, match="drop the nulls"):
            refused(pa.array([1, None, 2]))
    assert map.get_many(pa.array([1, 2])).tolist() == [5, 6]


@pytest.mark.parametrize(
    "arguments, options, error, text",
    [
        (({"a": 8},), {"bits": 3}, ValueError, "the value 8 of pair 0"),
        (({"a": 1},), {"bits": 0}, ValueError, "bits"),
        (({"a": 1},), {"bits": 33}, ValueError, "bits"),
        (({"a": -1},), {}, ValueError, "-1 is no value"),
        (({"a": 2**32},), {}, ValueError, "4294967296 is no value"),
        (({"a": 1.5},), {}, ValueError, "1.5 is no value"),
        (({1.5: 1},), {}, TypeError, "float 1.5 is no key"),
        ((["a", "b"], [1]), {}, ValueError, "2 keys and 1 values"),
        ((["a", "a"], [1, 2]), {}, ValueError, "have the same key"),
        ((["a"],), {}, TypeError, "give a dict, or as many values as keys"),
    ],
    ids=repr,
)
def test_maps_that_cannot_be_are_refused(arguments, options, error, text):
    with pytest.raises(error, match=text):
        amq.RibbonMap.build(*arguments, **options)


@pytest.mark.parametrize("kind", ALL, ids=name)
def test_help_says_what_a_class_is_and_each_method_does(kind):
    text = pydoc.plain(pydoc.render_doc(kind))
    assert len(kind.__doc__.splitlines()[0]) < 100
    for method in dir(kind):
        if not method.startswith("_"):
            said = getattr(kind, method).__doc__
            assert said and len(said) > 10, method
    assert "capacity" in kind.__doc__ and "contains(self, /, keys)" in text


def test_the_words_of_rbloom_are_there():
    from amq import Bloom

    seen = Bloom(100, 0.01)
    seen.update(["a"], ["b", "c"])
    assert Bloom.load_bytes(seen.save_bytes()) == seen
    assert seen.size_in_bits == 8 * seen.size_in_bytes and 2 < seen.approx_items < 4
    assert seen.union(["d"]) == seen | Bloom(100, 0.01).union(["d"])
    assert seen.intersection(seen.copy()).issubset(seen) and bool(seen)
    assert (seen <= seen.copy()) is True and (seen < seen.copy()) is False and seen >= seen.copy()
