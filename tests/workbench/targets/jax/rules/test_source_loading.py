"""Data sets, samplers and loaders in JAX give torch's batches."""

from __future__ import annotations

import pytest

from tests.workbench.targets.jax.source import HEAD, assert_same, run, written

pytestmark = pytest.mark.usefixtures("narrow")
_DATA = """
from torch.utils.data import (
    BatchSampler, ConcatDataset, DataLoader, Dataset, IterableDataset, Sampler,
    SequentialSampler, Subset, default_collate,
)


class Squares(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.tensor([float(i), float(i * i)]), i % 2


class Stream(IterableDataset):
    def __init__(self, n):
        super().__init__()
        self.n = n

    def __iter__(self):
        for i in range(self.n):
            yield torch.tensor([float(i)]), i


class Odd(Sampler):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(1, self.n, 2))

    def __len__(self):
        return self.n // 2


class Pairs(BatchSampler):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        for i in range(self.n):
            yield [i, self.n - 1 - i]

    def __len__(self):
        return self.n


data = Squares(10)
"""


@pytest.mark.parametrize(
    "loader",
    [
        "DataLoader(Subset(data, range(2, 9)), batch_size=3)",
        "DataLoader(ConcatDataset([data, Squares(3)]), batch_size=5, drop_last=True)",
        "DataLoader(Stream(5), batch_size=2)",
        "DataLoader(data, batch_size=2, sampler=Odd(10))",
        "DataLoader(data, batch_sampler=Pairs(4))",
        "DataLoader(data, batch_sampler=BatchSampler(SequentialSampler(data), 4, False))",
        "DataLoader(data, batch_size=4, collate_fn=default_collate)",
    ],
)
def test_loaders_give_the_same_batches(loader: str) -> None:
    text = f"{_DATA}result = [(x.tolist(), y.tolist()) for x, y in {loader}]\n"
    assert run(written(text))["result"] == run(HEAD + text)["result"]


def test_a_loader_knows_its_data_set() -> None:
    text = f"{_DATA}loader = DataLoader(data, batch_size=4, sampler=Odd(10))\n"
    text += "result = len(loader.dataset), len(loader), loader.batch_size\n"
    assert run(written(text))["result"] == (10, 2, 4)


def test_a_batch_of_single_tensors_moves_to_a_device() -> None:
    code = assert_same(
        """
        from torch.utils.data import DataLoader, Dataset

        class Rows(Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, i):
                return torch.full((2,), float(i))

        device = torch.device("cpu")
        for batch in DataLoader(Rows(), batch_size=2):
            rows = batch.to(device)
            print(rows.size(0), rows.sum().item())
        """
    )
    assert ".to(" not in code
