"""What .ci/page does beyond compiling: see there."""

import gzip
import hashlib
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

QUESTIONS = 200


def digest(path):
    """Of the code: comments and tests at the end of a file do not matter."""
    lines = pathlib.Path(path).read_text().split("\n#[cfg(test)]\nmod tests {")[0].splitlines()
    code = [line for line in lines if line.strip() and not line.lstrip().startswith("//")]
    return hashlib.sha256("\n".join(code).encode()).hexdigest()


def check(folder):
    listed = pathlib.Path(folder, "advisor.sources").read_text().splitlines()
    sources = [line.split("  ") for line in listed if not line.startswith("#")]
    if len(sources) < 50:
        sys.exit("FAILED: advisor.sources lists too few files")
    stale = [path for known, path in sources if not pathlib.Path(path).exists() or digest(path) != known]
    if stale:
        sys.exit("FAILED: the page's module is older than its sources: run .ci/page build, draw the reports again\n"
                 + "\n".join(stale))
    print(f"{len(sources)} sources, all as they were when the module was built")


def build(folder, built, compiler):
    # What the compiler read, and the manifests.
    listed = pathlib.Path(built, "amq_page.d").read_text().split(": ", 1)[1].split()
    root = pathlib.Path.cwd()
    sources = {str(pathlib.Path(path).resolve().relative_to(root)) for path in listed}
    crates = {re.sub("/src/.*", "", path) for path in sources if "/src/" in path}
    sources |= {f"{crate}/Cargo.toml" for crate in crates}
    lines = [f"{digest(path)}  {path}\n" for path in sorted(sources)]
    head = f"# Written by .ci/page build: the sources of advisor.wasm.gz\n# {compiler}\n"
    pathlib.Path(folder, "advisor.sources").write_text(head + "".join(lines))
    module = pathlib.Path(built, "amq_page.wasm").read_bytes()
    packed = gzip.compress(module, 9, mtime=0)
    pathlib.Path(folder, "advisor.wasm.gz").write_bytes(packed)
    print(f"{len(sources)} sources, {len(module)} bytes, {len(packed)} packed")


def sections(module):
    """The sections of a module by their numbers."""
    found, at = {}, 8
    while at < len(module):
        kind, size, shift = module[at], 0, 0
        while True:
            at += 1
            size |= (module[at] & 127) << shift
            shift += 7
            if module[at] < 128:
                break
        found[kind] = module[at + 1:at + 1 + size]
        at += 1 + size
    return found


def compare(folder, built):
    known = sections(gzip.decompress(pathlib.Path(folder, "advisor.wasm.gz").read_bytes()))
    new = sections(pathlib.Path(built, "amq_page.wasm").read_bytes())
    # Data holds the lines at which the code panics, which comments move.
    data = [section.pop(11, b"") for section in (known, new)]
    if known != new or len(data[0]) != len(data[1]):
        sys.exit("FAILED: the committed module is not what its sources give: run .ci/page build")
    print(f"the same code, {len(known[10])} bytes")


def question(draw):
    """A random question, as options of the command with plain numbers."""
    one = draw.choice
    asked = {one(["keys", "keys", "at-most", "unknown-from"]): int(10 ** draw.uniform(1, 9.3))}
    say = lambda chance, name, value: asked.update({name: value}) if draw.random() < chance else None
    digits = lambda low, high: float(f"{10 ** draw.uniform(low, high):.3g}")
    say(0.4, "static", "")
    say(0.7, "fpr", digits(-7, -0.3))
    say(0.2, "bits-per-key", digits(0.3, 1.7))
    say(0.1, "bytes", int(digits(3, 9)))
    say(0.1, "build-bytes", int(digits(5, 10)))
    say(0.5, "absent", one([0, 0.1, 0.5, 0.9, 1]))
    say(0.4, "false-positive", digits(2, 7))
    say(0.3, "queries-per-key", digits(-1, 3))
    say(0.2, "first", one(["memory", "time"]))
    needs = ["remove", "list", "merge", "grow", "shared-insert", "files"]
    some = draw.sample(needs, one([1, 1, 2, 3]))
    say(0.5, "need", ",".join(need for need in needs if need in some))
    say(0.2, "threads", one([2, 8]))
    # In the order in which the command adds them.
    say(0.1, "forget", one([2, 8]))
    say(0.15, "count", one([3, 10, 14, 100]))
    say(0.1, "values", one([1, 8, 32]))
    say(0.1, "copies", digits(0, 1))
    say(0.15, "strangers", "")
    say(0.2, "key-bytes", one([16, 100]))
    say(0.1, "changes", int(digits(1, 6)))
    say(0.1, "integers-below", int(digits(6, 12)))
    say(0.1, "bit-price", digits(-2, 2))
    say(0.1, "lookup", digits(1, 4))
    return asked


def command(program, asked):
    """What `amq choose` answers: lines as the page shows them, and whether it is an error."""
    times = ["false-positive", "lookup", "bit-price"]
    options = [f"--{name}={value}{'ns' if name in times else ''}" if value != "" else f"--{name}"
               for name, value in asked.items()]
    run = subprocess.run([program, "choose", "--json", *options], capture_output=True, text=True)
    if run.returncode == 2:
        return {"error": run.stderr.strip().removeprefix("amq: ").removeprefix("error: ")}
    assert run.returncode == 0, (options, run.stderr)
    answer = json.loads(run.stdout)
    numbers = ["bits_per_key", "bytes", "query_ns", "insert_ns", "cost_ns"]
    choices = [[choice["structure"], *(choice[name] for name in numbers), choice["reason"]]
               for choice in answer["choices"]]
    out = [[one["structure"], one["demand"], one["reason"]] for one in answer["rejections"]]
    return {"choices": choices, "out": out, "notes": answer["notes"]}


# Asks one question after the other as a reader would who opens a link, and leaves what the page shows in its title's
# place. `amqAnswers` is what the page's script was told and shows.
DRIVER = """<script>
(async () => {
  const all = [];
  await new Promise((done) => addEventListener("answered", done, { once: true }));
  for (const question of QUESTIONS) {
    location.hash = question;
    await new Promise((done) => addEventListener("answered", done, { once: true }));
    const cards = [...document.querySelectorAll("#answer .card")].map((card) => card.dataset.id);
    all.push({ asked: location.hash.slice(1), form: formQuestion(), cards, told: lastAnswer(),
               said: document.getElementById("answer").innerText });
  }
  document.body.textContent = "";
  document.body.append(Object.assign(document.createElement("pre"), { id: "all", textContent: JSON.stringify(all) }));
})();
</script>"""


def ask(page, browser, program):
    draw = random.Random(35)
    questions = [question(draw) for _ in range(QUESTIONS)]
    queries = ["&".join(f"{name}={value}" if value != "" else name for name, value in asked.items())
               for asked in questions]
    text = pathlib.Path(page).read_text()
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "page.html")
        copy.write_text(text.replace("</body>", DRIVER.replace("QUESTIONS", json.dumps(queries)) + "</body>"))
        run = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
             "--virtual-time-budget=120000", "--timeout=120000", "--dump-dom", copy.as_uri()],
            capture_output=True, text=True, timeout=300)
    found = re.search(r'<pre id="all">(.*?)</pre>', run.stdout, re.S)
    if not found:
        sys.exit(f"FAILED: the page did not answer\n{run.stderr[-2000:]}")
    unescaped = found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    told = json.loads(unescaped)
    assert len(told) == QUESTIONS, len(told)
    number = lambda field: float(field) if field else None

    def pairs(query):
        """Names and values; numbers as such, since they can be written in several ways."""
        split = (pair.partition("=") for pair in query.split("&"))
        is_number = re.compile(r"[0-9.]+(e[+-]?[0-9]+)?").fullmatch
        return {name: float(value) if is_number(value) else value for name, _, value in split}

    wrong = refused = 0
    for asked, query, page_says in zip(questions, queries, told):
        lines = [line.split("\t") for line in page_says["told"].splitlines()]
        of = lambda kind: [line[1:] for line in lines if line[0] == kind]
        known = command(program, asked)
        if "error" in known:
            refused += 1
            same = len(of("error")) == 1 and of("error")[0][0] in known["error"] and not page_says["cards"]
        else:
            choices = [[c[0], number(c[4]), number(c[5]), number(c[8]), number(c[9]), number(c[10]), c[13]]
                       for c in of("choice")]
            out = [[line[0], line[2], line[3]] for line in of("out")]
            same = (choices == known["choices"] and out == known["out"]
                    and [line[0] for line in of("note")] == known["notes"]
                    # The reader sees the first three.
                    and page_says["cards"] == [choice[0] for choice in known["choices"][:3]])
        # The form holds the question that was opened, and asks it again with the same words.
        same_form = pairs(page_says["form"]) == pairs(query)
        if not (same and same_form):
            wrong += 1
            print(f"{query}\n  the form asks {page_says['form']}\n  the page shows {page_says['cards']}, told\n"
                  f"{page_says['told']}\n  the command answers {known}\n")
    if wrong or not QUESTIONS / 10 < refused < QUESTIONS * 0.7:
        sys.exit(f"FAILED: {wrong} of {QUESTIONS} answers differ, {refused} refused")
    print(f"{QUESTIONS} questions, the same answers; {refused} of them have none")


if __name__ == "__main__":
    {"check": check, "build": build, "compare": compare, "ask": ask}[sys.argv[1]](*sys.argv[2:])
