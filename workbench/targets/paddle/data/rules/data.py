"""Datasets, samplers and data loaders."""

from __future__ import annotations

import ast

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome, Rewrite
from workbench.rules.rule import RuleSet
from workbench.source.uses import UseKind
from workbench.words import words

rules = RuleSet()

_D = "torch.utils.data"

rules.row(f"{_D}.Dataset", "paddle.io.Dataset()", value="paddle.io.Dataset")
rules.keep(f"{_D}.Dataset.__getitem__")
rules.row(f"{_D}.Dataset.__add__", "torch_joined_datasets({self}, {other})")
rules.row(f"{_D}.IterableDataset", "TorchIterableDataset()", value="TorchIterableDataset")


@rules.rule(f"{_D}.TensorDataset", value="paddle.io.TensorDataset")
def tensor_dataset(match: Match) -> Outcome:
    """Pass the tensors as one list; the constructor of a subclass may do so already."""
    given = match.arguments["tensors"].nodes if "tensors" in match else []
    is_list = len(given) == 1 and isinstance(given[0], ast.List)
    if match.use.kind is UseKind.SUPER and is_list:
        return Keep()
    return Rewrite("paddle.io.TensorDataset({tensors})")


rules.row(f"{_D}.Subset", "paddle.io.Subset({dataset}, {indices})")
rules.row(f"{_D}.ConcatDataset", "paddle.io.ConcatDataset({datasets})")
rules.row(f"{_D}.ChainDataset", "TorchChainDataset({datasets})")
rules.counterpart(f"{_D}.StackDataset", "TorchStackDataset")
rules.row(
    f"{_D}.random_split",
    "torch_random_split({dataset}, {lengths}, {generator})",
    note="with a seeded generator the split equals torch's",
)

rules.counterpart(
    f"{_D}.DataLoader",
    "TorchDataLoader",
    note="memory is not pinned; worker processes are always forked",
)
for _member in words(
    "batch_size dataset drop_last generator num_workers persistent_workers pin_memory "
    "prefetch_factor timeout worker_init_fn sampler batch_sampler __iter__ __len__"
):
    rules.keep(f"{_D}.DataLoader.{_member}")


@rules.rule(f"{_D}.DataLoader.collate_fn")
def _collate_fn(match: Match) -> Outcome:
    """Write a data member that is called."""
    return Keep()


rules.row(f"{_D}.default_collate", "torch_default_collate({batch})")
rules.row(f"{_D}.default_convert", "torch_default_convert({data})")
rules.row(f"{_D}.get_worker_info", "torch_worker_info()")

rules.row(f"{_D}.Sampler", "paddle.io.Sampler()", value="paddle.io.Sampler")
rules.row(
    f"{_D}.SequentialSampler",
    "paddle.io.SequenceSampler({data_source})",
    value="paddle.io.SequenceSampler",
)
rules.counterpart(
    f"{_D}.RandomSampler",
    "TorchRandomSampler",
    note="with a seeded generator the order equals torch's",
)
rules.counterpart(f"{_D}.SubsetRandomSampler", "TorchSubsetRandomSampler")
rules.counterpart(
    f"{_D}.WeightedRandomSampler",
    "TorchWeightedRandomSampler",
    note="it draws other numbers than torch from the same seed",
)
rules.counterpart(f"{_D}.BatchSampler", "TorchBatchSampler")
rules.counterpart(f"{_D}.DistributedSampler", "TorchDistributedSampler")
# Members that the helpers and Paddle's classes have under the same name.
_MEMBERS = {
    "Subset": "dataset indices __len__ __getitem__",
    "ConcatDataset": "datasets cumulative_sizes __len__ __getitem__ cumsum",
    "StackDataset": "datasets __len__",
    "TensorDataset": "tensors __len__",
    "SequentialSampler": "data_source __len__ __iter__",
    "RandomSampler": "data_source generator num_samples replacement __len__ __iter__",
    "SubsetRandomSampler": "indices generator __len__ __iter__",
    "WeightedRandomSampler": "weights num_samples replacement generator __len__ __iter__",
    "BatchSampler": "sampler batch_size drop_last __len__ __iter__",
    "DistributedSampler": "dataset num_replicas rank shuffle seed drop_last epoch num_samples "
    "total_size __len__ set_epoch",
}
for _name, _members in _MEMBERS.items():
    for _member in _members.split():
        rules.keep(f"{_D}.{_name}.{_member}")

# Subclasses call the constructors of these.
for _name in words(
    "DataLoader BatchSampler RandomSampler SubsetRandomSampler WeightedRandomSampler "
    "DistributedSampler SequentialSampler Subset ConcatDataset ChainDataset"
):
    rules.keep(f"{_D}.{_name}.__init__")
rules.row(f"{_D}.TensorDataset.__init__", "paddle.io.TensorDataset({tensors})")
rules.keep(f"{_D}.ChainDataset.__len__")
