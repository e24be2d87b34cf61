"""Spectra of short windows and alignments of sequences, as torch computes them."""

import jax
import jax.numpy as jnp
from jax import lax


def torch_padded_window(window, length, size):
    """A window of `size` values, in the middle of which the given one stands."""
    window = jnp.ones(length) if window is None else window
    before = (size - length) // 2
    return jnp.pad(window, (before, size - length - before))


def torch_stft(
    input,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    pad_mode="reflect",
    normalized=False,
    onesided=True,
):
    """The Fourier transforms of windows, one column a window."""
    hop = hop_length or n_fft // 4
    window = torch_padded_window(window, win_length or n_fft, n_fft)
    x = input
    if center:
        pads = [(0, 0)] * (x.ndim - 1) + [(n_fft // 2, n_fft // 2)]
        x = jnp.pad(x, pads, mode={"replicate": "edge", "circular": "wrap"}.get(pad_mode, pad_mode))
    starts = jnp.arange(0, x.shape[-1] - n_fft + 1, hop)
    frames = x[..., starts[:, None] + jnp.arange(n_fft)] * window
    whole = jnp.iscomplexobj(frames) or not onesided
    spectra = jnp.fft.fft(frames) if whole else jnp.fft.rfft(frames)
    spectra = spectra * n_fft**-0.5 if normalized else spectra
    return spectra.swapaxes(-1, -2)


def torch_istft(
    input,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    normalized=False,
    onesided=True,
    length=None,
):
    """The signal of which overlapping windows have these Fourier transforms."""
    hop = hop_length or n_fft // 4
    window = torch_padded_window(window, win_length or n_fft, n_fft)
    spectra = input.swapaxes(-1, -2)
    spectra = spectra * n_fft**0.5 if normalized else spectra
    frames = jnp.fft.irfft(spectra, n_fft) if onesided else jnp.fft.ifft(spectra).real
    count = frames.shape[-2]
    size = n_fft + hop * (count - 1)
    places = (jnp.arange(count) * hop)[:, None] + jnp.arange(n_fft)
    sums = jnp.zeros((*frames.shape[:-2], size)).at[..., places].add(frames * window)
    weights = jnp.zeros(size).at[places].add(jnp.broadcast_to(window**2, places.shape))
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else size - start
    part = weights[start:end]
    if jnp.abs(part).min() < 1e-11:
        raise RuntimeError("window overlap add min: 1")
    signal = sums[..., start:end] / part
    missing = 0 if length is None else length - signal.shape[-1]
    return jnp.pad(signal, [(0, 0)] * (signal.ndim - 1) + [(0, missing)])


def torch_ctc_loss(
    log_probs,
    targets,
    input_lengths,
    target_lengths,
    blank=0,
    reduction="mean",
    zero_infinity=False,
):
    """Minus the logarithm of the probability of all alignments of the targets.

    As in torch, the gradient is the one of what a log_softmax has computed.
    """
    batched = log_probs.ndim == 3
    x = log_probs if batched else log_probs[:, None]
    steps, lengths = (jnp.atleast_1d(jnp.asarray(n)) for n in (input_lengths, target_lengths))
    most = max(int(lengths.max()), 1)
    if targets.ndim == 1 and (batched or lengths.size > 1):
        starts = jnp.cumsum(lengths) - lengths
        places = jnp.clip(starts[:, None] + jnp.arange(most), 0, targets.size - 1)
        labels = targets[places]
    else:
        labels = jnp.atleast_2d(targets)
        labels = jnp.pad(labels, [(0, 0), (0, max(most - labels.shape[1], 0))])[:, :most]
    batch = jnp.arange(x.shape[1])[:, None]
    states = jnp.full((x.shape[1], 2 * most + 1), blank).at[:, 1::2].set(labels)
    jumps = (states != blank) & (states != jnp.roll(states, 2, 1))
    jumps = jumps.at[:, :2].set(False)
    never = -1e30

    def shifted(values, count):
        return jnp.pad(values, ((0, 0), (count, 0)), constant_values=never)[:, :-count]

    def advance(alpha, now):
        step, scores = now
        jumped = jnp.where(jumps, shifted(alpha, 2), never)
        ways = jnp.stack([alpha, shifted(alpha, 1), jumped])
        new = jax.nn.logsumexp(ways, 0) + jnp.maximum(scores[batch, states], never)
        return jnp.where((step < steps)[:, None], new, alpha), None

    first = jnp.where(jnp.arange(2 * most + 1) < 2, x[0][batch, states], never)
    alpha, _ = lax.scan(advance, first, (jnp.arange(1, x.shape[0]), x[1:]))
    last = 2 * lengths
    ends = alpha[batch[:, 0], last], alpha[batch[:, 0], jnp.maximum(last - 1, 0)]
    total = jnp.where(lengths == 0, ends[0], jnp.logaddexp(*ends))
    valid = (jnp.arange(x.shape[0])[:, None] < steps)[:, :, None]
    own = jnp.where(valid, lax.stop_gradient(jnp.exp(x)) * x, 0).sum((0, 2))
    losses = own - lax.stop_gradient(own) - total
    possible = total > never / 2
    if zero_infinity:
        losses = jnp.where(possible, losses, 0)
    else:  # the gradient of an infinite loss is NaN, as that of a root of zero times infinity
        root = jnp.sqrt(jnp.where(possible, 1, losses * 0))
        losses = jnp.where(possible, losses, jnp.inf + root)
    if reduction == "mean":
        return (losses / jnp.maximum(lengths, 1)).mean()
    return losses.sum() if reduction == "sum" else losses if batched else losses[0]
