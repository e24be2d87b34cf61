import paddle
import paddle.nn as nn
import paddle.nn.functional as F


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(9, 6)
        self.rnn = nn.LSTM(6, 8, num_layers=2)
        self.mean = nn.Linear(8, 4)
        self.log_variance = nn.Linear(8, 4)
        self.decode = nn.Linear(4, 9)

    def forward(self, ids):
        states, _ = self.rnn(self.emb(ids))
        last = states[:, -1, :]
        mu = self.mean(last)
        logvar = self.log_variance(last)
        z = mu
        if self.training:
            z = mu + (logvar * 0.5).exp() * paddle.randn(mu.shape, dtype=mu.dtype)
        inner = 1 + logvar - mu.square() - logvar.exp()
        kl = inner.sum(axis=1) * -0.5
        logits = self.decode(F.tanh(z))
        return F.log_softmax(logits, axis=-1), kl.mean()
