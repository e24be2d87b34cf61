"""What cases begin with: layers with weights, images, networks."""

from __future__ import annotations

# Layers: both sides get the same weights.
SEED = """\
def _seed(layer):
    given = {}
    for name, value in layer.state_dict().items():
        array = np.asarray(value)
        drawn = np.cos(np.arange(array.size) * 0.7 + len(name)).reshape(array.shape)
        drawn = np.abs(drawn) + 0.1 if "var" in name else drawn
        given[name] = torch.tensor(drawn.astype(array.dtype))
    layer.load_state_dict(given)
    return layer
"""

# Images, for torchvision.
IMAGES = """\
import torchvision.transforms as T
from PIL import Image
array = np.random.default_rng(1).integers(0, 256, (9, 11, 3)).astype("uint8")
pil, gray = Image.fromarray(array), Image.fromarray(array[:, :, 0].copy())
bytes3 = torch.tensor(array[:8, :7].transpose(2, 0, 1).copy())
"""
# Compares Pillow's images by their pixels.
KEPT = "def seen(each):\n    return each.mode, each.size, np.asarray(each).tolist()\n"
FUNCTIONAL = f"{IMAGES}import torchvision.transforms.functional as TF\n{KEPT}"

# Networks of torchvision: both sides get the same weights, where torch draws them at random.
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
