"""Who hashes: the filter under a seed, under a secret key, or the caller."""

import gc
import hashlib
import pathlib
import pickle
import sys
import weakref
import zlib

import numpy as np
import pyarrow as pa
import pytest
import xxhash
from kinds import ALL, BLOOM, INSERT, MERGE, STATIC, name

import amq

GOLDEN = pathlib.Path(__file__).parents[2] / "amq" / "tests" / "golden"


def digest(key):
    """64 evenly distributed bits of any object."""
    return int.from_bytes(hashlib.blake2b(repr(key).encode(), digest_size=8).digest(), "little")


@pytest.mark.parametrize("kind", INSERT, ids=name)
def test_a_function_of_the_caller_makes_a_key_of_any_object(kind):
    filter = kind(100, hash_func=digest)
    assert filter.hash_func is digest
    filter.update([1.5, None, [1], {"a": 2}])
    assert all(key in filter for key in (1.5, None, [1], {"a": 2}))
    assert filter.contains([2.5, 1.5]).tolist() == [False, True]
    loaded = amq.Filter.from_bytes(filter.to_bytes(), digest)
    assert type(loaded) is kind and loaded == filter and [1] in loaded
    assert pickle.loads(pickle.dumps(filter)).hash_func is digest
    assert filter.copy().hash_func is digest


def test_a_file_of_such_hashes_is_asked_by_no_other_key():
    filter = amq.BloomFilter(100, hash_func=digest)
    filter.add("a")
    blind = amq.Filter.from_bytes(filter.to_bytes())
    assert len(blind) == 1 and blind.hash_func is None
    for operation in (blind.add, blind.__contains__, lambda key: blind.update([key])):
        with pytest.raises(TypeError, match="load it with hash_func"):
            operation("a")
    assert blind == filter
    with pytest.raises(ValueError, match="hash keys in different ways"):
        blind |= amq.BloomFilter(100)


def spread(key):
    return key * 0x9E3779B97F4A7C15 % 2**64


def test_filters_of_different_functions_are_not_mixed():
    one, other = amq.BloomFilter(100, hash_func=spread), amq.BloomFilter(100, hash_func=digest)
    one.update(range(50))
    other.update(range(50, 100))
    before = one.to_bytes()
    for refused in (
        lambda: one | other,
        lambda: one & other,
        lambda: one.merge(other),
        lambda: one.update(other),
        lambda: one <= other,
        lambda: one.issubset(other),
    ):
        with pytest.raises(ValueError, match="in different ways: by <function (spread|digest).* and by <function"):
            refused()
    assert one.to_bytes() == before and one != other
    assert amq.BloomFilter(100, hash_func=spread) != amq.BloomFilter(100, hash_func=digest)
    same = amq.BloomFilter(100, hash_func=spread)
    same.update(range(50, 100))
    assert all(key in one | same for key in range(100))


class Dedup:
    """The usual way to write it: a method is made anew each time that it is taken."""

    def __init__(self):
        self.seen = amq.BloomFilter(100, hash_func=self.hash)

    def hash(self, key):
        return spread(key)


def test_the_methods_of_one_object_are_one_function():
    dedup = Dedup()
    other = amq.BloomFilter(100, hash_func=dedup.hash)
    other.add(5)
    dedup.seen |= other
    assert 5 in dedup.seen
    with pytest.raises(ValueError, match="in different ways"):
        dedup.seen.merge(Dedup().seen)


def test_a_cycle_of_a_filter_and_its_hash_func_is_collected():
    for make in (Dedup, lambda: setattr(it := Dedup(), "seen", amq.FuseFilter.build([1], hash_func=it.hash)) or it):
        alive = weakref.ref(make())
        gc.collect()
        assert alive() is None


def test_of_a_longer_hash_the_lowest_64_bits_count():
    short = amq.BloomFilter(100, hash_func=lambda key: key)
    for number, bits in [(2**100 + 5, 5), (-1, 2**64 - 1), (2**128 - 1, 2**64 - 1), (-(2**127), 0)]:
        short.clear()
        short.add(number)
        assert bits in short


@pytest.mark.parametrize("returned", [1.5, "a", None, 2**128, -(2**127) - 1])
def test_a_hash_that_is_none_is_refused(returned):
    filter = amq.BloomFilter(100, hash_func=lambda key: returned)
    with pytest.raises(TypeError, match="hash_func returned"):
        filter.add("a")
    assert len(filter) == 0


def test_an_exception_of_the_function_comes_through():
    def fail(key):
        raise KeyError(key)

    filter = amq.BloomFilter(100, hash_func=fail)
    with pytest.raises(KeyError, match="a"):
        filter.add("a")


def test_a_function_that_uses_the_filter_is_no_deadlock():
    filter = amq.BloomFilter(100, hash_func=lambda key: len(filter))
    filter.add("a")
    filter.update(["b", "c"])
    assert len(filter) > 0


def test_functions_that_cannot_be_the_hash_of_a_file_are_refused():
    with pytest.raises(ValueError, match="hash\\(\\) gives text another hash in every process"):
        amq.BloomFilter(100, hash_func=hash)
    with pytest.raises(TypeError, match="cannot be called"):
        amq.BloomFilter(100, hash_func=3)
    plain = amq.BloomFilter(100).to_bytes()
    with pytest.raises(ValueError, match="load it without hash_func"):
        amq.Filter.from_bytes(plain, digest)


@pytest.mark.parametrize("kind", INSERT, ids=name)
def test_a_seed_and_a_secret_key_each_make_another_filter(kind):
    secret = bytes(range(16))
    filters = [kind(100), kind(100, seed=7), kind(100, key=secret), kind(100, key=b"x" * 16)]
    for filter in filters:
        filter.update(range(50))
        assert all(filter.contains(range(50)))
    payloads = {filter.to_bytes() for filter in filters}
    assert len(payloads) == 4
    for one in filters:
        assert [one == other for other in filters].count(True) == 1
    if kind is not amq.ExpandableQuotientFilter:
        for one in filters:
            for other in filters:
                if one is not other:
                    before = one.to_bytes()
                    with pytest.raises(ValueError):
                        one.merge(other)
                    assert one.to_bytes() == before


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind not in STATIC], ids=name)
def test_a_withheld_secret_must_be_given(kind, tmp_path):
    for name_, value, wrong in (("seed", 7, 8), ("key", b"k" * 16, b"l" * 16)):
        filter = kind(100, **{name_: value})
        filter.add("a")
        data = filter.to_bytes(secret=False)
        with pytest.raises(amq.DecodeError, match="omits"):
            amq.Filter.from_bytes(data)
        with pytest.raises(amq.DecodeError):
            amq.Filter.from_bytes(data, **{name_: wrong})
        assert amq.Filter.from_bytes(data, **{name_: value}) == filter
        filter.save(tmp_path / "f.amq", secret=False)
        assert amq.load(tmp_path / "f.amq", **{name_: value}) == filter


def refuses_pickling(it):
    with pytest.raises(TypeError, match="a pickle tells the seed or secret key"):
        pickle.dumps(it)


@pytest.mark.parametrize("kind", INSERT, ids=name)
@pytest.mark.parametrize("secret", [{"seed": 0xAB5EC3E7}, {"key": b"sixteen bytes !!"}], ids=str)
def test_a_withheld_secret_is_in_no_later_file(kind, secret, tmp_path):
    filter, path = kind(100, **secret), tmp_path / "f.amq"
    filter.add("a")
    pickle.dumps(filter)  # one that was made here tells
    withheld = filter.to_bytes(secret=False)
    filter.save(path, secret=False)
    for loaded in (amq.Filter.from_bytes(withheld, **secret), amq.load(path, **secret)):
        for it in (loaded, loaded.copy()):
            assert it.to_bytes() == it.save_bytes() == it.to_bytes(secret=False) == withheld
            it.save(tmp_path / "again.amq")
            assert (tmp_path / "again.amq").read_bytes() == withheld
            refuses_pickling(it)
            for tell in (it.to_bytes, lambda **how: it.save(tmp_path / "told.amq", **how)):
                with pytest.raises(ValueError, match="was left out of the file"):
                    tell(secret=True)
            assert not (tmp_path / "told.amq").exists()
        loaded.add("b")
        assert "b" in loaded
        refuses_pickling(loaded)
        for change in ["merge"] * (kind in MERGE) + ["intersection_update"] * (kind in BLOOM):
            mixed = kind(100, **secret)
            mixed.add("c")
            getattr(mixed, change)(loaded)
            assert mixed.to_bytes() == mixed.to_bytes(secret=False)
            refuses_pickling(mixed)


def test_a_file_under_a_secret_key_is_opened_where_it_lies(tmp_path):
    key, told, withheld = b"k" * 16, tmp_path / "told.amq", tmp_path / "withheld.amq"
    filter = amq.BlockedBloomFilter(1000, key=key)
    filter.update(range(500))
    filter.save(told)
    filter.save(withheld, secret=False)
    answers = filter.contains(range(2000)).tolist()
    for view in (amq.open(told), amq.open(told, key=key), amq.open(withheld, key=key)):
        assert view.contains(range(2000)).tolist() == answers
        assert [key in view for key in range(2000)] == answers
    assert 5 in pickle.loads(pickle.dumps(amq.open(told)))
    refuses_pickling(amq.open(withheld, key=key))
    with pytest.raises(amq.DecodeError, match="omits"):
        amq.open(withheld)
    for path in (told, withheld):
        with pytest.raises(amq.DecodeError):
            amq.open(path, key=b"l" * 16)
    seeded = tmp_path / "seeded.amq"
    amq.BloomFilter(10).save(seeded)
    with pytest.raises(amq.DecodeError):
        amq.open(seeded, key=key)
    with pytest.raises(ValueError, match="a key has 16 bytes"):
        amq.open(told, key=b"short")


def refused(operation, *arguments, **options):
    with pytest.raises(amq.DecodeError) as error:
        operation(*arguments, **options)
    return str(error.value)


def test_a_file_that_is_not_read_says_what_python_is_to_give(tmp_path):
    path = tmp_path / "f.amq"
    amq.BloomFilter(10, hash_func=digest).save(path)
    assert "amq.load(path, hash_func) reads it" in refused(amq.open, path)
    amq.BloomFilter(10, seed=7).save(path, secret=False)
    assert "give it, as seed=" in refused(amq.load, path)
    assert "A file that stores its seed is read without" in refused(amq.load, path, seed=8)
    assert "amq.load(path, seed=...) reads it" in refused(amq.open, path)
    assert "leave key= out" in refused(amq.load, path, key=b"k" * 16)
    amq.BloomFilter(10, key=b"k" * 16).save(path, secret=False)
    assert "give it, as key=" in refused(amq.load, path) == refused(amq.open, path)
    amq.RibbonMap.build({"a": 5}).save(path)
    for operation in (amq.open, amq.Filter.load):
        assert "a map, which gives every key a value and denies none: amq.load reads it" in refused(operation, path)
    assert "the command amq and the library in Rust do" in refused(amq.load, GOLDEN / "sharded-small.amq")
    assert "a rolling filter: amq.load reads it" in refused(amq.open, GOLDEN / "rolling-empty.amq")


def test_a_map_keeps_a_withheld_seed(tmp_path):
    path = tmp_path / "m.amq"
    map = amq.RibbonMap.build({"a": 5}, seed=0xAB5EC3E7)
    map.save(path, secret=False)
    withheld = path.read_bytes()
    assert withheld == map.to_bytes(secret=False) != map.to_bytes()
    with pytest.raises(amq.DecodeError, match="omits"):
        amq.load(path)
    for loaded in (
        amq.load(path, seed=0xAB5EC3E7),
        amq.RibbonMap.load(path, seed=0xAB5EC3E7),
        amq.RibbonMap.from_bytes(withheld, seed=0xAB5EC3E7),
    ):
        assert loaded == map and loaded["a"] == 5 and loaded.to_bytes() == withheld
        refuses_pickling(loaded)
        with pytest.raises(ValueError, match="was left out of the file"):
            loaded.to_bytes(secret=True)
    map.save(path)
    told = amq.load(path, seed=0xAB5EC3E7)
    assert told.to_bytes() == map.to_bytes() and pickle.loads(pickle.dumps(told)) == map


def test_one_way_to_hash_at_a_time():
    for pair in ({"seed": 1, "key": b"k" * 16}, {"seed": 1, "hash_func": digest}):
        with pytest.raises(ValueError, match="give one of seed, key and hash_func"):
            amq.BloomFilter(10, **pair)
    for bad in ("k" * 16, 7):
        with pytest.raises(TypeError, match="a key is 16 bytes, and no"):
            amq.BloomFilter(10, key=bad)
    for bad in (b"", b"k" * 15, b"k" * 17):
        with pytest.raises(ValueError, match="a key has 16 bytes"):
            amq.BloomFilter(10, key=bad)


def test_no_text_shows_a_secret():
    secret = b"sixteen bytes !!"
    filter = amq.BloomFilter(10, key=secret)
    assert "sixteen" not in repr(filter) + repr(filter.stats())


@pytest.mark.parametrize("weak", [lambda key: key, lambda key: zlib.crc32(b"%d" % key)])
def test_a_weak_hash_func_is_refused_and_its_hashes_are_keys(weak):
    for kind in (amq.BloomFilter, amq.BlockedBloomFilter, amq.CountingBloomFilter, amq.QuotientFilter):
        filter = kind(10_000, 0.002, hash_func=weak)
        for key in range(999):
            filter.add(key)
        before = filter.to_bytes()
        for change in (lambda: filter.add(999), lambda: filter.update(range(900, 5000))):
            with pytest.raises(ValueError, match="1000 different hashes of hash_func.*XXH3"):
                change()
            assert filter.to_bytes() == before
        filter.add(7)  # another copy of a key shows nothing new
        with pytest.raises(ValueError, match="highest 16 bits, 0x0000"):
            kind(10_000, hash_func=weak).update(range(5000))
        with pytest.raises(ValueError, match="highest 16 bits, 0x0000"):
            kind.build(range(5000), hash_func=weak)
        # The way out.
        filter = kind(10_000, 0.002)
        filter.update(map(weak, range(10_000)))
        assert sum(weak(key) in filter for key in range(1 << 20, (1 << 20) + 20_000)) < 100
    with pytest.raises(ValueError, match="hash_func"):
        amq.RibbonFilter.build(range(5000), hash_func=weak)


def test_a_good_hash_func_is_never_refused():
    filter = amq.BloomFilter(100_000, hash_func=spread)
    filter.update(range(50_000))
    for key in range(50_000, 55_000):
        filter.add(key)
    few = amq.BloomFilter(10_000, hash_func=lambda key: key)
    few.update(list(range(999)) * 3)
    few.add(2**63)
    few.update(range(2000))  # one that differs is enough
    assert all(key in few for key in range(2000))


def test_a_hash_is_asked_of_many_filters():
    keys = ["alice", b"bob", 7, -1, True, 2**100, ("a", 1), ""]
    for options in ({}, {"seed": 9}, {"key": bytes(range(16))}):
        filters = [kind(100, 1e-6, **options) for kind in INSERT if kind.kind != "expandable-quotient"]
        for filter in filters:
            filter.update(keys[::2])
        for place, key in enumerate(keys):
            hashed = amq.hash(key, **options)
            assert 0 <= hashed < 2**64
            for filter in filters:
                assert filter.contains_hash(hashed) == (key in filter) == (place % 2 == 0)
        hashes = amq.hashes(keys, **options)
        assert hashes.dtype == np.uint64 and hashes.tolist() == [amq.hash(key, **options) for key in keys]
        for filter in filters:
            assert filter.contains_hashes(hashes).tolist() == filter.contains(keys).tolist()
    assert amq.hash("alice") == xxhash.xxh3_64_intdigest(b"alice")
    assert amq.hash("alice") != amq.hash("alice", seed=1)


def test_hashes_of_arrays_and_of_a_mapped_and_a_static_filter(tmp_path):
    keys = np.arange(300_000)
    built = amq.FuseFilter.build(keys, 1e-6)
    built.save(tmp_path / "f.amq")
    hashes = amq.hashes(np.arange(600_000))
    for filter in (built, amq.open(tmp_path / "f.amq")):
        answers = filter.contains_hashes(hashes)
        assert answers[:300_000].all() and answers[300_000:].sum() < 10
    assert (amq.hashes(amq.Columns(keys, keys))[:3] == [amq.hash((key, key)) for key in range(3)]).all()
    assert amq.hashes([]).tolist() == [] and built.contains_hashes(np.array([], np.uint64)).tolist() == []


def test_hashes_that_are_none_are_refused():
    filter = amq.BloomFilter(10)
    for wrong in (-1, 2**64, 1.5, "a", None):
        with pytest.raises((TypeError, ValueError)):
            filter.contains_hash(wrong)
    for wrong in (np.arange(3), np.arange(3.0), [1, 2], "ab", 5, np.zeros((2, 2), np.uint64)):
        with pytest.raises(TypeError, match="an array of numpy.uint64 in one dimension"):
            filter.contains_hashes(wrong)
    for wrong in (1.5, None, {}):
        with pytest.raises(TypeError):
            amq.hash(wrong)
    with pytest.raises(ValueError):
        amq.hash("a", seed=1, key=bytes(range(16)))
    with pytest.raises(TypeError):
        amq.hashes(pa.array([1, None]))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes of Python have buffers from 3.12 on")
def test_what_a_buffer_raises_is_passed_on():
    class Interrupted:
        def __buffer__(self, flags):
            raise KeyboardInterrupt

    for take in (amq.BloomFilter(10).contains_hashes, amq.BloomFilter(10).update):
        with pytest.raises(KeyboardInterrupt):
            take(Interrupted())
