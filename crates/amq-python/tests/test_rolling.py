"""Rolling: the last generations of a stream."""

import copy
import os
import pickle
import random

import amq
import numpy as np
import pyarrow as pa
import pytest

KINDS = [amq.BloomFilter, amq.BlockedBloomFilter, amq.CuckooFilter]


def rolling(**options):
    return amq.Rolling(3000, 1e-6, generations=3, **options)


@pytest.mark.parametrize("kind", [None, *KINDS, "blocked-bloom"])
def test_a_key_is_forgotten_with_its_generation(kind):
    seen = rolling(kind=kind)
    assert (seen.generations, seen.advanced, len(seen), seen.capacity) == (3, 0, 0, 3000)
    keys = {period: range(period * 500, period * 500 + 500) for period in range(8)}
    for period in keys:
        assert seen.update(keys[period]) == 500
        assert seen.contains(np.array(keys[period])).all() and keys[period][0] in seen
        for other in keys:
            remembered = period - 3 < other <= period
            assert seen.contains(keys[other]).all() == remembered, (period, other)
            assert remembered or not seen.contains(keys[other]).any()
        assert len(seen) == 500 * min(period + 1, 3)
        seen.advance()
    assert seen.advanced == 8


def test_a_batch_equals_single_adds_and_forgotten_keys_are_new():
    one, many = rolling(), rolling()
    rng = random.Random(3)
    for _ in range(10):
        keys = [rng.randrange(900) for _ in range(300)]
        assert many.add_new(pa.array(keys)).tolist() == [one.add(key) for key in keys]
        assert one == many
        one.advance()
        many.advance()
    assert one != rolling()


def test_by_count_it_advances_by_itself_and_refuses_no_key():
    seen = rolling(by_count=True, kind="cuckoo")
    assert seen.update(range(100_000)) > 99_990
    assert seen.advanced == 99 and len(seen) <= 3000
    assert seen.contains(range(98_000, 100_000)).all() and not seen.contains(range(90_000)).any()
    full = rolling(kind="cuckoo")
    with pytest.raises(amq.Full) as refused:
        full.update(range(100_000))
    assert 1000 <= refused.value.inserted == len(full) < 2000
    full.advance()
    assert full.add("more")


def test_a_file_goes_on_where_the_filter_was(tmp_path):
    for kind in KINDS:
        seen = rolling(kind=kind, seed=7)
        for period in range(5):
            seen.update(range(period * 100, period * 100 + 100))
            seen.advance()
        seen.save(tmp_path / "r.amq")
        copies = [
            amq.load(tmp_path / "r.amq"),
            amq.Rolling.load(tmp_path / "r.amq"),
            amq.Filter.load(tmp_path / "r.amq"),
            amq.Rolling.from_bytes(seen.to_bytes()),
            amq.Filter.from_bytes(bytearray(seen.to_bytes())),
            pickle.loads(pickle.dumps(seen)),
            copy.copy(seen),
            seen.copy(),
        ]
        for other in copies:
            assert type(other) is amq.Rolling and other == seen
            assert (other.advanced, other.generations, repr(other)) == (5, 3, repr(seen))
            other.advance()
            assert not other.contains(range(300, 400)).all() and other != seen
    assert rolling(by_count=True) != rolling()
    with pytest.raises(amq.DecodeError, match="a rolling filter: amq.load reads it"):
        amq.BloomFilter.load(tmp_path / "r.amq")
    amq.QuotientFilter(10).save(tmp_path / "q.amq")
    for read in (amq.Rolling.load, lambda path: amq.Rolling.from_bytes(path.read_bytes())):
        with pytest.raises(amq.DecodeError):
            read(tmp_path / "q.amq")
        (tmp_path / "bad.amq").write_bytes(seen.to_bytes()[:-1])
        with pytest.raises(amq.DecodeError):
            read(tmp_path / "bad.amq")
    with pytest.raises(FileNotFoundError):
        amq.Rolling.load(tmp_path / "none")
    for path in (os.devnull, tmp_path):
        with pytest.raises(OSError):
            amq.Rolling.load(path)


def test_what_it_cannot_do_is_refused_with_a_way_out(tmp_path):
    seen, bloom = rolling(), amq.BloomFilter(1000)
    for operation in [
        lambda: seen | seen.copy(),
        lambda: seen.merge(bloom),
        lambda: bloom.merge(seen),
        lambda: seen & seen.copy(),
        lambda: seen.fold(2),
        lambda: seen <= bloom,
        lambda: seen.save(tmp_path / "r", secret=False),
        lambda: seen.to_bytes(secret=False),
    ]:
        with pytest.raises(ValueError, match="keep a filter for each period"):
            operation()
    assert not (tmp_path / "r").exists()
    for kind in (amq.RibbonFilter, "scalable", amq.Rolling, "no such kind"):
        with pytest.raises((TypeError, ValueError)):
            rolling(kind=kind)
    for generations in (0, 5000, 2**64 - 1):
        with pytest.raises(ValueError, match="generations"):
            amq.Rolling(1000, generations=generations)
    with pytest.raises(ValueError):
        amq.Rolling(1000, 2.0, generations=3)
    with pytest.raises(TypeError):
        amq.Rolling.build([1, 2])
    seen.update(range(10))
    seen.clear()
    assert len(seen) == 0 and 1 not in seen and seen.approx_items == 0


def test_budgets_hold_for_the_whole():
    assert amq.Rolling(10_000, bits_per_key=12, generations=4).size_in_bytes * 8 <= 120_000
    assert amq.Rolling(10_000, bytes=15_000, generations=4).size_in_bytes <= 15_000
    seen = amq.Rolling(10_000, 0.01, generations=4)
    for _ in range(4):
        seen.update(np.random.default_rng(len(seen)).integers(0, 2**60, 2500))
        seen.advance() if seen.advanced < 3 else None
    assert 0.005 < seen.expected_fpr < 0.012 and seen.stats()["kind"] == "bloom"
