"""A project's own rules: what they convert, and what is said about those that are wrong."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.workbench.targets.own_project import RULES, one_rule, rules_in
from workbench import Conversion, check, convert
from workbench.targets import load
from workbench.targets.own import aim, read


def converted(tmp_path: Path, text: str) -> Conversion:
    """Return a text converted with the project's rules; doing so again changes nothing."""
    target = aim("paddle", rules_in(tmp_path))
    conversion = convert(textwrap.dedent(text), target=target)
    assert convert(conversion.code, target=target).code == conversion.code
    return conversion


def problem(file: Path) -> str:
    own = read("paddle", file)
    assert len(own.problems) == 1, own.problems
    assert len(own.rules) <= 1
    assert own.target.rules.get("torch.cat") is not None  # torch's own rules are in force
    return own.problems[0]


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("import torch", "torch.ops.mylib.nms"),
        ("import torch", "torch.ops.mylib.nms.default"),
        ("import torch, mylib.ops", "mylib.ops.nms"),
        ("from mylib.ops import nms", "nms"),
        ("from mylib.ops import nms as suppress", "suppress"),
        ("from mylib import ops as o", "o.nms"),
        ("from mylib.ops import *", "nms"),
    ],
)
def test_own_names_are_known_however_they_are_imported(
    tmp_path: Path, imports: str, call: str
) -> None:
    done = converted(tmp_path, f"{imports}\n\nkept = {call}(scores=s, boxes=b).unsqueeze(0)\n")
    # The result is a tensor, as the signature says.
    assert "kept = torch_nms(b, s).unsqueeze(0)" in done.code
    assert done.code.count("def torch_nms(boxes, scores, threshold=0.5):") == 1
    assert "import torch" not in done.code
    assert done.unconverted == []


def test_the_rest_of_the_package_stays_and_says_nothing(tmp_path: Path) -> None:
    text = """\
    import mylib
    from mylib.ops import nms, other
    from mylib import data

    def f(b, s, c=mylib):
        return nms(b, s, 0.3), other(b), data.load(c), mylib.version
    """
    done = converted(tmp_path, text)
    assert "return torch_nms(b, s, threshold=0.3), other(b), data.load(c)" in done.code
    assert "from mylib.ops import other\n" in done.code
    assert "import mylib\n" in done.code
    assert [finding.name for finding in done.findings] == ["mylib.ops.nms"]


def test_an_import_for_its_effect_is_removed_with_the_last_use_of_torch(tmp_path: Path) -> None:
    text = "import mylib\nimport torch\n\ny = torch.ops.mylib.nms(b, s)\n"
    assert "mylib" not in converted(tmp_path, text).code
    stays = f"{text}torch.ops.mylib.roll(b)\n"
    done = converted(tmp_path, stays)
    assert "import mylib\n" in done.code
    assert [finding.name for finding in done.unconverted] == ["torch.ops.mylib.roll"]


def test_a_class_of_the_projects_own_is_a_module(tmp_path: Path) -> None:
    text = """\
    import torch
    from mylib.layers import Norm

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = Norm(8, eps=1e-3)

        def forward(self, x):
            return self.norm(x).view(2, -1).numel()
    """
    done = converted(tmp_path, text)
    assert "self.norm = TorchNorm(8, eps=1e-3)" in done.code
    assert "int(self.norm(x).view(2, -1).size)" in done.code


def test_a_member_that_the_helper_lacks_is_reported(tmp_path: Path) -> None:
    text = """\
    import torch
    from mylib.layers import Norm

    norm = Norm(8)
    inner = norm.norm, norm.train(), norm.__class__
    fused = norm.fuse()
    norm.extra = 3
    """
    [finding] = converted(tmp_path, text).unconverted
    assert finding.name == "mylib.layers.Norm.fuse" and "no such member" in finding.message
    kept = f"{RULES}\nrules.keep('mylib.layers.Norm.fuse')\n"
    done = convert(textwrap.dedent(text), target=aim("paddle", rules_in(tmp_path, kept)))
    assert done.unconverted == [] and "fused = norm.fuse()\n" in done.code


def test_a_function_decides_and_its_refusal_is_read(tmp_path: Path) -> None:
    done = converted(tmp_path, "from mylib.ops import crop\na = crop(x)\nb = crop(x, 'b')\n")
    assert "a = paddle.crop(x)" in done.code
    [finding] = done.unconverted
    assert "it has one mode" in finding.message
    assert "from mylib.ops import crop\n" in done.code


def test_names_that_stay_names_without_equivalent_and_names_that_torchferry_refuses(
    tmp_path: Path,
) -> None:
    assert check("import torch\ng = torch.cuda.CUDAGraph()\n")[0].code == "TF200"
    rule = (
        "rules.keep('a.same')\nrules.refuse('a.never', reason='it is gone', instead='write b')\n"
        "rules.row('torch.cuda.CUDAGraph', 'dict()', cases=[])\n"
    )
    target = aim("paddle", one_rule(tmp_path, rule))
    text = "import torch, a\n\nx = a.same(a.never(1))\ng = torch.cuda.CUDAGraph()\n"
    done = convert(text, target=target)
    assert "x = a.same(a.never(1))\ng = dict()\n" in done.code and "import a\n" in done.code
    assert [each.message for each in done.unconverted] == ["a.never: it is gone. Instead: write b"]


def test_without_own_rules_nothing_is_known_of_the_names() -> None:
    assert check("from mylib.ops import nms\nnms(b, s)\n") == []
    assert load("paddle").facts.own_packages == frozenset()


def test_a_changed_module_is_read_again(tmp_path: Path) -> None:
    file = one_rule(tmp_path, "rules.row('a.f', 'paddle.abs({x})', signature='(x)')")
    assert [rule.name for rule in read("paddle", file).rules] == ["a.f"]
    one_rule(tmp_path, "rules.row('a.gg', 'paddle.abs({x})', signature='(x)')")
    assert [rule.name for rule in read("paddle", file).rules] == ["a.gg"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("rules.row('a.f', 'paddle.abs({y})', signature='(x)')", "a.f has no parameter 'y'"),
        ("rules.row('a.f', 'paddle.abs({x})')", "write signature="),
        (
            "rules.row('f', 'paddle.abs({x})', signature='(x)')",
            "add the module that it is imported from",
        ),
        ("rules.row('a.2', 'paddle.abs({x})', signature='(x)')", "is not a name"),
        (
            "rules.row('torch.absent', 'paddle.abs({x})', signature='(x)')",
            "torch has no torch.absent",
        ),
        ("rules.row('torch.cat', 'paddle.concat({tensors})')", "already has a rule for torch.cat"),
        ("rules.row('a.f', 'fast({x})', signature='(x)')", "fast in 'fast({x})' is neither"),
        ("rules.row('a.f', 'paddle.abs({x}', signature='(x)')", "is not an expression"),
        (
            "rules.row('a.torch_nms', 'torch_nms({x})', signature='(x)')",
            "give the helper another name",
        ),
        ("rules.refuse('a.f', reason='no')\nrules.refuse('a.f', reason='no')", "two rules"),
    ],
)
def test_a_wrong_rule_is_named_with_its_line(tmp_path: Path, rule: str, expected: str) -> None:
    file = one_rule(tmp_path, rule)
    assert expected in problem(file)
    line = len(rule.splitlines()) + 2
    assert problem(file).startswith(f"{file}:{line}: ")
    assert "fix it there" in problem(file)


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("x = 1\nraise ValueError('no luck')\n", 2, "ValueError: no luck"),
        ("import absent_package\n", 1, "No module named 'absent_package'"),
        ("x = (\n", 1, "SyntaxError: '(' was never closed"),
        ("raise SystemExit(3)\n", 1, "SystemExit: 3"),
        (
            "from workbench.rules.own import OwnRules\nrules = OwnRules()\n"
            "rules.row('a.f', 'paddle.abs({x})', signature='(x')\n",
            3,
            "the signature '(x' does not parse",
        ),
    ],
)
def test_a_module_that_does_not_run(tmp_path: Path, text: str, line: int, expected: str) -> None:
    file = rules_in(tmp_path, text)
    assert problem(file).startswith(f"{file}:{line}: ")
    assert expected in problem(file)


def test_a_module_without_rules_says_how_to_write_them(tmp_path: Path) -> None:
    assert "rules = OwnRules()" in problem(rules_in(tmp_path, "x = 1\n"))


@pytest.mark.parametrize(
    ("helpers", "expected"),
    [
        ("def torch_nms(:\n", "paddle_ops.py:1: "),
        ("def torch_max():\n    pass\n", "two helpers are called torch_max"),
        (None, "No such file"),
        ("_EPS = 1e-5\n\n\ndef torch_f(x):\n    return x + _EPS\n", "torch_f uses _EPS"),
    ],
)
def test_helpers_that_cannot_be_read(tmp_path: Path, helpers: str | None, expected: str) -> None:
    file = rules_in(tmp_path, RULES, helpers or "")
    if helpers is None:
        (tmp_path / "tools" / "paddle_ops.py").unlink()
    assert expected in problem(file)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 1 / 0", "rules.py:5: ZeroDivisionError"),
        ("return 'paddle.abs'", "returned str; return Rewrite, Keep or Refusal"),
        ("return Rewrite('paddle.abs({y})')", "has no parameter 'y'"),
        ("return Rewrite('paddle.abs(')", "is malformed"),
        ("return Rewrite('fast({x})')", "writes fast, which is neither paddle nor a helper"),
    ],
)
def test_a_function_that_fails_refuses_the_use_and_ends_nothing(
    tmp_path: Path, body: str, expected: str
) -> None:
    rule = f"@rules.rule('a.f', signature='(x)')\ndef f(match):\n    {body}\n"
    target = aim("paddle", one_rule(tmp_path, rule))
    done = convert("import a, torch\ny = a.f(x)\nz = torch.abs(x)\n", target=target)
    [finding] = done.unconverted
    assert expected in finding.message and finding.name == "a.f"
    assert "z = paddle.abs(x)" in done.code or "z = torch_abs(x)" in done.code


def test_output_of_the_module_stays_out_of_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    read("paddle", rules_in(tmp_path, f"print('hello')\n{RULES}"))
    assert capsys.readouterr().out == ""
