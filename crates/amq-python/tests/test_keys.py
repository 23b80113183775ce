"""Keys: one encoding, that of the library."""

import datetime
import os
import pathlib
import struct
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amq

READER = pathlib.Path(__file__).parents[2] / "amq-core" / "reader"
sys.path.insert(0, str(READER))

import amq_reader  # noqa: E402

LEAVES = st.one_of(
    st.text(),
    st.binary(),
    st.integers(-(2**63), 2**64 - 1),
    st.booleans(),
)
KEYS = st.recursive(LEAVES, lambda parts: st.lists(parts, min_size=1, max_size=4).map(tuple))


def only(it, **secret):
    """A filter with one key, which is told from every other."""
    filter = amq.BloomFilter(10, 1e-12, **secret)
    filter.add(it)
    return filter


def hashes_as(key, encoded):
    secrets = {"seed": 9}, {"key": b"k" * 16}
    return all(only(key, **secret) == only(encoded, **secret) for secret in secrets)


@settings(deadline=None)
@given(KEYS)
def test_every_key_is_hashed_as_the_second_reader_encodes_it(key):
    assert hashes_as(key, amq_reader.encoding(key))


@pytest.mark.parametrize(
    "key, encoded",
    [
        ("amq", b"amq"),
        ("grün", "grün".encode()),
        ("", b""),
        (bytearray(b"amq"), b"amq"),
        (memoryview(b"amq"), b"amq"),
        (memoryview(b"abcdef")[::2], b"ace"),
        (True, struct.pack("<Q", 1)),
        (-1, struct.pack("<q", -1)),
        (2**64 - 1, struct.pack("<q", -1)),
        (-(2**63), struct.pack("<q", -(2**63))),
        (2**64, (2**64).to_bytes(16, "little")),
        (2**128 - 1, b"\xff" * 16),
        (-(2**127), (-(2**127)).to_bytes(16, "little", signed=True)),
        (-(2**63) - 1, (-(2**63) - 1).to_bytes(16, "little", signed=True)),
        (("ab",), struct.pack("<Q", 2) + b"ab"),
        ((1, -1), struct.pack("<Qq", 1, -1)),
        ((1, (2, "c")), struct.pack("<QQQ", 1, 2, 1) + b"c"),
        ((2**100, True), (2**100).to_bytes(16, "little") + struct.pack("<Q", 1)),
        ((bytearray(b"x"), memoryview(b"y")), b"\1\0\0\0\0\0\0\0x\1\0\0\0\0\0\0\0y"),
    ],
)
def test_a_key_is_the_bytes_that_the_format_says(key, encoded):
    assert hashes_as(key, encoded)


class Text(str):
    pass


class Number(int):
    pass


class Index:
    def __index__(self):
        return 7


def test_subclasses_and_what_stands_for_an_integer_are_that_key():
    assert hashes_as(Text("a"), b"a")
    assert hashes_as(Number(7), struct.pack("<Q", 7))
    assert hashes_as(Index(), struct.pack("<Q", 7))


def test_a_long_integer_of_a_subclass_is_its_value():
    for value in (2**100, -(2**100), 2**127):
        lying = type("Lying", (int,), {"__rshift__": lambda *_: 5, "__index__": lambda _: 5})(value)
        assert only(lying) == only(value)


def test_scalars_of_numpy_are_the_keys_they_stand_for():
    np = pytest.importorskip("numpy")
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64):
        assert hashes_as(kind(7), struct.pack("<Q", 7))
    assert hashes_as(np.int8(-1), b"\xff" * 8)
    assert hashes_as(np.uint64(2**64 - 1), b"\xff" * 8)
    assert hashes_as(np.bool_(True), struct.pack("<Q", 1))
    assert hashes_as(np.str_("ab"), b"ab")
    assert hashes_as(np.bytes_(b"ab"), b"ab")
    for key in (np.float32(1), np.float64(1), np.array([1])):
        with pytest.raises(TypeError):
            only(key)
    for key in (np.datetime64("2026-01-01"), np.datetime64(5, "us"), np.timedelta64(5)):
        with pytest.raises(TypeError, match="decide on a unit and a time zone"):
            only(key)


def nested(depth):
    key = 1
    for _ in range(depth):
        key = (key,)
    return key


def test_tuples_within_tuples_have_a_bottom():
    assert nested(64) in only(nested(64))
    with pytest.raises(ValueError, match="more than 64 tuples"):
        only(nested(65))
    with pytest.raises(ValueError, match="more than 64 tuples"):
        only(nested(100_000))


@pytest.mark.parametrize(
    "key, error, text",
    [
        (1.5, TypeError, "float 1.5 is no key"),
        (float("nan"), TypeError, "float nan is no key"),
        (None, TypeError, "None is no key"),
        ((1, None), TypeError, "None is no key"),
        ((1, 2.5), TypeError, "float 2.5 is no key"),
        ((), ValueError, "an empty tuple is no key"),
        (2**128, ValueError, r"an integer below .* from 2\*\*128 on is no key"),
        (-(2**127) - 1, ValueError, r"an integer below -2\*\*127 .* is no key"),
        (datetime.date(2026, 1, 1), TypeError, "decide on a unit and a time zone"),
        (datetime.datetime(2026, 1, 1), TypeError, "decide on a unit and a time zone"),
        (datetime.time(12), TypeError, "decide on a unit and a time zone"),
        (datetime.timedelta(1), TypeError, "decide on a unit and a time zone"),
        ((1, datetime.date(2026, 1, 1)), TypeError, "decide on a unit and a time zone"),
        ([1], TypeError, "list .* is no key"),
        ({}, TypeError, "dict .* is no key"),
        (object(), TypeError, "object .* is no key"),
        (1j, TypeError, "complex 1j is no key"),
        ("\ud800", UnicodeEncodeError, r"surrogates have no UTF-8: take os.fsencode\(key\)"),
    ],
    ids=repr,
)
def test_what_is_no_key_is_refused_and_changes_nothing(key, error, text):
    for secret in ({}, {"key": b"k" * 16}):
        filter = amq.CuckooFilter(10, **secret)
        for operation in (
            filter.add,
            filter.__contains__,
            filter.discard,
            filter.remove,
            filter.count,
            lambda key: filter.update(["a", key]),
            lambda key: filter.contains(["a", key]),
        ):
            with pytest.raises(error, match=text):
                operation(key)
        assert len(filter) == 0 and filter == amq.CuckooFilter(10, **secret)


class Broken:
    def __index__(self):
        raise RuntimeError("not today")


def test_an_exception_of_the_key_comes_through():
    with pytest.raises(RuntimeError, match="not today"):
        only(Broken())


def test_a_class_may_say_what_it_likes_of_its_module():
    for module in (None, 5, "\ud800"):
        keys = type("Keys", (), {"__module__": module, "__iter__": lambda _: iter(["a", "b"])})()
        filter = amq.BloomFilter(10)
        assert filter.update(keys) == 2 and filter.contains(keys).all()
        with pytest.raises(TypeError, match="Keys .* is no key"):
            filter.add(keys)


def raising(method, **others):
    def interrupted(*_):
        raise KeyboardInterrupt

    return type("Raising", (), {method: interrupted, **others})()


@pytest.mark.parametrize(
    "operation",
    [
        lambda: amq.plan(raising("__repr__"), 10),
        lambda: amq.BloomFilter(raising("__repr__")),
        lambda: amq.BloomFilter(raising("__index__")),
        lambda: amq.BloomFilter(10, raising("__repr__")),
        lambda: amq.BloomFilter(10, raising("__float__")),
        lambda: amq.choose(keys=10, fpr=raising("__float__")),
        lambda: amq.BloomFilter(10, hash_func=lambda _: raising("__index__")).add(1),
        lambda: amq.BloomFilter(10, hash_func=lambda _: raising("__repr__")).add(1),
        lambda: amq.BloomFilter(10, hash_func=raising("__eq__", __call__=abs))
        == amq.BloomFilter(10, hash_func=abs),
        lambda: amq.BloomFilter(10).add(raising("__repr__")),
        lambda: amq.BloomFilter(10).update(raising("__len__", __iter__=lambda _: iter([1]))),
        lambda: amq.RibbonMap.build([1], [raising("__index__")]),
        lambda: amq.RibbonMap.build([1], [raising("__repr__")]),
    ],
)
def test_what_a_handler_of_signals_raises_is_passed_on(operation):
    """It comes out of whatever runs code of Python."""
    with pytest.raises(KeyboardInterrupt):
        operation()


def test_every_process_has_the_same_bits():
    program = (
        "import amq, sys; f = amq.BloomFilter(100, seed=3); "
        "f.update(['a', b'b', 3, (4, 'c')]); sys.stdout.buffer.write(f.to_bytes())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(runs) == 1
    filter = amq.Filter.from_bytes(runs.pop())
    assert all(key in filter for key in ["a", b"b", 3, (4, "c")])


def test_a_file_says_how_its_keys_were_encoded():
    def said(*keys):
        filter = amq.BloomFilter(100)
        for key in keys:
            filter.add(key)
        many = amq.BloomFilter(100)
        many.update(keys)
        assert filter.to_bytes() == many.to_bytes()
        return amq_reader.loads(filter.to_bytes()).encoding

    assert said("a", b"b", bytearray(b"c")) == {"bytes"}
    assert said(1, True, -5) == {"integers"}
    assert said(1, "a") == {"bytes", "integers"}
    for other in ((1, 2), 2**64):
        assert said("a", other) == set() and said(other) == set()
    # A refused key is not in it.
    full = amq.CuckooFilter(1)
    with pytest.raises(amq.Full):
        full.update(["a"] * 100)
    while True:
        try:
            full.add("a")
        except amq.Full:
            break
    before = full.to_bytes()
    for refused in (lambda: full.add((1, 2)), lambda: full.update([(1, 2)])):
        with pytest.raises(amq.Full):
            for _ in range(100):
                refused()
                before = full.to_bytes()
        assert full.to_bytes() == before
    emptied = amq.BloomFilter(10)
    emptied.add("a")
    emptied.clear()
    emptied.add(1)
    assert amq_reader.loads(emptied.to_bytes()).encoding == {"integers"}


def said_to_be(content, flags):
    """The same file, but for what it says of its keys."""
    content = bytearray(content)
    content[20] = content[20] & ~7 | flags
    content[184:192] = struct.pack("<Q", amq_reader.digest(bytes(content[:184])))
    return bytes(content)


def test_text_is_refused_by_a_filter_of_hexadecimal_digests(tmp_path):
    digests = [bytes([number] * 4) for number in range(20)]
    made = amq.CuckooFilter(100)
    made.update(digests)
    content = said_to_be(made.to_bytes(), 5)
    assert amq_reader.loads(content).encoding == {"hex"}
    path = tmp_path / "hex.amq"
    path.write_bytes(content)
    filter = amq.load(path)
    for asked in (filter, amq.open(path), filter.copy()):
        assert digests[3] in asked and asked.contains(digests).all() and 3 not in asked
        for refused in (
            lambda: "03030303" in asked,
            lambda: asked.contains(["03030303"]),
            lambda: asked.contains([b"", "03030303"]),
        ):
            with pytest.raises(TypeError, match="bytes.fromhex"):
                refused()
    for refused in (filter.add, filter.discard, filter.remove, filter.count, lambda key: filter.update([key])):
        with pytest.raises(TypeError, match="bytes.fromhex"):
            refused("03030303")
    assert filter.to_bytes() == content
    # Of bytes nobody knows whether they were digits; and of no keys it does not matter.
    filter.add(b"more")
    assert "03030303" not in filter
    merged = amq.CuckooFilter(100)
    merged.merge(amq.Filter.from_bytes(content))
    with pytest.raises(TypeError, match="bytes.fromhex"):
        merged.add("03030303")
    merged.clear()
    assert "03030303" not in merged and merged.add("03030303")
    assert amq_reader.loads(merged.to_bytes()).encoding == {"bytes"}


@pytest.mark.parametrize("flags", range(8))
def test_whatever_a_file_says_of_its_keys_none_is_denied(flags):
    for keys in (["a", b"b"], [1, 2**64 - 1], [(1, "a"), 2**100]):
        filter = amq.BloomFilter(100)
        filter.update(keys)
        loaded = amq.Filter.from_bytes(said_to_be(filter.to_bytes(), flags))
        for key in keys:
            try:
                assert key in loaded
            except TypeError as refused:
                assert "the filter's keys are" in str(refused)


def test_a_filter_of_instants_takes_pairs_and_refuses_other_keys():
    path = READER.parents[1] / "amq" / "tests" / "golden" / "keys-instants.amq"
    loaded, opened = amq.load(path), amq.open(path)
    for filter in (loaded, opened):
        assert (7, 0) in filter and filter.contains([(7, 0), (8, 0)]).all()
        assert filter.contains([]).tolist() == []
        for key in (7, "1970-01-01", b"7", True):
            for ask in (filter.__contains__, lambda key: filter.contains([key])):
                with pytest.raises(TypeError, match=r"instants.*\(seconds, nanoseconds\)"):
                    ask(key)
        with pytest.raises(TypeError, match="instants"):
            filter.contains([7, "a"])
    before = loaded.to_bytes()
    for refused in (loaded.add, lambda key: loaded.update([key])):
        with pytest.raises(TypeError, match="instants"):
            refused("text")
    assert loaded.to_bytes() == before


def test_a_filter_of_dates_is_asked_for_days():
    filter = amq.BloomFilter(100)
    filter.update(range(10))
    dates = amq.Filter.from_bytes(said_to_be(filter.to_bytes(), 6))
    assert 3 in dates and dates.contains([3, 4]).all()
    for key in ("1970-01-04", b"3", (3, 0)):
        for ask in (dates.__contains__, dates.add, lambda key: dates.contains([key])):
            with pytest.raises(TypeError, match="the filter's keys are dates"):
                ask(key)


def limited(bytes, code):
    """Runs code with so much memory more than it begins with; returns what it prints and how it ends."""
    begin = (
        "import amq, itertools, resource\n"
        "held = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        f"resource.setrlimit(resource.RLIMIT_AS, (held + {bytes},) * 2)\n"
    )
    run = subprocess.run([sys.executable, "-c", begin + code], capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def test_nested_tuples_with_too_large_an_encoding_are_refused():
    shared = ("x",)
    for _ in range(40):
        shared = (shared, shared)
    filter = amq.BloomFilter(10)
    for call in (filter.add, filter.__contains__, lambda key: filter.update([key])):
        for key in (shared, ("x" * 10**6,) * 10**3):
            with pytest.raises(ValueError, match="more than 268435456 bytes in all: take a digest"):
                call(key)
    assert len(filter) == 0
    large = ("x" * 10**6,) * 100
    filter.add(large)
    assert large in filter


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits its memory as Linux does")
@pytest.mark.parametrize(
    "code",
    [
        "try: amq.BloomFilter(10).add(('x' * 10**6,) * 200)\nexcept MemoryError: print('refused')",
        "key = (bytearray(60 << 20),)\ntry: key in amq.BloomFilter(10)\nexcept MemoryError: print('refused')",
        "try: amq.RibbonMap.build([1, 2], itertools.repeat(0))\nexcept ValueError: print('refused')",
        "try: amq.RibbonMap.build(range(10**9), [1])\nexcept MemoryError: print('refused')",
    ],
)
def test_no_key_ends_a_process_that_has_no_memory_for_it(code):
    assert limited(100 << 20, code) == (0, "refused\n")
