"""What .ci/page does beyond compiling: see there."""

import base64
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


def question(draw, needs):
    """A random question, as options of the command with plain numbers, of the needs that the form names."""
    one = draw.choice
    asked = {one(["keys", "keys", "keys", "unknown-from"]): int(10 ** draw.uniform(1, 9.3))}
    say = lambda chance, name, value: asked.update({name: value}) if draw.random() < chance else None
    digits = lambda low, high: float(f"{10 ** draw.uniform(low, high):.3g}")
    say(0.4, "static", "")
    say(0.7, "fpr", digits(-7, -0.3))
    say(0.2, "bits-per-key", digits(0.3, 1.7))
    say(0.1, "bytes", int(digits(3, 9)))
    say(0.5, "absent", one([0, 0.1, 0.5, 0.9, 1]))
    say(0.4, "false-positive", digits(2, 7))
    say(0.3, "queries-per-key", digits(-1, 3))
    say(0.2, "first", one(["memory", "time", "tail"]))
    own = ["remove", "list", "merge", "grow", "shared-insert", "files"]
    exact = ["exact"] if draw.random() < 0.05 else []
    some = draw.sample(own, one([1, 1, 2, 3]))
    # What no filter of this family does is answered by what does.
    beyond = draw.sample([need for need in needs if need not in [*own, "exact"]], one([0] * 14 + [1]))
    say(0.5, "need", ",".join([need for need in own if need in some] + exact + beyond))
    say(0.1, "filters", int(digits(0, 6)))
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
    say(0.1, "lookup", digits(1, 4))
    return asked


def command(program, asked):
    """What `amq choose` answers: lines as the page shows them, and whether it is an error."""
    times = ["false-positive", "lookup"]
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


# What is typed into one field of the form that a link has filled; the plain number that it means, if it can be asked; and
# the option with which the command reads or refuses the same, where it spells it alike.
BEGINS = "keys=1000000&fpr=0.01&absent=0.5"
TYPED = [
    ("fpr", "0.1", 0.001, "--fpr=0.1%"),
    ("fpr", "0,1", 0.001, None),
    ("fpr", "0,125 %", 0.00125, None),
    ("fpr", "1,125", None, None),
    ("fpr", "o.1", None, "--fpr=o.1%"),
    ("fpr", "100", None, "--fpr=100%"),
    ("absent", "150", None, "--absent=150%"),
    ("queries-per-key", "1e400", None, "--queries-per-key=1e400"),
    ("fpr", "0.1 ns", None, "--fpr=0.1ns"),
    ("false-positive", "5", None, "--false-positive=5"),
    ("false-positive", "5us", 5000, "--false-positive=5us"),
    ("false-positive", "1.5 \u03bcs", 1500, "--false-positive=1.5us"),
    ("false-positive", "2,5 ms", 2500000, None),
    ("lookup", "-5 ns", None, "--lookup=-5ns"),
    ("bytes", "524288", 524288, "--bytes=524288"),
    ("bytes", "64 KiB", 65536, "--bytes=64KiB"),
    ("bytes", "1.5GB", 1500000000, "--bytes=1.5GB"),
    ("bytes", "2,000,000 bytes", 2000000, "--bytes=2000000 bytes"),
    ("keys", "1.000", None, None),
    ("keys", "2,000,000", 2000000, "--keys=2_000_000"),
    ("keys", "1.5M", 1500000, "--keys=1.5M"),
    ("keys", "1,00,000", None, "--keys=1,00,000"),
    ("keys", "1.5", None, "--keys=1.5"),
    ("keys", "1e30", None, "--keys=1e30"),
    ("threads", "many", None, "--threads=many"),
    ("count", "0", None, "--count=0"),
    ("values", "65", None, "--values=65"),
]
# Links that the form cannot hold whole, or cannot read, are answered, not bent into another question.
LINKS = {"keys=1000&need=fly": "unknown need fly", "keys=1000&wings=2": "there is no option wings",
         "keys=1000&wings": "there is no option wings", "keys=1000&first=me": "first: memory, time or tail, not me",
         "keys=1000&fpr=lots": "“lots” cannot be read", "fpr=0.01": "how many keys?", "%E0%A4%A": "This link cannot be read",
         "unknown-from=7&at-most=9": "There can be one of keys and unknown-from"}
# Links with numbers as the first page writes them, and the question that they ask.
WRITTEN = [("at-most=1e6&fpr=0.1%&false-positive=20us&absent=90%", "keys=1000000&fpr=0.001&absent=0.9&false-positive=20000"),
           ("keys=2^20&static&bytes=2MiB&lookup=0.5%C2%B5s", "keys=1048576&static&bytes=2097152&lookup=500")]

# Asks one question after the other as a reader would who opens a link or types, and leaves what the page shows in its
# title's place.
DRIVER = """<script>
(async () => {
  const all = [];
  const answered = () => new Promise((done) => addEventListener("answered", done, { once: true }));
  const open = (question) => { const done = answered(); location.hash = question; return done; };
  const shown = () => ({ asked: location.hash.slice(1), form: formQuestion(), told: lastAnswer(),
    cards: [...document.querySelectorAll("#answer .card")].map((card) => card.dataset.id),
    said: document.getElementById("answer").innerText.replaceAll("\\u00a0", " ") });
  const type = (name, text) => {
    const field = form.elements.namedItem(name === "keys" ? "number" : name);
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    const typing = shown();
    field.dispatchEvent(new Event("change", { bubbles: true }));
    return { ...shown(), typing, marked: field.ariaInvalid === "true" };
  };
  await answered();
  for (const question of QUESTIONS) { await open(question); all.push(shown()); }
  for (const question of LINKS) { await open(question); all.push(shown()); }
  for (const link of WRITTEN) { await open(link); all.push(shown()); }
  for (const [name, text] of TYPED) {
    await open("keys=7"); await open(BEGINS);
    const typed = type(name, text);
    await open("keys=7"); await open(typed.asked);
    all.push({ ...typed, again: shown() });
  }
  await open(BEGINS + "&static"); type("values", "8"); all.push(shown());
  await open(BEGINS); form.querySelector("[value=exact]").click(); all.push(shown());
  document.body.textContent = "";
  document.body.append(Object.assign(document.createElement("pre"), { id: "all", textContent: JSON.stringify(all) }));
})();
</script>"""


def with_module(text, module):
    """The page with another module."""
    packed = base64.b64encode(gzip.compress(pathlib.Path(module).read_bytes(), 9, mtime=0)).decode()
    text, found = re.subn('(<script id="advisor"[^>]*>)[^<]*', lambda match: match[1] + packed, text)
    assert found == 1, found
    return text


def in_browser(text, browser, questions):
    """What the page shows, for each of the questions, the links and the words typed."""
    driver = DRIVER
    for name, value in [("QUESTIONS", questions), ("LINKS", list(LINKS)), ("TYPED", [case[:2] for case in TYPED]),
                        ("WRITTEN", [link for link, _ in WRITTEN]), ("BEGINS", BEGINS)]:
        driver = driver.replace(name, json.dumps(value))
    # A browser seldom ends before it has answered all.
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "page.html")
            copy.write_text(text.replace("</body>", driver + "</body>"))
            run = subprocess.run(
                # So many questions in a few seconds are no attack.
                [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-ipc-flooding-protection",
                 f"--user-data-dir={folder}/profile",
                 "--virtual-time-budget=120000", "--timeout=120000", "--dump-dom", copy.as_uri()],
                capture_output=True, text=True, timeout=300)
        found = re.search(r'<pre id="all">(.*?)</pre>', run.stdout, re.S)
        if found:
            break
    else:
        sys.exit(f"FAILED: the page did not answer\n{run.stderr[-2000:]}")
    return json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


def pairs(query):
    """Names and values; numbers as such, since they can be written in several ways."""
    split = (pair.partition("=") for pair in query.split("&"))
    is_number = re.compile(r"[0-9.]+(e[+-]?[0-9]+)?").fullmatch
    return {name: float(value) if is_number(value) else value for name, _, value in split}


def sentence(error):
    """An error as the page begins it."""
    return error[:1].upper() + error[1:]


def is_same(page, known):
    """Whether the page shows what the command answers, the notes not folded away."""
    lines = [line.split("\t") for line in page["told"].splitlines()]
    of = lambda kind: [line[1:] for line in lines if line[0] == kind]
    number = lambda field: float(field) if field else None
    if "error" in known:
        error = of("error")[0][0] if of("error") else "none"
        return error in known["error"] and sentence(error) in page["said"] and not page["cards"]
    choices = [[c[0], number(c[3]), number(c[4]), number(c[8]), number(c[9]), number(c[10]), c[13]]
               for c in of("choice")]
    out = [[line[0], line[2], line[3]] for line in of("out")]
    return (choices == known["choices"] and out == known["out"] and [line[0] for line in of("note")] == known["notes"]
            and all(note.replace("`", "") in page["said"] for note in known["notes"])
            # The reader sees the first three.
            and page["cards"] == [choice[0] for choice in known["choices"][:3]])


def ask(page, browser, program, module=None):
    draw = random.Random(35)
    text = pathlib.Path(page).read_text()
    if module:
        text = with_module(text, module)
    needs = re.findall('name="need" value="([a-z-]+)"', text)
    questions = [question(draw, needs) for _ in range(QUESTIONS)]
    queries = ["&".join(f"{name}={value}" if value != "" else name for name, value in asked.items())
               for asked in questions]
    told = in_browser(text, browser, queries)
    assert len(told) == QUESTIONS + len(LINKS) + len(WRITTEN) + len(TYPED) + 2, len(told)
    wrong = []

    def check(what, is_right, page_says, known=""):
        if not is_right:
            wrong.append(what)
            print(f"{what}\n  the form asks {page_says['form']}\n  the page shows {page_says['cards']}: "
                  f"{page_says['said']}\n  told\n{page_says['told']}\n  the command answers {known}\n")

    answers = iter(told)
    refused = 0
    for asked, query in zip(questions, queries):
        page_says, known = next(answers), command(program, asked)
        refused += "error" in known
        # The form holds the question that was opened, and asks it again with the same words.
        check(query, is_same(page_says, known) and pairs(page_says["form"]) == pairs(query), page_says, known)
    for link, error in LINKS.items():
        page_says = next(answers)
        check(link, sentence(error) in page_says["said"] and not page_says["cards"], page_says)
    for link, query in WRITTEN:
        page_says = next(answers)
        check(link, pairs(page_says["form"]) == pairs(query) and page_says["cards"], page_says)
    for name, text, number, option in TYPED:
        page_says, asked = next(answers), pairs(BEGINS)
        if option:
            run = [program, "choose", "--json", *(["--keys=1e6"] if name != "keys" else []), option]
            accepts = subprocess.run(run, capture_output=True).returncode == 0
            check(f"{option} to the command", accepts == (number is not None), page_says, accepts)
        # Its address asks the same again.
        again = page_says["again"]
        check(f"{name}: {text} again", all(again[what] == page_says[what] for what in ["form", "told", "cards"]), again)
        if number is None:
            # In the field's words: it is marked, and no answer is left, from the first letter on.
            check(f"{name}: {text}", f"“{text}”" in page_says["said"] and page_says["said"].startswith("In “")
                  and page_says["marked"] and not page_says["cards"] and not page_says["typing"]["cards"], page_says)
        else:
            asked[name] = number
            whole = {name: int(value) if value == int(value) else value for name, value in asked.items()}
            known = command(program, whole)
            check(f"{name}: {text}", is_same(page_says, known) and pairs(page_says["form"]) == asked, page_says, known)
    # A map and an exact set have no rate: the one that the form begins with gives way.
    for asked in [{"static": "", "absent": 0.5, "values": 8}, {"absent": 0.5, "need": "exact"}]:
        page_says, known = next(answers), command(program, {"keys": 1000000} | asked)
        check(asked, is_same(page_says, known) and "choices" in known and "fpr" not in page_says["form"],
              page_says, known)
    if wrong or not QUESTIONS / 10 < refused < QUESTIONS * 0.7:
        sys.exit(f"FAILED: {len(wrong)} answers differ; {refused} of {QUESTIONS} questions have none")
    print(f"{QUESTIONS} questions, the same answers; {refused} of them have none; {len(TYPED)} ways to type")


# What is left of linear red, green and blue to those who lack a kind of cone (Machado, Oliveira and Fernandes 2009).
SEEN_BY = {
    "everyone": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopes": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopes": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopes": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# Colours of thin marks at least this far apart in CIELAB are told apart (2.3 is just noticed, side by side and in areas);
# so are shapes that share at most this part of the ground that either covers.
COLOURS_APART, SHAPES_ALIKE = 25, 0.75


def lab(colour, matrix):
    linear = [(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
              for c in (int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5))]
    r, g, b = (min(1, max(0, sum(part * c for part, c in zip(row, linear)))) for row in matrix)
    xyz = ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b,
           (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)
    x, y, z = (c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116 for c in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ground(corners):
    """The quarters of pixels that a mark covers, around its middle."""
    inside = set()
    for y in range(-40, 40):
        for x in range(-40, 40):
            at, crossed = (x / 4 + 0.125, y / 4 + 0.125), False
            for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1]):
                if (b > at[1]) != (d > at[1]) and at[0] < (c - a) * (at[1] - b) / (d - b) + a:
                    crossed = not crossed
            if crossed:
                inside.add((x, y))
    return inside


def marks(*pages):
    """Fails unless the marks of any two families in a plot are apart for everyone: by shape, by letter or by colour."""
    checked, wrong, shapes, colours = 0, set(), {}, set()
    for page in pages:
        text = pathlib.Path(page).read_text()
        for plot, svg in re.findall(r'<figure[^>]*id="plot-([^"]*)"(.*?)</figure>', text, re.S):
            looks = set()
            for d, colour, letter in re.findall(
                    r'<path d="M([-0-9 L]*)Z" fill="[^"]*" stroke="(#[0-9a-f]{6})"[^>]*></path>(?:<text[^>]*>(\w)</text>)?',
                    svg):
                corners = [tuple(map(int, corner.split())) for corner in d.split("L")][:-1]
                middle = [(min(axis) + max(axis)) / 2 for axis in zip(*corners)]
                shape = tuple(sorted((x - middle[0], y - middle[1]) for x, y in corners))
                shapes.setdefault(shape, ground([(x - middle[0], y - middle[1]) for x, y in corners]))
                looks.add((shape, colour, letter))
                colours.add(colour)
            looks = sorted(looks)
            for index, one in enumerate(looks):
                for other in looks[:index]:
                    if one[:2] == other[:2] or (one[2] and other[2] and one[2] != other[2]):
                        continue  # One family, or letters.
                    a, b = shapes[one[0]], shapes[other[0]]
                    alike = len(a & b) / len(a | b)
                    far = {who: sum((x - y) ** 2 for x, y in zip(lab(one[1], m), lab(other[1], m))) ** 0.5
                           for who, m in SEEN_BY.items()}
                    checked += 1
                    if alike > SHAPES_ALIKE and min(far.values()) < COLOURS_APART:
                        who = min(far, key=far.get)
                        wrong.add(f"{plot}: {other[1]} and {one[1]} are {far[who]:.0f} apart to {who}, and share "
                                  f"{alike:.0%} of their shapes")
    for colour in sorted(colours):
        # As much contrast as the guidelines for the web ask of pictures, on white and on the dark ground.
        light = ((lab(colour, SEEN_BY["everyone"])[0] + 16) / 116) ** 3
        if min(1.05 / (light + 0.05), (light + 0.05) / 0.058) < 3:
            wrong.add(f"{colour} does not stand out")
    if wrong or checked < 50:
        sys.exit("FAILED: " + "\n".join(sorted(wrong) or [f"only {checked} pairs"]))
    print(f"{checked} pairs of marks, each apart by shape, letter or colour to {', '.join(SEEN_BY)}")


if __name__ == "__main__":
    {"marks": marks, "check": check, "build": build, "compare": compare, "ask": ask}[sys.argv[1]](*sys.argv[2:])
