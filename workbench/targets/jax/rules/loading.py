"""Data sets and loaders: a loader becomes a class of a few lines that stacks items."""

from __future__ import annotations

from workbench.rules.difference import Difference
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Refusal, Rewrite
from workbench.rules.rule import RuleSet

rules = RuleSet()
# Arguments that affect only speed.
_SPEED = frozenset(
    {
        "num_workers",
        "pin_memory",
        "prefetch_factor",
        "persistent_workers",
        "timeout",
        "pin_memory_device",
        "multiprocessing_context",
    }
)

rules.row("torch.utils.data.Dataset", "object()", value="object")
rules.row("torch.utils.data.TensorDataset", "TorchTensorDataset(*{tensors})")


@rules.rule("torch.utils.data.DataLoader")
def loader(match: Match) -> Outcome:
    """Write the loader without what affects only its speed."""
    for name in ("sampler", "batch_sampler", "generator", "worker_init_fn", "in_order"):
        if match.given(name):
            return Refusal(f"its argument `{name}` has no equivalent")
    if "batch_size" in match and match.constant("batch_size") is None:
        return Refusal("a loader without batches has no equivalent", "iterate over the data set")
    return Rewrite(
        "TorchDataLoader({dataset}, {batch_size=1}, shuffle={shuffle}, drop_last={drop_last},"
        " collate_fn={collate_fn})",
        consumed=frozenset(name for name in match.arguments if name in _SPEED),
        differs=(Difference.RANDOM_DRAWS,) if match.given("shuffle") else (),
    )
