import torch
import torch.nn.functional as F


def show(*values):
    print(*(value.tolist() for value in values))
    print(*(value.dtype for value in values))


image = torch.tensor([[3, 1, 2], [0, 2, 1]], dtype=torch.uint8)
signed = image.to(torch.int8)
other = image.byte()
show(image.max(), image.min(), image.max(0).values, image.amax(1), signed.max(), other.min())
show(image * image, signed * 2, 3 * other, image**2, image % 2, image & 1, signed | 1)
show(torch.where(image > 1, image, other), image.clamp(0, 2), signed.clip(-1, 1))
show(image.any(), image.all(), image.unique(), signed.flip(0), signed.roll(1, 0))
show(image.nonzero(), image.index_select(0, torch.tensor([1])), image.repeat_interleave(2, 0))
show(torch.maximum(image, other), torch.minimum(signed, signed), image.topk(1).values)
show(signed.argmax(), signed.sort().values, signed.argsort())
show(signed.gather(1, torch.tensor([[0], [1]])), image.argwhere())
show(torch.bincount(image[0]), F.pad(image, (1, 1)), image.tril(), image.prod())
show(torch.arange(3, dtype=torch.uint8), torch.randint(0, 1, (2,), dtype=torch.uint8))
show(image.pow(2), torch.pow(signed, 2), image.abs(), torch.remainder(image, 2))
show(image.masked_fill(image > 1, 0), image.unique_consecutive())
show(*torch.unique(image, return_counts=True))
image *= 2
signed -= 1
other[other > 1] = 7
show(image, signed, other)
counts = torch.zeros(2, 3, dtype=torch.int16)
counts += 4
show(counts.max(), counts * counts, counts.sum(), counts.float().mean(), (counts == 4).all())
show(counts.scatter(1, torch.tensor([[0], [1]]), 9), counts.square_(), counts.neg().abs_())
image = image.clone()
image.clamp_(0, 3)
show(image, image.trunc_(), image.round_())
