"""Some uses converted, the others as they were."""

from __future__ import annotations

import workbench
from lsp_server.features.code_actions.several import Selection, fix_some
from workbench.findings import apply_edits
from workbench.positions import Position, Range

TEXT = """\
import torch

a = torch.zeros(2)  # first
b = torch.abs(torch.zeros(2) + torch.ones(3))


def f(x):
    y = torch.zeros(3)
    return torch.abs(torch.abs(y) + x)
"""


def converted(selection: Selection) -> str:
    fix = fix_some(workbench.check(TEXT), selection)
    return apply_edits(TEXT, fix.edits if fix else ())


def test_a_name_everywhere() -> None:
    changed = converted(Selection("torch.zeros"))
    assert "torch.zeros" not in changed
    assert changed.count("paddle.zeros") == 3
    assert "torch.ones(3)" in changed and changed.count("torch.abs") == TEXT.count("torch.abs")
    assert changed.count("import paddle\n") == 1
    assert "import torch\n" in changed


def test_uses_nested_in_each_other() -> None:
    changed = converted(Selection("torch.abs"))
    assert "torch.abs" not in changed
    assert changed.count("paddle.abs") == TEXT.count("torch.abs")


def test_a_stretch_of_lines_keeps_the_rest() -> None:
    where = Range(Position(6, 0), Position(9, 0))
    changed = converted(Selection(range=where))
    old, new = TEXT.splitlines(), changed.splitlines()
    assert new[-3:] != old[-3:] and not any("torch" in line for line in new[-3:])
    assert [line for line in new[:-3] if line != "import paddle"] == old[:-3]


def test_all_of_it_leaves_nothing_to_convert() -> None:
    changed = converted(Selection())
    assert not [f for f in workbench.check(changed) if f.make_fix]


def test_nothing_chosen_changes_nothing() -> None:
    assert fix_some(workbench.check(TEXT), Selection("torch.nothing")) is None
