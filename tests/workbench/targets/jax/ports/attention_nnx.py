import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.attn = nnx.MultiHeadAttention(2, 8, decode=False, rngs=rngs)
        self.act = nnx.PReLU(0.25)
        self.out = nnx.Linear(8, 3, rngs=rngs)
        self.scale = jnp.full((3,), 2.0)  # a bare array, not a weight

    def __call__(self, x):
        return self.out(self.act(self.attn(x))) * self.scale
