"""A class of torch's has one counterpart in a program, wherever it is constructed or tested for."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from tests.workbench.targets.paddle.both_sides import assert_prints_the_same
from workbench.convert.conversion import Conversion, convert

IMPORTS = "import torch\nfrom torch import nn\n"
PROGRAMS = {
    "a lazy layer becomes one of the exact class that is tested for": """
        lazy = [nn.LazyConv2d(2, 1), nn.LazyInstanceNorm2d()]
        for layer in lazy:
            layer(torch.ones(1, 3, 4, 4))
        result = [type(lazy[0]) is nn.Conv2d, type(lazy[1]) is nn.InstanceNorm2d]
        result += [type(nn.Conv2d(1, 1, 1)) is nn.Conv2d, isinstance(lazy[0], nn.Conv2d)]
    """,
    "tensors are tested for that old constructors make": """
        from typing import Union

        def kinds(x: Union[torch.Tensor, list], values):
            made = torch.Tensor([3]), torch.Tensor(2, 3), torch.LongTensor(values)
            tested = [isinstance(one, torch.Tensor) for one in (x, *made)]
            tested += [isinstance(one, torch.LongTensor) for one in made]
            return tested, isinstance(x, (torch.Tensor, list)), type(made[0]) is torch.Tensor

        result = kinds(torch.ones(2), [1, 2]), kinds([1], (3, 4))
    """,
    "layers that a transformer constructs are tested for": """
        net = nn.Sequential(nn.Linear(8, 8), nn.Transformer(8, 2, 1, 1, 16), nn.LayerNorm(8))
        kinds = nn.Linear, nn.LayerNorm, nn.MultiheadAttention, nn.Dropout
        result = [[isinstance(m, one) for m in net.modules()].count(True) for one in kinds]
    """,
    "layers are tested for that only a transformer constructs": """
        def name(m):
            match m:
                case nn.LayerNorm():
                    return "norm"
                case nn.MultiheadAttention():
                    return "attention"
            return "linear" if type(m) is nn.Linear else ""

        result = sorted(name(m) for m in nn.TransformerEncoderLayer(8, 2, 16).modules())
    """,
    "the projection of an attention is linear next to layers with linear parts": """
        net = nn.Module()
        net.head = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 10])
        net.attention = nn.MultiheadAttention(8, 2, kdim=4, vdim=4)
        net.last = nn.Linear(3, 4)
        result = sorted(n for n, m in net.named_modules() if isinstance(m, nn.Linear))
    """,
    "attention is tested for as it is constructed": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.attn = nn.MultiheadAttention(4, 2)
                self.out = nn.Linear(4, 4)

        def found(model: nn.Module, kind: type = nn.MultiheadAttention):
            return [n for n, m in model.named_modules() if isinstance(m, nn.MultiheadAttention)]

        result = found(Block()), [isinstance(m, nn.Linear) for m in Block().children()]
    """,
    "a norm of one kind is no other class than one of another kind": """
        norms = [nn.BatchNorm2d(3), nn.BatchNorm2d(3, momentum=None), nn.BatchNorm1d(3)]
        result = [(type(m) is nn.BatchNorm2d, isinstance(m, nn.BatchNorm2d)) for m in norms]
    """,
    "a table by class has all that are constructed": """
        layers = [
            nn.Embedding(5, 3), nn.Embedding(5, 3, max_norm=1.0), nn.LSTM(3, 4),
            nn.LSTM(3, 4, bias=False), nn.MaxPool2d(2), nn.MaxPool2d(2, return_indices=True),
        ]
        names = {nn.Embedding: "embedding", nn.LSTM: "lstm"}
        names[nn.MaxPool2d] = "pool"
        result = [names[type(m)] for m in layers]
    """,
    "classes in a variable": """
        KINDS = (nn.LSTM, nn.CrossEntropyLoss)
        layers = [
            nn.LSTM(3, 4, bias=False), nn.LSTM(3, 4), nn.GRU(3, 4), nn.CrossEntropyLoss(),
            nn.CrossEntropyLoss(ignore_index=-1), nn.NLLLoss(),
        ]
        result = [isinstance(m, KINDS) for m in layers], [type(m) in KINDS for m in layers]
    """,
    "a type is compared, and layers are drawn in two ways": """
        class Net(nn.Module):
            def __init__(self, sizes=(4, 3, 2)):
                super().__init__()
                layers = []
                for a, b in zip(sizes[:-1], sizes[1:]):
                    layers += [nn.Linear(a, b), nn.ELU()]
                self.body = nn.Sequential(*layers)
                self.head = nn.Linear(2, 3)

        def fill(m):
            if type(m) == nn.Linear:
                m.weight.data.copy_(torch.full(m.weight.shape, 0.5))
                m.bias.data.zero_()

        result = [round(p.sum().item(), 4) for p in Net().apply(fill).parameters()]
        result += [m.__class__ is nn.Linear for m in Net().modules()]
    """,
    "a match statement": """
        def kind(m):
            match m:
                case nn.Embedding():
                    return "embedding"
                case nn.GRU() | nn.LSTM():
                    return "recurrent"
                case _:
                    return "other"

        layers = [nn.Embedding(5, 3, max_norm=1.0), nn.Embedding(5, 3), nn.GRU(3, 4, bias=False)]
        result = [kind(m) for m in [*layers, nn.GRU(3, 4), nn.ReLU()]]
    """,
    "functions for one class each": """
        from functools import singledispatch

        @singledispatch
        def parts(m):
            return "other"

        @parts.register(nn.Conv2d)
        def _(m):
            return "conv"

        @parts.register
        def _(m: nn.Embedding):
            return "embedding"

        layers = [nn.Conv2d(3, 3, 3), nn.Embedding(5, 3), nn.Embedding(5, 3, norm_type=1.0)]
        result = [parts(m) for m in [*layers, nn.Linear(3, 3)]]
    """,
    "a class that is derived from one": """
        class Wide(nn.Linear):
            pass

        class Norm(nn.BatchNorm2d):
            pass

        layers = [Wide(3, 4), nn.Linear(3, 4), Norm(3), nn.BatchNorm2d(3)]
        result = [
            (isinstance(m, nn.Linear), type(m) is nn.Linear, isinstance(m, (nn.BatchNorm2d, Wide)))
            for m in layers
        ]
    """,
    "bases that several layers share": """
        from torch.nn.modules.batchnorm import _BatchNorm
        from torch.nn.modules.conv import _ConvNd

        layers = [nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.LSTM(3, 4), nn.InstanceNorm2d(3)]
        result = [
            (isinstance(m, _BatchNorm), isinstance(m, _ConvNd), isinstance(m, nn.RNNBase))
            for m in [*layers, nn.Linear(3, 3)]
        ]
    """,
    "optimizers": """
        net = nn.Linear(3, 4)
        optimizers = [
            torch.optim.SGD(net.parameters(), lr=0.1),
            torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9),
            torch.optim.AdamW(net.parameters()),
            torch.optim.Adagrad(net.parameters()),
        ]
        result = [
            (isinstance(o, torch.optim.SGD), isinstance(o, (torch.optim.Adam, torch.optim.Adagrad)))
            for o in optimizers
        ]
    """,
    "classes that are one in Paddle": """
        losses = [nn.SmoothL1Loss(), nn.HuberLoss(), nn.HuberLoss(delta=0.5)]
        result = [(isinstance(one, nn.SmoothL1Loss), type(one) is nn.HuberLoss) for one in losses]
    """,
    "a class that only torch derives from another": """
        layers = [nn.ReLU6(), nn.Hardtanh(), nn.ReLU()]
        result = [(isinstance(m, nn.Hardtanh), isinstance(m, nn.ReLU6)) for m in layers]
    """,
    "one optimizer": """
        net = nn.Linear(3, 4)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        net(torch.ones(2, 3)).sum().backward()
        optimizer.step()
        result = [
            isinstance(optimizer, torch.optim.SGD), isinstance(optimizer, torch.optim.Adam),
            isinstance(optimizer, torch.optim.Adam | torch.optim.SGD),
        ]
    """,
    "an optimizer that is derived from another": """
        optimizer = torch.optim.AdamW(nn.Linear(3, 4).parameters(), lr=0.1)
        result = isinstance(optimizer, torch.optim.Adam), isinstance(optimizer, torch.optim.SGD)
    """,
    "schedules": """
        def make(kind: str):
            optimizer = torch.optim.SGD(nn.Linear(3, 4).parameters(), lr=0.1)
            if kind == "step":
                schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
            else:
                schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
            return optimizer, schedule

        result = []
        for kind in ("step", "plateau"):
            optimizer, schedule = make(kind)
            optimizer.step()
            if isinstance(schedule, torch.optim.lr_scheduler.ReduceLROnPlateau):
                schedule.step(1.0)
            else:
                schedule.step()
            result.append(round(optimizer.param_groups[0]["lr"], 6))
    """,
    "loaders and samplers": """
        from torch.utils.data import DataLoader, RandomSampler, SequentialSampler, TensorDataset

        data = TensorDataset(torch.zeros(4, 2))
        loaders = [DataLoader(data), DataLoader(data, collate_fn=lambda rows: "text")]
        samplers = [RandomSampler(data), SequentialSampler(data)]
        samplers.append(RandomSampler(data, replacement=True, num_samples=2))
        result = [isinstance(one, DataLoader) for one in loaders], [
            (isinstance(one, RandomSampler), isinstance(one, SequentialSampler)) for one in samplers
        ]
    """,
    "a class that is handed on": """
        def block(norm=nn.BatchNorm2d):
            return [norm(3), nn.BatchNorm2d(3, track_running_stats=False)]

        def built(norm_layer):
            return [m for m in block(norm_layer) if isinstance(m, norm_layer)]

        result = len(built(nn.BatchNorm2d)), [isinstance(m, nn.BatchNorm2d) for m in block()]
    """,
    "a partial": """
        from functools import partial

        norm = partial(nn.LayerNorm, eps=1e-6)
        layers = [norm(3), nn.LayerNorm(3, dtype=torch.float32), nn.LayerNorm(3)]
        result = [isinstance(m, nn.LayerNorm) for m in layers], type(layers[1]) == nn.LayerNorm
    """,
    "weights by the names of classes": """
        def init(m):
            name = m.__class__.__name__
            if name.find("Conv") != -1:
                nn.init.constant_(m.weight, 0.5)
            elif name.find("BatchNorm2d") != -1:
                nn.init.constant_(m.weight, 2.0)

        net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
        net.apply(init)
        result = net[0].weight.sum().item(), net[1].weight.sum().item()
    """,
    "names of classes in each form": """
        layers = [nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.SiLU(), nn.RNN(3, 4), nn.Dropout(0.1)]
        result = [
            (
                type(m).__name__ == "Conv2d",
                m.__class__.__name__ in ("Conv1d", 'SiLU'),
                "BatchNorm2d" in str(type(m)),
                type(m).__name__.startswith("Conv2d"),
                "RNN" == m._get_name(),
                type(m).__name__.lower().endswith("norm2d"),
                m.__class__.__name__ not in {"Dropout", "RNN"},
            )
            for m in layers
        ]
    """,
}


def _run(code: str) -> Any:
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(compile(code, "<program>", "exec"), namespace)
    return namespace["result"]


def _converted(text: str) -> tuple[str, Conversion]:
    original = IMPORTS + dedent(text)
    return original, convert(original)


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_both_sides_take_an_object_for_the_same_class(text: str) -> None:
    original, conversion = _converted(text)
    assert conversion.unconverted == []
    assert _run(conversion.code) == _run(original)


def _code(text: str) -> str:
    return _converted(text)[1].code


def _remarks(text: str, code: str) -> dict[int, str]:
    """Return the messages of a code by their lines, counted from the first line of the text."""
    found: dict[int, str] = {}
    for one in _converted(text)[1].findings:
        if one.code == code:
            line = one.range.start.line - 1
            found[line] = f"{found.get(line, '')}{one.message}\n"
    return found


def test_a_class_that_is_always_the_targets_own_is_tested_for_by_its_name() -> None:
    code = _code("""
        table = nn.Embedding(5, 3)
        def f(m): return isinstance(m, (nn.Embedding, nn.Linear)), type(m) is nn.Embedding
        layer = nn.Linear(3, 4)
    """)
    assert "isinstance(m, (nn.Embedding, nn.Linear)), type(m) is nn.Embedding" in code
    assert "Torch" not in code


def test_two_ways_to_construct_need_no_helper_where_nothing_tests_for_the_class() -> None:
    code = _code("tables = nn.Embedding(5, 3), nn.Embedding(5, 3, max_norm=1.0)\n")
    assert "nn.Embedding(5, 3, weight_attr" in code
    assert "TorchEmbedding(5, 3, max_norm=1.0)" in code


def test_an_annotation_names_the_class_that_is_constructed() -> None:
    code = _code("""
        loss: nn.SmoothL1Loss = nn.SmoothL1Loss()
        def f(attn: nn.MultiheadAttention): ...
    """)
    assert "loss: nn.SmoothL1Loss = nn.SmoothL1Loss()" in code
    assert "def f(attn: paddle.compat.nn.MultiheadAttention)" in code


def test_a_test_for_what_only_other_files_construct_has_its_condition() -> None:
    remarks = _remarks("def f(m):\n    return isinstance(m, nn.BatchNorm2d)\n", "TF119")
    assert "TorchBatchNorm2d" in remarks[2]
    assert "in one run" in remarks[2]
    assert not _remarks("def f(m):\n    return isinstance(m, nn.Module)\n", "TF119")


def test_a_text_without_an_equal_is_reported_at_its_line() -> None:
    text = """
        net = nn.Sequential(nn.ConvTranspose2d(3, 4, 3), nn.Conv2d(4, 4, 3))
        def f(m):
            name = type(m).__name__
            return name.startswith("ConvTranspose"), "Conv" in name
        def g(m): return "torch.nn" in str(type(m)), f"{type(m).__name__ == 'Conv2d'}"
    """
    remarks = _remarks(text, "TF102")
    assert set(remarks) == {5, 6}
    assert "Conv2DTranspose" in remarks[5]
    assert "torch" in remarks[6]


def test_a_text_that_names_own_classes_too_is_reported() -> None:
    remarks = _remarks(
        """
        class Conv2dSame(nn.Conv2d): ...
        layers = nn.BatchNorm2d(3), Conv2dSame(3, 3, 3)
        class BatchNorm2dPlain(nn.Module): ...
        def f(m): return "BatchNorm2d" in type(m).__name__, type(m).__name__ == "Conv2dSame"
    """,
        "TF102",
    )
    assert set(remarks) == {5}


def test_names_of_classes_that_are_printed_or_counted_are_reported() -> None:
    text = """
        net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Linear(3, 4))
        for name, m in net.named_modules():
            print(name, type(m).__name__)
        counts = {m.__class__.__name__: 1 for m in net.modules()}
        print(type(net).__name__)

        def hook(m, given, made):
            name = type(m).__name__
            if name == "Linear":
                raise TypeError(f"not for {type(m).__name__}")
            print(str(m.__class__).split(".")[-1])
    """
    assert set(_remarks(text, "TF116")) == {4, 5, 12}
    assert not _remarks(text.replace("nn.Conv2d(3, 4, 3)", "nn.Flatten()"), "TF116")


def test_the_name_of_the_class_of_a_variable_is_reported_where_it_differs() -> None:
    text = """
        conv, act = nn.Conv2d(3, 4, 3), nn.ReLU()
        conv = nn.Conv2d(3, 4, 3)
        act = nn.ReLU()
        name = conv.__class__.__name__
        same = type(act).__name__
        print(type(act))
        print(type(torch.ones(2)))
        net = nn.Sequential(conv, act)
        names = [type(layer).__name__ for layer in net]
        found = type(torch.ones(3).sort()).__name__
        value = type(torch.ones(3).max()).__name__
    """
    assert set(_remarks(text, "TF116")) == {5, 7, 10, 11}


def test_new_names_are_unlike_those_of_the_file() -> None:
    code = _code("""
        layer = nn.Conv2d(3, 4, 3)
        other = nn.Linear(3, 4)
        nn.init.zeros_(other.bias)
    """)
    assert "\ninit = " not in code
    assert "weight_attr=torch_init" in code


KINDS = """
import torch.nn as nn

{kinds}
layers = nn.Linear(3, 4), nn.Conv2d(1, 1, 1), nn.BatchNorm2d(2), nn.LSTM(1, 1), nn.ReLU()
net = nn.Sequential(*layers)


def find(model, *kinds):
    return [name for name, one in model.named_modules() if isinstance(one, kinds)]


for kind in KINDS:
    print(find(net, kind), [isinstance(one, kind) for one in net])
print(find(net, *KINDS))
"""


@pytest.mark.parametrize(
    "kinds",
    [
        "KINDS = (nn.Linear, nn.Conv2d)",
        "KINDS = [nn.Linear, nn.modules.conv._ConvNd, nn.modules.batchnorm._BatchNorm]",
        "KINDS = [nn.BatchNorm2d, nn.RNNBase, nn.Module]",
    ],
)
def test_a_variable_holds_the_classes_that_objects_are_tested_for(kinds: str) -> None:
    assert_prints_the_same(KINDS.format(kinds=kinds))
