"""Optimizers and schedules in plain code: what is written, and when the helpers answer."""

from __future__ import annotations

import pytest

import workbench

HEAD = "import torch\nimport torch.optim as optim\n\n\ndef f(model, args):\n"


def written(*lines: str) -> list[str]:
    """The converted lines of a function's body."""
    code = workbench.convert(HEAD + "".join(f"    {line}\n" for line in lines)).code
    body = code.partition("def f(model, args):\n")[2].rstrip("\n").split("\n")
    return [line.removeprefix("    ") for line in body]


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
    ],
)
def test_helpers_answer_for_all_where_torchs_structure_is_asked(line: str) -> None:
    assert written("opt = optim.Adam(model.parameters())", line)[0] == (
        "opt = TorchAdam(model.parameters())"
    )


def test_types_alone_need_no_helper() -> None:
    code = (
        "from torch.optim import Optimizer\n\n\ndef f(o: Optimizer):\n    return o.param_groups\n"
    )
    converted = workbench.convert(code)
    assert not converted.helpers
    assert "from paddle.optimizer import Optimizer" in converted.code


def test_what_differs_is_told_once() -> None:
    made = "    opt = optim.Adam(model.parameters())\n"
    code = f"{HEAD}{made}    a, b = opt.state_dict(), opt.state_dict()\n"
    told = [one for one in workbench.convert(code).findings if one.code == "TF111"]
    assert "`torchferry weights`" in told[0].message
    assert all("`torchferry weights`" not in one.message for one in told[1:])


def test_a_step_size_that_is_written_as_a_float_is_a_whole_number() -> None:
    text = (
        "import torch\n\noptimizer = torch.optim.SGD(model.parameters(), lr=1.0)\n"
        "schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1.0, gamma=0.95)\n"
    )
    assert "step_size=1, gamma=0.95)" in workbench.convert(text).code
