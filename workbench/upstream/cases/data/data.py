"""Datasets, samplers and data loaders."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_GENERATOR = "g = torch.Generator().manual_seed(5)\n"
_TENSORS = "t = torch.utils.data.TensorDataset(torch.arange(10.0).reshape(5, 2), torch.arange(5))\n"
_STREAM = (
    "class Stream(torch.utils.data.IterableDataset):\n    def __iter__(self):\n"
    "        for k in range(7):\n            yield torch.full((2,), float(k)), k\n"
)
_MADE = _TENSORS + "l = torch.utils.data.DataLoader(t, batch_size=2, drop_last=True)\n"
_SQUARES = (
    "class Squares(torch.utils.data.Dataset):\n    def __init__(self, n):\n"
    "        self.n = n\n    def __len__(self):\n        return self.n\n"
    "    def __getitem__(self, k):\n        return torch.tensor([k, k * k]), k * 0.5\n"
)

CASES: dict[str, tuple[str, ...]] = {
    "torch.utils.data.Dataset": (
        (_SQUARES + "s = Squares(4)\nr = s[3], len(s), isinstance(s, torch.utils.data.Dataset)"),
    ),
    "torch.utils.data.Dataset.__getitem__": (
        (
            _SQUARES + "class Shifted(Squares):\n    def __getitem__(self, k):\n"
            "        return super().__getitem__(k + 1)\nr = Shifted(5)[1]"
        ),
    ),
    "torch.utils.data.Dataset.__add__": (
        (_SQUARES + "s = Squares(2).__add__(Squares(3))\nr = len(s), s[4]"),
        (_SQUARES + "s = Squares(2) + Squares(3) + Squares(1)\nr = len(s), s[4], s[-1]"),
        (_STREAM + "s = list(Stream() + Stream())"),
        (_TENSORS + "s = t + t\nr = s[6], len(s), s.cumulative_sizes"),
    ),
    "torch.utils.data.IterableDataset": (
        (
            "class Stream(torch.utils.data.IterableDataset[int]):\n    def __iter__(self):\n"
            "        for k in range(7):\n            yield torch.full((2,), float(k)), k\n"
            "r = list(Stream())"
        ),
        (
            _STREAM
            + "r = list(Stream())\nl = torch.utils.data.DataLoader(Stream(), batch_size=3)\n"
            "b = list(l)"
        ),
    ),
    "torch.utils.data.TensorDataset": (
        (_TENSORS + "r = t[1], t[-1], len(t), t.tensors"),
        "t = torch.utils.data.TensorDataset(*[x, y])\nt[0]",
    ),
    "torch.utils.data.Subset": (
        (_TENSORS + "s = torch.utils.data.Subset(t, indices=[4, 1])\nr = s[0], len(s), s.indices"),
    ),
    "torch.utils.data.ConcatDataset": (
        (
            _TENSORS + "s = torch.utils.data.ConcatDataset([t, t])\n"
            "r = s[7], s[-1], len(s), s.cumulative_sizes"
        ),
    ),
    "torch.utils.data.ChainDataset": (
        (_STREAM + "r = list(torch.utils.data.ChainDataset([Stream(), Stream()]))"),
    ),
    "torch.utils.data.StackDataset": (
        (_TENSORS + "s = torch.utils.data.StackDataset(t, torch.ones(5, 3))\nr = s[1], len(s)"),
        (
            _TENSORS + "s = torch.utils.data.StackDataset(a=t, b=torch.ones(5, 3))\n"
            "r = s[1], len(s), list(s.datasets)"
        ),
    ),
    "torch.utils.data.random_split": (
        (
            _TENSORS + "g = torch.Generator().manual_seed(42)\n"
            "a, b = torch.utils.data.random_split(t, [3, 2], generator=g)\n"
            "r = list(a), list(b), len(a)"
        ),
        (
            "s = torch.utils.data.random_split(range(11), [0.3, 0.3, 0.4], "
            "torch.Generator().manual_seed(7))\nr = [list(v) for v in s]"
        ),
        "s = [len(v) for v in torch.utils.data.random_split(range(10), [8, 2])]",
    ),
    "torch.utils.data.DataLoader": (
        (
            _TENSORS
            + "l = torch.utils.data.DataLoader(t, batch_size=2)\nbatches = list(l)\nn = len(l)\n"
            "kind = isinstance(batches[0], list)"
        ),
        (
            _SQUARES + "l = torch.utils.data.DataLoader(Squares(7), 3, False, drop_last=True)\n"
            "batches = list(l)\nn = len(l)"
        ),
        (
            _TENSORS + "l = torch.utils.data.DataLoader(dataset=t, batch_size=2, shuffle=True, "
            "generator=torch.Generator().manual_seed(3), pin_memory=False)\nn = len(l)\n"
            "batches = [b for epoch in range(3) for b in l]"
        ),
        (
            "l = torch.utils.data.DataLoader([{'v': np.ones(2), 'k': k, 's': 'a'} for "
            "k in range(3)], 2)\nbatches = list(l)\nn = len(l)"
        ),
        (
            "l = torch.utils.data.DataLoader(range(6), batch_size=4, collate_fn=lambda "
            "b: tuple(b))\nbatches = list(l)\nn = len(l)"
        ),
        (
            "k = {'batch_size': 3, 'in_order': True}\n"
            "l = torch.utils.data.DataLoader(range(4), **k)\nbatches = list(l)\nn = len(l)"
        ),
        (
            "def total(l: 'torch.utils.data.DataLoader[int]') -> int:\n"
            "    return sum(int(b.sum()) for b in l)\n"
            "r = total(torch.utils.data.DataLoader(range(4), batch_size=3))"
        ),
        (
            "l: torch.utils.data.DataLoader[int] = "
            "torch.utils.data.DataLoader(range(4), batch_size=2)\nbatches = list(l)\nn = len(l)"
        ),
        (
            "l = torch.utils.data.DataLoader(range(4), batch_size=None)\nbatches = list(l)\n"
            "n = len(l)"
        ),
        (
            "l = torch.utils.data.DataLoader(range(5), batch_sampler=[[0, 4], [2]])\n"
            "batches = list(l)\nn = len(l)"
        ),
        (
            "l = torch.utils.data.DataLoader([1.5, 2.5, 3.5], sampler=[2, 0])\n"
            "batches = list(l)\nn = len(l)"
        ),
        (
            _SQUARES + "l = torch.utils.data.DataLoader(Squares(5), batch_size=2, num_workers=2, "
            "persistent_workers=True)\nbatches = list(l)\nn = len(l)"
        ),
        (
            _STREAM + "l = torch.utils.data.DataLoader(Stream(), batch_size=3, num_workers=2)\n"
            "b = list(l)"
        ),
        (
            _TENSORS
            + "l = torch.utils.data.DataLoader(t, batch_size=2)\nfor k, (u, v) in enumerate(l):\n"
            "    s = u * 2"
        ),
    ),
    "torch.utils.data.DataLoader.batch_size": ((_MADE + "r = l.batch_size"),),
    "torch.utils.data.DataLoader.dataset": ((_MADE + "r = len(l.dataset)"),),
    "torch.utils.data.DataLoader.drop_last": ((_MADE + "r = l.drop_last"),),
    **alike(
        "torch.utils.data.DataLoader",
        "generator num_workers persistent_workers pin_memory prefetch_factor "
        "timeout worker_init_fn",
        (_MADE + "r = l.{name}"),
    ),
    **alike("torch.utils.data.DataLoader", "sampler batch_sampler", (_MADE + "r = list(l.{name})")),
    "torch.utils.data.DataLoader.__iter__": ((_MADE + "r = next(l.__iter__())"),),
    "torch.utils.data.DataLoader.__len__": ((_MADE + "r = l.__len__()"),),
    "torch.utils.data.DataLoader.collate_fn": (
        (_MADE + "r = l.collate_fn([(1, 2.0), (3, 4.0)])"),
        (_MADE + "r = l.collate_fn is None"),
    ),
    "torch.utils.data.default_collate": (
        "torch.utils.data.default_collate([(x, 1, 2.5), (y, 3, 4.5)])",
        ("try:\n    torch.utils.data.default_collate([x, x[0]])\nexcept RuntimeError:\n    t = 1"),
        ("torch.utils.data.default_collate([{'a': True, 'b': [1, 2]}, {'a': False, 'b': [3, 4]}])"),
        (
            "torch.utils.data.default_collate([np.float32(1.5), np.float32(2)]), "
            "torch.utils.data.default_collate(['a', 'b'])"
        ),
        "torch.utils.data.default_collate([np.ones((2, 3)), np.zeros((2, 3))])",
    ),
    "torch.utils.data.default_convert": (
        (
            "torch.utils.data.default_convert([np.ones(2), (1, np.int64(3)), 'a', "
            "{'k': np.zeros(1)}])"
        ),
    ),
    "torch.utils.data.get_worker_info": (
        "r = torch.utils.data.get_worker_info() is None",
        (
            "class Stream(torch.utils.data.IterableDataset):\n    def __iter__(self):\n"
            "        w = torch.utils.data.get_worker_info()\n"
            "        yield from range(w.id, 6, w.num_workers)\n"
            "l = torch.utils.data.DataLoader(Stream(), batch_size=2, num_workers=2)\n"
            "r = list(l)"
        ),
    ),
    "torch.utils.data.Sampler": (
        (
            "class Evens(torch.utils.data.Sampler):\n    def __init__(self, n):\n"
            "        self.n = n\n    def __iter__(self):\n"
            "        return iter(range(0, self.n, 2))\n    def __len__(self):\n"
            "        return self.n // 2\n"
            "l = torch.utils.data.DataLoader(range(8), batch_size=3, sampler=Evens(8))\n"
            "batches = list(l)\nn = len(l)"
        ),
    ),
    "torch.utils.data.SequentialSampler": (
        "s = torch.utils.data.SequentialSampler(range(5))\nr = list(s), len(s)",
    ),
    "torch.utils.data.RandomSampler": (
        (
            _GENERATOR
            + "s = torch.utils.data.RandomSampler(range(9), generator=g)\nr = list(s), len(s)"
        ),
        (
            _GENERATOR + "s = torch.utils.data.RandomSampler(range(4), False, 10, g)\n"
            "r = list(s), list(s), len(s)"
        ),
        (
            _GENERATOR + "s = torch.utils.data.RandomSampler(range(6), generator=g)\n"
            "r = [list(s), list(s)]\ng.manual_seed(5)\nr.append(list(s))"
        ),
        (
            _GENERATOR + "s = torch.utils.data.RandomSampler(range(4), replacement=True, "
            "num_samples=40, generator=g)\nr = list(s)"
        ),
        "s = sorted(torch.utils.data.RandomSampler(range(9)))",
    ),
    "torch.utils.data.SubsetRandomSampler": (
        (
            _GENERATOR + "s = torch.utils.data.SubsetRandomSampler([3, 5, 8], generator=g)\n"
            "r = list(s), len(s)"
        ),
        (
            "l = torch.utils.data.DataLoader(range(9), "
            "sampler=torch.utils.data.SubsetRandomSampler([3, 5]))\n"
            "r = sorted(b.item() for b in l)"
        ),
    ),
    "torch.utils.data.WeightedRandomSampler": (
        (
            "s = torch.utils.data.WeightedRandomSampler([0.0, 1.0], 4, replacement=True)\n"
            "r = list(s), len(s)"
        ),
        "s = sorted(torch.utils.data.WeightedRandomSampler(torch.ones(3), 3, False))",
    ),
    "torch.utils.data.BatchSampler": (
        "s = torch.utils.data.BatchSampler(range(5), 2, False)\nr = list(s), len(s)",
        (
            "s = "
            "torch.utils.data.BatchSampler(torch.utils.data.SequentialSampler(range(5))"
            ", batch_size=2, drop_last=True)\nr = list(s), len(s), s.batch_size, s.drop_last"
        ),
    ),
    "torch.utils.data.DistributedSampler": (
        (
            "s = torch.utils.data.DistributedSampler(range(11), num_replicas=3, rank=1)\n"
            "r = list(s), len(s)"
        ),
        (
            "s = torch.utils.data.DistributedSampler(range(11), 3, 2, False, drop_last=True)\n"
            "r = list(s), len(s)"
        ),
        (
            "s = torch.utils.data.DistributedSampler(range(8), num_replicas=2, rank=0, "
            "seed=3)\ns.set_epoch(2)\nr = list(s)"
        ),
    ),
    "torch.utils.data.Subset.dataset": (
        (_TENSORS + "v = torch.utils.data.Subset(t, [1, 2])\nr = len(v.dataset)"),
    ),
    "torch.utils.data.Subset.indices": (
        (_TENSORS + "v = torch.utils.data.Subset(t, [1, 2])\nr = v.indices"),
    ),
    "torch.utils.data.Subset.__len__": (
        (_TENSORS + "v = torch.utils.data.Subset(t, [1, 2])\nr = v.__len__()"),
    ),
    "torch.utils.data.Subset.__getitem__": (
        (_TENSORS + "v = torch.utils.data.Subset(t, [1, 2])\nr = v.__getitem__(0)"),
    ),
    "torch.utils.data.ConcatDataset.datasets": (
        (_TENSORS + "v = torch.utils.data.ConcatDataset([t, t])\nr = len(v.datasets)"),
    ),
    "torch.utils.data.ConcatDataset.cumulative_sizes": (
        (_TENSORS + "v = torch.utils.data.ConcatDataset([t, t])\nr = v.cumulative_sizes"),
    ),
    "torch.utils.data.ConcatDataset.__len__": (
        (_TENSORS + "v = torch.utils.data.ConcatDataset([t, t])\nr = v.__len__()"),
    ),
    "torch.utils.data.ConcatDataset.__getitem__": (
        (_TENSORS + "v = torch.utils.data.ConcatDataset([t, t])\nr = v.__getitem__(6)"),
    ),
    "torch.utils.data.ConcatDataset.cumsum": (
        (_TENSORS + "v = torch.utils.data.ConcatDataset([t, t])\nr = v.cumsum([t,t])"),
    ),
    "torch.utils.data.StackDataset.datasets": (
        (_TENSORS + "v = torch.utils.data.StackDataset(t, t)\nr = len(v.datasets)"),
    ),
    "torch.utils.data.StackDataset.__len__": (
        (_TENSORS + "v = torch.utils.data.StackDataset(t, t)\nr = v.__len__()"),
    ),
    "torch.utils.data.TensorDataset.tensors": (
        (_TENSORS + "v = torch.utils.data.TensorDataset(x, y)\nr = v.tensors"),
    ),
    "torch.utils.data.TensorDataset.__len__": (
        (_TENSORS + "v = torch.utils.data.TensorDataset(x, y)\nr = v.__len__()"),
    ),
    "torch.utils.data.SequentialSampler.data_source": (
        (_TENSORS + "v = torch.utils.data.SequentialSampler(t)\nr = len(v.data_source)"),
    ),
    "torch.utils.data.SequentialSampler.__len__": (
        (_TENSORS + "v = torch.utils.data.SequentialSampler(t)\nr = v.__len__()"),
    ),
    "torch.utils.data.SequentialSampler.__iter__": (
        (_TENSORS + "v = torch.utils.data.SequentialSampler(t)\nr = list(v.__iter__())"),
    ),
    "torch.utils.data.RandomSampler.data_source": (
        (_TENSORS + "v = torch.utils.data.RandomSampler(t)\nr = len(v.data_source)"),
    ),
    **alike(
        "torch.utils.data.RandomSampler",
        "generator num_samples replacement",
        (_TENSORS + "v = torch.utils.data.RandomSampler(t)\nr = v.{name}"),
    ),
    "torch.utils.data.RandomSampler.__len__": (
        (_TENSORS + "v = torch.utils.data.RandomSampler(t)\nr = v.__len__()"),
    ),
    "torch.utils.data.RandomSampler.__iter__": (
        (_TENSORS + "v = torch.utils.data.RandomSampler(t)\nr = sorted(v.__iter__())"),
    ),
    "torch.utils.data.SubsetRandomSampler.indices": (
        (_TENSORS + "v = torch.utils.data.SubsetRandomSampler([1, 3])\nr = v.indices"),
    ),
    "torch.utils.data.SubsetRandomSampler.generator": (
        (_TENSORS + "v = torch.utils.data.SubsetRandomSampler([1, 3])\nr = v.generator"),
    ),
    "torch.utils.data.SubsetRandomSampler.__len__": (
        (_TENSORS + "v = torch.utils.data.SubsetRandomSampler([1, 3])\nr = v.__len__()"),
    ),
    "torch.utils.data.SubsetRandomSampler.__iter__": (
        (_TENSORS + "v = torch.utils.data.SubsetRandomSampler([1, 3])\nr = sorted(v.__iter__())"),
    ),
    **alike(
        "torch.utils.data.WeightedRandomSampler",
        "weights num_samples replacement generator",
        (_TENSORS + "v = torch.utils.data.WeightedRandomSampler([0.0, 1.0], 3)\nr = v.{name}"),
    ),
    "torch.utils.data.WeightedRandomSampler.__len__": (
        (_TENSORS + "v = torch.utils.data.WeightedRandomSampler([0.0, 1.0], 3)\nr = v.__len__()"),
    ),
    "torch.utils.data.WeightedRandomSampler.__iter__": (
        (
            _TENSORS
            + "v = torch.utils.data.WeightedRandomSampler([0.0, 1.0], 3)\nr = list(v.__iter__())"
        ),
    ),
    **alike(
        "torch.utils.data.BatchSampler",
        "sampler batch_size drop_last",
        (_TENSORS + "v = torch.utils.data.BatchSampler([1, 2, 3], 2, False)\nr = v.{name}"),
    ),
    "torch.utils.data.BatchSampler.__len__": (
        (_TENSORS + "v = torch.utils.data.BatchSampler([1, 2, 3], 2, False)\nr = v.__len__()"),
    ),
    "torch.utils.data.BatchSampler.__iter__": (
        (
            _TENSORS
            + "v = torch.utils.data.BatchSampler([1, 2, 3], 2, False)\nr = list(v.__iter__())"
        ),
    ),
    "torch.utils.data.DistributedSampler.dataset": (
        (_TENSORS + "v = torch.utils.data.DistributedSampler(t, 2, 1)\nr = len(v.dataset)"),
    ),
    **alike(
        "torch.utils.data.DistributedSampler",
        "num_replicas rank shuffle seed drop_last epoch num_samples total_size",
        (_TENSORS + "v = torch.utils.data.DistributedSampler(t, 2, 1)\nr = v.{name}"),
    ),
    "torch.utils.data.DistributedSampler.__len__": (
        (_TENSORS + "v = torch.utils.data.DistributedSampler(t, 2, 1)\nr = v.__len__()"),
    ),
    "torch.utils.data.DistributedSampler.set_epoch": (
        (_TENSORS + "v = torch.utils.data.DistributedSampler(t, 2, 1)\nr = v.set_epoch(2)"),
    ),
    "torch.utils.data.DataLoader.__init__": (
        (
            _TENSORS + "class Mine(torch.utils.data.DataLoader):\n    def __init__(self):\n"
            "        super().__init__(t, batch_size=2)\nn = len(Mine())"
        ),
    ),
    "torch.utils.data.BatchSampler.__init__": (
        (
            _TENSORS + "class Mine(torch.utils.data.BatchSampler):\n    def __init__(self):\n"
            "        super().__init__(range(4), 2, False)\nn = len(Mine())"
        ),
    ),
    "torch.utils.data.RandomSampler.__init__": (
        (
            _TENSORS + "class Mine(torch.utils.data.RandomSampler):\n    def __init__(self):\n"
            "        super().__init__(range(4))\nn = len(Mine())"
        ),
    ),
    "torch.utils.data.SubsetRandomSampler.__init__": (
        (
            _TENSORS
            + "class Mine(torch.utils.data.SubsetRandomSampler):\n    def __init__(self):\n"
            "        super().__init__([1, 2])\nn = len(Mine())"
        ),
    ),
    "torch.utils.data.WeightedRandomSampler.__init__": (
        (
            _TENSORS
            + "class Mine(torch.utils.data.WeightedRandomSampler):\n    def __init__(self):\n"
            "        super().__init__([0.5, 0.5], 3)\nn = len(Mine())"
        ),
    ),
    "torch.utils.data.DistributedSampler.__init__": (
        (
            _TENSORS + "class Mine(torch.utils.data.DistributedSampler):\n    def __init__(self):\n"
            "        super().__init__(t, 2, 0)\nn = len(Mine())"
        ),
    ),
    "torch.utils.data.SequentialSampler.__init__": (
        (
            _TENSORS + "class Mine(torch.utils.data.SequentialSampler):\n    def __init__(self):\n"
            "        super().__init__(t)\nn = len(Mine())"
        ),
    ),
    "torch.utils.data.Subset.__init__": (
        (
            _TENSORS + "class Mine(torch.utils.data.Subset):\n    def __init__(self):\n"
            "        super().__init__(t, [0, 1])\nn = len(Mine())"
        ),
    ),
    "torch.utils.data.ConcatDataset.__init__": (
        (
            _TENSORS + "class Mine(torch.utils.data.ConcatDataset):\n    def __init__(self):\n"
            "        super().__init__([t, t])\nn = len(Mine())"
        ),
    ),
    "torch.utils.data.ChainDataset.__init__": (
        (
            _TENSORS + "class Mine(torch.utils.data.ChainDataset):\n    def __init__(self):\n"
            "        super().__init__([])\nn = len(Mine())"
        ),
    ),
    "torch.utils.data.TensorDataset.__init__": (
        (
            "class Mine(torch.utils.data.TensorDataset):\n    def __init__(self, a, b):\n"
            "        super().__init__(a, b)\nm = Mine(x, y)\nr = len(m), m[1]"
        ),
    ),
    "torch.utils.data.ChainDataset.__len__": ("r = len(torch.utils.data.ChainDataset([]))",),
}
