"""Settings, files, printing and exchange: names of `torch` other than computations."""

from __future__ import annotations

CASES: dict[str, tuple[str, ...]] = {
    "torch.typename": (
        "torch.typename(x)",
        "torch.typename(3)",
        "torch.typename(dict)",
    ),
    "torch.__version__": ("isinstance(torch.__version__, str)",),
    "torch.set_default_device": ("torch.set_default_device('cpu')\nt = torch.zeros(2)",),
    "torch.get_default_device": ("str(torch.get_default_device())",),
    "torch.set_default_tensor_type": (
        "torch.set_default_tensor_type('torch.FloatTensor')\nt = torch.zeros(1)",
        (
            "torch.set_default_tensor_type(torch.DoubleTensor)\nt = torch.zeros(1)\n"
            "torch.set_default_tensor_type(torch.FloatTensor)"
        ),
    ),
    "torch.from_dlpack": (
        "torch.from_dlpack(np.ones(3))",
        "torch.from_dlpack(x)",
    ),
    "torch.to_dlpack": ("torch.from_dlpack(torch.to_dlpack(x))",),
    "torch.utils.dlpack.to_dlpack": (
        "from torch.utils.dlpack import to_dlpack, from_dlpack\nfrom_dlpack(to_dlpack(x))",
    ),
    "torch.frombuffer": (
        "torch.frombuffer(bytearray([1, 0, 2, 0]), dtype=torch.int16)",
        "v = bytearray([1, 2, 3])\ntorch.frombuffer(v, dtype=torch.uint8, offset=1)",
    ),
    "torch.get_device": ("torch.get_device(x)",),
    "torch.sym_int": ("torch.sym_int(2.7)",),
    "torch.sym_float": ("torch.sym_float(2)",),
    "torch.sym_not": ("torch.sym_not(False)",),
    "torch.sym_max": ("torch.sym_max(2, 3)",),
    "torch.sym_min": ("torch.sym_min(2, 3)",),
    "torch.sym_sum": ("torch.sym_sum([1, 2, 3])",),
    "torch.sym_sqrt": ("torch.sym_sqrt(4)",),
    "torch.sym_ite": ("torch.sym_ite(True, 1, 2)",),
    "torch.utils.set_module": (
        "def f():\n    return 1\ntorch.utils.set_module(f, 'torch.mine')\nr = f.__module__",
    ),
}
