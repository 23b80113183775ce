#!/usr/bin/env bash
# Builds and asks filters of N lines with `amq`, and does the same with the tools a person would otherwise use:
# `sort -u | comm`, a Bloom filter in Python, and, up to a million lines, `grep -F -f`. Prints a table in Markdown: seconds,
# peak memory, lines a second, lines printed. Run it on a machine that does nothing else:
#
#     crates/amq-cli/benches/compare.sh [N...]        (default: 1000000 10000000)
#
# Needs Python 3; the Python filters are the packages rbloom and pybloom-live, each skipped if it is not there.
# Files go to the folder that TMPDIR names: some 60 bytes a line.
set -euo pipefail

# AMQ_BIN names a folder with a binary that was built before.
if [ -z "${AMQ_BIN:-}" ]; then
    root=$(cd "$(dirname "$0")/../../.." && pwd)
    cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p amq-cli
    AMQ_BIN=${CARGO_TARGET_DIR:-$root/target}/release
fi
PATH=$AMQ_BIN:$PATH
sizes=("$@")
[ ${#sizes[@]} -gt 0 ] || sizes=(1000000 10000000)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"

# Runs a line of bash and prints a row. Peak memory is that of the largest process, and at least that of this Python.
cat >run.py <<'PYTHON'
import resource, subprocess, sys, time
name, lines, command = sys.argv[1], int(sys.argv[2]), sys.argv[3]
start = time.monotonic()
status = subprocess.run(["bash", "-c", "set -o pipefail; " + command]).returncode
seconds = time.monotonic() - start
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
if status not in (0, 1):
    sys.exit("FAILED with status %d: %s" % (status, command))
printed = open("out").read().strip() if "> out" in command else ""
print("| %s | %.2f | %.0f | %.1f | %s |" % (name, seconds, peak, lines / seconds / 1e6, printed))
PYTHON
row() { rm -f out; python3 run.py "$1" "$2" "$3"; }

cat >python_filter.py <<'PYTHON'
import sys
which, keys, asked, n = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
if which == "rbloom":
    from rbloom import Bloom
    seen = Bloom(n, 0.01)
else:
    from pybloom_live import BloomFilter
    seen = BloomFilter(capacity=n + n // 100, error_rate=0.01)
with open(keys) as lines:
    for line in lines:
        seen.add(line)
print(sum(line in seen for line in open(asked)))
PYTHON

for n in "${sizes[@]}"; do
    # Keys of uneven length; half of what is asked is in.
    seq 1 "$n" | awk '{ print "https://example.org/" $1 * 7919 % 1000003 "/" $1 }' >keys
    seq $((n / 2 + 1)) $((n + n / 2)) | awk '{ print "https://example.org/" $1 * 7919 % 1000003 "/" $1 }' >asked
    printf '\n%s lines, asked for as many, half of them in; %s processors\n\n' "$n" "$(nproc)"
    echo '| what | seconds | peak MiB | million lines a second | lines found |'
    echo '| --- | --- | --- | --- | --- |'
    row "reading alone: wc -l" "$n" "wc -l < keys > out"
    # Ribbons are solved with all hashes in memory, more than the gigabyte of the default at 10^8 keys.
    for kind in bloom blocked-bloom "ribbon --memory 64GiB"; do
        rm -f f.amq
        row "amq build --kind $kind" "$n" "amq build -q -o f.amq --fpr 1% --kind $kind keys"
        row "amq query, ${kind% --*}" "$n" "amq query -c f.amq asked > out"
    done
    rm -f f.amq
    row "amq build --kind blocked-bloom --keys N" "$n" "amq build -q -o f.amq --fpr 1% --kind blocked-bloom --keys $n keys"
    row "amq dedupe" "$n" "amq dedupe keys | wc -l > out"
    row "sort -u" "$n" "LC_ALL=C sort -u keys > keys.sorted"
    row "sort -u, then comm -12" "$n" "LC_ALL=C sort -u asked > asked.sorted; LC_ALL=C comm -12 keys.sorted asked.sorted | wc -l > out"
    row "awk '!seen[\$0]++'" "$n" "awk '!seen[\$0]++' keys | wc -l > out"
    for package in rbloom pybloom_live; do
        if python3 -c "import $package" 2>/dev/null; then
            row "Python, $package: build and ask" "$((2 * n))" "python3 python_filter.py ${package/_live/} keys asked $n > out"
        else
            echo "SKIPPED: the Python package $package is not there" >&2
        fi
    done
    if [ "$n" -le 1000000 ]; then
        row "grep -cFx -f" "$n" "LC_ALL=C grep -cFx -f keys asked > out"
    fi
done
