"""Datasets, samplers and data loaders."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Keep, Outcome
from workbench.rules.rule import RuleSet
from workbench.rules.same_call import same_call

rules = RuleSet()

_D = "torch.utils.data"
_SQUARES = (
    f"class Squares({_D}.Dataset):\n    def __init__(self, n):\n        self.n = n\n"
    "    def __len__(self):\n        return self.n\n"
    "    def __getitem__(self, k):\n        return torch.tensor([k, k * k]), k * 0.5\n"
)
_STREAM = (
    f"class Stream({_D}.IterableDataset):\n    def __iter__(self):\n"
    "        for k in range(7):\n            yield torch.full((2,), float(k)), k\n"
)
_ALL = "batches = list(l)\nn = len(l)"
_TENSORS = f"t = {_D}.TensorDataset(torch.arange(10.0).reshape(5, 2), torch.arange(5))\n"

rules.row(
    f"{_D}.Dataset",
    "paddle.io.Dataset()",
    value="paddle.io.Dataset",
    cases=[f"{_SQUARES}s = Squares(4)\nr = s[3], len(s), isinstance(s, {_D}.Dataset)"],
)
rules.keep(
    f"{_D}.Dataset.__getitem__",
    cases=[
        f"{_SQUARES}class Shifted(Squares):\n    def __getitem__(self, k):\n"
        "        return super().__getitem__(k + 1)\nr = Shifted(5)[1]"
    ],
)
rules.row(
    f"{_D}.Dataset.__add__",
    "torch_joined_datasets({self}, {other})",
    cases=[
        f"{_SQUARES}s = Squares(2).__add__(Squares(3))\nr = len(s), s[4]",
        f"{_SQUARES}s = Squares(2) + Squares(3) + Squares(1)\nr = len(s), s[4], s[-1]",
        f"{_STREAM}s = list(Stream() + Stream())",
        f"{_TENSORS}s = t + t\nr = s[6], len(s), s.cumulative_sizes",
    ],
)
rules.row(
    f"{_D}.IterableDataset",
    "TorchIterableDataset()",
    value="TorchIterableDataset",
    cases=[
        _STREAM.replace("IterableDataset)", "IterableDataset[int])") + "r = list(Stream())",
        f"{_STREAM}r = list(Stream())\nl = {_D}.DataLoader(Stream(), batch_size=3)\nb = list(l)",
    ],
)
rules.row(
    f"{_D}.TensorDataset",
    "paddle.io.TensorDataset({tensors})",
    value="paddle.io.TensorDataset",
    cases=[
        f"{_TENSORS}r = t[1], t[-1], len(t), t.tensors",
        f"t = {_D}.TensorDataset(*[x, y])\nt[0]",
    ],
)
rules.row(
    f"{_D}.Subset",
    "paddle.io.Subset({dataset}, {indices})",
    cases=[f"{_TENSORS}s = {_D}.Subset(t, indices=[4, 1])\nr = s[0], len(s), s.indices"],
)
rules.row(
    f"{_D}.ConcatDataset",
    "paddle.io.ConcatDataset({datasets})",
    cases=[
        f"{_TENSORS}s = {_D}.ConcatDataset([t, t])\nr = s[7], s[-1], len(s), s.cumulative_sizes"
    ],
)
rules.row(
    f"{_D}.ChainDataset",
    "TorchChainDataset({datasets})",
    cases=[f"{_STREAM}r = list({_D}.ChainDataset([Stream(), Stream()]))"],
)
rules.row(
    f"{_D}.StackDataset",
    "TorchStackDataset(...)",
    value="TorchStackDataset",
    cases=[
        f"{_TENSORS}s = {_D}.StackDataset(t, x)\nr = s[1], len(s)",
        f"{_TENSORS}s = {_D}.StackDataset(a=t, b=x)\nr = s[1], len(s), list(s.datasets)",
    ],
)
rules.row(
    f"{_D}.random_split",
    "torch_random_split({dataset}, {lengths}, {generator})",
    note="with a seeded generator the split is the one that torch draws",
    cases=[
        f"{_TENSORS}g = torch.Generator().manual_seed(42)\n"
        f"a, b = {_D}.random_split(t, [3, 2], generator=g)\nr = list(a), list(b), len(a)",
        f"s = {_D}.random_split(range(11), [0.3, 0.3, 0.4], torch.Generator().manual_seed(7))\n"
        "r = [list(v) for v in s]",
        f"s = [len(v) for v in {_D}.random_split(range(10), [8, 2])]",
    ],
)

rules.row(
    f"{_D}.DataLoader",
    same_call(f"{_D}.DataLoader", "TorchDataLoader"),
    value="TorchDataLoader",
    note="memory is never pinned; worker processes are forked",
    cases=[
        f"{_TENSORS}l = {_D}.DataLoader(t, batch_size=2)\n{_ALL}\n"
        "kind = isinstance(batches[0], list)",
        f"{_SQUARES}l = {_D}.DataLoader(Squares(7), 3, False, drop_last=True)\n{_ALL}",
        f"{_TENSORS}l = {_D}.DataLoader(dataset=t, batch_size=2, shuffle=True, "
        f"generator=torch.Generator().manual_seed(3), pin_memory=False)\nn = len(l)\n"
        "batches = [b for epoch in range(3) for b in l]",
        f"l = {_D}.DataLoader([{{'v': np.ones(2), 'k': k, 's': 'a'}} for k in range(3)], 2)\n"
        f"{_ALL}",
        f"l = {_D}.DataLoader(range(6), batch_size=4, collate_fn=lambda b: tuple(b))\n{_ALL}",
        f"k = {{'batch_size': 3, 'in_order': True}}\nl = {_D}.DataLoader(range(4), **k)\n{_ALL}",
        f"def total(l: '{_D}.DataLoader[int]') -> int:\n    return sum(int(b.sum()) for b in l)\n"
        f"r = total({_D}.DataLoader(range(4), batch_size=3))",
        f"l: {_D}.DataLoader[int] = {_D}.DataLoader(range(4), batch_size=2)\n{_ALL}",
        f"l = {_D}.DataLoader(range(4), batch_size=None)\n{_ALL}",
        f"l = {_D}.DataLoader(range(5), batch_sampler=[[0, 4], [2]])\n{_ALL}",
        f"l = {_D}.DataLoader([1.5, 2.5, 3.5], sampler=[2, 0])\n{_ALL}",
        f"{_SQUARES}l = {_D}.DataLoader(Squares(5), batch_size=2, num_workers=2, "
        f"persistent_workers=True)\n{_ALL}",
        f"{_STREAM}l = {_D}.DataLoader(Stream(), batch_size=3, num_workers=2)\nb = list(l)",
        f"{_TENSORS}l = {_D}.DataLoader(t, batch_size=2)\n"
        "for k, (u, v) in enumerate(l):\n    s = u * 2",
    ],
)
_MADE = f"{_TENSORS}l = {_D}.DataLoader(t, batch_size=2, drop_last=True)\n"
for _member, _read in (
    ("batch_size", "l.batch_size"),
    ("dataset", "len(l.dataset)"),
    ("drop_last", "l.drop_last"),
    ("generator", "l.generator"),
    ("num_workers", "l.num_workers"),
    ("persistent_workers", "l.persistent_workers"),
    ("pin_memory", "l.pin_memory"),
    ("prefetch_factor", "l.prefetch_factor"),
    ("timeout", "l.timeout"),
    ("worker_init_fn", "l.worker_init_fn"),
    ("sampler", "list(l.sampler)"),
    ("batch_sampler", "list(l.batch_sampler)"),
    ("__iter__", "next(l.__iter__())"),
    ("__len__", "l.__len__()"),
):
    rules.keep(f"{_D}.DataLoader.{_member}", cases=[f"{_MADE}r = {_read}"])


@rules.rule(
    f"{_D}.DataLoader.collate_fn",
    signature="(batch)",
    cases=[f"{_MADE}r = l.collate_fn([(1, 2.0), (3, 4.0)])", f"{_MADE}r = l.collate_fn is None"],
)
def _collate_fn(match: Match) -> Outcome:
    """A data member that is called."""
    return Keep()


rules.row(
    f"{_D}.default_collate",
    "torch_default_collate({batch})",
    cases=[
        f"{_D}.default_collate([(x, 1, 2.5), (y, 3, 4.5)])",
        f"try:\n    {_D}.default_collate([x, x[0]])\nexcept RuntimeError:\n    t = 1",
        f"{_D}.default_collate([{{'a': True, 'b': [1, 2]}}, {{'a': False, 'b': [3, 4]}}])",
        f"{_D}.default_collate([np.float32(1.5), np.float32(2)]), {_D}.default_collate(['a', 'b'])",
        f"{_D}.default_collate([np.ones((2, 3)), np.zeros((2, 3))])",
    ],
)
rules.row(
    f"{_D}.default_convert",
    "torch_default_convert({data})",
    cases=[f"{_D}.default_convert([np.ones(2), (1, np.int64(3)), 'a', {{'k': np.zeros(1)}}])"],
)
rules.row(
    f"{_D}.get_worker_info",
    "torch_worker_info()",
    cases=[
        f"r = {_D}.get_worker_info() is None",
        f"class Stream({_D}.IterableDataset):\n    def __iter__(self):\n"
        f"        w = {_D}.get_worker_info()\n        yield from range(w.id, 6, w.num_workers)\n"
        f"l = {_D}.DataLoader(Stream(), batch_size=2, num_workers=2)\nr = list(l)",
    ],
)

rules.row(
    f"{_D}.Sampler",
    "paddle.io.Sampler()",
    value="paddle.io.Sampler",
    cases=[
        f"class Evens({_D}.Sampler):\n    def __init__(self, n):\n        self.n = n\n"
        "    def __iter__(self):\n        return iter(range(0, self.n, 2))\n"
        "    def __len__(self):\n        return self.n // 2\n"
        f"l = {_D}.DataLoader(range(8), batch_size=3, sampler=Evens(8))\n{_ALL}"
    ],
)
_GENERATOR = "g = torch.Generator().manual_seed(5)\n"
rules.row(
    f"{_D}.SequentialSampler",
    "paddle.io.SequenceSampler({data_source})",
    value="paddle.io.SequenceSampler",
    cases=[f"s = {_D}.SequentialSampler(range(5))\nr = list(s), len(s)"],
)
rules.row(
    f"{_D}.RandomSampler",
    same_call(f"{_D}.RandomSampler", "TorchRandomSampler"),
    value="TorchRandomSampler",
    note="with a seeded generator the order is the one that torch draws",
    cases=[
        f"{_GENERATOR}s = {_D}.RandomSampler(range(9), generator=g)\nr = list(s), len(s)",
        f"{_GENERATOR}s = {_D}.RandomSampler(range(4), False, 10, g)\nr = list(s), list(s), len(s)",
        f"{_GENERATOR}s = {_D}.RandomSampler(range(6), generator=g)\nr = [list(s), list(s)]\n"
        "g.manual_seed(5)\nr.append(list(s))",
        f"{_GENERATOR}s = {_D}.RandomSampler(range(4), replacement=True, "
        "num_samples=40, generator=g)\nr = list(s)",
        f"s = sorted({_D}.RandomSampler(range(9)))",
    ],
)
rules.row(
    f"{_D}.SubsetRandomSampler",
    same_call(f"{_D}.SubsetRandomSampler", "TorchSubsetRandomSampler"),
    value="TorchSubsetRandomSampler",
    cases=[
        f"{_GENERATOR}s = {_D}.SubsetRandomSampler([3, 5, 8], generator=g)\nr = list(s), len(s)",
        f"l = {_D}.DataLoader(range(9), sampler={_D}.SubsetRandomSampler([3, 5]))\n"
        "r = sorted(b.item() for b in l)",
    ],
)
rules.row(
    f"{_D}.WeightedRandomSampler",
    same_call(f"{_D}.WeightedRandomSampler", "TorchWeightedRandomSampler"),
    value="TorchWeightedRandomSampler",
    note="it draws other numbers than torch",
    cases=[
        f"s = {_D}.WeightedRandomSampler([0.0, 1.0], 4, replacement=True)\nr = list(s), len(s)",
        f"s = sorted({_D}.WeightedRandomSampler(torch.ones(3), 3, False))",
    ],
)
rules.row(
    f"{_D}.BatchSampler",
    same_call(f"{_D}.BatchSampler", "TorchBatchSampler"),
    value="TorchBatchSampler",
    cases=[
        f"s = {_D}.BatchSampler(range(5), 2, False)\nr = list(s), len(s)",
        f"s = {_D}.BatchSampler({_D}.SequentialSampler(range(5)), batch_size=2, drop_last=True)\n"
        "r = list(s), len(s), s.batch_size, s.drop_last",
    ],
)
rules.row(
    f"{_D}.DistributedSampler",
    same_call(f"{_D}.DistributedSampler", "TorchDistributedSampler"),
    value="TorchDistributedSampler",
    cases=[
        f"s = {_D}.DistributedSampler(range(11), num_replicas=3, rank=1)\nr = list(s), len(s)",
        f"s = {_D}.DistributedSampler(range(11), 3, 2, False, drop_last=True)\nr = list(s), len(s)",
        f"s = {_D}.DistributedSampler(range(8), num_replicas=2, rank=0, seed=3)\ns.set_epoch(2)\n"
        "r = list(s)",
    ],
)
# Members that the helpers and Paddle's classes have under the same name.
_MEMBERS = {
    "Subset(t, [1, 2])": "dataset:len(v.dataset) indices:v.indices __len__:v.__len__() "
    "__getitem__:v.__getitem__(0)",
    "ConcatDataset([t, t])": "datasets:len(v.datasets) cumulative_sizes:v.cumulative_sizes "
    "__len__:v.__len__() __getitem__:v.__getitem__(6) cumsum:v.cumsum([t,t])",
    "StackDataset(t, t)": "datasets:len(v.datasets) __len__:v.__len__()",
    "TensorDataset(x, y)": "tensors:v.tensors __len__:v.__len__()",
    "SequentialSampler(t)": "data_source:len(v.data_source) __len__:v.__len__() "
    "__iter__:list(v.__iter__())",
    "RandomSampler(t)": "data_source:len(v.data_source) generator:v.generator "
    "num_samples:v.num_samples replacement:v.replacement __len__:v.__len__() "
    "__iter__:sorted(v.__iter__())",
    "SubsetRandomSampler([1, 3])": "indices:v.indices generator:v.generator __len__:v.__len__() "
    "__iter__:sorted(v.__iter__())",
    "WeightedRandomSampler([0.0, 1.0], 3)": "weights:v.weights num_samples:v.num_samples "
    "replacement:v.replacement generator:v.generator __len__:v.__len__() "
    "__iter__:list(v.__iter__())",
    "BatchSampler([1, 2, 3], 2, False)": "sampler:v.sampler batch_size:v.batch_size "
    "drop_last:v.drop_last __len__:v.__len__() __iter__:list(v.__iter__())",
    "DistributedSampler(t, 2, 1)": "dataset:len(v.dataset) num_replicas:v.num_replicas "
    "rank:v.rank shuffle:v.shuffle seed:v.seed drop_last:v.drop_last epoch:v.epoch "
    "num_samples:v.num_samples total_size:v.total_size __len__:v.__len__() "
    "set_epoch:v.set_epoch(2)",
}
for _call, _members in _MEMBERS.items():
    for _pair in _members.split(" "):
        if ":" not in _pair:
            continue
        _member, _read = _pair.split(":", 1)
        rules.keep(
            f"{_D}.{_call.partition('(')[0]}.{_member}",
            cases=[f"{_TENSORS}v = {_D}.{_call}\nr = {_read}"],
        )

# Subclasses call the constructors of these.
for _name, _call in (
    ("DataLoader", "t, batch_size=2"),
    ("BatchSampler", "range(4), 2, False"),
    ("RandomSampler", "range(4)"),
    ("SubsetRandomSampler", "[1, 2]"),
    ("WeightedRandomSampler", "[0.5, 0.5], 3"),
    ("DistributedSampler", "t, 2, 0"),
    ("SequentialSampler", "t"),
    ("Subset", "t, [0, 1]"),
    ("ConcatDataset", "[t, t]"),
    ("ChainDataset", "[]"),
):
    rules.keep(
        f"{_D}.{_name}.__init__",
        cases=[
            f"{_TENSORS}class Mine({_D}.{_name}):\n    def __init__(self):\n"
            f"        super().__init__({_call})\nn = len(Mine())"
        ],
    )
rules.row(
    f"{_D}.TensorDataset.__init__",
    "paddle.io.TensorDataset({tensors})",
    cases=[
        f"class Mine({_D}.TensorDataset):\n    def __init__(self, a, b):\n"
        "        super().__init__(a, b)\nm = Mine(x, y)\nr = len(m), m[1]"
    ],
)
rules.keep(f"{_D}.ChainDataset.__len__", cases=[f"r = len({_D}.ChainDataset([]))"])
