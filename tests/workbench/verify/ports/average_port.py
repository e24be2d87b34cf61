import copy

import paddle
from paddle import nn


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1D(6), nn.ReLU(), nn.Linear(6, 2))
        self.register_buffer("seen", paddle.zeros([5, 2]))
        self.calls = 0

    def forward(self, x):
        out = self.body(x)
        self.seen[self.calls % 5] = out.detach().mean(0)
        self.calls += 1
        return out


def update(average, model):
    with paddle.no_grad():
        now = dict(model.body.named_parameters())
        for name, mean in average.body.named_parameters():
            if not name.endswith(("_mean", "_variance")):  # which Paddle counts among them
                mean.set_value(mean * 0.9 + now[name] * 0.1)


model = Net()
average = copy.deepcopy(model)
for parameter in average.parameters():
    parameter.stop_gradient = True
schedule = paddle.optimizer.lr.StepDecay(0.1, 1, gamma=0.5)
optimizer = paddle.optimizer.Momentum(
    schedule, momentum=0.9, parameters=model.parameters(), weight_decay=0.01
)

for _ in range(5):
    model.train()
    for _ in range(2):
        for _ in range(2):
            loss = model(paddle.randn([8, 4])).square().mean() / 2
            loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        update(average, model)
    schedule.step()
    average.eval()
    with paddle.no_grad():
        average(paddle.ones([2, 4]))
