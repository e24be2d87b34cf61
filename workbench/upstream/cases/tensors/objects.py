"""Members of torch.Size, torch.device, torch.dtype and torch.Generator."""

from __future__ import annotations

CASES: dict[str, tuple[str, ...]] = {
    "torch.Size": (
        "k = ([2, 3],)\ntorch.Size(*k).numel(), torch.Size(*k) == torch.Size([2, 3])",
        "{torch.Size([2]): 1}[torch.Size((2,))], hash(torch.Size([2])) == hash((2,))",
        "k = {x.shape: 1}\nk.get(torch.Size([3, 4])), torch.Size([3]) in k",
        "torch.Size([2, 3])",
        "torch.Size((2, 3)) == x[:2, :3].shape",
        "isinstance(x.shape, torch.Size)",
    ),
    "torch.Size.numel": (
        "x.shape.numel()",
        "torch.Size([2, 3]).numel()",
    ),
    "torch.Size.__add__": ("x.shape.__add__((1,))",),
    "torch.Size.__radd__": ("x.shape.__radd__((1,))",),
    "torch.Size.__mul__": ("x.shape.__mul__(2)",),
    "torch.Size.__rmul__": ("x.shape.__rmul__(2)",),
    "torch.Size.__getitem__": ("x.shape.__getitem__(0)",),
    "torch.device.type": (
        "x.device.type",
        "torch.device('cuda', 1).type",
    ),
    "torch.device.index": (
        "torch.device('cuda:1').index",
        "x.device.index",
    ),
    "torch.dtype.is_floating_point": (
        "x.dtype.is_floating_point",
        "torch.int64.is_floating_point",
    ),
    "torch.dtype.is_complex": ("x.dtype.is_complex",),
    "torch.dtype.is_signed": (
        "x.dtype.is_signed",
        "torch.uint8.is_signed",
    ),
    "torch.dtype.itemsize": (
        "x.dtype.itemsize",
        "torch.bfloat16.itemsize",
        "torch.bool.itemsize",
    ),
    "torch.dtype.to_complex": ("x.dtype.to_complex()",),
    "torch.dtype.to_real": ("torch.complex128.to_real()",),
    "torch.Generator.clone_state": (
        (
            "g = torch.Generator().manual_seed(3)\nh = g.clone_state()\nt = h.initial_seed()\n"
            "g = h = 0"
        ),
    ),
    "torch.Generator.device": (
        "str(torch.Generator().device)",
        "torch.Generator('cpu').device.type",
    ),
}
