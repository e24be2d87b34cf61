import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.fc = nnx.Linear(6, 6, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    @nnx.jit(static_argnames="train")
    def __call__(self, x, train: bool = False):
        return self.drop(self.fc(x), deterministic=not train)


def loss(out, y):
    return ((out - y) ** 2).mean()


def optimizer(model):
    return nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
