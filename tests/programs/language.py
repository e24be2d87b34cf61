"""A word model whose recurrent layer is chosen by name on the command line."""
import argparse
import math
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_


class Corpus:
    def __init__(self, lines):
        self.words, self.index = [], {}
        self.ids = torch.tensor([self.add(word) for line in lines for word in line.split() + ["<eos>"]], dtype=torch.int64)

    def add(self, word):
        if word not in self.index:
            self.words.append(word)
            self.index[word] = len(self.words) - 1
        return self.index[word]


class RNNModel(nn.Module):
    def __init__(self, kind, words, width, layers, dropout=0.0, tied=False):
        super().__init__()
        self.kind, self.words, self.width, self.layers = kind, words, width, layers
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(words, width)
        if kind in ["LSTM", "GRU"]:
            self.rnn = getattr(nn, kind)(width, width, layers, dropout=dropout)
        else:
            self.rnn = nn.RNN(width, width, layers, nonlinearity={"RNN_TANH": "tanh", "RNN_RELU": "relu"}[kind], dropout=dropout)
        self.decoder = nn.Linear(width, words)
        if tied:
            self.decoder.weight = self.encoder.weight
        self.init_weights()

    def init_weights(self):
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)

    def forward(self, ids, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(ids)), hidden)
        scores = self.decoder(self.drop(output)).view(-1, self.words)
        return F.log_softmax(scores, dim=1), hidden

    def init_hidden(self, batch):
        weight = next(self.parameters())
        start = weight.new_zeros(self.layers, batch, self.width)
        return (start, start.clone()) if self.kind == "LSTM" else start


class PositionalEncoding(nn.Module):
    def __init__(self, width, length=64):
        super().__init__()
        table = torch.zeros(length, width)
        position = torch.arange(0, length, dtype=torch.float).unsqueeze(1)
        rate = torch.exp(torch.arange(0, width, 2).float() * (-math.log(10000.0) / width))
        table[:, 0::2] = torch.sin(position * rate)
        table[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("table", table.unsqueeze(0).transpose(0, 1))

    def forward(self, x):
        return x + self.table[: x.size(0), :]


class TransformerModel(nn.Module):
    def __init__(self, words, width, heads, layers, dropout=0.0):
        super().__init__()
        self.width = width
        self.mask = None
        self.embedding = nn.Embedding(words, width)
        self.places = PositionalEncoding(width)
        layer = nn.TransformerEncoderLayer(width, heads, 2 * width, dropout)
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.decoder = nn.Linear(width, words)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)

    def forward(self, ids):
        if self.mask is None or self.mask.size(0) != len(ids):
            self.mask = torch.log(torch.tril(torch.ones(len(ids), len(ids)))).to(ids.device)
        x = self.places(self.embedding(ids) * math.sqrt(self.width))
        return F.log_softmax(self.decoder(self.encoder(x, mask=self.mask)), dim=-1)


def batchify(ids, batch):
    count = ids.size(0) // batch
    return ids.narrow(0, 0, count * batch).view(batch, -1).t().contiguous()


def get_batch(source, start, length):
    length = min(length, len(source) - 1 - start)
    return source[start : start + length], source[start + 1 : start + 1 + length].view(-1)


def repackage(hidden):
    if isinstance(hidden, torch.Tensor):
        return hidden.detach()
    return tuple(repackage(part) for part in hidden)


LINES = ["the cat saw the dog and the dog saw the cat", "a cat and a dog ran to the house", "the house saw a cat"] * 4


def build(kind="LSTM"):
    words = len(Corpus(LINES).words)
    if kind == "Transformer":
        return TransformerModel(words, 16, 2, 2)
    return RNNModel(kind, words, 16, 2, tied=True)


def train(model, kind="LSTM", length=5, batch=4, rate=2.0, clip=0.25, epochs=4):
    corpus = Corpus(LINES)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = batchify(corpus.ids, batch).to(device)
    criterion = nn.NLLLoss()
    losses, rates, best = [], [], None
    for epoch in range(1, epochs + 1):
        model.train()
        total, began = 0.0, time.time()
        if kind != "Transformer":
            hidden = model.init_hidden(batch)
        for place, start in enumerate(range(0, data.size(0) - 1, length)):
            ids, targets = get_batch(data, start, length)
            model.zero_grad()
            if kind == "Transformer":
                output = model(ids).view(-1, len(corpus.words))
            else:
                hidden = repackage(hidden)
                output, hidden = model(ids, hidden)
            loss = criterion(output, targets)
            loss.backward()
            clip_grad_norm_(model.parameters(), clip)
            for p in model.parameters():
                p.data.add_(p.grad, alpha=-rate)
            total += loss.item()
            losses.append(loss.item())
        print("| epoch {:3d} | lr {:02.2f} | loss {:5.2f} | {:.0f} s".format(epoch, rate, total / (place + 1), time.time() - began))
        rates.append(rate)
        if best is None or total < best:
            best = total
        else:
            rate /= 4.0
    return losses, rates


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="word model")
    parser.add_argument("--model", type=str, default="LSTM", help="RNN_TANH, RNN_RELU, LSTM, GRU or Transformer")
    parser.add_argument("--seed", type=int, default=1111)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    print(train(build(args.model), args.model))
