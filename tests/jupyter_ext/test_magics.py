"""`%%convert` in a real IPython shell: what it does to the namespace, shows, and refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

import jupyter_ext
from jupyter_ext.errors import ConvertError
from jupyter_ext.options import read_convert


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance()
    shell.reset(new_session=False)
    shell.run_line_magic("load_ext", "jupyter_ext")
    yield shell
    shell.run_line_magic("unload_ext", "jupyter_ext")
    InteractiveShell.clear_instance()


@pytest.fixture
def shown(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The mime bundles that cells displayed; nothing is said of imports, which are done."""
    pytest.importorskip("paddle")
    outputs: list[dict[str, Any]] = []
    monkeypatch.setattr(
        shell.display_pub, "publish", lambda data, *args, **kwargs: outputs.append(data)
    )
    return outputs


def run(shell: InteractiveShell, source: str) -> None:
    shell.run_cell(source, store_history=True).raise_error()


def test_a_cell_runs_on_both_sides(shell: InteractiveShell, shown: list[dict[str, Any]]) -> None:
    run(shell, "%%convert\nimport torch\nx = torch.arange(4.0)\ny = x * 2")
    comparison = jupyter_ext.last_comparison()
    assert comparison.same, str(comparison)
    assert [row.name for row in comparison.rows] == ["x", "y"]
    assert shell.user_ns["y"].tolist() == [0.0, 2.0, 4.0, 6.0]
    (output,) = shown
    assert "Same: 2 values agree" in output["text/plain"]
    assert "paddle.arange" in output["text/html"]
    assert output["application/vnd.torchferry.comparison+json"]["same"] is True


def test_code_for_jax_stays_with_the_cells_above(
    shell: InteractiveShell, shown: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("flax")
    import jax

    with jax.enable_x64(False):  # as in a new process: modules of graphs turn it on
        run(shell, "%%convert --target jax --result insert\nimport torch\nx = torch.ones(3) * 2")
    assert jupyter_ext.last_comparison().same
    assert "The cell stays: its code for jax depends on the cells above." in capsys.readouterr().out
    result = shell.run_cell("%%convert --target jax --isolated\ny = x + 1")
    assert "have no jax" in str(result.error_in_exec)


def test_definitions_below_time_are_found(
    shell: InteractiveShell, shown: list[dict[str, Any]]
) -> None:
    """IPython keeps no source of such a cell under the name that its code has."""
    run(shell, "import torch\nfrom torch import nn")
    run(
        shell,
        "%%time\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.fc = nn.Linear(3, 2)\n"
        "    def forward(self, x):\n"
        "        return self.fc(x)\n"
        "def add(x):\n"
        "    return torch.add(x, 1)\n"
        "net = Net()\n",
    )
    run(shell, "%%time\n\ndef other(x):\n    return x")
    run(shell, "%%convert\ny = add(net(torch.ones(2, 3)))")
    comparison = jupyter_ext.last_comparison()
    assert comparison.same, str(comparison)


def test_converted_names_stay_alive(shell: InteractiveShell, shown: list[dict[str, Any]]) -> None:
    run(shell, "%%convert\nimport torch\nx = torch.ones(3)")
    run(shell, "%%convert\ny = x + 1")
    comparison = jupyter_ext.last_comparison()
    assert comparison.same, str(comparison)
    assert not comparison.carried


def test_earlier_plain_cells_count(shell: InteractiveShell, shown: list[dict[str, Any]]) -> None:
    run(shell, "import torch as t\nscale = 3\ndef grow(v):\n    return t.sum(v) * scale")
    run(shell, "%%convert\nz = grow(t.ones(4))")
    comparison = jupyter_ext.last_comparison()
    assert comparison.same, str(comparison)
    assert float(shell.user_ns["z"]) == 12.0


def test_no_run_only_converts(shell: InteractiveShell, shown: list[dict[str, Any]]) -> None:
    run(shell, "%%convert --no-run\nimport torch\nx = torch.ones(3)")
    comparison = jupyter_ext.last_comparison()
    assert not comparison.ran and not comparison.same
    assert "x" not in shell.user_ns
    assert "paddle.ones" in comparison.code


def test_show_chooses_the_parts(shell: InteractiveShell, shown: list[dict[str, Any]]) -> None:
    run(shell, "%%convert --show values\nimport torch\nx = torch.ones(3)")
    run(shell, "%%convert --show none\ny = x + 1")
    (output,) = shown
    assert 'class="tf-rows"' in output["text/html"]
    assert 'class="tf-code"' not in output["text/html"]
    assert jupyter_ext.last_comparison().rows[0].name == "y"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--to nowhere", "unknown target 'nowhere'; write one of: paddle"),
        ("--to jax==0.1", "jax 0.1 is not supported"),
        ("--device tpu", "tpu"),
        ("--colour red", "--colour"),
        ("--show all,code", "is not a part; give some of"),
        ("--seed many", "--seed"),
        ("'", "quotation"),
    ],
)
def test_bad_options_are_one_message(
    shell: InteractiveShell, shown: list[dict[str, Any]], line: str, message: str
) -> None:
    result = shell.run_cell(f"%%convert {line}\nimport torch\nx = torch.ones(3)")
    assert isinstance(result.error_in_exec, ConvertError)
    assert message in str(result.error_in_exec)
    assert "x" not in shell.user_ns


def test_an_empty_cell_is_one_message(shell: InteractiveShell, shown: list[dict[str, Any]]) -> None:
    result = shell.run_cell("%%convert\n   ")
    assert isinstance(result.error_in_exec, ConvertError)
    assert "empty" in str(result.error_in_exec)
    assert not shown


def test_magics_and_commands_run_once_at_their_position(
    shell: InteractiveShell, shown: list[dict[str, Any]]
) -> None:
    run(shell, "import torch\nruns = []\ndef work():\n    runs.append(len(runs))\n    return 7")
    run(shell, "%%convert\nx = torch.ones(2)\n%time y = work()\nz = x + y\nz")
    comparison = jupyter_ext.last_comparison()
    assert shell.user_ns["runs"] == [0]
    assert shell.user_ns["z"].tolist() == [8.0, 8.0]
    rows = {row.name: row for row in comparison.rows}
    assert rows["x"].same and rows["z"].same, str(comparison)
    assert rows["line 3"].same is None and "a magic runs once" in rows["line 3"].reason
    run(shell, "%%convert\nfiles = !echo a b\nw = torch.ones(len(files))\n!echo hi")
    assert shell.user_ns["files"] == ["a b"]
    assert not [row for row in jupyter_ext.last_comparison().rows if row.same is False]


def test_a_cell_without_torch_says_so(shell: InteractiveShell, shown: list[dict[str, Any]]) -> None:
    run(shell, "%%convert\ntotal = sum(range(5))")
    comparison = jupyter_ext.last_comparison()
    assert "nothing in this cell uses torch: it ran once" in " ".join(comparison.notes)


def test_a_ported_cell_is_left_as_it_is(
    shell: InteractiveShell, shown: list[dict[str, Any]]
) -> None:
    run(shell, "%%convert\nimport paddle\nnet = paddle.nn.Linear(3, 2)\nx = paddle.ones([2, 3])")
    run(shell, "%%convert\nnet.to('cpu')\ny = net(x).reshape([4])\nprint(len(net.parameters()))")
    comparison = jupyter_ext.last_comparison()
    assert comparison.code == comparison.source and not comparison.findings
    assert "nothing in this cell uses torch: it ran once" in " ".join(comparison.notes)


def test_the_users_own_error_ends_the_cell(
    shell: InteractiveShell, shown: list[dict[str, Any]]
) -> None:
    result = shell.run_cell("%%convert\nimport torch\ntorch.ones(2) @ torch.ones(3)")
    assert isinstance(result.error_in_exec, RuntimeError)
    (output,) = shown
    assert output["text/plain"].startswith("Raised on both: at line 3: RuntimeError")
    assert output["application/vnd.torchferry.comparison+json"]["outcome"] == "raised"


def test_lines_count_without_a_magic_that_the_cell_does_not_have(
    shell: InteractiveShell, shown: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    run(shell, "1")
    text = "%%convert --added\nimport torch\ntorch.ones(2) @ torch.ones(3)"
    shell.run_cell(text, store_history=True)
    assert shown[0]["text/plain"].startswith("Raised on both: at line 2: RuntimeError")
    assert "----> 2 torch.ones(2)" in re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    result = shell.run_cell("%%convert --added\nx = (1,\ny == 2")
    assert type(result.error_in_exec).__name__ == "SyntaxError"
    assert "In[2], line 2" in re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)


def test_an_error_is_shown_from_the_users_own_code_on(
    shell: InteractiveShell, shown: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    run(shell, "1")  # the first cell
    shell.run_cell(
        "%%convert\nimport torch\ndef deep(x):\n    return x.view(7)\ndeep(torch.ones(3))",
        store_history=True,
    )
    printed = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert "Cell In[2], line 5" in printed
    assert "----> 5 deep(torch.ones(3))" in printed
    assert "----> 4     return x.view(7)" in printed
    for internal in ("magics.py", "workbench", "run_cell_magic"):
        assert internal not in printed


def test_an_interrupt_keeps_what_ran_and_continues(
    shell: InteractiveShell, shown: list[dict[str, Any]]
) -> None:
    run(shell, "%%convert\nimport torch\nx = torch.ones(2)")
    run(shell, "def stop():\n    raise KeyboardInterrupt")
    result = shell.run_cell("%%convert\nx.add_(1)\ny = x * 2\nstop()")
    assert isinstance(result.error_in_exec, KeyboardInterrupt)
    assert shell.user_ns["x"].tolist() == [2.0, 2.0]
    assert shell.user_ns["y"].tolist() == [4.0, 4.0]


def test_the_output_escapes_what_it_shows(
    shell: InteractiveShell, shown: list[dict[str, Any]]
) -> None:
    run(
        shell,
        "%%convert\nimport torch\nname = '<script>alert(1)</script>'\nd = {name: torch.ones(1)}",
    )
    html = shown[0]["text/html"]
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html


def test_help_lists_every_option(shell: InteractiveShell) -> None:
    text = shell.find_cell_magic("convert").__doc__
    for option in ("--to", "--device", "--no-run", "--seed", "--rtol", "--show", "--isolated"):
        assert option in text


def test_status_shows_the_mirrors_values(
    shell: InteractiveShell, shown: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    run(shell, "%%convert\nimport torch\nx = torch.ones(2)")
    capsys.readouterr()
    run(shell, "%torchferry")
    text = capsys.readouterr().out
    assert "mirror: x\n" in text
    assert "cpu = cpu" in text
    run(shell, "%torchferry reset")
    assert "mirror: empty" in capsys.readouterr().out


def test_loading_twice_changes_nothing(shell: InteractiveShell) -> None:
    magics = shell.magics_manager.registry["ConvertMagics"]
    jupyter_ext.load_ipython_extension(shell)
    assert shell.magics_manager.registry["ConvertMagics"] is magics


def test_before_any_cell_there_is_no_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jupyter_ext.magics._last", [])
    with pytest.raises(LookupError, match="no %%convert cell"):
        jupyter_ext.last_comparison()


def test_options_are_read() -> None:
    options = read_convert("--to paddle --device cpu --rtol 1e-3 --show code,values")
    assert options.relative == 1e-3
    assert options.show == ("code", "values")


def test_both_names_of_the_target_are_options_and_a_mistyped_one_is_guessed() -> None:
    assert read_convert("--target paddle").target == read_convert("--to paddle").target
    with pytest.raises(ConvertError, match=r"--stlye.*; did you mean --style\?"):
        read_convert("--stlye exact")
    with pytest.raises(ConvertError, match=r"unrecognized arguments: 7; %%convert\? lists"):
        read_convert("7")


def test_magics_before_the_code_run_once(
    shell: InteractiveShell, shown: list[dict[str, Any]]
) -> None:
    run(shell, "%%convert\n# a note\n%env TORCHFERRY_TEST=7\nimport torch\nx = torch.ones(7)")
    assert jupyter_ext.last_comparison().same
    run(shell, "%%convert\n%env TORCHFERRY_TEST=8")
    assert len(shown) == 1


def test_the_converted_code_is_put_where_it_is_wanted(
    shell: InteractiveShell, shown: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, bool]] = []
    monkeypatch.setattr(
        shell, "set_next_input", lambda code, replace=False: asked.append((code, replace))
    )
    run(shell, "%%convert --result insert\nimport torch\nx = torch.ones(3)")
    assert asked == [("import paddle\nx_paddle = paddle.ones(3)", False)]
    run(shell, "%%convert --result replace\ny = torch.zeros(3)")
    # No earlier cell imports it as the notebook stands, whatever the mirror has.
    assert asked[-1] == ("import paddle\ny = paddle.zeros(3)", True)
    run(shell, "%%convert --result replace\nz = torch.hub.help('a')if False else x")
    assert len(asked) == 2


def test_inserted_code_leaves_torch_alone(
    shell: InteractiveShell,
    shown: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(shell, "set_next_input", lambda code, replace=False: asked.append(code))
    insert = "%%convert --show none --result insert\n"
    run(shell, "import torch\nfrom torch import nn\nimport math\nz = t = torch.ones(2)\nn = 3")
    make = "net = nn.Linear(2, 2)\ndef twice(x):\n    return nn.functional.relu(x) * 2"
    run(shell, f"{insert}{make}")
    run(shell, asked[-1])
    run(shell, f"{insert}import math\nfrom torch import nn\ny = twice(net(z * n)) * math.pi")
    code = asked[-1]
    assert "jupyter_ext" not in code
    assert "import math\n" in code
    before = {name: shell.user_ns[name] for name in ("torch", "nn", "net", "twice", "z", "y")}
    run(shell, code)
    assert {name: shell.user_ns[name] for name in before} == before
    assert type(shell.user_ns["y_paddle"]).__module__.startswith("paddle")
    assert shell.user_ns["z_paddle"].tolist() == [1.0, 1.0]
    run(shell, "loss = twice(net(z)).sum()")  # torch goes on
    for cell in ("t = t * n", "t.add_(1)"):  # a copy would start from what it came to
        run(shell, f"{insert}{cell}")
        assert "only torch has t." in capsys.readouterr().out
    assert asked[-1] == code


def test_objects_that_only_torch_has_are_not_inserted(
    shell: InteractiveShell,
    shown: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(shell, "set_next_input", lambda code, replace=False: asked.append(code))
    run(shell, "import torch\nnet = torch.nn.Linear(2, 2)\nx = torch.ones(2)")
    run(shell, "%%convert --result insert\ny = net(x)")
    assert "only torch has net. First insert" in capsys.readouterr().out
    assert not asked


def test_the_style_is_an_option_and_a_setting(
    shell: InteractiveShell, shown: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(shell, "set_next_input", lambda code, replace=False: asked.append(code))
    cell = "import torch\nlayer = torch.nn.Linear(2, 3)"
    run(shell, f"%%convert --no-run --result insert\n{cell}")
    run(shell, f"%%convert --no-run --result insert --style exact\n{cell}")
    shell.run_line_magic("torchferry", "set --no-run --result insert --init native")
    run(shell, f"%%convert\n{cell}")
    plain, exact, native = asked
    assert "paddle.nn.Linear(2, 3, weight_attr=init)" in plain
    assert "class TorchLinear" in exact
    assert native.startswith("import paddle\n")
    assert native.endswith("layer_paddle = paddle.nn.Linear(2, 3)")
    with pytest.raises(ConvertError, match="the exact style initializes new weights as torch does"):
        run(shell, f"%%convert --style exact\n{cell}")


def test_settings_hold_for_every_cell(
    shell: InteractiveShell, shown: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    shell.run_line_magic("torchferry", "set --no-run --show code")
    run(shell, "%%convert\nimport torch\nx = torch.ones(3)")
    assert not jupyter_ext.last_comparison().ran
    shell.run_line_magic("torchferry", "")
    with pytest.raises(ConvertError, match="unknown target 'jacks'"):
        shell.run_line_magic("torchferry", "set --to jacks")
    assert "settings: --no-run --show code" in capsys.readouterr().out
    shell.run_line_magic("torchferry", "reset")
    run(shell, "%%convert\nimport torch\nx = torch.ones(3)")
    assert jupyter_ext.last_comparison().ran


def test_devices_are_named_and_their_absence_explained(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.run_line_magic("torchferry", "devices")
    printed = capsys.readouterr().out
    assert "  cpu = cpu\n" in printed
    assert "cuda" in printed


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("%%convert --rep", {"--repeats"}),
        ("%%convert --result in", {"insert"}),
        ("%%convert --seed 3 --sh", {"--show"}),
        ("%torchferry re", {"reset", "revoke"}),
        ("%convert_notebook --o", {"--output"}),
    ],
)
def test_tab_completes_options(shell: InteractiveShell, line: str, offered: set[str]) -> None:
    _, found = shell.complete(line.split()[-1], line, len(line))
    assert offered == set(found)


def test_a_loss_counts_once_where_a_default_device_is_set(shell: InteractiveShell) -> None:
    run(shell, "import torch\ntorch.set_default_device('cpu')\nnet = torch.nn.Linear(2, 1)")
    try:
        run(shell, "%%convert\nfor _ in range(3):\n    net(torch.ones(3, 2)).sum().backward()")
    finally:
        torch.set_default_device(None)
    comparison = jupyter_ext.last_comparison()
    assert comparison.same, str(comparison)
    assert [len(curve.torch) for curve in comparison.curves] == [3]


@pytest.mark.skipif(torch.version.cuda is not None, reason="earlier tests computed gradients")
def test_an_isolated_cell(shell: InteractiveShell, shown: list[dict[str, Any]]) -> None:
    run(shell, "import torch\nnet = torch.nn.Linear(2, 1)")
    run(shell, "%%convert --isolated\nloss = net(torch.ones(3, 2)).sum()\nloss.backward()")
    assert jupyter_ext.last_comparison().same, str(jupyter_ext.last_comparison())
    assert shell.user_ns["net"].weight.grad is not None
    run(shell, "%%convert --isolated\nimport os\nos.abort()")
    assert "torch crashed: Aborted at line 3" in str(jupyter_ext.last_comparison())


def test_the_shown_code_has_the_names_that_the_notebook_imports(
    shell: InteractiveShell, shown: list[dict[str, Any]]
) -> None:
    run(shell, "import torch\nfrom torch import nn\nimport torch.nn.functional as F")
    run(shell, "%%convert --no-run\nnet = nn.ReLU()\ny = F.silu(torch.ones(1, 2))")
    assert jupyter_ext.last_comparison().code == "net = nn.ReLU()\ny = F.silu(paddle.ones(1, 2))\n"


def test_a_cell_of_which_no_code_is_left_says_so(
    shell: InteractiveShell, shown: list[dict[str, Any]]
) -> None:
    run(shell, "%%convert\nimport torch")
    run(shell, "%%convert\nfrom torch.utils.data import DataLoader")
    comparison = jupyter_ext.last_comparison()
    assert not comparison.code.strip()
    assert "no code is left: paddle needs none of these imports" in str(comparison)


def test_setup_magics_may_be_anywhere(shell: InteractiveShell, shown: list[dict[str, Any]]) -> None:
    run(shell, "%%convert\nimport torch\n%config Completer.use_jedi = False\nx = torch.ones(2)")
    assert jupyter_ext.last_comparison().same
    assert shell.Completer.use_jedi is False


def test_clearing_the_output_prints_nothing(
    shell: InteractiveShell, shown: list[dict[str, Any]]
) -> None:
    run(
        shell,
        "%%convert\nimport torch\nfrom IPython import display\nx = torch.ones(2)\n"
        "display.display('drawn')\ndisplay.clear_output(wait=True)\nprint(x.shape[0])",
    )
    comparison = jupyter_ext.last_comparison()
    assert comparison.same, str(comparison)


def test_a_project_brings_its_own_rules(
    shell: InteractiveShell,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.torchferry]\nrules = "own.py"\n')
    (tmp_path / "softer.py").write_text("import torch\ndef soft(x): return torch.tanh(x) * 2\n")
    (tmp_path / "own.py").write_text(
        "from workbench.rules.own import OwnRules\n"
        "rules = OwnRules()\n"
        "rules.row('softer.soft', 'paddle.tanh({x}) * 2', signature='(x) -> Tensor')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("TORCHFERRY_CONFIG_HOME", str(tmp_path / "config"))
    cell = "%%convert\nimport torch\nfrom softer import soft\ny = soft(torch.ones(2)).sum(dim=0)"
    run(shell, cell)
    assert "paddle.tanh(" not in jupyter_ext.last_comparison().code
    printed = capsys.readouterr().out
    assert f"the rules of {tmp_path / 'own.py'} are not used" in printed
    assert "%torchferry trust" in printed
    run(shell, "%torchferry trust")
    run(shell, cell)
    comparison = jupyter_ext.last_comparison()
    assert comparison.same, str(comparison)
    assert "paddle.tanh(" in comparison.code
    assert "1 own rules from" in capsys.readouterr().out
    run(shell, "%torchferry")
    assert "1 own rules from" in capsys.readouterr().out
    run(shell, "%torchferry revoke")
    run(shell, cell)
    assert "paddle.tanh(" not in jupyter_ext.last_comparison().code
    assert "are not used: they are code" in capsys.readouterr().out


def test_there_are_no_rules_to_trust(
    shell: InteractiveShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TORCHFERRY_CONFIG_HOME", str(tmp_path / "config"))
    with pytest.raises(ConvertError, match="names rules for"):
        shell.run_line_magic("torchferry", "trust")
