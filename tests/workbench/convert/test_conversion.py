"""Findings and fixes: what a user reads, and what accepting a fix does."""

from __future__ import annotations

import pytest

import workbench
from workbench import (
    Certainty,
    Severity,
    SourceError,
    UnknownTargetError,
    apply_edits,
    check,
    convert,
    convert_cell,
)


def test_a_finding_names_the_use_and_its_place() -> None:
    [finding] = check("import torch\nx = torch.stack([y])\n")
    assert (finding.code, finding.severity, finding.certainty) == (
        "TF100",
        Severity.HINT,
        Certainty.PROVED,
    )
    assert finding.name == "torch.stack"
    assert finding.target == "paddle.stack"
    start, end = finding.range.start, finding.range.end
    assert (start.line, start.column, end.line, end.column) == (1, 4, 1, 15)


def test_a_statement_right_below_the_imports_keeps_its_place_below_the_helpers() -> None:
    source = "from torch.nn import Linear\nLinear(2, 3)\n"
    assert convert(source, style="exact").code.endswith("\n\n\nTorchLinear(2, 3)\n")


def test_a_fix_converts_its_use_with_what_is_nested_in_it_and_brings_the_import() -> None:
    source = "import torch\nx = torch.stack([torch.exp(y)])\nz = torch.stack([x])\n"
    fix = check(source)[0].fix
    assert fix is not None
    assert apply_edits(source, fix.edits) == (
        "import paddle\nimport torch\nx = paddle.stack([paddle.exp(y)])\nz = torch.stack([x])\n"
    )


def test_an_inner_fix_leaves_the_outer_call_alone() -> None:
    source = "import torch\nimport paddle\nx = torch.stack([torch.exp(y)])\n"
    fix = check(source)[1].fix
    assert fix is not None
    assert apply_edits(source, fix.edits) == source.replace("torch.exp", "paddle.exp")


def test_no_argument_is_dropped() -> None:
    conversion = convert("import torch\nx = torch.stack([y], dim=0, sideways=z)\n")
    assert "torch.stack([y], dim=0, sideways=z)" in conversion.code
    [finding] = conversion.unconverted
    assert finding.severity is Severity.ERROR
    assert "fit no signature" in finding.message


def test_arguments_are_evaluated_in_the_order_written() -> None:
    conversion = convert("import torch\nx = torch.stack(dim=f(), tensors=[g()])\n")
    assert "(dim=f(), tensors=[g()])" in conversion.code


def test_remaining_uses_are_explained_above_their_statement_and_parse() -> None:
    code = convert("import torch\nif x:\n    y = torch.stack(no=x)\n").code
    compile(code, "converted", "exec")
    remark = code.split("\n")[3 - 1].strip()
    assert remark.startswith("# torchferry TF200: torch.stack: ")


def test_an_unknown_name_is_an_error() -> None:
    [finding] = check("import torch\ntorch.no_such_name(1)\n")
    assert finding.code == "TF201"
    assert finding.fix is None


def test_an_unknown_receiver_is_a_hint_never_an_edit() -> None:
    source = "import torch\ndef f(x):\n    return x.view(2)\n"
    found = check(source)
    assert [f.code for f in found] == ["TF300", "TF100"]
    assert (found[0].fix, found[1].name) == (None, "torch")  # only the import is converted
    assert "x.view(2)" in convert(source).code


def test_an_unknown_receiver_of_a_differing_method_is_reported() -> None:
    source = "import torch\ndef f(x):\n    return {}\n"
    severities = [check(source.format(f"x.{call}"))[0].severity for call in ("max(1)", "max()")]
    assert severities == ["information", "hint"]


@pytest.mark.parametrize("member", ["abs()", "exp", "chalf", "resize()", "to_sparse_csc"])
def test_a_member_that_no_type_would_convert_is_not_reported(member: str) -> None:
    assert [f.code for f in check(f"import torch\ndef f(x):\n    return x.{member}\n")] == ["TF100"]


@pytest.mark.parametrize("held", ["x", "x.state", "x[0]"])
def test_an_in_place_change_of_a_shared_tensor_is_reported(held: str) -> None:
    source = f"import torch\ndef f(x):\n    h = {held}\n    h += 1\n    return h, x\n"
    found = check(source)[0]
    assert (found.code, found.severity) == ("TF119", "information")
    assert f"torch also changes `{held}` here, and Paddle does not" in found.message


@pytest.mark.parametrize(
    "body",
    [
        "h = x\n    h += 1\n    return h",  # nothing reads `x` again
        "h = x\n    h = g(h)\n    h += 1\n    return h, x",
        "h = 0\n    h += x\n    return h, x",
        "h = x\n    h += 'text'\n    return h, x",
    ],
)
def test_an_in_place_change_that_nothing_else_sees_is_not_reported(body: str) -> None:
    codes = {one.code for one in check(f"import torch\ndef f(x):\n    {body}\n")}
    assert not codes & {"TF119", "TF300"}


@pytest.mark.parametrize(
    ("loop", "elements"),
    [
        ("for h in x.parts():\n        h -= n[0]", "x.parts()"),
        ("for h in x:\n        h *= 2\n        n.append(h)\n    return x", "x"),
        ("for k, h in x.items():\n        if k:\n            h /= n", "x.items()"),
    ],
)
def test_an_in_place_change_of_the_elements_of_a_loop_is_reported(loop: str, elements: str) -> None:
    found = check(f"import numpy as np\nimport torch\ndef f(x, n):\n    {loop}\n")[0]
    assert (found.code, found.severity) == ("TF119", "information")
    assert f"changes the elements of `{elements}` here, and Paddle does not" in found.message


@pytest.mark.parametrize(
    "loop",
    [
        "for h in range(9):\n        h += n\n        print(h)",
        "for h in g(x):\n        h += n\n        print(h)",
        "for h in x:\n        h = g(h)\n        h += n\n        print(h)",
    ],
)
def test_an_in_place_change_in_a_loop_that_nothing_else_sees_is_not_reported(loop: str) -> None:
    codes = {one.code for one in check(f"import torch\ndef f(x, n):\n    {loop}\n")}
    assert not codes & {"TF119", "TF300"}


def test_what_a_loop_changes_and_never_reads_is_a_tensor() -> None:
    code = convert("import torch\ndef f(x, n):\n    for h in x:\n        h -= n\n").code
    assert "paddle.assign(h - n, h)" in code


def test_what_a_function_changes_and_never_reads_is_a_tensor() -> None:
    code = convert("import torch\ndef f(x, n):\n    if n:\n        x -= n\n").code
    assert "paddle.assign(x - n, x)" in code


def test_a_change_of_what_a_caller_gave_is_a_hint() -> None:
    found = check("import torch\ndef f(x):\n    x += 1\n    return x\n")[0]
    assert (found.code, found.severity) == ("TF300", "hint")
    assert "also changes the caller's tensor" in found.message


def test_a_change_of_what_a_caller_gave_and_nothing_reads_is_reported() -> None:
    found = check("import numpy\nimport torch\ndef f(x, n):\n    x += n[0]\n")[0]
    assert (found.code, found.severity) == ("TF119", "information")
    assert "also changes the caller's tensor" in found.message


@pytest.mark.parametrize(
    "body",
    [
        "while x:\n        x -= n",
        "for one in n:\n        print(x)\n        x -= one",
        "x -= n\n    return lambda: x",
    ],
)
def test_a_change_of_a_number_that_is_read_again_is_a_hint(body: str) -> None:
    found = check(f"import torch\ndef f(x, n):\n    {body}\n")[0]
    assert (found.code, found.severity) == ("TF300", "hint")


def test_broken_code_is_checked_as_far_as_it_parses() -> None:
    found = check("import torch\nx = torch.stack([y])\nz = (\n")
    assert {finding.code for finding in found} >= {"TF000", "TF100"}


def test_broken_code_is_not_converted() -> None:
    with pytest.raises(SourceError, match=r"^<source>:2:"):
        convert("import torch\nx = torch.stack([y]\n")


@pytest.mark.parametrize("target", ["keras", "paddle==9.9", "jax==0.4", "", "paddle=="])
def test_an_unknown_target_says_which_there_are(target: str) -> None:
    with pytest.raises(UnknownTargetError, match=r"paddle|jax"):
        check("import torch\n", target=target)


def test_a_cell_is_converted_in_the_light_of_earlier_cells() -> None:
    conversion = convert_cell(
        "%%convert\ny = torch.stack([x])\n", earlier=["import torch\n", "x = torch.exp(1)\n"]
    )
    assert conversion.code == "%%convert\ny = paddle.stack([x])\n"
    assert [finding.range.start.line for finding in conversion.findings] == [1]


def test_a_cell_uses_the_types_of_live_objects() -> None:
    known = convert_cell("z = x.view(2)\n", live={"x": "torch.Tensor"})
    assert [finding.name for finding in known.findings] == ["torch.Tensor.view"]
    other = convert_cell("z = x.view(2)\n", live={"x": "numpy.ndarray"})
    assert other.findings == []


def test_a_write_into_a_part_of_a_tensor_warns_that_gradients_do_not_know_of_it() -> None:
    source = (
        "import torch\nt = torch.ones(3, 2)\nt[len([1])].mul_(2)\nt.mul_(2)\nt.data[0].mul_(2)\n"
        "r = t[0].mul_(2)\nt.t()[0].mul_(2)\n"
    )
    warned = [one.range.start.line for one in check(source) if one.code == "TF102"]
    assert warned == [2, 5, 6]


@pytest.mark.parametrize("line", ["t[0].zero_()", "t[n:2 * n, -1].mul_(2)", "t[..., 0].exp_()"])
def test_a_part_that_is_named_plainly_is_assigned_where_it_is_written_into(line: str) -> None:
    conversion = convert(f"import torch\nn = 1\nt = torch.ones(3, 2)\n{line}\n")
    part = line.partition("]")[0] + "]"
    assert conversion.code.splitlines()[-1].startswith(f"{part} = ")
    assert not [one for one in conversion.findings if one.code == "TF102"]


def test_a_holder_of_a_gradient_keeps_it_when_another_is_assigned() -> None:
    code = convert("import torch\nw = torch.ones(2)\nh = w.grad\nw.grad = None\n").code
    assert "w.grad = torch_new_grad(w, None)\n" in code
    assert "def torch_new_grad(" in code


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("torch.randperm(4, dtype=None)", "paddle.randperm(4)"),
        ("torch.tril_indices(3, 3, dtype=None)", "paddle.tril_indices(3, 3)"),
        ("x.sum(dim=None, keepdim=True)", "paddle.sum(x, keepdim=True)"),
        ("x.sum().backward(retain_graph=None)", "paddle.sum(x).backward()"),
    ],
)
def test_none_that_is_torchs_default_is_not_passed_on(call: str, written: str) -> None:
    code = convert(f"import torch\nx = torch.ones(2)\nr = {call}\n", style="exact").code
    assert code.splitlines()[-1] == f"r = {written}"


@pytest.mark.parametrize(
    "call",
    ["torch.ones(2, device='meta')", "nn.Linear(2, 3, device='mps')", "torch.ones(2).to('mps')"],
)
def test_a_device_that_the_target_lacks_is_refused(call: str) -> None:
    source = f"import torch\nimport torch.nn as nn\nr = {call}\n"
    (finding,) = convert(source).unconverted
    assert "Paddle has no device" in finding.message


@pytest.mark.parametrize(
    "line",
    [
        "net.half()",
        "net.bfloat16()",
        "net.to('cpu', dtype=torch.bfloat16)",
        "nn.Conv2d(2, 3, 1, dtype=torch.half)",
    ],
)
def test_layers_of_half_precision_come_with_a_caveat(line: str) -> None:
    start = "import torch\nimport torch.nn as nn\nnet = nn.Linear(2, 3)\n"
    conversion = workbench.convert(f"{start}{line}\nnet.to(torch.float64)\n")
    (caveat,) = [one for one in conversion.findings if one.code == "TF102"]
    assert "on a CPU" in caveat.message
    assert caveat.range.start.line == 3


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("nn.Linear.forward(self, x)", "TorchLinear.forward(self, x)"),
        ("nn.Linear.train(self, x)", "nn.Layer.train(self, x)"),
        ("nn.Linear.reset_parameters(self)", "TorchLinear.reset_parameters(self)"),
        ("nn.Module.named_parameters(self)", "nn.Layer.named_parameters(self)"),
    ],
)
def test_a_method_called_through_its_class_stays_one_of_the_class(call: str, written: str) -> None:
    head = "import torch.nn as nn\nclass Own(nn.Linear):\n    def own(self, x):\n"
    conversion = workbench.convert(f"{head}        return {call}\n")
    assert not conversion.unconverted
    assert conversion.code.endswith(f"        return {written}\n")


@pytest.mark.parametrize("call", ["nn.Module.parameters(one)", "nn.Module.load_state_dict(one, x)"])
def test_a_method_of_an_unknown_object_is_not_called_through_the_class(call: str) -> None:
    source = f"import torch.nn as nn\nr = {call}\n"
    (finding,) = workbench.convert(source, style="exact").unconverted
    assert "through the class" in finding.message or "signature" in finding.message


def test_a_tensor_is_kept_where_a_constant_of_its_class_does_not_hide_it() -> None:
    head = "import torch\nfrom torch import nn\nclass Head(nn.Module):\n    stride = None\n"
    body = "    def build(self):\n        self.{} = {}\n"
    kept = convert(head + body.format("stride", "torch.ones(2) * 2")).code
    assert kept.endswith('self.__dict__["stride"] = paddle.ones(2) * 2\n')
    for name, value in [("stride", "nn.Parameter(torch.ones(2))"), ("other", "torch.ones(2)")]:
        assert f"self.{name} = " in convert(head + body.format(name, value)).code


def test_an_attribute_of_a_module_may_hold_a_tensor_and_a_number_by_turns() -> None:
    code = convert(
        "import torch\nfrom torch import nn\nclass Mixture(nn.Module):\n"
        "    def forward(self, x):\n        self.loss = 0.0\n        self.last = torch.ones(2)\n"
        "        self.loss = self.loss + x.mean()\n"
    ).code
    assert "        self.loss = 0.0\n        self.last = paddle.ones(2)\n" in code
    assert '        self.__dict__["loss"] = self.loss + ' in code


def test_a_slice_that_is_a_layer_keeps_the_names_that_its_layers_have() -> None:
    call = "nn.Sequential(m.a[1:], *m.b[1:], m.c[0])"
    code = convert(f"import torch.nn as nn\ndef f(m):\n    return {call}\n").code
    assert "Sequential(TorchLayersOf(m.a)[1:], *m.b[1:], m.c[0])" in code
