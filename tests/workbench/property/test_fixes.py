"""Fixes follow each other: in any order they end where converting the whole file at once ends."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

import workbench
from bench.fixes import Session, differences, used_before
from workbench import apply_edits, check, fix_together
from workbench.convert.imports.helper_modules import HelperImport

_TESTS = Path(__file__).parents[2]
_SOURCES = _TESTS / "models" / "sources"
_TRAINING = """\
import torch
import torch.nn as nn
from torch.optim import Adam
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.first = nn.Linear(4, width)
        self.norm = nn.LayerNorm(width)
        self.last = nn.Conv2d(1, 1, 3)
        self.apply(self.start)

    def start(self, module):
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight)

    def forward(self, x):
        x = self.norm(self.first(x)).unsqueeze(0)
        return torch.cat([x, x], dim=1).chunk(2, dim=-1)[0].sum(dim=1, keepdim=True)


def train(path):
    net = Net()
    opt = Adam([{"params": net.parameters(), "lr": 1e-3}], eps=1e-6)
    plan = torch.optim.lr_scheduler.StepLR(opt, step_size=2)
    data = TensorDataset(torch.randn(8, 4), torch.zeros(8, dtype=torch.long))
    for x, y in DataLoader(data, batch_size=2, shuffle=True):
        loss = torch.nn.functional.cross_entropy(net(x).flatten(1), y, ignore_index=-1)
        opt.zero_grad()
        loss.backward()
        for group in opt.param_groups:
            group["lr"] *= 0.9
        opt.step()
        plan.step()
    torch.save({"net": net.state_dict()}, path)
"""
_TEXTS = {"training": _TRAINING} | {
    name: (_SOURCES / f"{name}.py").read_text(encoding="utf-8")
    for name in ("conv_net", "patches", "u_shape")
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mixed", [False, True], ids=["alone", "mixed"])
@pytest.mark.parametrize("name", _TEXTS)
def test_fixes_in_any_order_end_in_the_conversion_of_the_file(name: str, mixed: bool) -> None:
    chance = random.Random(f"{name} {mixed}")
    assert Session(_TEXTS[name], chance).run(mixed) == []


_STYLES = [
    *sorted((_TESTS / "programs" / "styles").glob("*.py")),
    *(_TESTS / "programs" / f"{name}.py" for name in ("cnn", "digits", "sequence", "vae")),
    *(
        _TESTS / "programs" / "ordinary" / f"{name}.py"
        for name in (
            "fine_tuning",
            "lstm_classifier",
            "moving_averages",
            "segmentation",
            "small_resnet",
        )
    ),
]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("style", ["plain", "exact"])
@pytest.mark.parametrize("file", _STYLES, ids=[file.stem for file in _STYLES])
def test_fixes_one_by_one_end_in_the_conversion_of_the_file_in_both_styles(
    file: Path, style: str
) -> None:
    chance = random.Random(f"{file.stem} {style}")
    assert Session(file.read_text(encoding="utf-8"), chance, style).run() == []


_IN_JAX = [
    *(_TESTS / "programs" / f"{name}.py" for name in ("cnn", "digits", "gpt", "sequence", "vae")),
    *(
        _TESTS / "programs" / "ordinary" / f"{name}.py"
        for name in ("fine_tuning", "lstm_classifier", "q_learning", "segmentation", "small_resnet")
    ),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("file", _IN_JAX, ids=[file.stem for file in _IN_JAX])
def test_fixes_one_by_one_end_in_the_conversion_of_the_file_to_jax(file: Path) -> None:
    chance = random.Random(file.stem)
    assert Session(file.read_text(encoding="utf-8"), chance, target="jax").run() == []


def test_layers_and_the_step_that_trains_them_are_one_fix_in_jax() -> None:
    fixes = [one.fix for one in workbench.check(_STEP, target="jax")]
    chosen = next(fix for fix in fixes if fix is not None and "torch.nn.Linear" in fix.title)
    text = apply_edits(_STEP, chosen.edits)
    assert "class Net(nnx.Module):" in text
    assert "optimizer.update(model, grads)" in text
    assert "model = Net(rngs=" in text
    assert "torch.tanh" in text


_STEP = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, x):
        return torch.tanh(self.fc(x))

def train(x, y):
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return model
"""
_REMAINING = """\
import torch

def f(x: torch.Tensor, y: torch.Tensor, t):
    {code}
    return torch.cos(x)
"""


@pytest.mark.parametrize("style", ["plain", "exact"])
@pytest.mark.parametrize(
    "code",
    [
        "y = x.eq(y)",
        "x += y",
        "x = torch.relu(x); x += y",
        "t = torch.allclose(x, y)",
        "t = x.is_sparse",
        "t = x.stride()",
        "t = torch.sum(x, dim=1).size(0), torch.max(x, dim=1)[0].mean()",
        "t = torch.nn.Linear(2, 2).to(x.dtype).double()",
        "t = torch.nn.functional.max_pool2d(x, 2).size(0)",
        "t = y.T[:, [0, 2]]",
        "t = torch.autograd.grad(y.sum(), y)[0].size(0)",
    ],
)
def test_what_is_converted_stays_while_another_use_is_left(code: str, style: str) -> None:
    beside = HelperImport("torchferry_helpers", few_inline=False)
    whole = workbench.convert(_REMAINING.format(code=code), style=style, beside=beside).code
    partly = whole.replace("paddle.cos", "torch.cos").replace(
        "import paddle", "import paddle\nimport torch"
    )
    again = workbench.convert(partly, style=style, beside=beside).code
    assert again.partition("def f")[2] == whole.partition("def f")[2]


_PROGRAMS = [
    *(
        _TESTS / "programs" / f"{name}.py"
        for name in ("cnn", "digits", "language", "sequence", "vae")
    ),
    *(
        _TESTS / "programs" / "ordinary" / f"{name}.py"
        for name in ("ema", "q_learning", "text_collate")
    ),
    *(_SOURCES / f"{name}.py" for name in ("masked", "patches", "u_shape")),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("file", _PROGRAMS, ids=[file.stem for file in _PROGRAMS])
@pytest.mark.parametrize("steps", [["use"] * 3, ["class"], ["use", "class", "use"]], ids="-".join)
def test_fixes_and_then_the_file_give_the_same_text_as_the_file_at_once(
    file: Path, steps: list[str]
) -> None:
    original = text = file.read_text(encoding="utf-8")
    chance = random.Random(f"{file.stem} {steps}")
    for step in steps:
        text = _use_fixed(text, chance) if step == "use" else _class_fixed(text, chance)
    assert text != original
    assert workbench.convert(text).code == workbench.convert(original).code


def _use_fixed(text: str, chance: random.Random) -> str:
    found = [one for one in check(text) if one.make_fix is not None]
    chance.shuffle(found)
    fixes = (one.fix for one in found)
    fix = next((fix for fix in fixes if fix is not None and fix.edits), None)
    return apply_edits(text, fix.edits) if fix is not None else text


def _class_fixed(text: str, chance: random.Random) -> str:
    found = [one for one in check(text) if one.make_fix is not None]
    of_classes = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("Torch"):
            lines = range(node.lineno - 1, node.end_lineno or node.lineno)
            of_classes.append([one for one in found if one.range.start.line in lines])
    fix = fix_together(chance.choice([one for one in of_classes if one]))
    return apply_edits(text, fix.edits) if fix is not None else text


_LOADING = """\
import torch

def load(path):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    here = torch.load(path, map_location=torch.device("cpu"))
    return here, torch.load(path, map_location=torch.device(device))
"""
_FREEZING = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
        for p in self.body.parameters():
            p.requires_grad = False
        self.head = nn.Linear(4, 4)

net = Net(nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)))
opt = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=1e-3)
"""
_SKIPPING = """\
import torch

def trained(net: torch.nn.Module):
    total = 0
    for p in net.parameters():
        if not p.requires_grad:
            continue
        total += p.numel()
    return total
"""
_COUNTING = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
print(sum(p.numel() for p in net.parameters() if p.requires_grad))
"""
_GIVEN = """\
import torch

def freeze(model: torch.nn.Module, x: torch.Tensor, chosen):
    for name, p in model.named_parameters():
        p.requires_grad = name in chosen
    return torch.cat([model(x), x], dim=1)
"""
_LARGEST = """\
import torch

def following(net: torch.nn.Module, mask: torch.Tensor, states: torch.Tensor, other):
    values = torch.zeros(8)
    values[mask] = net(states).max(1).values
    others = torch.zeros(8)
    others[mask] = torch.min(other(states), 1)[0]
    return values, others
"""
_STAR = """\
import torch.nn as nn
from torch.nn.init import *

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 4, 1)
        self.last = nn.Conv2d(4, 4, 1)
        xavier_uniform_(self.last.weight)
"""


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (_LOADING, "torch.device"),
        (_LOADING, "torch.cuda.is_available"),
        (_FREEZING, "torch.Tensor.requires_grad"),
        (_FREEZING, "torch.optim.Adam"),
        (_SKIPPING, "torch.Tensor.requires_grad"),
        (_COUNTING, "torch.Tensor.numel"),
        (_COUNTING, "torch.Tensor.requires_grad"),
        (_GIVEN, "torch.nn.Module"),
        (_GIVEN, "torch.Tensor.requires_grad"),
        (_LARGEST, "torch.Tensor.max"),
        (_LARGEST, "torch.min"),
        (_STAR, "torch.nn.init.xavier_uniform_"),
        (_STAR, "torch.nn.Conv2d"),
    ],
)
def test_a_use_fixed_first_leaves_the_rest_of_the_file_the_same(text: str, first: str) -> None:
    fix = next(one.fix for one in check(text) if one.name == first and one.fix)
    partly = apply_edits(text, fix.edits)
    assert partly != text
    assert workbench.convert(partly).code == workbench.convert(text).code


def test_a_fix_leaves_the_import_that_its_own_code_needs() -> None:
    text = """\
import paddle
from torch import nn

net = paddle.nn.Linear(3, 4)
other = nn.ReLU()


def largest(x):
    return other(net(x)).max(dim=1).values
"""
    fix = next(one.fix for one in check(text) if one.name == "torch.nn.ReLU")
    assert fix is not None
    fixed = apply_edits(text, fix.edits)
    assert "paddle.compat.max(" in fixed
    assert "import paddle\n" in fixed


def test_the_target_s_own_keyword_is_not_taken_for_a_mistake() -> None:
    text = """\
import paddle
import torch

class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("levels", torch.zeros(3), persistable=False)
        self.register_buffer("others", torch.zeros(3), persist=False)
"""
    refused = [one for one in check(text) if one.code == "TF200"]
    assert [one.range.start.line for one in refused] == [7]


def test_a_part_that_is_wrapped_already_is_not_wrapped_again() -> None:
    text = 'import torch\nimport einops\nr = einops.reduce(torch.exp(x), "b n -> b", "max")\n'
    for _ in range(2):
        [fix] = [one.fix for one in check(text) if one.name == "einops.reduce" and one.fix] or [
            None
        ]
        text = apply_edits(text, fix.edits) if fix else text
    assert text.count("torch_einops_reduction(") == 2  # its definition, and one use


def test_differences_are_reported() -> None:
    assert (
        differences("import paddle as p\nx = p.ones(2)\n", "import paddle\nx = paddle.ones(2)\n")
        == []
    )
    assert differences("import torch\nx = 1\n", "x = 2\n") == [
        "torch is imported still",
        "said: x = 1",
        "should say: x = 2",
    ]
    assert used_before("def f():\n    return g()\ndef g(x=f):\n    pass\n") == set()
    assert used_before("y = f()\n@g\ndef f():\n    pass\ndef g(h):\n    return h\n") == {"f", "g"}
