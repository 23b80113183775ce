"""What an operation costs, next to rbloom, abloom and the library in Rust: tables of the README.

    $ pip install ./crates/amq-python rbloom abloom numpy pyarrow
    $ python crates/amq-python/benchmarks/compare.py

Peers that are not installed are left out, and so is Rust where its program cannot be built. --quick
runs everything once with few keys, as a test. Times are the best of several rounds in nanoseconds
an operation; each round has a filter of its own, and every answer is checked. A round goes through
all filters, so that none has the machine at a better time. peers.py runs the peers' own scripts.
"""

import argparse
import functools
import json
import pathlib
import random
import subprocess
import sys
import time
import uuid

import numpy as np
import pyarrow as pa

import amq

CRATE = pathlib.Path(__file__).parents[1]
FPR = 0.01


def peers():
    """The filters that are filled key by key: of these Python has many."""
    yield "amq.BloomFilter", amq.BloomFilter
    yield "amq.BlockedBloomFilter", amq.BlockedBloomFilter
    try:
        import rbloom

        yield "rbloom", rbloom.Bloom
    except ImportError:
        print("rbloom is not installed", file=sys.stderr)
    try:
        import abloom

        yield "abloom, serializable", functools.partial(abloom.BloomFilter, serializable=True)
    except ImportError:
        print("abloom is not installed", file=sys.stderr)


def integers(count):
    """Those of abloom's benchmark."""
    random.seed(42)
    return [random.randint(1, count * 100) for _ in range(count)]


def uuids(count):
    """Those of abloom's benchmark."""
    random.seed(42)
    return [str(uuid.UUID(int=random.getrandbits(128))) for _ in range(count)]


def clock(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


class Best:
    """The least of the times with one name, in nanoseconds an operation."""

    def __init__(self):
        self.times = {}

    def take(self, name, operations, work):
        seconds, result = clock(work)
        self.times[name] = min(self.times.get(name, float("inf")), seconds * 1e9 / operations)
        return result


def key_by_key(best, make, keys):
    """One round."""
    count = len(keys)

    def add(filter):
        for key in keys:
            filter.add(key)

    def ask(filter):
        return sum(1 for key in keys if key in filter)

    def update(filter):
        filter.update(keys)

    filter = make(count, FPR)
    best.take("add", count, lambda: add(filter))
    assert best.take("in", count, lambda: ask(filter)) == count
    filter = make(count, FPR)
    best.take("update(list)", count, lambda: update(filter))
    assert keys[0] in filter and keys[-1] in filter


def arrays(rounds, kind, keys):
    """An array that is inserted, or built, and asked."""
    best, count = Best(), len(keys)
    for _ in range(rounds):
        if issubclass(kind, amq.InsertFilter):
            filter = kind(count, FPR)
            best.take("insert", count, lambda: filter.update(keys))
        else:
            filter = best.take("insert", count, lambda: kind.build(keys, FPR))
        assert best.take("ask", count, lambda: filter.contains(keys)).all()
    return best.times


def rust(count, rounds, ribbon):
    """The same in Rust, with the keys of `u64s`."""
    manifest = CRATE / "Cargo.toml"
    target = CRATE.parents[1] / "target" / "wheel"
    command = ["cargo", "run", "--quiet", "--release", "--locked", "--manifest-path", manifest,
               "--target-dir", target, "--example", "batches", "--"]  # fmt: skip
    built = subprocess.run(
        [*map(str, command), str(count), str(rounds), str(ribbon)], capture_output=True, text=True
    )
    if built.returncode:
        print("Rust's own times cannot be had:", built.stderr, file=sys.stderr)
        return {}
    return json.loads(built.stdout)


def u64s(count):
    """Spread over all 64 bits; batches.rs has the same."""
    return np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)


def texts(count):
    """Strings of 16 to 64 bytes."""
    return [f"{number:x}".rjust(16 + number % 49, "k") for number in range(count)]


def table(head, rows):
    print("|", " | ".join(head), "|")
    print("|", " | ".join(["---", *["---:"] * (len(head) - 1)]), "|")
    for row in rows:
        cells = [f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in row]
        print("|", " | ".join(cells), "|")
    print()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="few keys, once")
    quick = arguments.parse_args().quick
    count, rounds, large = (10_000, 1, 10_000) if quick else (1_000_000, 3, 10_000_000)

    rows = []
    for what, keys in (("int", integers(count)), ("uuid", uuids(count))):
        filters = [(name, make, Best()) for name, make in peers()]
        for _ in range(rounds):
            for _, make, best in filters:
                key_by_key(best, make, keys)
        rows += [(f"{name}, {what}", *best.times.values()) for name, _, best in filters]
    print(f"Key by key, {count:,} keys of abloom's benchmark at {100 * FPR:g} %, nanoseconds per key:\n")
    table(("filter and keys", "add", "in", "update(list)"), rows)

    theirs = rust(count, rounds, large)
    numbers, strings = u64s(count), texts(count)
    rows = []
    for kind in kinds():
        of_rust = theirs.get(kind.kind, {})
        row = [kind.__name__]
        for keys in (numbers, pa.array(numbers), pa.array(strings)):
            times = arrays(rounds, kind, keys)
            row += [times["insert"], times["ask"]]
        rows.append((*row[:3], of_rust.get("insert", "-"), of_rust.get("ask", "-"), *row[3:]))
    print(f"Arrays of {count:,} keys at {100 * FPR:g} %, nanoseconds per key:\n")
    table(
        ("kind", "NumPy u64 insert", "query", "Rust u64 insert", "query", "Arrow u64 insert", "query",
         "Arrow strings insert", "query"),
        rows,
    )  # fmt: skip

    keys = u64s(large)
    seconds = min(clock(lambda: amq.RibbonFilter.build(keys, FPR))[0] for _ in range(1 if quick else 2))
    rust_seconds = theirs.get("ribbon_seconds", float("nan"))
    print(
        f"A RibbonFilter of {large:,} keys takes {seconds:.2f} s to build from an array, and"
        f" {rust_seconds:.2f} s in Rust."
    )


def kinds():
    every = (getattr(amq, name) for name in amq.__all__)
    kinds = (kind for kind in every if isinstance(getattr(kind, "kind", None), str))
    return dict.fromkeys(kind for kind in kinds if issubclass(kind, amq.Filter))


if __name__ == "__main__":
    main()
