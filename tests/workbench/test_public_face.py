"""The names of `import workbench`, and the modules that it loads only when needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import torch

import workbench


def test_a_model_is_captured_and_lowered_through_the_public_api() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU()).eval()
    inputs = torch.tensor([[1.0, -2.0, 0.5]])
    graph = workbench.capture(model, (inputs,))
    layer = workbench.lower(graph, target="paddle").load()
    import paddle

    result = layer(paddle.to_tensor(inputs.numpy()))
    assert torch.allclose(model(inputs), torch.from_numpy(result.numpy()), atol=1e-6)


def test_unknown_names_are_no_attributes() -> None:
    assert not hasattr(workbench, "no_such_name")


def test_a_project_is_converted(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.py").write_text("import torch\nx = torch.stack([y])\n")
    report = workbench.convert_project(source, tmp_path / "out", target="paddle==3.3")
    assert (report.exit_code, report.shown_share) == (0, "100 %")
    assert (tmp_path / "out" / "a.py").read_text() == "import paddle\nx = paddle.stack([y])\n"


def test_modules_that_an_editor_does_not_need_are_not_imported() -> None:
    code = "import sys, workbench; workbench.check('import torch'); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "workbench.convert.checking" in loaded
    assert not loaded & {"torch", "paddle", "numpy", "workbench.convert.project.runner"}
    assert not loaded & {"libcst", "workbench.convert.conversion"}, "checking writes no code"
