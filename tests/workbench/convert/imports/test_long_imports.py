"""Imports of helpers that are too long for a line."""

from __future__ import annotations

import pytest

import workbench
from workbench.convert.imports.helper_modules import HelperImport
from workbench.findings import apply_edits
from workbench.targets import load

NAMES = ("max", "min", "sort", "median", "mode", "kthvalue", "topk", "cummax")
USES = "".join(
    f"    x.{name}({'1, ' if name in ('kthvalue', 'topk') else ''}0)\n" for name in NAMES
)
TEXT = f"import torch\n\n\ndef f(x: torch.Tensor) -> None:\n{USES}"
EXACT = load("paddle", "exact")
IMPORT = HelperImport("torchferry_helpers")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_long_import_is_broken_in_the_files_own_line_endings(newline: str) -> None:
    text = TEXT.replace("\n", newline)
    code = workbench.convert(text, target=EXACT, beside=IMPORT).code
    assert f"from torchferry_helpers import ({newline}" in code
    assert max(map(len, code.splitlines())) <= 100
    assert code.count("\n") == code.count(newline)
    compile(code, "a.py", "exec")


def test_one_more_helper_joins_it() -> None:
    code = workbench.convert(TEXT, target=EXACT, beside=IMPORT).code
    more = code.replace("import paddle\n", "import paddle\nimport torch\n") + "\n\ntorch.relu(y)\n"
    found = workbench.check_analysis(
        workbench.analyse(more, facts=EXACT.facts), target=EXACT, beside=lambda: IMPORT
    )
    fix = workbench.fix_together(one for one in found if one.name == "torch.relu")
    assert fix is not None and "torch_relu" in fix.helpers
    done = apply_edits(more, fix.edits)
    assert done.count("from torchferry_helpers import") == 1 and "    torch_relu,\n" in done
    compile(done, "a.py", "exec")
