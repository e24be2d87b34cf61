"""`torchferry prove --rules`: a project's own rules on both sides; the example of the guide."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workbench.targets.own_project import one_rule

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "own_rules"


def prove(
    file: Path, *arguments: str, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "workbench.cli", "prove", "--rules", str(file), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{cwd}", **environment},
    )


def test_the_examples_rules_hold_on_both_sides() -> None:
    done = prove(
        EXAMPLE / "tools" / "torchferry_rules.py",
        "--json",
        "--jobs",
        "1",
        cwd=EXAMPLE,
        FASTOPS_PYTHON="1",
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert {one["outcome"] for one in results} == {"equal"}
    forms = {(one["rule"], one["form"]) for one in results}
    assert ("torch.ops.fastops.soft_clip", "case") in forms
    assert ("fastops.ops.soft_clip", "shuffled") in forms


def test_a_wrong_rule_is_shown_and_one_without_cases_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import torch\n\n\ndef twice(x):\n    return x * 2\n")
    rule = "rules.prelude = 'import mine\\n'\n"
    rule += "rules.row('mine.twice', '{x} * 3', signature='(x)', cases=['mine.twice(x)'])\n"
    rule += "rules.row('mine.bare', '{x} * 3', signature='(x)')\n"
    file = one_rule(tmp_path, rule)
    done = prove(file, "--jobs", "1", cwd=tmp_path)
    assert done.returncode == 1
    assert "mine.twice (case) wrong" in done.stdout
    assert "mine.bare: no cases" in done.stdout
    assert "2 own rules" in done.stdout
    assert "no rule in it is called mine.other" in prove(file, "mine.other", cwd=tmp_path).stderr


@pytest.mark.thorough  # it compiles for ten seconds
@pytest.mark.skipif(
    not (shutil.which("c++") and shutil.which("ninja")), reason="needs c++ and ninja"
)
def test_the_examples_operator_in_c_is_the_same(tmp_path: Path) -> None:
    script = (
        "import fastops, torch\n"
        "x = torch.linspace(-3, 3, 7, requires_grad=True)\n"
        "assert torch.equal(torch.ops.fastops.soft_clip(x, 2.0), torch.tanh(x / 2.0) * 2.0)\n"
        "torch.ops.fastops.soft_clip(x).sum().backward()\n"
        "assert torch.allclose(x.grad, 1 - torch.tanh(x.detach()) ** 2)\n"
    )
    environment = {"FASTOPS_PYTHON": "", "TORCH_EXTENSIONS_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=EXAMPLE,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.rglob("*.so"))
