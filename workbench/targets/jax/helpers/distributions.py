"""Distributions with torch's members."""

import math

import jax
import jax.numpy as jnp
from jax import lax


class TorchDistribution:
    """What all distributions have."""

    batch_shape, event_shape = (), ()

    @property
    def stddev(self):
        return jnp.sqrt(self.variance)

    def perplexity(self):
        return jnp.exp(self.entropy())

    def sample(self, sample_shape, rngs):
        return lax.stop_gradient(self.rsample(sample_shape, rngs))


class TorchNormal(TorchDistribution):
    def __init__(self, loc, scale):
        self.loc, self.scale = jnp.broadcast_arrays(*map(jnp.asarray, (loc, scale)))
        self.batch_shape = self.loc.shape
        self.mean = self.mode = self.loc
        self.variance = self.scale**2

    @property
    def stddev(self):
        return self.scale

    def log_prob(self, value):
        square = (value - self.loc) ** 2 / (2 * self.scale**2)
        return -square - jnp.log(self.scale) - math.log(math.sqrt(2 * math.pi))

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + jnp.log(self.scale)

    def cdf(self, value):
        return 0.5 * (1 + lax.erf((value - self.loc) / self.scale / math.sqrt(2)))

    def icdf(self, value):
        return self.loc + self.scale * lax.erf_inv(2 * value - 1) * math.sqrt(2)

    def rsample(self, sample_shape, rngs):
        return self.loc + self.scale * rngs.normal((*sample_shape, *self.batch_shape))


class TorchMultivariateNormal(TorchDistribution):
    """Vectors of normal values, by their covariance or by the lower factor of it."""

    def __init__(self, loc, covariance_matrix=None, scale_tril=None):
        if scale_tril is None:
            scale_tril = jnp.linalg.cholesky(covariance_matrix)
        self.batch_shape = jnp.broadcast_shapes(loc.shape[:-1], scale_tril.shape[:-2])
        self.event_shape = loc.shape[-1:]
        self.loc = jnp.broadcast_to(loc, self.batch_shape + self.event_shape)
        self.scale_tril = jnp.broadcast_to(scale_tril, self.loc.shape + self.event_shape)
        self.mean = self.mode = self.loc
        self.covariance_matrix = self.scale_tril @ self.scale_tril.swapaxes(-1, -2)
        self.variance = (self.scale_tril**2).sum(-1)
        places = jnp.arange(loc.shape[-1])
        self.half_logdet = jnp.log(self.scale_tril[..., places, places]).sum(-1)

    def log_prob(self, value):
        gap = value - self.loc
        factor = jnp.broadcast_to(self.scale_tril, gap.shape + self.event_shape)
        scaled = jax.scipy.linalg.solve_triangular(factor, gap[..., None], lower=True)[..., 0]
        constant = self.loc.shape[-1] * math.log(2 * math.pi)
        return -0.5 * (constant + (scaled**2).sum(-1)) - self.half_logdet

    def entropy(self):
        return 0.5 * self.loc.shape[-1] * (1 + math.log(2 * math.pi)) + self.half_logdet

    def rsample(self, sample_shape, rngs):
        drawn = rngs.normal((*sample_shape, *self.loc.shape))
        return self.loc + (self.scale_tril @ drawn[..., None])[..., 0]


class TorchDiscrete(TorchDistribution):
    """Events of these probabilities, or of these numbers before they are normalized."""

    def __init__(self, probs=None, logits=None):
        if logits is None:
            self.given = self.probs = self.normalized(jnp.asarray(probs))
            limit = jnp.finfo(self.probs.dtype).eps
            self.logits = self.before(jnp.clip(self.probs, limit, 1 - limit))
        else:
            self.logits = self.normalized_before(jnp.asarray(logits))
            self.given, self.probs = self.logits, self.after(self.logits)


class TorchCategorical(TorchDiscrete):
    before = staticmethod(jnp.log)

    def __init__(self, probs=None, logits=None):
        super().__init__(probs, logits)
        self.batch_shape = self.given.shape[:-1]

    def normalized(self, probs):
        return probs / probs.sum(-1, keepdims=True)

    def normalized_before(self, logits):
        return logits - jax.nn.logsumexp(logits, -1, keepdims=True)

    def after(self, logits):
        return jax.nn.softmax(logits, -1)

    @property
    def mode(self):
        return self.probs.argmax(-1)

    def log_prob(self, value):
        places = jnp.asarray(value).astype(jnp.int32)[..., None]
        shape = jnp.broadcast_shapes(places.shape[:-1], self.batch_shape)
        places = jnp.broadcast_to(places, (*shape, 1))
        logits = jnp.broadcast_to(self.logits, (*shape, self.logits.shape[-1]))
        return jnp.take_along_axis(logits, places, -1)[..., 0]

    def entropy(self):
        logits = jnp.maximum(self.logits, jnp.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        count = self.logits.shape[-1]
        values = jnp.arange(count).reshape(-1, *[1] * len(self.batch_shape))
        return jnp.broadcast_to(values, (count, *self.batch_shape)) if expand else values

    def sample(self, sample_shape, rngs):
        shape = (*sample_shape, *self.batch_shape)
        return rngs.categorical(lax.stop_gradient(self.logits), axis=-1, shape=shape)


class TorchBernoulli(TorchDiscrete):
    normalized = normalized_before = staticmethod(lambda given: given)
    before, after = staticmethod(lambda p: jnp.log(p) - jnp.log1p(-p)), staticmethod(jax.nn.sigmoid)

    def __init__(self, probs=None, logits=None):
        super().__init__(probs, logits)
        self.batch_shape = self.given.shape
        self.mean, self.variance = self.probs, self.probs * (1 - self.probs)

    def log_prob(self, value):
        return value * self.logits - jax.nn.softplus(self.logits)

    def entropy(self):
        return jax.nn.softplus(self.logits) - self.probs * self.logits

    def sample(self, sample_shape, rngs):
        shape = (*sample_shape, *self.batch_shape)
        return rngs.bernoulli(lax.stop_gradient(self.probs), shape).astype(self.probs.dtype)


class TorchIndependent(TorchDistribution):
    """A distribution whose last dimensions are one event."""

    def __init__(self, base_dist, reinterpreted_batch_ndims):
        self.base_dist, self.count = base_dist, reinterpreted_batch_ndims
        split = len(base_dist.batch_shape) - self.count
        self.batch_shape = base_dist.batch_shape[:split]
        self.event_shape = base_dist.batch_shape[split:] + base_dist.event_shape

    def __getattr__(self, name):
        if name in ("mean", "variance", "mode"):
            return getattr(self.base_dist, name)
        raise AttributeError(name)

    def log_prob(self, value):
        return self.base_dist.log_prob(value).sum(tuple(range(-self.count, 0)))

    def entropy(self):
        return self.base_dist.entropy().sum(tuple(range(-self.count, 0)))

    def rsample(self, sample_shape, rngs):
        return self.base_dist.rsample(sample_shape, rngs)

    def sample(self, sample_shape, rngs):
        return self.base_dist.sample(sample_shape, rngs)


def torch_kl_divergence(p, q):
    """How far one distribution is from another of the same kind."""
    if isinstance(p, TorchNormal) and isinstance(q, TorchNormal):
        ratio = (p.scale / q.scale) ** 2
        return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - jnp.log(ratio))
    if isinstance(p, TorchCategorical) and isinstance(q, TorchCategorical):
        parts = jnp.where(p.probs == 0, 0, p.probs * (p.logits - q.logits))
        return jnp.where((q.probs == 0) & (p.probs != 0), jnp.inf, parts).sum(-1)
    if isinstance(p, TorchBernoulli) and isinstance(q, TorchBernoulli):
        base = jax.nn.softplus(q.logits) - jax.nn.softplus(p.logits)
        return p.probs * (p.logits - q.logits) + base
    if isinstance(p, TorchMultivariateNormal) and isinstance(q, TorchMultivariateNormal):
        return torch_kl_of_vectors(p, q)
    if isinstance(p, TorchIndependent) and isinstance(q, TorchIndependent) and p.count == q.count:
        parts = torch_kl_divergence(p.base_dist, q.base_dist)
        return parts.sum(tuple(range(-p.count, 0)))
    raise NotImplementedError("these distributions are not compared")


def torch_kl_of_vectors(p, q):
    """How far one distribution of normal vectors is from another."""
    gap = (q.loc - p.loc)[..., None]
    own, factor = jnp.broadcast_arrays(p.scale_tril, q.scale_tril)
    factor = jnp.broadcast_to(factor, (*gap.shape[:-2], *factor.shape[-2:]))
    own = jnp.broadcast_to(own, factor.shape)
    parts = [jax.scipy.linalg.solve_triangular(factor, one, lower=True) for one in (own, gap)]
    squares = sum((part**2).sum((-2, -1)) for part in parts)
    return q.half_logdet - p.half_logdet + 0.5 * (squares - gap.shape[-2])
