"""Models of a project and the calls that build and run them, found in its text."""

from __future__ import annotations

import ast
from pathlib import PurePosixPath

import pytest

from workbench.ports.models import models_in
from workbench.ports.plan import Trial

NET = """
from torch import nn
import torch

class Head(nn.Module):
    def __init__(self, channels, bias=True):
        super().__init__()

class Net(Head):
    def __init__(self, width, *, kind):
        super().__init__(width)

class Plain(torch.nn.Sequential):
    pass

class Config:
    pass

class _Private(nn.Module):
    pass
"""


def trials(text: str, model: str = "Head", module: str = NET) -> list[tuple[str, tuple[str, ...]]]:
    trees = {PurePosixPath("net.py"): ast.parse(module), PurePosixPath("test.py"): ast.parse(text)}
    found = models_in(trees, {})
    return [(one.call, one.inputs) for one in found.trials.get(model, [])]


def test_classes_of_modules_are_found_by_their_bases() -> None:
    found = models_in({PurePosixPath("net.py"): ast.parse(NET)}, {})
    assert {name: model.required for name, model in found.models.items()} == {
        "Head": ("channels",),
        "Net": ("width", "kind"),
        "Plain": (),
    }
    assert found.of(PurePosixPath("net.py")) == (
        [Trial("Plain()")],
        ["Head(channels)", "Net(width, kind)", "Plain()"],
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h = Head(4)\nh(torch.randn(2, 4))", ("Head(4)", ("2x4",))),
        ("x = torch.rand((2, 4))\nHead(4, bias=False)(x)", ("Head(4, bias=False)", ("2x4",))),
        ("n = 2\nd = n * 4\nh = net.Head(d)\nh.forward(torch.ones(n, d))",
         ("Head(2 * 4)", ("2x8",))),
        ("a, b = 3, 5\nHead(a)(torch.zeros(b, a, dtype=torch.long))", ("Head(3)", ("5x3:int64",))),
        ("Head(4)(torch.randint(0, 9, (2, 4)))", ("Head(4)", ("2x4:int64:9",))),
        ("Head(4)(torch.randint(9, size=[2, 4]), mask=torch.ones(2).bool())",
         ("Head(4)", ("2x4:int64:9", "mask=2:bool"))),
        ("Head(4)(torch.randn(2, 4), 3, flag=True)", ("Head(4)", ("2x4", "3", "flag=True"))),
        ("def test_it():\n    h = Head(4)\n    with f():\n        y = h(torch.randn(1, 4))",
         ("Head(4)", ("1x4",))),
        ("class T:\n    def setUp(self):\n        self.h = Head(4)\n    def test(self):\n"
         "        self.h(torch.randn(1, 4))", ("Head(4)", ("1x4",))),
        ("h = Head(nn.ReLU(inplace=True))\nh(torch.randn(1))",
         ("Head(nn.ReLU(inplace=True))", ("1",))),
        ("h = Head(Net(1, kind='a'))\nh(torch.randn(1))", ("Head(Net(1, kind='a'))", ("1",))),
    ],
)  # fmt: skip
def test_a_model_is_built_and_run_as_the_text_does(
    text: str, expected: tuple[str, tuple[str, ...]]
) -> None:
    assert trials(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "h = Head(width)\nh(torch.randn(1, 4))",
        "h = Head(*sizes)\nh(torch.randn(1, 4))",
        "h = Head(4 ** 99999999)",
        "h = Head(open('x'))",
        "Other(4)(torch.randn(2))",
    ],
)
def test_arguments_that_are_not_literal_are_not_guessed(text: str) -> None:
    assert trials(text) == []


def test_an_input_that_is_not_literal_leaves_the_model_without_inputs() -> None:
    assert trials("h = Head(4)\nh(load('x'))\nh(torch.randn(n, 4))") == [("Head(4)", ())]
    assert trials("x = torch.randn(2)\nx = load()\nHead(4)(x)") == []


def test_a_name_has_the_value_of_its_last_assignment() -> None:
    assert trials("n = 2\nn = read()\nHead(n)") == []
    assert trials("n = 2\nn = 3\nHead(n)(torch.randn(n))") == [("Head(3)", ("3",))]


def test_few_different_calls_of_one_class_are_enough() -> None:
    text = "\n".join(f"Head({n})(torch.randn({n}))" for n in (1, 1, 2, 3, 4))
    assert trials(text) == [("Head(1)", ("1",)), ("Head(2)", ("2",))]


def test_a_large_batch_is_made_smaller() -> None:
    large = "Head(4)(torch.randn(100, 3, 64, 64), mask=torch.ones(100, 64).bool(), p=2)"
    assert trials(large) == [("Head(4)", ("4x3x64x64", "mask=4x64:bool", "p=2"))]
    assert trials("Head(4)(torch.randn(100, 3))") == [("Head(4)", ("100x3",))]
    several = "Head(4)(torch.randn(100, 3, 64, 64), torch.randn(64, 64))"
    assert trials(several) == [("Head(4)", ("100x3x64x64", "64x64"))]


def test_the_pieces_of_a_document_are_one_program() -> None:
    pieces = [ast.parse("h = Head(4)"), ast.parse("h(torch.randn(2, 4))")]
    found = models_in({PurePosixPath("net.py"): ast.parse(NET)}, {PurePosixPath("R.md"): pieces})
    assert found.trials["Head"] == [Trial("Head(4)", ("2x4",), "R.md:1")]
