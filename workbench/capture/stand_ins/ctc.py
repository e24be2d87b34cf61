"""The CTC loss in plain operators, as torch's own has no shape function and cannot be captured."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor
from torch._higher_order_ops.scan import scan_op
from torch.fx.experimental.proxy_tensor import get_proxy_mode

if TYPE_CHECKING:
    from collections.abc import Iterator

# Replaces the logarithm of zero, whose sums have no gradient.
_NEVER = -1e30


@contextmanager
def spelled_out() -> Iterator[None]:
    """Trace the CTC loss as sums over alignments while open."""
    original = torch.ctc_loss

    def chosen(*args: Any, **kwargs: Any) -> Tensor:
        return (original if get_proxy_mode() is None else ctc_loss)(*args, **kwargs)

    with patch.object(torch, "ctc_loss", chosen):
        yield


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Tensor:
    """Return `torch.ctc_loss`, computed step by step as sums over all alignments."""
    alone = log_probs.dim() == 2
    if alone:
        log_probs, targets = log_probs.unsqueeze(1), targets.reshape(1, -1)
    targets, (steps, batch, _) = targets.to(torch.int64), log_probs.shape
    device = log_probs.device
    ends = torch.as_tensor(input_lengths, device=device).reshape(batch)
    sizes = torch.as_tensor(target_lengths, device=device).reshape(batch)
    if targets.dim() == 1:
        longest = max(int(size) for size in target_lengths)
        places = (sizes.cumsum(0) - sizes)[:, None] + torch.arange(longest, device=device)
        targets = targets[places.clamp(max=targets.shape[0] - 1)]
    # A blank before each class and at the end.
    blanks = torch.full_like(targets, blank)
    classes = torch.stack([blanks, targets], 2).reshape(batch, -1)
    classes = torch.cat([classes, blanks[:, :1]], 1)
    leaps = (classes[:, 2:] != blank) & (classes[:, 2:] != classes[:, :-2])
    leaps = F.pad(leaps, (2, 0), value=False)
    emitted = log_probs.gather(2, classes.expand(steps, -1, -1))
    within = torch.arange(steps, device=device)[:, None] < ends
    start = F.pad(emitted[0, :, :2], (0, classes.shape[1] - 2), value=_NEVER)
    total, _ = scan_op(_step, [start], [emitted[1:], within[1:, :, None]], [leaps])
    last = 2 * sizes[:, None]
    at_class = total.gather(1, (last - 1).clamp(min=0)).masked_fill(last == 0, _NEVER)
    loss = -torch.logaddexp(total.gather(1, last), at_class)[:, 0]
    # torch's gradient assumes that the log probabilities come from a softmax.
    likely = log_probs.exp()
    loss = loss + ((likely - likely.detach()) * within[:, :, None]).sum((0, 2))
    impossible = loss > -_NEVER / 2
    loss = loss.masked_fill(impossible, 0.0 if zero_infinity else float("inf"))
    if reduction == 0:
        return loss[0] if alone else loss
    return loss.sum() if reduction == 2 else (loss / sizes.clamp(min=1)).mean()


def _step(total: Tensor, emitted: Tensor, within: Tensor, leaps: Tensor) -> list[Tensor]:
    one = F.pad(total[:, :-1], (1, 0), value=_NEVER)
    two = F.pad(total[:, :-2], (2, 0), value=_NEVER).masked_fill(~leaps, _NEVER)
    reached = torch.stack([total, one, two]).logsumexp(0) + emitted
    found = torch.where(within, reached, total)
    return [found, found[:, :1].clone()]
