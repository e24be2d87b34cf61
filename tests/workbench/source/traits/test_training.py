"""Uses of optimizers and schedules in a program."""

from __future__ import annotations

import ast

import pytest

from workbench.source.traits.rates import READS_RATE, SCALES_RATE, SETS_RATE
from workbench.source.traits.training import (
    ARRAY,
    FILE,
    GROUP,
    LOADS_STATE,
    MAKES,
    ODD,
    SCHEDULES,
    training,
)


def words(code: str) -> frozenset[str]:
    return training(ast.parse(code))


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
    assert ODD not in words(code)


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
        "s = ReduceLROnPlateau(opt)\nprint(s.best)",
    ],
)
def test_questions_that_only_torchs_structure_answers_are_odd(code: str) -> None:
    assert ODD in words(code)


def test_schedules_of_which_one_run_makes_but_one_are_not_odd() -> None:
    chosen = "if a:\n    s = StepLR(opt, 3)\nelse:\n    s = ExponentialLR(opt, 0.9)"
    returned = (
        "def f(opt):\n    if a:\n        return StepLR(opt, 3)\n"
        "    return CosineAnnealingLR(opt, 9)"
    )
    apart = "def f(opt):\n    s = StepLR(opt, 3)\ndef g(opt):\n    s = StepLR(opt, 3)"
    for code in (chosen, returned, apart):
        assert words(code) == {SCHEDULES}


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("x = opt.param_groups[0]['lr']", READS_RATE),
        ("print(f'{self.opt.param_groups[-1]['lr']}')", READS_RATE),
        ("def f(o):\n    for g in o.param_groups:\n        return g['lr']", READS_RATE),
        ("for g in opt.param_groups:\n    g['lr'] = 0.1 * rate", SETS_RATE),
        ("opt.param_groups[0]['lr'] = rate", SETS_RATE),
        ("for g in opt.param_groups:\n    g['lr'] *= 0.5", SCALES_RATE),
        ("for g in opt.param_groups:\n    g['lr'] = g['lr'] / 2", SCALES_RATE),
        ("opt.load_state_dict(torch.load(path))", LOADS_STATE),
        ("groups = [{'params': a, 'lr': 0.1}]", f"{GROUP}lr"),
        ("with open(path, 'wb') as out:\n    torch.save(x, out)", f"{FILE}out"),
        ("x = torch.from_numpy(data[1:])", f"{ARRAY}data"),
        ("o = RMSprop(p)", MAKES),
    ],
)
def test_the_words_of_what_is_asked(code: str, word: str) -> None:
    assert word in words(code.replace("['lr']}'", '["lr"]}\''))
    assert (ODD in words(code.replace("['lr']}'", '["lr"]}\''))) == (word == MAKES)


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
    assert ODD not in training(before)
    after = ast.Module([before.body[0], *ast.parse(second).body], type_ignores=[])
    assert ODD in training(after)
    assert ODD not in training(before)
