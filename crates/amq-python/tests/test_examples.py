"""The examples in the documentation do what they say."""

import doctest
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import amq

CRATE = pathlib.Path(__file__).parents[1]
PAGES = [CRATE / "README.md", CRATE / "TUTORIAL.md"]


def documented():
    """Every object with words of its own."""
    yield "amq", amq.__doc__
    for name, value in vars(amq._amq).items():
        if isinstance(value, type):
            for member, method in vars(value).items():
                if not member.startswith("__") and getattr(method, "__doc__", None):
                    yield f"{name}.{member}", method.__doc__
        if not name.startswith("__") and getattr(value, "__doc__", None):
            yield name, value.__doc__


EXAMPLES = [(name, text) for name, text in documented() if ">>>" in text]


def test_what_people_use_most_has_an_example():
    names = {name for name, _ in EXAMPLES}
    assert {
        "amq", "Filter.contains", "Filter.build", "InsertFilter.add", "InsertFilter.update",
        "InsertFilter.merge", "RemoveFilter.discard", "RemoveFilter.count", "RibbonMap", "plan",
        "choose",
    } <= names  # fmt: skip


def run(text, name):
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert test.examples
    failures = []
    doctest.DocTestRunner().run(test, out=failures.append)
    assert not failures, "".join(failures)


@pytest.mark.parametrize("name, text", EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_the_example_of(name, text):
    run(text, name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_the_page(page, tmp_path, monkeypatch):
    if page.name == "TUTORIAL.md" and not shutil.which(os.environ.get("AMQ", "amq")):
        pytest.skip("there is no command amq: cargo build -p amq-cli, and AMQ=target/debug/amq")
    monkeypatch.chdir(tmp_path)
    run(page.read_text(), page.name)


@pytest.mark.skipif("AMQ_SQL" not in os.environ, reason="AMQ_SQL is not the example of datafusion")
def test_the_statement_of_the_tutorial_runs():
    code = re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", PAGES[1].read_text().split("## In SQL")[1], re.M)
    names = {"amq": amq}
    exec("\n".join(code), names)
    done = subprocess.run(
        [os.environ["AMQ_SQL"], names["statement"]], capture_output=True, text=True, check=True
    )
    rows = re.findall(r"^\| (\w+) +\|$", done.stdout, re.M)
    assert rows == ["name", "alice", "bob"]
