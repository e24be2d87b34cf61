"""`x += y` and similar: torch changes the tensor itself, Paddle rebinds the name."""

from __future__ import annotations

CASES: dict[str, tuple[str, ...]] = {
    "torch.Tensor.__iadd__": (
        "t = x.clone()\nt.__iadd__(2)\nr = t",
        "t = x.clone()\nalias = t\nt += p\nt += 2\nr = alias",
        "t = w * 2\nt += p\nt.sum().backward()\ng = w.grad",
        "t = w / p\nt += p\nt += 2\nt.sum().backward()\ng = w.grad",
        "t = F.normalize(w)\nif p is not None:\n    t += p\nt.sum().backward()\ng = w.grad",
        "t = w / p\nalias = t.detach()\nt += 2\nr = alias",
        "t = x.half() / 2\nt += x\nr = t",
        "t = p.clone()\nalias = t\nt += i\nr = alias",
    ),
    "torch.Tensor.__isub__": (
        "t = x.clone()\nt.__isub__(2)\nr = t",
        "t = x.clone()\nalias = t\nt -= p\nt -= 2\nr = alias",
        "t = w * 2\nt -= p\nt.sum().backward()\ng = w.grad",
        "t = w / p\nt -= p\nt -= 2\nt.sum().backward()\ng = w.grad",
        "t = F.normalize(w)\nif p is not None:\n    t -= p\nt.sum().backward()\ng = w.grad",
        "t = w / p\nalias = t.detach()\nt -= 2\nr = alias",
        "t = x.half() / 2\nt -= x\nr = t",
        "t = p.clone()\nalias = t\nt -= i\nr = alias",
    ),
    "torch.Tensor.__imul__": (
        "t = x.clone()\nt.__imul__(2)\nr = t",
        "t = x.clone()\nalias = t\nt *= p\nt *= 2\nr = alias",
        "t = w * 2\nt *= p\nt.sum().backward()\ng = w.grad",
        "t = w / p\nt *= p\nt *= 2\nt.sum().backward()\ng = w.grad",
        "t = F.normalize(w)\nif p is not None:\n    t *= p\nt.sum().backward()\ng = w.grad",
        "t = w / p\nalias = t.detach()\nt *= 2\nr = alias",
        "t = x.half() / 2\nt *= x\nr = t",
        "t = p.clone()\nalias = t\nt *= i\nr = alias",
    ),
    "torch.Tensor.__itruediv__": (
        "t = x.clone()\nt.__itruediv__(2)\nr = t",
        "t = x.clone()\nalias = t\nt /= p\nt /= 2\nr = alias",
        "t = w * 2\nt /= p\nt.sum().backward()\ng = w.grad",
        "t = w / p\nt /= p\nt /= 2\nt.sum().backward()\ng = w.grad",
        "t = F.normalize(w)\nif p is not None:\n    t /= p\nt.sum().backward()\ng = w.grad",
        "t = w / p\nalias = t.detach()\nt /= 2\nr = alias",
        "t = x.half() / 2\nt /= x\nr = t",
        "t = p.clone()\nalias = t\nt /= i\nr = alias",
    ),
}
