"""An emitter's view of one node: its arguments as expressions, and facts about its tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import torch
from torch.fx import Node

from workbench.lower.backend import Unsupported
from workbench.lower.writing.notation import HALF, literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.lower.writing.notation import Notation

_ATOM = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]")


class Call:
    """One operator call, its arguments bound by the operator's own schema.

    Args:
        node: a `call_function` node of a functional graph, its values in `meta["val"]`.
        name: returns the variable or attribute that holds another node's value.
        notation: the spelling of dtypes in the target.
        native: pass 16-bit floats unchanged instead of widening them to float32.
    """

    def __init__(
        self,
        node: Node,
        name: Callable[[Node], str],
        notation: Notation,
        *,
        native: bool = True,
    ) -> None:
        self.node = node
        self._notation = notation
        self._name = name
        self.native = native
        self.helpers: set[str] = set()
        self.caveats: list[str] = []
        schema = getattr(node.target, "_schema", None)
        self.arguments: dict[str, Any] = {}
        if schema is not None:
            for argument, value in zip(schema.arguments, node.args, strict=False):
                self.arguments[argument.name] = value
            for argument in schema.arguments:
                if argument.name not in self.arguments:
                    self.arguments[argument.name] = node.kwargs.get(
                        argument.name, argument.default_value
                    )
        else:
            self.arguments = {str(i): value for i, value in enumerate(node.args)}

    # The node's result.

    @property
    def value(self) -> Any:
        """The node's example value: a fake tensor, a number, or a tuple of them."""
        return self.node.meta.get("val")

    @property
    def out(self) -> torch.Tensor:
        """The tensor that the node returns, or the first one of its tuple."""
        value = self.value
        if isinstance(value, (tuple, list)):
            value = next(item for item in value if isinstance(item, torch.Tensor))
        if not isinstance(value, torch.Tensor):
            raise Unsupported("yields no tensor")
        return value

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of the result."""
        return self.out.dtype

    # The node's arguments.

    def __getitem__(self, name: str) -> Any:
        """Return an argument as it is in the graph: a node, or a plain value."""
        return self.arguments.get(name)

    def has(self, name: str) -> bool:
        """Return whether the argument is given and not None."""
        return self.arguments.get(name) is not None

    def is_tensor(self, name: str) -> bool:
        """Return whether the argument is a tensor, not a symbolic or plain number."""
        value = self.arguments.get(name)
        return isinstance(value, Node) and isinstance(value.meta.get("val"), torch.Tensor)

    def meta(self, name: str) -> torch.Tensor:
        """Return the example tensor of an argument: its shape and dtype, no data."""
        return tensor_of(self.arguments[name])

    def rank(self, name: str) -> int:
        """Return the number of dimensions of a tensor argument."""
        return self.meta(name).dim()

    def axis(self, name: str, of: str = "self") -> int:
        """Return a dimension argument as a non-negative number."""
        value = self.arguments[name]
        rank = self.rank(of)
        return int(value) + rank if value < 0 else int(value)

    def is_held(self, name: str) -> bool:
        """Return whether an argument is an input or a weight, or a view of one.

        A functional graph modifies nothing in place, so that copies of anything else can be
        omitted. The caller may modify an input or weight, also after the module returns.
        """
        node = self.arguments[name]
        while isinstance(node, Node) and node.op == "call_function" and _is_view_of_first(node):
            node = node.args[0]
        return not isinstance(node, Node) or node.op != "call_function"

    # Expressions of the arguments.

    def text(self, name: str) -> str:
        """Return an argument as an expression: a variable or a literal."""
        return self.write(self.arguments.get(name))

    def write(self, value: Any) -> str:
        """Return any argument value as an expression; lists may contain nodes."""
        if isinstance(value, Node):
            return self._name(value)
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(self.write(item) for item in value)}]"
        return literal(value, self._notation)

    def tensor(self, name: str, dtype: torch.dtype | None = None) -> str:
        """Return a tensor argument, cast if it does not have the requested dtype.

        Without a dtype, 16-bit floats are widened unless the emitter is native.
        """
        return self.tensor_of(self.arguments[name], dtype)

    def tensor_of(self, node: Any, dtype: torch.dtype | None = None) -> str:
        """Return a node of a list argument as `tensor` does."""
        if not isinstance(node, Node):
            raise Unsupported(f"takes {node!r} where a tensor is expected")
        held = tensor_of(node).dtype
        wanted = self.computed(dtype or held)
        return self.cast(self._name(node), held, wanted)

    def tensors(self, name: str, dtype: torch.dtype | None = None) -> list[str]:
        """Return the expressions of an argument that is a list of tensors."""
        return [self.tensor_of(node, dtype) for node in self.arguments[name]]

    def operand(self, name: str, dtype: torch.dtype) -> str:
        """Return a tensor cast to `dtype`, or a number as it is."""
        return self.tensor(name, dtype) if self.is_tensor(name) else self.text(name)

    def computed(self, dtype: torch.dtype) -> torch.dtype:
        """Return the dtype to compute in: float32 for 16-bit floats unless `native`."""
        return torch.float32 if dtype in HALF and not self.native else dtype

    def cast(self, expression: str, held: torch.dtype, wanted: torch.dtype) -> str:
        """Return the expression in the requested dtype."""
        if held == wanted:
            return expression
        return self._notation.cast(atom(expression), self._notation.dtype_name(wanted))

    def narrowed(self, expression: str) -> str:
        """Return a result computed in float32, or a tuple of them, in torch's 16-bit dtypes."""
        if self.native:
            return expression
        if isinstance(self.value, torch.Tensor):
            half = self.dtype in HALF
            return self.cast(expression, torch.float32, self.dtype) if half else expression
        if not isinstance(self.value, (tuple, list)):
            return expression
        dtypes = [
            self._notation.dtype_name(item.dtype)
            if isinstance(item, torch.Tensor) and item.dtype in HALF
            else None
            for item in self.value
        ]
        if not any(dtypes):
            return expression
        written = items(expression)
        if len(written) == len(dtypes):
            cast = (
                self._notation.cast(atom(part), dtype) if dtype and part != "None" else part
                for part, dtype in zip(written, dtypes, strict=True)
            )
            return f"({', '.join(cast)})"
        return f"{self.helper('_cast_items')}({expression}, {dtypes})"

    def dtype_text(self, dtype: torch.dtype | None = None) -> str:
        """Return a dtype as its quoted name in the target; by default the result's.

        For an emitter that is not native, 16-bit floats become float32.
        """
        return f'"{self._notation.dtype_name(self.computed(dtype or self.dtype))}"'

    def shape_text(self) -> str:
        """Return the argument `size` of a new tensor, or else the shape that is copied."""
        if self.has("size"):
            return self.text("size")
        sizes = self.meta("self").shape
        if all(isinstance(size, int) for size in sizes):
            return str([int(size) for size in sizes])
        return f"{self.text('self')}.shape"

    # The surroundings of the expression.

    def helper(self, name: str) -> str:
        """Return the name of a helper function, which the module then defines at its top."""
        self.helpers.add(name)
        return name

    def caveat(self, text: str) -> None:
        """Add a caveat that the user should know although the node converts."""
        self.caveats.append(text)

    def refuse(self, reason: str) -> NoReturn:
        """Leave this node to torch.

        Raises:
            Unsupported: always; the user reads the reason.
        """
        raise Unsupported(reason)


def _is_view_of_first(node: Node) -> bool:
    """Return whether it is a view, or an operator that may be written as one."""
    schema = getattr(node.target, "_schema", None)
    if schema is None or not schema.arguments or not node.args:
        return False
    name = str(node.target)
    return schema.arguments[0].alias_info is not None or "clone" in name or "_to_copy" in name


def tensor_of(node: Any) -> torch.Tensor:
    """Return the example tensor of a node."""
    value = node.meta.get("val") if isinstance(node, Node) else None
    if not isinstance(value, torch.Tensor):
        raise Unsupported(f"{node} holds no tensor")
    return value


def atom(expression: str) -> str:
    """Return the expression, in parentheses if a method call after it would bind wrongly."""
    if set(expression) <= _ATOM or _is_call(expression):
        return expression
    return f"({expression})"


def items(expression: str) -> list[str]:
    """Return the items of an expression that is written as a tuple; an empty list for any other."""
    if not (expression.startswith("(") and expression.endswith(")")):
        return []
    depth, start, found = 0, 1, []
    for index, char in enumerate(expression):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and index < len(expression) - 1:
            return []
        if depth == 1 and char == ",":
            found.append(expression[start:index].strip())
            start = index + 1
    found.append(expression[start:-1].strip())
    return [item for item in found if item] if len(found) > 1 else []


def _is_call(expression: str) -> bool:
    """Return whether it is `name(...)` whose last parenthesis closes the first one."""
    head = expression.partition("(")[0]
    if not head or not set(head) <= _ATOM or not expression.endswith(")"):
        return False
    depth = 0
    for index, char in enumerate(expression):
        depth += (char == "(") - (char == ")")
        if depth == 0 and char == ")" and index < len(expression) - 1:
            return False
    return True
