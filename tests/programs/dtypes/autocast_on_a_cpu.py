import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p.copy_((torch.arange(float(p.numel())) + i).sin().view_as(p))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.cuda.amp.GradScaler(enabled=torch.cuda.is_available())
x = torch.arange(6.).sin().view(2, 3)
for i in range(3):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = net(x)
        loss = (out.float() ** 2).mean()
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
    print(round(loss.item(), 1))
with torch.amp.autocast(device_type="cpu", enabled=False):
    print(net(x).dtype)
