"""Classes of layers from other files of the project.

Each of them takes `rngs` by keyword if its constructor is written in the project, whether or not it
makes weights: a file that makes its objects need not know what the constructor does.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from workbench.source.analysis import Analysis
from workbench.source.inference.modules import OwnModule
from workbench.source.types.lattice import ImportedClass, Value
from workbench.upstream.facts import load

_OF_LAYERS = "torch.nn.Module.parameters"


def has_other_files(analysis: Analysis) -> bool:
    """Return whether the program has files besides this one."""
    return analysis.around is not None and bool(analysis.around.traits().files)


@dataclass(frozen=True, slots=True)
class ImportedLayers:
    """The classes of layers that a program imports from its project.

    Attributes:
        analysis: the program.
        own: the names of its own classes.
    """

    analysis: Analysis
    own: frozenset[str]

    @classmethod
    def of(cls, analysis: Analysis) -> ImportedLayers:
        """Return the classes that a program imports."""
        every = (one for one in analysis.tree.body if isinstance(one, ast.ClassDef))
        return cls(analysis, frozenset(one.name for one in every))

    def named_by(self, node: ast.expr) -> ImportedClass | None:
        """Return the class that an expression names, or None."""
        value = self._value(node)
        if not isinstance(value, ImportedClass):
            return None
        base = value.torch_base()
        is_layer = base is not None and load().member(base, "parameters") == _OF_LAYERS
        return value if is_layer else None

    def takes_keys(self, node: ast.expr) -> bool:
        """Return whether an expression names a class whose constructor takes keys."""
        found = self.named_by(node)
        return found is not None and found.find("__init__") is not None

    def _value(self, node: ast.expr) -> Value | None:
        summary = self.analysis.summary
        if isinstance(node, ast.Name):
            return None if summary is None or node.id in self.own else summary.get(node.id)
        if isinstance(node, ast.Attribute):
            module = self._value(node.value)
            return module.get(node.attr) if isinstance(module, OwnModule) else None
        return None
