"""Threads: no key is lost, and nothing waits for ever."""

import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from kinds import ALL, INSERT, MERGE, name

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
def test_merging_two_filters_into_each_other_does_not_deadlock(kind):
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


class Alarm:
    """Interrupts as Ctrl-C does, after some time of the processor, and tells how late that is."""

    def __init__(self, seconds=0.3):
        self.seconds = seconds

    def __enter__(self):
        signal.signal(signal.SIGPROF, signal.default_int_handler)
        self.end = time.process_time() + self.seconds
        signal.setitimer(signal.ITIMER_PROF, self.seconds)
        return self

    def __exit__(self, kind, error, trace):
        self.late = time.process_time() - self.end
        signal.setitimer(signal.ITIMER_PROF, 0)


def batches(pa, count):
    batch = pa.record_batch([pa.array(range(1000))], names=["a"])
    return pa.RecordBatchReader.from_batches(batch.schema, (batch for _ in range(count)))


def in_chunks(pa, chunks, keys):
    return pa.chunked_array([pa.array(range(keys))] * chunks)


LONG = {
    "generator": lambda _: amq.BloomFilter(100).update(key for key in range(10**9)),
    "range asked": lambda _: amq.BloomFilter(100).contains(range(10**8)),
    "list": lambda _: amq.CountingBloomFilter(10**6, fpr=1e-9).update([1] * 3 * 10**7),
    "hash_func": lambda _: amq.BloomFilter(100, hash_func=abs).update(range(10**8)),
    "values": lambda _: amq.RibbonMap.build(range(10**7), [1] * 10**7),
    "numpy": lambda numpy: amq.BloomFilter(100).update(numpy.broadcast_to(numpy.array([1]), 10**9)),
    "numpy asked": lambda numpy: amq.BloomFilter(100).contains(
        numpy.broadcast_to(numpy.array([1]), 10**9)
    ),
    "numpy built": lambda numpy: amq.WindowedCuckooFilter.build(numpy.arange(3 * 10**7)),
    "numpy texts": lambda numpy: amq.BloomFilter(100).update(
        numpy.broadcast_to(numpy.array(["a" * 16]), 10**8)
    ),
    "pyarrow chunks": lambda pa: amq.BloomFilter(100).contains(in_chunks(pa, 10**6, 1000)),
    "pyarrow long chunks": lambda pa: amq.CountingBloomFilter(100).update(in_chunks(pa, 1000, 10**6)),
    "pyarrow stream": lambda pa: amq.BloomFilter(100).update(batches(pa, 10**5)),
    "pyarrow stream built": lambda pa: amq.FuseFilter.build(batches(pa, 10**5)),
}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("what", LONG)
def test_long_work_is_interrupted(what):
    array = what.partition(" ")[0]
    module = pytest.importorskip(array) if array in ("numpy", "pyarrow") else None
    # Later where all keys are hashed first.
    alarm = Alarm({"list": 0.7, "numpy built": 1.5}.get(what, 0.3))
    with pytest.raises(KeyboardInterrupt), alarm:
        LONG[what](module)
    assert alarm.late < 0.5


@pytest.mark.parametrize("operation", ["contains", "update"])
def test_an_early_interrupt_of_a_short_call_is_not_lost(operation):
    numpy = pytest.importorskip("numpy")
    filter, array = amq.BloomFilter(100), numpy.arange(4)
    call = getattr(filter, operation)
    for _ in range(20):
        alarm = Alarm(0.002)
        with pytest.raises(KeyboardInterrupt), alarm:
            while time.process_time() < alarm.end + 0.1:
                call(array)


def spread(key):
    return key * 0x9E3779B97F4A7C15 % 2**64


def test_a_function_of_the_caller_has_an_array_in_pieces():
    numpy = pytest.importorskip("numpy")
    pandas, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    keys = numpy.arange(200_000)
    for array in (keys, pandas.Series(keys, index=keys[::-1]), pa.array(keys), pa.chunked_array([keys] * 2)):
        heard = []
        amq.BloomFilter(10**6, hash_func=lambda key: heard.append(key) or spread(key)).update(array)
        assert heard == list(range(200_000)) * (len(array) // 200_000)
    long = numpy.broadcast_to(keys[:1], 10**9)
    alarm = Alarm()
    with pytest.raises(KeyboardInterrupt), alarm:
        amq.BloomFilter(100, hash_func=abs).contains(long)
    assert alarm.late < 0.5


def test_what_is_raised_in_a_stream_is_raised_again():
    pa = pytest.importorskip("pyarrow")
    batch = pa.record_batch([pa.array(range(1000))], names=["a"])

    def failing(error):
        def all_but_the_last():
            yield batch
            raise error

        return pa.RecordBatchReader.from_batches(batch.schema, all_but_the_last())

    for error, raised in ((KeyboardInterrupt(), KeyboardInterrupt), (OSError("gone"), ValueError)):
        filter = amq.BloomFilter(1000)
        with pytest.raises(raised, match=type(error).__name__):
            filter.update(failing(error))
        assert filter.contains(range(1000)).all()
        with pytest.raises(raised):
            amq.FuseFilter.build(failing(error))


def test_an_interrupted_update_keeps_what_it_inserted():
    filter, keys = amq.CountingBloomFilter(10**6), [1] * 3 * 10**7
    with pytest.raises(KeyboardInterrupt), Alarm():
        filter.update(keys)
    assert len(filter) < len(keys)
    filter.add(2)
    assert 2 in filter


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


@pytest.mark.parametrize("kind", ALL, ids=name)
def test_threads_build_the_filter_that_one_builds(kind):
    keys = range(200_000)
    one = kind.build(keys)
    for threads in (1, 2, 3, 1000, 2**64 - 1):
        assert kind.build(keys, threads=threads) == one
    assert 7 in kind.build([7], threads=8)


def test_threads_are_refused_unless_they_are_a_number():
    for threads in (0, -1, 2**64, 1.5, "2"):
        with pytest.raises((TypeError, ValueError, OverflowError), match="threads"):
            amq.FuseFilter.build([1], threads=threads)
