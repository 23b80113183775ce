"""The stubs name what there is."""

import ast
import inspect
import pathlib

import pytest
from kinds import ALL, name

import amq

STUBS = ast.parse((pathlib.Path(amq.__file__).parent / "__init__.pyi").read_text())
CLASSES = {node.name: node for node in STUBS.body if isinstance(node, ast.ClassDef)}
FUNCTIONS = {node.name: node for node in STUBS.body if isinstance(node, ast.FunctionDef)}
# What every object has, and what classes of C say in other words.
GIVEN = {"__new__", "__repr__", "__str__", "__hash__", "__ror__", "__rand__", "__doc__", "__module__",
         "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}  # fmt: skip


def members(stub):
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id


def test_the_stubs_have_exactly_the_public_names():
    aliases = {node.targets[0].id for node in STUBS.body if isinstance(node, ast.Assign)}
    stubbed = {*CLASSES, *FUNCTIONS, *aliases}
    assert {name for name in stubbed if not name.startswith("_")} == {
        name for name in amq.__all__ if not name.startswith("_")
    }


@pytest.mark.parametrize("cls", [getattr(amq, name) for name in CLASSES if hasattr(amq, name)], ids=name)
def test_every_class_has_the_members_of_its_stub_and_no_more(cls):
    if issubclass(cls, (Exception, Warning)):
        assert [base.id for base in CLASSES[cls.__name__].bases] == [cls.__base__.__name__]
        return
    bases = [base.id for base in CLASSES[cls.__name__].bases]
    assert bases == ([] if cls.__base__ is object else [cls.__base__.__name__])
    stubbed = set(members(CLASSES[cls.__name__])) - GIVEN
    there = set(vars(cls)) - GIVEN
    if cls in ALL:
        there -= {"kind"}
        if issubclass(cls, amq.InsertFilter):
            there -= {"add"}  # each has its own, which is quicker
    elif cls is amq.FilterView:
        stubbed -= {"save", "save_bytes", "to_bytes"}  # inherited, and refused
    elif cls in (amq.InsertFilter, amq.StaticFilter):
        # Of each of their kinds.
        stubbed -= {"kind"}
    assert stubbed == there


@pytest.mark.parametrize("method", ["save", "load", "from_bytes", "build"])
def test_arguments_are_those_of_the_stubs(method):
    stub = next(node for node in CLASSES["Filter"].body if getattr(node, "name", "") == method)
    arguments = [a.arg for a in (*stub.args.args, *stub.args.kwonlyargs) if a.arg not in ("self", "cls")]
    there = [p for p in inspect.signature(getattr(amq.Filter, method)).parameters if p != "self"]
    assert there == arguments


def test_the_constructor_has_the_arguments_of_its_stub():
    stub = next(n for n in CLASSES["InsertFilter"].body if getattr(n, "name", "") == "__new__")
    arguments = [a.arg for a in (*stub.args.args, *stub.args.kwonlyargs) if a.arg != "cls"]
    assert list(inspect.signature(amq.BloomFilter).parameters) == arguments


def test_every_demand_of_choose_is_known():
    stub = FUNCTIONS["choose"]
    for argument in stub.args.kwonlyargs:
        with pytest.raises((TypeError, ValueError)) as raised:
            amq.choose(keys=10, **{argument.arg: object()})
            raise TypeError("taken")  # a truth
        assert "no such demand" not in str(raised.value)
        assert argument.arg in amq.choose.__doc__


@pytest.mark.parametrize("kind", ALL, ids=name)
def test_the_class_of_a_kind_is_final(kind):
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Derived", (kind,), {})


@pytest.mark.parametrize("shared", [amq.Filter, amq.InsertFilter, amq.RemoveFilter, amq.StaticFilter], ids=name)
def test_a_class_that_kinds_share_makes_no_filter(shared):
    with pytest.raises(TypeError):
        shared(10)
