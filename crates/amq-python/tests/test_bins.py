"""Bins: which of many sets may hold a key."""

import collections
import copy
import gc
import pathlib
import pickle
import re
import sys
import threading

import pytest

import amq
from amq import InterleavedBloomFilter

CRATES = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(CRATES / "amq-core" / "reader"))

import amq_reader  # noqa: E402

GOLDEN = sorted((CRATES / "amq-interleaved/tests/golden").glob("*.amq"))


def sets(bins):
    """Some keys are in several bins; bins differ in their number of keys."""
    return [[key * key % 37 + bin // 3 for key in range(17 * bin % 50)] for bin in range(bins)]


def looped(singles, key):
    return [bin for bin, single in enumerate(singles) if key in single]


@pytest.mark.parametrize("bins", [1, 63, 64, 65, 513])
def test_the_answers_are_those_of_a_loop_over_single_filters(bins):
    goal = {"fpr": 0.02, "seed": 9}
    many = InterleavedBloomFilter(bins, 50, **goal)
    singles = [amq.BlockedBloomFilter(50, **goal) for _ in range(bins)]
    for bin, keys in enumerate(sets(bins)):
        for key in keys:
            assert many.insert(bin, key) == singles[bin].add(key)
        assert many.bin_len(bin) == len(singles[bin])
    answers = many.bins_many(range(300))
    for key in range(300):
        wanted = looped(singles, key)
        assert many.bins(key) == wanted
        assert [bin for bin in range(bins) if answers[key, bin]] == wanted
    assert many.bin_count == bins and many.capacity == 50
    assert len(many) == sum(map(len, singles))


def test_every_way_to_fill_gives_the_same_filter():
    filled = InterleavedBloomFilter(70, 50, 0.02)
    for bin, keys in enumerate(sets(70)):
        assert filled.update(bin, keys) == filled.bin_len(bin)
        assert filled.update(bin, iter(keys)) == 0
    built = InterleavedBloomFilter.build(sets(70), bytes=filled.size_in_bytes // 128)
    assert built.size_in_bytes == filled.size_in_bytes
    assert all(built.bins(key) == filled.bins(key) for key in range(300))
    one, other = (InterleavedBloomFilter.build(these) for these in (sets(70), map(iter, sets(70))))
    assert one == other and one.to_bytes() == other.to_bytes() and one != filled
    assert one != 3 and not one == "text"


def test_a_key_is_always_found_and_others_at_the_rate():
    keys = [range(1000 * bin, 1000 * bin + 1000) for bin in range(100)]
    filter = InterleavedBloomFilter.build(keys, 0.01)
    answers = filter.bins_many(range(100_000))
    assert all(answers[key, key // 1000] for key in range(100_000))
    wrong = sum(len(filter.bins(key)) for key in range(10**6, 10**6 + 2000))
    assert 0.009 < wrong / 2000 / 100 < 0.011


def test_bins_have_names():
    days = InterleavedBloomFilter.build({"mon": ["ann", "bob"], "tue": ["bob"], "": ["eve"]}, 1e-6)
    assert days.names == ["mon", "tue", ""]
    assert days.bins("bob") == ["mon", "tue"] and days.bins("eve") == [2]
    assert days.bins_of_all(["ann", "bob"]) == ["mon"]
    assert days.bins_of_all([]) == ["mon", "tue", 2] and days.bins("nobody") == []
    assert days.add_bin("wed") == 3 and days.add_bin() == 4
    assert days.insert("wed", "bob") and not days.insert(3, "bob")
    assert days.update("wed", ["ann", "bob"]) == 1 and days.bin_len("wed") == 2
    assert days.bins("bob") == ["mon", "tue", "wed"]
    days.clear_bin("wed")
    assert days.bins("bob") == ["mon", "tue"] and days.names == ["mon", "tue", "", "wed", ""]
    assert InterleavedBloomFilter(["a", "b"], 10).names == ["a", "b"]
    assert InterleavedBloomFilter(2, 10).names == ["", ""]
    assert repr(days) == f"<amq.InterleavedBloomFilter: 5 bins, 4 keys, in {days.size_in_bytes} bytes>"


@pytest.mark.parametrize("bins", [1, 70, 1000])
def test_all_of_several_keys_are_asked_at_once(bins):
    filter = InterleavedBloomFilter.build([[1, 2, bin] for bin in range(bins)], 0.1)
    for keys in ([1], [1, 2], range(20), [5] * 40_000, list(range(7)) * 9000):
        each = [set(filter.bins(key)) for key in set(keys)]
        assert filter.bins_of_all(keys) == sorted(set.intersection(*each))


@pytest.mark.parametrize("bins", [1, 70, 1000])
def test_bins_with_at_least_so_many_of_several_keys(bins):
    filter = InterleavedBloomFilter.build([[1, 2, bin] for bin in range(bins)], 0.1)
    for keys in ([], [1], range(20), [5] * 40_000, [1, 1, 2] * 9000):
        counts = collections.Counter(bin for key in keys for bin in filter.bins(key))
        for threshold in (0, 1, 2, len(keys), len(keys) + 1, 2**64 - 1):
            expected = [bin for bin in range(bins) if counts[bin] >= threshold]
            assert filter.at_least(keys, threshold) == expected


@pytest.mark.parametrize("threshold", [-1, 1.5, "1", 2**64])
def test_a_threshold_that_is_no_natural_number_is_refused(threshold):
    filter = InterleavedBloomFilter(3, 10)
    with pytest.raises((TypeError, ValueError, OverflowError)):
        filter.at_least([1], threshold)


def test_bins_that_are_added_lengthen_the_rows():
    filter = InterleavedBloomFilter(1, 10, 1e-6)
    for number in range(1, 600):
        assert filter.add_bin(f"bin {number}") == number
        filter.insert(number, number % 50)
    assert filter.bins(7) == [f"bin {number}" for number in range(7, 600, 50)]
    assert filter.bins_many([7, 99]).shape == (2, 600)


def test_columns_are_read_as_by_filters():
    np, pa = pytest.importorskip("numpy"), pytest.importorskip("pyarrow")
    one = InterleavedBloomFilter.build([["a", "b"], ["b", "c"], []], 1e-6)
    column = pa.array(["a", None, "b", None])
    assert one == InterleavedBloomFilter.build(
        [np.array(["a", "b"]), pa.array(["b", None, "c"]), pa.array([], pa.string())], 1e-6
    )
    answers = one.bins_many(column)
    assert answers.dtype == np.bool_ and answers.shape == (4, 3)
    assert answers.tolist() == [[1, 0, 0], [0, 0, 0], [1, 1, 0], [0, 0, 0]]
    assert (answers == one.bins_many(pa.chunked_array([column[:1], column[1:]]))).all()
    assert one.bins_many([]).shape == one.bins_many(pa.array([], pa.string())).shape == (0, 3)
    assert one.bins_of_all(pa.array(["b", None, "c"])) == [1]
    assert one.update(2, pa.array(["b", None, "d"])) == 2
    rows = InterleavedBloomFilter.build([amq.Columns(np.arange(3), np.arange(3)), [(0, 0)]], 1e-6)
    assert rows.bins((0, 0)) == [0, 1] and rows.bins((2, 2)) == [0] and rows.bins((0, 1)) == []
    # More than one piece, with nulls in each.
    numbers = pa.array([None if key % 1000 == 3 else key for key in range(400_000)])
    twelve = InterleavedBloomFilter.build([range(bin, 400_000, 12) for bin in range(12)], 1e-4)
    answers = twelve.bins_many(numbers)
    keys = np.arange(400_000)
    is_null = keys % 1000 == 3
    assert not answers[is_null].any() and answers[keys, keys % 12][~is_null].all()
    assert answers.sum() - (~is_null).sum() < 1000


def test_without_numpy_a_matrix_is_a_memoryview(monkeypatch):
    filter = InterleavedBloomFilter.build([[1, 2], [2, 3]], 1e-6)
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert filter.bins_many([1, 2, 9]).tolist() == [[True, False], [True, True], [False, False]]
    assert filter.bins_many([]).tolist() == []


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_files_answer_as_the_second_reader(path):
    read = amq_reader.load(path)
    filters = [
        amq.load(path),
        InterleavedBloomFilter.load(path),
        InterleavedBloomFilter.from_bytes(path.read_bytes()),
        InterleavedBloomFilter.view(path),
        InterleavedBloomFilter.view(path, check=False),
    ]
    for filter in filters:
        assert isinstance(filter, InterleavedBloomFilter) and filter == filters[0]
        assert filter.names == read.names and len(filter) == sum(read.lens)
        assert [filter.bin_len(bin) for bin in range(filter.bin_count)] == read.lens
        assert filter.to_bytes() == path.read_bytes()
        answers = filter.bins_many(range(400))
        for key in range(400):
            wanted = read.bins(key)
            assert [bin for bin in range(read.count) if answers[key, bin]] == wanted
            assert filter.bins(key) == [read.names[bin] or bin for bin in wanted]


def test_files_and_views(tmp_path):
    path = tmp_path / "days.amq"
    days = InterleavedBloomFilter.build({"mon": [1, 2], "tue": [2, 3]}, 1e-6)
    days.save(path)
    view = InterleavedBloomFilter.view(path)
    for same in (amq.load(path), view, pickle.loads(pickle.dumps(days)), copy.deepcopy(days)):
        assert same == days and days == same and same.bins(2) == ["mon", "tue"]
        assert same.to_bytes() == path.read_bytes()
    assert pickle.loads(pickle.dumps(view)) == view and view.bin_len("tue") == 2
    for change in (
        lambda: view.insert("mon", 7),
        lambda: view.update("mon", []),
        lambda: view.add_bin("wed"),
        lambda: view.clear_bin(0),
    ):
        with pytest.raises(TypeError, match="opened in its file"):
            change()
    for copied in (copy.copy(days), amq.load(path)):
        copied.insert("mon", 9)
        assert copied != days and days.bins(9) == []
    # It replaces the file that is mapped.
    view.save(path)
    assert view == amq.load(path)
    with pytest.raises(amq.DecodeError, match=re.escape("InterleavedBloomFilter.view maps it")):
        amq.open(path)
    with pytest.raises(FileNotFoundError):
        InterleavedBloomFilter.view(tmp_path / "missing")
    amq.BloomFilter(10).save(path)
    for opened in (InterleavedBloomFilter.load, InterleavedBloomFilter.view):
        with pytest.raises(amq.DecodeError, match="days.amq: "):
            opened(path)


def test_a_damaged_file_is_refused(tmp_path):
    path, content = tmp_path / "a.amq", bytearray(InterleavedBloomFilter(3, 100).to_bytes())
    content[600] ^= 1
    path.write_bytes(content)
    for opened in (amq.load, InterleavedBloomFilter.load, InterleavedBloomFilter.view):
        with pytest.raises(amq.DecodeError, match="a.amq: "):
            opened(path)
    with pytest.raises(amq.DecodeError):
        InterleavedBloomFilter.from_bytes(bytes(content))
    assert InterleavedBloomFilter.view(path, check=False).bin_count == 3


def test_a_seed_that_a_file_leaves_out_is_given_and_kept(tmp_path):
    path, seed = tmp_path / "a.amq", 0xAB5EC3E7
    filter = InterleavedBloomFilter.build({"a": [1]}, seed=seed)
    filter.save(path, secret=False)
    withheld = path.read_bytes()
    assert withheld == filter.to_bytes(secret=False) != filter.to_bytes()
    for opened in (amq.load, InterleavedBloomFilter.load, InterleavedBloomFilter.view):
        with pytest.raises(amq.DecodeError, match="give it, as seed="):
            opened(path)
        loaded = opened(path, seed=seed)
        assert loaded == filter and loaded.bins(1) == ["a"] and loaded.to_bytes() == withheld
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(loaded)
        with pytest.raises(ValueError, match="was left out of the file"):
            loaded.to_bytes(secret=True)
    assert InterleavedBloomFilter.from_bytes(withheld, seed=seed) == filter


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda it: it.insert(2, "a"), IndexError, "there is no bin 2: the filter has 2"),
        (lambda it: it.update(2, []), IndexError, "there is no bin 2"),
        (lambda it: it.bin_len(2**64 - 1), IndexError, "there is no bin"),
        (lambda it: it.clear_bin(-1), ValueError, "-1 is out of range"),
        (lambda it: it.insert(0.0, "a"), TypeError, "0.0 is a float"),
        (lambda it: it.insert("c", "a"), KeyError, "c"),
        (lambda it: it.insert(None, "a"), TypeError, "None is no whole number"),
        (lambda it: it.insert(0, 1.5), TypeError, "float 1.5 is no key"),
        (lambda it: it.update(0, ["x", 1.5]), TypeError, "float 1.5 is no key"),
        (lambda it: it.update(0, "text"), TypeError, "str is one key"),
        (lambda it: it.bins(None), TypeError, "None is no key"),
        (lambda it: it.bins_many("text"), TypeError, "str is one key"),
        (lambda it: it.bins_of_all(3), TypeError, None),
        (lambda it: it.add_bin("a"), ValueError, '"a" is the name of another bin already'),
        (lambda it: it.add_bin(3), TypeError, None),
        (lambda it: "a" in it, TypeError, None),
        (lambda it: it[0], TypeError, None),
        (lambda _: InterleavedBloomFilter(0, 10), ValueError, "bins"),
        (lambda _: InterleavedBloomFilter([], 10), ValueError, "bins"),
        (lambda _: InterleavedBloomFilter(2**33, 10), ValueError, "bins"),
        (lambda _: InterleavedBloomFilter("ab", 10), TypeError, "'ab' is no whole number"),
        (lambda _: InterleavedBloomFilter(2**32, 2**40), (ValueError, MemoryError), None),
        (lambda _: InterleavedBloomFilter(2, 10, 0.1, bytes=64), ValueError, "give one of"),
        (lambda _: InterleavedBloomFilter(["a", "a"], 10), ValueError, "another bin already"),
        (lambda _: InterleavedBloomFilter(["a", 3], 10), TypeError, "3 is no name of a bin"),
        (lambda _: InterleavedBloomFilter.build([]), ValueError, "bins"),
        (lambda _: InterleavedBloomFilter.build({3: ["a"]}), TypeError, "3 is no name of a bin"),
        (lambda _: InterleavedBloomFilter.build(["ab", "c"]), TypeError, "str is one key"),
        (lambda _: InterleavedBloomFilter.build(3), TypeError, "not iterable"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(call, error, text):
    filter = InterleavedBloomFilter.build({"a": ["x"], "b": ["y"]}, 1e-6)
    before = filter.to_bytes()
    with pytest.raises(error, match=text):
        call(filter)
    assert filter.to_bytes() == before


def test_a_name_of_several_bins_is_no_name():
    path = next(path for path in GOLDEN if path.stem == "interleaved-few")
    content = path.read_bytes()
    assert content.count(b"bin 1") == 1
    content = bytearray(content.replace(b"bin 1", b"bin 0"))
    directory = int.from_bytes(content[136:144], "little")
    content[168:176] = amq_reader.digest(content[192 + directory :]).to_bytes(8, "little")
    content[184:192] = amq_reader.digest(content[:184]).to_bytes(8, "little")
    filter = InterleavedBloomFilter.from_bytes(bytes(content))
    assert filter.names[:2] == ["bin 0", "bin 0"] and filter.bin_len(1) > 0
    with pytest.raises(ValueError, match="several bins are named 'bin 0'"):
        filter.bin_len("bin 0")


def test_threads_share_a_filter():
    filter = InterleavedBloomFilter(8, 10_000)
    failures = []

    def work(bin):
        try:
            filter.update(bin, range(bin, 80_000, 8))
            for key in range(bin, 80_000, 80):
                assert bin in filter.bins(key)
            assert filter.bins_many(range(bin, 8000, 8))[:, bin].all()
            assert bin in filter.bins_of_all(range(bin, 800, 8))
            filter.add_bin(f"of {bin}")
            assert filter == filter and filter != InterleavedBloomFilter(8, 10)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=[bin]) for bin in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures and filter.bin_count == 16
    assert sorted(filter.names[8:]) == [f"of {bin}" for bin in range(8)]


def test_a_finalizer_may_use_the_filter():
    filter = InterleavedBloomFilter(["a"], 10)

    class Cycle:
        def __del__(self):
            filter.insert("a", 1)
            filter.bins(1)

    for _ in range(100):
        cycle = Cycle()
        cycle.me = cycle
        del cycle
        filter.bins(1)
        filter.names
    gc.collect()
    assert filter.bins(1) == ["a"]
