#!/usr/bin/env python3
"""Tries the engine lines of `amq_advisor::engines` in the engines themselves, and shows the rate that each gives.

Fails if an engine refuses its line, or if the observed rate is not the promised one. An engine that is not there is skipped;
Debian has them: apt-get install postgresql-15 librocksdb-dev redis-server.
"""

import ctypes
import ctypes.util
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
failures = []


def skip(what):
    print(f"SKIPPED: {what}")
    if "CI_SKIPPED" in os.environ:
        with open(os.environ["CI_SKIPPED"], "a") as file:
            file.write(what + "\n")


def lines(engine, keys, rate):
    """The lines for engines of this name, each with the rate that it promises."""
    command = ["cargo", "run", "--quiet", "--example", "engine_lines", "--", str(keys), repr(rate)]
    out = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    rows = [row.split("\t") for row in out.splitlines()]
    found = [(line, float(promised)) for name, line, promised in rows if name.startswith(engine)]
    assert found, f"the library has no line for {engine}"
    return found


def judge(line, promised, false, asked, sd):
    """A failure if the rate is further from the promised one than a tenth and five standard deviations."""
    observed = false / asked
    print(f"{line}: promised {promised:.4%}, observed {observed:.4%} +- {sd:.4%} ({false} of {asked})")
    if abs(observed - promised) > 5 * sd + 0.1 * promised:
        failures.append(f"{line}: {observed:.4%}, not {promised:.4%}")


def rocksdb(keys=100_000, asked=400_000):
    path = ctypes.util.find_library("rocksdb")
    if path is None:
        return skip("RocksDB: no librocksdb")
    library, pointer, size = ctypes.CDLL(path), ctypes.c_void_p, ctypes.c_size_t

    def call(name, *arguments, returns=pointer):
        function = getattr(library, "rocksdb_" + name)
        function.restype = returns
        return function(*arguments)

    def checked(name, *arguments):
        error = ctypes.c_char_p()
        answer = call(name, *arguments, ctypes.byref(error))
        assert not error.value, error.value
        return pointer(answer)

    for rate in (0.01, 0.001):
        for line, promised in lines("RocksDB", keys, rate):
            kind, bits = re.fullmatch(r"New(Bloom|Ribbon)FilterPolicy\((.*)\)", line).groups()
            policy = call("filterpolicy_create_" + {"Bloom": "bloom_full", "Ribbon": "ribbon"}[kind], ctypes.c_double(float(bits)))
            with tempfile.TemporaryDirectory() as folder:
                options, table = pointer(call("options_create")), pointer(call("block_based_options_create"))
                call("block_based_options_set_filter_policy", table, pointer(policy), returns=None)
                call("options_set_block_based_table_factory", options, table, returns=None)
                call("options_set_create_if_missing", options, ctypes.c_ubyte(1), returns=None)
                call("options_enable_statistics", options, returns=None)
                db = checked("open", options, os.path.join(folder, "db").encode())
                batch = pointer(call("writebatch_create"))
                for i in range(keys):
                    key = b"present-%012d" % i
                    call("writebatch_put", batch, key, size(len(key)), b"v", size(1), returns=None)
                checked("write", db, pointer(call("writeoptions_create")), batch)
                # Into one file, which alone then has a filter.
                call("compact_range", db, None, size(0), None, size(0), returns=None)
                reading, length = pointer(call("readoptions_create")), size()
                for i in range(asked):
                    # Among the present keys in order, or the file's bounds would answer.
                    key = b"present-%012d-%d" % (i % (keys - 1), i // (keys - 1))
                    found = checked("get", db, reading, key, size(len(key)), ctypes.byref(length))
                    assert not found.value, "an absent key was found"
                report = call("options_statistics_get_string", options, returns=ctypes.c_char_p).decode()
                call("close", db, returns=None)
            ticker = lambda name: int(re.search(rf"rocksdb\.bloom\.filter\.{name} COUNT : (\d+)", report)[1])
            false = ticker(r"full\.positive") - ticker(r"full\.true\.positive")
            assert ticker("useful") + false == asked, "the filter was not asked each time"
            judge("RocksDB: " + line, promised, false, asked, math.sqrt(false) / asked)


def postgresql(rows=10_000, queries=2000):
    binaries = "/usr/lib/postgresql/15/bin"
    if not os.path.exists(f"{binaries}/initdb") or not os.path.exists("/usr/share/postgresql/15/extension/bloom.control"):
        return skip("PostgreSQL: no server with the extension bloom")
    is_root = os.geteuid() == 0
    if is_root and shutil.which("runuser") is None:
        return skip("PostgreSQL: it does not run as root, and there is no runuser")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)

        def run(program, *options, as_owner=True, **more):
            owner = ["runuser", "-u", "postgres", "--"] if as_owner and is_root else []
            return subprocess.run([*owner, f"{binaries}/{program}", *options], check=True, cwd=folder, **more)

        def sql(text):
            options = ["-h", folder, "-U", "postgres", "-qAt", "-v", "ON_ERROR_STOP=1"]
            return run("psql", *options, as_owner=False, input=text, capture_output=True, text=True).stdout

        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        run("initdb", "-D", "data", "-U", "postgres", **quiet)
        start = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", start, "start", **quiet)
        try:
            for rate in (0.01, 0.001):
                for line, promised in lines("PostgreSQL", rows, rate):
                    columns = re.search(r"bloom \((.*?)\)", line)[1].split(", ")
                    values = ", ".join(f"(random() * 1e9)::int as {column}" for column in columns)
                    sql(f"drop table if exists t; create table t as select {values} from generate_series(1, {rows})")
                    sql(line.replace("\\n", "\n"))
                    sql("vacuum analyze t")
                    # Each value asked has a rate of its own: many values, and the spread between them.
                    asked = "".join("explain (analyze, timing off, format json) select * from t where "
                                    f"{columns[i % len(columns)]} = {-1 - i};" for i in range(queries))
                    plans = sql(f"set enable_seqscan = off; set work_mem = '64MB'; {asked}")
                    scans = [plan[0]["Plan"] for plan in json.loads("[" + plans.replace("]\n[", "],[") + "]")]
                    assert len(scans) == queries and {scan["Node Type"] for scan in scans} == {"Bitmap Heap Scan"}, scans[0]
                    false = [scan.get("Rows Removed by Index Recheck", 0) for scan in scans]
                    sd = statistics.stdev(false) / math.sqrt(queries) / rows
                    judge("PostgreSQL: " + line, promised, sum(false), rows * queries, sd)
        finally:
            run("pg_ctl", "-D", "data", "-m", "immediate", "stop", **quiet)


def redis():
    if not (shutil.which("redis-server") and shutil.which("redis-cli")):
        return skip("Redis: no redis-server")
    with tempfile.TemporaryDirectory() as folder:
        socket = f"{folder}/redis"
        server = ["redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder]
        process = subprocess.Popen(server, stdout=subprocess.DEVNULL)
        ask = lambda *words: subprocess.run(["redis-cli", "-s", socket, *words], capture_output=True, text=True).stdout.strip()
        try:
            while process.poll() is None and not (os.path.exists(socket) and ask("ping") == "PONG"):
                time.sleep(0.05)
            for command, _ in lines("Redis", 100_000, 0.01):
                answer = ask(*command.replace(" key ", f" {command[:2]} ").split())
                print(f"Redis: {command}: {answer}")
                if answer.lower().startswith("err unknown command"):
                    return skip("Redis: this server has no module for Bloom and cuckoo filters")
                if answer != "OK":
                    failures.append(f"Redis: {command}: {answer}")
        finally:
            process.terminate()
            process.wait()


rocksdb()
postgresql()
redis()
if failures:
    sys.exit("FAILED: " + "\n".join(failures))
