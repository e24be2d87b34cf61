"""Small programs as people write them, whose two sides print the same."""

from __future__ import annotations

from pathlib import Path

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import (
    TARGET,
    assert_prints_the_same,
    converted,
)
from workbench.targets import STYLES

IMPORTS = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def reported(text: str) -> list[tuple[int, str]]:
    """Return the line and the words of each difference that depends on an open fact."""
    found = workbench.convert(text, target=TARGET).findings
    return [(one.range.start.line + 1, one.message) for one in found if one.code == "TF119"]


@pytest.mark.parametrize(
    "sampler",
    [
        "BatchSampler(SequentialSampler(range(6)), 2, drop_last=False)",
        "BatchSampler(sampler=SequentialSampler(x), batch_size=4, drop_last=True)",
        "SequentialSampler(x)",
    ],
)
def test_rows_are_picked_by_the_places_that_a_sampler_gives(sampler: str) -> None:
    assert_prints_the_same(
        "import torch\nfrom torch.utils.data import BatchSampler, SequentialSampler\n"
        f"x = torch.arange(12).view(6, 2)\nfor places in {sampler}:\n"
        "    print(x[places].tolist(), x[:, 1][places].tolist())\n"
    )


@pytest.mark.parametrize(
    "line",
    ["a[:, 0] * 2 + k[:, 0]", "k[1:].t() - a[1:].t()", "p(k) == a", "p(k[0]) < a[0]", "p(a) >= k"],
)
def test_an_array_of_whole_numbers_meets_floating_point(line: str) -> None:
    assert_prints_the_same(
        "import numpy as np\nimport torch\n\ndef p(x):\n    return x\n\n"
        "arrays = {'k': np.arange(6).reshape(2, 3), 'a': np.ones((2, 3))}\n"
        "k, a = torch.from_numpy(arrays['k']), torch.from_numpy(arrays['a']).float()\n"
        f"print(({line}).tolist())\n"
    )


def test_an_array_meets_what_is_computed_from_it_as_it_is() -> None:
    code = assert_prints_the_same(
        "import numpy as np\nimport torch\n\ndef scaled(array):\n    x = torch.from_numpy(array)\n"
        "    y = (x - x.mean(0)) / x.std(0)\n    return (y[1:] - y[:-1]).tolist()\n"
        "\nprint(scaled(np.arange(6.0).reshape(3, 2) ** 2))\n"
    )
    assert "torch_" not in code


@pytest.mark.parametrize(
    "context",
    [
        "torch.autocast('cpu', enabled=False)",
        "torch.amp.autocast(device_type='cuda', dtype=torch.float16) if on else nullcontext()",
        "torch.cuda.amp.autocast(enabled=on)",
        "torch.cpu.amp.autocast(enabled=on)",
    ],
)
def test_a_context_of_mixed_precision_is_entered_more_than_once(context: str) -> None:
    assert_prints_the_same(
        "from contextlib import nullcontext\nimport torch\nx = torch.ones(2, 2)\non = False\n"
        f"context = {context}\n"
        "for step in range(2):\n    with context:\n        y = x @ x\n"
        "with context:\n    with context:\n        y = y @ x\n"
        "print(y.tolist())\n"
    )


SAVED = (
    "import torch\nfrom torch import nn\nnet = nn.Sequential(nn.Linear(2, 2), nn.ReLU())\n"
    "for p in net.parameters():\n    nn.init.constant_(p, 0.5)\n"
    "torch.save({what}, 'saved.pt')\n"
)


@pytest.mark.parametrize(
    "line",
    [
        "torch.load('saved.pt', weights_only=False).eval()(torch.ones(1, 2)).tolist()",
        "torch.load('saved.pt', map_location='cpu', weights_only=False).state_dict()['0.bias']",
        "[p.sum().item() for p in torch.load('saved.pt', weights_only=False).parameters()]",
    ],
)
def test_a_layer_is_used_where_it_is_loaded(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bias = ".tolist()" if line.endswith("]") and "bias" in line else ""
    assert_prints_the_same(SAVED.format(what="net") + f"print({line}{bias})\n")


def test_a_file_of_more_than_states_may_hold_a_layer() -> None:
    text = "import torch\n{0} = torch.load(path, weights_only=False)\nprint({0}['epoch'])\n"
    rows = reported(text.format("state"))
    assert [line for line, words in rows if "whole model" in words] == [2]
    assert not any(
        "whole model" in words for _, words in reported("import torch\ntorch.load(path)\n")
    )


def test_the_state_of_a_schedule_has_no_initial_rate() -> None:
    text = (
        "import torch\ndef resume(optimizer, state):\n"
        "    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)\n"
        "    schedule.load_state_dict(state)\n    return schedule\n"
    )
    assert [line for line, words in reported(text) if "initial learning rate" in words] == [4]


LAYERS = (
    "from collections import Counter, defaultdict\nimport torch\nfrom torch import nn\n"
    "net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Conv2d(2, 2, 3), nn.BatchNorm2d(2))\n"
)


@pytest.mark.parametrize(
    "lines",
    [
        "counts = {}\nfor m in net.modules():\n    k = counts.get(type(m).__name__, 0)\n"
        "    counts[type(m).__name__] = k + 1\nprint(counts['Conv2d'], counts.get('BatchNorm2d'))",
        "counts = defaultdict(int)\nfor m in net:\n    counts[m.__class__.__name__] += 1\n"
        "print(counts['Conv2d'], 'BatchNorm2d' in counts)",
        "counts = Counter(type(m).__name__ for m in net)\nprint(counts['Conv2d'], counts['ReLU'])",
        "names = [type(m).__name__ for m in net]\nprint(names.count('Conv2d'), 'Conv1d' in names, "
        "names == ['Conv2d', 'ReLU', 'Conv2d', 'BatchNorm2d'])",
        "cost = {'Conv2d': 3, 'ReLU': 1}\nprint([cost.get(type(m).__name__, 0) for m in net])",
    ],
)
def test_names_of_classes_are_looked_up(lines: str) -> None:
    assert_prints_the_same(f"{LAYERS}{lines}\n")


def test_keys_that_other_texts_look_up_stay() -> None:
    code = converted(
        f"{LAYERS}cost = {{'Conv2d': 3}}\ndef f(kind):\n    return cost[kind]\n"
        "print(cost.get(type(net[0]).__name__))\n"
    )
    assert "{'Conv2d': 3}" in code


@pytest.mark.parametrize(
    "lines",
    [
        "f = F.hardswish\nf(v, inplace=True)",
        "acts = {'relu': F.relu, 'silu': F.silu}\nfor k in acts:\n    v = acts[k](v, inplace=True)",
        "def g(act, x):\n    act(x, inplace=True)\n    return act(x - 1)\n"
        "print(g(F.leaky_relu, v).tolist(), g(F.elu, v).tolist())",
        "class Net(nn.Module):\n    def __init__(self, act=F.relu6):\n        super().__init__()\n"
        "        self.act = act\n    def forward(self, x):\n"
        "        return self.act(x, inplace=True)\n"
        "Net()(v)\nNet(F.mish)(v)",
        "w = v.clone().requires_grad_()\nu = w * 2\nf = F.celu\nf(u, inplace=True)\n"
        "u.sum().backward()\nprint(w.grad.tolist())",
    ],
)
def test_a_function_that_is_held_works_in_place(lines: str) -> None:
    given = "v = torch.tensor([-4.0, -0.5, 0.5, 9.0])\n"
    assert_prints_the_same(f"{IMPORTS}{given}{lines}\nprint(v.tolist())\n")


def test_a_function_that_is_held_is_plain_where_nothing_works_in_place() -> None:
    code = converted(f"{IMPORTS}acts = {{'relu': F.relu}}\nlayer = nn.ReLU(inplace=True)\n")
    assert "{'relu': F.relu}" in code


@pytest.mark.parametrize(
    "value",
    [
        "torch.tanh(x).flatten(1)",
        "torch.flatten(x * x)",
        "nn.Sequential(nn.Tanh(), nn.Flatten())(x)",
        "nn.Flatten(0, -2)(x * x)",
        "F.cross_entropy(x.view(4, 2), torch.tensor([0, 1, 0, 1]))",
        "nn.CrossEntropyLoss()(x.reshape(4, 2), torch.tensor([1, 1, 0, 1]))",
        "F.log_softmax(x, dim=1)",
        "F.smooth_l1_loss(x, torch.zeros_like(x))",
        "F.binary_cross_entropy(torch.sigmoid(x), torch.ones_like(x))",
        "F.interpolate(x[None], scale_factor=2)",
    ],
)
def test_gradients_have_gradients(value: str) -> None:
    assert_prints_the_same(
        f"{IMPORTS}x = (torch.arange(8.0) / 5 - 0.7).view(2, 2, 2).requires_grad_()\n"
        f"y = ({value} ** 2).sum()\ng, = torch.autograd.grad(y, x, create_graph=True)\n"
        "((g.norm(2) - 1) ** 2).backward()\nprint(g.tolist(), x.grad.tolist())\n"
    )


def test_a_graph_of_gradients_is_reported_where_it_is_asked_for() -> None:
    text = (
        "import torch\ndef penalty(out, x):\n"
        "    g = torch.autograd.grad(out.sum(), x, create_graph=True)[0]\n"
        "    return g, torch.autograd.grad(out.sum(), x, create_graph=False)\n"
    )
    assert [line for line, words in reported(text) if "gradients of gradients" in words] == [3]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("line", "twice"),
    [
        ("autograd.functional.hessian(f, x)", True),
        ("autograd.functional.jacobian(f, x, create_graph=True)", True),
        ("autograd.functional.jacobian(f, x)", False),
        ("func.hessian(f)(x)", True),
        ("func.grad(func.grad(f))(x)", True),
        ("func.jacrev(lambda y: func.grad(f)(y))(x)", True),
        ("func.grad(f)(x)", False),
        ("func.grad(named)(x)", True),
        ("func.jacrev(defined)(x)", True),
        ("func.grad(other)(x)", False),
        ("func.jvp(f, (x,), (x,))", True),
    ],
)
def test_a_derivative_of_a_derivative_is_reported(line: str, twice: bool, style: str) -> None:
    text = f"from torch import autograd, func\ndef slope(f, x):\n    return {line}\n"
    text += "named = func.grad(torch.sin)\nother = torch.sin\n"
    text += "def defined(y):\n    return func.grad(other)(y)\n"
    found = workbench.convert(text, style=style).findings
    words = [one for one in found if "gradients of gradients raise" in one.message]
    assert 2 in {one.range.start.line for one in words} if twice else not words


@pytest.mark.parametrize(
    "value",
    [
        "x.sub(2, y)",
        "x.add(k, y)",
        "x.add(alpha=2, other=y)",
        "x.sub(y, alpha=k)",
        "x.add(k * 2, y)",
    ],
)
def test_a_factor_comes_before_what_it_multiplies(value: str) -> None:
    assert_prints_the_same(
        f"import torch\ndef f(x: torch.Tensor, y: torch.Tensor, k):\n    return {value}\n"
        "print(f(torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0]), 3).tolist())\n"
    )


@pytest.mark.parametrize(
    "value",
    [
        "x.reshape(*s)",
        "x.view(-1, *s[1:])",
        "x.expand(*np.array([2, 3]))",
        "x.repeat(*s)",
        "x.view(1, 3).permute(*np.argsort(s)[::-1])",
    ],
)
def test_sizes_come_from_an_array(value: str) -> None:
    assert_prints_the_same(
        "import numpy as np\nimport torch\ns = np.array([1, 3])\nx = torch.arange(3.0)\n"
        f"print({value}.tolist())\n"
    )


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "bool"])
def test_rare_dtypes_are_sorted_and_asked(dtype: str) -> None:
    assert_prints_the_same(
        f"import torch\nx = torch.tensor([3, 0, 2], dtype=torch.{dtype})\n"
        "print(x.sort()[0].tolist(), torch.sort(x, descending=True)[0].tolist())\n"
        "print(x.any().item(), torch.all(x).item(), x.any().dtype == torch.all(x).dtype)\n"
    )


def test_a_recurrent_layer_that_needs_a_batch_is_reported() -> None:
    text = "import torch\nlayer = torch.nn.GRU(3, 4, batch_first=True)\n"
    found = workbench.convert(text, target=TARGET).findings
    assert [one.range.start.line + 1 for one in found if one.code == "TF121"] == [2]
    assert not any(
        one.code == "TF121"
        for one in workbench.convert("import torch\nlayer = torch.nn.GRU(3, 4)\n").findings
    )


@pytest.mark.parametrize(
    "line",
    [
        "print([type(m).__name__ for m in net.stem])",
        "for layer in net.stem:\n    print(layer.__class__.__name__)",
        "names = ', '.join(module._get_name() for module in net.stem)",
    ],
)
def test_a_printed_name_of_a_class_is_reported(line: str) -> None:
    made = "net = nn.Module()\nnet.stem = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU())\n"
    found = workbench.convert(f"{IMPORTS}{made}{line}\n", target=TARGET).findings
    assert "TF116" in {one.code for one in found}


@pytest.mark.parametrize(
    "line",
    [
        "torch.sort(k, dim=0)[0][:2] * x",
        "torch.topk(k, 2, dim=0).values[:, :1] * x[:, 1:]",
        "k.unbind(1)[0] * x[0, 0].expand(3)",
        "k.max(0).values * x[0]",
    ],
)
def test_parts_of_an_array_may_hold_whole_numbers_as_it_does(line: str) -> None:
    assert_prints_the_same(
        "import numpy as np\nimport torch\n\nk = torch.from_numpy(np.arange(6).reshape(3, 2))\n"
        f"x = torch.ones(2, 2) / 2\nprint(({line}).tolist())\n"
    )


@pytest.mark.parametrize(
    "array", ["(n > 1).astype(np.int64)", "(n > 1) * 2", "(n > 1) + np.arange(4)", "(n > 1) / 4"]
)
def test_an_array_computed_from_truth_values_has_its_own_dtype(array: str) -> None:
    code = assert_prints_the_same(
        f"import numpy as np\nimport torch\n\nn = np.arange(4)\nx = torch.from_numpy({array})\n"
        "m = torch.from_numpy(n > 2)\nprint((x + x).tolist(), (m + m).tolist())\n"
        "print(x.cumsum(0).tolist(), m.cumsum(0).tolist())\n"
    )
    assert "print((x + x).tolist()" in code


@pytest.mark.parametrize(
    "line",
    [
        "s.t().to_dense()",
        "torch.sparse.mm(s.coalesce().transpose(0, 1), x)",
        "x.to_sparse().T.to_dense()",
        "torch.t(s).coalesce().values()",
        "torch.transpose(s, -1, -2).to_dense() + x.t()",
    ],
)
def test_a_sparse_matrix_is_transposed(line: str) -> None:
    assert_prints_the_same(
        "import torch\n\nplaces = torch.tensor([[0, 1, 1], [1, 0, 1]])\n"
        "s = torch.sparse_coo_tensor(places, torch.tensor([3.0, 4.0, 5.0]), (2, 2))\n"
        f"x = torch.tensor([[0.0, 2.0], [1.0, 0.0]])\nprint(({line}).tolist())\n"
    )


@pytest.mark.parametrize("dims", ["0, 0", "1, -1", "-2, 0"])
def test_a_dimension_exchanged_with_itself_transposes_nothing(dims: str) -> None:
    code = workbench.convert(
        f"import torch\n\ns = torch.eye(2).to_sparse().transpose({dims})\n"
    ).code
    assert "sparse.transpose" not in code


@pytest.mark.parametrize(
    ("derivative", "twice"),
    [
        ("torch.autograd.grad(y.sum(), x, create_graph=True)", True),
        ("torch.func.hessian(f)(x)", True),
        ("torch.autograd.grad(y.sum(), x)", False),
    ],
)
def test_operations_without_a_second_derivative_are_reported(derivative: str, twice: bool) -> None:
    text = (
        "import torch\nfrom torch import nn\nlayer = nn.GELU()\n"
        "def f(x: torch.Tensor):\n    y = layer(x).softmax(1)\n    y = y.sin() + x.norm()\n"
        f"    return {derivative}\n"
    )
    lines = [line for line, words in reported(text) if "gradients of gradients through it" in words]
    assert sorted(lines) == ([3, 5, 6] if twice else [])


@pytest.mark.parametrize(
    "line",
    [
        "print(len(list(DataLoader(Stream(), batch_size=3))))",
        "print([len(x) for x in DataLoader(range(4), **{'batch_size': 3, 'in_order': True})])",
        "print(torch.nonzero(torch.tensor(1)).tolist(), torch.logspace(0, 2, 0).tolist())",
        "print(torch.zeros(5).scatter_(0, torch.tensor(3), value=1).tolist())",
        "print(nn.ReLU6().max_val, nn.LSTM(4, 3, num_layers=2).bias)",
        "print(nn.BatchNorm1d(3, momentum=None).double()(torch.ones(2, 3).double()).tolist())",
        "(u * v).sum().backward(inputs=[u])\npair = [u.grad, v.grad]\nprint(pair[1])",
    ],
)
def test_what_the_target_raises_for_is_written_otherwise(line: str) -> None:
    assert_prints_the_same(
        IMPORTS + "from torch.utils.data import DataLoader, IterableDataset\n"
        "u, v = (torch.ones(2, requires_grad=True) for _ in range(2))\n"
        "class Stream(IterableDataset):\n    def __iter__(self):\n"
        "        for k in range(7):\n            yield torch.full((2,), float(k)), k\n"
        f"{line}\n"
    )


@pytest.mark.parametrize(
    "table",
    [
        "{1: nn.Conv1d, 2: nn.Conv2d}",
        "[nn.Dropout2d, nn.Dropout3d]",
        "(nn.AvgPool1d, nn.MaxPool2d)",
        "{'zeros': nn.ZeroPad2d}",
    ],
)
def test_classes_in_a_table_that_need_a_batch_are_reported(table: str) -> None:
    found = workbench.convert(f"{IMPORTS}KINDS = {table}\n", target=TARGET).findings
    words = [one.message for one in found if one.range.start.line == 3]
    assert any("without a batch dimension" in one for one in words)


@pytest.mark.parametrize("line", ["x.uniform_(0, 0)", "x.data.uniform_(2.0, 2.0)"])
def test_numbers_are_drawn_between_equal_bounds(line: str) -> None:
    assert_prints_the_same(f"{IMPORTS}x = torch.ones(3)\n{line}\nprint(x.tolist())\n")


@pytest.mark.parametrize("layer", ["nn.LSTM(2, 3, 2)", "getattr(nn, cell)(2, 3, 2)"])
def test_names_of_recurrent_weights_are_read(layer: str) -> None:
    assert_prints_the_same(
        f"{IMPORTS}cell = 'LSTM'\nnet = {layer}\n"
        "for p in net.parameters():\n    p.data.fill_(0.0)\n"
        "for names in net._all_weights:\n"
        "    for name in filter(lambda name: 'bias_ih' in name, names):\n"
        "        bias = getattr(net, name)\n        bias.data[3:6].fill_(1.0)\n"
        "print(sum(p.sum().item() for p in net.parameters()))\n"
    )
