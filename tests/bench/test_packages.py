"""The proof by programs: its recipes are read, and no difference of results passes for the same."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from bench.packages import recipes
from bench.packages.outcomes import Outcome, Reports, rows
from bench.packages.side import differences

_TEXT = """
[some-package==1.0] vision
installed einops==0.8.2
from some_package import Net
model Net: Net(3) | x=torch.randn(2, 3), n=4
loop Net: Net(3) | x=torch.ones(3) | model(x).sum() | optimizer = torch.optim.SGD(net)
"""


def test_every_committed_recipe_is_read_and_its_script_is_python():
    packages = recipes.read(recipes.FILE.read_text(encoding="utf-8"))
    assert len({one.requirement for one in packages}) == len(packages)
    for package in packages:
        ast.parse(package.script())


def test_a_call_takes_the_inputs_in_order_and_tensors_are_annotated():
    package = recipes.read(_TEXT)[0]
    assert package.recipes[0].call == "model(x, n)"
    assert "def call_0(model, x: torch.Tensor, n):" in package.script()
    assert "optimizer = torch.optim.SGD(net)" in package.script()


@pytest.mark.parametrize("line", ["model Net: Net(3)", "loop Net: Net(3) | x=1 | model(x)", "nets"])
def test_an_incomplete_line_is_named(line):
    with pytest.raises(ValueError, match="line 2"):
        recipes.read(f"[a==1] text\n{line}")


def _kept(**results):
    return {"results": results, "drift": [{}]}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (np.float32([1, 2]), ""),
        (np.float32([1, 2.001]), "off by 0.001"),
        (np.float32([1, np.nan]), "NaN"),
        (np.float32([[1, 2]]), "[1, 2]"),
        (np.float64([1, 2]), "float64"),
        (None, "no value"),
    ],
)
def test_a_value_that_differs_is_described(found, words):
    given = {} if found is None else {"value": found}
    wrong = differences(given, _kept(value=np.float32([1, 2])))
    assert (words in wrong[0]) if words else not wrong


def test_rounding_in_torch_is_no_difference():
    kept = {"results": {"value": np.float32([1, 2])}, "drift": [{"value": 1e-3}]}
    assert not differences({"value": np.float32([1, 2.01])}, kept)


def test_an_error_without_a_finding_at_its_line_is_unreported(tmp_path):
    (tmp_path / "net.py").write_text("x = 1\n")
    package = recipes.read(_TEXT)[0]
    raised = {"raised": "ValueError: no", "frames": [["net.py", 1, 1, "x = 1"]]}
    same = {"unlike": [], "differences": []}
    found = rows(package, [{}, {}], [raised, same], Reports(tmp_path))
    assert [row.outcome for row in found] == [Outcome.RAISES, Outcome.SAME]
