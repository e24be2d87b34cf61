"""The kernel's messages to the panel about a cell, in the panel's units."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import paddle
import pytest
import torch

from jupyter_ext.inserted import inserted_unrun
from jupyter_ext.installed import installed_only
from jupyter_ext.outcomes import body
from jupyter_ext.own_rules import revoke_rules, trust_rules
from jupyter_ext.panel.cells import Cells
from jupyter_ext.panel.glance import conversions
from jupyter_ext.panel.helpers import put_helpers
from jupyter_ext.panel.look import Look, edits_of, look
from workbench.errors import TorchferryError
from workbench.source.parsing.notebook import cell_text
from workbench.targets import load


def cells(*sources: str) -> Cells:
    made = Cells()
    ids = [str(index) for index in range(len(sources))]
    made.change(ids, dict(zip(ids, sources, strict=True)))
    return made


def apply(source: str, edits: list[dict[str, Any]]) -> str:
    """As the panel does it: on UTF-16 units, in the order given."""
    units = source.encode("utf-16-le")
    for edit in edits:
        head, tail = units[: 2 * edit["start"]], units[2 * edit["end"] :]
        units = head + edit["text"].encode("utf-16-le") + tail
    return units.decode("utf-16-le")


def looked(*sources: str) -> Look:
    return look(cells(*sources), str(len(sources) - 1), {})


def test_all_edits_give_the_converted_code() -> None:
    seen = looked("import torch", "a = torch.ones(2)\n# 🔥 é\nb = torch.zeros(3)  # stays")
    # Among cells of torch it needs its own import.
    assert apply(seen.source, edits_of(seen, None)[0]) == f"import paddle\n{seen.code}"
    assert "paddle.ones(2)" in seen.code
    assert seen.code.endswith("# stays")


def test_one_fix_after_wide_characters() -> None:
    seen = looked("import torch", 'a = "🔥🔥"; b = torch.ones(2); c = torch.zeros(3)')
    (which,) = [i for i, f in enumerate(seen.findings) if f.name == "torch.zeros"]
    fixed = apply(seen.source, edits_of(seen, which)[0])
    assert fixed.endswith('a = "🔥🔥"; b = torch.ones(2); c = paddle.zeros(3)')


def test_a_fix_stays_below_the_line_of_a_cell_magic() -> None:
    seen = looked("import torch", "%%convert\na = torch.ones(2)")
    fixed = apply(seen.source, edits_of(seen, 0)[0])
    assert fixed.startswith("%%convert\n")
    assert fixed.endswith("a = paddle.ones(2)")


def test_a_position_is_in_units_of_the_editor() -> None:
    seen = looked("import torch", 'a = "🔥"; b = torch.ones(2)')
    (finding,) = seen.content()["findings"]
    text = seen.source.encode("utf-16-le")[2 * finding["start"] : 2 * finding["end"]]
    assert text.decode("utf-16-le") == "torch.ones"


def test_a_cell_that_does_not_parse() -> None:
    content = looked("import torch", "x = 1\ny = torch.").content()
    assert content["problem"]["message"].startswith("Line 2: ")
    assert content["problem"]["line"] == 1
    assert "findings" not in content


def test_changes_are_small_and_order_counts() -> None:
    made = cells("a", "b", "c")
    made.change(None, {"1": "B"})
    assert made.earlier("2") == ["a", "B"]
    made.change(["2", "0"], {})
    assert made.earlier("0") == ["c"]
    with pytest.raises(ValueError, match="no code cell 1"):
        made.earlier("1")


def test_a_cell_in_place_runs_unchanged_with_the_import_that_it_needs() -> None:
    cell = "layer = torch.nn.Linear(2, 3)"
    seen = looked("import torch", cell)
    assert seen.code == "layer = paddle.nn.Linear(2, 3, weight_attr=init)"
    code = apply(cell, edits_of(seen, None)[0])
    assert code.startswith("import paddle\n") and "init = " in code
    names: dict[str, Any] = {}
    exec(code, names)
    assert type(names["layer"]).__module__.startswith("paddle.nn")
    again = looked(f"import torch\n{code}", cell)
    assert apply(cell, edits_of(again, None)[0]) == again.code == seen.code


def test_helpers_go_into_a_module_that_the_kernel_has_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    made = cells("import torch\nx = torch.ones(2, 3)", "x.max(0)", "layer = torch.nn.Linear(2, 3)")
    try:
        for cell, helper in (("1", "torch_max"), ("2", "TorchLinear")):
            seen = look(made, cell, {}, style="exact")
            assert helper in seen.code and "import" not in seen.code
            edits, helpers = edits_of(seen, None)
            put_helpers(helpers, load("paddle", "exact"))
            code = apply(seen.source, edits)
            assert f"from torchferry_helpers import {helper}\n" in code
            exec(code, {"x": None} if cell == "2" else {"x": paddle.ones([2, 3])})
        held = sys.modules["torchferry_helpers"].torch_max
        conversions(made, "paddle", "exact")
        assert sys.modules["torchferry_helpers"].torch_max is held
    finally:
        sys.modules.pop("torchferry_helpers", None)


def test_a_cell_is_written_as_the_whole_notebook_is() -> None:
    sources = [
        "import torch\nfrom torch import nn\nimport torch.nn.functional as F",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.conv = nn.Conv2d(1, 4, 3)",
        "y = F.relu(Net()(torch.ones(1, 1, 4, 4)))",
    ]
    made = cells(*sources)
    whole = {
        one["cell"]: apply(one["source"], one["edits"]) for one in conversions(made, "paddle", None)
    }
    ran: dict[str, Any] = {}
    exec("\n".join(sources[:2]), ran)
    for names in ({}, ran, {"torch": torch}):
        assert {cell: look(made, cell, names).code for cell in made.order} == whole
    assert "nn.Conv2D(" in whole["1"] and "paddle.nn" not in whole["1"]


def test_a_converted_import_cell_leaves_torch_to_the_other_cells() -> None:
    made = cells(
        "import torch\nfrom torch import nn\nx = torch.ones(2)",
        "layer = nn.ReLU()",
        "y = torch.zeros(2)",
    )
    for cell, line in (("0", "x = paddle.ones(2)"), ("1", "layer = paddle.nn.ReLU()")):
        seen = look(made, cell, {})
        made.sources[cell] = apply(seen.source, edits_of(seen, None)[0])
        assert line in made.sources[cell]
        names: dict[str, Any] = {}
        exec("\n".join(made.sources.values()), names)
        assert type(names["y"]) is torch.Tensor
    last = look(made, "2", {})
    made.sources["2"] = apply(last.source, edits_of(last, None)[0])
    seen = look(made, "0", {})
    assert apply(seen.source, edits_of(seen, None)[0]) == "import paddle\nx = paddle.ones(2)"


def test_an_import_that_only_a_later_cell_needs_is_shown() -> None:
    sources = ["from torch.utils.data import DataLoader", "rows = DataLoader([1, 2])"]
    seen = look(cells(*sources), "0", {})
    assert seen.code == "from paddle.io import DataLoader" and not seen.content()["note"]
    unread = looked("import paddle", sources[0])
    assert not unread.code.strip()
    assert unread.content()["note"].startswith("The converted cell is empty: Paddle needs")


def test_the_style_is_the_projects_where_none_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.torchferry]\nstyle = "exact"\n')
    monkeypatch.chdir(tmp_path)
    made = cells("import torch", "layer = torch.nn.Linear(2, 3)")
    assert "TorchLinear" in look(made, "1", {}).code
    assert "TorchLinear" not in look(made, "1", {}, style="plain").code


BRANCH = """%%time
class Net(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return -x
"""


def test_a_hazard_of_capture_is_a_finding_with_a_fix() -> None:
    seen = looked("import torch", BRANCH)
    (which,) = [i for i, f in enumerate(seen.content()["findings"]) if f["code"] == "TF401"]
    assert seen.content()["findings"][which]["fix"].startswith("Choose with torch.where")
    fixed = apply(seen.source, edits_of(seen, which)[0])
    assert "        return torch.where(x.sum() > 0, x, -x)\n" in fixed
    quiet = BRANCH.replace("> 0:", "> 0:  # torchferry: ignore[TF401]")
    assert "TF401" not in [f["code"] for f in looked("import torch", quiet).content()["findings"]]


def test_a_cell_is_written_for_the_chosen_version() -> None:
    made = cells("import torch\nnet = torch.nn.Linear(1, 1)", "parts = list(net.modules())")
    assert "net.modules()" in look(made, "1", {}).code
    assert "net.sublayers(include_self=True)" in look(made, "1", {}, "paddle==3.1").code


def test_a_cell_for_jax_is_written_with_the_others() -> None:
    made = cells(
        "import torch\nnet = torch.nn.Linear(2, 1)\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        "loss = net(torch.ones(1, 2)).mean()\nopt.zero_grad()\nloss.backward()\nopt.step()",
    )
    seen = look(made, "1", {}, "jax")
    assert "loss, grads = nnx.value_and_grad(loss_fn)(net)" in seen.code
    found = seen.content()["findings"]
    assert found and not any(one["fix"] for one in found)  # no cell of torch can run this by itself


def test_the_folders_rules_are_reported_and_run_when_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHFERRY_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "pyproject.toml").write_text('[tool.torchferry]\nrules = "own.py"\n')
    (tmp_path / "own.py").write_text(
        "import pathlib\n"
        "import torchferry_beside\n"
        "from workbench.rules.own import OwnRules\n"
        f"pathlib.Path({str(tmp_path / 'ran')!r}).touch()\n"
        "rules = OwnRules()\n"
    )
    (tmp_path / "torchferry_beside.py").write_text("")
    monkeypatch.chdir(tmp_path)
    rules = {"folder": str(tmp_path), "module": "own.py", "trusted": False}
    assert looked("x = 1").content()["rules"] == rules
    assert looked("x = (").content()["rules"] == rules
    assert not (tmp_path / "ran").exists()
    with pytest.raises(TorchferryError, match="the kernel's folder is now"):
        trust_rules(tmp_path / "tools")
    trust_rules(tmp_path)
    with installed_only():  # as for every request of the panel
        assert looked("x = 1").content()["rules"] == {**rules, "trusted": True}
    assert (tmp_path / "ran").exists()
    (tmp_path / "ran").unlink()
    revoke_rules(tmp_path)
    assert looked("x = 1").content()["rules"] == rules
    assert not (tmp_path / "ran").exists()


def test_imports_of_a_removed_cell_are_known() -> None:
    import torch
    from torch import nn

    names = {"torch": torch, "nn": nn, "relu": torch.relu}
    seen = look(cells("x = relu(torch.zeros(3))\nlayer = nn.ReLU()"), "0", names)
    assert "paddle.zeros(3)" in seen.code
    assert "torch" not in seen.code.replace("torchferry", "")


def test_a_port_is_not_read_as_torch() -> None:
    """The kernel may still have torch's objects, or have run the port from its start."""
    import torch

    notebook = cells(
        "import torch\nfrom torch import nn",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(3, 2)\n    def forward(self, x):\n        return self.fc(x)\n"
        "net = Net().to('cpu')",
        "x = torch.ones(2, 3)\nprint(net(x).shape, x.view(6).tolist())",
    )
    for changed in conversions(notebook, "paddle", None):
        notebook.sources[changed["cell"]] = apply(changed["source"], changed["edits"])
    assert "torch" not in "".join(notebook.sources.values())
    left = {"nn": torch.nn, "torch": torch, "net": torch.nn.Linear(3, 2), "x": torch.ones(2, 3)}
    ported: dict[str, object] = {}
    exec("\n".join(notebook.sources.values()), ported)
    for names in ({}, left, ported):
        for cell in notebook.order:
            seen = look(notebook, cell, names)
            assert not seen.findings and seen.code == seen.source


def test_an_import_of_a_module_that_uses_torch_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mylib.py").write_text("import torch\n")
    (tmp_path / "plain.py").write_text("x = 1\n")
    nets = tmp_path / "nets"
    nets.mkdir()
    (nets / "__init__.py").write_text("")
    (nets / "parts.py").write_text("from torch import nn\n")
    monkeypatch.chdir(tmp_path)
    source = "import plain, os\nfrom mylib import Head  # 🔥\nimport nets.parts as parts"
    found = looked("import torch", source).content()["findings"]
    assert [(one["line"], one["message"].split()[0]) for one in found] == [
        (1, "mylib.py"),
        (2, "nets"),
    ]
    assert source[found[0]["start"] : found[0]["end"]] == "from mylib import Head"
    assert "also writes mylib_paddle.py" in found[0]["message"]


def test_inserted_code_keeps_the_name_of_a_package_that_both_texts_import() -> None:
    made = inserted_unrun("import os.path\ny = os.sep", "import os\ny = os.sep", {}, "paddle")
    assert made == "import os.path\ny_paddle = os.sep"


def test_inserted_code_has_names_of_its_own() -> None:
    source = "%%convert\nimport math\nx = torch.ones(3)\nfor i in range(2):\n    x = x + y * i"
    seen = looked("import torch", source)
    names = {"y": torch.ones(1), "i": 3, "torch": torch}
    code = inserted_unrun(
        cell_text(body(seen.alone.code)), cell_text(body(source)), names, "paddle"
    )
    lines = [line.strip() for line in code.splitlines() if line.strip()]
    assert lines == [
        "import math",
        "import paddle",
        "x_paddle = paddle.ones(3)",
        "for i_paddle in range(2):",
        "x_paddle = x_paddle + y_paddle * i_paddle",
    ]
