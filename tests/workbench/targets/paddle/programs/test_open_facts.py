"""Facts that data, a checkpoint or a caller decides: right either way, or reported at the line."""

from __future__ import annotations

import pytest

import workbench
from workbench.codes import EXACT, OPEN
from workbench.convert.fixing import exact_fix
from workbench.findings import Finding, apply_edits
from workbench.proof.cases import PRELUDE, prove_case
from workbench.targets import PLAIN, load

TARGET = load("paddle", PLAIN)
HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
SCORES = "s = sq.reshape(2, 4, 2)\nt = torch.tensor([[1, 3], [0, 2]])\n"


def _open(text: str) -> list[Finding]:
    return [one for one in workbench.convert(HEAD + text).findings if one.code == OPEN]


@pytest.mark.parametrize(
    "case",
    [
        SCORES + "r = F.cross_entropy(s, t), F.cross_entropy(s, t, reduction='none')",
        SCORES + "loss = nn.CrossEntropyLoss()\nr = loss(s, t), loss(x, n)",
        SCORES + "r = F.cross_entropy(s, t, weight=p[0], reduction='sum')",
        "t = i[:, :3]\nr = F.cross_entropy(sq.reshape(1, 4, 2, 2), t[:1, :2].reshape(1, 2, 1)"
        ".expand(1, 2, 2))",
        "t = torch.ones(3, 4).softmax(1)\nr = F.cross_entropy(x, t), F.cross_entropy(w, t)",
        "r = torch.std(x, False), x.var(True), torch.var(x, False), x.std(0, False)",
        "r = torch.tensor(2.5).view(1), x.sum().view(1, 1), x[0, 1].view(1)",
        "r = x.mean().view_as(torch.ones(1)), torch.ones(1, 1).view(())",
        "r = torch.cat([v.mean().view(1) for v in x])",
        "k = n.numpy()[0]\nr = x.reshape(3, 4 // k, k), x.view(3, k, -1)",
        "for k in n.numpy()[::2]:\n    r = a.reshape(2, k, -1), a.view(-1, 4 // k)",
        "def f(v: torch.Tensor, k):\n    return v.reshape(k, -1, 2)\nr = f(x, n.numpy()[0])",
        "r = F.silu(x), nn.SiLU()(w)",
        "def mean(values: torch.Tensor, count: int):\n    values /= count\n    values -= 2\n"
        "v = x.clone()\nmean(v, 3)\nr = v",
        "j = torch.tensor([[0, 1], [1, 2]])\n"
        "u = torch.sparse_coo_tensor(j, torch.tensor([3.0, 4.0]), (3, 3))\n"
        "r = torch.matmul(u, x), torch.mm(u, y), u.matmul(x)\ndel u",
    ],
)
def test_code_that_is_right_either_way_needs_no_helper(case: str) -> None:
    result = prove_case("torch.ones", case, target=TARGET)
    assert result.outcome == "equal", result.detail


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("torch.topk(v.abs().mean(0).mean(-1), 2)", "v.reshape([v.shape[0], 4 // k, k])"),
        ("torch.relu(v.mean(0))", "v.reshape([v.shape[0], 4 // k, k])"),
        ("torch.add(v.mean(0), 1)", "v.reshape(v.shape[0], 4 // k, k)"),  # of NumPy's, too
    ],
)
def test_a_tensor_is_known_by_what_torch_is_given_of_it(given: str, written: str) -> None:
    text = f"def f(v, k):\n    print({given})\n    return v.reshape(v.shape[0], 4 // k, k)\n"
    assert workbench.convert(HEAD + text).code.rstrip().endswith(f"return {written}")


@pytest.mark.parametrize(
    "change",
    [
        "y.data.masked_fill_(x > 0, 0.0)",
        "y.data.clamp_(min=0.2)",
        "y.data.mul_(2)",
        "y.data.neg_()",
        "y.data.add_(x)",
        "y.data.sub_(0.5)",
        "y.data.div_(2)",
    ],
)
def test_the_data_of_a_computed_tensor_changes_outside_the_graph(change: str) -> None:
    case = f"v = x.clone().requires_grad_()\ny = torch.sigmoid(v)\n{change}\n"
    case += "y.sum().backward()\nr = v.grad.detach(), y.detach()"
    assert prove_case("torch.sigmoid", case, target=TARGET).outcome == "equal"


@pytest.mark.parametrize(
    "change",
    [
        "net[0].weight += sq[:2, :4]",
        "net[0].bias *= 0",
        "net[0].weight[1] -= 1",
        "net[0].bias -= n",
    ],
)
def test_a_weight_of_a_layer_in_a_sequence_changes_in_place(change: str) -> None:
    case = "net = nn.Sequential(nn.Linear(4, 2))\nnn.init.constant_(net[0].weight, 0.5)\n"
    case += f"nn.init.zeros_(net[0].bias)\nn = 2\nwith torch.no_grad():\n    {change}\n"
    result = prove_case("torch.ones", case + "r = net(x).detach()", target=TARGET)
    assert result.outcome == "equal", result.detail


@pytest.mark.parametrize("count", ["2", "torch.tensor(2.0)"])
def test_a_parameter_takes_new_values_of_a_number_or_a_tensor(count: str) -> None:
    case = f"""
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))

    def grow(self, count):
        with torch.no_grad():
            self.scale *= count
            self.scale += 1

    def forward(self, v):
        return v * self.scale

net = Scale()
net.grow({count})
r = net(x).detach()
del net, Scale
"""
    result = prove_case("torch.ones", case, target=TARGET)
    assert result.outcome == "equal", result.detail


@pytest.mark.parametrize(
    ("line", "condition"),
    [
        (
            "F.cross_entropy(s, y)",
            "labels of -100, which torch ignores, count in the mean in Paddle",
        ),
        ("F.cross_entropy(s, y)", "targets of class probabilities raise an error in Paddle"),
        (
            "nn.CrossEntropyLoss()",
            "labels of -100, which torch ignores, count in the mean in Paddle",
        ),
        ("nn.CrossEntropyLoss(label_smoothing=0.1)", "scores of more than two dimensions"),
        ("F.nll_loss(s, y)", "may crash the process in Paddle"),
        ("nn.NLLLoss()", "may crash the process in Paddle"),
        ("F.smooth_l1_loss(s, y)", "different shapes or dtypes raise an error in Paddle"),
        ("nn.HuberLoss()", "different shapes or dtypes raise an error in Paddle"),
        ("F.mse_loss(s, y)", "integer targets raise an error in Paddle"),
        ("F.binary_cross_entropy(s, y)", "targets that require gradients get none in Paddle"),
        ("nn.BCEWithLogitsLoss()", "targets that require gradients get none in Paddle"),
        ("nn.Embedding(9, 4, padding_idx=0)", "the row of padding_idx gives zeros in Paddle"),
        ("nn.LayerNorm(4)", "if the weight is frozen (it requires no gradient)"),
        ("nn.KLDivLoss(), s.detach()", "targets that require gradients get none in Paddle"),
        (
            "F.conv2d(s, y, padding=how, dilation=2)",
            "padding='same' ignores a dilation above 1 in Paddle",
        ),
        (
            "nn.Conv2d(3, 4, 3, padding=how, dilation=2)",
            "padding='same' ignores a dilation above 1 in Paddle",
        ),
        (
            "[nn.CrossEntropyLoss, 1][0]",
            "the last dimension of the scores holds the classes in Paddle",
        ),
    ],
)
def test_the_condition_is_reported_at_the_line(line: str, condition: str) -> None:
    found = _open(f"def f(s, y, how):\n    return {line}\n")
    assert [one.range.start.line for one in found] == [4]
    assert condition in found[0].message


def test_a_condition_is_reported_at_each_line() -> None:
    found = _open("def f(s, y):\n    a = F.nll_loss(s, y)\n    return a + F.nll_loss(s, y + 1)\n")
    assert [one.range.start.line for one in found] == [4, 5]
    assert all("-100" in one.message for one in found)


@pytest.mark.parametrize(
    "line",
    [
        "F.cross_entropy(s, s.argmax(1))",
        "F.cross_entropy(s, torch.randint(0, 9, (4,)))",
        "F.nll_loss(s, torch.arange(4).view(-1))",
        "F.nll_loss(s, y, reduction='none')",
        "F.conv2d(s, y, padding=2, dilation=2)",
        "F.mse_loss(s, torch.zeros(4))",
        "F.binary_cross_entropy(s, torch.zeros_like(s))",
        "F.binary_cross_entropy_with_logits(s, y.detach())",
        "nn.Embedding(9, 4)",
    ],
)
def test_differences_that_the_text_excludes_are_not_reported(line: str) -> None:
    assert not _open(f"def f(s, y):\n    return {line}\n")


def test_no_use_that_data_can_make_wrong_converts_exactly() -> None:
    text = "def f(s, y):\n    return F.cross_entropy(s, y), nn.Embedding(9, 4, padding_idx=1)\n"
    found = workbench.convert(HEAD + text).findings
    named = [one for one in found if one.name and one.name.startswith("torch.nn.")]
    assert len(named) == 2 and all(one.code != EXACT for one in named)


@pytest.mark.parametrize(
    ("before", "line", "exact"),
    [
        ("", "F.cross_entropy(s, y)", "torch_cross_entropy(s, y)"),
        ("", "nn.Embedding(9, 4, padding_idx=0)", "TorchEmbedding(9, 4, padding_idx=0)"),
        ("    nn.NLLLoss()\n", "nn.NLLLoss()", "TorchNLLLoss()"),
    ],
)
def test_a_quick_fix_makes_the_use_exact(before: str, line: str, exact: str) -> None:
    text = f"{HEAD}def f(s, y):\n{before}    return {line}\n"
    found = [one for one in workbench.check(text) if one.code == OPEN][-1]
    fix = exact_fix(found)
    assert fix is not None and "which is exact" in fix.title
    fixed = apply_edits(text, fix.edits)
    assert fixed.rstrip().endswith(f"return {exact}")
    written = [one for one in fixed.splitlines() if exact in one]
    assert len(written) == 1 + bool(before)  # all uses of a class together


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("torch.relu(x)", "relu(NaN) is 0 in Paddle, NaN in torch"),
        ("nn.Softshrink()", "softshrink of an infinite value is NaN"),
        ("F.silu(x)", "the gradient of silu for values below -88 is NaN in Paddle, 0 in torch"),
        ("torch.max(x, 0)", "ignores NaN in Paddle"),
        ("x.clamp(min=0)", "at infinity is 0 in Paddle, 1 in torch"),
        ("F.log_softmax(x, -1)", "log_softmax is at least -64 in Paddle"),
        ("torch.std(x)", "the gradient of std of equal values is NaN"),
        ("torch.sqrt(x)", "sqrt(inf) is NaN in Paddle"),
        ("[nn.ReLU][0]", "relu(NaN) is 0 in Paddle, NaN in torch"),
        ("nn.AvgPool2d(2)", "an input without a batch dimension"),
        ("nn.Dropout2d()", "an input without a batch dimension"),
        ("x.chunk(2)", "is not divisible by the number of chunks"),
    ],
)
def test_a_difference_says_which_value_it_is_about(line: str, value: str) -> None:
    found = workbench.convert(f"{HEAD}x = torch.randn(3)\nr = {line}\n").findings
    assert any(value in one.message for one in found)
    assert not any("and the like" in one.message for one in found)


def test_writes_to_an_expanded_tensor_are_reported() -> None:
    text = f"{HEAD}x = torch.zeros(3, 4)\nx.expand(3, 4)[1, 2] = 55\n"
    found = [one for one in workbench.convert(text).findings if one.range.start.line == 4]
    assert any("is a copy in Paddle" in one.message for one in found)


@pytest.mark.parametrize(
    "case",
    [
        "r = torch.bitwise_and(input=n, other=n + 1), torch.bitwise_xor(n, other=n + 1)",
        "r = n.bitwise_and(other=n + 1), torch.logical_or(input=m, other=~m)",
        "r = torch.lerp(input=x, end=y, weight=0.5), x.lerp(end=y, weight=0.25)",
        "r = x.abs().pow_(exponent=2), torch.pow(input=x, exponent=2)",
        "r = torch.inverse(input=sq), torch.nan_to_num(input=x / 0, nan=1.0, posinf=2.0)",
        "r = torch.cummax(x, 1).values, x.cummin(dim=1).indices, x.mH, sq.mT",
        "r = nn.Unfold((2, 3), stride=(1, 2), padding=(1, 0))(img), F.pad(x, (1, 2))",
        "r = F.pad(x, (1, 2, 0, 1)), F.pad(a, (1, 1), mode='replicate')",
        "r = F.instance_norm(a, eps=0.1), F.lp_pool2d(img, 3.0, 2), nn.LPPool2d(2, 2)(img)",
        "r = torch.cdist(x, y), torch.cdist(a, x, p=1), torch.Tensor([1, 2])",
    ],
)
def test_arguments_by_name_and_in_other_shapes(case: str) -> None:
    result = prove_case("torch.ones", case, target=TARGET)
    assert result.outcome == "equal", result.detail


@pytest.mark.parametrize(
    "line",
    [
        *("nn.MaxPool2d(2)", "nn.AdaptiveAvgPool2d(1)", "nn.ReflectionPad2d(1)", "nn.Unfold(2)"),
        *("nn.PixelShuffle(2)", "nn.Dropout2d()", "nn.InstanceNorm2d(3)", "nn.Fold((4, 4), 2)"),
        *("F.max_pool1d(x, 2)", "F.conv2d(x, x)", "F.unfold(x, 2)", "F.avg_pool3d(x, 2)"),
    ],
)
def test_an_input_without_a_batch_has_a_finding_of_its_own(line: str) -> None:
    found = workbench.convert(f"{HEAD}def f(x):\n    return {line}\n").findings
    assert "TF121" in {one.code for one in found}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "F.pad(x, (1, 2), mode='reflect')",
            "a tensor without a batch dimension raises an error in Paddle",
        ),
        (
            "F.interpolate(x, scale_factor=2)",
            "for a tensor of three dimensions raises an error in Paddle",
        ),
        ("torch.logsumexp(x, 1)", "of more than four dimensions raises an error in Paddle"),
    ],
)
def test_a_shape_that_raises_is_reported(line: str, words: str) -> None:
    found = workbench.convert(f"{HEAD}def f(x):\n    return {line}\n").findings
    assert any(words in one.message for one in found if one.code != EXACT)


LOADED = "t = torch.tensor([1, 2, 0]) - torch.tensor([0, 102, 0])\n"  # -100, as data may have it


@pytest.mark.parametrize(
    "case",
    [
        LOADED + "r = F.cross_entropy(x, t)",
        LOADED + "loss = nn.CrossEntropyLoss()\nr = loss(x, t)",
        LOADED
        + "v = x.clone().requires_grad_()\nF.cross_entropy(v.view(-1, 4), t.view(-1)).backward()"
        "\nr = v.grad.detach()",
        "e = nn.Embedding(4, 2, padding_idx=0)\n"
        "e.load_state_dict({name: sq[:, :2] for name in e.state_dict()})\n"
        "r = e(torch.tensor([0, 1])).detach()\ndel e",
        "e = nn.ModuleDict({'words': nn.Embedding(4, 2, padding_idx=2)})\n"
        "e.load_state_dict({name: sq[:, :2] for name in e.state_dict()})\n"
        "r = e['words'](torch.tensor([2, 1])).detach()\ndel e",
        "e = nn.Sequential(nn.Embedding(4, 3, padding_idx=1))\n"
        "e.load_state_dict({'0.weight': sq[:, :3]})\nr = e(torch.tensor([[0, 1]])).detach()\ndel e",
        "v = p.clone().requires_grad_()\nF.binary_cross_entropy(p, v).backward()\n"
        "r = v.grad is None\ndel v",
        "r = F.hinge_embedding_loss(x, p)",
        "r = F.cosine_similarity(x[:2] / 1e6, y[:2] / 1e6)",
        "how, v = 'same', img[:, :2].clone()\n"
        "r = F.conv2d(v, a.unsqueeze(0)[:, :, :3, :3], padding=how, dilation=2)",
    ],
)
def test_different_results_are_reported(case: str) -> None:
    result = prove_case("torch.ones", case, target=TARGET)
    assert result.outcome == "reported", (result.outcome, result.detail)


@pytest.mark.parametrize(
    "case",
    [
        "t = p / p.sum(1, keepdim=True)\nr = F.cross_entropy(x, t)",
        "loss = nn.CrossEntropyLoss()\nr = loss(x, p)",
        "r = F.smooth_l1_loss(x[:, :1], y[:, 0])",
        "loss = nn.SmoothL1Loss()\nr = loss(x, y[0])",
        "r = F.huber_loss(x, torch.tensor(1.0))",
        "r = F.mse_loss(x, i.abs())",
        "r = torch.allclose(x, x[0])",
        "r = x.chunk(2, dim=0)",
        "bound = x[0]\nr = torch.clamp(x, bound)",
        "r = F.conv2d(img[0], a[:, :, :3].unsqueeze(1).expand(2, 3, 3, 3))",
    ],
)
def test_an_error_here_is_reported(case: str) -> None:
    result = prove_case("torch.ones", case, target=TARGET)
    assert result.outcome in {"raises", "equal"}, (result.outcome, result.detail)
    codes = {one.code for one in workbench.convert(PRELUDE + case + "\n").findings}
    assert result.outcome == "equal" or codes & {OPEN, "TF114", "TF121"}


@pytest.mark.parametrize(
    "call", ["list(m.buffers())", "dict(m.named_buffers())", "next(m.buffers())"]
)
def test_buffers_that_nothing_registers_are_reported(call: str) -> None:
    (found,) = _open(f"m = nn.Linear(2, 1)\nr = {call}")
    assert "not registered" in found.message


@pytest.mark.parametrize(
    ("handler", "reported"),
    [
        ("except RuntimeError:", True),
        ("except (IndexError, KeyError) as error:", True),
        ("except (ValueError, KeyError):", True),
        ("except TypeError:", True),
        ("except Exception:", False),
        ("except (RuntimeError, Exception):", False),
        ("except KeyError:", False),
        ("except:", False),
    ],
)
def test_a_handler_of_errors_of_torch_is_reported(handler: str, reported: bool) -> None:
    text = f"def f(x):\n    try:\n        return torch.relu(x)[9]\n    {handler}\n        pass\n"
    assert [one.range.start.line for one in _open(text)] == [6] * reported


@pytest.mark.parametrize("error", ["FileNotFoundError", "OSError", "(IOError, EOFError)"])
def test_a_handler_of_errors_of_a_file_is_reported_where_torch_loads(error: str) -> None:
    text = "def f(path):\n    try:\n        {}\n    except " + error + ":\n        return None\n"
    assert [one.range.start.line for one in _open(text.format("return torch.load(path)"))] == [6]
    assert not _open(text.format("text = open(path).read()") + "    return torch.ones(1)\n")


def test_a_handler_of_errors_of_other_code_is_not_reported() -> None:
    text = "def f(text):\n    try:\n        n = int(text)\n    except ValueError:\n        n = 0\n"
    assert not _open(text + "    return torch.ones(n)\n")


@pytest.mark.parametrize(
    ("expression", "reported"),
    [
        ("t.stride()", True),
        ("t.stride(0)", True),
        ("t.is_contiguous()", True),
        ("t.grad_fn.name()", True),
        ("t.grad_fn.next_functions", True),
        ("t.grad_fn is None", False),
        ("torch.broadcast_shapes(t.shape, (1, 3))", True),
    ],
)
def test_what_only_torchs_tensors_show_is_reported(expression: str, reported: bool) -> None:
    assert bool(_open(f"def f(t: torch.Tensor):\n    return {expression}\n")) == reported


def test_strides_are_a_tuple() -> None:
    case = "r = x.stride() == (4, 1), x.T.stride() == (1, 4), x.stride(0) == 4"
    assert prove_case("torch.Tensor.stride", case, target=TARGET).outcome in {"equal", "reported"}


def test_a_model_on_no_device_stays_where_it_is() -> None:
    text = "m = nn.Linear(2, 1).to('meta')\n"
    converted = workbench.convert(HEAD + text)
    assert ".to(" not in converted.code
    assert any("memory" in one.message for one in converted.findings if one.range.start.line == 3)
