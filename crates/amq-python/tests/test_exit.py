"""Daemon threads when the interpreter ends: no process dies by a signal, or waits for them."""

import subprocess
import sys

import pytest

CHILD = """
import functools, pathlib, queue, sys, tempfile, threading, time
import amq
{imports}

def spread(key):
    return key * 0x9E3779B97F4A7C15

class Freed(int):
    def __del__(self, sleep=time.sleep):
        sleep(0.001)

def freed():
    try:
        yield
    finally:
        time.sleep(0.001)

def function():
    # A hash function that has a generator, whose end runs when it is freed.
    generator = freed()
    next(generator)
    return functools.partial(max, generator)

class Slow:
    # The interpreter is let go of while it ends: every thread comes back to it in that time.
    def __del__(self, sleep=time.sleep):
        sleep(0.1)

plain, hashed = amq.BloomFilter(10**6), amq.BloomFilter(10**6, hash_func=spread)
path = pathlib.Path(tempfile.mkdtemp()) / "filter.amq"
plain.save(path)
started = threading.Semaphore(0)

def work():
    started.release()
    while True:
        {call}

threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in threads:
    started.acquire()
time.sleep({wait})
path.unlink()
path.parent.rmdir()
slow = Slow()
"""
CALLS = {
    "generator": "plain.update(key for key in range(1000))",
    "sleeping generator": "plain.update(time.sleep(0.01) or key for key in range(1000))",
    "blocked generator": "plain.update(iter(queue.Queue().get, None))",
    "asked generator": "plain.contains(key for key in range(1000))",
    "build of a generator": "amq.FuseFilter.build(key for key in range(1000))",
    "values of a map": "amq.RibbonMap.build(range(1000), (key % 8 for key in range(1000)))",
    "hash_func": "hashed.update(range(1000))",
    "hash_func of one key": "hashed.add(7) and 7 in hashed",
    "lists": "plain.update(list(range(1000))), plain.contains(range(1000))",
    "one key": "plain.add(7), 7 in plain",
    "other integers": "plain.add(type('Index', (), {'__index__': lambda self: 7})())",
    "files": "amq.Filter.from_bytes(plain.to_bytes()), plain.copy(), plain | plain",
    "paths": "try: amq.load(path)\n        except OSError: pass",
    "freed functions": "amq.BloomFilter(10, hash_func=function())",
    "freed copies": "amq.BloomFilter(10, hash_func=function()).copy()",
    "freed keys": "plain.update(map(Freed, range(10)))",
    "arrays": "plain.update(numpy.arange(100_000)), plain.contains(numpy.arange(1000))",
    "listed arrays": "hashed.update(numpy.arange(1000))",
    "columns": "plain.update(polars.Series([1, 2])), plain.contains(pandas.Series([1, 2]))",
}


def runs(what):
    """A child, right after its threads began, and a little later."""
    call = CALLS[what]
    modules = [module for module in ("numpy", "pandas", "polars") if module in call]
    for module in modules:
        pytest.importorskip(module)
    for wait in (0.0, 0.02, 0.05):
        imports = "import " + ", ".join(modules) if modules else ""
        code = CHILD.format(imports=imports, call=call, wait=wait)
        yield subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("what", CALLS)
def test_a_process_ends_while_daemon_threads_are_in_a_call(what):
    for run in runs(what):
        assert (run.returncode, run.stderr) == (0, "")
