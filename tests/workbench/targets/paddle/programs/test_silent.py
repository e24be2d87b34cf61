"""Silent differences of plain Paddle: the code that avoids them, and its values."""

from __future__ import annotations

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.convert.checking import check
from workbench.convert.conversion import convert
from workbench.proof.cases import prove_case
from workbench.targets import EXACT, PLAIN, load

TARGET = load("paddle", PLAIN)
LEAVES = "w = torch.ones(3, 4, requires_grad=True)\nv = torch.zeros(3, 4, requires_grad=True)\n"


def _converted(text: str) -> str:
    imports = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
    return convert(imports + text, target=TARGET).code


@pytest.mark.parametrize(
    "change",
    ["w *= 0.5", "w -= 0.1", "w /= w.norm()", "w += x; w -= 1"],
)
def test_a_leaf_that_is_changed_without_gradients_is_trained_on(change: str) -> None:
    case = (
        f"w = torch.ones(3, 4, requires_grad=True)\nwith torch.no_grad():\n    {change}\n"
        "(w * w).sum().backward()\nr = w.grad.detach(), w.requires_grad\n"
    )
    assert prove_case("torch.ones", case, target=TARGET).problem is None


def test_both_sides_of_a_divergence_are_trained() -> None:
    written = "F.kl_div(F.log_softmax(w, 1), F.softmax(v, 1), reduction='sum')"
    case = LEAVES.replace("ones", "rand") + f"loss = {written}"
    assert "torch_kl_div(" in _converted(case)
    case = f"u = x.clone().requires_grad_()\nv = y.clone().requires_grad_()\nloss = {written}\n"
    case = case.replace("(w", "(u") + "loss.backward()\nr = u.grad.detach(), v.grad.detach()\n"
    assert prove_case("torch.nn.functional.kl_div", case, target=TARGET).problem is None


def test_a_layer_of_divergence_is_native_where_targets_are_cut_off() -> None:
    layer = "loss = nn.KLDivLoss(reduction='batchmean')\n"
    assert "TorchKLDivLoss" in _converted(layer)
    assert "nn.KLDivLoss" in _converted(layer + "def f(a, b):\n    return loss(a, b.detach())\n")


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("F.kl_div(x, y.detach(), reduction='sum')", "F.kl_div(x, y.detach(), reduction='sum')"),
        ("torch.max(x, axis=1)", "paddle.compat.max(x, dim=1)"),
        ("torch.min(x, axis=1, keepdims=True)", "paddle.compat.min(x, dim=1, keepdim=True)"),
        ("torch.zeros(n.max(), 3)", "paddle.zeros([n.max(), 3])"),
        ("torch.zeros(n.max())", "paddle.zeros(n.max())"),
    ],
)
def test_the_line_that_is_written(line: str, plain: str) -> None:
    given = "x = torch.randn(3, 4)\ny = torch.randn(3, 4)\nn = torch.tensor([1, 2])\n"
    assert _converted(f"{given}r = {line}\n").splitlines()[-1] == f"r = {plain}"


@pytest.mark.parametrize(
    "case",
    [
        "s = torch.tensor(2., requires_grad=True)\nt = x.clone()\nt.add_(s)\n"
        "t.sum().backward()\nr = t.detach(), s.grad.detach()",
        "s = torch.tensor(2., requires_grad=True)\nt = x.clone()\nt.mul_(s)\n"
        "t.sum().backward()\nr = t.detach(), s.grad.detach()",
        "torch.max(x, axis=1)",
        "torch.min(x, axis=0, keepdims=True)",
        "torch.zeros(n.max(), 3)",
        "torch.ones(n[0], n[0])",
    ],
)
def test_it_computes_the_same(case: str) -> None:
    assert prove_case("torch.max", case, target=TARGET).problem is None


@pytest.mark.parametrize(
    "filling",
    ["layer.weight.data.copy_(sq)", "with torch.no_grad():\n    layer.weight.copy_(sq)"],
)
def test_a_weight_that_is_copied_into_a_layer_keeps_its_layout(filling: str) -> None:
    case = f"layer = nn.Linear(4, 4)\n{filling}\nnn.init.zeros_(layer.bias)\n"
    case += "r = layer(x).detach()\ndel layer\n"
    assert prove_case("torch.nn.Linear", case, target=TARGET).problem is None
    assert "weight_attr" not in _converted(case)


@pytest.mark.parametrize(
    "filling",
    [
        "for one in layer.parameters():\n    nn.init.constant_(one, 0.5)\n",
        "nn.utils.vector_to_parameters(torch.ones(12), layer.parameters())\n",
        "layer.weight = nn.Parameter(torch.ones(4, 3))\n",
    ],
)
def test_a_padding_row_that_is_filled_is_looked_up(filling: str) -> None:
    case = f"layer = nn.Embedding(4, 3, padding_idx=0)\n{filling}r = layer(i).detach()\n"
    assert prove_case("torch.nn.Embedding", case, target=TARGET).outcome == "equal"
    assert "padding_idx=0, weight_attr=" in _converted("e = nn.Embedding(4, 3, padding_idx=0)\n")


@pytest.mark.parametrize(
    ("case", "written"),
    [
        ("r = x[[[0, 1], [1, 2]]]", "x[[0, 1], [1, 2]]"),
        ("r = i * np.float32(2.5), np.float32(2.5) * i", "i * float(np.float32(2.5))"),
        ("r = i / np.float32(2.5)", "i / float(np.float32(2.5))"),
        ("w.sum().backward()\nr = [w.grad, w.grad.clone()]", "[w.grad.detach(), "),
        (
            "net = nn.Linear(2, 2)\nr = [v * 2 for k, v in net.state_dict().items()][1:]\n"
            "r = [one.requires_grad for one in r]\ndel net",
            ".state_dict(keep_vars=False).items()",
        ),
    ],
)
def test_written_code_computes_the_same(case: str, written: str) -> None:
    given = "import numpy as np\nx = torch.ones(3, 4)\ni = torch.tensor([1, 2])\nw = x.clone()\n"
    assert written in _converted(given + "w.requires_grad_()\n" + case)
    assert prove_case("torch.Tensor.grad", case, target=TARGET).problem is None


@pytest.mark.parametrize(
    "filling",
    [
        "for p, w in zip(net.parameters(), weights):\n    p.data.copy_(w)",
        "for p in net.parameters():\n    p.data = weights[p.dim() - 1].view_as(p)",
        "nn.utils.vector_to_parameters(torch.arange(20.0), net.parameters())",
    ],
)
def test_a_loop_fills_a_square_weight_as_torch_holds_it(filling: str) -> None:
    case = (
        "net = nn.Linear(4, 4)\nweights = [torch.arange(16.0).view(4, 4), torch.arange(4.0)]\n"
        f"{filling.replace('p.dim() - 1', '2 - p.dim()')}\nr = net(x).detach()\n"
        "del net, weights\np = w = None"
    )
    assert prove_case("torch.nn.Linear", case, target=TARGET).problem is None


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        ("F.relu(x)", True),
        ("x.clamp(min=0)", True),
        ("torch.clamp(x, max=1)", True),
        ("x.clamp(0, 1)", False),
        ("i.clamp(min=0)", False),
        ("F.max_pool2d(x, 2)", True),
        ("F.softmax(x, 1)", True),
        ("torch.rand(3).softmax(-1)", True),
        ("nn.Softmax(dim=1)", True),
        ("torch.std(x, dim=0)", True),
        ("torch.var(x, dim=0)", False),
    ],
)
def test_differences_of_nan_and_infinities_are_reported(line: str, reported: bool) -> None:
    imports = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
    text = f"{imports}i = torch.arange(3)\nr = {line}\n"
    findings = convert(text, target=TARGET).findings
    assert any(one.code == "TF114" or "NaN" in one.message for one in findings) is reported


@pytest.mark.parametrize("style", [PLAIN, EXACT])
@pytest.mark.parametrize(("after", "reported"), [("t += 1", True), ("u = t + 1", False)])
def test_a_gradient_set_to_a_tensor_that_changes_later_is_reported(
    style: str, after: str, reported: bool
) -> None:
    text = f"import torch\nw = torch.ones(3)\nt = torch.ones(3)\nw.grad = t\n{after}\n"
    found = convert(text, target=load("paddle", style)).findings
    assert any("Paddle copies the assigned gradient" in one.message for one in found) is reported


@pytest.mark.parametrize(
    ("zeros", "written"),
    [
        ("v = torch.zeros(3, 4, requires_grad=True)\n", "torch_binary_cross_entropy_with_logits("),
        ("v = x.clone().requires_grad_()\nnn.init.zeros_(v)\n", "torch_binary_cross_entropy_"),
        ("v = x.clone().requires_grad_()\n", "F.binary_cross_entropy_with_logits(v"),
    ],
)
def test_the_slope_at_logits_of_zero_is_torchs(zeros: str, written: str) -> None:
    case = f"{zeros}F.binary_cross_entropy_with_logits(v, (y > 0).float()).backward()\nr = [v.grad]"
    assert written in _converted("x = torch.randn(3, 4)\ny = torch.randn(3, 4)\n" + case)
    case += "\ndel v"
    name = "torch.nn.functional.binary_cross_entropy_with_logits"
    assert prove_case(name, case, target=TARGET).problem is None


@pytest.mark.parametrize(
    ("layer", "base"),
    [
        ("nn.InstanceNorm2d(3)", "instancenorm._InstanceNorm"),
        ("nn.AvgPool2d(2)", "pooling._AvgPoolNd"),
        ("nn.AdaptiveAvgPool2d(1)", "pooling._AdaptiveAvgPoolNd"),
    ],
)
def test_a_layer_that_is_tested_for_its_private_base_has_it(layer: str, base: str) -> None:
    module, _, name = base.rpartition(".")
    case = f"from torch.nn.modules.{module} import {name} as _b\nr = isinstance({layer}, _b)\n"
    assert prove_case("torch.ones", case, target=TARGET).problem is None
    native = layer.replace("2d", "2D").rstrip(")")
    assert f"r = {native}" in _converted(f"r = {layer}\n")


def test_a_loader_whose_defaults_are_read_has_torchs() -> None:
    case = (
        "d = torch.utils.data.TensorDataset(torch.arange(4))\n"
        "l = torch.utils.data.DataLoader(d, batch_size=2)\nr = l.pin_memory, l.prefetch_factor\n"
    )
    assert prove_case("torch.ones", case, target=TARGET).problem is None


def test_slopes_that_are_drawn_are_reported() -> None:
    [finding] = [one for one in check("import torch\nl = torch.nn.RReLU()\n") if one.converts]
    assert finding.code == "TF112" and "printed text" in finding.message


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("print(y.grad_fn is None, x.grad_fn is None)", True),
        ("assert y.grad_fn", True),
        ("print('made' if y.grad_fn is not None and not x.grad_fn else 'leaf')", True),
        ("print(type(y.grad_fn).__name__)", False),
        ("print(f'{y.grad_fn}')", False),
        ("node = y.grad_fn", False),
        ("print(y.grad_fn.name())", False),
        ("print(y.grad_fn.next_functions)", False),
    ],
)
def test_the_operations_of_the_graph_are_reported(line: str, same: bool) -> None:
    text = f"import torch\n\nx = torch.ones(2, requires_grad=True)\ny = x * 2\n{line}\n"
    found = [one for one in check(text, target=TARGET) if one.range.start.line == 4]
    assert any("names of operations" in one.message for one in found) != same


CLASSES = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize(
    "lines",
    [
        "print({c.__name__: c for c in (nn.ReLU, nn.Conv2d)})",
        "for c in [nn.Tanh, nn.BatchNorm2d]:\n    print(c.__qualname__)",
        "print(sorted(c.__name__.lower() + 'x' for c in {nn.MaxPool2d, nn.ReLU}))",
        "def key(cls):\n    return cls.__name__\nprint(key(nn.Conv2d))",
        "def key(cls, name=None):\n    return name or cls.__name__.lower()\nprint(key(nn.Conv2d))",
    ],
)
def test_the_names_of_listed_classes_are_reported(lines: str) -> None:
    found = check(f"{CLASSES}{lines}\n", target=TARGET)
    assert any("name of a class is not changed" in one.message for one in found)
    assert not any("not a public torch name" in one.message for one in found)


@pytest.mark.parametrize(
    "line",
    [
        "print(nn.Conv2d.__name__.lower(), nn.Conv2d.__qualname__, F.relu.__name__.upper())",
        "print(torch.add.__name__, nn.ReLU.__doc__ is None, torch.relu.__module__ == 1)",
        "print({f.__name__ for f in (len, max)}, (lambda f: f.__name__)(print))",
    ],
)
def test_attributes_of_definitions_are_no_names_of_torch(line: str) -> None:
    assert not any(one.code.startswith("TF2") for one in check(CLASSES + line, target=TARGET))
    assert_prints_the_same(f"{CLASSES}{line}\n")


def test_a_retained_gradient_is_that_of_one_backward_pass() -> None:
    text = (
        "import torch\n\na = torch.ones(2, requires_grad=True)\nb = a * 2\nb.retain_grad()\n"
        "(b * b).sum().backward()\nprint(b.grad.tolist(), a.grad.tolist())\n"
    )
    assert_prints_the_same(text)
    found = check(text, target=TARGET)
    assert [one.range.start.line for one in found if "second backward" in one.message] == [4]
    assert not any("hooks" in one.message for one in found)


@pytest.mark.parametrize("first", ["b.retain_grad()", "h = b.register_hook(lambda g: g * 10)"])
def test_hooks_after_a_retained_gradient_are_reported(first: str) -> None:
    lines = ["b.retain_grad()", "h = b.register_hook(lambda g: g * 10)"]
    both = "\n".join(lines if first == lines[0] else reversed(lines))
    text = (
        f"import torch\n\na = torch.ones(2, requires_grad=True)\nb = a * 2\n{both}\n"
        "(b * b).sum().backward()\nprint(b.grad.tolist(), a.grad.tolist())\n"
    )
    found = check(text, target=TARGET)
    where = [one.range.start.line for one in found if "register them first" in one.message]
    assert where == [4 + (first != lines[0])]
    if first != lines[0]:
        assert_prints_the_same(text)


@pytest.mark.parametrize(
    ("padding", "plain"),
    [
        ("1, padding_mode='reflect'", True),
        ("k // 2, padding_mode='circular'", True),
        ("(1, 0), padding_mode='zeros'", True),
        ("(1, 0), padding_mode='circular'", False),
        ("[2, 1], padding_mode='replicate'", False),
        ("'same', padding_mode='reflect'", False),
        ("sides, padding_mode='reflect'", False),
    ],
)
def test_a_convolution_pads_each_dimension_by_its_own_size(padding: str, plain: bool) -> None:
    text = (
        "import torch\nimport torch.nn as nn\n\nk, sides = 3, (1, 2)\n"
        f"layers = nn.Sequential(nn.Conv2d(1, 1, k, padding={padding}), nn.Conv2d(1, 1, k))\n"
        "for layer in layers:\n    if isinstance(layer, nn.Conv2d):\n"
        "        nn.init.constant_(layer.weight, 0.1)\n        nn.init.zeros_(layer.bias)\n"
        "print(layers(torch.arange(36.0).view(1, 1, 6, 6)).tolist())\n"
    )
    assert ("TorchConv2d" not in assert_prints_the_same(text)) == plain


def test_an_unknown_padding_is_reported() -> None:
    text = (
        "import torch.nn as nn\n\n\ndef block(pad):\n"
        "    return nn.Conv2d(1, 1, 3, padding=pad, padding_mode='reflect')\n"
    )
    found = [one for one in check(text, target=TARGET) if "padding is a tuple" in one.message]
    assert [one.range.start.line for one in found] == [4]


@pytest.mark.parametrize("cast", ["double()", "type(torch.float64)", "to(x.double())"])
def test_a_layer_and_its_gradients_are_cast_together(cast: str) -> None:
    assert_prints_the_same(
        "import torch\nimport torch.nn as nn\n\nnet = nn.Sequential(nn.Linear(2, 1), nn.Tanh())\n"
        "nn.init.ones_(net[0].weight)\nnn.init.zeros_(net[0].bias)\nx = torch.ones(3, 2)\n"
        f"net(x).sum().backward()\nnet.{cast}\nnet(x.double()).sum().backward()\n"
        "print(net[0].weight.grad.dtype == torch.float64, net[0].weight.grad.tolist())\n"
        "print(net is net.float(), net[0].bias.grad.tolist(), net[0].weight.tolist())\n"
    )
