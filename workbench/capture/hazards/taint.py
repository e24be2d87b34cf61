"""Inference of which expressions of a function hold tensors, from its arguments.

Arguments are tensors unless their annotation or default says otherwise. Metadata of a tensor
(`shape`, `ndim`, `dtype`) is not a tensor; `.item()`, `int(x)` and similar are numbers that depend
on a tensor's value.
"""

from __future__ import annotations

import ast

_FACTS = {
    *("shape", "ndim", "dtype", "device", "layout", "is_cuda", "requires_grad", "training"),
    *("size", "dim", "numel", "is_floating_point", "is_complex", "stride", "element_size"),
    *("is_contiguous", "storage_offset", "get_device", "data_ptr", "names", "is_sparse"),
}
_NUMBERS = {"item", "__int__", "__float__", "__bool__"}
_PLAIN = {"int", "float", "bool", "str", "bytes", "list", "dict", "tuple", "set", "Callable"}
_TORCH = ("torch.", "F.", "nn.functional.", "torch.nn.functional.")
_ABOUT = {"torch.is_tensor", "torch.is_grad_enabled", "torch.jit.is_scripting", "torch.is_complex"}
_ABOUT |= {"torch.is_floating_point", "torch.numel", "torch.device", "torch.Size"}
_ABOUT |= {"torch.compiler.is_compiling", "torch.compiler.is_exporting", "torch.jit.is_tracing"}


def dotted(node: ast.AST | None) -> str:
    """Return `a.b.c` for a chain of attributes on a name, and "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])


class Taint:
    """The kinds of a function's expressions, as far as its source shows them."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self._tensors: set[str] = set()
        self._numbers: set[str] = set()
        self._arguments(function)
        # Twice, so that names assigned at a loop's end are known at its start.
        for _ in range(2):
            self._follow(function.body)
        # Export can decide by a number that torch._check constrains.
        self._checked = {
            part.id
            for call in ast.walk(function)
            if isinstance(call, ast.Call) and dotted(call.func).startswith("torch._check")
            for argument in call.args
            for part in ast.walk(argument)
            if isinstance(part, ast.Name)
        }

    def is_tensor(self, node: ast.expr) -> bool:
        """Return whether the expression holds a tensor."""
        if isinstance(node, ast.Name):
            return node.id in self._tensors
        if isinstance(node, (ast.BinOp, ast.BoolOp, ast.UnaryOp)):
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
                return False
            return any(self.is_tensor(part) for part in _operands(node))
        if isinstance(node, ast.Compare):
            if any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in node.ops):
                return False
            return any(self.is_tensor(part) for part in [node.left, *node.comparators])
        if isinstance(node, ast.Subscript):
            return self.is_tensor(node.value)
        if isinstance(node, ast.Attribute):
            return node.attr not in _FACTS and self.is_tensor(node.value)
        if isinstance(node, ast.IfExp):
            return self.is_tensor(node.body) or self.is_tensor(node.orelse)
        if isinstance(node, ast.NamedExpr):
            return self.is_tensor(node.value)
        return isinstance(node, ast.Call) and self._call_is_tensor(node)

    def is_number(self, node: ast.expr) -> bool:
        """Return whether the expression is a Python number that depends on a tensor's value."""
        if isinstance(node, ast.Name):
            return node.id in self._numbers
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.BoolOp)):
            return any(self.is_number(part) for part in _operands(node))
        if isinstance(node, ast.Compare):
            return any(self.is_number(part) for part in [node.left, *node.comparators])
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Attribute) and node.func.attr in _NUMBERS:
            return self.is_tensor(node.func.value)
        name = dotted(node.func)
        if name in ("torch.equal", "torch.allclose"):
            return any(self.is_tensor(a) for a in node.args)
        if name in ("int", "float", "bool", "min", "max", "abs", "round", "sum"):
            builtin = name in ("int", "float", "bool")
            return any(self.is_number(a) or (builtin and self.is_tensor(a)) for a in node.args)
        return False

    def decides(self, test: ast.expr) -> bool:
        """Return whether the truth of the expression depends on a tensor's value."""
        if self._checked & {part.id for part in ast.walk(test) if isinstance(part, ast.Name)}:
            return False
        if isinstance(test, ast.BoolOp):
            return any(self.decides(part) for part in test.values)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.decides(test.operand)
        if isinstance(test, ast.Name):
            # `if mask:` may test for None, so only a computed name counts.
            return test.id in self._computed or test.id in self._numbers
        return self.is_tensor(test) or self.is_number(test)

    def _arguments(self, function: ast.FunctionDef) -> None:
        self._computed: set[str] = set()
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults = [*[None] * (len(positional) - len(arguments.defaults)), *arguments.defaults]
        pairs = [*zip(positional, defaults, strict=True)]
        pairs += [*zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
        for argument, default in pairs:
            if argument.arg in ("self", "cls") or not _may_be_tensor(argument, default):
                continue
            self._tensors.add(argument.arg)
        if arguments.vararg and _may_be_tensor(arguments.vararg, None):
            self._tensors.add(arguments.vararg.arg)

    def _follow(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    self._bind(target, statement.value)
            elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                self._bind(statement.target, statement.value)
            elif isinstance(statement, ast.AugAssign):
                if self.is_tensor(statement.value) and isinstance(statement.target, ast.Name):
                    self._tensors.add(statement.target.id)
            elif isinstance(statement, ast.For):
                over = statement.iter
                if isinstance(over, ast.Call) and dotted(over.func) in ("enumerate", "zip"):
                    over = ast.Tuple(over.args, ast.Load())
                if isinstance(over, ast.Tuple):
                    if any(self.is_tensor(item) for item in over.elts):
                        self._mark(statement.target, skip_first=len(over.elts) == 1)
                elif self.is_tensor(over):
                    self._mark(statement.target)
            for field in ("body", "orelse", "finalbody"):
                self._follow(getattr(statement, field, []))
            for handler in getattr(statement, "handlers", []):
                self._follow(handler.body)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else None
            if values is not None and len(values) == len(target.elts):
                for one, other in zip(target.elts, values, strict=True):
                    self._bind(one, other)
            elif self.is_tensor(value):
                self._mark(target)
            return
        if not isinstance(target, ast.Name):
            return
        tensor, number = self.is_tensor(value), self.is_number(value)
        for names in (self._tensors, self._numbers, self._computed):
            names.discard(target.id)
        if tensor:
            self._tensors.add(target.id)
            if isinstance(value, ast.Compare) or _is_reduction(value):
                self._computed.add(target.id)
        elif number:
            self._numbers.add(target.id)

    def _mark(self, target: ast.expr, *, skip_first: bool = False) -> None:
        if isinstance(target, ast.Name):
            self._tensors.add(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for item in target.elts[1 if skip_first else 0 :]:
                self._mark(item)

    def _call_is_tensor(self, node: ast.Call) -> bool:
        if isinstance(node.func, ast.Attribute):
            if node.func.attr in _FACTS or node.func.attr in _NUMBERS or node.func.attr == "tolist":
                return False
            if self.is_tensor(node.func.value):
                return True
        name = dotted(node.func)
        if name in _ABOUT or name in ("torch.equal", "torch.allclose"):
            return False
        if name.startswith(_TORCH):
            return True
        # A user's layer or helper returns tensors if it gets some.
        return name.startswith("self.") and any(self.is_tensor(a) for a in node.args)


def _operands(node: ast.BinOp | ast.BoolOp | ast.UnaryOp) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    return node.values if isinstance(node, ast.BoolOp) else [node.operand]


def _is_reduction(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("any", "all", "sum", "max", "min", "mean", "norm")
    )


def _may_be_tensor(argument: ast.arg, default: ast.expr | None) -> bool:
    if isinstance(default, ast.Constant) and default.value is not None:
        return False
    if argument.annotation is None:
        return True
    text = ast.unparse(argument.annotation)
    return "Tensor" in text or not any(
        word in _PLAIN
        for word in text.replace("[", " ").replace("|", " ").replace(",", " ").split()
    )
