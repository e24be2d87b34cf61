"""Transforms and datasets of images as Paddle writes them, for images from a data set."""

from __future__ import annotations

import ast

from workbench.rules.difference import Difference
from workbench.rules.forms import FormSet
from workbench.rules.match import Match
from workbench.rules.outcome import Outcome, Rewrite

forms = FormSet()

_T = "torchvision.transforms"
_P = "paddle.vision.transforms"
_DRAWS = (Difference.RANDOM_DRAWS,)

forms.row(f"{_T}.Compose", to=f"{_P}.Compose({{transforms}})", value=f"{_P}.Compose")
forms.row(f"{_T}.ToTensor", to=f"{_P}.ToTensor()", value=f"{_P}.ToTensor")


def _listed(match: Match) -> tuple[list[str], list[str]]:
    """Return the names of the transforms before and after one in its list, or two empty lists."""
    for part in ast.walk(match.use.statement):
        if isinstance(part, ast.List | ast.Tuple) and match.use.node in part.elts:
            place = part.elts.index(match.use.node)  # type: ignore[arg-type]
            called = [one.func if isinstance(one, ast.Call) else one for one in part.elts]
            names = [ast.unparse(one).rpartition(".")[2] for one in called]
            return names[:place], names[place + 1 :]
    return [], []


def _of_image(match: Match) -> bool:
    """Return whether a transform gets images, since a later one converts them to tensors."""
    return "ToTensor" in _listed(match)[1]


def _of_tensor(match: Match) -> bool:
    """Return whether a transform gets the result of `ToTensor`, with numbers per channel."""
    return "ToTensor" in _listed(match)[0] and not match.is_number("mean")


forms.row(
    f"{_T}.Normalize",
    to=f"{_P}.Normalize({{mean}}, {{std}})",
    when=_of_tensor,
)
for _name, _text, _differs in (
    ("Resize", "Resize({size})", ()),
    ("CenterCrop", "CenterCrop({size})", ()),
    ("Grayscale", "Grayscale({num_output_channels})", ()),
    ("Pad", "Pad({padding})", ()),
    ("RandomCrop", "RandomCrop({size}, padding={padding})", _DRAWS),
    ("RandomHorizontalFlip", "RandomHorizontalFlip({p})", _DRAWS),
    ("RandomVerticalFlip", "RandomVerticalFlip({p})", _DRAWS),
    ("ColorJitter", "ColorJitter({brightness=0}, {contrast=0}, {saturation=0}, {hue=0})", _DRAWS),
    ("RandomRotation", "RandomRotation({degrees})", _DRAWS),
):
    forms.row(f"{_T}.{_name}", to=f"{_P}.{_text}", when=_of_image, differs=_differs)

# torchvision's members that the following data sets have.
_READ = ("classes", "class_to_idx", "raw_folder", "target_transform", "train_data", "test_data")


@forms.form("torchvision.datasets.MNIST", "torchvision.datasets.FashionMNIST")
def digits(match: Match) -> Outcome | None:
    """Write a short reader of the original files; Paddle's returns each label as a list."""
    program = match.program
    name = match.use.name.rpartition(".")[2]
    if match.given("target_transform") or program.reads(*_READ) or program.derives(name):
        return None
    kind = "" if name == "MNIST" else ", folder='FashionMNIST'"
    text = "TorchDigits({root}, train={train}, transform={transform}, download={download}"
    return Rewrite(f"{text}{kind})", consumed=frozenset({"target_transform"}))
