"""A loss that is not reduced, divided by counts."""

import torch
from torch import nn

ids = torch.tensor([0, 2, 2])
criterion = nn.CrossEntropyLoss(reduction="none")
losses = criterion(torch.zeros(3, 4), ids)
print((losses / torch.tensor([1, 2, 3])).tolist())
by_word = nn.BCEWithLogitsLoss(None, reduction="none")
print((by_word(torch.ones(3), torch.zeros(3)) * ids).tolist())
