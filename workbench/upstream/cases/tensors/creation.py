"""Creating tensors from data and constants."""

from __future__ import annotations

_HOW = "how = {'dtype': torch.float64}\n"

CASES: dict[str, tuple[str, ...]] = {
    "torch.tensor": (
        "torch.tensor([1, 2, 3])",
        "torch.tensor(2.5, dtype=torch.float64)",
        "torch.tensor([1.0, 2.0], requires_grad=True)",
        "torch.tensor([[1, 0], [0, 1]], dtype=torch.bool, device='cpu')",
        "torch.tensor(np.ones((2, 3)))",
        "torch.tensor(range(3)), torch.tensor(range(3), dtype=torch.float64)",
        ("torch.tensor([x.sum(), 0.5]), torch.tensor([2, x.max()]), torch.tensor([i.sum(), 2.5])"),
        "torch.tensor([[x.sum().half(), 1], [True, x.sum().half()]])",
        "torch.tensor([x.sum(), i.sum()]), torch.tensor([i.sum().int(), 2])",
        "torch.tensor([t.sum() for t in x.bfloat16()])",
        (
            "b = x.bfloat16().sum()\n"
            "torch.tensor([b, 2.5]), torch.tensor([b, b], dtype=torch.float32)"
        ),
        "def f(*p):\n    return torch.tensor(p)\nf(x.sum(), 1, 0.5), f(x.double().sum(), 1)",
        "how = {'dtype': torch.float64, 'requires_grad': True}\ntorch.tensor([1, 2], **how)",
    ),
    "torch.scalar_tensor": (
        "torch.scalar_tensor(3)",
        "torch.scalar_tensor(2.5, dtype=torch.float64)",
    ),
    "torch.as_tensor": (
        "torch.as_tensor([1, 2])",
        "torch.as_tensor(x, dtype=torch.float64)",
        "v = np.zeros(3)\nt = torch.as_tensor(v)\nv[0] = 1",
        "torch.as_tensor(np.ones(2), device='cpu')",
    ),
    "torch.asarray": (
        "torch.asarray([1.0, 2.0])",
        "torch.asarray(x, dtype=torch.int64)",
        "torch.asarray([1.0], requires_grad=True, copy=True)",
    ),
    "torch.from_numpy": (
        "torch.from_numpy(np.ones((2, 3)))",
        "v = np.zeros(3, 'float32')\nt = torch.from_numpy(v)\nv[0] = 1",
        "torch.from_numpy(np.arange(6)[::2])",
        "torch.from_numpy(np.array([True, False]))",
    ),
    "torch.zeros": (
        "torch.zeros(2, 3)",
        "torch.zeros((2, 3), dtype=torch.int64)",
        "torch.zeros(size=(2, 3), requires_grad=True)",
        "torch.zeros(*x.shape)",
        "torch.zeros(x.shape[0], 2, device=x.device)",
        "torch.zeros(x.size())",
        "k = 4\ntorch.zeros(k)",
        "torch.zeros(torch.tensor(3)), torch.zeros(x.argmax(), 2)",
        "torch.zeros(())",
        "t = torch.ones(3)\nr = torch.zeros(2, 3, out=t)",
        (
            "how = {'dtype': torch.float64, 'device': None}\n"
            "torch.zeros(2, 3, **how), torch.zeros((2, 3), **how), torch.zeros(*x.shape, **how)"
        ),
    ),
    "torch.ones": (
        "torch.ones(2, 3)",
        "torch.ones([2], dtype=torch.bool)",
        "torch.ones(len(x))",
        "how = {'requires_grad': True}\ntorch.ones([2], **how)",
    ),
    "torch.empty": (
        "torch.empty(2, 3).shape",
        "torch.empty((2,), dtype=torch.float64).dtype",
        (
            "how = {'device': 'cpu', 'dtype': torch.float64}\n"
            "nn.Parameter(torch.empty((2, 3), **how)).dtype"
        ),
    ),
    "torch.zeros_like": (
        "torch.zeros_like(x)",
        "torch.zeros_like(x, dtype=torch.int64, device='cpu')",
    ),
    "torch.ones_like": (
        "torch.ones_like(i)",
        "torch.ones_like(x, requires_grad=True)",
    ),
    "torch.empty_like": (
        "torch.empty_like(x).shape",
        "torch.empty_like(x, dtype=torch.int64).dtype",
    ),
    "torch.full_like": (
        "torch.full_like(x, 2)",
        "torch.full_like(i, 7)",
        "torch.full_like(x, fill_value=True, dtype=torch.bool)",
    ),
    "torch.full": (
        "torch.full((2, 3), 1.5)",
        "torch.full((2,), 7)",
        "torch.full((2,), True)",
        "t = torch.ones(3)\nr = torch.full((2,), 7, out=t), torch.full([1], 2.5, out=t)",
        "torch.full([2], 3, dtype=torch.float32)",
        "torch.full(size=(2,), fill_value=float('-inf'))",
        "v = 3\ntorch.full((2, 2), v)",
        "how = {'device': 'cpu'}\ntorch.full((2,), 3, **how), torch.full((2,), 3.5, **how)",
        (_HOW + "torch.full(size=(2,), fill_value=3, **how)"),
    ),
    "torch.eye": (
        "torch.eye(3)",
        "torch.eye(2, 3)",
        "torch.eye(3, dtype=torch.int64)",
        "torch.eye(n=2, m=4)",
        "t = torch.ones(2)\nr = torch.eye(2, 3, out=t)",
        "torch.eye(3, device=x.device, dtype=torch.bool)",
        (
            "torch.eye(2, 3, dtype=x.dtype), torch.eye(2, dtype=i.dtype), torch.eye(2, "
            "dtype=m.dtype)"
        ),
        "torch.eye(2, dtype=torch.uint8), torch.eye(2, dtype=torch.bfloat16)",
        ("torch.eye(2, requires_grad=True), torch.eye(2, dtype=torch.float64, requires_grad=True)"),
        (_HOW + "torch.eye(3, **how), torch.eye(n=2, m=3, **how)"),
    ),
    "torch.Tensor.new_zeros": (
        "d.new_zeros(2, 3)",
        "d.new_zeros((2,), dtype=torch.int64, device='cpu')",
        "x.new_zeros(x.shape)",
        (_HOW + "x.new_zeros(2, 3, **how)"),
    ),
    "torch.Tensor.new_ones": (
        "x.new_ones(size=(2, 3), requires_grad=True)",
        "pin = False\nx.new_ones(2, layout=torch.strided, pin_memory=pin)",
        (_HOW + "i.new_ones((2,), **how)"),
    ),
    "torch.Tensor.new_full": (
        "i.new_full((2,), 3)",
        (_HOW + "x.new_full((2,), 3, **how)"),
    ),
    "torch.Tensor.new_empty": (
        "d.new_empty(2, 3).dtype",
        "x.new_empty((2,), dtype=torch.int64).shape",
    ),
    "torch.Tensor.new_tensor": (
        "d.new_tensor([1, 2])",
        "x.new_tensor([1], dtype=torch.int64)",
        "i.new_tensor([[1], [2]])",
    ),
}
