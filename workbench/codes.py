"""The table of all codes that Torchferry reports, with their meanings.

Messages, reports, completion and the editor's links use it, and `scripts/code_tables.py` writes it
into the documents. Codes keep their meaning in all releases.
"""

from __future__ import annotations

from dataclasses import dataclass

SYNTAX = "TF000"
UNCHECKED = "TF001"
EXACT = "TF100"
NOTED = "TF101"
CAVEAT = "TF102"
SWITCHED = "TF103"
REFUSED = "TF200"
NO_RULE = "TF201"
UNKNOWN_RECEIVER = "TF300"
THIRD_PARTY = "TF400"
OPEN = "TF119"
UNEXPLAINED = "TF415"
UNLIKE = "TF416"
DEPENDENCY = "TF500"
DEPENDENCY_KEPT = "TF501"
LAYER_SAME = "TF600"
LAYER_VALUES = "TF601"
LAYER_MISSING = "TF602"
LAYER_RAISES = "TF603"
LAYER_OTHER = "TF604"
LAYER_UNKNOWN = "TF605"
UNUSED = "TF901"
MALFORMED = "TF902"


@dataclass(frozen=True, slots=True)
class Code:
    """The meaning of a code.

    Attributes:
        severity: the severity of its findings, unless a user chooses another.
        words: the finding in short; `{target}` is replaced by the framework's name.
        advice: the remedy, or where the finding matters.
        silent: for a hazard, whether capture succeeds nevertheless and returns a wrong graph.
    """

    severity: str
    words: str
    advice: str = ""
    silent: bool = False

    @property
    def meaning(self) -> str:
        """The finding in short, for any target."""
        return self.meaning_in("the target")

    def meaning_in(self, target: str) -> str:
        """Return the finding in short, for the target of this name."""
        return self.words.format(target=target)


# Outcomes for a use of torch, or for a dependency on it.
USES = {
    EXACT: Code("hint", "converts exactly"),
    NOTED: Code("information", "converts with a note"),
    CAVEAT: Code(
        "warning", "converts with a caveat", "read the caveat: the results of some inputs differ"
    ),
    SWITCHED: Code(
        "warning",
        "changes what the target's own calls mean",
        "one such call is `paddle.enable_compat(level=2)` of newer versions; the message says what"
        " to do",
    ),
    REFUSED: Code(
        "error",
        "has no equivalent in this form and is not converted",
        "the message says why, and often what to write instead",
    ),
    NO_RULE: Code(
        "error",
        "has no rule yet and is not converted",
        "write a [rule of your own](../guides/own-rules.md)",
    ),
    UNKNOWN_RECEIVER: Code(
        "hint",
        "may be a method of a tensor or a module, but the type of its object is not known",
        "annotate the object, as in `x: torch.Tensor`: then the use is converted or refused; the"
        " severity is information if the target's method of this name gives another result, as"
        " `x.max(1)` does",
    ),
    THIRD_PARTY: Code(
        "error",
        "comes from another package that is built on torch",
        "convert that package as well, or use one of the target's",
    ),
    DEPENDENCY: Code("hint", "a dependency on torch is replaced by one on the target"),
    DEPENDENCY_KEPT: Code(
        "warning",
        "a dependency on torch stays, since something still needs it",
        "the message says what needs it",
    ),
}

# Differences that plain code may have; `workbench.rules.difference.Difference` names them.
DIFFERENCES = {
    "TF110": Code(
        "information",
        "new weights are drawn from torch's distribution where `weight_attr` is given, and from"
        " {target}'s elsewhere; new biases are zero",
        "training from scratch starts from other values, and without `weight_attr` follows another"
        " loss curve; loaded weights are not affected",
    ),
    "TF111": Code(
        "information",
        "saved weights have {target}'s layout; `torchferry weights` converts checkpoints of torch"
        " to it and back",
        "in a checkpoint of torch the weight of a Linear is transposed, and the statistics of"
        " BatchNorm and the weights of recurrent layers have other names",
    ),
    "TF112": Code(
        "information",
        "random numbers come from {target}'s generator: the distributions are the same, the values"
        " are not",
        "a fixed seed gives other numbers; shuffling may depend on NumPy's seed",
    ),
    "TF113": Code(
        "information",
        "the running variance, which evaluation mode uses, is smaller: torch's times 1 - 1/n, where"
        " n is the number of values per channel in a batch",
        "this matters for small batches of small images; a program that trains and calls `eval()`"
        " gets a layer with torch's variance instead",
    ),
    "TF114": Code(
        "information",
        "the result or the gradient differs for some inputs, which the message names",
        "this matters for code that relies on these inputs",
    ),
    "TF115": Code(
        "information",
        "files are saved and loaded in {target}'s format; `torchferry weights` converts torch's"
        " files",
        "this matters for files that torch wrote or will read",
    ),
    "TF116": Code(
        "information",
        "printed text has {target}'s format",
        "this matters for programs that read the printed text",
    ),
    "TF117": Code(
        "information",
        "a tensor made from a list of NumPy float64 values, or of tensors and numbers, gets another"
        " float dtype; pass `dtype=` to choose it",
        "this matters for code that relies on float64",
    ),
    "TF118": Code(
        "information",
        "{target} raises an error if one operand is an integer or boolean tensor and the other has"
        " another dtype (torch promotes the first); cast it with `.astype(other.dtype)`",
        "this matters for masks, labels and counts in floating-point arithmetic",
    ),
    OPEN: Code(
        "information",
        "converts exactly only under a condition that the code does not show; the message names it",
        "data, a checkpoint, another file or a caller may decide whether it holds; a quick fix in"
        " the editor writes the use in the exact style",
    ),
    "TF120": Code(
        "information",
        "on a CPU {target} raises an error for most half-precision operations; on a GPU they run",
        "use float32 on a CPU",
    ),
    "TF121": Code(
        "information",
        "{target} raises an error here for an input without a batch dimension",
        "add one, as in `x.unsqueeze(0)` for an image of shape (channels, height, width)",
    ),
    "TF122": Code(
        "information",
        "whole numbers and floats of 64 bits have 32 bits in {target}",
        "this matters for numbers above 2,147,483,647 and for code that relies on float64",
    ),
}

# Findings about a text or about a comment in it.
TEXTS = {
    SYNTAX: Code("error", "the code does not parse here", "the code around it is still checked"),
    UNCHECKED: Code(
        "error",
        "an editor does not check this file: it is too large, or the check failed",
        "`torchferry check` and `torchferry convert` accept a file of more than 500,000 characters,"
        " and the severity is information; otherwise the message gives the reason",
    ),
    UNUSED: Code("hint", "a comment ignores findings, but there are none to ignore", "remove it"),
    MALFORMED: Code(
        "hint",
        "Torchferry does not understand a comment that is meant for it",
        "the message shows how it is written",
    ),
}

# Code that prevents the capture of a model as a graph, or that makes a capture wrong.
HAZARDS = {
    "TF401": Code(
        "warning",
        "depends on a tensor's value, which is not known while the graph is captured",
        "use torch.where or torch.cond for a choice, torch.while_loop for a loop, torch._check for"
        " a check",
    ),
    "TF402": Code(
        "warning",
        "is a number of iterations that depends on a tensor's value",
        "use torch.while_loop with a counter, or a fixed bound with torch.where inside",
    ),
    "TF403": Code(
        "warning",
        "rounds a size to an integer, which fixes the size if its dimension is dynamic",
        "use integer arithmetic: (n + 1) // 2 rounds up, n // 2 down",
    ),
    "TF404": Code(
        "warning",
        "converts a tensor to NumPy or Python values, and the graph records nothing computed from"
        " them",
        "use the torch operation that does the same (torch.sort for np.sort), or move this code out"
        " of the model",
    ),
    "TF405": Code("warning", "names a fixed device", "use device=x.device, where x is an input"),
    "TF406": Code(
        "warning",
        "changes a tensor through `.data`, which the graph does not record",
        "assign the result of an operation to a new name",
    ),
    "TF407": Code(
        "warning",
        "converts a tensor to text only once, during capture, when the tensor has no values",
        "remove it, or print only the shape",
        silent=True,
    ),
    "TF408": Code(
        "warning",
        "is evaluated only once, during capture: its value is a constant of the graph",
        "use torch.rand, or pass the value as an argument",
        silent=True,
    ),
    "TF409": Code(
        "warning",
        "changes Python state only once, during capture; running the graph does not repeat it",
        "use a registered buffer, or pass the value in and return it",
        silent=True,
    ),
    "TF410": Code(
        "warning",
        "catches the error with which capture refuses the code, so the `except` branch is captured",
        "use torch.where without `try`, or decide before the model is called",
        silent=True,
    ),
    "TF411": Code(
        "warning",
        "returns an object of a type that a graph cannot return",
        "return a tuple or a dict, or register the class with torch.export.register_dataclass",
    ),
    "TF414": Code(
        "warning",
        "converts a tensor to a Python number, which a graph cannot hold",
        "use the tensor itself, or its .item(), which a graph can record",
    ),
}

# Findings of the capture itself. They are errors, as hazards are during a capture.
CAPTURE = {
    "TF412": Code(
        "error",
        "dynamic_shapes does not fit the model or its inputs",
        "give one entry for each input, by its name in forward, or leave that dimension fixed",
    ),
    "TF413": Code(
        "error",
        "a custom operator does not declare the shape of its result",
        "declare it with torch.library.register_fake",
    ),
    UNEXPLAINED: Code(
        "error",
        "the model raises while it is captured",
        "call it in torch with the same inputs, and fix the error that it raises there",
    ),
    UNLIKE: Code(
        "error",
        "the captured graph gives other results than the model",
        "look for code that runs only if torch.compiler.is_compiling() is false",
    ),
}

# Findings of `torchferry check --under compat`, about the program as it is.
LAYER = {
    LAYER_SAME: Code("hint", "computes the same under {target}'s import layer"),
    LAYER_VALUES: Code(
        "information",
        "runs under {target}'s import layer, with the differences that the message names",
        "converted plain code has the same differences",
    ),
    LAYER_MISSING: Code(
        "error",
        "does not exist under {target}'s import layer",
        "convert the program, or this file",
    ),
    LAYER_RAISES: Code(
        "error",
        "raises an error under {target}'s import layer, for some arguments at least",
        "convert the program, or this file",
    ),
    LAYER_OTHER: Code(
        "error",
        "returns something else under {target}'s import layer, for some arguments at least, without"
        " an error",
        "convert the program, or this file",
        silent=True,
    ),
    LAYER_UNKNOWN: Code(
        "warning",
        "exists under {target}'s import layer, and nothing shows that it computes the same",
        "run the program, or convert it: the message names what a conversion calls",
    ),
}

CODES = USES | DIFFERENCES | TEXTS | HAZARDS | CAPTURE | LAYER
