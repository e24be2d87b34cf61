"""Programs that use torch in every shape of Python, made up at random."""

from __future__ import annotations

from hypothesis import strategies as st

_NAMES = st.sampled_from(["x", "y", "self.w", "batch[0]", "é", "model", "f(x)", "xs[1:, None]"])
_NUMBERS = st.sampled_from(["0", "1", "-1", "2.5", "(1, 2)", "None", "True", "'mean'"])
_CALLEES = st.sampled_from(
    [
        "torch.stack",
        "torch.abs",
        "torch.sum",
        "torch.max",
        "torch.zeros",
        "nn.Linear",
        "F.relu",
        "F.cross_entropy",
        "torch.where",
        "torch.tensor",
        "torch.no_such_name",
        "torch.einsum",
        "relu",
        "torch.utils.checkpoint.checkpoint",
        "functools.partial",
        "print",
        "np.stack",
        "torch.cat",
    ]
)
_MEMBERS = st.sampled_from(
    [
        "view",
        "size",
        "unsqueeze",
        "add_",
        "max",
        "to",
        "float",
        "numel",
        "permute",
        "shape",
        "backward",
        "data_ptr",
        "split",
        "masked_fill",
        "T",
        "grad",
        "append",
        "is_cuda",
        "index_add_",
    ]
)
_KEYWORDS = st.sampled_from(["dim", "keepdim", "out", "dtype", "size_average", "input", "eps"])
_VALUES = st.sampled_from(["torch.float32", "nn.ReLU", "torch.device('cuda:0')", "torch.pi"])
# The space after a comma or a bracket: nothing, blanks, a line break, a comment.
_GAPS = st.sampled_from(["", " ", "  ", "\n    ", "  # why\n      ", "\n\n  # é 😀\n"])


@st.composite
def _calls(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    callee = draw(_CALLEES | st.builds("{}.{}".format, inner.map(_bracketed), _MEMBERS))
    arguments = draw(st.lists(inner, max_size=3))
    arguments += [
        f"{name}={value}"
        for name, value in draw(
            st.lists(st.tuples(_KEYWORDS, inner), max_size=2, unique_by=lambda pair: pair[0])
        )
    ]
    if draw(st.integers(0, 9)) == 0:
        arguments.append(draw(st.sampled_from(["*xs", "**options"])))
    if any(text.startswith("*xs") for text in arguments):
        arguments.sort(key=lambda text: "=" in text)
    end = "," if arguments and draw(st.booleans()) else ""
    joined = "".join(f"{draw(_GAPS)}{text}," for text in arguments)
    return f"{callee}({joined[:-1]}{end}{draw(_GAPS)})"


def _bracketed(text: str) -> str:
    return text if text[-1:].isalnum() and text.isidentifier() else f"({text})"


def _extended(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    within = inner.map(_bracketed)
    operators = st.sampled_from(["+", "@", "**", "-", "<", "==", "and", "is not", "if x else", "%"])
    return st.one_of(
        _calls(inner),
        st.builds("{} {} {}".format, within, operators, within),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds("{{'a': {}, **{}}}".format, inner, within),
        st.builds("[{} for x in {} if {}]".format, inner, within, within),
        st.builds("(lambda x={}: {})".format, inner, inner),
        st.builds("{}[{}, ..., :{}]".format, within, inner, within),
        st.builds("{}.{}".format, within, _MEMBERS),
        st.builds("-{}".format, within),
        st.builds("(d := {})".format, within),
    )


EXPRESSIONS = st.recursive(_NAMES | _NUMBERS | _VALUES, _extended, max_leaves=8)
_SIMPLE = st.one_of(
    st.builds("x = {}".format, EXPRESSIONS.map(_bracketed)),
    st.builds("x += {}".format, EXPRESSIONS.map(_bracketed)),
    st.builds("({})".format, EXPRESSIONS),
    st.builds("return {}  # done".format, EXPRESSIONS.map(_bracketed)),
    st.builds("x.requires_grad = {} ; y = 1".format, EXPRESSIONS.map(_bracketed)),
    st.builds("del {}".format, st.sampled_from(["x", "x.grad", "torch.foo"])),
    st.builds("x: torch.Tensor = {}".format, EXPRESSIONS.map(_bracketed)),
    st.sampled_from(["pass", "import torch.nn.functional as F", "from torch import relu, abs  #é"]),
)


def _indented(lines: list[str]) -> str:
    return "".join(f"    {part}\n" for line in lines for part in line.split("\n"))


@st.composite
def _blocks(draw: st.DrawFn) -> str:
    test = draw(EXPRESSIONS.map(_bracketed))
    heads = [
        f"if ({test}):",
        "for x in loader:",
        "with torch.no_grad():",
        "async def g(x):",
        "@torch.no_grad()\ndef f(x: torch.Tensor, *xs) -> 'torch.Tensor':",
        "while True:",
        "class Net(nn.Module):\n    def forward(self, x):",
        f"def h(x=({test})):",
    ]
    head = draw(st.sampled_from(heads))
    body = draw(st.lists(_SIMPLE, min_size=1, max_size=3))
    if head.startswith("class"):
        return f"{head}\n" + _indented(_indented(body).rstrip("\n").split("\n"))
    return f"{head}\n{_indented(body)}"


_STATEMENTS = st.one_of(_SIMPLE.filter(lambda text: not text.startswith("return")), _blocks())
_HEADS = st.sampled_from(
    [
        "import torch\nfrom torch import nn\n",
        "'''Doc.'''\nimport torch, os\nimport torch.nn as nn\n",
        "from __future__ import annotations\n"
        "import functools\nimport torch\nfrom torch.nn import *\n",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n",
        "import torch as t, torch\n",
    ]
)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Return a program, most of the time one that Python takes."""
    statements = draw(st.lists(_STATEMENTS, min_size=1, max_size=4))
    text = draw(_HEADS) + "\n".join(text.rstrip("\n") for text in statements)
    text += draw(st.sampled_from(["", "\n", "\n\n", "  # end"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n", "\r"])))
