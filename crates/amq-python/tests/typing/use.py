"""What mypy and pyright make of programs that use the stubs. It is checked, and not run."""

from pathlib import Path
from typing import assert_type

import numpy
import numpy.typing
import pyarrow  # type: ignore[import-untyped, unused-ignore]  # pyright: ignore[reportMissingTypeStubs]

import amq
from amq import Bloom, BloomFilter, CuckooFilter, FuseFilter, InterleavedBloomFilter, RibbonMap


def count_new(filter: amq.InsertFilter, keys: list[str]) -> int:
    return filter.update(keys)


seen = BloomFilter(1_000_000, 0.01)
assert_type(seen.add("a"), bool)
assert_type("a" in seen, bool)
assert_type(seen.update(["a"], numpy.arange(10), CuckooFilter(10)), int)
assert_type(count_new(seen, ["a"]), int)
assert_type(seen.add_new(["a"]), numpy.typing.NDArray[numpy.bool])
assert_type(seen.update(amq.Columns(numpy.arange(3), numpy.arange(3))), int)
assert_type(seen | seen.copy(), BloomFilter)
assert_type(seen.contains(numpy.arange(3)), numpy.typing.NDArray[numpy.bool])
assert_type(Bloom.load(Path("x.amq")), BloomFilter)
assert_type(FuseFilter.build(range(3), bits_per_key=9).kind, str)
assert_type(BloomFilter.kind, str)
assert_type(seen.stats()["load_factor"], float)
assert_type(amq.open("x.amq"), amq.FilterView)
assert_type(amq.plan(BloomFilter, 10).bits_per_key, float)
assert_type(amq.choose(at_most=10, need=["remove"]).best.insert_ns, float | None)
assert_type(RibbonMap.build({"a": 1})["a"], int)
days = InterleavedBloomFilter.build({"monday": ["a"], "tuesday": numpy.arange(3)}, 0.001)
assert_type(days.update("monday", range(3)), int)
assert_type(days.bins("a"), list[str | int])
assert_type(days.bins_many(["a", "b"]), numpy.typing.NDArray[numpy.bool])
assert_type(InterleavedBloomFilter(7, 100).insert(6, "a"), bool)
CuckooFilter(10, key=b"k" * 16, hash_func=None).discard(("a", 1))
seen.update(pyarrow.array([1]))

# What a kind cannot do is an error before the program runs.
seen.discard("a")  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
FuseFilter.build([1]).add(2)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
BloomFilter("many")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
