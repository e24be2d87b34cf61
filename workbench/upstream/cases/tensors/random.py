"""Random numbers, seeds and generators."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.rand": (
        "torch.rand((2, 3), dtype=torch.float64).dtype",
        ("k = [(2, 3)]\ntorch.rand(*k).shape, torch.rand(*x.shape, dtype=torch.float64).shape"),
        "torch.rand(4, device='cpu', requires_grad=True).requires_grad",
        "bool((torch.rand(1000) >= 0).all()), bool((torch.rand(100) < 1).all())",
        "how = {'dtype': torch.float64}\ntorch.rand((2, 3), **how).dtype",
        "t = torch.zeros(2, 3)\ntorch.rand(2, 3, out=t).shape, bool((t > 0).any())",
    ),
    "torch.randn": (
        "torch.randn(2, 3).shape",
        "torch.randn(*x.shape).shape",
        "torch.randn(x.size()).shape",
        "torch.randn(size=(2,)).shape",
        "torch.randn(2, layout=torch.strided, generator=torch.Generator()).shape",
        "g = torch.Generator().manual_seed(0)\nt = torch.randn(3, generator=g).shape",
        "k = 3\ntorch.randn(k, 2).dtype",
        "how = {'dtype': torch.float64}\ntorch.randn(2, 3, **how).dtype",
    ),
    "torch.randint": (
        ("k = (1, 2, (3,))\ntorch.randint(*k), torch.randint(*k[1:], dtype=torch.int32).shape"),
        "f = torch.randint\nr = f(0, 1, (2,)), f(1, size=(3,)), f(low=1, high=2, size=[2])",
        "torch.randint(0, 10, (2, 3)).shape",
        "torch.randint(5, (4,)).dtype",
        (
            "bool((torch.randint(3, 5, (100,)) > 2).all()), bool((torch.randint(3, 5, "
            "(100,)) < 5).all())"
        ),
        "torch.randint(high=2, size=(3,)).shape",
        "torch.randint(0, 2, (2, 2), dtype=torch.float32).dtype",
        "torch.randint(0, 2, (2,), dtype=torch.int32, device='cpu').dtype",
        "torch.randint(low=0, high=4, size=x.shape).shape",
        "torch.randint(7, size=(2,)).shape",
        "torch.randint(1, 2, ())",
        "t = torch.zeros(3, dtype=torch.int64)\ntorch.randint(1, 2, (3,), out=t)",
    ),
    **alike(
        "torch",
        "rand_like randn_like",
        "k = {'dtype': torch.float64}\ntorch.{name}(x, **k).dtype",
        "f = torch.{name}\nr = f(x).shape, f(x, requires_grad=True).requires_grad",
        "torch.{name}(x).shape",
        "torch.{name}(x, dtype=torch.float64).dtype",
        "torch.{name}(d, requires_grad=True).requires_grad",
    ),
    "torch.randint_like": (
        "k = {'input': x, 'low': 2, 'high': 3}\ntorch.randint_like(**k)",
        ("k, f = (i, 1), torch.randint_like\ntorch.randint_like(*k), f(x, 1, dtype=torch.int64)"),
        "torch.randint_like(x, 5).dtype",
        "torch.randint_like(i, 1, 3).shape",
        "torch.randint_like(x, high=4, dtype=torch.int64).dtype",
    ),
    "torch.randperm": (
        "k, f = {'n': 4}, torch.randperm\ntorch.randperm(**k).sort()[0], f(3).shape",
        "torch.randperm(5).shape",
        "torch.randperm(4).sort().values",
        "torch.randperm(n=3, dtype=torch.int32).dtype",
        "x[torch.randperm(x.size(0))].shape",
        "t = torch.zeros(3, dtype=torch.int64)\ntorch.randperm(3, out=t)\nt = t.sort()[0]",
    ),
    "torch.normal": (
        "torch.normal(0.0, 1.0, (2, 3)).shape",
        "torch.normal(x, 0.0)",
        "torch.normal(x, torch.zeros_like(x))",
        "torch.normal(mean=0.0, std=0.0, size=(2,))",
        "torch.normal(2.0, torch.zeros(3))",
        "t = torch.empty(3, 4)\ntorch.normal(x, torch.zeros(3, 4), out=t)",
        "t = torch.normal(w, 0.0)\nt.sum().backward()\ng = w.grad",
        "torch.normal(0, 1, size=(2, 3), dtype=torch.float64).dtype",
        "k = (x, 0.0)\nf = torch.normal\nr = torch.normal(*k), f(x, torch.zeros(3, 4))",
    ),
    "torch.multinomial": (
        "torch.multinomial(p, 2).shape",
        "torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 1)",
        "torch.multinomial(p, num_samples=1).dtype",
    ),
    "torch.Tensor.multinomial": ("p.multinomial(num_samples=5, replacement=True).shape",),
    "torch.bernoulli": (
        "torch.bernoulli(torch.ones(2, 3))",
        "torch.bernoulli(p).shape",
        "torch.bernoulli(x, 1.0)",
        "torch.bernoulli(torch.ones(3, requires_grad=True))",
    ),
    "torch.Tensor.bernoulli": (
        "torch.zeros(3).bernoulli()",
        "p.bernoulli(1.0)",
        ("k = torch.Generator()\np.bernoulli(generator=k).shape, p.bernoulli(0.0, generator=k)"),
    ),
    "torch.poisson": (
        "torch.poisson(p).shape",
        "torch.poisson(torch.zeros(2))",
    ),
    "torch.binomial": ("torch.binomial(torch.tensor([3.0]), torch.tensor([1.0]))",),
    "torch.Tensor.normal_": (
        "torch.zeros(2, 3).normal_(0, 1).shape",
        "torch.zeros(2).normal_(std=0.0, mean=3.0)",
        "torch.zeros(3, 4).normal_().dtype",
    ),
    "torch.Tensor.uniform_": (
        "torch.zeros(3, 4).uniform_(-1, 1).shape",
        "torch.zeros(3, 4).uniform_().dtype",
        "bool((torch.zeros(9).uniform_(to=0.5) < 0.5).all())",
    ),
    "torch.Tensor.exponential_": (
        "torch.zeros(3, 4).exponential_().shape",
        "bool((torch.zeros(3, 4).exponential_(lambd=2.0) > 0).all())",
    ),
    "torch.Tensor.cauchy_": ("torch.zeros(3, 4).cauchy_().shape",),
    "torch.Tensor.log_normal_": ("torch.zeros(3, 4).log_normal_().shape",),
    "torch.Tensor.bernoulli_": (
        "torch.zeros(3).bernoulli_(1.0)",
        "torch.zeros(3, 4).bernoulli_().shape",
        "torch.zeros(3, dtype=torch.int64).bernoulli_(1.0)",
        "torch.zeros(2, 2).bernoulli_(torch.tensor([0.0, 1.0]))",
    ),
    "torch.Tensor.geometric_": ("torch.zeros(3, 4).geometric_(0.5).shape",),
    "torch.Tensor.random_": (
        "bool((torch.zeros(3, 4).random_(3) < 3).all())",
        "torch.zeros(3, dtype=torch.int64).random_(0, 2).shape",
        "torch.zeros(3, 4).random_(4, 5)",
        "torch.zeros(3, dtype=torch.int64).random_().dtype",
    ),
    "torch.manual_seed": (
        (
            "torch.manual_seed(0)\na1 = torch.rand(2)\ntorch.manual_seed(0)\n"
            "a2 = torch.rand(2)\na1 = bool((a1 == a2).all())\na2 = 0"
        ),
    ),
    "torch.seed": ("isinstance(torch.seed(), int)",),
    "torch.initial_seed": ("torch.manual_seed(7)\nt = torch.initial_seed()",),
    **dict.fromkeys(
        ("torch.get_rng_state", "torch.set_rng_state"),
        (
            (
                "s = torch.get_rng_state()\nt = torch.rand(2)\ntorch.set_rng_state(s)\n"
                "v = torch.rand(2)\nt, v, s = bool((t == v).all()), 0, 0"
            ),
        ),
    ),
    "torch.Generator": (
        "torch.Generator().manual_seed(0)\nt = 1",
        "g = torch.Generator(device='cpu')",
        "g = torch.Generator()\nt = isinstance(g, torch.Generator)\ng = 0",
    ),
    "torch.default_generator": (
        "torch.manual_seed(4)\nt = torch.default_generator.initial_seed()",
        "torch.default_generator.manual_seed(6)\nt = torch.initial_seed()",
    ),
    "torch.Generator.manual_seed": (
        "g = torch.Generator()\ng.manual_seed(3)\nt = g.initial_seed()\ng = 0",
    ),
    "torch.Generator.initial_seed": (
        "g = torch.Generator().manual_seed(5)\nt = g.initial_seed()\ng = 0",
    ),
    "torch.Generator.seed": ("g = torch.Generator()\nt = isinstance(g.seed(), int)\ng = 0",),
    "torch.Generator.get_state": ("g = torch.Generator()\ng.set_state(g.get_state())\ng = 0",),
    "torch.Generator.set_state": (
        ("g = torch.Generator()\nh = torch.Generator()\nh.set_state(g.get_state())\ng = h = 0"),
    ),
    "torch.random.manual_seed": (
        "torch.random.manual_seed(0)\na1 = bool((torch.rand(2) >= 0).all())",
    ),
    "torch.random.fork_rng": (
        "with torch.random.fork_rng(devices=[]):\n    t = torch.rand(2).shape",
        (
            "torch.manual_seed(0)\nwith torch.random.fork_rng():\n    torch.rand(2)\n"
            "u = torch.rand(2)\ntorch.manual_seed(0)\nu = bool((u == torch.rand(2)).all())"
        ),
    ),
}
