"""Networks of torchvision in cases: their weights, and calls of what makes them."""

from __future__ import annotations

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


def otherwise_called(name: str, wanted: bool) -> list[str]:
    """Cases of a network's function that is handed on, and that is given what cannot be seen."""
    if not wanted:
        return []
    counted = "r = sum(each.numel() for each in n.parameters())\ndel n, f, o"
    return [
        f"from torchvision import models\no = dict(weights=None, num_classes=3)\n"
        f"f = {{'a': models.{name}}}['a']\nn = f(**o)\nn = models.{name}(**o)\n{counted}",
        f"from torchvision import models\ndef f(weights, *o):\n"
        f"    return models.{name}(weights=weights, num_classes=3)\nn, o = f(None), 0\n{counted}",
    ]
