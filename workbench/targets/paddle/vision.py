"""What the rules of torchvision share: images and weights of cases, members of classes."""

from __future__ import annotations

from workbench.rules.match import Match
from workbench.rules.outcome import Refusal
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
# Both sides get the same weights: what is drawn at random differs.
FILLED = """\
import torchvision
from torchvision import models
def filled(net):
    net.eval()
    with torch.no_grad():
        for k, (name, each) in enumerate(sorted(net.named_parameters())):
            wave = torch.cos((torch.arange(each.numel()) % 997).float() * 0.7 + k)
            scale = 1 / max(each[0].numel(), 1) ** 0.5 if each.dim() > 1 else 0.5
            each.copy_((wave * scale).reshape(each.shape))
    return net
"""
_CALLED = frozenset({"__init__", "__call__", "forward"})


def image_function(
    rules: RuleSet, name: str, helper: str, cases: tuple[str, ...], note: str | None = None
) -> None:
    """A function of `torchvision.transforms.functional`, whose helper takes its very arguments."""
    head = f"{IMAGES}import torchvision.transforms.functional as TF\n{KEPT}"
    rules.row(
        f"torchvision.transforms.functional.{name}",
        f"{helper}(...)",
        value=helper,
        note=note,
        cases=[head + case for case in cases],
    )


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


def downloaded(match: Match) -> Refusal | None:
    """A refusal where a network is made with the weights that torchvision downloads."""
    for name in ("weights", "pretrained"):
        if name in match and match.constant(name) not in (None, False):
            return Refusal(
                "the weights that it downloads are torch's",
                "load the model in torch, save its state_dict, and carry it: `torchferry weights`;"
                " the same layers come from the call without weights",
            )
    return None
