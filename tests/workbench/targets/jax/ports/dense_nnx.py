import jax
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.body = nnx.Linear(6, 8, rngs=rngs)
        self.norm = nnx.BatchNorm(8, momentum=0.9, rngs=rngs)
        self.drop = nnx.Dropout(0.2, rngs=rngs)
        self.head = nnx.Linear(8, 5, rngs=rngs)

    def __call__(self, x):
        x = self.norm(self.body(x))
        x = self.drop(jax.nn.silu(x))
        return self.head(x)


def loss(logits, targets):
    return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()


def optimizer(model):
    return nnx.Optimizer(model, optax.sgd(0.05, momentum=0.9, nesterov=True), wrt=nnx.Param)
