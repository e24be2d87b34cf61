"""Cells on both sides: the same start, honest carrying, and differences that are real."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
import torch

from tests.workbench.compare.conftest import row
from workbench.compare import Origin
from workbench.compare.result import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from tests.workbench.compare.conftest import Notebook

NET = """
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.first = nn.Linear(4, width)
        self.second = nn.Linear(width, 2)
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return self.second(torch.relu(self.first(x))) * self.scale
"""


def test_values_of_both_sides_agree(notebook: Notebook) -> None:
    result = notebook.convert(
        "import torch\nx = torch.arange(6.0).reshape(2, 3)\ny = x.sum(dim=1)\ny * 2"
    )
    assert result.same, str(result)
    assert [r.name for r in result.rows] == ["x", "y", "Out"]
    assert all(r.origin is Origin.COMPUTED for r in result.rows)


def test_a_wrong_conversion_is_caught(notebook: Notebook) -> None:
    source = "import torch\nx = torch.arange(4.0)\ny = x + 1\n"
    conversion = notebook.session.convert(source)
    conversion.code = conversion.code.replace("x + 1", "x + 1.001")
    result = notebook.session.run(source, conversion)
    assert not result.same
    assert [r.name for r in result.different] == ["y"]
    assert row(result, "y").max_abs == pytest.approx(0.001, rel=1e-2)


def test_fresh_weights_are_carried_and_reported(notebook: Notebook) -> None:
    notebook.convert(NET)
    result = notebook.convert("model = Net()\nout = model(torch.ones(3, 4))\n")
    assert result.same, str(result)
    carried = {r.name for r in result.rows if r.origin is Origin.CARRIED}
    assert carried == {
        f"model.{layer}.{kind}" for layer in ("first", "second") for kind in ("weight", "bias")
    }
    assert row(result, "model.scale").origin is Origin.COMPUTED
    assert row(result, "out").origin is Origin.COMPUTED


def test_weights_that_the_cell_sets_after_making_them(notebook: Notebook) -> None:
    notebook.convert("import torch\nfrom torch import nn\n")
    result = notebook.convert(
        "layer = nn.Linear(3, 2)\nnn.init.zeros_(layer.weight)\nnn.init.ones_(layer.bias)\n"
        "out = layer(torch.ones(1, 3))\n"
    )
    assert result.same, str(result)
    assert row(result, "layer.weight").origin is Origin.COMPUTED


def test_a_model_made_and_used_inside_a_function(notebook: Notebook) -> None:
    notebook.convert(NET)
    notebook.convert("def build_and_run(x):\n    return Net()(x)\n")
    result = notebook.convert("out = build_and_run(torch.ones(3, 4))\n")
    assert result.same, str(result)
    assert row(result, "out").max_abs < 1e-5
    assert any("first call" in item.what for item in result.carried)


def test_a_constant_weight_that_differs_is_not_carried_away(notebook: Notebook) -> None:
    notebook.convert(NET)
    source = "model = Net()\n"
    conversion = notebook.session.convert(source)
    conversion.code = "model = Net()\nmodel.scale.set_value(paddle.full([2], 3.0))\n"
    conversion.line_map = [0, -1, 1]
    result = notebook.session.run(source, conversion)
    assert [r.name for r in result.different] == ["model.scale"]


def test_what_is_computed_from_gradients_is_no_weight(notebook: Notebook) -> None:
    result = notebook.convert(
        "import torch\nimport torch.nn as nn\n"
        "net = nn.Linear(3, 2)\nx = torch.ones(4, 3).requires_grad_()\n"
        "net(x)[0, 1].backward()\n"
        "sizes = torch.stack([p.grad.norm() for p in net.parameters()])\n"
        "x.grad[0].abs().sum(-1)\n"
    )
    assert result.same, str(result)
    assert any("requires gradients in the target" in note for note in result.notes)


def test_a_gradient_that_reaches_weights_in_one_framework_is_a_difference(
    notebook: Notebook,
) -> None:
    source = (
        "import torch\nimport torch.nn as nn\n"
        "net = nn.Linear(3, 2)\nnet(torch.ones(4, 3)).sum().backward()\n"
        "out = net(torch.ones(4, 3)).detach() * net.bias.grad\n"
    )
    conversion = notebook.session.convert(source)
    conversion.code = conversion.code.replace(".detach()", "")
    result = notebook.session.run(source, conversion)
    assert "in the target alone" in row(result, "out.requires_grad").reason


def test_gradients_are_compared(notebook: Notebook) -> None:
    notebook.convert(NET)
    result = notebook.convert(
        "model = Net()\nloss = model(torch.ones(3, 4)).sum()\nloss.backward()\n"
    )
    assert result.same, str(result)
    assert row(result, "model.first.weight.grad").max_abs < 1e-5


def test_training_step_by_step(notebook: Notebook) -> None:
    notebook.convert(NET)
    result = notebook.convert(
        "model = Net()\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)\n"
        "x = torch.randn(16, 4)\n"
        "for _ in range(5):\n"
        "    optimizer.zero_grad()\n"
        "    loss = (model(x) ** 2).mean()\n"
        "    loss.backward()\n"
        "    optimizer.step()\n"
    )
    assert result.same, str(result)
    curve, gradients = result.curves
    assert (curve.name, gradients.name) == ("loss, line 7", "norm of the gradients, line 8")
    assert len(curve.torch) == len(curve.target) == 5
    assert curve.torch[-1] < curve.torch[0]
    assert row(result, "optimizer.first.weight.momentum_buffer").same
    assert row(result, "model.first.weight").origin is Origin.COMPUTED


def test_values_of_plain_cells_are_carried(notebook: Notebook) -> None:
    notebook.plain(NET)
    notebook.plain(
        "torch.manual_seed(0)\n"
        "model = nn.Sequential(Net(), nn.Linear(2, 3))\n"
        "x = torch.randn(5, 4)\n"
        "parts = {'scale': [torch.tensor(2.0), 3], 'name': 'a'}\n"
        "def twice(t):\n    return t * parts['scale'][0]\n"
    )
    result = notebook.convert("out = twice(model(x))\n")
    assert result.same, str(result)
    listed = {item.name for item in result.carried}
    assert {"model", "x", "parts"} <= listed
    assert row(result, "out").origin is Origin.COMPUTED


def test_an_object_is_carried_whose_class_got_a_method_later_in_its_cell(
    notebook: Notebook,
) -> None:
    later = "\ndef doubled(self, x):\n    return self(x) * 2\n\nNet.doubled = doubled\n"
    notebook.plain(f"{NET}{later}\nnet = Net()\n")
    result = notebook.convert("y = net(torch.ones(3, 4))")
    assert row(result, "y").same, str(result)


def test_a_value_changed_in_a_plain_cell_is_transferred_again(notebook: Notebook) -> None:
    notebook.convert("import torch\nx = torch.ones(3)\n")
    notebook.plain("x.mul_(4)\n")
    result = notebook.convert("y = x + 1\n")
    assert result.same, str(result)
    assert torch.equal(notebook.mirrored("y"), torch.full((3,), 5.0))
    assert [item.name for item in result.carried] == ["x"]


def test_a_value_changed_behind_the_version_counter_is_noticed(notebook: Notebook) -> None:
    notebook.convert("import torch\nx = torch.ones(3)\n")
    notebook.plain("x.data[1] = 7.0\n")
    notebook.convert("y = x * 2\n")
    assert torch.equal(notebook.mirrored("y"), torch.tensor([2.0, 14.0, 2.0]))


def test_nothing_is_carried_that_the_target_computed(notebook: Notebook) -> None:
    notebook.convert("import torch\nx = torch.ones(3)\nalias = x\n")
    notebook.convert("alias.add_(1)\n")
    result = notebook.convert("y = x * 2\n")
    assert result.same, str(result)
    assert not result.carried


def test_values_that_cannot_be_transferred_are_named_with_the_reason(notebook: Notebook) -> None:
    notebook.plain("import torch\nstream = (torch.ones(2) for _ in range(3))\n")
    result = notebook.convert("first = next(stream)\n")
    assert not result.same
    (item,) = [item for item in result.carried if item.failed]
    assert item.name == "stream"
    assert "position cannot be copied" in item.reason


def test_random_draws_feed_both_sides(notebook: Notebook) -> None:
    result = notebook.convert(
        "import torch\nimport torch.nn as nn\n"
        "x = torch.randn(64, 10)\ny = nn.functional.dropout(x, 0.5)\n"
    )
    assert result.same, str(result)
    assert not result.notes


def test_eigenvectors_have_one_sign_on_both_sides(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    from paddle import _C_ops

    eigh, svd = _C_ops.eigh, _C_ops.svd

    def opposite(values: Any, vectors: Any) -> Any:
        return values, -vectors

    def turned(left: Any, values: Any, right: Any) -> Any:
        return -left, values, -right

    monkeypatch.setattr(_C_ops, "eigh", lambda *args: opposite(*eigh(*args)))
    monkeypatch.setattr(_C_ops, "svd", lambda *args, **kw: turned(*svd(*args, **kw)))
    comparison = notebook.convert(
        "import torch\n"
        "x = torch.arange(12.0).sin().view(4, 3)\n"
        "values, vectors = torch.linalg.eigh(x.T @ x)\n"
        "u, s, vh = torch.linalg.svd(x, full_matrices=False)\n"
        "projected = x @ vectors[:, -2:] + (u * s)[:, :2]\n"
    )
    assert comparison.outcome is Outcome.SAME
    assert any("line 3: eigenvectors" in note for note in comparison.notes)
    assert any("line 4: eigenvectors" in note for note in comparison.notes)


def test_both_sides_raise(notebook: Notebook) -> None:
    result = notebook.convert("import torch\nx = torch.ones(2, 3)\ny = x @ torch.ones(2, 3)\n")
    assert result.torch.error and result.target.error
    assert result.torch.error.line == result.target.error.line == 2
    assert row(result, "exception").same
    assert result.outcome is Outcome.RAISED


def test_both_sides_raise_at_different_lines(notebook: Notebook) -> None:
    source = "import torch\nx = torch.ones(2)\ny = x.view(7)\n"
    conversion = notebook.session.convert(source)
    conversion.code = conversion.code.replace("paddle.ones(2)", "paddle.ones(2).nowhere")
    result = notebook.session.run(source, conversion)
    assert result.outcome is Outcome.DIFFERENT


def test_a_compiled_model_is_the_model(notebook: Notebook) -> None:
    result = notebook.convert(
        "import torch\nnet = torch.nn.Linear(4, 2)\nfast = torch.compile(net, backend='eager')\n"
        "out = fast(torch.ones(1, 4))\n"
    )
    assert result.outcome is Outcome.SAME, str(result)
    assert row(result, "fast.weight").same


def test_empty_memory_is_not_judged(notebook: Notebook) -> None:
    result = notebook.convert(
        "import torch\nx = torch.empty(3)\ny = torch.empty(2)\ny.fill_(2.0)\nz = torch.ones(2)\n"
    )
    assert result.outcome is Outcome.SAME, str(result)
    assert [each.name for each in result.rows] == ["y", "z"]
    assert any(note.startswith("x is an empty tensor") for note in result.notes)


def test_only_the_target_raises(notebook: Notebook) -> None:
    source = "import torch\nx = torch.ones(2)\ny = x + 1\nz = y * 2\n"
    conversion = notebook.session.convert(source)
    conversion.code = conversion.code.replace("y = x + 1", "y = x.no_such_thing")
    result = notebook.session.run(source, conversion)
    assert not result.same
    assert result.target.error and result.target.error.line == 2
    assert "from line 4 on only torch ran" in result.notes[0]
    assert torch.equal(notebook.names["z"], torch.full((2,), 4.0))
    assert notebook.convert("w = z + 1\n").same


def test_a_use_without_conversion_runs_in_torch_and_is_not_judged(notebook: Notebook) -> None:
    result = notebook.convert(
        "import torch\nx = torch.ones(4)\nspeed = torch.backends.mkldnn.is_available()\ny = x * 2\n"
    )
    if result.findings and any(f.severity == "error" for f in result.findings):
        assert not result.same
        assert any(r.same is None for r in result.rows)
    assert row(result, "y").same


def test_an_interrupt_leaves_torchs_side_as_in_any_cell(notebook: Notebook) -> None:
    notebook.convert("import torch\nx = torch.ones(3)\nseen = []\n")
    notebook.plain("def stop():\n    raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        notebook.convert("x += 1\nseen.append(2)\nnew = x * 2\nstop()\n")
    assert torch.equal(notebook.names["x"], torch.full((3,), 2.0))
    assert notebook.names["seen"] == [2]
    assert "new" in notebook.names and "new" not in notebook.session.mirror.names
    result = notebook.convert("y = x * 2\nseen.append(3)\n")
    assert result.same, str(result)
    assert torch.equal(notebook.mirrored("y"), torch.full((3,), 4.0))


def test_inference_mode_is_compared(notebook: Notebook) -> None:
    notebook.convert("import torch\nm = torch.nn.BatchNorm1d(4).eval()\nx = torch.ones(3, 4)")
    result = notebook.convert(
        "with torch.inference_mode():\n    y = m(x)\n    z = torch.empty(2)\n    z.fill_(1.0)\n"
        "    left = torch.empty(2)\n"
    )
    assert result.same, str(result)
    assert row(result, "y").shape == (3, 4) and row(result, "z").shape == (2,)
    assert any("left is an empty tensor" in note for note in result.notes)


def test_classes_without_functions_are_carried(notebook: Notebook) -> None:
    notebook.plain(
        "import torch\nfrom collections import namedtuple\nfrom dataclasses import dataclass\n"
        "from enum import Enum\nfrom typing import NamedTuple\n"
        "class C:\n    old = 1\n"
    )
    notebook.plain(
        "@dataclass\nclass C:\n    width: int = 3\n    depth: int = 2\n"
        "@dataclass(frozen=True, slots=True)\nclass D:\n    scale: float = 0.5\n"
        "class Kind(Enum):\n    SUM = 'sum'\n    MEAN = 'mean'\n"
        "class Flags:\n    shift = 1.5\n"
        "class Pair(NamedTuple):\n    a: float\n    b: float\n"
        "class M(torch.nn.Module):\n"
        "    def __init__(self, c, d, kind):\n"
        "        super().__init__()\n        self.c, self.d, self.kind = c, d, kind\n"
        "        self.fc = torch.nn.Linear(c.width, c.depth)\n"
        "    def forward(self, x):\n"
        "        x = self.fc(x) * self.d.scale + Flags.shift\n"
        "        return x.sum() if self.kind is Kind.SUM else x.mean()\n"
        "m = M(C(), D(), Kind.SUM)\npair = Pair(1.0, 2.0)\n"
    )
    notebook.plain("m.fc.weight.data.add_(1)\nx = torch.ones(2, 3)\n")
    result = notebook.convert("o = m(x) + pair.b\n")
    assert result.same, str(result)
    assert float(notebook.mirrored("o")) == pytest.approx(float(notebook.names["o"]))
    assert not [item for item in result.carried if item.failed]


def test_a_name_that_the_conversion_needs_no_more_is_no_difference(notebook: Notebook) -> None:
    notebook.convert(
        "import torch\nnet = torch.nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=1.0)"
    )
    result = notebook.convert("for g in opt.param_groups:\n    g['lr'] = 0.5\n")
    assert result.outcome is Outcome.SAME, str(result)
    assert row(result, "opt.lr").same and row(result, "g").same is None


def test_an_import_of_every_name_is_no_difference(notebook: Notebook) -> None:
    result = notebook.convert("from torch import *\nx = ones(2)\n")
    assert not [found for found in result.rows if found.same is False], str(result)
    assert notebook.names["randn"] is torch.randn


def test_tables_are_compared_by_value(notebook: Notebook) -> None:
    notebook.plain(
        "import numpy as np\nimport torch\n"
        "class Table:\n"
        "    def __init__(self, **columns):\n        self.held = columns\n"
        "        self.columns = list(columns)\n"
        "    def __len__(self):\n        return len(self.held[self.columns[0]])\n"
        "    def __getitem__(self, name):\n        return Column(self.held[name])\n"
        "    def to_numpy(self):\n        return np.array(list(self.held.values()), dtype=object)\n"
        "class Column:\n"
        "    def __init__(self, values):\n        self.values = values\n"
        "    def __len__(self):\n        return len(self.values)\n"
        "    def to_numpy(self):\n        return np.asarray(self.values)\n"
    )
    source = "t = Table(a=(torch.arange(3.0) * 2).numpy(), n=['x', 'y', None])\n"
    result = notebook.convert(source)
    assert result.same, str(result)
    assert [found.name for found in result.rows] == ["t['a']", "t['n']"]
    conversion = notebook.session.convert(source)
    conversion.code = conversion.code.replace("* 2", "* 2.1").replace("'y'", "'z'")
    result = notebook.session.run(source, conversion)
    assert [found.same for found in result.rows] == [False, False]
    source = "t = Table(a=[(torch.ones(2) * 0.3).sum().item()])\n"
    conversion = notebook.session.convert(source)
    for factor, same in (("(1 + 5e-7)", True), ("(1 + 5e-4)", False)):
        conversion.code = f"t = Table(a=[float(np.float32(0.6) * {factor})])\n"
        result = notebook.session.run(source, conversion)
        assert [found.same for found in result.rows] == [same], str(result)
        assert result.rows[0].dtype == "float64"


def test_an_object_that_cannot_be_read_ends_no_cell(notebook: Notebook) -> None:
    notebook.plain(
        "import torch\n"
        "class Shy:\n"
        "    asked = []\n"
        "    def __getattribute__(self, name):\n"
        "        Shy.asked.append(name)\n"
        "        raise RuntimeError('no')\n"
        "class Grows(dict):\n"
        "    def items(self):\n"
        "        for key in super().keys():\n"
        "            self[len(self)] = key\n"
        "            yield key, 1\n"
        "    def __len__(self):\n"
        "        return self.pop('none')\n"
        "shy = Shy()\n"
        "grows = Grows(a=1)\n"
    )
    result = notebook.convert("y = torch.ones(2)\nz = y + 1\n")
    assert result.same, str(result)
    assert notebook.names["Shy"].asked == []
    result = notebook.convert("both = [shy, grows]\nz = z + 1\n")
    assert torch.equal(notebook.names["z"], torch.full((2,), 3.0))
    assert result.torch.error is None
    assert dict.copy(notebook.names["grows"]) == {"a": 1}
    assert all(found.same is not False for found in result.rows), str(result)
    result = notebook.convert("alone = [shy]\n")
    assert result.torch.error is None and "alone" in notebook.names


def test_an_error_in_a_comparison_is_a_row(
    notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook.plain("import torch\nx = torch.ones(2)")
    notebook.convert("y = x + 1")

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("no line")

    monkeypatch.setattr("workbench.compare.cells.divergences.Divergences.note", fail)
    result = notebook.convert("y = x + 1\nz = y * 2\nz\n")
    assert torch.equal(notebook.names["z"], torch.full((2,), 4.0))
    line = row(result, "line 1")
    assert line.same is None
    assert line.reason == "not checked: ZeroDivisionError: no line"
    assert all(found.same is not False for found in result.rows), str(result)


def test_printed_output_is_compared(notebook: Notebook, capsys: pytest.CaptureFixture[str]) -> None:
    result = notebook.convert(
        "import torch\nx = torch.ones(2, 2)\nprint('mean', x.mean().item())\n"
    )
    assert row(result, "printed output").same
    assert capsys.readouterr().out == "mean 1.0\n"  # shown once, by torch


def test_optimizer_with_state_is_carried(notebook: Notebook) -> None:
    notebook.plain(NET)
    notebook.plain(
        "model = Net()\nx = torch.ones(3, 4)\n"
        "optimizer = torch.optim.Adam(model.parameters(), lr=0.01)\n"
        "model(x).sum().backward()\noptimizer.step()\n"
    )
    result = notebook.convert(
        "optimizer.zero_grad()\nmodel(x).sum().backward()\noptimizer.step()\n"
    )
    assert result.same, str(result)
    assert row(result, "optimizer.first.weight.exp_avg").origin is Origin.COMPUTED


def test_a_seed_restarts_every_stream(notebook: Notebook) -> None:
    source = "import random\nimport torch\na = random.random()\nb = torch.rand(2)\n"
    notebook.convert(source, seed=4)
    first = notebook.names["a"], notebook.names["b"].clone()
    result = notebook.convert(source, seed=4)
    assert result.same, str(result)
    assert notebook.names["a"] == first[0]
    assert torch.equal(notebook.names["b"], first[1])


def test_shuffled_batches_come_in_one_order(notebook: Notebook) -> None:
    result = notebook.convert(
        "import torch\n"
        "from torch.utils.data import DataLoader, TensorDataset\n"
        "loader = DataLoader(TensorDataset(torch.arange(50.0)), batch_size=8, shuffle=True)\n"
        "order = [value for _ in range(2) for (batch,) in loader for value in batch.tolist()]\n"
    )
    assert result.same, str(result)
    order = notebook.names["order"]
    assert sorted(order[:50]) == list(range(50)) and order[:50] != order[50:]


def test_a_cell_that_only_draws_says_why_it_ran_once(notebook: Notebook) -> None:
    pyplot: Any = ModuleType("matplotlib.pyplot")
    drawn: list[Any] = []
    pyplot.plot = drawn.append
    notebook.session.namespace["plt"] = pyplot
    notebook.convert("import torch\nx = torch.ones(3)")
    result = notebook.convert("plt.plot(x)")
    assert len(drawn) == 1
    assert result.outcome is Outcome.UNCHECKED
    assert result.notes == ["it draws or starts what may be there once: it ran once"]


def test_each_side_has_its_own_files(notebook: Notebook, tmp_path: Path) -> None:
    path = tmp_path / "state.pt"
    log = tmp_path / "log.txt"
    log.write_text("before\n")
    notebook.plain(f"path, log = {str(path)!r}, {str(log)!r}\nimport os, torch\n")
    saved = notebook.convert(
        "torch.save({'w': torch.ones(2)}, path)\n"
        "with open(log, 'a') as file:\n    file.write('once\\n')"
    )
    assert saved.same, str(saved)
    loaded = notebook.convert("back = torch.load(path)['w'] + 1\nlines = open(log).read()")
    assert loaded.same, str(loaded)
    # torch's file is torch's own still, and what was added was added once.
    assert torch.equal(torch.load(path)["w"], torch.ones(2))
    assert log.read_text() == "before\nonce\n"
    gone = notebook.convert("os.remove(path)\nfound = os.path.exists(path)")
    assert gone.same, str(gone)
    assert not path.exists()


def test_random_splits_and_other_means_are_paired(notebook: Notebook) -> None:
    notebook.plain("import torch\nfrom torch.utils.data import random_split\n")
    result = notebook.convert(
        "x = torch.normal(2.0, 0.5, (3,))\n"
        "y = torch.normal(x, torch.ones(3))\n"
        "first, second = random_split(range(10), [7, 3])\n"
        "picked = [first[i] for i in range(7)]"
    )
    assert result.same, str(result)
    assert not result.notes


def test_a_difference_in_one_cell_does_not_affect_the_next(notebook: Notebook) -> None:
    source = "import torch\nx = torch.arange(4.0)\ny = x + 1\n"
    conversion = notebook.session.convert(source)
    conversion.code = conversion.code.replace("x + 1", "x + 2")
    assert not notebook.session.run(source, conversion).same
    assert notebook.convert("z = y * 2").same


def test_an_optimizer_is_carried_once(notebook: Notebook) -> None:
    notebook.convert(
        "import torch\nw = torch.ones(2, requires_grad=True)\n"
        "optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)\n"
        "w.sum().backward()\noptimizer.step()"
    )
    result = notebook.convert("w.sum().backward()\noptimizer.step()")
    assert result.same, str(result)
    assert not result.carried


def test_clocks_and_addresses_are_not_compared(notebook: Notebook) -> None:
    result = notebook.convert(
        "import time, torch\nstart = time.time()\nx = torch.ones(2)\nplace = id(x)\n"
        "elapsed = time.time() - start\nprint(f'took {elapsed:.9f} s')\nsame = id(x) == place"
    )
    assert result.same, str(result)
    assert [r.name for r in result.rows] == ["x", "same"]
    assert any(note.startswith("elapsed comes from a clock") for note in result.notes)


def test_what_a_timer_of_the_users_keeps_is_not_compared(notebook: Notebook) -> None:
    notebook.convert(
        "import time\nimport torch\nclass Timer:\n"
        "    def __init__(self):\n        self.times, self.count = [], 0\n        self.start()\n"
        "    def start(self):\n        self.tik = time.time()\n"
        "    def stop(self):\n        self.times.append(time.time() - self.tik)\n"
        "        self.count += 1\n        return self.times[-1]\n"
    )
    result = notebook.convert("timer = Timer()\nx = torch.ones(3).sum()\ntook = timer.stop()\n")
    assert result.same, str(result)
    assert {row.name for row in result.rows} == {"x"}


def test_biases_that_only_rounding_moves_are_no_difference(notebook: Notebook) -> None:
    """Adam makes whole steps of gradients that a batch normalisation cancels."""
    notebook.convert(
        "import torch\nfrom torch import nn\n"
        "net = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))\n"
        "optimizer = torch.optim.Adam(net.parameters(), lr=0.01)\n"
    )
    result = notebook.convert(
        "x = torch.arange(64.0).reshape(8, 8).sin()\nfor _ in range(10):\n"
        "    optimizer.zero_grad()\n    net(x).square().mean().backward()\n    optimizer.step()\n"
    )
    assert result.same, str(result)
    assert row(result, "net.0.bias").reason == "rounding alone moves it: its gradients cancel out"
    assert row(result, "net.1.running_mean").reason
    assert not row(result, "net.3.bias").reason


def test_arrays_of_objects_are_looked_into(notebook: Notebook) -> None:
    source = (
        "import numpy as np\nimport torch\n"
        "held = np.array([torch.ones(2), {'a': torch.zeros(3)}, object()], dtype=object)\n"
    )
    result = notebook.convert(source)
    assert result.same, str(result)
    assert [row.name for row in result.rows] == ["held[0]", "held[1]['a']"]


def test_a_printed_difference_is_seen_next_to_a_clock(notebook: Notebook) -> None:
    source = "import time, torch\nloss = 0.5\nprint(f'loss {loss}')\nnow = time.time()\n"
    conversion = notebook.session.convert(source)
    conversion.code = conversion.code.replace("loss {loss}", "loss {loss + 1}")
    result = notebook.session.run(source, conversion)
    assert row(result, "printed output").same is False


def test_printed_tensors_and_modules(notebook: Notebook) -> None:
    notebook.convert(NET)
    result = notebook.convert(
        "net = Net()\nprint(net)\nprint(torch.tensor([0.0012, float('-inf'), 1.0]))\n"
        "print(torch.arange(40.0) / 3, torch.zeros(2, 0))\n"
        "print(torch.tensor([3.0, 1.0]).max(dim=0), net.scale)\nprint(type(net.first).__name__)"
    )
    assert result.same, str(result)
    assert any("describe modules" in note for note in result.notes)


def test_repeats_start_alike_and_end_as_one_run(notebook: Notebook) -> None:
    notebook.plain(
        "import torch\nnet = torch.nn.Linear(2, 1)\n"
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)\nseen = []\n"
    )
    before = notebook.names["net"].weight.detach().clone()
    result = notebook.convert(
        "def step():\n    optimizer.zero_grad()\n    loss = net(torch.ones(3, 2)).sum()\n"
        "    loss.backward()\n    optimizer.step()\n    seen.append(1)\n"
        "step()\nprint(len(seen))",
        repeats=3,
    )
    assert result.same, str(result)
    assert result.torch.repeats == result.target.repeats == 3
    assert notebook.names["seen"] == [1]
    assert result.torch.output == "1\n"
    assert torch.allclose(notebook.names["net"].weight, before - 0.3)
    assert "median of 3" in str(result)


def test_the_dtypes_of_live_tensors_are_known(notebook: Notebook) -> None:
    notebook.plain("import torch\nglobals().update(a=torch.ones(2), n=torch.tensor(3))\n")
    cell = "c = a + n\nd = torch.cat([a, torch.ones(1)])\n"
    conversion = notebook.session.convert(cell)
    assert "c = a + n.astype(a.dtype)" in conversion.code
    result = notebook.session.run(cell, conversion)
    assert result.same, str(result)


def test_helpers_are_there_though_a_cell_begins_with_what_does_not_convert(
    notebook: Notebook,
) -> None:
    result = notebook.convert(
        "import torch\ntable = torch.cuda.memory_stats()\n"
        "y = torch.arange(6.0).reshape(2, 3).std(0)\n"
    )
    assert row(result, "y").same, str(result)
    assert notebook.convert("z = y.reshape(1, 3).std(1)").same
