"""Texts of layers, which a class of the target gives."""

from __future__ import annotations

import pytest

import workbench

_HEAD = (
    "import torch\nimport torch.nn as nn\n\n\nclass Net(nn.Module):\n    pass\n\n\n"
    "model, x = nn.Linear(2, 3), torch.ones(3)\n"
)


def _reported(code: str) -> list[str]:
    found = workbench.convert(_HEAD + code + "\n").findings
    return [one.message for one in found if one.code == "TF116"]


@pytest.mark.parametrize(
    "code",
    [
        "print(model)",
        "print('model:', Net())",
        'print(f"{model}")',
        "text = str(nn.Sequential(model, nn.ReLU(inplace=True)))",
        "text = repr(Net())",
        "print(x.sort())",
        "def show(net: nn.Module):\n    print(net)",
        "print(list(model.children()))",
        "print({n: m for n, m in model.named_modules()})",
        "print('%s %d' % (model, 2))",
        "text = '{}: {}'.format(1, model)",
        "net = nn.Sequential()\nfor i in range(2):\n    net.add_module(f'part{i}', nn.ReLU())\n"
        "print(net.part1)",
        "print(nn.ModuleDict({'first': model}).first)",
        "net = Net()\nnet.add_module('late', model)\nprint(net.late)",
    ],
)
def test_the_text_of_a_layer_is_reported(code: str) -> None:
    [message] = _reported(code)
    assert "has Paddle's format" in message


@pytest.mark.parametrize("layers", ["layers", "[nn.Conv2d(1, 1, 1), nn.ReLU()]", "(nn.GRU(1, 1),)"])
def test_names_of_classes_in_a_list_of_layers_are_reported(layers: str) -> None:
    made = "layers = [nn.BatchNorm1d(2), nn.ReLU()]\n" if layers == "layers" else ""
    made += "conv = nn.Conv2d(1, 1, 1)\n"
    code = f"{made}for one in {layers}:\n    n = type(one).__name__"
    assert _reported(f"{code}\n    print(n)")


@pytest.mark.parametrize(
    "code",
    [
        "print([p.dtype for p in model.parameters()])",
        "print({n: p.dtype for n, p in model.named_parameters()})",
        'print(f"{[x.dtype, 3]}")',
        "kinds = {'half': torch.float16}\nprint(kinds)",
        "def show(state):\n    print([(k, tuple(v.shape), v.dtype) for k, v in state.items()])",
        "def show(batch):\n    print({k: (getattr(v, 'dtype', None), len(v)) for k, v in batch})",
    ],
)
def test_dtypes_in_a_printed_container_are_reported(code: str) -> None:
    [message] = _reported(code)
    assert "list of dtypes" in message


def test_it_is_reported_once_a_file() -> None:
    [message] = _reported("print(model)\nprint(Net())\nprint(model)")
    assert "2 more" in message


@pytest.mark.parametrize(
    "code",
    [
        "print(x.max())",
        "print(x.dtype)",
        'print(f"{x.dtype} {[x.shape]}", "x")',
        "print(model.children(), '%d' % model.in_features, '{}'.format(model.training))",
        "net = nn.Sequential()\nprint(net.part.weight.shape, net.training, [net.part.in_features])",
    ],
)
def test_other_texts_are_not(code: str) -> None:
    assert not _reported(code)


_TRAINED = "import inspect\nopt = torch.optim.{0}\n{1}\n"
_MOMENTUM, _ADAM = "SGD(model.parameters(), lr=0.1, momentum=0.9)", "Adam(model.parameters())"
_STEPS = "plan = scheduler = torch.optim.lr_scheduler.StepLR(opt, 3)\n"


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (_MOMENTUM, "print(type(opt).__name__)"),
        (_MOMENTUM, "print(f'{opt.__class__.__name__:8s}')"),
        (_ADAM, f"{_STEPS}print(scheduler.__class__.__name__)"),
    ],
)
def test_the_name_of_an_optimizer_is_reported_if_it_is_another(made: str, code: str) -> None:
    assert _reported(_TRAINED.format(made, code))


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (_ADAM, "print(type(opt).__name__)"),
        ("SGD(model.parameters(), lr=0.1)", "print(type(opt).__name__)"),
        (_MOMENTUM, "raise ValueError(type(opt).__name__)"),
    ],
)
def test_the_name_of_an_optimizer_may_be_the_same(made: str, code: str) -> None:
    assert not _reported(_TRAINED.format(made, code))


@pytest.mark.parametrize(
    "code",
    [
        "print([c.__name__ for c in Net.__mro__])",
        "print('<'.join(c.__name__ for c in inspect.getmro(Net)[:3]))",
        "print(Net.__base__.__name__, Net.__bases__[0].__qualname__)",
        "for c in type(model).mro():\n    print(c.__name__)",
    ],
)
def test_the_name_of_a_base_is_reported(code: str) -> None:
    assert _reported(f"import inspect\n{code}")


def test_the_name_of_a_class_of_the_text_is_its_own() -> None:
    assert not _reported("print(Net.__name__, type(Net()).__name__)")
