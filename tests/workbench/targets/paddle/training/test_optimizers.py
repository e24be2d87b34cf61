"""Optimizers and schedules in plain code: what is written, and when the helpers answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import assert_prints_the_same

HEAD = "import torch\nimport torch.optim as optim\n\n\ndef f(model, args):\n"


def written(*lines: str) -> list[str]:
    """Return the converted lines of a function's body."""
    code = workbench.convert(HEAD + "".join(f"    {line}\n" for line in lines)).code
    body = code.partition("def f(model, args):\n")[2].rstrip("\n").split("\n")
    return [line.removeprefix("    ") for line in body]


def both(code: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the names of a program and of its port, which needs no optimizer of torch's."""
    plain = workbench.convert(code).code
    assert "TorchOptimizer" not in plain
    theirs: dict[str, Any] = {}
    ours: dict[str, Any] = {}
    exec(code, theirs)
    exec(plain, ours)
    return theirs, ours


@pytest.mark.parametrize(
    ("torch", "paddle"),
    [
        ("optim.Adam(model.parameters())", "optim.Adam(parameters=model.parameters())"),
        ("optim.Adam(model.parameters(), lr=1)", "optim.Adam(1.0, parameters=model.parameters())"),
        (
            "optim.AdamW(model.parameters(), args.lr, betas=(0.9, 0.95), weight_decay=0.1)",
            "optim.AdamW(args.lr, parameters=model.parameters(), weight_decay=0.1, beta1=0.9, "
            "beta2=0.95)",
        ),
        (
            "optim.Adam(model.parameters(), betas=args.betas, fused=True)",
            "optim.Adam(parameters=model.parameters(), beta1=args.betas[0], beta2=args.betas[1])",
        ),
        (
            "optim.SGD(model.parameters(), lr=0.1)",
            "optim.SGD(0.1, parameters=model.parameters())",
        ),
        (
            "optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)",
            "optim.Momentum(0.1, parameters=model.parameters(), momentum=0.9, use_nesterov=True)",
        ),
        (
            "optim.Adadelta(model.parameters())",
            "optim.Adadelta(1.0, parameters=model.parameters(), rho=0.9)",
        ),
        (
            "optim.Adam(model.parameters(), lr=float(args.lr))",
            "optim.Adam(parameters=model.parameters(), learning_rate=float(args.lr))",
        ),
    ],
)
def test_optimizers(torch: str, paddle: str) -> None:
    assert written(f"opt = {torch}") == [f"opt = {paddle}"]


def test_a_schedule_is_set_behind_the_statement_that_makes_it() -> None:
    assert written(
        "opt = optim.SGD(model.parameters(), lr=0.1)",
        "if args.decay: s = optim.lr_scheduler.ExponentialLR(opt, gamma=0.9)",
        "rate, rates = s.get_last_lr()[0], s.get_last_lr()",
        "s.load_state_dict(torch.load('s.pt', map_location='cpu'))",
    ) == [
        "opt = optim.SGD(0.1, parameters=model.parameters())",
        "if args.decay: s = optim.lr.ExponentialDecay(opt.get_lr(), gamma=0.9); "
        "opt.set_lr_scheduler(s)",
        "rate, rates = s.last_lr, [s.last_lr]",
        "s.set_state_dict(paddle.load('s.pt'))",
    ]


def test_a_schedule_within_an_expression() -> None:
    assert written(
        "opt = optim.SGD(model.parameters(), lr=0.1)",
        "return [optim.lr_scheduler.StepLR(opt, 3)]",
    )[1:] == ["return [torch_scheduled(opt, optim.lr.StepDecay(opt.get_lr(), step_size=3))]"]


def test_a_schedule_that_is_returned() -> None:
    assert written(
        "opt = optim.SGD(model.parameters(), lr=0.1)",
        "if args.long: return optim.lr_scheduler.ExponentialLR(opt, 0.9)  # slow",
        "return optim.lr_scheduler.StepLR(",
        "    opt,",
        "    step_size=3,  # epochs",
        ")",
    )[1:] == [
        "if args.long: schedule = optim.lr.ExponentialDecay(opt.get_lr(), gamma=0.9); "
        "opt.set_lr_scheduler(schedule); return schedule  # slow",
        "schedule = optim.lr.StepDecay(",
        "    opt.get_lr(),",
        "    step_size=3,  # epochs",
        ")",
        "opt.set_lr_scheduler(schedule)",
        "return schedule",
    ]


def test_groups_with_rates_of_their_own() -> None:
    assert written(
        "groups = [dict(params=model.parameters(), lr=args.slow)]",
        "a = optim.Adam(groups, args.lr)",
        "b = optim.SGD([{'params': model.parameters(), 'lr': 0.1}], lr=1)",
        "c = optim.NAdam([{'params': model.parameters(), 'lr': 0.1}])",
        "d = optim.Adam(model.parameters())",
    ) == [
        "groups = [dict(params=model.parameters(), lr=args.slow)]",
        "a = optim.Adam(args.lr, parameters=torch_groups(groups, args.lr))",
        "b = optim.SGD(1.0, parameters="
        "torch_groups([{'params': model.parameters(), 'lr': 0.1}], 1.0))",
        "c = optim.NAdam(parameters=torch_groups([{'params': model.parameters(), 'lr': 0.1}], "
        "0.002))",
        "d = optim.Adam(parameters=model.parameters())",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "s = optim.lr_scheduler.CosineAnnealingLR(opt, 9, 1e-5)",
        "s = optim.lr_scheduler.ReduceLROnPlateau(opt)",
        "print(opt.param_groups[0]['lr'])",
        "print(s.get_last_lr())",
    ],
)
def test_rates_that_go_apart_are_torchs(line: str) -> None:
    groups = "[{'params': model.parameters(), 'lr': 0.1}]"
    assert written(f"opt = optim.Adam({groups})", line)[0] == f"opt = TorchAdam({groups})"


def test_schedules_that_follow_each_other() -> None:
    assert written(
        "opt = optim.SGD(model.parameters(), lr=0.1)",
        "warmup = optim.lr_scheduler.LinearLR(opt, 0.1, total_iters=5)",
        "decay = optim.lr_scheduler.CosineAnnealingLR(opt, args.steps - 5)",
        "s = optim.lr_scheduler.SequentialLR(opt, [warmup, decay], milestones=[5])",
        "for step in range(9): s.step()",
    )[1:] == [
        "warmup = optim.lr.LinearLR(opt.get_lr(), start_factor=0.1, total_steps=5)",
        "decay = optim.lr.CosineAnnealingDecay(opt.get_lr(), T_max=args.steps - 5)",
        "s = TorchSequence([warmup, decay], [5])",
        "opt.set_lr_scheduler(s)",
        "for step in range(9): s.step()",
    ]


SEQUENCES = [
    ("LinearLR(opt, 0.1, total_iters=4), CosineAnnealingLR(opt, 9, 1e-3)", [4]),
    ("LinearLR(opt), ExponentialLR(opt, 0.9), StepLR(opt, 2, 0.5)", [3, 8]),
    ("LambdaLR(opt, lambda n: (n + 1) / 5), CosineAnnealingLR(opt, 9)", [5]),
    ("MultiStepLR(opt, [2, 4]), PolynomialLR(opt, 6, 2.0), LinearLR(opt)", [5, 13]),
]


@pytest.mark.parametrize(("schedules", "milestones"), SEQUENCES)
def test_rates_of_a_sequence(schedules: str, milestones: list[int]) -> None:
    """Its rates are torch's, and go on where its saved state is loaded."""
    code = f"""\
import torch
from torch.optim import SGD
from torch.optim.lr_scheduler import *

def schedule():
    opt = SGD(torch.nn.Linear(2, 2).parameters(), lr=0.1)
    s = SequentialLR(opt, [{schedules}], {milestones})
    return opt, s

def advance(opt, s, count):
    rates = []
    for step in range(count):
        rates.append(opt.param_groups[0]["lr"])
        opt.step()
        s.step()
    return rates
"""
    theirs, ours = both(code)
    expected = theirs["advance"](*theirs["schedule"](), 20)
    opt, first = ours["schedule"]()
    rates = ours["advance"](opt, first, 7)
    opt, second = ours["schedule"]()
    second.set_state_dict(first.state_dict())
    assert rates + ours["advance"](opt, second, 13) == pytest.approx(expected, rel=1e-12)


OPTIMIZERS = [
    "SGD(groups, lr=0.1, momentum=0.9, weight_decay=0.01)",
    "AdamW(groups, lr=0.1, weight_decay=0.1)",
    "NAdam(groups)",
    "Adagrad(groups)",
]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_weights_of_groups_with_rates_of_their_own(optimizer: str) -> None:
    code = f"""\
import torch
from torch.optim import *

def train():
    torch.set_default_dtype(torch.float64)
    a, b = torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(3))
    groups = [{{"params": [a], "lr": 0.03}}, {{"params": [b]}}]
    opt = {optimizer}
    schedule = lr_scheduler.StepLR(opt, 4, 0.5)
    for step in range(10):
        opt.zero_grad()
        (a * b * torch.arange(3.0)).sin().sum().backward()
        opt.step()
        schedule.step()
    torch.set_default_dtype(torch.float32)
    return [*a.tolist(), *b.tolist()]
"""
    theirs, ours = both(code)
    assert ours["train"]() == pytest.approx(theirs["train"](), rel=1e-6)


@pytest.mark.parametrize(
    "line",
    [
        "s = SequentialLR(opt, schedulers, [5])",
        "s = SequentialLR(opt, [a, CyclicLR(opt, 0.1, 0.2, cycle_momentum=False)], [5])",
        "s = SequentialLR(opt, [a, StepLR(opt, 2)], [5]); a.step()",
        "s = SequentialLR(opt, [a, StepLR(opt, 2)], [5], last_epoch=3)",
    ],
)
def test_helpers_answer_for_other_sequences(line: str) -> None:
    code = (
        "from torch.optim import SGD\nfrom torch.optim.lr_scheduler import *\n"
        "def f(model, schedulers):\n    opt = SGD(model.parameters(), lr=0.1)\n"
        f"    a = LinearLR(opt)\n    {line}\n"
    )
    assert "opt = TorchSGD(" in workbench.convert(code).code


def test_a_schedule_of_the_same_name_in_another_file_drives_its_own_optimizer(
    tmp_path: Path,
) -> None:
    head = "import torch\nfrom torch import nn, optim\nfrom torch.optim.lr_scheduler import *\n"
    head += "opt = optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1)\n"
    source, output = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    both = f"{head}s = LinearLR(opt)\nt = StepLR(opt, 2)\nall = SequentialLR(opt, [s, t], [5])\n"
    (source / "both.py").write_text(both)
    (source / "one.py").write_text(f"import both\n{head}s = StepLR(opt, 2)\n")
    workbench.convert_project(source, output)
    assert "opt.set_lr_scheduler(s)" in (output / "one.py").read_text()
    assert "opt.set_lr_scheduler(s)" not in (output / "both.py").read_text()


def test_rates_are_read_and_set() -> None:
    assert written(
        "opt = optim.SGD(model.parameters(), lr=0.1)",
        "# slower",
        "for group in opt.param_groups:",
        "    group['lr'] = torch.ones(1).item()  # now",
        "for group in opt.param_groups: group['lr'] *= 0.5 + 0.1",
        "print(opt.param_groups[0]['lr'])",
        "for group in opt.param_groups:",
        "    return group['lr']",
    )[1:] == [
        "# slower",
        "opt.set_lr(paddle.ones(1).item())  # now",
        "opt.set_lr(opt.get_lr() * (0.5 + 0.1))",
        "print(opt.get_lr())",
        "return opt.get_lr()",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "opt.add_param_group({'params': []})",
        "print(len(opt.param_groups))",
        "print(opt.state)",
        "opt.step(lambda: model())",
        "s = optim.lr_scheduler.OneCycleLR(opt, 0.1, 10)",
        "other = optim.RMSprop(model.parameters())",
        "s = optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, 3); save(s.state_dict())",
    ],
)
def test_helpers_answer_for_all_where_torchs_structure_is_asked(line: str) -> None:
    assert written("opt = optim.Adam(model.parameters())", line)[0] == (
        "opt = TorchAdam(model.parameters())"
    )


def test_types_need_no_helper() -> None:
    code = (
        "from torch.optim import Optimizer\n\n\ndef f(o: Optimizer):\n    return o.param_groups\n"
    )
    converted = workbench.convert(code)
    assert not converted.helpers
    assert "from paddle.optimizer import Optimizer" in converted.code


def test_a_difference_is_reported_once() -> None:
    made = "    opt = optim.Adam(model.parameters())\n"
    code = f"{HEAD}{made}    a, b = opt.state_dict(), opt.state_dict()\n"
    reported = [one for one in workbench.convert(code).findings if one.code == "TF111"]
    assert "`torchferry weights`" in reported[0].message
    assert all("`torchferry weights`" not in one.message for one in reported[1:])


def test_a_step_size_that_is_written_as_a_float_is_a_whole_number() -> None:
    text = (
        "import torch\n\noptimizer = torch.optim.SGD(model.parameters(), lr=1.0)\n"
        "schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1.0, gamma=0.95)\n"
    )
    assert "step_size=1, gamma=0.95)" in workbench.convert(text).code


MILESTONES = [
    ("[2, 4]", False),
    ("list(range(1, 9, 2))", False),
    ("args.milestones", True),
    ("[args.epochs // 2, args.epochs * 3 // 4]", True),
]


@pytest.mark.parametrize(("milestones", "reported"), MILESTONES)
def test_milestones_that_may_repeat_are_reported_at_their_line(
    milestones: str, reported: bool
) -> None:
    code = (
        "from torch import optim\ndef build(opt, args):\n"
        f"    return optim.lr_scheduler.MultiStepLR(opt, {milestones})\n"
    )
    found = [(one.code, one.range.start.line + 1) for one in workbench.check(code)]
    assert (("TF119", 3) in found) == reported


def test_members_of_an_optimizer_made_elsewhere_are_reported() -> None:
    code = (
        "from torch.optim import Optimizer\n"
        "def show(thing: Optimizer):\n    print(thing.state)\n    print(thing.defaults)\n"
    )
    lines = {one.range.start.line + 1: one.code for one in workbench.check(code)}
    assert lines[3] == lines[4] == "TF200"


def test_members_of_a_schedule_made_elsewhere_are_reported() -> None:
    code = (
        "from torch.optim.lr_scheduler import LRScheduler, MultiStepLR\n"
        "def show(a: MultiStepLR, b: LRScheduler):\n"
        "    print(a.milestones)\n    print(b.base_lrs)\n    print(b.last_epoch)\n"
    )
    lines = {one.range.start.line + 1: one.code for one in workbench.check(code)}
    assert [lines[3], lines[4], lines[5]] == ["TF119", "TF200", "TF100"]


@pytest.mark.parametrize(
    "groups",
    [
        '[{"params": [w], "weight_decay": 0.1}, {"params": [b], "lr": 0.2}]',
        '[{"params": w}, {"params": net.parameters(), "lr": 0.05}]',
        '[{"params": (w, b)}]',
    ],
)
def test_a_group_of_tensors_that_are_no_parameters(groups: str) -> None:
    assert_prints_the_same(f"""import torch
import torch.nn as nn

w = torch.full((2, 2), 0.1, requires_grad=True)
b = torch.zeros(2, requires_grad=True)
net = nn.Linear(2, 2)
for p in net.parameters():
    nn.init.constant_(p, 0.3)
x = torch.tensor([[1.0, 2.0], [3.0, -1.0]])
opt = torch.optim.Adam({groups}, lr=0.1)
for _ in range(3):
    opt.zero_grad()
    loss = ((net(x) @ w + b - 1) ** 2).sum()
    loss.backward()
    opt.step()
    print(loss.item())
""")


def test_rprop_of_parameters_without_dimensions() -> None:
    assert_prints_the_same("""\
import torch
from torch import nn


class Line(nn.Module):
    def __init__(self):
        super().__init__()
        self.slope, self.at = nn.Parameter(torch.tensor(0.5)), nn.Parameter(torch.zeros(2))

    def forward(self, x):
        return self.slope * x + self.at


net = Line()
opt = torch.optim.Rprop(net.parameters(), lr=0.05)
for _ in range(4):
    opt.zero_grad()
    (net(torch.tensor([1.0, 2.0])) - 3).square().sum().backward()
    opt.step()
    print(net.slope.item(), net.at.tolist())
""")


def test_rprop_of_unknown_parameters_is_reported() -> None:
    result = workbench.convert(HEAD + "    optim.Rprop(model.parameters())\n")
    assert "optim.Rprop(0.01, parameters=model.parameters()" in result.code
    assert any("parameter without dimensions" in one.message for one in result.findings)


@pytest.mark.parametrize(
    "optimizer",
    ["Adam(ps, lr=0.1)", "AdamW(ps, lr=0.1)", "SGD(ps, lr=0.1, momentum=0.9)"],
)
def test_parameters_of_complex_numbers_are_trained(optimizer: str) -> None:
    assert_prints_the_same(
        f"""import torch
from torch import nn

w = nn.Parameter(torch.complex(torch.tensor([0.5, -1.0]), torch.tensor([1.0, 2.0])))
v = nn.Parameter(torch.tensor([1.0, -1.0]))
ps = [w, v]
o = torch.optim.{optimizer}
for step in range(3):
    o.zero_grad()
    loss = (w * v - 1).abs().pow(2).sum()
    loss.backward()
    o.step()
    print("%.4f" % loss.item())
print([[round(x, 3) for x in row] for row in torch.view_as_real(w.detach()).tolist()])
"""
    )


@pytest.mark.parametrize(
    "made",
    ["Adam(ps, 0.02)", "Adamax(ps, 0.02)", "NAdam(ps, 0.02)", "Adagrad(ps, 0.02)"],
)
def test_small_gradients_move_parameters_as_far(made: str) -> None:
    assert_prints_the_same(
        f"""import torch
from torch import nn

w = nn.Parameter(torch.linspace(-1, 1, 5))
scales = torch.tensor([1.0, 1e-3, 1e-5, 1e-7, 0.0])
ps = [w]
optimizer = torch.optim.{made}
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.98)
for step in range(30):
    optimizer.zero_grad()
    loss = (w * scales * (1 if step % 3 else -0.1)).sum()
    loss.backward()
    optimizer.step()
    schedule.step()
    if step % 5 == 0:
        print([round(x, 4) for x in w.tolist()])
"""
    )


def test_a_class_of_which_any_may_be_made_is_torchs_where_one_differs() -> None:
    text = (
        "import torch\n\nKINDS = {'adam': torch.optim.Adam, 'adamax': torch.optim.Adamax}\n\n\n"
        "def f(model, kind):\n    return KINDS[kind](model.parameters(), lr=0.1)\n"
    )
    assert "{'adam': TorchAdam, 'adamax': TorchAdamax}" in workbench.convert(text).code
