"""add_new: which keys of a column were new."""

import collections
import os
import signal
import threading
import warnings

import amq
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from kinds import INSERT, name


def one_by_one(filter, keys):
    return [filter.add(key) for key in keys]


@pytest.mark.parametrize("count", [0, 1, 7, 5000])
@pytest.mark.parametrize("kind", INSERT, ids=name)
def test_a_batch_answers_as_single_adds(kind, count):
    # Half of the keys come again, some within what is hashed at once.
    keys = [key for pair in zip(range(count), range(0, count * 3, 3)) for key in pair]
    arrays = [np.array(keys, dtype=np.int64), pa.array(keys, pa.int64()), pl.Series(keys, dtype=pl.Int64)]
    one = kind(3 * count + 10, 0.01)
    wanted = one_by_one(one, keys)
    for many in [keys, iter(keys), tuple(keys), *arrays, pd.Series(keys, dtype="int64")]:
        filter = kind(3 * count + 10, 0.01)
        new = filter.add_new(many)
        assert (type(new), new.dtype, new.tolist()) == (np.ndarray, bool, wanted)
        assert filter == one and len(filter) == len(one)
        # All of them are in.
        assert filter.add_new([keys[0]]).tolist() == [False] if keys else True


@pytest.mark.parametrize("count", [1023, 1024, 1025, 10**6])
def test_only_the_first_of_equal_keys_is_new(count):
    values = np.arange(count, dtype=np.uint64) % (count // 2)
    filter = amq.BlockedBloomFilter(count, 1e-6)
    new = filter.add_new(values)
    assert new.sum() == len(filter)
    # A rate of one in a million: some of the first are taken for seen, and never one that is seen.
    assert count // 2 - 10 <= new.sum() <= count // 2
    assert not new[count // 2 :].any()
    assert not filter.add_new(pa.array(values)).any()


@pytest.mark.parametrize("kind", INSERT, ids=name)
def test_nulls_are_left_out_and_not_new(kind):
    keys = [None, "a", None, None, "b", "a", "c", None]
    wanted = [False, True, False, False, True, False, True, False]
    chunked = pa.chunked_array([keys[:3], [], keys[3:]], pa.string())
    for many in [pa.array(keys), chunked, pl.Series(keys), pd.Series(keys, dtype=object)]:
        filter = kind(100)
        assert filter.add_new(many).tolist() == wanted
        assert filter == one_filter(kind, ["a", "b", "a", "c"])
    filter = kind(100)
    assert filter.add_new(pa.nulls(5)).tolist() == [False] * 5
    assert filter.add_new(pa.array([None, None], pa.string())).tolist() == [False] * 2
    assert len(filter) == 0


def one_filter(kind, keys):
    filter = kind(100)
    filter.update(keys)
    return filter


def test_nulls_at_every_place_of_many_blocks():
    rng = np.random.default_rng(5)
    for share in (0.001, 0.5, 0.999):
        values = rng.integers(0, 3000, 5000)
        nulls = rng.random(5000) < share
        filter, one = amq.QuotientFilter(10_000), amq.QuotientFilter(10_000)
        new = filter.add_new(pa.array(values, mask=nulls))
        wanted = [not null and one.add(int(value)) for value, null in zip(values, nulls)]
        assert new.tolist() == wanted and filter == one
        objects = pd.Series([None if null else int(value) for value, null in zip(values, nulls)], dtype=object)
        assert amq.QuotientFilter(10_000).add_new(objects).tolist() == wanted


@pytest.mark.parametrize("kind", [amq.CuckooFilter, amq.WindowedCuckooFilter])
def test_a_full_filter_says_how_many_keys_are_in(kind):
    for keys in (np.arange(10_000), list(range(10_000)), pa.array([None, *range(10_000)])):
        filter, twin = kind(1000), kind(1000)
        with pytest.raises(amq.Full) as full:
            filter.add_new(keys)
        with pytest.raises(amq.Full) as counted:
            twin.update(keys)
        assert full.value.inserted == counted.value.inserted == len(filter) >= 1000
        assert filter == twin and all(key in filter for key in range(full.value.inserted))


def test_too_many_keys_warn_once_and_are_answered():
    filter = amq.BlockedBloomFilter(1000)
    with pytest.warns(amq.OverfullWarning):
        assert filter.add_new(np.arange(2000))[:900].sum() > 850
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        filter.add_new(np.arange(4000))
    filter = amq.BlockedBloomFilter(1000)
    with warnings.catch_warnings(), pytest.raises(amq.OverfullWarning) as warning:
        warnings.simplefilter("error")
        filter.add_new(np.arange(2000))
    assert warning.value.inserted == 2000 and 1999 in filter


def test_what_is_no_key_changes_nothing_in_a_list():
    filter = amq.BloomFilter(100)
    for keys, error in [([1, 2, 1.5], TypeError), ("ab", TypeError), (b"ab", TypeError), (5, TypeError)]:
        with pytest.raises(error):
            filter.add_new(keys)
    assert len(filter) == 0
    with pytest.raises(TypeError):
        filter.add_new(key for key in [1, 2, 1.5])
    assert len(filter) == 2


def test_static_and_mapped_filters_have_no_add_new(tmp_path):
    assert not hasattr(amq.FuseFilter.build([1]), "add_new")
    amq.BloomFilter(10).save(tmp_path / "f.amq")
    assert not hasattr(amq.open(tmp_path / "f.amq"), "add_new")


def test_the_callers_hashes_and_a_secret_key_work_too():
    hashed = amq.BlockedBloomFilter(1000, hash_func=lambda key: hash(str(key)) * 0x9E3779B97F4A7C15)
    assert hashed.add_new(["a", 1.5, "a"]).tolist() == [True, True, False]
    secret = amq.BlockedBloomFilter(1000, key=bytes(range(16)))
    assert secret.add_new(pa.array(["a", "b", "a"])).tolist() == [True, True, False]
    assert "b" in secret


def test_threads_find_each_key_new_once():
    filter = amq.BlockedBloomFilter(10**6, 1e-9)
    keys = np.arange(200_000)
    found = []
    threads = [threading.Thread(target=lambda: found.append(filter.add_new(keys))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (np.sum(found, axis=0) == 1).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_goes_on_with_its_own_copy():
    filter = amq.BlockedBloomFilter(10_000, 1e-9)
    filter.add_new(np.arange(1000))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        right = filter.add_new(np.arange(2000)).sum() == 1000 and len(filter) == 2000
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert len(filter) == 1000


def test_ctrl_c_ends_a_long_call_and_what_was_inserted_stays_in():
    filter = amq.BloomFilter(10**7)
    keys = np.arange(3 * 10**7)
    pid = os.getpid()
    # A job in the background ignores the signal, and Python leaves it so.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.15, lambda: os.kill(pid, signal.SIGINT)).start()
    try:
        with pytest.raises(KeyboardInterrupt), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(50):
                filter.add_new(keys)
    finally:
        signal.signal(signal.SIGINT, before)
    assert 0 in filter and len(filter) > 0


def test_duplicates_are_those_of_pandas_and_polars():
    rng = np.random.default_rng(3)
    texts = [f"{value:020}" for value in rng.integers(0, 50_000, 100_000)]
    new = amq.BlockedBloomFilter(100_000, 1e-7).add_new(pa.array(texts))
    assert (new == ~pd.Series(texts).duplicated()).all()
    assert (new == pl.Series(texts).is_first_distinct().to_numpy()).all()
    assert collections.Counter(new.tolist())[True] == len(set(texts))
