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
for _name in ("IterableDataset", "Sampler"):
    rules.row(f"torch.utils.data.{_name}", "object()", value="object")
rules.row("torch.utils.data.Subset", "TorchSubset({dataset}, {indices})", value="TorchSubset")
rules.row("torch.utils.data.ConcatDataset", "TorchConcatDataset({datasets})")
rules.row("torch.utils.data.SequentialSampler", "range(len({data_source}))")
rules.row(
    "torch.utils.data.BatchSampler",
    "TorchBatchSampler({sampler}, {batch_size}, {drop_last})",
    value="TorchBatchSampler",
)
rules.row("torch.utils.data.default_collate", "torch_stacked({batch})", value="torch_stacked")
for _name in ("dataset", "batch_size", "drop_last"):
    rules.keep(f"torch.utils.data.DataLoader.{_name}")
for _name in ("dataset", "indices"):
    rules.keep(f"torch.utils.data.Subset.{_name}")
for _name in ("get_worker_info",):
    rules.row(f"torch.utils.data.{_name}", "None", note="the loader of JAX has no workers")
rules.row("torch.utils.data.TensorDataset", "TorchTensorDataset(*{tensors})")
rules.keep("torch.utils.data.TensorDataset.tensors")


@rules.rule("torch.utils.data.DataLoader")
def loader(match: Match) -> Outcome:
    """Write the loader without what affects only its speed."""
    for name in ("generator", "in_order"):
        if match.given(name):
            return Refusal(f"its argument `{name}` has no equivalent")
    if match.given("worker_init_fn") and match.constant("num_workers", 0) != 0:
        return Refusal("its argument `worker_init_fn` has no equivalent")
    if "batch_size" in match and match.constant("batch_size") is None:
        return Refusal("a loader without batches has no equivalent", "iterate over the data set")
    return Rewrite(
        "TorchDataLoader({dataset}, {batch_size=1}, shuffle={shuffle}, drop_last={drop_last},"
        " collate_fn={collate_fn}, sampler={sampler}, batch_sampler={batch_sampler})",
        consumed=frozenset(
            name for name in match.arguments if name in _SPEED or name == "worker_init_fn"
        ),
        differs=(Difference.RANDOM_DRAWS,) if match.given("shuffle") else (),
    )
