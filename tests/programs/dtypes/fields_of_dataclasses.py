"""Fields of a dataclass that a loader yields, and of a named tuple."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

@dataclass
class Batch:
    values: torch.Tensor
    lengths: torch.Tensor
    names: tuple = ()
    def to(self, device):
        for name, value in vars(self).items():
            if torch.is_tensor(value):
                setattr(self, name, value.to(device))
        return self
class Rows(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return torch.ones(index + 1), index
def collate(rows):
    values, names = zip(*rows)
    lengths = torch.tensor([len(one) for one in values])
    return Batch(nn.utils.rnn.pad_sequence(values, batch_first=True), lengths, names)
for batch in DataLoader(Rows(), batch_size=2, collate_fn=collate):
    batch = batch.to("cpu")
    print((batch.values.sum(1) / batch.lengths).tolist(), batch.names)

class Output(NamedTuple):
    loss: torch.Tensor
    count: torch.Tensor
one = Output(torch.ones(3), torch.tensor([1, 2, 3]))
print((one.loss + one.count).tolist(), (one.count / one.loss).tolist())
