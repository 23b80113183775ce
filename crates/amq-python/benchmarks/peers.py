"""The benchmark scripts of rbloom and abloom, as they are, with amq among the filters.

    $ pip install ./crates/amq-python rbloom abloom pytest
    $ git clone https://github.com/KenanHanke/rbloom
    $ git clone https://github.com/ampribe/abloom
    $ python crates/amq-python/benchmarks/peers.py rbloom/benchmarks/compare.py \
          abloom/tests/test_benchmark.py

The files are loaded and not changed; amq is put into the tables of filters that they go through.
Filters that are not installed are left out. The stand-in for pytest-benchmark tells the least of
the times of its rounds. --large runs abloom's tests of 10 million keys, too; its variable BENCH_LIBS
chooses filters, as in BENCH_LIBS='rbloom,abloom[serializable],amq.BloomFilter'.
"""

import argparse
import importlib.util
import sys
import time
import types

import pytest

import amq

OURS = {"amq.BloomFilter": amq.BloomFilter, "amq.BlockedBloomFilter": amq.BlockedBloomFilter}


class Missing(types.ModuleType):
    """In place of a module that is not installed: whatever is taken from it is this, too."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def script(path, filters):
    """The script as a module, with ours in its table of filters."""
    name = path.rpartition("/")[2].removesuffix(".py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    while True:
        try:
            spec.loader.exec_module(module)
            break
        except ModuleNotFoundError as missing:
            print(f"{missing.name} is not installed", file=sys.stderr)
            sys.modules[missing.name] = Missing(missing.name)
    table = getattr(module, filters)
    for filter in [filter for filter, kind in table.items() if isinstance(kind, Missing)]:
        del table[filter]
    table.update(OURS)
    return module


class Benchmark:
    """pytest-benchmark's fixture, as far as the script uses it."""

    def pedantic(self, run, rounds, iterations, warmup_rounds):
        assert iterations == 1
        for _ in range(warmup_rounds):
            run()
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        self.least = min(times)


def least(test, **arguments):
    """Milliseconds of a test; a dash where it is skipped."""
    benchmark = Benchmark()
    try:
        test(benchmark, **arguments)
    except pytest.skip.Exception:
        return "-"
    return f"{benchmark.least * 1e3:.1f}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("rbloom", help="rbloom's benchmarks/compare.py")
    arguments.add_argument("abloom", help="abloom's tests/test_benchmark.py")
    arguments.add_argument("--large", action="store_true", help="abloom's 10 million keys, too")
    arguments = arguments.parse_args()

    theirs = script(arguments.abloom, "LIBRARIES")
    names = theirs.get_active_libraries()
    rows = [
        (f"{of.data_type}, {100 * of.fp_rate:g} %, {workload}" + f", {of.size:,} keys" * (of.size != 10**6),
         theirs.test_benchmark, {"config": of, "workload_name": workload})
        for of in theirs.CONFIGS
        if arguments.large or of.size < 10_000_000
        for workload in theirs.WORKLOADS
    ]  # fmt: skip
    rows += [
        (f"100,000 in batches of {size}, update", theirs.test_update_batch_scaling, {"batch_size": size})
        for size in theirs.BATCH_SIZES
    ]
    print("abloom's `tests/test_benchmark.py`, 1,000,000 keys, milliseconds:\n")
    print("| keys, rate, workload |", " | ".join(names), "|")
    print("| --- |" + " ---: |" * len(names))
    for what, test, parameters in rows:
        cells = (least(test, lib_name=name, **parameters) for name in names)
        print("|", what, "|", " | ".join(cells), "|", flush=True)

    theirs = script(arguments.rbloom, "types")
    print(
        f"\nrbloom's `benchmarks/compare.py`, {theirs.NUM_ITEMS:,} keys added and queried, seconds;"
        " floats, or\ntheir bytes where a filter takes no floats (packing is timed):\n",
        flush=True,
    )
    theirs.main()


if __name__ == "__main__":
    main()
