"""The running variance of BatchNorm in programs that train a model and then evaluate it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import paddle
import pytest

import workbench
from tests.workbench.convert.project.project_tree import converted, write
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same
from workbench.targets.paddle.carry.layouts import uncorrected
from workbench.targets.paddle.layers.helpers.norm_unbiased import TorchUnbiasedBatchNorm2D

PROGRAM = dedent(
    """
    from functools import partial
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, norm=None):
            super().__init__()
            {made}
            self.head = nn.Linear(4, 1)

        def forward(self, x):
            return self.head(self.norm(x).flatten(2).mean(-1) if x.dim() > 2 else self.norm(x))

    net = Net()
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.linspace(-1, 1, p.numel()).view_as(p))
    def data(shift, *shape):
        count = torch.tensor(shape).prod().item()
        return torch.sin(torch.arange(count) * 1.7 + shift).view(*shape) * 3 + 1
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for step in range(4):
        {train}
        loss = (net({x}) ** 2).mean() + net({x} + 1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    {evaluated}
    print(["%.4f" % v for v in net({x}).flatten().tolist()])
    {more}
    """
)
FLAT, IMAGE = "data(step, 3, 4)", "data(step, 2, 4, 2, 2)"


def _program(
    made: str = "self.norm = nn.BatchNorm1d(4)",
    x: str = FLAT,
    evaluated: str = "net.eval()",
    train: str = "net.train()",
    more: str = "",
) -> str:
    return PROGRAM.format(made=made, x=x, evaluated=evaluated, train=train, more=more)


@pytest.mark.parametrize(
    ("made", "x"),
    [
        ("self.norm = nn.BatchNorm1d(4)", FLAT),
        ("self.norm = nn.BatchNorm1d(4, momentum=0.4)", "data(step, 2, 4, 3)"),
        ("self.norm = nn.BatchNorm2d(4, eps=1e-3, affine=False)", IMAGE),
        ("self.norm = nn.BatchNorm3d(4)", "data(step, 2, 4, 1, 2, 2)"),
        ("self.norm = (norm or nn.BatchNorm2d)(4)", IMAGE),
        ("self.norm = (norm or partial(nn.BatchNorm2d, momentum=0.02))(4)", IMAGE),
        ('self.norm = {{"batch": nn.BatchNorm2d, "none": nn.Identity}}["batch"](4)', IMAGE),
        ("self.norm = nn.Sequential(nn.BatchNorm1d(4), nn.ReLU(), nn.BatchNorm1d(4))", FLAT),
    ],
)
def test_a_program_that_trains_and_evaluates_shows_torchs(made: str, x: str) -> None:
    code = assert_prints_the_same(_program(made.replace("{{", "{").replace("}}", "}"), x))
    assert "class TorchUnbiasedBatchNorm" in code


@pytest.mark.parametrize(
    "evaluated",
    [
        "net.train(False)",
        "net.train(mode=False)",
        'for phase in ("train", "test"):\n    net.train(phase == "train")',
        "training = False\nnet.train(training)",
    ],
)
def test_a_model_may_be_switched_by_train(evaluated: str) -> None:
    assert "class TorchUnbiased" in assert_prints_the_same(_program(evaluated=evaluated))


def test_a_frozen_layer_keeps_its_statistics() -> None:
    made = "self.norm = nn.Sequential(nn.BatchNorm1d(4), nn.BatchNorm1d(4))"
    assert_prints_the_same(_program(made, train="net.train(); net.norm[1].eval()"))


def test_the_class_can_be_tested_for_counted_and_named() -> None:
    more = """
        def kinds(model):
            return [m for m in model.modules() if isinstance(m, nn.BatchNorm1d)]
        print(len(kinds(net)), type(kinds(net)[0]) is nn.BatchNorm1d)
        print([m.__class__.__name__ == "BatchNorm1d" for m in net.modules()])
        print(sum(p.numel() for p in net.parameters()), len(list(net.named_parameters())))
    """
    assert_prints_the_same(_program(more=dedent(more).strip()))


def test_a_copy_in_double_precision_computes_the_same() -> None:
    more = """
        import copy
        net = copy.deepcopy(net).double()
        net.train()
        print(net(data(1, 3, 4).double()).sum().item())
        net.eval()
        print(net(data(1, 3, 4).double()).sum().item())
    """
    assert_prints_the_same(_program(more=dedent(more).strip()))


def test_one_value_for_a_channel_raises_as_in_torch() -> None:
    more = """
        net.train()
        try:
            net(data(0, 1, 4))
        except ValueError as error:
            print("one value")
    """
    assert_prints_the_same(_program(more=dedent(more).strip()))


MODEL = "from torch import nn\n\nnorm = nn.BatchNorm2d(4)\n"


@pytest.mark.parametrize(
    "text",
    [
        MODEL,
        f"{MODEL}norm.eval()\n",
        f"{MODEL}def step(loss):\n    norm.train()\n    loss.backward()\n",
        f"{MODEL}def step(loss):\n    loss.backward()\n    norm.train(True)\n",
    ],
)
def test_a_text_that_does_not_do_both_keeps_paddles_own(text: str) -> None:
    result = workbench.convert(text, target=TARGET)
    assert "norm = nn.BatchNorm2D(4)" in result.code
    assert "TF113" in {one.code for one in result.findings}


def test_layers_that_become_synchronous_stay_paddles_own() -> None:
    text = f"{MODEL}norm = nn.SyncBatchNorm.convert_sync_batchnorm(norm)\n"
    more = "def step(loss):\n    loss.backward()\n    norm.eval()\n"
    result = workbench.convert(text + more, target=TARGET)
    assert "TorchUnbiased" not in result.code
    assert "TF113" in {one.code for one in result.findings}


def test_all_files_of_a_project_agree(tmp_path: Path) -> None:
    net = """
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm = nn.BatchNorm2d(4)
    """
    train = """
        from torch import nn
        from net import Net

        def run(loss, model: Net):
            loss.backward()
            model.eval()
            return [m for m in model.modules() if isinstance(m, nn.BatchNorm2d)]
    """
    project, out = tmp_path / "project", tmp_path / "out"
    converted(write(project, {"net.py": net, "train.py": train}), out)
    assert "self.norm = TorchUnbiasedBatchNorm2D(4)" in (out / "net.py").read_text()
    assert "isinstance(m, TorchUnbiasedBatchNorm2D)" in (out / "train.py").read_text()


def test_a_layer_that_applies_the_factor_is_not_excused() -> None:
    assert uncorrected(paddle.nn.BatchNorm2D, "running_var")
    assert not uncorrected(TorchUnbiasedBatchNorm2D, "running_var")
