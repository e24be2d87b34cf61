"""`%verify`: a live port held against the live model that it was made from."""

from __future__ import annotations

import copy
import shlex
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_magic, magics_class

from jupyter_ext.errors import ConvertError
from workbench.errors import TorchferryError

_USAGE = "%verify needs the model, its port, and the inputs of both: %verify net port x"


@magics_class
class VerifyMagics(Magics):
    """Verification of models that the kernel holds."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self.shell: InteractiveShell = shell

    @line_magic
    def verify(self, line: str) -> None:
        """Hold a port against the model that it was made from: weights, outputs, gradients.

            %verify net port x

        The port gets the model's weights. Both are copied first and stay as they are. Every word
        is an expression of the namespace; inputs are torch's tensors.
        """
        from workbench.verify.verification import verify_live

        words = shlex.split(line)
        if len(words) < 3:
            raise ConvertError(_USAGE)
        ours, theirs, *inputs = (self._value(word) for word in words)
        try:
            copies = copy.deepcopy(ours), copy.deepcopy(theirs)
            found = verify_live(*copies, tuple(inputs))
        except TorchferryError as error:
            raise ConvertError(str(error)) from None
        for check in found.checks:
            print(f"{check.name}: {check.outcome}{check.summary and f', {check.summary}'}")
        for where in found.places:
            print(f"    {where}")
        verdict = "certified: nothing differs beyond torch's own rounding"
        print(verdict if found.certified else "not certified")

    def _value(self, word: str) -> Any:
        try:
            return eval(word, self.shell.user_ns)
        except Exception as error:
            raise ConvertError(f"{word}: {type(error).__name__}: {error}; {_USAGE}") from None
