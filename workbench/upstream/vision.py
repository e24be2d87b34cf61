"""Names of torchvision, readable even if its compiled part does not load."""

from __future__ import annotations

import importlib
from functools import cache
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import torch

from workbench.words import words

if TYPE_CHECKING:
    from workbench.upstream.generation.names import Namespace

# The modules that programs import from, in the order in which the documentation uses them.
MODULES: Final = words(
    "torchvision torchvision.transforms torchvision.transforms.functional "
    "torchvision.transforms.v2 torchvision.transforms.v2.functional torchvision.datasets "
    "torchvision.models torchvision.models.detection torchvision.models.segmentation "
    "torchvision.models.video torchvision.models.feature_extraction torchvision.models.resnet "
    "torchvision.models.vgg torchvision.models.inception torchvision.ops torchvision.utils "
    "torchvision.io"
)
_TRIED: Final = {"torchvision": "torchvision.transforms", "timm": "timm.layers"}
_KEPT: Final[list[torch.library.Library]] = []


@cache
def available(package: str = "torchvision") -> bool:
    """Return whether torchvision's Python code, or timm's, which imports it, can be imported.

    It declares torchvision's operators first.
    """
    try:
        declare_operators()
        importlib.import_module(_TRIED[package])
    except (ImportError, RuntimeError, AttributeError):
        return False
    return True


def declare_operators() -> None:
    """Declare torchvision's operators if its compiled ones do not load with this torch.

    Its Python modules register shape functions for the operators on import, and need no more.
    """
    if _KEPT or hasattr(torch.ops.torchvision, "nms"):
        return
    library = torch.library.Library("torchvision", "FRAGMENT")  # type: ignore[no-untyped-call]
    _KEPT.append(library)
    pool = "Tensor input, Tensor rois, float spatial_scale, int pooled_height, int pooled_width"
    back = "Tensor grad, Tensor rois, float spatial_scale, int pooled_height, int pooled_width"
    sizes = "int batch_size, int channels, int height, int width"
    sym = pool.replace("int pooled", "SymInt pooled")
    for schema in (
        "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
        "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
        f"roi_align({sym}, int sampling_ratio, bool aligned) -> Tensor",
        f"roi_pool({pool}) -> (Tensor, Tensor)",
        f"ps_roi_pool({pool}) -> (Tensor, Tensor)",
        f"ps_roi_align({pool}, int sampling_ratio) -> (Tensor, Tensor)",
        f"_roi_align_backward({back}, {sizes}, int sampling_ratio, bool aligned) -> Tensor",
        f"_roi_pool_backward({back.replace('rois,', 'rois, Tensor argmax,')}, {sizes}) -> Tensor",
        f"_ps_roi_align_backward({back.replace('rois,', 'rois, Tensor channel_mapping,')}, "
        f"int sampling_ratio, {sizes}) -> Tensor",
        f"_ps_roi_pool_backward({back.replace('rois,', 'rois, Tensor channel_mapping,')}, "
        f"{sizes}) -> Tensor",
        "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, "
        "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, "
        "SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor",
        "_deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, "
        "Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, "
        "SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, "
        "bool use_mask) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    ):
        library.define(schema)  # type: ignore[no-untyped-call]


def add_vision(namespace: Namespace) -> list[str]:
    """Add torchvision's names to those of torch; return the canonical ones."""
    declare_operators()
    found: dict[int, tuple[Any, list[str]]] = {}
    own: list[str] = []
    for path in MODULES:
        module = importlib.import_module(path)
        namespace.things[path] = module
        own.append(path)
        for name, value in sorted(vars(module).items()):
            if name.startswith("_") or isinstance(value, ModuleType):
                continue
            if isinstance(value, type | FunctionType) and _is_vision(value):
                found.setdefault(id(value), (value, []))[1].append(f"{path}.{name}")
    for value, names in found.values():
        namespace.add(value, names)
        canonical = namespace.name_of(value) or names[0]
        own.append(canonical)
        if (path := f"{value.__module__}.{value.__qualname__}") != canonical:
            namespace.aliases[path] = canonical
    return own


def _is_vision(value: Any) -> bool:
    module = getattr(value, "__module__", None) or ""
    return module.partition(".")[0] == "torchvision" and not value.__name__.startswith("_")
