"""Masks in batches of a stream of dictionaries, and under the keys of a dictionary."""

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, IterableDataset
from torch.utils.data._utils.collate import default_collate


class Windows(IterableDataset):
    def __init__(self, ids):
        self.ids = ids

    def __iter__(self):
        for s in range(4):
            c = self.ids[s : s + 3]
            yield {"input": c, "mask": c != 2}


def loop(ids, n):
    for b in DataLoader(Windows(ids), batch_size=2):
        loss = F.cross_entropy(torch.zeros(6, 9), b["input"].flatten(), reduction="none")
        m = b["mask"].flatten()
        loss = (loss * m).sum() / m.sum()
        print(round(loss.item(), 4))


def transposed(items):
    return {k: v.t() for k, v in default_collate(items).items()}


def loop2(ids, n):
    for b in DataLoader(Windows(ids), batch_size=2, collate_fn=transposed):
        loss = F.cross_entropy(torch.zeros(6, 9), b["input"].flatten(), reduction="none")
        m = b["mask"].flatten()
        loss = (loss * m).sum() / m.sum()
        print(round(loss.item(), 4))


loop(torch.arange(7), 1)
loop2(torch.arange(7), 1)


def f(batch: dict, x: torch.Tensor):
    a = x * batch["mask"]
    b = (x.exp() * batch["mask"]).sum() / batch["mask"].sum()
    return a, b


def g(rows, x: torch.Tensor):
    batch = {"x": x, "mask": rows}
    m = batch["mask"].view(-1)
    return x * m


print(
    f({"mask": torch.tensor([True, False])}, torch.ones(2))[0].tolist(),
    g(torch.tensor([True, False]), torch.ones(2)).tolist(),
)
