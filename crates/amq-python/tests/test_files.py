"""Files: the workspace's golden ones, and damaged ones."""

import array
import ctypes
import os
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from kinds import INSERT, name

import amq

CRATES = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(CRATES / "amq-core" / "reader"))

import amq_reader  # noqa: E402

GOLDEN = [
    path
    for path in sorted(CRATES.glob("*/tests/golden/*.amq"))
    # Files of kinds that were withdrawn are no filters; see test_reader.py.
    if path.read_bytes()[16] not in amq_reader.WITHDRAWN
]
# Which kinds are files beside the filters, and read as no filter.
OTHERS = {"RibbonMap", "Sharded", "Rolling", "Interleaved"}
STREAM = 1_000_000


def record(path):
    """The secret of a golden file, its number of keys, and its first false positives."""
    text = path.with_suffix(".txt").read_text()
    seed = re.search(r"^seed: (\d+)$", text, re.M)
    key = re.search(r"^key: ([0-9a-f]{32})$", text, re.M)
    secret = {"seed": int(seed[1])} if seed else {"key": bytes.fromhex(key[1])} if key else {}
    keys = int(re.search(r"^keys: 0\.\.(\d+)$", text, re.M)[1])
    answers = re.search(r"^(?:false positives|values) from %d on: ?(.*)$" % STREAM, text, re.M)[1]
    return secret, keys, [int(answer) for answer in answers.split()]


def remix(key):
    return amq_reader.remix(key, 0)


def loads(content, path):
    """The filter in the bytes of a golden file, as its record says that it is read."""
    secret, _, _ = record(path)
    if not secret:
        return amq.Filter.from_bytes(content, remix)
    withheld = path.read_bytes()[22] & 1
    return amq.Filter.from_bytes(content, **(secret if withheld else {}))


def asked_as(path):
    """What the key of a number is: of a file of instants the second of that number."""
    return (lambda key: (key, 0)) if path.read_bytes()[20] == 4 else lambda key: key


def kind_of(path):
    return amq_reader.KINDS[path.read_bytes()[16]].__name__


FILTERS = [path for path in GOLDEN if kind_of(path) not in OTHERS]
# Those whose keys the caller hashed are not read.
ROLLING = [path for path in GOLDEN if kind_of(path) == "Rolling" and "by-caller" not in path.stem]


def test_the_golden_files_are_there():
    assert len(GOLDEN) > 80 and len(FILTERS) > 60 and len(ROLLING) == 4
    assert {kind_of(path) for path in FILTERS} == {
        kind.__name__ for kind in amq_reader.KINDS.values()
    } - OTHERS


@pytest.mark.parametrize("path", FILTERS + ROLLING, ids=lambda path: path.stem)
def test_golden_files_answer_as_recorded(path):
    content = path.read_bytes()
    _, keys, expected = record(path)
    filter, key_of = loads(content, path), asked_as(path)
    assert filter.contains([key_of(key) for key in range(keys)]).all()
    end = expected[-1] + 1 if len(expected) == 20 else STREAM + 100_000
    asked = range(STREAM, end)
    answers = filter.contains([key_of(key) for key in asked])
    assert [key for key, answer in zip(asked, answers) if answer] == expected
    assert [key for key in asked[:1000] if key_of(key) in filter] == [
        key for key in expected if key < STREAM + 1000
    ]
    assert filter.to_bytes() == content
    if content[22] & 1:
        with pytest.raises(TypeError, match="a pickle tells"):
            pickle.dumps(filter)
    else:
        assert type(amq.load(path, filter.hash_func)) is type(filter)
        assert pickle.loads(pickle.dumps(filter)) == filter
    assert filter.copy() == filter


@pytest.mark.parametrize("path", set(GOLDEN) - {*FILTERS, *ROLLING}, ids=lambda path: path.stem)
def test_files_that_hold_no_single_filter_are_refused_by_name(path):
    content = path.read_bytes()
    with pytest.raises(amq.DecodeError):
        loads(content, path)


@pytest.mark.parametrize("path", FILTERS, ids=lambda path: path.stem)
def test_golden_files_answer_where_they_lie(path, tmp_path):
    content = path.read_bytes()
    secret, keys, expected = record(path)
    given = {}
    if not secret or content[22] & 1:
        with pytest.raises(amq.DecodeError):
            amq.open(path)
        if "key" not in secret:
            return
        given = secret
    filter, key_of = loads(content, path), asked_as(path)
    absent = [key_of(key) for key in range(STREAM, STREAM + 3000)]
    for view in (amq.open(path, **given), amq.open(path, check=False, **given)):
        assert isinstance(view, amq.FilterView) and view.kind == filter.kind
        assert view.contains([key_of(key) for key in range(keys)]).all()
        assert view.contains(absent).tolist() == [key in filter for key in absent]
        ours, theirs = view.stats(), filter.stats()
        # A view knows no estimate of its different keys.
        assert ours.pop("bits_per_key") is not None and theirs.pop("bits_per_key") is not None
        assert str(ours) == str(theirs) and len(view) == len(filter)
        if given:
            with pytest.raises(TypeError, match="a pickle tells"):
                pickle.dumps(view)
        else:
            assert str(pickle.loads(pickle.dumps(view)).stats()) == str(view.stats())
        assert view.copy() is view
        for refused in (view.to_bytes, lambda: view.save(tmp_path / "x.amq")):
            with pytest.raises(TypeError, match="opened in its file"):
                refused()
    if isinstance(filter, amq.InsertFilter):
        with pytest.raises(TypeError, match="opened in its file"):
            filter.merge(view)


@pytest.mark.parametrize("path", FILTERS, ids=lambda path: path.stem)
def test_damaged_bytes_are_refused(path, tmp_path):
    content = path.read_bytes()
    damaged = tmp_path / "damaged.amq"
    lengths = range(0, len(content), max(1, len(content) // 40))
    bits = range(0, len(content) * 8, max(7, len(content) // 4 | 1))
    for wrong in (
        *(content[:length] for length in lengths),
        content + b"\0",
        *(flipped(content, bit) for bit in bits),
    ):
        with pytest.raises((amq.DecodeError, MemoryError)):
            loads(wrong, path)
        damaged.write_bytes(wrong)
        for read in (amq.load, amq.open):
            with pytest.raises((amq.DecodeError, MemoryError)):
                read(damaged)
    # Whoever maps less than the header says would read behind the end.
    for length in lengths:
        damaged.write_bytes(content[:length])
        with pytest.raises(amq.DecodeError):
            amq.open(damaged, check=False)


def flipped(content, bit):
    content = bytearray(content)
    content[bit // 8] ^= 1 << bit % 8
    return bytes(content)


@pytest.mark.parametrize("kind", INSERT, ids=name)
def test_a_saved_filter_is_loaded_as_it_was(kind, tmp_path):
    path = tmp_path / "f.amq"
    filter = kind(1000, seed=5)
    filter.update(f"key {number}" for number in range(500))
    filter.save(path)
    filter.save(str(path))  # replaces it
    assert path.read_bytes() == filter.to_bytes() == filter.save_bytes()
    for loaded in (amq.load(path), amq.Filter.load(str(path)), kind.load(path)):
        assert type(loaded) is kind and loaded == filter
    assert kind.load_bytes(filter.save_bytes()) == filter
    reader = amq_reader.load(path)
    assert all(f"key {number}" in reader for number in range(500))
    assert [f"other {n}" in reader for n in range(300)] == filter.contains(
        [f"other {n}" for n in range(300)]
    ).tolist()
    for other in INSERT:
        if other is not kind:
            with pytest.raises(amq.DecodeError):
                other.load(path)


def test_errors_of_the_system_are_its_own_and_name_the_path(tmp_path):
    missing = tmp_path / "no" / "such.amq"
    for operation in (amq.load, amq.open, amq.BloomFilter(10).save):
        with pytest.raises(FileNotFoundError, match="such.amq") as raised:
            operation(missing)
        assert raised.value.filename == str(missing)
    for operation in (amq.load, amq.open):
        with pytest.raises(OSError):
            operation(tmp_path)
    empty = tmp_path / "empty.amq"
    empty.touch()
    for operation in (amq.load, amq.open):
        with pytest.raises(amq.DecodeError):
            operation(empty)
    (tmp_path / "text").write_text("no filter at all")
    with pytest.raises(amq.DecodeError, match="magic"):
        amq.load(tmp_path / "text")


def test_a_path_is_what_open_of_python_takes(tmp_path):
    path, filter = tmp_path / "ü.amq", amq.BloomFilter(10)
    for given in (path, str(path), os.fsencode(path)):
        filter.save(given)
        for loaded in (amq.load(given), amq.BloomFilter.load(given)):
            assert loaded == filter
        assert amq.open(given).kind == "bloom"
        path.unlink()
    for given in (3, None, bytearray(b"x")):
        for operation in (filter.save, amq.load, amq.open):
            with pytest.raises(TypeError, match="expected str, bytes or os.PathLike object, not "):
                operation(given)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
@pytest.mark.parametrize("opened", [amq.load, amq.open, amq.RibbonMap.load])
def test_what_is_no_file_is_refused_as_by_python(opened, tmp_path):
    for path, error in [
        (tmp_path / "missing", FileNotFoundError),
        (tmp_path, IsADirectoryError),
        ("", FileNotFoundError),
        ("a\0b", ValueError),
        (b"a\0b", ValueError),
        (3, TypeError),
    ]:
        with pytest.raises(error) as of_python:
            open(path if path != 3 else None)
        with pytest.raises(type(of_python.value)):
            opened(path)


def test_a_pipe_is_refused_at_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for operation in (amq.load, amq.open, amq.BloomFilter.load, amq.RibbonMap.load):
        with pytest.raises(OSError, match="pipe: not a regular file"):
            operation(pipe)


LIMITED = """
import resource, sys
import amq
kind = amq.BloomFilter(8 * 10**8, 0.01) # 960 MB
small = amq.BloomFilter(10)
room = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + 2**26
resource.setrlimit(resource.RLIMIT_AS, (room, room))
for operation in (
    kind.to_bytes,
    kind.__reduce__,
    kind.copy,
    lambda: kind | kind,
    lambda: kind <= amq.BloomFilter(8 * 10**8, 0.01),
    lambda: small.contains(range(10**10)),
    lambda: small.update(range(10**10)),
    lambda: amq.FuseFilter.build(range(10**10)),
    lambda: amq.RibbonMap.build(range(10**10), range(10**10)),
):
    try:
        operation()
    except MemoryError:
        continue
    sys.exit(f"{operation} found room")
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="there is no limit of memory")
def test_without_memory_there_is_an_exception_and_a_process():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", LIMITED], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_a_newer_version_is_named():
    content = bytearray(amq.BloomFilter(10).to_bytes())
    content[8:10] = (7).to_bytes(2, "little")
    with pytest.raises(amq.DecodeError, match="7"):
        amq.Filter.from_bytes(bytes(content))


def test_what_is_no_bytes_is_refused():
    for data in ("text", 3, None, [1, 2]):
        with pytest.raises(TypeError):
            amq.Filter.from_bytes(data)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_mapped_filter_survives_its_file_being_replaced(tmp_path):
    path = tmp_path / "f.amq"
    filter = amq.BloomFilter(1000)
    filter.add("a")
    filter.save(path)
    view = amq.open(path)
    other = amq.BloomFilter(1000)
    other.add("b")
    other.save(path)
    assert "a" in view and "b" not in view and "b" in amq.open(path)
    path.unlink()
    assert "a" in view
    program = f"import amq; assert 'b' in amq.BloomFilter.from_bytes({other.to_bytes()!r})"
    subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": os.pathsep.join(sys.path)})


def test_bytes_may_be_in_any_buffer():
    pa = pytest.importorskip("pyarrow")
    filter = amq.BloomFilter(1000)
    filter.update(range(1000))
    content = filter.to_bytes()
    twice = bytes(byte for byte in content for _ in range(2))
    for data in (
        (ctypes.c_ubyte * len(content)).from_buffer_copy(content),
        array.array("I", content),
        memoryview(content).cast("b"),
        memoryview(twice)[::2],
        np.frombuffer(content, np.int64),
        pa.py_buffer(content),
    ):
        assert amq.Filter.from_bytes(data) == filter
    with pytest.raises(amq.DecodeError):
        amq.Filter.from_bytes(np.zeros(()))
    with pytest.raises(TypeError):
        amq.Filter.from_bytes("text")


def test_a_damaged_file_is_named(tmp_path):
    damaged = tmp_path / "damaged.amq"
    damaged.write_bytes(b"x" * 500)
    for opened in (amq.load, amq.open, amq.RibbonMap.load):
        with pytest.raises(amq.DecodeError, match=re.escape(f"{damaged}: ")):
            opened(damaged)


def test_a_view_of_another_class_waits_for_nobody(tmp_path):
    amq.BloomFilter(100).save(tmp_path / "a.amq")
    view = amq.open(tmp_path / "a.amq")
    view.__class__ = amq.BloomFilter
    for call in (lambda: view & view, lambda: view | view, lambda: view.__ior__(view)):
        try:
            call()
        except TypeError:
            pass
    assert 1 not in view


def test_a_key_of_zeros_is_refused_at_once():
    for make in (amq.BloomFilter, amq.FuseFilter.build):
        with pytest.raises(ValueError, match="a key of zeros is no secret"):
            make(1000 if make is amq.BloomFilter else [1], key=bytes(16))


def test_a_length_has_the_most_that_python_has():
    ours, theirs = amq.BloomFilter(10), amq.BloomFilter(10)
    ours.add(1), theirs.add(2)
    for _ in range(60):
        ours.merge(theirs), theirs.merge(ours)
    assert len(ours) == sys.maxsize and ours


def test_a_filter_is_truncated_in_memory_and_as_it_is_loaded(tmp_path):
    keys = range(2000)
    for kind in (amq.RibbonFilter, amq.FuseFilter, amq.QuotientFilter):
        whole = kind.build(keys, 0.0001)
        path = tmp_path / kind.__name__
        whole.save(path)
        small = whole.copy()
        small.truncate(0.02)
        assert all(key in small for key in keys) and 0.005 < small.expected_fpr <= 0.02
        assert small.size_in_bytes < 0.7 * whole.size_in_bytes
        for loaded in (amq.load(path, fpr=0.02), kind.load(path, fpr=0.02)):
            assert type(loaded) is kind and loaded == small
        for limits in ({"bits_per_key": 12}, {"bytes": 3000}):
            loaded, small = amq.load(path, **limits), whole.copy()
            small.truncate(**limits)
            assert loaded == small and loaded.size_in_bytes <= 3000
        for change in (lambda: small.truncate(1e-9), lambda: amq.load(path, fpr=1e-9)):
            with pytest.raises(ValueError, match="truncating cannot lower it"):
                change()
        for wrong in (0.0, 1.0, float("nan")):
            with pytest.raises(ValueError, match="false-positive rate"):
                small.truncate(wrong)
        with pytest.raises(TypeError):
            small.truncate()
        with pytest.raises(ValueError, match="one of"):
            small.truncate(0.1, bytes=100)
        with pytest.raises(TypeError):
            amq.open(path).truncate(0.1)
    cuckoo = amq.CuckooFilter.build(keys, 0.0001)
    cuckoo.save(tmp_path / "cuckoo")
    for change in (lambda: cuckoo.truncate(0.1), lambda: amq.load(tmp_path / "cuckoo", fpr=0.1)):
        with pytest.raises(amq.Unsupported, match="`cuckoo` cannot be truncated"):
            change()


@pytest.mark.parametrize("arguments", [{"key": b"k" * 16}, {"fpr": 0.5}, {"hash_func": len}, {"bytes": 9}])
def test_arguments_that_a_file_does_not_take_are_refused(tmp_path, arguments):
    path, (name,) = tmp_path / "a.amq", arguments
    rolling = amq.Rolling(10, generations=2)
    for saved in (rolling, amq.RibbonMap.build({1: 2}), amq.InterleavedBloomFilter(2, 10)):
        saved.save(path)
        assert amq.load(path, seed=None, key=None, fpr=None) == saved
        with pytest.raises(TypeError, match=f"is loaded without {name}"):
            amq.load(path, **arguments)
    if name in ("key", "hash_func"):
        with pytest.raises(TypeError, match=f"is loaded without {name}"):
            amq.Filter.from_bytes(rolling.to_bytes(), **arguments)
