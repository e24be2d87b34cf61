"""Rewrites of hazards: applied, the alarm is gone and the captured values are right."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from test_hazards import source

from workbench.capture import capture
from workbench.capture.hazards.rewrites import hazard_findings
from workbench.findings import apply_edits

# code, the hazardous body, what the rewrite makes of it (a part of the text)
CASES = [
    ("TF401", "if x.sum() > 0:\n    x = -x\nreturn x", "x = torch.where(x.sum() > 0, -x, x)"),
    (
        "TF401",
        "if x.sum() > 0:\n    y = x * 2\nelse:\n    y = x - 1\nreturn y",
        "y = torch.where(x.sum() > 0, x * 2, x - 1)",
    ),
    (
        "TF401",
        "if (x > 0).all():\n    return x\nreturn -x",
        "return torch.where((x > 0).all(), x, -x)",
    ),
    (
        "TF401",
        "if not (x > 0).any():\n    return x * 3\nelse:\n    return -x",
        "return torch.where(~((x > 0).any()), x * 3, -x)",
    ),
    ("TF401", "return x if x.sum() > 0 else -x", "return torch.where(x.sum() > 0, x, -x)"),
    (
        "TF401",
        "assert (x > -9).all(), 'too small'\nreturn x",
        "torch._assert_async((x > -9).all(), 'too small')",
    ),
    (
        "TF401",
        "while x.max() > 1:\n    x = x / 2\nreturn x",
        "(x,) = torch.while_loop(lambda x: x.max() > 1, lambda x: (x / 2,), (x,))",
    ),
    (
        "TF402",
        "for _ in range(int(x[1].abs())):\n    x = x * 1.5\nreturn x",
        "steps = x[1].abs().long()\n        _, x = torch.while_loop(lambda i, x: i < steps,",
    ),
    (
        "TF402",
        "for k in range((x + 5).long().max().item()):\n    x = x + k\nreturn x",
        "lambda k, x: (k + 1, x + k), (torch.tensor(0), x))",
    ),
    (
        "TF403",
        "return x * round(x.shape[0] / 4)",
        "return x * ((x.shape[0] + 1 + x.shape[0] // 4 % 2) // 4)",
    ),
    ("TF403", "return x[: int(x.shape[0] / 2)]", "x[: x.shape[0] // 2]"),
    ("TF403", "return x * int((x.size(0) + 1) * 0.5)", "x * ((x.size(0) + 1) // 2)"),
    ("TF403", "return x * round((x.size(0) + 1) / 3)", "((x.size(0) + 1) + 1) // 3"),
    ("TF404", "return torch.from_numpy(3 - x.numpy() * 2)", "return (3 - x * 2)"),
    ("TF404", "return -torch.as_tensor(x.numpy())", "return -x"),
    (
        "TF410",
        "try:\n    if x.sum() > 0:\n        x = -x\nexcept RuntimeError:\n    pass\nreturn x",
        "x = torch.where(x.sum() > 0, -x, x)\n        return x",
    ),
    ("TF405", "return x.to('cuda')", "return x\n"),
    ("TF407", "print(x)\nreturn x", "pass\n"),
    ("TF408", "return x * random.random()", "x * torch.rand(())"),
    ("TF414", "return x * float(x.mean())", "x * x.mean().double().item()"),
    ("TF414", "return x * int(x[0] * 2.6)", "x * (x[0] * 2.6).long().item()"),
    (
        "TF411",
        "return Out(x)",
        "class Out:\n    value: torch.Tensor\n\n\ntorch.export.register_dataclass(Out)\n",
    ),
]


def built(text: str, path: Path) -> torch.nn.Module:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(f"rewritten_{path.stem}_{id(path)}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    made: torch.nn.Module = module.Model()
    return made


@pytest.mark.parametrize(("code", "wrong", "right"), CASES)
def test_a_rewrite_is_free_of_alarms_and_computes_the_same(
    code: str, wrong: str, right: str, tmp_path: Path
) -> None:
    text = source(wrong)
    (finding,) = (f for f in hazard_findings(text) if f.code == code)
    assert finding.fix is not None
    mended = apply_edits(text, finding.fix.edits)
    assert right in mended
    assert hazard_findings(mended) == []
    model = built(mended, tmp_path / "right.py")
    given = torch.tensor([1.0, 2.0]), torch.tensor([-3.0, -2.0])
    graph = capture(model, given[0]).program.module()
    for x in given:
        if code == "TF408":
            assert not torch.equal(graph(x), graph(x))
            continue
        expected: Any = x
        if "cuda" not in wrong:
            expected = built(text, tmp_path / "wrong.py")(x)
        found = graph(x)
        torch.testing.assert_close(
            getattr(found, "value", found), getattr(expected, "value", expected)
        )


def test_a_counter_becomes_a_buffer_that_the_graph_updates(tmp_path: Path) -> None:
    text = source("self.n += 1\nreturn x * self.n").replace(
        "self.n, self.seen = 0, []", "self.n = 0"
    )
    (finding,) = hazard_findings(text)
    assert finding.fix is not None
    mended = apply_edits(text, finding.fix.edits)
    assert 'self.register_buffer("n", torch.tensor(0), persistent=False)' in mended
    graph = capture(built(mended, tmp_path / "counter.py"), torch.ones(2)).program.module()
    assert [graph(torch.ones(2))[0].item() for _ in range(3)] == [1, 2, 3]


@pytest.mark.parametrize(
    "body",
    [
        "while x.max() > 1:\n    x /= 2  # changes the caller's tensor\nreturn x",
        "for i in range(x.long().max().item()):\n    x = x + 1\nreturn x * i",
        "return x * round(x.shape[0] / x.ndim)",
        "return torch.from_numpy(x.numpy() + self.w.detach().numpy())",
        "if x.sum() > 0:\n    x = -x\n    x = x + 1\nreturn x",
        "if x.sum() > 0 and x.max() > 1:\n    x = -x\nreturn x",
        "if x.max() < 9:\n    x += 1  # changes the caller's tensor\nreturn x",
        "k = x.max().item()\nreturn x if k > 3 else -x",
        "return x.cuda(0, non_blocking=True)",
    ],
)
def test_only_words_are_shown_if_the_source_is_unknown(body: str) -> None:
    findings = hazard_findings(source(body))
    assert findings
    assert all(f.fix is None and "Instead: " in f.message for f in findings)


@pytest.mark.parametrize("parts", [2, 3, 4, 5, 6, 7])
def test_a_rounded_size_is_rounded_as_python_does(parts: int) -> None:
    text = source(f"return round(x.shape[0] / {parts})")
    (finding,) = hazard_findings(text)
    assert finding.fix is not None
    (edit,) = finding.fix.edits
    for n in range(60):
        assert eval(edit.text.replace("x.shape[0]", "n"), {"n": n}) == round(n / parts)


def test_a_try_that_does_something_about_an_error_is_kept() -> None:
    body = "try:\n    if x.sum() > 0:\n        x = -x\nexcept ValueError:\n    x = x + 1\nreturn x"
    (finding,) = (f for f in hazard_findings(source(body)) if f.code == "TF410")
    assert finding.fix is None


def test_places_are_those_of_the_text_in_any_script() -> None:
    text = source("größe = '€'; y = x.cuda()\nreturn y")
    (finding,) = hazard_findings(text)
    start = finding.range.start
    assert text.splitlines()[start.line][start.column :].startswith("x.cuda()")
    assert finding.fix is not None
    assert "größe = '€'; y = x\n" in apply_edits(text, finding.fix.edits)
