import jax.numpy as jnp
import optax
from flax import nnx


def both_ways(features, hidden, rngs):
    ahead = nnx.RNN(nnx.OptimizedLSTMCell(features, hidden, rngs=rngs))
    back = nnx.RNN(nnx.OptimizedLSTMCell(features, hidden, rngs=rngs))
    return nnx.Bidirectional(ahead, back)


def gru_cell(features, hidden, rngs):
    cell = nnx.GRUCell(features, hidden, rngs=rngs)
    cell.dense_h = nnx.Linear(hidden, 3 * hidden, rngs=rngs)  # with torch's bias behind the gate
    return cell


class Net(nnx.Module):
    def __init__(self, features=3, hidden=5, words=7, *, rngs):
        self.encoder = nnx.List(
            [both_ways(features, hidden, rngs), both_ways(2 * hidden, hidden, rngs)]
        )
        self.reader = nnx.RNN(nnx.SimpleCell(2 * hidden, hidden, rngs=rngs), return_carry=True)
        self.writer = nnx.LSTMCell(hidden, hidden, rngs=rngs)
        self.gated = nnx.RNN(gru_cell(hidden, hidden, rngs))
        self.head = nnx.Linear(hidden, words, rngs=rngs)

    def __call__(self, x):
        for layer in self.encoder:
            x = layer(x)
        h, states = self.reader(x)
        c = h
        written = []
        for t in range(3):
            (c, h), _ = self.writer((c, h), states[:, t])
            written.append(h)
        return self.head(self.gated(jnp.stack(written, 1)))


def loss(logits, words):
    return optax.softmax_cross_entropy_with_integer_labels(logits, words).mean()


def optimizer(model):
    return nnx.Optimizer(model, optax.sgd(0.5, momentum=0.9), wrt=nnx.Param)
