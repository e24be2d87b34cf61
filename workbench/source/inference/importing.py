"""Import statements: what they bind, and which other packages are built on torch."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from workbench.source.inference.annotations import Annotations
from workbench.source.inference.modules import (
    Deferred,
    Neighbours,
    OwnModule,
    Source,
    known,
    tells_of_torch,
)
from workbench.source.types.lattice import Foreign, TorchObject, Value
from workbench.source.uses import ForeignImport, TorchImport
from workbench.upstream.facts import covers

# Packages built on torch: code that uses them is torch code, though no rule knows them. einx has
# other frameworks too, but it refuses the tensors of one that it does not know.
TORCH_PACKAGES = frozenset(
    {
        "accelerate",
        "albumentations.pytorch",
        "allennlp",
        "apex",
        "asteroid",
        "audiocraft",
        "auto_gptq",
        "avalanche",
        "axolotl",
        "bitsandbytes",
        "botorch",
        "captum",
        "causal_conv1d",
        "colossalai",
        "deepspeed",
        "demucs",
        "denoising_diffusion_pytorch",
        "detectron2",
        "diffusers",
        "e3nn",
        "efficientnet_pytorch",
        "einops.layers.torch",
        "einx",
        "ema_pytorch",
        "encodec",
        "escnn",
        "espnet",
        "espnet2",
        "executorch",
        "facenet_pytorch",
        "fairscale",
        "fairseq",
        "fairseq2",
        "fastai",
        "fbgemm_gpu",
        "flair",
        "flash_attn",
        "flash_attn_interface",
        "functorch",
        "fvcore",
        "geoopt",
        "gptqmodel",
        "gpytorch",
        "horovod.torch",
        "ignite",
        "kornia",
        "learn2learn",
        "lightning",
        "lightning_fabric",
        "lion_pytorch",
        "litgpt",
        "lpips",
        "mamba_ssm",
        "mmcv",
        "mmdet",
        "mmengine",
        "mmpose",
        "mmpretrain",
        "mmseg",
        "monai",
        "nequip",
        "neuralforecast",
        "nflows",
        "nnunetv2",
        "normflows",
        "norse",
        "onmt",
        "onnx2torch",
        "opacus",
        "open_clip",
        "optimum",
        "peft",
        "performer_pytorch",
        "piq",
        "poutyne",
        "ptflops",
        "pyannote.audio",
        "pyro",
        "pytorch3d",
        "pytorch_forecasting",
        "pytorch_grad_cam",
        "pytorch_lightning",
        "pytorch_metric_learning",
        "pytorch_model_summary",
        "pytorch_msssim",
        "pytorch_optimizer",
        "pytorch_pretrained_bert",
        "pytorch_tabnet",
        "pytorch_transformers",
        "pytorch_wavelets",
        "pytorchvideo",
        "ray.train.torch",
        "rotary_embedding_torch",
        "sb3_contrib",
        "sbi",
        "schnetpack",
        "segmentation_models_pytorch",
        "sentence_transformers",
        "setfit",
        "simpletransformers",
        "skorch",
        "snntorch",
        "speechbrain",
        "spikingjelly",
        "stable_baselines3",
        "stanza",
        "tensordict",
        "thop",
        "tianshou",
        "timm",
        "torch_audiomentations",
        "torch_cluster",
        "torch_directml",
        "torch_einops_utils",
        "torch_ema",
        "torch_fidelity",
        "torch_geometric",
        "torch_harmonics",
        "torch_optimizer",
        "torch_pruning",
        "torch_scatter",
        "torch_sparse",
        "torch_spline_conv",
        "torch_tensorrt",
        "torch_xla",
        "torchao",
        "torchattacks",
        "torchaudio",
        "torchbearer",
        "torchcde",
        "torchdata",
        "torchdiffeq",
        "torchdyn",
        "torchgeo",
        "torchinfo",
        "torchio",
        "torchist",
        "torchmetrics",
        "torchopt",
        "torchquantum",
        "torchrec",
        "torchreid",
        "torchrl",
        "torchsde",
        "torchsummary",
        "torchtext",
        "torchtitan",
        "torchtune",
        "torchviz",
        "transformers",
        "triton",
        "trl",
        "tsai",
        "ultralytics",
        "unsloth",
        "vllm",
        "x_transformers",
        "xformers",
        "zuko",
    }
)
_ROOTS = sorted({name for name in TORCH_PACKAGES if "torch" not in name})
_IMPORTED = re.compile(
    r"\b(?:import|from)[ \t][^\n]*?\b(?:" + "|".join(map(re.escape, _ROOTS)) + r")\b"
)


def may_use_torch(text: str, own_packages: Iterable[str] = ()) -> bool:
    """False for a text that names neither torch nor, in an import, a package built on it.

    `own_packages` are others whose names have rules.
    """
    return (
        "torch" in text
        or _IMPORTED.search(text) is not None
        or any(package in text for package in own_packages)
    )


class Importing(Annotations):
    """The part of the walk that reads import statements."""

    imports: list[TorchImport]
    foreign: list[ForeignImport]
    live: dict[str, Value]
    neighbours: Neighbours | None
    borrowed: dict[str, str]  # names that other files of the program have from torch
    touched: bool  # whether something from another file of the program tells of torch
    handing_on: set[int]  # imports whose names this file does not use itself
    stars: list[Source]

    def import_names(self, node: ast.Import | ast.ImportFrom, note: bool = True) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                bound = alias.asname or root
                name = alias.name if alias.asname else root
                if self._own(0, alias.name) is not None and (own := self._own(0, name)) is not None:
                    self._bind_own(node, alias, bound, OwnModule(name, own), note)
                else:
                    self._bind_import(node, alias, bound, name, alias.name, note)
            return
        module = f"{'.' * node.level}{node.module or ''}"
        source = self._own(node.level, node.module or "")
        if source is not None:
            self._names_of_own(node, module, source, note)
            return
        if node.level:
            # A module or name of the program itself: not known, but no tensor to be guessed at.
            for alias in node.names:
                unknown = Foreign(f"{module}.{alias.name}")
                self.scope.bind(alias.asname or alias.name, self.live.get(alias.name, unknown))
            return
        for alias in node.names:
            if alias.name == "*":
                self._star(node, alias, module, note)
            else:
                full = f"{module}.{alias.name}"
                self._bind_import(node, alias, alias.asname or alias.name, full, full, note)

    def _bind_import(
        self,
        node: ast.Import | ast.ImportFrom,
        alias: ast.alias,
        bound: str,
        name: str,
        imported: str,
        note: bool,
    ) -> None:
        if covers(name) or self.facts.is_own(name):
            name = self.facts.canonical(name)
            self.scope.bind(bound, TorchObject(name))
            if note:
                self.imports.append(TorchImport(node, alias, bound, name))
            return
        ported = self.facts.ported
        if ported is not None and ported.covers(name):
            self.scope.bind(bound, self.of_target(name))
            return
        self.scope.bind(bound, Foreign(name))
        self._note_foreign(node, imported, note)

    def of_target(self, name: str) -> Value:
        """What a dotted name of a target's is to torch's code around it."""
        ported = self.facts.ported
        meant = self.facts.canonical(ported.torch_name(name)) if ported is not None else ""
        known = self.facts.get(meant) is not None or self.facts.is_module(meant)
        return TorchObject(meant, ported=name) if known else Foreign(name)

    def _own(self, level: int, name: str) -> Source | None:
        """A module of the program's project, where that can be read."""
        if self.neighbours is None or (not level and name.partition(".")[0] == "torch"):
            return None
        if not level and self.facts.is_own(name):
            return None
        return self.neighbours.find(level, name)

    def _names_of_own(self, node: ast.ImportFrom, module: str, source: Source, note: bool) -> None:
        for alias in node.names:
            bound = alias.asname or alias.name
            if id(node) in self.handing_on and (alias.name == "*" or source.defines(alias.name)):
                if alias.name != "*":
                    self.scope.bind(bound, Deferred(source, alias.name))
                elif note:
                    self.stars.append(source)
                continue
            if alias.name == "*":
                for name, value in source.public().items():
                    self._bind_own(node, alias, name, known(value, f"{module}.{name}"), note)
                continue
            value = known(source.get(alias.name), f"{module}.{alias.name}")
            value = self.live.get(alias.name, value) if node.level else value
            self._bind_own(node, alias, bound, value, note)

    def _bind_own(
        self,
        node: ast.Import | ast.ImportFrom,
        alias: ast.alias,
        bound: str,
        value: Value,
        note: bool,
    ) -> None:
        """Bind a name to what another file of the program binds it to."""
        self.scope.bind(bound, value)
        self.touched = self.touched or tells_of_torch(value)
        if isinstance(value, TorchObject) and not value.indirect:
            self.borrowed[bound] = value.name
            if note and alias.name != "*":
                self.imports.append(TorchImport(node, alias, bound, value.name, own=True))

    def _star(self, node: ast.ImportFrom, alias: ast.alias, module: str, note: bool) -> None:
        if not covers(module) and not self.facts.is_own(module):
            self._note_foreign(node, module, note)
            return
        for short, name in self.facts.offered(module):
            self.scope.bind(short, TorchObject(name))
        if note:
            self.imports.append(TorchImport(node, alias, "*", self.facts.canonical(module)))

    def _note_foreign(self, node: ast.Import | ast.ImportFrom, imported: str, note: bool) -> None:
        parts = imported.split(".")
        names = {".".join(parts[:count]) for count in range(1, len(parts) + 1)} & TORCH_PACKAGES
        if note and names and not (self.foreign and self.foreign[-1].statement is node):
            self.foreign.append(ForeignImport(node, max(names, key=len)))
