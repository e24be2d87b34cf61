"""Hazards: each one seen in source, each rewrite free of alarms; torch's own examples."""

from __future__ import annotations

import contextlib
import importlib.util
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import torch

from workbench.capture import CaptureError, capture
from workbench.capture.hazards.detection import find_hazards
from workbench.codes import HAZARDS

# code, body of forward that has the hazard, the same with the rewrite
CASES = [
    ("TF401", "if x.sum() > 0:\n    x = -x\nreturn x", "return torch.where(x.sum() > 0, -x, x)"),
    ("TF401", "while x.max() > 1:\n    x = x / 2\nreturn x", "return x / x.max()"),
    ("TF401", "assert (x > 0).all()\nreturn x", "assert x.shape[0] > 0\nreturn x"),
    ("TF401", "k = int(x.max())\nreturn x if k > 3 else -x", "k = x.shape[0]\nreturn x[:k]"),
    ("TF401", "done = (x > 0).any()\nif done:\n    x = -x\nreturn x", "return x"),
    (
        "TF402",
        "for _ in range(int(x[0])):\n    x = x + 1\nreturn x",
        "for _ in range(3):\n    x = x + 1\nreturn x",
    ),
    (
        "TF403",
        "return x.reshape(round(x.shape[0] / 2), -1)",
        "return x.reshape((x.shape[0] + 1) // 2, -1)",
    ),
    (
        "TF403",
        "n = x.shape[0]\nreturn x.new_zeros(int(n / 2))",
        "n = x.shape[0]\nreturn x.new_zeros(int(n) // 2)",
    ),
    (
        "TF403",
        "return x[: int(x.size(0) * 0.5)]",
        "return x[: int(x.size(0))]",
    ),
    ("TF404", "return torch.from_numpy(x.numpy() * 2)", "return x * 2"),
    ("TF407", "name = f'{x}'\nreturn x", "name = f'{x.shape}'\nreturn x"),
    ("TF405", "return x.cuda()", "return x.to(self.w.device)"),
    ("TF405", "return x.to('cuda:0')", "return x.to(torch.float32)"),
    ("TF406", "self.w.data.mul_(2)\nreturn x", "self.count.data.add_(2)\nreturn x"),
    ("TF406", "self.w.data *= 2\nreturn x", "y = x + 1\ny.data = x\nreturn y"),
    ("TF407", "print(x)\nreturn x", "print(x.shape)\nreturn x"),
    ("TF408", "return x * random.random()", "return x * torch.rand(1)"),
    ("TF408", "return x + np.random.rand()", "return x"),
    ("TF409", "self.n += 1\nreturn x", "self.count.add_(1)\nreturn x"),
    ("TF409", "self.seen.append(x)\nreturn x", "return x, x"),
    (
        "TF410",
        "try:\n    if x.sum() > 0:\n        x = -x\nexcept RuntimeError:\n    pass\nreturn x",
        "return x",
    ),
    ("TF414", "return x * float(x.mean())", "return x * x.mean()"),
    ("TF414", "n = int(x[0] + 1)\nreturn x * n", "n = x[0].item()\nreturn x * n"),
    ("TF411", "return Out(x)", "return {'value': x}"),
]

TEMPLATE = """\
import random
from dataclasses import dataclass
import numpy as np
import torch

@dataclass
class Out:
    value: torch.Tensor

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.n, self.seen = 0, []
        self.w = torch.nn.Parameter(torch.ones(1))
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
"""


def source(body: str) -> str:
    return TEMPLATE + textwrap.indent(body, " " * 8) + "\n"


@pytest.mark.parametrize(("code", "wrong", "right"), CASES)
def test_it_is_seen_and_its_rewrite_is_not(code: str, wrong: str, right: str) -> None:
    found = find_hazards(source(wrong))
    assert code in {hazard.code for hazard in found}
    hazard = next(hazard for hazard in found if hazard.code == code)
    assert hazard.line > TEMPLATE.count("\n")
    assert hazard.rewrite == HAZARDS[code].advice
    assert find_hazards(source(right)) == []


@pytest.mark.parametrize(("code", "wrong", "right"), CASES)
def test_its_messages_match_capture(
    code: str, wrong: str, right: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def model(name: str, body: str) -> torch.nn.Module:
        path = tmp_path / f"{name}.py"
        path.write_text(source(body))
        spec = importlib.util.spec_from_file_location(f"hazard_{name}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        built: torch.nn.Module = module.Model()
        return built

    x = torch.full((4,), 2.0)
    capture(model("right", right), x)
    # A rounded size is a hazard where it is dynamic only; torch captures a move to a device that
    # this machine does not have, `x.cuda()` only if it was built for one.
    moves = "cuda:0" in wrong or (".cuda()" in wrong and torch.version.cuda)
    if HAZARDS[code].silent:
        capture(model("wrong", wrong), x)
    elif code != "TF403" and not moves:
        with pytest.raises(CaptureError):
            capture(model("wrong", wrong), x, assume=False)


def test_helpers_on_self_and_named_functions_are_looked_at() -> None:
    text = source("return self.help(x)") + (
        "\n    def help(self, x):\n        print(x)\n        return x\n"
        "\n    def unused(self, x):\n        print(x)\n"
        "\ndef step(x):\n    return x.numpy()\n"
    )
    assert [h.code for h in find_hazards(text)] == ["TF407"]
    assert [h.code for h in find_hazards(text, ["step"])] == ["TF407", "TF404"]


def test_plain_arguments_and_presence_are_no_tensors() -> None:
    text = TEMPLATE.replace(
        "x):", "x, mask=None, flag: bool = False, n: int = 3):"
    ) + textwrap.indent(
        "if mask is not None:\n    x = x * mask\nif flag or self.training:\n    x = -x\n"
        "if mask:\n    x = x + 1\nif x.ndim == 3 and x.size(0) > n:\n    x = x[0]\n"
        "for i in range(n):\n    x = x + i\nif isinstance(x, torch.Tensor):\n    pass\nreturn x",
        " " * 8,
    )
    assert find_hazards(text) == []


def test_source_that_does_not_parse_has_none_yet() -> None:
    assert find_hazards("def forward(self, x:\n  if") == []


def test_it_needs_no_torch() -> None:
    code = "import sys, workbench.capture.hazards.rewrites; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def examples() -> dict[str, Any]:
    from torch._export.db.examples import all_examples

    found: dict[str, Any] = all_examples()
    assert len(found) >= 30
    return found


def is_supported(case: Any) -> bool:
    from torch._export.db.case import SupportLevel

    return case.support_level is SupportLevel.SUPPORTED


def test_torchs_own_examples() -> None:
    """Every supported example is free of alarms; every unsupported one is flagged."""
    for name, case in examples().items():
        path = Path(sys.modules[type(case.model).__module__].__file__ or "")
        assert (find_hazards(path.read_text()) == []) is is_supported(case), name


@pytest.mark.thorough
def test_torchs_own_examples_are_captured() -> None:
    """Every supported one is captured, and no other."""
    for case in examples().values():
        expected = contextlib.nullcontext() if is_supported(case) else pytest.raises(CaptureError)
        with expected:
            capture(
                case.model,
                case.example_args,
                case.example_kwargs,
                dynamic_shapes=case.dynamic_shapes,
            )
