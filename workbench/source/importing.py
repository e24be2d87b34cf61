"""Import statements: what they bind, and which other packages are built on torch."""

from __future__ import annotations

import ast

from workbench.source.annotations import Annotations
from workbench.source.uses import ForeignImport, TorchImport
from workbench.source.values import Foreign, TorchObject, Value

# Packages built on torch: code that uses them is torch code, though no rule knows them.
TORCH_PACKAGES = frozenset(
    {"torchvision", "torchaudio", "torchtext", "torchdata", "torchmetrics", "timm", "transformers",
     "accelerate", "lightning", "pytorch_lightning", "kornia", "monai", "fastai", "ignite",
     "torch_geometric", "diffusers", "peft", "deepspeed", "apex", "botorch", "gpytorch", "captum",
     "fairseq", "detectron2", "mmcv", "mmdet", "skorch", "torchsummary", "torchinfo", "xformers",
     "flash_attn", "triton", "functorch", "torch_scatter", "torch_sparse", "einops.layers.torch"}
)  # fmt: skip


class Importing(Annotations):
    """The part of the walk that reads import statements."""

    imports: list[TorchImport]
    foreign: list[ForeignImport]
    live: dict[str, Value]

    def import_names(self, node: ast.Import | ast.ImportFrom, note: bool = True) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.partition(".")[0]
                bound = alias.asname or root
                name = alias.name if alias.asname else root
                self._bind_import(node, alias, bound, name, alias.name, note)
            return
        if node.level:
            # A module or name of the program itself: not known, but no tensor to be guessed at.
            module = f"{'.' * node.level}{node.module or ''}"
            for alias in node.names:
                own = Foreign(f"{module}.{alias.name}")
                self.scope.bind(alias.asname or alias.name, self.live.get(alias.name, own))
            return
        module = node.module or ""
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
        if name == "torch" or name.startswith("torch."):
            name = self.facts.canonical(name)
            self.scope.bind(bound, TorchObject(name))
            if note:
                self.imports.append(TorchImport(node, alias, bound, name))
            return
        self.scope.bind(bound, Foreign(name))
        self._note_foreign(node, imported, note)

    def _star(self, node: ast.ImportFrom, alias: ast.alias, module: str, note: bool) -> None:
        if module != "torch" and not module.startswith("torch."):
            self._note_foreign(node, module, note)
            return
        prefix = f"{self.facts.canonical(module)}."
        for name in self.facts.names:
            if name.startswith(prefix) and "." not in name[len(prefix) :]:
                self.scope.bind(name[len(prefix) :], TorchObject(name))
        if note:
            self.imports.append(TorchImport(node, alias, "*", prefix[:-1]))

    def _note_foreign(self, node: ast.Import | ast.ImportFrom, imported: str, note: bool) -> None:
        parts = imported.split(".")
        names = {".".join(parts[:count]) for count in range(1, len(parts) + 1)} & TORCH_PACKAGES
        if note and names and not (self.foreign and self.foreign[-1].statement is node):
            self.foreign.append(ForeignImport(node, max(names, key=len)))
