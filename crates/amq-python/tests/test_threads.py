"""Threads: no key is lost, and nothing waits for ever."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from kinds import INSERT, MERGE, name

import amq

KEYS = 20_000


@pytest.mark.parametrize("kind", INSERT, ids=name)
def test_no_key_of_several_threads_is_lost(kind):
    filter = kind(8 * KEYS)

    def work(thread):
        keys = range(thread * KEYS, (thread + 1) * KEYS)
        filter.update(list(keys[: KEYS // 2]))
        for key in keys[KEYS // 2 :: 10]:
            filter.add(key)
            assert key in filter
        filter.update(keys[KEYS // 2 :])
        return filter.contains(keys).all()

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
    assert filter.contains(range(4 * KEYS)).all()


@pytest.mark.parametrize("kind", MERGE, ids=name)
def test_two_filters_merged_into_each_other_do_not_wait_for_each_other(kind):
    one, other = kind(KEYS), kind(KEYS)
    one.update(range(100))
    other.update(range(100, 200))

    def merge(ours, theirs):
        for _ in range(3):
            try:
                ours.merge(theirs)
            except (amq.Full, ValueError):
                pass  # a cuckoo filter holds a few copies of a key and no more
            assert ours == ours.copy()
            ours == theirs

    threads = [
        threading.Thread(target=merge, args=pair, daemon=True)
        for pair in ((one, other), (other, one))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert one.contains(range(100)).all() and other.contains(range(100, 200)).all()
    if issubclass(kind, amq.RemoveFilter):
        return
    assert one.contains(range(200)).all() or other.contains(range(200)).all()


def test_a_filter_is_saved_while_others_change_it(tmp_path):
    filter = amq.CuckooFilter(100_000)
    stop = threading.Event()

    def change():
        key = 0
        while not stop.is_set():
            filter.update(range(key, key + 100))
            for gone in range(key, key + 100):
                filter.remove(gone)
            key += 100

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for number in range(50):
            loaded = amq.Filter.from_bytes(filter.to_bytes())
            assert len(loaded) <= 100
            filter.save(tmp_path / f"{number % 3}.amq")
            amq.load(tmp_path / f"{number % 3}.amq")
    finally:
        stop.set()
        thread.join()
    assert len(filter) == 0


def test_a_generator_may_use_the_filter_that_it_fills():
    filter = amq.BloomFilter(1000)

    def keys():
        for key in range(100):
            if key not in filter:
                filter.add(1000 + key)
                yield key

    filter.update(keys())
    assert filter.contains(range(100)).all() and filter.contains(range(1000, 1100)).all()


def test_what_a_generator_gave_before_it_failed_is_in():
    def keys():
        yield from range(70_000)
        raise RuntimeError("enough")

    filter = amq.BloomFilter(100_000)
    with pytest.raises(RuntimeError, match="enough"):
        filter.update(keys())
    assert filter.contains(range(70_000)).all()
    few = amq.BloomFilter(100)
    with pytest.raises(TypeError, match="None is no key"):
        few.update(key for key in (1, 2, None, 3))
    assert 1 in few and 2 in few and 3 not in few
    with pytest.raises(TypeError, match="None is no key"):
        few.contains([1, None])


INTERRUPTED = """
import amq
{numpy}
filter = amq.BloomFilter(10)
print("ready", flush=True)
try:
    {what}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize(
    "what",
    [
        "amq.FuseFilter.build(range(10**12))",
        "filter.contains(range(10**12))",
        "filter.contains(numpy.broadcast_to(numpy.array([1]), 10**10))",
        "filter.update(numpy.broadcast_to(numpy.array([1]), 10**12))",
    ],
)
def test_long_work_is_interrupted(what):
    numpy = "import numpy" if "numpy" in what else ""
    if numpy:
        pytest.importorskip("numpy")
    run = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(numpy=numpy, what=what)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdout.readline() == "ready\n"
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    try:
        assert run.communicate(timeout=30)[0] == "interrupted\n"
    finally:
        run.kill()


def test_other_threads_run_while_a_large_filter_is_copied():
    filter, counts, done = amq.BloomFilter(50_000_000), [0], threading.Event()

    def count():
        while not done.is_set():
            counts[0] += 1
            time.sleep(0)

    def counted_during(operation):
        before = counts[0]
        operation()
        return counts[0] - before

    interval = sys.getswitchinterval()
    # Nobody loses the interpreter who does not let go of it.
    sys.setswitchinterval(1000)
    thread = threading.Thread(target=count)
    thread.start()
    try:
        assert any(counted_during(filter.copy) for _ in range(20))
    finally:
        sys.setswitchinterval(interval)
        done.set()
        thread.join()


def test_other_threads_run_while_a_list_is_hashed():
    filter, counts, done = amq.BloomFilter(10_000_000), [0], threading.Event()

    def count():
        while not done.is_set():
            counts[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        counts[0] = 0
        filter.update(range(5_000_000))
        assert counts[0] > 1000
    finally:
        done.set()
        thread.join()
