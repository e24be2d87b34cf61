"""Uses of optimizers and schedules in a program."""

from __future__ import annotations

import ast

import pytest

from workbench.source.traits.training import training
from workbench.source.traits.traits import Training, Traits


def uses(code: str) -> frozenset[Training]:
    return training(ast.parse(code)).training


@pytest.mark.parametrize(
    "code",
    [
        "opt = Adam(m.parameters(), lr=1e-3, betas=(0.9, 0.95))\nopt.zero_grad()\nopt.step()",
        "opt = torch.optim.SGD(p, 0.1, 0.9, 0, 1e-4, True)",
        "opt = AdamW(p, betas=args.betas, fused=True)",
        "def f(opt: torch.optim.Adam | None) -> optim.Optimizer: ...",
        "isinstance(opt, (Adam, AdamW))",
        "s = MultiStepLR(opt, [2, 4])\nprint(s.gamma, s.last_epoch)\nprint(config.milestones)",
    ],
)
def test_ordinary_use_is_not_odd(code: str) -> None:
    assert Training.ODD not in uses(code)


@pytest.mark.parametrize(
    "code",
    [
        "SGD(p, lr=0.1, dampening=0.5)",
        "SGD(p, 0.1, 0.9, 0.5)",
        "Adam(p, maximize=True)",
        "Adam(p, **options)",
        "Adam(p, betas=make())",
        "RMSprop(p)",
        "make = torch.optim.Adam",
        "known = {'adam': optim.Adam}",
        "getattr(torch.optim, name)(p)",
        "class Mine(torch.optim.Optimizer): ...",
        "class Warm(LRScheduler): ...",
        "opt.add_param_group({'params': p})",
        "opt.state[p]",
        "o = Adam(p)\no.step(closure)",
        "o = Adam(p)\no.load_state_dict(other.state_dict())",
        "opt.state_dict()['param_groups']",
        "opt.register_step_pre_hook(f)",
        "len(opt.param_groups)",
        "for g in opt.param_groups:\n    g['lr'] = rate\n    print(g)",
        "for g in opt.param_groups:\n    g['lr'] = g['initial_lr'] * 2",
        "for g in opt.param_groups:\n    g['momentum'] = 0.9",
        "OneCycleLR(opt, 0.1, 100)",
        "LambdaLR(opt, [f, g])",
        "StepLR(make_optimizer(), 3)",
        "ReduceLROnPlateau(opt, cooldown=2)",
        "SequentialLR(opt, [a, b], [3])",
        "a = StepLR(opt, 3)\nb = ExponentialLR(opt, 0.9)",
        "scheduler.get_lr()",
        "MultiStepLR(opt, [3, 3])",
        "MultiStepLR(opt, milestones=(9, 2))",
        "MultiStepLR(opt, range(2, 9, 3))",
        "s = MultiStepLR(opt, [3])\nprint(s.milestones)",
        "self.scheduler.min_lrs",
        "thing._last_lr[0]",
        "s = ReduceLROnPlateau(opt)\nprint(s.best)",
    ],
)
def test_questions_that_only_torchs_structure_answers_are_odd(code: str) -> None:
    assert Training.ODD in uses(code)


def test_schedules_of_which_one_run_makes_but_one_are_not_odd() -> None:
    chosen = "if a:\n    s = StepLR(opt, 3)\nelse:\n    s = ExponentialLR(opt, 0.9)"
    returned = (
        "def f(opt):\n    if a:\n        return StepLR(opt, 3)\n"
        "    return CosineAnnealingLR(opt, 9)"
    )
    apart = "def f(opt):\n    s = StepLR(opt, 3)\ndef g(opt):\n    s = StepLR(opt, 3)"
    for code in (chosen, returned, apart):
        assert uses(code) == {Training.SCHEDULES}


@pytest.mark.parametrize(
    ("code", "use"),
    [
        ("x = opt.param_groups[0]['lr']", Training.READS_RATE),
        ("print(f'{self.opt.param_groups[-1]['lr']}')", Training.READS_RATE),
        ("def f(o):\n    for g in o.param_groups:\n        return g['lr']", Training.READS_RATE),
        ("for g in opt.param_groups:\n    g['lr'] = 0.1 * rate", Training.SETS_RATE),
        ("opt.param_groups[0]['lr'] = rate", Training.SETS_RATE),
        ("for g in opt.param_groups:\n    g['lr'] *= 0.5", Training.SCALES_RATE),
        ("for g in opt.param_groups:\n    g['lr'] = g['lr'] / 2", Training.SCALES_RATE),
        ("opt.load_state_dict(torch.load(path))", Training.LOADS_STATE),
        ("o = RMSprop(p)", Training.MAKES),
    ],
)
def test_a_use_that_paddles_structure_supports(code: str, use: Training) -> None:
    found = uses(code.replace("['lr']}'", '["lr"]}\''))
    assert use in found
    assert (Training.ODD in found) == (use is Training.MAKES)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("groups = [{'params': a, 'lr': 0.1}]", Traits(group_keys=frozenset({"lr"}))),
        ("g = dict(params=a, name='b', lr=0.1)", Traits(group_keys=frozenset({"lr"}))),
        ("with open(path, 'wb') as out:\n    save(x, out)", Traits(opened=frozenset({"out"}))),
        ("x = torch.from_numpy(data[1:])", Traits(arrays=frozenset({"data"}))),
    ],
)
def test_names_of_groups_files_and_arrays(code: str, found: Traits) -> None:
    assert training(ast.parse(code)) == found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("opt = Adam(p, lr=1e-3)", "opt.add_param_group(group)"),
        ("trained = Adam(p, lr=1e-3)", "trained.step(closure)"),
        ("s = StepLR(opt, 3)", "t = ExponentialLR(opt, 0.9)"),
    ],
)
def test_a_typed_statement_changes_the_facts_of_the_others(first: str, second: str) -> None:
    """An edited text has the other statements' very nodes."""
    before = ast.parse(f"{first}\nx = 1")
    assert Training.ODD not in training(before).training
    after = ast.Module([before.body[0], *ast.parse(second).body], type_ignores=[])
    assert Training.ODD in training(after).training
    assert Training.ODD not in training(before).training
