import torch
from torch import nn

x = torch.arange(6.).sin().view(2, 3)
model = nn.Linear(3, 2).double()
with torch.no_grad():
    model.weight.copy_(torch.arange(6.).view(2, 3))
    model.bias.zero_()
y = model(x.double())
keep = x[:, :2] > 0
cnt = torch.tensor([16777217, 3])
print((y * keep).dtype, (y * keep).tolist(), (y * cnt).tolist(), (y / cnt).tolist(), (y + cnt).tolist(), (model(x.double()) * cnt).tolist(), (y * y.argmax(1)).dtype)
z = torch.tensor([1 + 1j, 2.])
print((z * torch.tensor([True, False])).tolist(), (z * torch.tensor([1, 2])).tolist(), (z * torch.tensor([1., 2])).dtype, (z / torch.tensor([1, 2])).tolist())
i32, i64, u8 = torch.tensor([1, 2], dtype=torch.int32), torch.tensor([3, 4]), torch.tensor([250, 3], dtype=torch.uint8)
print((i32 + i64).dtype, (i32 * i64).tolist(), (u8 + i64).tolist(), (i32 == i64).tolist(), (i64 > i32).tolist(), (u8 * 2).tolist(), (u8 + u8).tolist(), (u8 / 255.).tolist(), (u8 / 2).dtype, (i64 // i32).tolist(), (i64 % i32).tolist(), (i32 & i64).tolist())
