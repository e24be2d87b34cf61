"""Images for the cases of torchvision, and how they are compared."""

from __future__ import annotations

IMAGES = """\
import torchvision.transforms as T
from PIL import Image
array = np.random.default_rng(1).integers(0, 256, (9, 11, 3)).astype("uint8")
pil, gray = Image.fromarray(array), Image.fromarray(array[:, :, 0].copy())
bytes3 = torch.tensor(array[:8, :7].transpose(2, 0, 1).copy())
"""
# Compares Pillow's images by their pixels.
KEPT = "def seen(each):\n    return each.mode, each.size, np.asarray(each).tolist()\n"
