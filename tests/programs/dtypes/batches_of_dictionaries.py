import torch
from torch.utils.data import DataLoader, Dataset, random_split


class Sequences(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        sample = {"x": torch.arange(4.0).add(i).sin(), "valid": torch.arange(4) < i % 4 + 1}
        sample["label"] = i % 3
        sample["weight"] = 0.5 * i
        return sample


class Pairs(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        x = torch.arange(3.0) + i
        return x, (x > 2, i)


def evaluate(loader):
    total = 0
    for batch in loader:
        x, valid, label = batch["x"], batch["valid"], batch["label"]
        total += (x * valid).sum().item() + (batch["label"] * batch["weight"]).sum().item()
        print(((x.sum(1) > 0) == label).float().mean().item(), (label - x.sum(1)).tolist())
    return total


data = Sequences(6)
print(evaluate(DataLoader(data, batch_size=3)), evaluate(DataLoader(Sequences(4), batch_size=2)))
part, rest = random_split(data, [6, 0])
print(sum((b["x"] * b["valid"]).sum().item() for b in DataLoader(part, batch_size=2)))
for x, (large, place) in DataLoader(Pairs(), batch_size=2):
    print((x * large).tolist(), (x + place[:, None]).tolist(), (x.mean(1) / (place + 1)).tolist())


def padded(batch):
    tokens = torch.nn.utils.rnn.pad_sequence([x for x, _ in batch], batch_first=True)
    lengths = torch.tensor([len(x) for x, _ in batch])
    return tokens, tokens != 0, lengths, [place for _, place in batch]


for tokens, mask, lengths, _ in DataLoader(Pairs(), batch_size=2, collate_fn=padded):
    print((tokens * mask).sum().item(), (tokens.sum(1) / lengths).tolist())
