"""Loaders of samples of every kind: what Paddle's own does not take, and what it does."""

from __future__ import annotations

import pytest

import workbench
from tests.workbench.targets.paddle.both_sides import TARGET, assert_prints_the_same, printed
from workbench.targets import STYLES, load

HEAD = """
from collections import namedtuple
from dataclasses import dataclass
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

Sample = namedtuple("Sample", "x label")


@dataclass
class Batch:
    x: torch.Tensor
    names: list


class Data(Dataset):
    kinds = ["x", "y", "x", "y"]

    def __init__(self):
        self.names = ["a", "bc", "d", "e"]

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return {sample}


def together(samples):
    return Batch(torch.tensor([x for x, _ in samples]), [name for _, name in samples])


"""
LOOP = "for batch in DataLoader(Data(), batch_size=2):\n    "


@pytest.mark.parametrize(
    ("sample", "line"),
    [
        ("self.names[i], f'{i}'", "print(batch[0], batch[1])"),
        ("str(i)", "print(batch)"),
        ("self.names[i]", "print(batch)"),
        ("self.kinds[i]", "print(batch)"),
        ("{'name': self.names[i].upper(), 'n': str(i)}", "print(batch['name'], batch['n'])"),
        (
            "Sample(x=torch.tensor([float(i), 1.0]), label=i)",
            "print(batch.x.tolist(), batch.label)",
        ),
        ("Sample(np.ones(2) * i, str(i))", "print(batch.x.tolist(), batch.label)"),
        (
            "{'x': torch.ones(2), 'y': i, 'n': self.names[i]}",
            "print(sorted(batch), batch['n'])",
        ),
        ("(torch.ones(2) * i, {'a': float(i), 'b': np.ones(1)})", "print(batch[1]['a'].tolist())"),
    ],
)
def test_samples_of_a_data_set(sample: str, line: str) -> None:
    text = (
        HEAD.replace("{sample}", sample) + LOOP + line.replace("batch.label)", "len(batch.label))")
    )
    assert_prints_the_same(text + "\n")


@pytest.mark.parametrize("sample", ["(torch.ones(1), None)", "(None, torch.ones(i + 1))"])
def test_a_sample_that_makes_no_batch_is_an_error(sample: str) -> None:
    assert_prints_the_same(
        HEAD.replace("{sample}", sample)
        + "try:\n    print(len(list(DataLoader(Data(), batch_size=2))))\n"
        "except (TypeError, RuntimeError):\n    print('it is no batch')\n"
    )


def test_an_error_of_a_data_set_is_raised() -> None:
    text = HEAD.replace("        return {sample}", "        raise ValueError(f'no sample {i}')")
    assert_prints_the_same(
        f"{text}try:\n    list(DataLoader(Data(), batch_size=2))\n"
        "except ValueError as error:\n    print(error)\n"
    )


@pytest.mark.parametrize(
    "loop",
    [
        "for b in DataLoader(['a b', 'c', 'd'], batch_size=2, shuffle=False):\n    print(b)",
        "words = ['a', 'b', 'c']\nfor b in DataLoader(words, 2, drop_last=True):\n    print(b)",
        "pairs = [('a', 'x'), ('b', 'y')]\nfor a, b in DataLoader(pairs, batch_size=2):\n"
        "    print(a, b)",
        "pairs = [(1, None), (2, None)]\ntry:\n    list(DataLoader(pairs, batch_size=2))\n"
        "except TypeError:\n    print('no batch')",
        "for b in DataLoader([(0.5, 'a'), (1.5, 'b')], 2, collate_fn=together):\n"
        "    print(b.x.tolist(), b.names)",
        "for b in DataLoader(['a', 'bc'], 2, collate_fn=lambda texts: [len(t) for t in texts]):\n"
        "    print(b)",
    ],
)
def test_samples_of_a_list(loop: str) -> None:
    assert_prints_the_same(HEAD.replace("{sample}", "i") + loop + "\n")


@pytest.mark.parametrize(
    ("sample", "is_reported"),
    [
        ("self.names[i], torch.tensor(i)", False),
        ("self.given[i], self.names[i]", True),
        ("self.transform(self.names[i])", False),
        ("self.given[i]", True),
        ("torch.arange(9.0)[i:][:1]", False),
    ],
)
def test_open_kinds_of_samples_are_reported(sample: str, is_reported: bool) -> None:
    text = HEAD.replace("{sample}", sample) + "loader = DataLoader(Data(), batch_size=2)\n"
    conversion = workbench.convert(text, target=TARGET)
    assert "loader = DataLoader(Data(), batch_size=2)" in conversion.code
    assert any("strings" in one.message for one in conversion.findings) is is_reported


OBJECTS = """
class Batch:
    def __init__(self, x=None):
        self.x = x
    @staticmethod
    def of(samples):
        made = Batch()
        made.x = torch.stack([torch.tensor(one) for one in samples])
        return made
    @classmethod
    def made(cls, samples):
        return cls(torch.tensor(samples))
    def moved(self):
        self.x = self.x + 1
        return self
def moved(samples):
    return Batch(torch.tensor(samples)).moved()
for batch in DataLoader([1, 2, 3], batch_size=2, collate_fn={collate}):
    print(batch.x.tolist())
"""


@pytest.mark.parametrize("collate", ["Batch.of", "Batch.made", "moved"])
def test_batches_that_are_objects(collate: str) -> None:
    assert_prints_the_same(HEAD.replace("{sample}", "i") + OBJECTS.replace("{collate}", collate))


TYPED = """\
from typing import Optional
import torch
from torch import Tensor
from torch.utils.data import ChainDataset, DataLoader, Dataset, StackDataset, IterableDataset
from torch.utils.data.distributed import DistributedSampler

Batches = DataLoader[tuple[Tensor, Tensor]]

class Numbers(Dataset[int]):
    def __len__(self) -> int:
        return 6
    def __getitem__(self, i: int) -> int:
        return i * 2

class Stream(IterableDataset[int]):
    def __iter__(self):
        yield from range(4)

def total(loader: DataLoader[int], more: Optional["DataLoader[int]"] = None) -> int:
    return sum(int(b.sum()) for b in loader)

def best(
    loaders: list[torch.utils.data.DataLoader[tuple[torch.Tensor, int]]],
    sampler: DistributedSampler[int] | None = None,
    chain: ChainDataset[int] = None,
    stack: StackDataset[int] = None,
) -> dict[str, DataLoader[Tensor]]:
    return {"a": loaders[0]}

class Holder:
    train: DataLoader[Tensor]
    def __init__(self, loader: DataLoader[Tensor]) -> None:
        self.loader: DataLoader[Tensor] = loader

loader: DataLoader[int] = DataLoader[int](Numbers(), batch_size=2)
print(total(loader))
print(total(best([loader])["a"]), total(Holder(loader).loader), isinstance(loader, DataLoader))
"""


@pytest.mark.parametrize("style", STYLES)
def test_type_parameters_that_paddles_classes_lack(style: str) -> None:
    code = workbench.convert(TYPED, target=load("paddle", style)).code
    assert printed(code) == printed(TYPED)
    assert ("DataLoader[" in code.replace('"DataLoader[int]"', "")) == (style == "exact")


def test_annotations_that_are_not_evaluated_stay() -> None:
    lines = "def total(loader: DataLoader[int]) -> int:\n    return len(loader)\n"
    code = f"from __future__ import annotations\nfrom torch.utils.data import DataLoader\n{lines}"
    assert lines in workbench.convert(code).code


@pytest.mark.parametrize(
    "collate", ["partial(padded, pad=0)", "functools.partial(led, 0)", "Padded(0)", "Padded(0).of"]
)
def test_batches_of_a_function_with_bound_arguments_have_known_dtypes(collate: str) -> None:
    code = assert_prints_the_same(f"""
import functools
from functools import partial
import torch
from torch import nn
from torch.utils.data import DataLoader


def padded(items, pad=1):
    rows, labels = zip(*items)
    x = torch.tensor([[*row, *[pad] * (3 - len(row))] for row in rows]).float()
    return x, torch.as_tensor(list(map(len, rows))), torch.tensor(labels)


def led(pad, items):
    return padded(items, pad)


class Padded:
    def __init__(self, pad):
        self.pad = pad

    def __call__(self, items):
        return padded(items, self.pad)

    def of(self, items):
        return padded(items, self.pad)


class Mean(nn.Module):
    def forward(self, x, lengths):
        return x.sum(1) / lengths


data = [([1, 2], 0), ([1], 1), ([3, 4, 5], 1)]
mean = Mean()
for x, lengths, labels in DataLoader(data, batch_size=2, collate_fn={collate}):
    print(mean(x, lengths).tolist(), labels.tolist())
""")
    assert "x.sum(1) / lengths.astype(" in code
