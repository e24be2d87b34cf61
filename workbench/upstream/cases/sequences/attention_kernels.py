"""`torch.nn.attention`: which kernel computes attention, and attention with functions as masks."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.nn.attention.sdpa_kernel": (
        (
            "from torch.nn.attention import SDPBackend, sdpa_kernel\n"
            "with sdpa_kernel(SDPBackend.MATH):\n"
            "    v = F.scaled_dot_product_attention(a, a, a)"
        ),
        (
            "with torch.nn.attention.sdpa_kernel([torch.nn.attention.SDPBackend.MATH]):\n"
            "    v = F.scaled_dot_product_attention(a, a, a, is_causal=True)"
        ),
        (
            "from torch.nn.attention import SDPBackend, sdpa_kernel\n"
            "@sdpa_kernel(SDPBackend.MATH)\ndef own(v):\n"
            "    return F.scaled_dot_product_attention(v, v, v)\nr = own(a)"
        ),
    ),
    "torch.nn.attention._cur_sdpa_kernel_backends": (
        (
            "r = [one.name for one in torch.nn.attention._cur_sdpa_kernel_backends()], "
            "[one.value for one in torch.nn.attention._cur_sdpa_kernel_backends(True)]"
        ),
        (
            "from torch.nn.attention import SDPBackend, sdpa_kernel\n"
            "with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION], "
            "set_priority=True):\n"
            "    r = [one.name for one in torch.nn.attention._cur_sdpa_kernel_backends()]\n"
            "    s = [one.name for one in "
            "torch.nn.attention._cur_sdpa_kernel_backends(with_priority=True)]\n"
            "    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):\n"
            "        t = [one.name for one in torch.nn.attention._cur_sdpa_kernel_backends()]\n"
            "u = len(torch.nn.attention._cur_sdpa_kernel_backends())"
        ),
    ),
    "torch.nn.attention.SDPBackend": (
        ("from torch.nn.attention import SDPBackend\nr = isinstance(SDPBackend.MATH, SDPBackend)"),
        "from torch.nn.attention import SDPBackend\nr = SDPBackend(1) == SDPBackend.MATH",
    ),
    **alike(
        "torch.nn.attention.SDPBackend",
        "MATH FLASH_ATTENTION EFFICIENT_ATTENTION CUDNN_ATTENTION OVERRIDEABLE ERROR",
        "_b = torch.nn.attention.SDPBackend.{name}\nint(_b), str(_b)",
        "r = torch.nn.attention.SDPBackend.{name}.name",
    ),
}
