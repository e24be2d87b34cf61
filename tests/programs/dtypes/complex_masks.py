import torch


def filt(x, mask):
    return torch.fft.fft(x) * mask
def apply(z, m):
    return (z * m).real
x = torch.arange(4.).sin()
print(filt(x, x > 0).abs().tolist(), filt(x, torch.tensor([1, 0, 1, 0])).abs().tolist(), apply(torch.complex(x, x), torch.complex(x, -x)).tolist())
z = torch.polar(torch.ones(4), x)
print((z * x).abs().tolist(), (z * (x > 0)).abs().tolist(), (z + torch.arange(4)).real.tolist(), (x.double() * z).dtype)
