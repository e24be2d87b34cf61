"""torch.fft: Fourier transforms, whose Paddle counterparts name dimensions `axis` and `axes`."""

from __future__ import annotations

from workbench.upstream.cases.alike import alike

CASES: dict[str, tuple[str, ...]] = {
    "torch.fft.fft": (
        "torch.fft.fft(x)",
        "torch.fft.fft(x, n=3, dim=0)",
        "args = (x, 3)\ntorch.fft.fft(*args)",
        "torch.fft.fft(x, norm='ortho')",
        "r = [torch.fft.fft(x, norm=how) for how in (None, 'forward')]",
        "torch.fft.fft(x, 6, 1, 'forward')",
        "torch.fft.fft(m)",
        "torch.fft.fft(i)",
    ),
    **alike(
        "torch.fft",
        "ifft rfft ihfft",
        "torch.fft.{name}(x)",
        "torch.fft.{name}(x, n=3, dim=0)",
        "args = (x, 3)\ntorch.fft.{name}(*args)",
        "torch.fft.{name}(x, norm='ortho')",
        "r = [torch.fft.{name}(x, norm=how) for how in (None, 'forward')]",
        "torch.fft.{name}(x, 6, 1, 'forward')",
        "torch.fft.{name}(m)",
        "torch.fft.{name}(i)",
    ),
    **alike(
        "torch.fft",
        "irfft hfft",
        "torch.fft.{name}(torch.complex(x, y))",
        "torch.fft.{name}(torch.complex(x, y), n=3, dim=0)",
        "args = (torch.complex(x, y), 3)\ntorch.fft.{name}(*args)",
        "torch.fft.{name}(torch.complex(x, y), norm='ortho')",
        "r = [torch.fft.{name}(torch.complex(x, y), norm=how) for how in (None, 'forward')]",
        "torch.fft.{name}(torch.complex(x, y), 6, 1, 'forward')",
        "torch.fft.{name}(m)",
        "torch.fft.{name}(i)",
    ),
    **alike(
        "torch.fft",
        "fft2 ifft2 rfft2 ihfft2",
        "torch.fft.{name}(x)",
        "torch.fft.{name}(x, s=(2, 3))",
        "torch.fft.{name}(x, dim=-1)",
        "torch.fft.{name}(x, dim=[1])",
        "how = {'dim': (1,), 'norm': 'ortho'}\ntorch.fft.{name}(x, **how)",
        "over = [1]\ntorch.fft.{name}(x, dim=over)",
        (
            "how, one = {'dim': 1}, (x, [2], (0,))\n"
            "torch.fft.{name}(x, **how), torch.fft.{name}(*one)"
        ),
        "torch.fft.{name}(x, dim=(0, 1), norm='ortho')",
        "torch.fft.{name}(m)",
    ),
    **alike(
        "torch.fft",
        "irfft2 hfft2",
        "torch.fft.{name}(torch.complex(x, y))",
        "torch.fft.{name}(torch.complex(x, y), s=(2, 3))",
        "torch.fft.{name}(torch.complex(x, y), dim=-1)",
        "torch.fft.{name}(torch.complex(x, y), dim=[1])",
        "how = {'dim': (1,), 'norm': 'ortho'}\ntorch.fft.{name}(torch.complex(x, y), **how)",
        "over = [1]\ntorch.fft.{name}(torch.complex(x, y), dim=over)",
        (
            "how, one = {'dim': 1}, (torch.complex(x, y), [2], (0,))\n"
            "torch.fft.{name}(torch.complex(x, y), **how), torch.fft.{name}(*one)"
        ),
        "torch.fft.{name}(torch.complex(x, y), dim=(0, 1), norm='ortho')",
        "torch.fft.{name}(m)",
    ),
    **alike(
        "torch.fft",
        "fftn ifftn rfftn ihfftn",
        "torch.fft.{name}(x)",
        "torch.fft.{name}(x, s=(2, 3))",
        "torch.fft.{name}(x, dim=-1)",
        "torch.fft.{name}(x, dim=[1])",
        "how = {'dim': (1,), 'norm': 'ortho'}\ntorch.fft.{name}(x, **how)",
        "over = [1]\ntorch.fft.{name}(x, dim=over)",
        (
            "how, one = {'dim': 1}, (x, [2], (0,))\n"
            "torch.fft.{name}(x, **how), torch.fft.{name}(*one)"
        ),
        "torch.fft.{name}(x, dim=(0, 1), norm='ortho')",
        "torch.fft.{name}(m)",
        "torch.fft.{name}(x, 2)",
    ),
    **alike(
        "torch.fft",
        "irfftn hfftn",
        "torch.fft.{name}(torch.complex(x, y))",
        "torch.fft.{name}(torch.complex(x, y), s=(2, 3))",
        "torch.fft.{name}(torch.complex(x, y), dim=-1)",
        "torch.fft.{name}(torch.complex(x, y), dim=[1])",
        "how = {'dim': (1,), 'norm': 'ortho'}\ntorch.fft.{name}(torch.complex(x, y), **how)",
        "over = [1]\ntorch.fft.{name}(torch.complex(x, y), dim=over)",
        (
            "how, one = {'dim': 1}, (torch.complex(x, y), [2], (0,))\n"
            "torch.fft.{name}(torch.complex(x, y), **how), torch.fft.{name}(*one)"
        ),
        "torch.fft.{name}(torch.complex(x, y), dim=(0, 1), norm='ortho')",
        "torch.fft.{name}(m)",
        "torch.fft.{name}(torch.complex(x, y), 2)",
    ),
    **alike(
        "torch.fft",
        "fftshift ifftshift",
        "torch.fft.{name}(x)",
        "torch.fft.{name}(x, dim=1)",
        "torch.fft.{name}(a, (0, 2))",
    ),
    **alike(
        "torch.fft",
        "fftfreq rfftfreq",
        "torch.fft.{name}(5)",
        "torch.fft.{name}(8, 0.5)",
        "torch.fft.{name}(6, d=0.1, dtype=torch.float64)",
        "torch.fft.{name}(6, device='cpu', requires_grad=True, layout=torch.strided)",
        "t = torch.zeros(0)\ntorch.fft.{name}(6, out=t)",
    ),
}
