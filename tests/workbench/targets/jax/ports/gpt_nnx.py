import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Block(nnx.Module):
    def __init__(self, d, heads, p, *, rngs):
        self.heads = heads
        self.ln1 = nnx.LayerNorm(d, epsilon=1e-5, rngs=rngs)
        self.attn_in = nnx.Linear(d, 3 * d, rngs=rngs)
        self.attn_out = nnx.Linear(d, d, rngs=rngs)
        self.ln2 = nnx.LayerNorm(d, epsilon=1e-5, rngs=rngs)
        self.fc1 = nnx.Linear(d, 4 * d, rngs=rngs)
        self.fc2 = nnx.Linear(4 * d, d, rngs=rngs)
        self.dropout = nnx.Dropout(p, rngs=rngs)

    def __call__(self, x):
        b, t, d = x.shape
        q, k, v = jnp.split(self.attn_in(self.ln1(x)), 3, axis=-1)
        q, k, v = (a.reshape(b, t, self.heads, -1) for a in (q, k, v))
        scores = jnp.einsum("bthd,bshd->bhts", q, k) / (d // self.heads) ** 0.5
        mask = jnp.tril(jnp.ones((t, t), bool))
        weights = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1)
        y = jnp.einsum("bhts,bshd->bthd", weights, v).reshape(b, t, d)
        x = x + self.dropout(self.attn_out(y))
        return x + self.dropout(self.fc2(jax.nn.gelu(self.fc1(self.ln2(x)), approximate=False)))


class GPT(nnx.Module):
    def __init__(self, vocab=31, d=16, layers=2, heads=4, length=12, p=0.1, *, rngs: nnx.Rngs):
        self.wte = nnx.Embed(vocab, d, rngs=rngs)
        self.wpe = nnx.Param(jnp.zeros((length, d)))
        self.layers = nnx.List([Block(d, heads, p, rngs=rngs) for _ in range(layers)])
        self.ln_f = nnx.LayerNorm(d, epsilon=1e-5, rngs=rngs)
        self.lm_head = nnx.Linear(d, vocab, use_bias=False, rngs=rngs)

    def __call__(self, ids):
        x = self.wte(ids) + self.wpe[: ids.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.ln_f(x))


def loss(logits, targets):
    return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()


def optimizer(model):
    return nnx.Optimizer(model, optax.adamw(1e-3, weight_decay=0.01), wrt=nnx.Param)
