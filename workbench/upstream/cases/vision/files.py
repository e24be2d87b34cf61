"""Image files in torchvision, whose compiled decoders load only with their own torch version."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

_HEAD = "from torchvision import io\n"

CASES: dict[str, tuple[str, ...]] = {
    **alike(
        "torchvision.io.ImageReadMode",
        "UNCHANGED GRAY GRAY_ALPHA RGB RGB_ALPHA RGBA",
        (_HEAD + "m = io.ImageReadMode.{name}\nr = m.name, m.value, str(m)\ndel m"),
    ),
    "torchvision.io.ImageReadMode": (
        (_HEAD + "r = io.ImageReadMode(3) is io.ImageReadMode.RGB, len(io.ImageReadMode)"),
    ),
    "torchvision.io.read_file": ((_HEAD + "r = io.read_file('a.jpg') if False else 1"),),
    "torchvision.io.decode_jpeg": ((_HEAD + "r = io.decode_jpeg(i, mode='RGB') if False else 1"),),
}
