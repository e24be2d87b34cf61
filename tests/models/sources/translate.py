"""Translation with recurrent layers: packed sequences, attention, and a decoder fed its own words."""

import random
from typing import Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Reader(nn.Module):
    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width, padding_idx=0)
        self.rnn = nn.GRU(width, width, bidirectional=True)
        self.bridge = nn.Linear(2 * width, width)

    def forward(self, source: Tensor, lengths: Tensor) -> Tuple[Tensor, Tensor]:
        packed = pack_padded_sequence(self.embedding(source), lengths.cpu(), enforce_sorted=False)
        outputs, hidden = self.rnn(packed)
        outputs, _ = pad_packed_sequence(outputs)
        return outputs, torch.tanh(self.bridge(torch.cat((hidden[-2, :, :], hidden[-1]), dim=1)))


class Writer(nn.Module):
    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.attend = nn.Linear(3 * width, width)
        self.score = nn.Parameter(torch.rand(width))
        self.cell = nn.LSTMCell(3 * width, width)
        self.out = nn.Linear(width, words)

    def forward(self, word, state, read, mask):
        hidden, memory = state
        again = hidden.unsqueeze(0).expand(read.size(0), -1, -1)
        energy = torch.tanh(self.attend(torch.cat((again, read), dim=2))).matmul(self.score)
        weights = F.softmax(energy.t().masked_fill(mask == 0, -1e10), dim=1)
        context = torch.bmm(weights.unsqueeze(1), read.transpose(0, 1)).squeeze(1)
        hidden, memory = self.cell(torch.cat([self.embedding(word), context], 1), (hidden, memory))
        return self.out(hidden), (hidden, memory)


class Translator(nn.Module):
    def __init__(self, words=10, width=8, device="cpu"):
        super().__init__()
        self.reader, self.writer = Reader(words, width), Writer(words, width)
        self.words = words
        self.device = torch.device("cuda" if torch.cuda.is_available() else device)
        for name, parameter in self.named_parameters():
            if "weight" in name:
                nn.init.normal_(parameter.data, mean=0, std=0.5)
            else:
                nn.init.constant_(parameter.data, 0.1)

    def forward(self, source, lengths, target, forcing=0.5):
        read, hidden = self.reader(source, lengths)
        mask = torch.arange(read.size(0), device=self.device)[None, :] < lengths[:, None]
        outputs = torch.zeros(target.shape[0], source.shape[1], self.words).to(self.device)
        state = (hidden, torch.zeros_like(hidden))
        word = target[0, :]
        for step in range(1, target.shape[0]):
            outputs[step], state = self.writer(word, state, read, mask)
            best = outputs[step].max(1)[1]
            word = target[step] if random.random() < forcing else best
        return outputs
