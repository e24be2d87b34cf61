"""Packages built on torch, and a test whether a text uses any of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.words import words

# Packages built on torch: code that uses them is torch code, though few rules cover them. einx
# supports other frameworks too, but refuses tensors of unknown ones.
TORCH_PACKAGES = frozenset(
    words(
        "accelerate albumentations.pytorch allennlp apex asteroid audiocraft auto_gptq "
        "avalanche axolotl bitsandbytes botorch captum causal_conv1d colossalai deepspeed "
        "demucs denoising_diffusion_pytorch detectron2 diffusers e3nn efficientnet_pytorch "
        "einops.layers.torch einx ema_pytorch encodec escnn espnet espnet2 executorch "
        "facenet_pytorch fairscale fairseq fairseq2 fastai fbgemm_gpu flair flash_attn "
        "flash_attn_interface functorch fvcore geoopt gptqmodel gpytorch horovod.torch ignite "
        "kornia learn2learn lightning lightning_fabric lion_pytorch litgpt lpips mamba_ssm "
        "mmcv mmdet mmengine mmpose mmpretrain mmseg monai nequip neuralforecast nflows "
        "nnunetv2 normflows norse onmt onnx2torch opacus open_clip optimum peft "
        "performer_pytorch piq poutyne ptflops pyannote.audio pyro pytorch3d "
        "pytorch_forecasting pytorch_grad_cam pytorch_lightning pytorch_metric_learning "
        "pytorch_model_summary pytorch_msssim pytorch_optimizer pytorch_pretrained_bert "
        "pytorch_tabnet pytorch_transformers pytorch_wavelets pytorchvideo ray.train.torch "
        "rotary_embedding_torch sb3_contrib sbi schnetpack segmentation_models_pytorch "
        "sentence_transformers setfit simpletransformers skorch snntorch speechbrain "
        "spikingjelly stable_baselines3 stanza tensordict thop tianshou timm "
        "torch_audiomentations torch_cluster torch_directml torch_einops_utils torch_ema "
        "torch_fidelity torch_geometric torch_harmonics torch_optimizer torch_pruning "
        "torch_scatter torch_sparse torch_spline_conv torch_tensorrt torch_xla torchao "
        "torchattacks torchaudio torchbearer torchcde torchdata torchdiffeq torchdyn torchgeo "
        "torchinfo torchio torchist torchmetrics torchopt torchquantum torchrec torchreid "
        "torchrl torchsde torchsummary torchtext torchtitan torchtune torchviz transformers "
        "triton trl tsai ultralytics unsloth vllm x_transformers xformers zuko"
    )
)
# Packages whose training loops `torchferry unwrap` rewrites as plain torch.
UNWRAPPED = frozenset({"accelerate", "lightning", "pytorch_lightning"})
_ROOTS = sorted({name for name in TORCH_PACKAGES if "torch" not in name})
_IMPORTED = re.compile(
    r"\b(?:import|from)[ \t][^\n]*?\b(?:" + "|".join(map(re.escape, _ROOTS)) + r")\b"
)


# A layer's name as text, for layers with another name in some targets.
_NAMES_A_LAYER = re.compile(r"""["'](?:[A-Z]\w+[123]d|[A-Z]\w*(?:Norm|LU|RNN|Transpose))["']""")


def may_use_torch(text: str, own_packages: Iterable[str] = ()) -> bool:
    """Return False for a text that mentions neither torch nor imports a package built on it.

    `own_packages` are further packages whose names have rules. A text may also compare the names of
    classes with those of torch's layers.
    """
    return (
        "torch" in text
        or ("__name__" in text and _NAMES_A_LAYER.search(text) is not None)
        or _IMPORTED.search(text) is not None
        or any(package in text for package in own_packages)
    )
