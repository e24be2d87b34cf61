"""Settings of backends, threads and precision."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.backends.cudnn": (
        (
            "import torch.backends.cudnn as cudnn\ncudnn.benchmark = True\n"
            "r = cudnn.benchmark\ncudnn.benchmark = False"
        ),
    ),
    "torch.backends.cuda.matmul": (
        (
            "torch.backends.cuda.matmul.allow_tf32 = True\n"
            "r = torch.backends.cuda.matmul.allow_tf32\n"
            "torch.backends.cuda.matmul.allow_tf32 = False"
        ),
    ),
    **alike(
        "torch.backends.cudnn",
        "allow_tf32 benchmark deterministic",
        "r = torch.backends.cudnn.{name}",
        (
            "import torch.backends.cudnn as cudnn\nold = cudnn.{name}\ncudnn.{name} = True\n"
            "r = cudnn.{name}\ncudnn.{name} = old"
        ),
    ),
    "torch.backends.cudnn.enabled": (
        "r = torch.backends.cudnn.enabled",
        (
            "import torch.backends.cudnn as cudnn\nold = cudnn.enabled\ncudnn.enabled = False\n"
            "r = cudnn.enabled\ncudnn.enabled = old"
        ),
    ),
    "torch.backends.cudnn.fp32_precision": (
        "r = torch.backends.cudnn.fp32_precision",
        (
            "import torch.backends.cudnn as cudnn\nold = cudnn.fp32_precision\n"
            "cudnn.fp32_precision = 'ieee'\nr = cudnn.fp32_precision\n"
            "cudnn.fp32_precision = old"
        ),
    ),
    **alike(
        "torch.backends.cuda.matmul",
        "allow_tf32 allow_fp16_reduced_precision_reduction allow_bf16_reduced_precision_reduction",
        (
            "old = torch.backends.cuda.matmul.{name}\n"
            "torch.backends.cuda.matmul.{name} = True\nr = torch.backends.cuda.matmul.{name}\n"
            "torch.backends.cuda.matmul.{name} = old"
        ),
    ),
    **alike(
        "torch.backends.cuda",
        "is_built flash_sdp_enabled math_sdp_enabled mem_efficient_sdp_enabled cudnn_sdp_enabled",
        "torch.backends.cuda.{name}()",
    ),
    "torch.backends.cudnn.version": (
        "torch.backends.cudnn.version()",
        "import torch.backends.cudnn as c\nr = c.version()",
    ),
    **alike(
        "torch.backends",
        "cudnn.is_available mkl.is_available mkldnn.is_available "
        "openmp.is_available opt_einsum.is_available mps.is_available",
        "torch.backends.{owner}.is_available()",
    ),
    "torch.backends.cudnn.flags": (
        "with torch.backends.cudnn.flags(enabled=False):\n    r = F.conv2d(img, img)",
    ),
    "torch.backends.mkldnn.flags": (
        "with torch.backends.mkldnn.flags(enabled=False):\n    r = F.conv2d(img, img)",
    ),
    "torch.backends.cuda.sdp_kernel": (
        (
            "with torch.backends.cuda.sdp_kernel(enable_flash=False, enable_math=True):\n"
            "    v = F.scaled_dot_product_attention(a, a, a)"
        ),
    ),
    "torch.backends.cuda.enable_flash_sdp": (
        (
            "torch.backends.cuda.enable_flash_sdp(False)\n"
            "r = torch.backends.cuda.flash_sdp_enabled()\n"
            "torch.backends.cuda.enable_flash_sdp(True)"
        ),
    ),
    "torch.backends.cuda.enable_math_sdp": (
        (
            "torch.backends.cuda.enable_math_sdp(False)\n"
            "r = torch.backends.cuda.math_sdp_enabled()\n"
            "torch.backends.cuda.enable_math_sdp(True)"
        ),
    ),
    "torch.backends.cuda.enable_mem_efficient_sdp": (
        (
            "torch.backends.cuda.enable_mem_efficient_sdp(False)\n"
            "r = torch.backends.cuda.mem_efficient_sdp_enabled()\n"
            "torch.backends.cuda.enable_mem_efficient_sdp(True)"
        ),
    ),
    "torch.backends.cuda.enable_cudnn_sdp": (
        (
            "torch.backends.cuda.enable_cudnn_sdp(False)\n"
            "r = torch.backends.cuda.cudnn_sdp_enabled()\n"
            "torch.backends.cuda.enable_cudnn_sdp(True)"
        ),
    ),
    "torch.backends.mps.is_built": ("torch.backends.mps.is_built()",),
    "torch.set_float32_matmul_precision": (
        (
            "torch.set_float32_matmul_precision('high')\n"
            "r = torch.get_float32_matmul_precision()\n"
            "torch.set_float32_matmul_precision('highest')"
        ),
    ),
    **alike(
        "torch",
        "get_float32_matmul_precision are_deterministic_algorithms_enabled is_warn_always_enabled",
        "torch.{name}()",
    ),
    "torch.use_deterministic_algorithms": (
        (
            "torch.use_deterministic_algorithms(True)\n"
            "r = torch.are_deterministic_algorithms_enabled()\n"
            "torch.use_deterministic_algorithms(False)"
        ),
    ),
    "torch.set_num_threads": (
        (
            "old = torch.get_num_threads()\ntorch.set_num_threads(1)\n"
            "r = torch.get_num_threads()\ntorch.set_num_threads(old)\nold = 0"
        ),
    ),
    "torch.get_num_threads": ("torch.set_num_threads(1)\nr = torch.get_num_threads()",),
    "torch.set_num_interop_threads": ("if False:\n    torch.set_num_interop_threads(2)\nr = 1",),
    "torch.get_num_interop_threads": ("r = torch.get_num_interop_threads() > 0",),
    "torch.set_warn_always": (
        (
            "torch.set_warn_always(True)\nr = torch.is_warn_always_enabled()\n"
            "torch.set_warn_always(False)"
        ),
    ),
    "torch.set_printoptions": (
        (
            "k, f = {'precision': 3, 'sci_mode': False}, torch.set_printoptions\n"
            "torch.set_printoptions(**k), f(profile='full'), f(profile='default')"
        ),
        "torch.set_printoptions(precision=4, sci_mode=False)\nr = 1",
        (
            "k = 'short'\n"
            "torch.set_printoptions(profile=k), torch.set_printoptions(2, profile='full')"
        ),
        (
            "torch.set_printoptions(profile='full')\n"
            "torch.set_printoptions(profile='default')\nr = 1"
        ),
    ),
    "torch.set_flush_denormal": ("r = 1 if False and torch.set_flush_denormal(True) else 0",),
}
