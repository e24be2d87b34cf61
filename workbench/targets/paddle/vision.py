"""What the rules of torchvision share: the images of their cases, and the members of classes."""

from __future__ import annotations

from workbench.rules.rule import RuleSet
from workbench.upstream.facts import load

IMAGES = """\
import torchvision.transforms as T
from PIL import Image
array = np.random.default_rng(1).integers(0, 256, (9, 11, 3)).astype("uint8")
pil, gray = Image.fromarray(array), Image.fromarray(array[:, :, 0].copy())
bytes3 = torch.tensor(array[:8, :7].transpose(2, 0, 1).copy())
"""
# Compares Pillow's images by their pixels.
KEPT = "def seen(each):\n    return each.mode, each.size, np.asarray(each).tolist()\n"
_CALLED = frozenset({"__init__", "__call__", "forward"})


def keep_members(rules: RuleSet, name: str, arguments: str, use: str) -> None:
    """The attributes and the call of a class, which its helper has under the same names.

    Args:
        rules: where they are kept.
        name: of the class.
        arguments: what the cases make it with, brackets included.
        use: an expression that calls `t`, an instance.
    """
    short = f"T.{name.rpartition('.')[2]}"
    for one in sorted(load().inside(name)):
        entry, member = load().get(one), one.rpartition(".")[2]
        if member in _CALLED:
            passed = arguments if member == "__init__" else "(each)"
            plain = "" if member == "__init__" else "each"
            case = (
                f"class Mine({short}):\n"
                f"    def {member}({', '.join(filter(None, ('self', plain)))}):\n"
                f"        return super().{member}{passed}\n"
                f"t = Mine{'()' if member == '__init__' else arguments}\nr = {use}"
            )
        elif entry is not None and entry.kind == "attribute":
            case = f"r = {short}{arguments}.{member}"
        else:
            continue
        rules.keep(one, cases=[IMAGES + KEPT + case])
