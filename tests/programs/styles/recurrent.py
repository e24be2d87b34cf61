"""A tagger of sequences with packed batches."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Words(Dataset):
    def __init__(self, texts, tags):
        self.texts, self.tags = texts, tags

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, at):
        return torch.tensor(self.texts[at]), torch.tensor(self.tags[at])


def together(batch):
    words, tags = zip(*batch)
    lengths = torch.tensor([len(one) for one in words])
    words = pad_sequence(words, batch_first=True)
    return words, pad_sequence(tags, batch_first=True, padding_value=-100), lengths


class Tagger(nn.Module):
    def __init__(self, count, tags, width=16):
        super().__init__()
        self.embed = nn.Embedding(count, width, padding_idx=0)
        self.rnn = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(2 * width, tags)

    def forward(self, words, lengths=None):
        hidden, _ = self.rnn(self.embed(words))
        if lengths is not None:
            mask = torch.arange(words.shape[1])[None, :] < lengths[:, None]
            hidden = hidden * mask.unsqueeze(-1).to(hidden.dtype)
        return self.out(self.drop(hidden))


def run(texts, tags, count, kinds):
    torch.manual_seed(0)
    model = Tagger(count, kinds)
    loss_fn = nn.CrossEntropyLoss(ignore_index=-100)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    loader = DataLoader(Words(texts, tags), batch_size=2, shuffle=True, collate_fn=together)
    for words, wanted, lengths in loader:
        optimizer.zero_grad()
        scores = model(words, lengths)
        loss = loss_fn(scores.view(-1, scores.size(-1)), wanted.view(-1))
        loss.backward()
        optimizer.step()
    return model, float(loss)
