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
        return self.words.format(target="the target")


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
        "such as `paddle.enable_compat(level=2)` of newer versions; the message says what to do",
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
        "may be a tensor's member, but its receiver's type is not known",
        "annotate the receiver, and it is converted or refused; information if the target's method"
        " of this name returns something else, as `x.max(1)` does",
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
        "new weights have torch's distribution if `weight_attr` sets it, else {target}'s; biases"
        " start at zero",
        "training from scratch starts from other values, and without `weight_attr` follows another"
        " loss curve; loaded weights are not affected",
    ),
    "TF111": Code(
        "information",
        "the saved state has {target}'s layout; `torchferry weights` converts checkpoints of torch,"
        " and back",
        "checkpoints of torch: there the weight of a Linear is transposed, and statistics and"
        " recurrent layers have other names",
    ),
    "TF112": Code(
        "information",
        "random numbers come from {target}'s own generator: the same distributions, other values",
        "a fixed seed gives other numbers; shuffling may depend on NumPy's seed",
    ),
    "TF113": Code(
        "information",
        "the running variance, which evaluation mode uses, is biased: torch's times 1 - 1/n for n"
        " values of a channel in a batch",
        "small batches of small images",
    ),
    "TF114": Code(
        "information",
        "some values, or gradients at them, differ: the message names them",
        "code that relies on these values",
    ),
    "TF115": Code(
        "information",
        "files are written and read in {target}'s format; `torchferry weights` converts those of"
        " torch",
        "files that torch has written, or will read",
    ),
    "TF116": Code("information", "printed text has {target}'s format", "programs that read logs"),
    "TF117": Code(
        "information",
        "a tensor made of a list with NumPy's float64 values, or with both tensors and numbers, has"
        " another float dtype: set `dtype=` if it matters",
        "code that relies on float64",
    ),
    "TF118": Code(
        "information",
        "{target} raises an error if one operand is an integer or boolean tensor and the other has"
        " another dtype, which torch promotes; cast the first one: `.astype(other.dtype)`",
        "masks, labels and counts in floating-point arithmetic",
    ),
    OPEN: Code(
        "information",
        "converts exactly under a condition that the code does not show: the message names it",
        "data, a checkpoint, another file or a caller may decide it; a quick fix writes the use in"
        " the exact style",
    ),
    "TF120": Code(
        "information",
        "on a CPU {target} raises an error for most half-precision operations, since it has no"
        " kernels for them; on a GPU it has",
        "code that runs on a CPU: keep float32 there",
    ),
    "TF121": Code(
        "information",
        "an image or a sequence without a batch raises in {target}: its layers of convolution,"
        " pooling, padding and recurrence take inputs with a batch alone",
        "inputs of shape (channels, height, width): `x.unsqueeze(0)` adds a batch",
    ),
}

# Findings about a text or about a comment in it.
TEXTS = {
    SYNTAX: Code("error", "the code does not parse here", "the code around it is still checked"),
    UNCHECKED: Code(
        "error",
        "an editor does not check this file: it is too large, or the check failed",
        "information for a file of more than 500,000 characters, which `torchferry check` and"
        " `torchferry convert` take; else the message says why",
    ),
    UNUSED: Code("hint", "a comment that ignores findings, but there is none to ignore"),
    MALFORMED: Code("hint", "a comment for Torchferry that it does not understand"),
}

# Code that prevents the capture of a model as a graph, or that makes a capture wrong.
HAZARDS = {
    "TF401": Code(
        "warning",
        "decides by a tensor's value, which a graph does not know",
        "torch.where or torch.cond for a choice, torch.while_loop for a loop, torch._check for a"
        " check",
    ),
    "TF402": Code(
        "warning",
        "a count depends on a tensor's value",
        "torch.while_loop with a counter, or a fixed bound with torch.where inside",
    ),
    "TF403": Code(
        "warning",
        "rounds a size, which a dynamic dimension cannot follow",
        "whole-number arithmetic: (n + 1) // 2 rounds up, n // 2 down",
    ),
    "TF404": Code(
        "warning",
        "a tensor leaves torch here, and what follows is lost to the graph",
        "the torch operation that does the same (torch.sort for np.sort); outside the model, NumPy",
    ),
    "TF405": Code("warning", "asks for a device of its own", "device=x.device, with x an input"),
    "TF406": Code(
        "warning",
        "changes a weight behind the back of what follows it",
        "the result of an operation, under a new name",
    ),
    "TF407": Code(
        "warning",
        "becomes text while capturing only, of a stand-in without values",
        "remove it, or write of the shape alone",
        silent=True,
    ),
    "TF408": Code(
        "warning",
        "is drawn once while capturing and then stays the same for ever",
        "torch.rand, or a value passed as an argument",
        silent=True,
    ),
    "TF409": Code(
        "warning",
        "changes Python state, which a graph does not do again",
        "a registered buffer, or a value that is passed in and returned",
        silent=True,
    ),
    "TF410": Code(
        "warning",
        "swallows capture's own refusal, so that the other branch is captured",
        "torch.where without the try; what may raise is decided before the model is called",
        silent=True,
    ),
    "TF411": Code(
        "warning",
        "returns an object that cannot cross the border of a graph",
        "a tuple or dict, or torch.export.register_dataclass",
    ),
    "TF414": Code(
        "warning",
        "turns a tensor into a Python number, which a graph has none of",
        "the tensor itself, or its .item(), which a graph can carry",
    ),
}

# Findings of the capture itself. They are errors, as hazards are during a capture.
CAPTURE = {
    "TF412": Code(
        "error",
        "dynamic_shapes does not fit the model or its inputs",
        "one entry for each input, by its name in forward; or leave that dimension fixed",
    ),
    "TF413": Code(
        "error",
        "an operator says nothing of the shape that it returns",
        "torch.library.register_fake",
    ),
    UNEXPLAINED: Code(
        "error",
        "the model raises while it is captured",
        "call it in torch with the same inputs, and mend what it raises there",
    ),
    UNLIKE: Code(
        "error",
        "the captured graph computes something else than the model",
        "look for what the model does only where torch.compiler.is_compiling() is false",
    ),
}

CODES = USES | DIFFERENCES | TEXTS | HAZARDS | CAPTURE
