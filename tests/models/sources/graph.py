"""Convolution and attention over a graph given as a dense matrix; old names of torch."""

import math

import torch
import torch.nn.functional as F
from torch.autograd import Variable
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class Convolution(Module):
    def __init__(self, before, after, bias=True):
        super(Convolution, self).__init__()
        self.before, self.after = before, after
        self.weight = Parameter(torch.FloatTensor(before, after))
        if bias:
            self.bias = Parameter(torch.FloatTensor(after))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1.0 / math.sqrt(self.weight.size(1))
        self.weight.data.uniform_(-bound, bound)
        if self.bias is not None:
            self.bias.data.uniform_(-bound, bound)

    def forward(self, x, edges):
        out = torch.mm(edges, torch.mm(x, self.weight))
        return out if self.bias is None else out + self.bias

    def __repr__(self):
        return f"{self.__class__.__name__} ({self.before} -> {self.after})"


class Attention(Module):
    def __init__(self, before, after, slope):
        super(Attention, self).__init__()
        self.after = after
        self.mix = Parameter(torch.empty(size=(before, after)))
        self.ask = Parameter(torch.empty(size=(2 * after, 1)))
        for parameter in (self.mix, self.ask):
            torch.nn.init.xavier_uniform_(parameter.data, gain=1.414)
        self.act = torch.nn.LeakyReLU(slope)

    def forward(self, x, edges):
        h = torch.mm(x, self.mix)
        first = torch.matmul(h, self.ask[: self.after, :])
        second = torch.matmul(h, self.ask[self.after :, :])
        scores = self.act(first + second.T)
        scores = torch.where(edges > 0, scores, -9e15 * torch.ones_like(scores))
        scores = F.dropout(F.softmax(scores, dim=1), 0.0, training=self.training)
        return F.elu(torch.matmul(scores, h))


class GraphNet(Module):
    def __init__(self, features, hidden, classes, heads):
        super(GraphNet, self).__init__()
        self.heads = [Attention(features, hidden, 0.2) for _ in range(heads)]
        for i, head in enumerate(self.heads):
            self.add_module("head_{}".format(i), head)
        self.direct = Convolution(features, classes, bias=False)
        self.last = Convolution(hidden * heads, classes)

    def forward(self, x, edges):
        mixed = torch.cat([head(x, edges) for head in self.heads], dim=1)
        edges = edges + Variable(torch.eye(edges.size(0)))
        return F.log_softmax(self.last(mixed, edges) + self.direct(x, edges), dim=1)


def accuracy(output, labels):
    guesses = output.max(1)[1].type_as(labels)
    return guesses.eq(labels).double().sum() / len(labels)
